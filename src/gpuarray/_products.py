"""Sums of products of two arrays along axes: one launch, with no array of products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuarray import _dtypes, _layout, _reduction_launch, kernels
from gpuarray._device import current
from gpuarray._reduction_arguments import reduced_shape
from gpuarray._reduction_launch import Computation
from gpuarray.kernels.expressions import Apply, Cast, Expression, Input
from gpuarray.kernels.operations import operation


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
    stream = current.stream
    key = (sum_of_products, a._layout, b._layout, tuple(axes), dtype)
    run = stream.plans.get(key)
    if run is None:
        layouts = [a._layout, b._layout]
        code = kernels.reduction_tables.accumulator(_dtypes.code(dtype))
        first, second = [
            Cast(code, Cast(_dtypes.code(dtype), Input(i, _dtypes.code(x.dtype))))
            for i, x in enumerate(layouts)
        ]
        factor: Expression = second
        if dtype.kind == "c":
            factor = Apply(operation("conjugate"), (second,), code)
        what = Computation(
            "sum_of_products",
            Apply(operation("multiply"), (first, factor), code),
            kernels.reduction_tables.pairwise("add", code),
            kernels.reduction_tables.neutral("add", code),
            Input(kernels.reductions.VALUE, code),
        )
        target = _layout.contiguous(dtype, reduced_shape(a._layout.shape, axes))
        run = _reduction_launch.make_call(what, layouts, False, axes, target, False, stream)
        stream.remember(key, run)
    return run(a, b)
