"""Triangular systems by cuBLAS, as steps of plans.

A row-major matrix is the column-major form of its transpose. So ``op(A) X = B`` is asked for as
``X.T op(A).T = B.T``, with the matrices on the right: nothing is transposed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from gpuarray import _broadcasting, _layout
from gpuarray._layout import Layout
from gpuarray._libraries.lu import is_batched, letter
from gpuarray._libraries.steps import Operand, Stack, Steps
from gpuarray._runtime.stream import Stream

__all__ = ["Triangle", "solve", "triangular_call"]


class Triangle(NamedTuple):
    """How a triangle of A is meant: ``op(A) X = B``."""

    lower: bool
    #: 'N', 'T' or 'C': as it is, transposed, or also conjugated.
    operation: str = "N"
    #: Whether the diagonal is taken for ones.
    unit: bool = False


def solve(steps: Steps, a: Operand, right: Operand, triangle: Triangle) -> None:
    """Solve stacked systems in place.

    Parameters
    ----------
    steps : Steps
        Where the calls are added.
    a : Operand
        Of shape (n, n) for all right-hand sides, or (count, n, n): gapless, in row-major or
        column-major order each.
    right : Operand
        Gapless, of shape (count, n, k).
    triangle : Triangle
        Which triangle of A, and what is done to it.
    """
    count, n, sides = right.layout.shape
    dtype = right.layout.dtype
    by_rows = a.layout.c_contiguous
    lower = triangle.lower != by_rows
    operation = triangle.operation
    if not by_rows:  # of real numbers 'C' is 'T'
        operation = "T" if operation == "N" else "N"
    values = {
        "side": "CUBLAS_SIDE_RIGHT",
        "uplo": "CUBLAS_FILL_MODE_LOWER" if lower else "CUBLAS_FILL_MODE_UPPER",
        "trans": f"CUBLAS_OP_{operation}",
        "diag": "CUBLAS_DIAG_UNIT" if triangle.unit else "CUBLAS_DIAG_NON_UNIT",
        "m": sides,
        "n": n,
        "alpha": dtype.type(1),
        "lda": n,
        "ldb": sides,
    }
    nbytes = n * n * dtype.itemsize if a.layout.ndim == 3 else 0
    if count > 1 and is_batched(n, count, steps.stream):
        addresses = steps.addresses(a, count, nbytes), steps.addresses(right)
        operands = dict(zip("AB", addresses))
        steps.blas(
            f"cublas{letter(dtype)}trsmBatched_64", {**values, "batchCount": count}, operands
        )
        return
    distances = {"A": nbytes, "B": n * sides * dtype.itemsize}
    function = f"cublas{letter(dtype)}trsm_v2_64"
    steps.blas(function, values, {"A": a, "B": right}, Stack(count, distances))


def triangular_call(
    stream: Stream, a: Layout, b: Layout, dtype: np.dtype, triangles: Sequence[Triangle]
) -> Callable[..., object]:
    """A call that solves with triangles of A, one after another.

    The shapes, (..., n, n) and (..., n, k), are those of a result that has elements; what stands
    before the last two lengths broadcasts.
    """
    batch = _broadcasting.broadcast_shapes([a.shape[:-2], b.shape[:-2]])
    n, sides = b.shape[-2:]
    count = math.prod(batch)
    if math.prod(a.shape[:-2]) == 1:
        a = _layout.layout_of(a.dtype, (n, n), a.strides[-2:], a.access)
    else:
        a = _broadcasting.broadcast_to(a, (*batch, n, n))
    steps = Steps(stream, a, b)
    result = steps.output(_layout.contiguous(dtype, (*batch, n, sides)))
    steps.copy(steps.inputs[1], result)
    right = result.seen_as(_layout.contiguous(dtype, (count, n, sides)))
    matrices = _readable(steps, steps.inputs[0], dtype, triangles)
    if matrices.layout.ndim > 2:
        matrices = matrices.seen_as(_stacked(matrices.layout, count))
    for triangle in triangles:
        solve(steps, matrices, right, triangle)
    return steps.make()


def _readable(steps: Steps, a: Operand, dtype: np.dtype, triangles: Sequence[Triangle]) -> Operand:
    """The matrices as the library reads them: themselves if they are gapless, else a copy."""
    if a.layout.dtype == dtype:
        if a.layout.c_contiguous:
            return a
        # By columns there is no conjugate that is not transposed.
        conjugate = dtype.kind == "c" and any(x.operation == "C" for x in triangles)
        if _layout.matrix_transpose(a.layout).c_contiguous and not conjugate:
            return a
    copied = steps.scratch(_layout.contiguous(dtype, a.layout.shape))
    steps.copy(a, copied)
    return copied


def _stacked(layout: Layout, count: int) -> Layout:
    """Gapless matrices with one dimension in place of all that stand before them."""
    n = layout.shape[-1]
    stack = _layout.contiguous(layout.dtype, (count, n, n))
    return stack if layout.c_contiguous else _layout.matrix_transpose(stack)
