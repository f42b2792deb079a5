"""Orthogonal polynomials at points."""

from __future__ import annotations

from typing import Any

from gpuarray.kernels.generator.operations import HUGE, Operation
from gpuarray.kernels.special.special_rows import special

_HEADER = "special_orthogonal"


def _polynomial(
    name: str, summary: str, example: tuple[Any, ...], result: str, parameters: int = 0
) -> Operation:
    """A polynomial of a degree, of `parameters`, at a point: degrees are integers or real."""
    operands = ["in0", *[f"double(in{1 + i})" for i in range(parameters)]]
    # The overloads are for int64_t and double.
    floats = f"special::{name}({', '.join(operands)}, double(in{1 + parameters}))"
    complexes = (
        f"special::{name}({', '.join(['double(in0)', *operands[1:]])}, wide(in{1 + parameters}))"
    )
    f, d = "f" * (1 + parameters), "d" * (1 + parameters)
    integers = "l" + "d" * parameters
    return special(
        name, 2 + parameters, summary, *example,
        loops=f"{integers}d->d {f}f->f {f}F->F {d}d->d {d}D->D", header=_HEADER,
        floats=floats, complexes=complexes, category_operand=1 + parameters, weight=HUGE,
        result=result,
    )  # fmt: skip


def _hermite(name: str, summary: str, result: str) -> Operation:
    return special(
        name, 2, summary, 2, [0.0, 0.5, 2.0], loops="ld->d", header=_HEADER,
        floats=f"special::{name}(in0, double(in1))", category_operand=1, weight=HUGE,
        result=result,
    )  # fmt: skip


_AT = [0.0, 0.5, 1.0]

# fmt: off
ROWS = (
    _polynomial(
        "eval_legendre", "Legendre polynomial of a degree at a point.", (2, _AT),
        "array([-0.5  , -0.125,  1.   ])",
    ),
    _polynomial(
        "eval_chebyt", "Chebyshev polynomial of the first kind.", (2, _AT),
        "array([-1. , -0.5,  1. ])",
    ),
    _polynomial(
        "eval_chebyu", "Chebyshev polynomial of the second kind.", (2, _AT),
        "array([-1.,  0.,  3.])",
    ),
    _polynomial(
        "eval_chebyc", "Chebyshev polynomial of the first kind on [-2, 2].", (2, _AT),
        "array([-2.  , -1.75, -1.  ])",
    ),
    _polynomial(
        "eval_chebys", "Chebyshev polynomial of the second kind on [-2, 2].", (2, _AT),
        "array([-1.  , -0.75,  0.  ])",
    ),
    _polynomial(
        "eval_sh_legendre", "Legendre polynomial on [0, 1].", (2, _AT),
        "array([ 1. , -0.5,  1. ])",
    ),
    _polynomial(
        "eval_sh_chebyt", "Chebyshev polynomial of the first kind on [0, 1].", (2, _AT),
        "array([ 1., -1.,  1.])",
    ),
    _polynomial(
        "eval_sh_chebyu", "Chebyshev polynomial of the second kind on [0, 1].", (2, _AT),
        "array([ 3., -1.,  3.])",
    ),
    _polynomial(
        "eval_gegenbauer", "Gegenbauer polynomial of a degree and alpha.", (2, 1.5, _AT),
        "array([-1.5  ,  0.375,  6.   ])", 1,
    ),
    _polynomial(
        "eval_jacobi", "Jacobi polynomial of a degree, alpha and beta.", (2, 1.0, 1.0, _AT),
        "array([-0.75  ,  0.1875,  3.    ])", 2,
    ),
    _polynomial(
        "eval_sh_jacobi", "Jacobi polynomial of a degree, p and q, on [0, 1].", (2, 2.0, 2.0, _AT),
        "array([ 0.3 , -0.05,  0.1 ])", 2,
    ),
    _polynomial(
        "eval_laguerre", "Laguerre polynomial.", (2, _AT), "array([ 1.   ,  0.125, -0.5  ])",
    ),
    _polynomial(
        "eval_genlaguerre", "Laguerre polynomial of a degree and alpha.", (2, 1.0, _AT),
        "array([3.   , 1.625, 0.5  ])", 1,
    ),
    special(
        "lpmv", 3, "Legendre function of integer order and real degree.", 1, 2.5, _AT,
        loops="fff->f ddd->d", header=_HEADER,
        floats="special::lpmv(double(in0), double(in1), double(in2))", weight=HUGE,
        result="array([ 0.98361717, -0.98737818, -0.        ])",
    ),
    _hermite("eval_hermite", "Hermite polynomial, the physicists'.", "array([-2., -1., 14.])"),
    _hermite(
        "eval_hermitenorm", "Hermite polynomial, the probabilists'.",
        "array([-1.  , -0.75,  3.  ])",
    ),
)
