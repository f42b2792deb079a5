"""Views with given strides, and the memory that arrays share."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _array, _layout
from gpuarray._arguments import check_axis
from gpuarray._array import ArrayBase, address_of, aligned, exposed_address_of
from gpuarray._layout import Layout
from gpuarray._ops.conversion import array
from gpuarray._ops.manipulation import as_array

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["may_share_memory", "shares_memory"]


def as_strided(
    x: ArrayLike,
    shape: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
    subok: bool = False,
    writeable: bool = True,
) -> ndarray:
    """A view of an array's memory with a given shape and strides.

    Parameters
    ----------
    x : ndarray
        The array; the view begins at its first element.
    shape : sequence of int, optional
        The view's shape, by default that of `x`.
    strides : sequence of int, optional
        Its strides in bytes, by default those of `x`, or of a gapless view if `x` is gapless.
    subok : bool, optional
        Ignored: there are no subclasses.
    writeable : bool, optional
        False makes the view read-only. Elements of the view may share memory: what is then stored
        at which of them is undefined.

    Returns
    -------
    ndarray
        A view.

    Raises
    ------
    ValueError
        If shape and strides have different lengths, or lead out of the memory that the array is in.

    Differences from NumPy
    ----------------------
    Views that lead out of the memory are refused.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.arange(5)
    >>> cp.lib.stride_tricks.as_strided(x, (3, 3), (8, 8))
    array([[0, 1, 2],
           [1, 2, 3],
           [2, 3, 4]])
    """
    table_key = None
    if isinstance(x, ArrayBase) and type(shape) is tuple and type(strides) is tuple:
        # Only integers have an int for a sum and a product: 2.0 equals 2 as a key.
        try:
            if type(math.prod(shape)) is int and type(sum(strides)) is int:
                table_key = (as_strided, shape, strides)
                found = x._layout.reshapes.get(table_key)
                if found is not None:
                    _check_memory(x, found)
                    view = _array.view(x, found)
                    return view if writeable else _array.lock(view)
        except TypeError:  # what is no number
            pass
    x = array(x, copy=None)
    layout = x._layout
    lengths = layout.shape if shape is None else _arguments.check_shape(tuple(shape))
    if strides is None and layout.c_contiguous:
        target = _layout.contiguous(layout.dtype, lengths)
    else:
        steps = layout.strides if strides is None else tuple(strides)
        target = _layout.strided(layout.dtype, lengths, steps)
    _check_memory(x, target)
    pointer = address_of(x)
    target = aligned("as_strided", target, pointer, "choose strides of whole elements")
    if table_key is not None and not target.unaligned:
        _layout.keep_view(layout.reshapes, table_key, target)
    view = _array.view(x, target)
    return view if writeable else _array.lock(view)


def _check_memory(x: Any, layout: Layout) -> None:
    """Refuse elements outside of the memory that an array is in."""
    memory = x._memory
    start = address_of(x) - memory.pointer if layout.size else 0
    low, high = start + layout.low, start + layout.high
    if layout.size and (low < 0 or high > memory.size):
        raise ValueError(
            f"as_strided: shape {layout.shape} with strides {layout.strides} needs bytes {low} to "
            f"{high} of the array's memory, which has {memory.size}"
        )


def sliding_window_view(
    x: ArrayLike,
    window_shape: int | Sequence[int],
    axis: int | Sequence[int] | None = None,
    *,
    subok: bool = False,
    writeable: bool = False,
) -> ndarray:
    """A view of all windows of a shape into an array.

    Parameters
    ----------
    x : ndarray
        The array.
    window_shape : int or tuple of int
        The window's length along each of the axes.
    axis : int or tuple of int, optional
        The axes, which may be repeated; all by default.
    subok : bool, optional
        Ignored: there are no subclasses.
    writeable : bool, optional
        Whether the view may be written to; its elements share memory.

    Returns
    -------
    ndarray
        A view: the dimensions of `x`, shortened, are those of the windows' places; those of the
        windows follow.

    Raises
    ------
    ValueError
        If a window is longer than its axis, or there is not a length for each axis.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.lib.stride_tricks.sliding_window_view(cp.arange(5), 3)
    array([[0, 1, 2],
           [1, 2, 3],
           [2, 3, 4]])
    """
    window = tuple(window_shape) if isinstance(window_shape, Iterable) else (window_shape,)
    window = tuple([operator.index(length) for length in window])
    x = array(x, copy=None)
    layout = x._layout
    if any(length < 0 for length in window):
        raise ValueError(f"`window_shape` cannot contain negative values, got {window}")
    if axis is None:
        axes = list(range(layout.ndim))
    else:
        given = axis if isinstance(axis, Iterable) else (axis,)
        axes = [check_axis(one, layout.ndim) for one in given]
    if len(window) != len(axes):
        raise ValueError(
            f"sliding_window_view: {len(window)} lengths of a window for {len(axes)} axes of an "
            f"array of shape {layout.shape}; pass one for each"
        )
    places = list(layout.shape)
    for one, length in zip(axes, window, strict=True):
        if places[one] < length:
            raise ValueError(
                f"window shape cannot be larger than input array shape: {window} along axes "
                f"{axes} of shape {layout.shape}"
            )
        places[one] -= length - 1
    target = _layout.layout_of(
        layout.dtype,
        (*places, *window),
        (*layout.strides, *[layout.strides[one] for one in axes]),
    )
    view = _array.view(x, target)
    return view if writeable else _array.lock(view)


class _Addresses:
    """Where a device array's elements are, for NumPy, which reads none of them."""

    def __init__(self, x: Any):
        layout = x._layout
        self.__array_interface__ = {
            "shape": layout.shape,
            "strides": layout.strides,
            "typestr": f"|V{layout.itemsize}",
            "data": (exposed_address_of(x), True),
            "version": 3,
        }


def _overlap(a: Any, b: Any, max_work: Any, exact: bool) -> bool:
    name = "shares_memory" if exact else "may_share_memory"
    if not isinstance(a, ArrayBase) and not isinstance(b, ArrayBase):
        # Host arrays, or lists, of which new arrays would be made.
        return (np.shares_memory if exact else np.may_share_memory)(a, b, max_work)
    if not isinstance(a, ArrayBase) or not isinstance(b, ArrayBase):
        other = b if isinstance(a, ArrayBase) else a
        if not hasattr(other, "__cuda_array_interface__"):
            return False
        a, b = as_array(a, name), as_array(b, name)
    if type(max_work) is int and not _array.overlap(a, b):
        return False
    if not exact and type(max_work) is int and max_work == 0:
        return True
    first, second = np.asarray(_Addresses(a)), np.asarray(_Addresses(b))
    if exact:
        return np.shares_memory(first, second, max_work)
    return np.may_share_memory(first, second, max_work)


def shares_memory(a: ArrayLike, b: ArrayLike, /, max_work: int | None = -1) -> bool:
    """Whether two arrays have a byte in common.

    Parameters
    ----------
    a, b : ndarray
        The arrays.
    max_work : int, optional
        How many solutions of the equation of the addresses are tried; -1 for as many as it takes,
        0 compares the ranges of addresses.

    Returns
    -------
    bool
        The answer, which is known on the host.

    Raises
    ------
    numpy.exceptions.TooHardError
        If `max_work` is exceeded.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.arange(6)
    >>> cp.shares_memory(x[::2], x[1::2]), cp.shares_memory(x[::2], x[::3])
    (False, True)
    """
    return _overlap(a, b, max_work, True)


def may_share_memory(a: ArrayLike, b: ArrayLike, /, max_work: int | None = 0) -> bool:
    """Whether the ranges of addresses of two arrays overlap.

    Parameters
    ----------
    a, b : ndarray
        The arrays.
    max_work : int, optional
        As for `shares_memory`; where it is exceeded, the answer is True.

    Returns
    -------
    bool
        Not always False where no byte is in common.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.arange(6)
    >>> cp.may_share_memory(x[::2], x[1::2]), cp.may_share_memory(x[:3], x[3:])
    (True, False)
    """
    return _overlap(a, b, max_work, False)


def byte_bounds(a: ArrayLike) -> tuple[int, int]:
    """The addresses of an array's first byte, and of the one behind its last.

    Parameters
    ----------
    a : ndarray
        The array.

    Returns
    -------
    low, high : int
        Addresses in device memory; elements in between may be of another array.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.arange(6, dtype="i4")
    >>> low, high = cp.lib.array_utils.byte_bounds(x[::-2])
    >>> high - low
    20
    """
    a = as_array(a, "byte_bounds")
    pointer, layout = address_of(a), a._layout
    return pointer + layout.low, pointer + layout.high
