"""What functions of matrices are made of: products, solutions and linear combinations of stacks.

Stacks have the shape (count, n, n), at least one element and a dtype of LAPACK's. Products are
computed in full precision, whatever was chosen for ``matmul``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuarray import _broadcasting, _dtypes, _layout
from gpuarray._layout import Layout
from gpuarray._libraries import lu
from gpuarray._libraries.blas import gemm
from gpuarray._libraries.checks import check, linalg_raises
from gpuarray._ops.manipulation import reshape
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.elementwise.launch import Coordinates
from gpuarray.kernels.generator.expressions import Constant, Expression, Input, Scalar, apply

__all__ = ["checked_solution", "combination", "product", "solution", "stacked"]


def stacked(a: Any, dtype: np.dtype) -> Any:
    """Matrices of any number of stacked axes as a contiguous stack of one."""
    layout = a._layout
    if layout.dtype is not dtype or not layout.c_contiguous:
        a = copies.copy(a, "C", dtype)
    return reshape(a, (-1, *layout.shape[-2:]))


#: The products of two stacks.
product = gemm


def solution(a: Any, b: Any) -> Any:
    """What the matrices of ``a`` are multiplied with to give those of ``b``; NaN if singular."""
    return _plan_solution(current.stream, a._layout, b._layout)(a, b)


def checked_solution(a: Any, b: Any) -> Any:
    """The same, but a singular matrix raises, as `gpuarray.errstate` says; then it waits."""
    raises = linalg_raises()
    if not raises:
        return solution(a, b)
    found, info = _plan_solution(current.stream, a._layout, b._layout, True)(a, b)
    check(info, "Singular matrix")
    return found


@planned
def _plan_solution(stream: Stream, a: Layout, b: Layout, raises: bool = False) -> Any:
    return lu.solve_call(stream, a, b, a.dtype, raises)


def combination(matrices: Sequence[Any], factors: Sequence[complex], identity: complex = 0) -> Any:
    """Sums of matrices by factors, and of the identity by one more: one launch."""
    layouts = [x._layout for x in matrices]
    run = _plan_combination(current.stream, identity != 0, *layouts)
    return run(*matrices, *factors, identity) if identity else run(*matrices, *factors)


@planned
def _plan_combination(stream: Stream, identity: bool, *layouts: Layout) -> Any:
    dtype, count = layouts[0].dtype, len(layouts)
    code = _dtypes.code(dtype)
    total: Expression | None = None
    for i in range(count):
        term = apply("multiply", code, Scalar(count + i, code), Input(i, code))
        total = term if total is None else apply("add", code, total, term)
    assert total is not None
    inputs: list[Any] = [*layouts, *[dtype] * count]
    if identity:
        on_diagonal = apply("equal", "b1", Input(2 * count + 1, "i8"), Constant(0, "i8"))
        shifted = apply("add", code, total, Scalar(2 * count, code))
        total = apply("where", code, on_diagonal, shifted, total)
        inputs += [dtype, Coordinates(0, -1, 1)]
    target = _layout.contiguous(dtype, _broadcasting.broadcast_shapes([x.shape for x in layouts]))
    return elementwise.launch.make_call("combination", [total], inputs, [target], [False], stream)
