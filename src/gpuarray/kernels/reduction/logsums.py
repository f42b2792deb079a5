"""Logarithms of sums of exponentials, in one launch: ``logsumexp.cuh``."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from gpuarray import _dtypes
from gpuarray._layout import Layout
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import reduction
from gpuarray.kernels.generator.expressions import Cast, Constant, Input
from gpuarray.kernels.reduction.arguments import reduced_shape, target_of
from gpuarray.kernels.reduction.launch import ReductionOp


def logsum_call(
    stream: Stream, layouts: Sequence[Layout], code: str, state: str, axes: Sequence[int],
    keepdims: bool,
) -> Callable[..., Any]:  # fmt: skip
    """The call of the logarithm of a sum of exponentials along axes.

    Parameters
    ----------
    stream : Stream
        Where to run.
    layouts : sequence of Layout
        Of the exponents, and of their weights where there are any, in the same shape.
    code : str
        The code of the result's dtype. Halves are combined in float32.
    state : {'logsum', 'logsum_magnitude', 'logsum_sign'}
        What is known in the end: see `ReductionSpec`.
    axes : sequence of int
        The axes to reduce.
    keepdims : bool
        Whether the result keeps them with length 1.

    Returns
    -------
    callable
        Takes the exponents, and the weights.
    """
    wide = reduction.tables.accumulator(code)
    layout = layouts[0]
    shape = reduced_shape(layout.shape, axes, keepdims)
    target = target_of(state, layout, axes, shape, keepdims, _dtypes.dtype_of(code), None)
    op = ReductionOp(
        state,
        Cast(wide, Input(0, _dtypes.code(layout.dtype))),
        reduction.tables.pairwise("maximum", wide),
        Constant(-math.inf, wide),
        Input(reduction.functions.VALUE, wide),
        state=state,
    )
    return reduction.launch.make_call(op, layouts, False, axes, target, False, stream)
