"""Indexing routines: elements of an array that are changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _layout
from gpuarray._array import ArrayBase
from gpuarray._ops.conversion import array, uploaded
from gpuarray._ops.creation import fill
from gpuarray._ops.manipulation import as_array, in_one_dimension, reshape
from gpuarray._ops.ranges import arange
from gpuarray._ops.stored_values import as_host_scalar
from gpuarray._ops.taking import put, stored_values
from gpuarray.kernels import mask as mask_kernels
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["fill_diagonal", "place", "putmask"]

#: Python's numbers (a bool is an int) and NumPy's.
_NUMBERS = (int, float, complex, np.generic)
_BOOL = np.dtype(bool)


def place(arr: ndarray, mask: ArrayLike, vals: ArrayLike) -> None:
    """Store values, one after the other, where a mask is true.

    Parameters
    ----------
    arr : ndarray
        The array, which is changed.
    mask : array_like
        As many elements as the array has, for their truth.
    vals : array_like
        The values, which are repeated if there are fewer than true elements.

    Raises
    ------
    ValueError
        If the mask has another size, or there are no values for true elements.

    Notes
    -----
    Waits for the device, unless there is one value.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.arange(6)
    >>> cp.place(x, x > 2, [44, 55])
    >>> x
    array([ 0,  1,  2, 44, 55, 44])
    """
    if not isinstance(arr, ArrayBase):
        raise TypeError(f"place: argument 1 must be a gpuarray array, not {type(arr).__name__}")
    layout = arr._layout
    _layout.check_writable(layout, "place")
    chosen = _mask(mask, "place", layout)
    values = stored_values(vals, "place", arr)
    given = values._layout.size
    if given == 1:
        copies.assign_where(arr, reshape(values, ()), chosen)
        return
    if _array.overlap(chosen, arr):
        chosen = copies.copy(chosen)
    counted = mask_kernels.launch.count(chosen, keep=True)
    if not counted.total:
        return
    if not given:
        raise ValueError("place: Cannot insert from an empty array!")
    if given < counted.total:
        values = repeated(values, counted.total)
    mask_kernels.launch.place_counted(arr, counted, values[: counted.total])


def _mask(mask: Any, name: str, layout: Any) -> ndarray:
    """A mask of bools in the shape of the array that it is for."""
    if not isinstance(mask, ArrayBase) and not hasattr(mask, "__cuda_array_interface__"):
        mask = array(np.asarray(mask).astype(bool))
    found = as_array(mask, name)
    if found._layout.size != layout.size:
        raise ValueError(f"{name}: mask and data must be the same size, got {found._layout.size} "
                         f"and {layout.size} elements")  # fmt: skip
    if found._layout.dtype != bool:
        found = copies.copy(found, dtype=_BOOL)
    return reshape(found, layout.shape)


def repeated(values: Any, count: int) -> ndarray:
    """One dimension of values, over and over, up to a number of elements."""
    layout = values._layout
    rounds = -(-count // layout.size)
    result = _array.empty(_layout.contiguous(layout.dtype, (rounds, layout.size)))
    copies.assign(result, values)
    return in_one_dimension(result)[:count]


def putmask(a: ndarray, mask: ArrayLike, values: ArrayLike) -> None:
    """Store the values that belong to the elements for which a mask is true.

    Parameters
    ----------
    a : ndarray
        The array, which is changed.
    mask : array_like
        As many elements as the array has, for their truth.
    values : array_like
        A value for each element of the array, which are repeated if there are fewer.

    Raises
    ------
    ValueError
        If the mask has another size.

    Notes
    -----
    One launch, or two where values are repeated a number of times that is not whole.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.arange(6)
    >>> cp.putmask(x, x > 2, x**2)
    >>> x
    array([ 0,  1,  2,  9, 16, 25])
    """
    if not isinstance(a, ArrayBase):
        raise TypeError("putmask: first argument must be an array, got " + type(a).__name__)
    layout = a._layout
    chosen = _mask(mask, "putmask", layout)
    _layout.check_writable(layout, "putmask")
    if isinstance(values, _NUMBERS):
        copies.assign_where(a, as_host_scalar(values, layout.dtype, "putmask"), chosen)
        return
    found = uploaded(values) if isinstance(values, np.ndarray) else as_array(values, "putmask")
    given = found._layout.size
    if not given or not layout.size:
        return
    if given == layout.size:
        found = reshape(found, layout.shape)
    elif given == 1:
        found = reshape(found, ())
    elif layout.ndim and given == layout.shape[-1]:
        found = in_one_dimension(found)
    else:
        found = reshape(repeated(in_one_dimension(found), layout.size), layout.shape)
    copies.assign_where(a, found, chosen)


def fill_diagonal(a: ndarray, val: ArrayLike, wrap: bool = False) -> None:
    """Store values on the main diagonal.

    Parameters
    ----------
    a : ndarray
        The array, which is changed: of at least two dimensions, and of equal sides if of more.
    val : array_like
        A value, or several that are repeated if there are fewer than elements.
    wrap : bool, optional
        Whether the diagonal of a matrix with more rows than columns begins anew below its end.

    Raises
    ------
    ValueError
        If the array has less than two dimensions, or more than two of different lengths.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.zeros((3, 3), int)
    >>> cp.fill_diagonal(a, 5)
    >>> a
    array([[5, 0, 0],
           [0, 5, 0],
           [0, 0, 5]])
    """
    a_layout = as_array(a, "fill_diagonal")._layout
    if a_layout.ndim < 2:
        raise ValueError(
            f"fill_diagonal: an array of shape {a_layout.shape}; give two dimensions or more"
        )
    if a_layout.ndim > 2 and len(set(a_layout.shape)) > 1:
        raise ValueError(
            f"fill_diagonal: an array of shape {a_layout.shape}; its axes need one length"
        )
    _layout.check_writable(a_layout, "fill_diagonal")
    rows, columns = a_layout.shape[0], a_layout.shape[1]
    if wrap and a_layout.ndim == 2 and rows > columns + 1 and a_layout.size:
        flat = _layout.reshape_view(a_layout, (a_layout.size,))
        if flat is None:
            put(a, arange(0, a_layout.size, columns + 1), val)
            return
        step = flat.strides[0] * (columns + 1)
        count = -(-a_layout.size // (columns + 1))
    else:
        step, count = sum(a_layout.strides), min(a_layout.shape)
    target = _array.view(a, _layout.layout_of(a_layout.dtype, (count,), (step,)))
    if isinstance(val, _NUMBERS):
        fill(target, val)
        return
    values = stored_values(val, "fill_diagonal", a)
    given = values._layout.size
    if given and count:
        if 1 < given < count:
            values = repeated(values, count)
        copies.assign(target, values[:count])
