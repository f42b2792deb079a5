"""Norms and other numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gpuarray import _dtypes, _layout
from gpuarray._array import ArrayBase
from gpuarray._layout import Layout, check_axes
from gpuarray._ops.conversion import as_values
from gpuarray._runtime.device import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.reduction.norms import norm_call

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["vector_norm"]


def vector_norm(
    x: ArrayLike,
    /,
    *,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    ord: float | None = 2,
) -> ndarray:
    """The norms of vectors.

    Parameters
    ----------
    x : ndarray
        Numbers.
    axis : int or tuple of int, optional
        The axes whose elements make a vector; all by default.
    keepdims : bool, optional
        Keep the axes with length 1.
    ord : float, optional
        The order: any number; infinity gives the greatest and minus infinity the least absolute
        value, 0 the number of elements that are not zero.

    Returns
    -------
    ndarray
        Without the axes; in the real dtype of `x`, of integers and bools in float64.

    Raises
    ------
    ValueError
        If there is no norm of that order; if there is no element and the norm is the least of none.
    TypeError
        If `axis` is no integer; if the elements are no numbers.

    Differences from NumPy
    ----------------------
    Norms of float16 are summed in float32 and rounded once.

    Notes
    -----
    One launch. Squares are summed as they are, so that they overflow where NumPy's do.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.linalg.vector_norm(cp.array([[1.0, 2.0], [2.0, 4.0]]))
    array(5.)
    """
    array = x if isinstance(x, ArrayBase) else as_values(x, "vector_norm")
    return _plan_vector_norm(current.stream, array._layout, ord, axis, keepdims)(array)


@planned
def _plan_vector_norm(
    stream: Stream, layout: Layout, order: Any, axis: Any, keepdims: bool
) -> Callable[[Any], Any]:
    _check_numbers(layout)
    keepdims = _layout.check_flag(keepdims, "keepdims")
    if axis is not None and not isinstance(axis, tuple):
        axis = (_as_axis(axis),)
    axes = check_axes(axis, layout.ndim, duplicates="repeated axis", bools=False)
    return norm_call(stream, layout, _vector_order(order), axes, keepdims)


def _check_numbers(layout: Layout) -> None:
    if _dtypes.kind(layout.dtype) not in "biufc":
        raise TypeError(f"array type {layout.dtype} is unsupported in linalg")


def _as_axis(axis: Any) -> int:
    try:
        return operator.index(axis)
    except TypeError:
        raise TypeError("'axis' must be None, an integer or a tuple of integers") from None


def _vector_order(order: Any) -> float:
    if order is None:
        return 2
    try:
        if not isinstance(order, str):
            return float(order)
    except (TypeError, ValueError):
        pass
    raise ValueError(f"Invalid norm order {order!r} for vectors")
