"""Sums of products of two arrays along axes: one launch, with no array of products."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuarray import _dtypes, _layout
from gpuarray._layout import Layout
from gpuarray._runtime.device import current
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
    layouts = [a, b]
    code = reduction.tables.accumulator(_dtypes.code(dtype))
    first, second = [
        Cast(code, Cast(_dtypes.code(dtype), Input(i, _dtypes.code(x.dtype))))
        for i, x in enumerate(layouts)
    ]
    factor: Expression = second
    if dtype.kind == "c":
        factor = Apply(operation("conjugate"), (second,), code)
    op = ReductionOp(
        "sum_of_products",
        Apply(operation("multiply"), (first, factor), code),
        reduction.tables.pairwise("add", code),
        reduction.tables.neutral("add", code),
        Input(reduction.functions.VALUE, code),
    )
    target = _layout.contiguous(dtype, reduced_shape(a.shape, axes))
    return reduction.launch.make_call(op, layouts, False, axes, target, False, stream)
