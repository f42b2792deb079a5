"""Cholesky factorisations as steps of plans.

cuSOLVER is asked for the lower triangle of column-major matrices, for which it takes half as long
as for the upper one. A row-major matrix is the column-major form of its transpose: for an upper
factor it is factorised as it is, for a lower one it is copied transposed, and the factor as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from gpuarray import _layout
from gpuarray._layout import Layout
from gpuarray._libraries.checks import fill_failed, info_of, refuse_capture
from gpuarray._libraries.lu import is_batched, letter
from gpuarray._libraries.steps import Operand, Stack, Steps
from gpuarray._runtime.stream import Stream

__all__ = ["cholesky_call", "factorize"]

_INT32 = np.dtype(np.int32)


def factorize(steps: Steps, matrices: Operand, info: Operand) -> None:
    """Factorise the lower triangles of column-major matrices in place.

    The other triangle has no meaning afterwards.

    Parameters
    ----------
    steps : Steps
        Where the calls are added.
    matrices : Operand
        Gapless, of shape (count, n, n).
    info : Operand
        Of shape (count,): the order of the first minor that is not positive, or 0.
    """
    count, n, _ = matrices.layout.shape
    dtype = matrices.layout.dtype
    values = {"uplo": "CUBLAS_FILL_MODE_LOWER", "n": n, "lda": n}
    if is_batched(n, count, steps.stream):
        operands = {"Aarray": steps.addresses(matrices), "infoArray": info}
        values["batchSize"] = count
        steps.solver(f"cusolverDn{letter(dtype)}potrfBatched", values, operands)
        return
    steps.solver(
        "cusolverDnXpotrf",
        {**values, "dataTypeA": dtype, "computeType": dtype},
        {"A": matrices, "info": info},
        Stack(count, {"A": n * n * dtype.itemsize, "info": 4}),
    )


def cholesky_call(
    stream: Stream, a: Layout, dtype: np.dtype, upper: bool, raises: bool
) -> Callable[..., object]:
    """A call for the factors of stacked matrices with elements; if it raises, with the info."""
    if raises:
        refuse_capture(stream, "cholesky")
    steps = Steps(stream, a)
    result = steps.output(_layout.contiguous(dtype, a.shape))
    given = steps.inputs[0]
    found = columns = result
    if not upper:
        columns = steps.scratch(result.layout)
        given = given.seen_as(_layout.matrix_transpose(given.layout))
        found = columns.seen_as(_layout.matrix_transpose(columns.layout))
    steps.copy(given, columns)
    batch = a.shape[:-2]
    count = math.prod(batch)
    info = info_of(steps, (count,), raises)
    stacked = columns.seen_as(_layout.contiguous(dtype, (count, *a.shape[-2:])))
    factorize(steps, stacked, info)
    steps.triangle(upper, found, result)
    if not raises:
        fill_failed(steps, info.seen_as(_layout.contiguous(_INT32, batch)), result)
    return steps.make()
