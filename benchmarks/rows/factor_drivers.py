"""The steps of solutions, and of Cholesky and QR factorisations, by each function that there is.

Matrices are of float64. `works` gives the alternatives for a matrix; each is a call of its own, so
that a step's time is the difference of two.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import gpuarray as cp
from gpuarray import _layout
from gpuarray._ffi import cusolver
from gpuarray._libraries import lu, qr
from gpuarray._libraries.steps import Operand, Stack, Steps
from gpuarray._libraries.triangular_inverse import Block, multiply
from gpuarray._runtime.current_stream import current

_F8, _F4, _I4, _I8 = np.dtype("f8"), np.dtype("f4"), np.dtype("i4"), np.dtype("i8")
_FILLS = ("LOWER", "UPPER")
#: Right-hand sides.
_SIDES = (1, 16, 256)
#: Reflectors that are taken together.
_WIDTHS = (64, 128, 256)

Works = dict[str, Callable[[], Any]]


def works(a: Any) -> dict[str, Works]:
    """By what is computed, the alternatives."""
    found = {"getrf": _factorisations(a), "potrf": _cholesky(a), "Q": _orthogonal(a)}
    for sides in _SIDES:
        found[f"solve, {sides} right-hand sides,"] = _solutions(a, sides)
    return found


def inverse_by_blocks(a: Any) -> Callable[[Any], Any]:
    """By the inverse of U, which is made of products."""
    steps = Steps(current.stream, a._layout)
    result = steps.output(a._layout)
    lu.invert(steps, _factors(steps, steps.inputs[0]), result)
    return steps.make()


def panels(n: int, quick: bool) -> Works:
    """LU factorisations of the first columns."""
    found = {}
    for width in (8, 16, 24, 32, 40) if quick else (32, 64, 128, 256, 512):
        a = cp.asarray(np.random.default_rng(1).standard_normal((width, n)))
        found[f"{width} columns"] = _run(_factors_of_panel(a), a)
    return found


def _run(call: Callable[..., Any], *arrays: Any) -> Callable[[], Any]:
    return lambda: call(*arrays)


def _scratch(steps: Steps, dtype: np.dtype, *shape: int) -> Operand:
    return steps.scratch(_layout.contiguous(dtype, shape))


def _answer(steps: Steps) -> Callable[..., Any]:
    """The call; it returns something."""
    steps.output(_layout.contiguous(np.dtype("u1"), ()))
    return steps.make()


def _factors(steps: Steps, a: Operand, dtype: np.dtype = _F8) -> lu.Factors:
    n = a.layout.shape[-1]
    matrices = _scratch(steps, dtype, 1, n, n)
    steps.copy(a, matrices.seen_as(_layout.contiguous(dtype, (n, n))))
    # These are the factors of the transpose: what it takes is the same.
    return lu.factorize(steps, matrices, _scratch(steps, _I8, 1, n), _scratch(steps, _I4, 1))


def _factors_of_panel(a: Any) -> Callable[..., Any]:
    steps = Steps(current.stream, a._layout)
    n, m = a.shape
    matrices = _scratch(steps, _F8, 1, n, m)
    steps.copy(steps.inputs[0], matrices.seen_as(a._layout))
    lu.factorize(steps, matrices, _scratch(steps, _I8, 1, min(m, n)), _scratch(steps, _I4, 1))
    return _answer(steps)


def _factorisations(a: Any) -> Works:
    n = a.shape[-1]

    def xgetrf(dtype: np.dtype, algorithm: str | None) -> Callable[..., Any]:
        steps = Steps(current.stream, a._layout)
        matrix = _scratch(steps, dtype, n, n)
        steps.copy(steps.inputs[0], matrix)
        values: dict[str, Any] = {
            "m": n, "n": n, "dataTypeA": dtype, "lda": n, "computeType": dtype,
        }  # fmt: skip
        operands = {"A": matrix, "ipiv": _scratch(steps, _I8, n), "info": _scratch(steps, _I4)}
        steps.solver("cusolverDnXgetrf", values, operands, options=_options("GETRF", algorithm))
        return _answer(steps)

    return {
        "Xgetrf": _run(xgetrf(_F8, None), a),
        "ALG_1": _run(xgetrf(_F8, "CUSOLVER_ALG_1"), a),
        "float32": _run(xgetrf(_F4, None), a),
    }


def _options(function: str, algorithm: str | None) -> int | None:
    """Options with an algorithm for a function; they are kept."""
    if algorithm is None:
        return None
    params = cusolver.library.cusolverDnCreateParams()
    cusolver.library.cusolverDnSetAdvOptions(
        params,
        cusolver.FUNCTION.members[f"CUSOLVERDN_{function}"],
        cusolver.ALGORITHM.members[algorithm],
    )
    return params


def _cholesky(a: Any) -> Works:
    n = a.shape[-1]
    p = a @ a.T / n + cp.eye(n)

    def potrf(fill: str) -> Callable[..., Any]:
        steps = Steps(current.stream, p._layout)
        matrix = _scratch(steps, _F8, n, n)
        steps.copy(steps.inputs[0], matrix)
        values = {
            "uplo": f"CUBLAS_FILL_MODE_{fill}", "n": n, "lda": n, "dataTypeA": _F8,
            "computeType": _F8,
        }  # fmt: skip
        steps.solver("cusolverDnXpotrf", values, {"A": matrix, "info": _scratch(steps, _I4)})
        return _answer(steps)

    def batched(fill: str) -> Callable[..., Any]:
        steps = Steps(current.stream, p._layout)
        matrices = _scratch(steps, _F8, 100, n, n)
        steps.copy(steps.inputs[0], matrices)
        operands = {"Aarray": steps.addresses(matrices), "infoArray": _scratch(steps, _I4, 100)}
        values = {"uplo": f"CUBLAS_FILL_MODE_{fill}", "n": n, "lda": n, "batchSize": 100}
        steps.solver("cusolverDnDpotrfBatched", values, operands)
        return _answer(steps)

    found = {f"Xpotrf {fill}": _run(potrf(fill), p) for fill in _FILLS}
    if n < 512:
        found |= {f"100 by potrfBatched {fill}": _run(batched(fill), p) for fill in _FILLS}
    return found


def _orthogonal(a: Any) -> Works:
    n = a.shape[-1]

    def factorized() -> tuple[Steps, Operand, Operand]:
        steps = Steps(current.stream, a._layout)
        columns, tau = _scratch(steps, _F8, n, n), _scratch(steps, _F8, n)
        steps.copy(steps.inputs[0], columns)
        qr.factorize(steps, columns, n, tau)
        return steps, columns, tau

    found = {"geqrf": _run(_answer(factorized()[0]), a)}
    for width in (128, 256, 512):
        found[f"geqrf of {width} columns, products"] = _run(_qr_by_blocks(a, width), a)
    steps, columns, tau = factorized()
    qr.form_q(steps, columns, n, tau)
    found["geqrf, orgqr"] = _run(_answer(steps), a)
    steps, columns, tau = factorized()
    unit = _scratch(steps, _F8, n, n)
    lu.store_identity(steps, unit)
    qr.multiply_by_q(steps, columns, tau, unit)
    found["geqrf, ormqr"] = _run(_answer(steps), a)
    for width in _WIDTHS:
        steps, columns, tau = factorized()
        qr.form_q_by_blocks(steps, columns, n, tau, _scratch(steps, _F8, n, n), width)
        found[f"geqrf, blocks of {width}"] = _run(_answer(steps), a)
    return found


def _qr_by_blocks(a: Any, width: int) -> Callable[..., Any]:
    """With the columns behind those that are factorised multiplied by their reflectors."""
    n = a.shape[-1]
    steps = Steps(current.stream, a._layout)
    columns, info = _scratch(steps, _F8, n, n), _scratch(steps, _I4)
    steps.copy(steps.inputs[0], columns)
    vectors = _scratch(steps, _F8, width, n)
    first, second = [_scratch(steps, _F8, n, width) for _ in range(2)]
    for begin in range(0, n, width):
        wide, at, rows = min(width, n - begin), begin * (n + 1), n - begin
        tau = _scratch(steps, _F8, wide)
        values = {
            "m": rows, "n": wide, "dataTypeA": _F8, "lda": n, "dataTypeTau": _F8,
            "computeType": _F8,
        }  # fmt: skip
        operands = {"A": columns, "tau": tau, "info": info}
        steps.solver("cusolverDnXgeqrf", values, operands, Stack(1, {}, {"A": at * 8}))
        rest = rows - wide
        if not rest:
            break
        found = vectors.seen_as(_layout.contiguous(_F8, (wide, n)))
        qr.store_reflectors(steps, columns, begin, wide, found)
        t = qr.triangular_factors(steps, found, tau, wide)
        v, beside = Block(vectors, begin, n), Block(columns, at + wide * n, n)
        x, y = Block(first, 0, wide), Block(second, 0, wide)
        multiply(steps, (wide, rest, rows), v, beside, x, operations="TN")
        multiply(steps, (wide, rest, wide), Block(t, 0, wide), x, y, operations="TN")
        multiply(steps, (rows, rest, wide), v, y, beside, (-1, 1))
    return _answer(steps)


def _solutions(a: Any, sides: int) -> Works:
    """With factors that are there; the right-hand sides are copied each time."""
    n = a.shape[-1]
    steps = Steps(current.stream, a._layout)
    outputs = [steps.output(_layout.contiguous(*x)) for x in ((_F8, (1, n, n)), (_I8, (1, n)))]
    factors = _factors(steps, steps.inputs[0])
    steps.copy(factors.matrices, outputs[0])
    steps.copy(factors.pivots, outputs[1])
    given = steps.make()(a)
    b = cp.ones((1, sides, n))

    def planned(add: Callable[[Steps, lu.Factors, Operand], None]) -> Callable[[], Any]:
        steps = Steps(current.stream, given[0]._layout, given[1]._layout, b._layout)
        right = _scratch(steps, _F8, 1, sides, n)
        steps.copy(steps.inputs[2], right)
        add(steps, lu.Factors(steps.inputs[0], steps.inputs[1], None), right)
        return _run(_answer(steps), *given, b)

    return {
        "ours": planned(lambda s, f, r: lu.solve(s, f, r)),
        "getrs N": planned(lambda s, f, r: _by_getrs(s, f, r, "N")),
        "getrs T": planned(lambda s, f, r: _by_getrs(s, f, r, "T")),
        "trsm N": planned(lambda s, f, r: _by_trsm(s, f, r, "N")),
        "trsm T": planned(lambda s, f, r: _by_trsm(s, f, r, "T")),
    }


def _by_getrs(steps: Steps, factors: lu.Factors, right: Operand, operation: str) -> None:
    _, sides, n = right.layout.shape
    values = {
        "trans": f"CUBLAS_OP_{operation}", "n": n, "nrhs": sides, "dataTypeA": _F8, "lda": n,
        "dataTypeB": _F8, "ldb": n,
    }  # fmt: skip
    operands = {"A": factors.matrices, "ipiv": factors.pivots, "B": right}
    steps.solver("cusolverDnXgetrs", values, {**operands, "info": _scratch(steps, _I4)})


def _by_trsm(steps: Steps, factors: lu.Factors, right: Operand, operation: str) -> None:
    """Both triangles, without row exchanges."""
    _, sides, n = right.layout.shape
    for fill, diagonal in (("LOWER", "UNIT"), ("UPPER", "NON_UNIT")):
        values = {
            "side": "CUBLAS_SIDE_LEFT", "uplo": f"CUBLAS_FILL_MODE_{fill}",
            "trans": f"CUBLAS_OP_{operation}", "diag": f"CUBLAS_DIAG_{diagonal}", "m": n,
            "n": sides, "alpha": np.float64(1), "lda": n, "ldb": n,
        }  # fmt: skip
        operands = {"A": factors.matrices, "B": right}
        steps.blas("cublasDtrsm_v2_64", values, operands, Stack(1, {}))
