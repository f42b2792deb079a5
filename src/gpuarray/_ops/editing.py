"""Array manipulation routines: adding and removing elements."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _array, _broadcasting, _layout
from gpuarray._arguments import check_axis
from gpuarray._array import ArrayBase
from gpuarray._layout import Layout
from gpuarray._ops.conversion import array, asarray
from gpuarray._ops.creation import empty, ones, zeros
from gpuarray._ops.dimensions import broadcast_to
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.indexing import compress
from gpuarray._ops.joining import concatenate, stack
from gpuarray._ops.logic import logical_not
from gpuarray._ops.manipulation import as_array, in_one_dimension
from gpuarray._ops.nonzero import flatnonzero
from gpuarray._ops.ranges import arange
from gpuarray._ops.searching import argmax, searchsorted
from gpuarray._ops.sorting import argsort
from gpuarray._ops.subscripts import getitem, setitem
from gpuarray._ops.transposing import moveaxis
from gpuarray._ops.truth import any as any_true
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import remap
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.remap.launch import Rule

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["append", "delete", "insert", "resize", "trim_zeros"]


def append(arr: ArrayLike, values: ArrayLike, axis: int | None = None) -> ndarray:
    """An array with values joined to its end.

    Parameters
    ----------
    arr : ndarray
        The array.
    values : array_like
        What follows it, of the same shape but for the axis.
    axis : int, optional
        The axis; by default both are flattened.

    Returns
    -------
    ndarray
        A new array, of the dtype that both promote to.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.append(cp.arange(3), [7, 8])
    array([0, 1, 2, 7, 8])
    """
    arr, values = as_array(arr, "append"), as_array(values, "append")
    if axis is None:
        arr, values, axis = in_one_dimension(arr), in_one_dimension(values), 0
    return concatenate((arr, values), axis)


def resize(a: ArrayLike, new_shape: int | Sequence[int]) -> ndarray:
    """An array of another shape, filled with repeated copies of an array.

    Parameters
    ----------
    a : ndarray
        Its elements are taken in C order, and again from the first after the last.
    new_shape : int or tuple of int
        The shape.

    Returns
    -------
    ndarray
        A new array; zeros if `a` has no elements.

    Raises
    ------
    ValueError
        If a length is negative.

    Notes
    -----
    One launch where `a` is gapless.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.resize(cp.arange(3), (2, 4))
    array([[0, 1, 2, 0],
           [1, 2, 0, 1]])
    """
    a = as_array(a, "resize")
    shape = _arguments.as_lengths(new_shape)
    if any(length < 0 for length in shape):
        raise ValueError(f"resize: all elements of `new_shape` must be non-negative, got {shape}")
    if not a.size or not all(shape):
        return zeros(shape, a.dtype)
    a = in_one_dimension(a)
    run, starts = _plan_resize(current.stream, a._layout, shape)
    return run(a, *starts)


@planned
def _plan_resize(stream: Stream, layout: Layout, shape: tuple[int, ...]) -> Any:
    result = _layout.contiguous(layout.dtype, shape)
    flat = _layout.contiguous(layout.dtype, (result.size,))
    run, moved = remap.launch.make_call("resize", layout, flat, [Rule("wrap")], 0, stream, result)
    return run, (0,) * len(moved)


def _order(layout: Layout) -> str:
    return "F" if layout.f_contiguous and not layout.c_contiguous else "C"


def _along(arr: Any, axis: int | None) -> tuple[Any, int]:
    """The array and the axis that is edited; of the flattened array for None."""
    if axis is None:
        return in_one_dimension(arr), 0
    return arr, check_axis(axis, arr._layout.ndim)


def delete(arr: ArrayLike, obj: Any, axis: int | None = None) -> ndarray:
    """An array without some of its elements along an axis.

    Parameters
    ----------
    arr : ndarray
        The array.
    obj : int, slice, array_like of int, or array_like of bool
        Which indices along the axis are left out; a mask has one element for each of them.
    axis : int, optional
        The axis; by default the array is flattened.

    Returns
    -------
    ndarray
        A new array.

    Raises
    ------
    IndexError
        If an index on the host is out of bounds.
    ValueError
        If a mask has another length.

    Differences from NumPy
    ----------------------
    Indices on the device are not checked: see indexing. Without the elements of a list or mask, the
    result lies in memory as the array does or in C order; NumPy puts the axis first there.

    Notes
    -----
    One launch for an integer or a slice. An array on the device is waited for, since the shape of
    the result depends on it.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.delete(cp.arange(5), 1)
    array([0, 2, 3, 4])
    >>> cp.delete(cp.arange(6).reshape(2, 3), slice(None, None, 2), axis=1)
    array([[1],
           [4]])
    """
    x: Any
    x, axis = _along(as_array(arr, "delete"), axis)
    layout = x._layout
    length = layout.shape[axis]
    if isinstance(obj, slice):
        return _without_range(x, axis, range(*obj.indices(length)))
    if isinstance(obj, int | np.integer) and not isinstance(obj, bool):
        return _without_one(x, axis, int(obj))
    if isinstance(obj, ArrayBase):
        mask: Any = obj
        if mask.dtype == bool:
            _check_mask(mask.shape, length)
            return compress(logical_not(mask), x, axis)
        keep = ones(length, bool)
        setitem(keep, (mask,), False)
        return compress(keep, x, axis)
    host = np.asarray(obj)
    if not host.size and not isinstance(obj, np.ndarray):
        host = host.astype(np.intp)
    if host.size == 1 and host.dtype.kind in "iu":
        return _without_one(x, axis, int(host.reshape(-1)[0]))
    if host.dtype == bool:
        _check_mask(host.shape, length)
        return compress(asarray(~host), x, axis)
    return _without_some(x, axis, host)


#: Pieces of an array that are copied one by one, where more are gathered.
_MOST_PIECES = 16


def _without_some(x: Any, axis: int, indices: np.ndarray) -> Any:
    """The array without the elements at indices on the host, which are checked."""
    length = x._layout.shape[axis]
    if indices.dtype.kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    wrong = indices[(indices < -length) | (indices >= length)]
    if wrong.size:
        raise IndexError(f"index {wrong[0]} is out of bounds for axis {axis} with size {length}")
    left_out = np.unique(np.where(indices < 0, indices + length, indices)).astype(np.int64)
    lead = (slice(None),) * axis
    if left_out.size < _MOST_PIECES:
        ends = [-1, *left_out.tolist(), length]
        parts = [getitem(x, (*lead, slice(a + 1, b))) for a, b in pairwise(ends)]
        return concatenate(parts, axis)
    # What is kept lies behind so many that are left out as lie at or before it then.
    numbers = arange(length - left_out.size)
    before = asarray(left_out - np.arange(left_out.size))
    numbers += searchsorted(before, numbers, side="right")
    return getitem(x, (*lead, numbers))


def _check_mask(shape: tuple[int, ...], length: int) -> None:
    if shape != (length,):
        raise ValueError(
            "delete: boolean array argument obj to delete must be one dimensional and match the "
            f"axis length of {length}, got shape {shape}"
        )


def _without_one(arr: Any, axis: int, index: int) -> Any:
    length = arr._layout.shape[axis]
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {length}")
    return _without_range(arr, axis, range(index % length, index % length + 1))


def _without_range(arr: Any, axis: int, left_out: range) -> Any:
    layout = arr._layout
    if not left_out:
        return copies.copy(arr, _order(layout))
    if left_out.step < 0:
        left_out = left_out[::-1]
    count = len(left_out)
    gap = left_out.step - 1 if count > 1 else 0
    run, moved = _plan_deletion(current.stream, layout, axis, count, gap)
    return run(arr, *[left_out.start * unit for _, unit in moved])


@planned
def _plan_deletion(stream: Stream, layout: Layout, axis: int, count: int, gap: int) -> Any:
    shape = list(layout.shape)
    shape[axis] -= count
    target = _layout.contiguous(layout.dtype, tuple(shape), _order(layout))
    if not target.size:
        return (lambda arr, *starts: _array.empty(target)), ()
    rules = [Rule("copy")] * layout.ndim
    rules[axis] = Rule("skip", 0, count, gap)
    return remap.launch.make_call("delete", layout, target, rules, 0, stream)


def insert(arr: ArrayLike, obj: Any, values: ArrayLike, axis: int | None = None) -> ndarray:
    """An array with values put between its elements along an axis.

    Parameters
    ----------
    arr : ndarray
        The array.
    obj : int, slice, array_like of int, or array_like of bool
        Before which indices of `arr` values are put; a mask stands for the indices of its true
        elements.
    values : array_like
        The values, which broadcast to what is put in and are cast to the dtype of `arr`.
    axis : int, optional
        The axis; by default the array is flattened.

    Returns
    -------
    ndarray
        A new array.

    Raises
    ------
    IndexError
        If an index on the host is out of bounds.

    Differences from NumPy
    ----------------------
    Indices on the device are not checked: see indexing.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.insert(cp.arange(4), 2, 9)
    array([0, 1, 9, 2, 3])
    >>> cp.insert(cp.ones((2, 2)), [0, 2], 5, axis=1)
    array([[5., 1., 1., 5.],
           [5., 1., 1., 5.]])
    """
    x: Any
    x, axis = _along(as_array(arr, "insert"), axis)
    layout = x._layout
    length = layout.shape[axis]
    if isinstance(obj, ArrayBase) and obj._layout.size != 1:
        return _insert_by_array(x, obj, values, axis)
    host = _host_indices(obj, length)
    if host.size == 1:
        return _insert_at(x, int(host.reshape(-1)[0]), not host.ndim, values, axis)
    wrong = host[(host < -length) | (host > length)]
    if wrong.size:
        raise IndexError(f"index {wrong[0]} is out of bounds for axis {axis} with size {length}")
    host = np.where(host < 0, host + length, host)
    places = np.empty(host.size, np.intp)
    order = host.argsort(kind="stable")
    places[order] = host[order] + np.arange(host.size)
    result = _longer(x, axis, host.size)
    lead = (slice(None),) * axis
    if not host.size:
        copies.assign(result, x)
        return result
    setitem(result, (*lead, asarray(places)), _cast(values, layout))
    if host.size < _MOST_PIECES:
        ends = [0, *host[order].tolist(), length]
        for number, (start, stop) in enumerate(pairwise(ends)):
            if start < stop:
                part = getitem(result, (*lead, slice(start + number, stop + number)))
                copies.assign(part, getitem(x, (*lead, slice(start, stop))))
        return result
    # Elements are moved by as many as are put before them.
    numbers = arange(length)
    numbers += searchsorted(asarray(host[order]), numbers, side="right")
    setitem(result, (*lead, numbers), x)
    return result


def _host_indices(obj: Any, length: int) -> np.ndarray:
    """What indices on the host stand for, at most one of them on the device."""
    if isinstance(obj, slice):
        return np.arange(*obj.indices(length))
    host = asnumpy(obj) if isinstance(obj, ArrayBase) else np.asarray(obj)
    if host.dtype == bool:
        if host.ndim != 1:
            raise ValueError("insert: boolean array argument obj to insert must be one dimensional")
        return np.flatnonzero(host)
    if host.ndim > 1:
        raise ValueError(
            "insert: index array argument obj to insert must be one dimensional or scalar, got "
            f"shape {host.shape}"
        )
    if not host.size:
        host = host.astype(np.intp)
    if host.dtype.kind not in "iu":
        raise IndexError(f"insert: indices must be integers, got {obj!r}")
    return host.astype(np.intp)


def _cast(values: Any, layout: Layout) -> Any:
    return array(values, layout.dtype, copy=None)


def _longer(arr: Any, axis: int, count: int) -> Any:
    """An array like another with more elements along an axis, which are not set."""
    layout = arr._layout
    shape = list(layout.shape)
    shape[axis] += count
    return empty(tuple(shape), layout.dtype, _order(layout))


def _insert_at(arr: Any, index: int, moved: bool, values: Any, axis: int) -> Any:
    """Insert before one index; for a number, the values' first axis is the one that is edited."""
    layout = arr._layout
    length = layout.shape[axis]
    if not -length <= index <= length:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {length}")
    if index < 0:
        index += length
    values = array(values, layout.dtype, copy=None, ndmin=layout.ndim)
    if moved:
        values = moveaxis(values, 0, axis)
    count = values._layout.shape[axis]
    shape = (*layout.shape[:axis], count, *layout.shape[axis + 1 :])
    if values._layout.ndim > layout.ndim or not _broadcasting.broadcasts_to(
        values._layout.shape, shape
    ):
        raise ValueError(
            f"insert: could not broadcast input array from shape {values._layout.shape} into "
            f"shape {shape}"
        )
    lead = (slice(None),) * axis
    before, behind = getitem(arr, (*lead, slice(index))), getitem(arr, (*lead, slice(index, None)))
    parts = (before, broadcast_to(values, shape), behind)
    if _order(layout) == "C" and layout.c_contiguous:
        return concatenate(parts, axis)
    result = _longer(arr, axis, count)
    return concatenate(parts, axis, out=result)


def _insert_by_array(arr: Any, obj: Any, values: Any, axis: int) -> Any:
    """Insert before indices on the device."""
    layout = arr._layout
    length = layout.shape[axis]
    if obj.dtype == bool:
        if obj.ndim != 1:
            raise ValueError("insert: boolean array argument obj to insert must be one dimensional")
        obj = flatnonzero(obj)
        if obj.size == 1:
            return _insert_at(arr, obj.item(), False, values, axis)
    if obj.ndim > 1:
        raise ValueError(
            "insert: index array argument obj to insert must be one dimensional or scalar, got "
            f"shape {obj.shape}"
        )
    if obj.dtype.kind not in "iu":
        raise IndexError(f"insert: indices must be integers, got an array of {obj.dtype}")
    places = obj.astype(np.intp)
    places = places + length * (places < 0)
    order = argsort(places, stable=True)
    moved = getitem(places, (order,)) + arange(places.size)
    setitem(places, (order,), moved)
    result = _longer(arr, axis, places.size)
    old = ones(result.shape[axis], bool)
    setitem(old, (places,), False)
    lead = (slice(None),) * axis
    setitem(result, (*lead, places), _cast(values, layout))
    setitem(result, (*lead, flatnonzero(old)), arr)
    return result


def trim_zeros(filt: ArrayLike, trim: str = "fb", axis: int | Sequence[int] | None = None) -> Any:
    """An array without the zeros at its ends.

    Parameters
    ----------
    filt : ndarray, or sequence of numbers
        The array.
    trim : {'fb', 'f', 'b'}, optional
        Whether zeros are left out at the front, at the back, or both.
    axis : int or sequence of int, optional
        Along which axes; all by default.

    Returns
    -------
    ndarray, or sequence
        A view; of a list or tuple one of the same type.

    Raises
    ------
    TypeError
        If `trim` is no text.
    ValueError
        If it has other letters than f and b.

    Notes
    -----
    It waits for the device, since the shape of the result depends on the elements.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.trim_zeros(cp.array([0, 0, 1, 0, 2, 0]))
    array([1, 0, 2])
    """
    if not isinstance(filt, ArrayBase) and isinstance(filt, list | tuple):
        return np.trim_zeros(filt, trim, axis)  # type: ignore[arg-type]  # NumPy refuses other letters
    x = as_array(filt, "trim_zeros")
    if not isinstance(trim, str):
        raise TypeError(f"trim_zeros: trim must be a str such as 'fb', got {trim!r}")
    ends = trim.lower()
    if ends not in ("fb", "bf", "f", "b"):
        raise ValueError(f"trim_zeros: trim is {trim!r}; give 'f' (front), 'b' (back) or 'fb'")
    axes = _arguments.check_axes(axis, x.ndim)
    if not axes:
        return x
    if not x.size:
        return getitem(x, tuple([slice(0) if i in axes else slice(None) for i in range(x.ndim)]))
    mask = x if x.dtype == bool else copies.copy(x, "K", np.dtype(bool))
    bounds = []
    for one in axes:
        others = tuple([i for i in range(x.ndim) if i != one])
        line = any_true(mask, others) if others else mask
        backwards = getitem(line, slice(None, None, -1))
        bounds += [argmax(line), argmax(backwards), any_true(line).astype(np.intp)]
    found = asnumpy(stack(bounds)).tolist()
    slices = [slice(None)] * x.ndim
    for k, one in enumerate(axes):
        first, last, some = found[3 * k : 3 * k + 3]
        if not some:
            slices[one] = slice(0)
            continue
        front = first if "f" in ends else None
        slices[one] = slice(front, x.shape[one] - last if "b" in ends else None)
    return getitem(x, tuple(slices))
