"""Norms of vectors: one launch, with no array of absolute values or squares."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuarray import _dtypes
from gpuarray._layout import Layout
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import reduction
from gpuarray.kernels.generator.expressions import Apply, Cast, Constant, Expression, Input, Scalar
from gpuarray.kernels.generator.operations import operation
from gpuarray.kernels.reduction.arguments import reduced_shape, target_of
from gpuarray.kernels.reduction.launch import ReductionOp


def norm_call(
    stream: Stream, layout: Layout, order: float, axes: Sequence[int], keepdims: bool = False
) -> Callable[[Any], Any]:
    """The call of a norm along axes, whose elements count as one vector.

    Parameters
    ----------
    stream : Stream
        Where to run.
    layout : Layout
        Of the array.
    order : float
        Of the norm: any power; infinity for the greatest and minus infinity for the least absolute
        value; 0 for the number of elements that are not zero.
    axes : sequence of int
        The axes to reduce.
    keepdims : bool, optional
        Whether the result keeps them with length 1.

    Returns
    -------
    callable
        Takes the array. The result has the real dtype of the array's, float64 for integers and
        bools; halves are summed in float32.
    """
    op, scalars = _norm(layout.dtype, order)
    target = norm_layout(layout, axes, keepdims)
    if order == -math.inf and target.size and not layout.size:
        raise ValueError(
            "zero-size array to reduction operation minimum which has no identity: the norm of "
            f"order -inf of an array of shape {layout.shape}"
        )
    run = reduction.launch.make_call(op, [layout], False, axes, target, False, stream)
    return (lambda x: run(x, *scalars)) if scalars else run


def norm_layout(layout: Layout, axes: Sequence[int], keepdims: bool = False) -> Layout:
    """The layout of the result of `norm_call`."""
    shape = reduced_shape(layout.shape, axes, keepdims)
    dtype = _dtypes.dtype_of(_real(layout.dtype))
    return target_of("norm", layout, axes, shape, keepdims, dtype, None)


def _real(dtype: np.dtype) -> str:
    """The dtype of absolute values."""
    return reduction.tables.real(_dtypes.code(dtype)) if _dtypes.kind(dtype) in "fc" else "f8"


def _norm(dtype: np.dtype, order: float) -> tuple[ReductionOp, tuple[float, ...]]:
    """What is computed, and the values of its scalars."""
    read = _dtypes.code(dtype)
    code = reduction.tables.accumulator(_real(dtype))
    wide = read if dtype.kind == "c" else code
    x: Expression = Input(0, read) if read == wide else Cast(wide, Input(0, read))
    value = Input(reduction.functions.VALUE, code)
    finished: Expression = value
    combine = "add"
    scalars: tuple[str, ...] = ()
    mapped: Expression
    magnitude = Apply(operation("absolute"), (x,), code)
    if order == math.inf:
        name, mapped, combine = "norm_inf", magnitude, "maximum"
    elif order == -math.inf:
        name, mapped, combine = "norm_least", magnitude, "minimum"
    elif order == 0:
        nonzero = Apply(operation("not_equal"), (x, Constant(0, wide)), "b1")
        name, mapped = "norm_0", Cast(code, nonzero)
    elif order == 1:
        name, mapped = "norm_1", magnitude
    elif order == 2:
        name, mapped = "norm", _square(x)
        finished = Apply(operation("sqrt"), (value,), code)
    else:
        name, scalars = "norm_p", (code, code)
        mapped = Apply(operation("power"), (magnitude, Scalar(1, code)), code)
        inverse = Scalar(reduction.functions.INITIAL + 2, code)
        finished = Apply(operation("power"), (value, inverse), code)
    # Magnitudes are 0 or more, and the greatest of none is 0.
    neutral = Constant(0, code) if combine == "maximum" else reduction.tables.neutral(combine, code)
    op = ReductionOp(
        name, mapped, reduction.tables.pairwise(combine, code), neutral, finished, scalars=scalars
    )
    values: tuple[float, ...] = ()
    if scalars:
        with np.errstate(all="ignore"):
            power = _dtypes.dtype_of(code).type(order)
            values = power.item(), np.reciprocal(power).item()
    return op, values


def _square(x: Expression) -> Expression:
    """The square of the absolute value."""
    part = reduction.tables.real(x.dtype)
    if part == x.dtype:
        return Apply(operation("multiply"), (x, x), part)
    conjugate = Apply(operation("conjugate"), (x,), x.dtype)
    return Cast(part, Apply(operation("multiply"), (conjugate, x), x.dtype))
