"""Mathematical functions: rounding to decimals."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _dtypes, _layout, _memory_order
from gpuarray._array import ArrayBase
from gpuarray._layout import Layout
from gpuarray._ops import math
from gpuarray._ops.stored_values import as_values
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.generator.expressions import Apply, Cast, Expression, Input, Scalar
from gpuarray.kernels.generator.operations import operation

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["around", "fix", "round"]


def round(a: ArrayLike, decimals: int = 0, out: ndarray | None = None) -> ndarray:
    """An array rounded to a number of decimals, halves to even.

    Parameters
    ----------
    a : ndarray
        The array.
    decimals : int, optional
        How many; negative ones round before the point.
    out : ndarray, optional
        Where results are stored.

    Returns
    -------
    ndarray
        Of the same dtype.

    Raises
    ------
    TypeError
        If bools are rounded to decimals, or `out` has a dtype that the result has no cast to.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.round(cp.array([0.5, 1.25, 2.675]), 1)
    array([0.5, 1.2, 2.7])
    """
    a = a if isinstance(a, ArrayBase) else as_values(a, "round")
    decimals = operator.index(decimals)
    layout = a._layout
    kind = layout.dtype.kind
    if kind in "iu" and decimals >= 0:
        return math.positive(a, out=out)
    if decimals == 0:
        return math.rint(a, out=out)
    if kind == "b":
        raise TypeError("round: bools cannot be rounded to decimals; use astype first")
    if out is not None and kind in "iu" and out.dtype.kind not in "fc":
        raise TypeError(
            "round: Cannot cast ufunc 'divide' output from float64 to "
            f"{out.dtype} with casting rule 'same_kind'; pass no out"
        )
    stream = current.stream
    run, result, parts = _plan(stream, layout, decimals < 0)
    rounded = _array.empty(result)
    power = 10.0 ** abs(decimals)
    if parts is None:
        run(a, power, rounded)
    else:
        run(_array.view(a, parts[0]), power, _array.view(rounded, parts[1]))
    if out is None:
        return rounded
    copies.assign(out, rounded)
    return out


@planned
def _plan(
    stream: Stream, layout: Layout, before_point: bool
) -> tuple[Callable[..., Any], Layout, tuple[Layout, Layout] | None]:
    """The call that rounds, the layout of its result, and those of their parts if it is complex.

    Real and imaginary parts are rounded on their own: complex division would mix their errors.
    """
    result = _memory_order.like_order(layout.dtype, layout.shape, [layout], "A")
    parts = None
    read, stored = layout, result
    if layout.dtype.kind == "c":
        parts = read, stored = _parts(layout), _parts(result)
    # Integers are divided as float64.
    dtype = np.dtype("float64") if layout.dtype.kind in "iu" else read.dtype
    code = _dtypes.code(dtype)
    x: Expression = Input(0, _dtypes.code(read.dtype))
    if dtype is not read.dtype:
        x = Cast(code, x)
    power = Scalar(1, code)
    steps = ("divide", "multiply") if before_point else ("multiply", "divide")
    scaled = Apply(operation(steps[0]), (x, power), code)
    whole = Apply(operation("rint"), (scaled,), code)
    rounded: Expression = Apply(operation(steps[1]), (whole, power), code)
    if dtype is not stored.dtype:
        rounded = Cast(_dtypes.code(stored.dtype), rounded)
    run = elementwise.launch.make_call("round", [rounded], [read, dtype], [stored], [True], stream)
    return run, result, parts


def _parts(layout: Layout) -> Layout:
    """The layout of the real and imaginary parts, along a last axis."""
    dtype = _dtypes.canonical(np.dtype(f"f{layout.itemsize // 2}"))
    return _layout.layout_of(dtype, (*layout.shape, 2), (*layout.strides, dtype.itemsize))


around = round


def fix(x: ArrayLike, out: ndarray | None = None) -> ndarray:
    """The nearest integers towards zero: another name of `trunc`.

    Parameters
    ----------
    x : ndarray
        The array.
    out : ndarray, optional
        Where results are stored.

    Returns
    -------
    ndarray
        Of the same dtype.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fix(cp.array([2.7, -2.7]))
    array([ 2., -2.])
    """
    x = x if isinstance(x, ArrayBase) else as_values(x, "fix")
    return math.trunc(x, out=out)


def rounded_scalar(array: ndarray, ndigits: int | None = None) -> Any:
    """Python's ``round(array, ndigits)`` of an array without dimensions.

    Without ``ndigits`` the result is an int, which waits for the device.
    """
    if array.ndim:
        raise TypeError(
            f"round: an array of shape {array.shape} is no number; use gpuarray.round(x, decimals)"
        )
    if ndigits is None:
        number: Any = array.get()[()]
        return builtins.round(number)
    return round(array, ndigits)
