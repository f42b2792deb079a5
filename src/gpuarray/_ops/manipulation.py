"""Array manipulation routines: shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gpuarray import _arguments, _array, _layout, _memory_order
from gpuarray._arguments import check_axes, check_axis
from gpuarray._array import ArrayBase
from gpuarray._ops.stored_values import as_values
from gpuarray.errors import HostArrayError
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["ndim", "ravel", "reshape", "shape", "size"]


def as_array(a: ArrayLike, name: str) -> ndarray:
    """An argument that has to be a device array; numbers and lists become one."""
    return a if isinstance(a, ArrayBase) else as_values(a, name)


def along_axis(a: ndarray, axis: int | None) -> tuple[ndarray, int]:
    """The array and the axis that a function works along.

    It is flattened for None, and one without dimensions is taken for one element.
    """
    if axis is None:
        return in_one_dimension(a), 0
    if not a._layout.ndim:
        a = in_one_dimension(a)
    return a, check_axis(axis, a._layout.ndim, bools=False)


def reshape(
    a: ArrayLike, shape: int | Sequence[int], order: str = "C", *, copy: bool | None = None
) -> ndarray:
    """An array with the same elements in another shape.

    Parameters
    ----------
    a : ndarray
        The array.
    shape : int or tuple of int
        The new shape; one length may be -1 and is worked out.
    order : {'C', 'F', 'A'}, optional
        In which order elements are counted.
    copy : bool or None, optional
        True copies always, None where no view is possible, False raises ValueError there.

    Returns
    -------
    ndarray
        A view where possible.

    Raises
    ------
    ValueError
        If the number of elements differs.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.reshape(cp.arange(6), (2, -1))
    array([[0, 1, 2],
           [3, 4, 5]])
    """
    if order == "C" and copy is None:
        kept = _array.kept_view(a, reshape, shape)
        if kept is not None:
            return kept
    a = as_array(a, "reshape")
    layout = a._layout
    order = _arguments.check_order(order, "C")
    if order == "A":
        order = "F" if layout.f_contiguous and not layout.c_contiguous else "C"
    elif order not in ("C", "F"):
        raise ValueError(f"reshape: order must be one of 'C', 'F' or 'A' (got {order!r})")
    resolved = _layout.resolve_reshape(layout.size, _arguments.as_lengths(shape))
    if copy:
        a = copies.copy(a, order)
        layout = a._layout
    target = _layout.reshape_view(layout, resolved, order)
    if target is None:
        if copy is False:
            raise ValueError(
                f"reshape: an array of shape {layout.shape} and strides {layout.strides} has no "
                f"view of shape {resolved}, but copy=False; use copy=None"
            )
        a = copies.copy(a, order)
        target = _layout.contiguous(layout.dtype, resolved, order)
    elif order == "C":
        target = _layout.view_of(target)
        _keep_reshape(layout, shape, target)
        if not copy:
            return _array.keep_view(a, _array.view(a, target), reshape, shape)
    return _array.view(a, target)


def _keep_reshape(layout: Any, shape: Any, target: Any) -> None:
    """Keep the view under what ``ndarray.reshape`` looks up: its arguments, if all are int."""
    key = (shape,) if type(shape) is int else shape
    if type(key) is tuple and all(type(length) is int for length in key):
        _layout.keep_view(layout.reshapes, key, target)


def _in_memory_order(a: ndarray) -> ndarray:
    """A view with the axes as they follow one another in memory."""
    order = _memory_order.keep_order([a._layout], a._layout.shape)
    return _array.view(a, _layout.transpose(a._layout, order))


def in_one_dimension(a: ndarray, order: str = "C") -> ndarray:
    """An array as one dimension: a view where its elements lie equally far apart, else a copy."""
    if order in ("K", "k"):
        a = _in_memory_order(a)
        order = "C"
    return reshape(a, -1 if a._layout.size else (0,), order)


def ravel(a: ArrayLike, order: str = "C") -> ndarray:
    """An array as one gapless dimension.

    Parameters
    ----------
    a : ndarray
        The array.
    order : {'C', 'F', 'A', 'K'}, optional
        In which order elements are taken; 'K' as they lie in memory.

    Returns
    -------
    ndarray, 1-D
        A view if the elements lie behind one another in that order, else a copy.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.ravel(cp.ones((2, 2)))
    array([1., 1., 1., 1.])
    """
    if order == "C":
        kept = _array.kept_view(a, ravel, None)
        if kept is not None:
            return kept
    a = as_array(a, "ravel")
    flat = in_one_dimension(a, order)
    if not flat._layout.c_contiguous:
        return copies.copy(flat)
    if order == "C" and flat._memory is a._memory:
        return _array.keep_view(a, flat, ravel, None)
    return flat if flat._memory is a._memory else _array.rearranged(flat, flat._layout)


def flatten(a: ndarray, order: str = "C") -> ndarray:
    """A copy of an array as one dimension (``ndarray.flatten``).

    Parameters
    ----------
    order : {'C', 'F', 'A', 'K'}, optional
        The order of the elements.

    Returns
    -------
    ndarray, 1-D
        The copy.
    """
    if order in ("K", "k"):
        a = _in_memory_order(a)
        order = "C"
    flat = reshape(a, -1 if a._layout.size else (0,), order, copy=True)
    return _array.rearranged(flat, flat._layout)


def in_shape(new: ndarray, shape: Sequence[int]) -> ndarray:
    """A new gapless array, whose memory no other array has, in another shape."""
    return _array.rearranged(new, reshape(new, shape)._layout)


def shape(a: object) -> tuple[int, ...]:
    """The shape of an array.

    Parameters
    ----------
    a : array_like
        The array.

    Returns
    -------
    tuple of int
        Its lengths.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.shape(cp.eye(3))
    (3, 3)
    """
    if isinstance(a, ArrayBase):
        return a._layout.shape
    try:
        return np.shape(a)  # type: ignore[call-overload]  # NumPy refuses what is no array
    except HostArrayError:  # device arrays in a sequence
        return as_values(cast("ArrayLike", a), "shape")._layout.shape


def ndim(a: object) -> int:
    """The number of dimensions of an array.

    Parameters
    ----------
    a : array_like
        The array.

    Returns
    -------
    int
        How many.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.ndim(cp.eye(3))
    2
    """
    if isinstance(a, ArrayBase):
        return a._layout.ndim
    try:
        return np.ndim(a)  # type: ignore[arg-type]  # NumPy refuses what is no array
    except HostArrayError:  # device arrays in a sequence
        return as_values(cast("ArrayLike", a), "ndim")._layout.ndim


def size(a: object, axis: int | tuple[int, ...] | None = None) -> int:
    """The number of elements, altogether or along axes.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int or tuple of int, optional
        The axes.

    Returns
    -------
    int
        How many.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.size(cp.eye(3))
    9
    """
    if not isinstance(a, ArrayBase):
        try:
            return np.size(a, axis)  # type: ignore[arg-type]  # NumPy refuses what is no array
        except HostArrayError:  # device arrays in a sequence
            a = as_values(cast("ArrayLike", a), "size")
    layout = a._layout
    if axis is None:
        return layout.size
    axes = check_axes(axis, layout.ndim, duplicates="repeated axis")
    return math.prod([layout.shape[i] for i in axes])
