"""Indexing routines: elements by index arrays or conditions."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _layout
from gpuarray._array import ArrayBase
from gpuarray._integers import shortened
from gpuarray._layout import Layout, check_axis
from gpuarray._ops.casts import copyto, store_result
from gpuarray._ops.conversion import as_values, asarray
from gpuarray._ops.creation import zeros
from gpuarray._ops.manipulation import along_axis, as_array, in_one_dimension, reshape
from gpuarray._ops.math import remainder
from gpuarray._ops.selection import clip
from gpuarray._ops.subscripts import getitem, kept_call
from gpuarray._runtime.device import current
from gpuarray.errors import HostArrayError
from gpuarray.kernels import gather
from gpuarray.kernels import mask as mask_kernels
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = [
    "compress", "diag", "diagonal", "extract", "put_along_axis", "take", "take_along_axis",
]  # fmt: skip


def take(
    a: ArrayLike,
    indices: ArrayLike,
    axis: int | None = None,
    out: ndarray | None = None,
    mode: str = "raise",
) -> ndarray:
    """Elements by their indices along an axis.

    Parameters
    ----------
    a : ndarray
        The array.
    indices : ndarray, int or list of int
        Indices.
    axis : int, optional
        The axis; by default indices are of the flattened array.
    out : ndarray, optional
        Where results are stored.
    mode : {'raise', 'wrap', 'clip'}, optional
        What becomes of indices out of bounds.

    Returns
    -------
    ndarray
        With the dimensions of `indices` in place of the axis.

    Differences from NumPy
    ----------------------
    Indices in device memory cannot raise on a GPU: with ``mode='raise'`` they wrap around. They do
    raise IndexError on the emulator.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.take(cp.arange(10, 20), cp.array([0, 3]))
    array([10, 13])
    """
    key: Any = None
    if mode == "raise" and isinstance(a, ArrayBase) and isinstance(indices, ArrayBase):
        if axis is None or type(axis) is int:
            key = (take, a._layout, indices._layout, axis)
            run: Any = current.stream.plans.get(key)
            if run is not None:
                return store_result(run(a, indices), out, "take", "unsafe")
    a = as_array(a, "take")
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    lines, axis = along_axis(a, axis)
    found = _indices_to_take(indices, axis, lines.shape[axis], mode)
    index: Any = (*(slice(None),) * axis, found) if axis else found
    result = getitem(lines, index)
    if key is not None and found is indices and lines._memory is a._memory:
        run = kept_call(lines, index)  # it reads no more of the array than the address
        if run is not None:
            current.stream.keep_plan(key, run)
    return store_result(result, out, "take", "unsafe")


def _indices_to_take(indices: Any, axis: int, length: int, mode: str) -> ndarray:
    """Integers in device memory; what comes from the host is checked, wrapped or clipped there."""
    if not isinstance(indices, ArrayBase):
        host = _on_host(indices)
        if host is not None:
            return asarray(_checked_on_host(host, axis, length, mode))
        indices = as_array(indices, "take")
    layout = indices._layout
    kind = layout.dtype.kind
    if kind not in "biu":
        raise TypeError(
            f"take: Cannot cast array data from {layout.dtype!r} to {np.dtype(np.int64)!r} "
            "according to the rule 'same_kind'; indices are integers"
        )
    if not length:
        _check_not_empty(length, layout.size)
    if kind == "b" or (mode != "raise" and layout.dtype != np.int64):
        indices = copies.copy(indices, dtype=np.dtype(np.int64))
    if mode != "raise" and layout.size:
        return remainder(indices, length) if mode == "wrap" else clip(indices, 0, length - 1)
    return indices


def _on_host(indices: Any) -> np.ndarray | None:
    """Numbers and nested sequences of them as an array of the host; None for other operands."""
    if hasattr(indices, "__cuda_array_interface__") or isinstance(indices, np.ndarray):
        return None
    try:
        return np.asarray(indices, np.int64)
    except HostArrayError:  # device arrays among the items
        return None


def _checked_on_host(host: np.ndarray, axis: int, length: int, mode: str) -> np.ndarray:
    """Indices that are within bounds, or that the mode brings there."""
    _check_not_empty(length, host.size)
    if mode != "raise":
        if not host.size:
            return host
        return host % length if mode == "wrap" else np.clip(host, 0, length - 1)
    wrong = host[(host < -length) | (host >= length)]
    if wrong.size:
        raise IndexError(
            f"take: index {wrong.flat[0]} is out of bounds for axis {axis} with size {length}"
        )
    return host


def _check_not_empty(length: int, count: int) -> None:
    if length == 0 and count:
        raise IndexError("take: cannot do a non-empty take from an empty axes.")


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
    arr, indices, base, read, where = _along_axis(arr, indices, axis, "take_along_axis")
    target = _layout.contiguous(arr._layout.dtype, base.shape)
    if not target.size:
        return _array.empty(target)
    run = gather.launch.transfer(target, base, arr._layout, [(read, *where)], False, new=True)
    return run(_array.view(arr, base), indices)


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
    target = as_array(arr, "put_along_axis")
    _layout.check_writable(target._layout, "put_along_axis")
    arr, indices, base, read, where = _along_axis(target, indices, axis, "put_along_axis")
    if axis is None and arr._memory is not target._memory:
        put_along_axis(arr, indices, values, 0)
        copyto(target, reshape(arr, target._layout.shape))
        return
    if _array.overlap(indices, arr):
        indices = copies.copy(indices)
        read = _layout.broadcast_to(indices._layout, base.shape)
    dtype = arr._layout.dtype
    values = as_values(values, "put_along_axis", dtype)
    if values._layout.dtype is not dtype or _array.overlap(values, arr):
        values = copies.copy(values, "K", dtype)
    spread = _layout.broadcast_to(values._layout, base.shape)
    if base.size:
        run = gather.launch.transfer(spread, base, arr._layout, [(read, *where)], True)
        run(_array.view(values, spread), indices, _array.view(arr, base))


def _along_axis(
    arr: Any, indices: Any, axis: int | None, name: str
) -> tuple[ndarray, ndarray, Layout, Layout, tuple[int, int]]:
    """The array and indices, both as read in the result's shape; length and stride of the axis."""
    arr, indices = as_array(arr, name), as_array(indices, name)
    if axis is None:
        if indices._layout.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        arr, axis = in_one_dimension(arr), 0
    layout, given = arr._layout, indices._layout
    axis = check_axis(axis, layout.ndim)
    if given.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if given.ndim != layout.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    one = layout.shape[:axis] + (1,) + layout.shape[axis + 1 :]
    try:
        shape = _layout.broadcast_shapes([one, given.shape])
    except ValueError:
        raise IndexError(
            "shape mismatch: indexing arrays could not be broadcast together with shapes "
            f"{one} {given.shape}"
        ) from None
    length, stride = layout.shape[axis], layout.strides[axis]
    if length == 0 and math.prod(shape):
        raise IndexError(f"index is out of bounds for axis {axis} with size 0")
    strides = layout.strides[:axis] + (0,) + layout.strides[axis + 1 :]
    base = _layout.broadcast_to(_layout.layout_of(layout.dtype, one, strides), shape)
    return arr, indices, base, _layout.broadcast_to(given, shape), (length, stride)


def compress(
    condition: ArrayLike, a: ArrayLike, axis: int | None = None, out: ndarray | None = None
) -> ndarray:
    """The parts of an array along an axis for which a condition is true.

    Parameters
    ----------
    condition : ndarray or list of bool, 1-D
        Without a true element behind the end of the axis.
    a : ndarray
        The array.
    axis : int, optional
        The axis; by default that of the flattened array.
    out : ndarray, optional
        Where results are stored.

    Returns
    -------
    ndarray
        The chosen parts.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.compress([True, False, True], cp.arange(3))
    array([0, 2])
    """
    a = as_array(a, "compress")
    condition = as_array(condition, "compress")
    if condition.ndim != 1:
        raise ValueError(f"condition must be a 1-d array, got {condition.ndim} dimensions")
    a, axis = along_axis(a, axis)
    return store_result(_chosen(a, condition, axis, "compress"), out, "compress", "unsafe")


def _chosen(a: Any, condition: Any, axis: int, name: str) -> Any:
    """The parts along an axis for which a condition is true."""
    length = a._layout.shape[axis]
    if condition.size > length:
        beyond = mask_kernels.launch.flat_nonzero(condition[length:])
        if beyond.size:
            raise IndexError(
                f"{name}: index {length + int(beyond[0])} is out of bounds for axis {axis} with "
                f"size {length}"
            )
        condition = condition[:length]
    if a.ndim == 1 and condition.dtype == bool:
        return mask_kernels.launch.compress(a[: condition.size], condition)
    return getitem(a, (*(slice(None),) * axis, mask_kernels.launch.flat_nonzero(condition)))


def extract(condition: ArrayLike, arr: ArrayLike) -> ndarray:
    """The elements of an array for which a condition is true.

    Parameters
    ----------
    condition : ndarray
        Without a true element behind the array's size.
    arr : ndarray
        The array.

    Returns
    -------
    ndarray, 1-D
        The elements in C order.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.arange(5)
    >>> cp.extract(x > 2, x)
    array([3, 4])
    """
    condition = in_one_dimension(as_array(condition, "extract"))
    return _chosen(in_one_dimension(as_array(arr, "extract")), condition, 0, "extract")


def diagonal(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> ndarray:
    """A read-only view of a diagonal.

    Parameters
    ----------
    a : ndarray
        Of at least two dimensions.
    offset : int, optional
        How far above the main diagonal.
    axis1, axis2 : int, optional
        The axes of the matrices.

    Returns
    -------
    ndarray
        A read-only view; the diagonal is the last dimension.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.diagonal(cp.arange(9).reshape(3, 3))
    array([0, 4, 8])
    """
    kept = _array.kept_view(a, diagonal, (offset, axis1, axis2))
    if kept is not None:
        return kept
    a = as_array(a, "diagonal")
    result = _array.lock(_diagonal(a, offset, axis1, axis2))
    return _array.keep_view(a, result, diagonal, (offset, axis1, axis2))


def _diagonal(a: ndarray, offset: int, axis1: int = 0, axis2: int = 1) -> ndarray:
    """A view of a diagonal."""
    layout = a._layout
    if layout.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    rows, columns = check_axis(axis1, layout.ndim, "axis1"), check_axis(axis2, layout.ndim, "axis2")
    if rows == columns:
        raise ValueError("axis1 and axis2 cannot be the same")
    offset = operator.index(offset)
    if abs(offset) > _layout.INT32_MAX:
        raise OverflowError(f"diagonal: the offset {shortened(offset)} is too large")
    down, right = layout.strides[rows], layout.strides[columns]
    height, width = layout.shape[rows] + min(offset, 0), layout.shape[columns] - max(offset, 0)
    length = max(min(height, width), 0)
    start = (offset * right if offset > 0 else -offset * down) if length else 0
    kept = [i for i in range(layout.ndim) if i not in (rows, columns)]
    target = _layout.layout_of(
        layout.dtype,
        tuple([layout.shape[i] for i in kept]) + (length,),
        tuple([layout.strides[i] for i in kept]) + (down + right,),
    )
    return _array.view(a, target, start)


def diag(v: ArrayLike, k: int = 0) -> ndarray:
    """A diagonal of a matrix, or the matrix with a given diagonal.

    Parameters
    ----------
    v : ndarray, 1-D or 2-D
        A matrix, or a diagonal.
    k : int, optional
        How far above the main diagonal.

    Returns
    -------
    ndarray
        A read-only view of the diagonal, or a new matrix.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.diag(cp.array([1, 2]))
    array([[1, 0],
           [0, 2]])
    """
    v = as_array(v, "diag")
    if v.ndim == 2:
        return diagonal(v, k)
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    side = v.size + abs(k)
    result = zeros((side, side), v.dtype)
    _diagonal(result, k)[...] = v
    return result
