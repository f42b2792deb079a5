"""Sums of products of arrays along axes: one launch, with no array of products."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuarray import _dtypes, _layout
from gpuarray._layout import Layout
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import reduction
from gpuarray.kernels.generator.expressions import Apply, Cast, Expression, Input
from gpuarray.kernels.generator.operations import operation
from gpuarray.kernels.reduction.arguments import reduced_shape
from gpuarray.kernels.reduction.launch import ReductionOp


def sum_of_products(a: Any, b: Any, axes: Sequence[int], dtype: np.dtype) -> Any:
    """The sum of ``a * conj(b)`` along axes.

    Parameters
    ----------
    a, b : ndarray
        Of one shape; strides of zero and overlapping elements are fine.
    axes : sequence of int
        The axes to sum along.
    dtype : dtype
        Of the result; operands are converted to it. Halves are summed in float32.

    Returns
    -------
    ndarray
        One launch.
    """
    return _sum_call(current.stream, a._layout, b._layout, tuple(axes), dtype)(a, b)


@planned
def _sum_call(
    stream: Stream, a: Layout, b: Layout, axes: tuple[int, ...], dtype: np.dtype
) -> Callable[[Any, Any], Any]:
    target = _layout.contiguous(dtype, reduced_shape(a.shape, axes))
    return sum_of_products_call(stream, [a, b], axes, dtype, target, conjugate=True)


def sum_of_products_call(
    stream: Stream,
    operands: Sequence[Layout],
    axes: Sequence[int],
    dtype: np.dtype,
    target: Layout,
    given: bool = False,
    conjugate: bool = False,
) -> Callable[..., Any]:
    """The call that sums the products of any number of operands.

    Parameters
    ----------
    stream : Stream
        Where to run.
    operands : sequence of Layout
        Of one shape; strides of zero and overlapping elements are fine.
    axes : sequence of int
        The axes to sum along.
    dtype : dtype
        What operands are converted to. Bools are or-ed, halves are summed in float32.
    target : Layout
        Of the result, which is converted to its dtype.
    given : bool, optional
        Whether the caller passes the result.
    conjugate : bool, optional
        Whether the last operand is conjugated.

    Returns
    -------
    callable
        Takes the operands, then a given result. One launch.
    """
    code = reduction.tables.accumulator(_dtypes.code(dtype))
    factors: list[Expression] = [
        Cast(code, Cast(_dtypes.code(dtype), Input(i, _dtypes.code(x.dtype))))
        for i, x in enumerate(operands)
    ]
    if conjugate and dtype.kind == "c":
        factors[-1] = Apply(operation("conjugate"), (factors[-1],), code)
    op = ReductionOp(
        "sum_of_products",
        functools.reduce(lambda x, y: Apply(operation("multiply"), (x, y), code), factors),
        reduction.tables.pairwise("add", code),
        reduction.tables.neutral("add", code),
        Input(reduction.functions.VALUE, code),
    )
    return reduction.launch.make_call(op, operands, False, axes, target, given, stream)
