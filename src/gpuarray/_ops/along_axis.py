"""Indexing routines: elements taken and put by indices along one axis."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _broadcasting, _layout
from gpuarray._arguments import check_axis
from gpuarray._array import ArrayBase
from gpuarray._config import config
from gpuarray._layout import Layout
from gpuarray._ops import advanced_indexing
from gpuarray._ops.casts import copyto
from gpuarray._ops.conversion import array
from gpuarray._ops.manipulation import as_array, in_one_dimension, reshape
from gpuarray._ops.stored_values import as_host_scalar, as_values
from gpuarray._ops.taking import NUMBERS, indices_on_host, keep_store
from gpuarray._runtime.current_stream import current
from gpuarray.kernels import gather
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["put_along_axis", "take_along_axis"]


def take_along_axis(arr: ArrayLike, indices: ArrayLike, axis: int | None = -1) -> ndarray:
    """Elements by indices along an axis, which differ from line to line.

    Parameters
    ----------
    arr : ndarray
        The array.
    indices : ndarray of integers
        Indices, of as many dimensions as ``arr``; the other axes broadcast.
    axis : int, optional
        The axis to take along, the last by default; None for the flattened array.

    Returns
    -------
    ndarray
        One launch. Indices out of bounds wrap around; on the emulator they raise IndexError.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.asarray([[10, 30, 20], [60, 40, 50]])
    >>> cp.take_along_axis(a, cp.argsort(a, axis=1), axis=1)
    array([[10, 20, 30],
           [40, 50, 60]])
    """
    key: Any = None
    if isinstance(arr, ArrayBase) and isinstance(indices, ArrayBase):
        if axis is None or type(axis) is int:
            key = (take_along_axis, arr._layout, indices._layout, axis)
            run = current.stream.plans.get(key)
            if run is not None:
                return run(arr, indices)
    given: Any = arr
    arr, found, base, read, where = _along_axis(arr, indices, axis, "take_along_axis")
    target = _layout.contiguous(arr._layout.dtype, base.shape)
    if not target.size:
        return _array.empty(target)
    run = gather.launch.transfer(target, base, arr._layout, [(read, *where)], False, new=True)
    if key is not None and arr._memory is given._memory and not config.debug:
        current.stream.keep_plan(key, run)
    return run(arr, found)


def put_along_axis(arr: ArrayLike, indices: ArrayLike, values: ArrayLike, axis: int | None) -> None:
    """Store values by indices along an axis, which differ from line to line.

    Parameters
    ----------
    arr : ndarray
        The array.
    indices : ndarray of integers
        Indices, of as many dimensions as ``arr``; the other axes broadcast.
    values : ndarray or scalar
        What is stored: broadcasts to the shape of the indices.
    axis : int
        The axis to store along; None for the flattened array.

    Notes
    -----
    One launch. Where indices repeat, any of the values may stay; those out of bounds wrap
    around, or raise IndexError on the emulator.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.asarray([[10, 30, 20], [60, 40, 50]])
    >>> cp.put_along_axis(a, cp.argmax(a, axis=1, keepdims=True), 99, axis=1)
    >>> a
    array([[10, 99, 20],
           [99, 40, 50]])
    """
    key: Any = None
    given: Any = indices
    new: Any = values
    number = isinstance(new, NUMBERS)
    if isinstance(arr, ArrayBase) and isinstance(given, ArrayBase) and type(axis) is int:
        if number:
            new = as_host_scalar(new, arr._layout.dtype, "put_along_axis")
        if number or isinstance(new, ArrayBase):
            stored = True if number else new._layout
            key = (put_along_axis, arr._layout, given._layout, stored, axis)
            run: Any = current.stream.plans.get(key)
            if run is not None and advanced_indexing.apart(arr, (given,), new):
                run(new, given, arr)
                return
    target = as_array(arr, "put_along_axis")
    _layout.check_writable(target._layout, "put_along_axis")
    arr, indices, base, read, where = _along_axis(target, indices, axis, "put_along_axis")
    if axis is None and arr._memory is not target._memory:
        put_along_axis(arr, indices, new, 0)
        copyto(target, reshape(arr, target._layout.shape))
        return
    if _array.overlap(indices, arr):
        indices = copies.copy(indices)
        read = _broadcasting.broadcast_to(indices._layout, base.shape)
    dtype = arr._layout.dtype
    if number:
        if base.size:
            run = gather.launch.transfer(dtype, base, arr._layout, [(read, *where)], True)
            run(as_host_scalar(new, dtype, "put_along_axis"), indices, arr)
            keep_store(key, run, (arr, arr), (given, indices))
        return
    if isinstance(new, np.ndarray) and new.ndim:
        new = array(new)
    used = as_values(new, "put_along_axis", dtype)
    if used._layout.dtype is not dtype or _array.overlap(used, arr):
        used = copies.copy(used, "K", dtype)
    spread = _broadcasting.broadcast_to(used._layout, base.shape)
    if base.size:
        run = gather.launch.transfer(spread, base, arr._layout, [(read, *where)], True)
        run(used, indices, arr)
        if isinstance(new, ArrayBase):
            keep_store(key, run, (arr, arr), (given, indices), (new, used))


def _along_axis(
    arr: Any, indices: Any, axis: int | None, name: str
) -> tuple[ndarray, ndarray, Layout, Layout, tuple[int, int]]:
    """The array and indices, both as read in the result's shape; length and stride of the axis."""
    arr = as_array(arr, name)
    host = None if isinstance(indices, ArrayBase) else indices_on_host(indices)
    if host is None:
        indices = as_array(indices, name)
    elif host.dtype.kind not in "iu":
        raise IndexError(
            f"{name}: indices are no integers; convert them, for example by astype(int)"
        )
    else:
        indices = array(host.astype(host.dtype.newbyteorder("="), copy=False))
    if axis is None:
        if indices._layout.ndim != 1:
            raise ValueError(
                f"{name}: axis=None takes indices of one dimension, "
                f"not {indices._layout.ndim}; ravel them"
            )
        arr, axis = in_one_dimension(arr), 0
    layout, given = arr._layout, indices._layout
    axis = check_axis(axis, layout.ndim)
    if given.dtype.kind not in "iu":
        raise IndexError(
            f"{name}: indices are no integers; convert them, for example by astype(int)"
        )
    if given.ndim != layout.ndim:
        raise ValueError(
            f"{name}: indices have {given.ndim} dimensions, the array {layout.ndim}; give as many"
        )
    one = layout.shape[:axis] + (1,) + layout.shape[axis + 1 :]
    try:
        shape = _broadcasting.broadcast_shapes([one, given.shape])
    except ValueError:
        raise IndexError(
            "shape mismatch: indexing arrays could not be broadcast together with shapes "
            f"{one} {given.shape}"
        ) from None
    length, stride = layout.shape[axis], layout.strides[axis]
    if length == 0 and math.prod(shape):
        raise IndexError(f"index is out of bounds for axis {axis} with size 0")
    if host is not None:
        advanced_indexing.check_host(host, length, axis)
    elif config.debug:
        advanced_indexing.check_bounds(indices, length, axis)
    strides = layout.strides[:axis] + (0,) + layout.strides[axis + 1 :]
    whole = _layout.layout_of(layout.dtype, one, strides, layout.access)
    base = _broadcasting.broadcast_to(whole, shape)
    return arr, indices, base, _broadcasting.broadcast_to(given, shape), (length, stride)
