"""Array manipulation routines: the order of axes."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _layout
from gpuarray._arguments import check_axes, check_axis
from gpuarray._ops.manipulation import as_array

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["matrix_transpose", "moveaxis", "permute_dims", "rollaxis", "swapaxes", "transpose"]


def transpose(a: ArrayLike, axes: Sequence[int] | None = None) -> ndarray:
    """A view with the axes in another order.

    Parameters
    ----------
    a : ndarray
        The array.
    axes : sequence of int, optional
        The new order of the axes; reversed by default.

    Returns
    -------
    ndarray
        A view.

    Raises
    ------
    TypeError
        If the axes are no integers.
    ValueError
        If they are no permutation of the array's.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.transpose(cp.ones((1, 2, 3)), (1, 0, 2)).shape
    (2, 1, 3)
    """
    kept = None if axes is None else _array.kept_view(a, transpose, axes)
    if kept is not None:
        return kept
    a = as_array(a, "transpose")
    layout = a._layout
    if axes is None:
        return _array.view(a, _layout.transpose(layout))
    try:
        given: tuple[Any, ...] = (operator.index(axes),)  # type: ignore[arg-type]  # tuples raise
    except TypeError:
        given = tuple(axes)  # type: ignore[arg-type]
    if bool in map(type, (axes, *given)):
        raise TypeError(f"transpose: axes are integers, got {axes!r}")
    given = tuple(map(operator.index, given))
    if len(given) != layout.ndim:
        raise ValueError(f"axes don't match array: {given} for {layout.ndim} dimensions")
    order = check_axes(given, layout.ndim, duplicates=f"repeated axis in transpose: {given}")
    result = _array.view(a, _layout.transpose(layout, order))
    return _array.keep_view(a, result, transpose, axes)


permute_dims = transpose


def matrix_transpose(x: ArrayLike, /) -> ndarray:
    """A view with the last two axes exchanged.

    Parameters
    ----------
    x : ndarray
        Of at least two dimensions.

    Returns
    -------
    ndarray
        A view.

    Raises
    ------
    ValueError
        If the array has less than two dimensions.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.matrix_transpose(cp.ones((4, 2, 3))).shape
    (4, 3, 2)
    """
    kept = _array.kept_view(x, matrix_transpose, None)
    if kept is not None:
        return kept
    x = as_array(x, "matrix_transpose")
    if x._layout.ndim < 2:
        raise ValueError(
            f"matrix transpose with ndim < 2 is undefined: the array has shape {x._layout.shape}"
        )
    return _array.keep_view(x, swapaxes(x, -1, -2), matrix_transpose, None)


def swapaxes(a: ArrayLike, axis1: int, axis2: int) -> ndarray:
    """A view with two axes exchanged.

    Parameters
    ----------
    a : ndarray
        The array.
    axis1, axis2 : int
        The axes.

    Returns
    -------
    ndarray
        A view.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.swapaxes(cp.ones((1, 2, 3)), 0, 2).shape
    (3, 2, 1)
    """
    kept = _array.kept_view(a, swapaxes, (axis1, axis2))
    if kept is not None:
        return kept
    a = as_array(a, "swapaxes")
    axes = list(range(a._layout.ndim))
    first, second = check_axis(axis1, len(axes), "axis1"), check_axis(axis2, len(axes), "axis2")
    axes[first], axes[second] = axes[second], axes[first]
    result = _array.view(a, _layout.transpose(a._layout, axes))
    return _array.keep_view(a, result, swapaxes, (axis1, axis2))


def moveaxis(
    a: ArrayLike, source: int | Sequence[int], destination: int | Sequence[int]
) -> ndarray:
    """A view with axes moved, the rest in their order.

    Parameters
    ----------
    a : ndarray
        The array.
    source, destination : int or sequence of int
        Where the axes are, and where they go.

    Returns
    -------
    ndarray
        A view.

    Raises
    ------
    TypeError
        If the axes are no integers.
    ValueError
        If `source` and `destination` differ in length.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.moveaxis(cp.ones((1, 2, 3)), 0, -1).shape
    (2, 3, 1)
    """
    kept = _array.kept_view(a, moveaxis, (source, destination))
    if kept is not None:
        return kept
    a = as_array(a, "moveaxis")
    ndim = a._layout.ndim
    if source is None or destination is None:
        raise TypeError("moveaxis: source and destination are integers or sequences of them")
    sources = check_axes(source, ndim, "source", "repeated axis in `source` argument")
    targets = check_axes(
        destination, ndim, "destination", "repeated axis in `destination` argument"
    )
    if len(sources) != len(targets):
        raise ValueError(
            "`source` and `destination` arguments must have the same number of elements: "
            f"{source} and {destination}"
        )
    axes = [axis for axis in range(ndim) if axis not in sources]
    for target, axis in sorted(zip(targets, sources, strict=True)):
        axes.insert(target, axis)
    result = _array.view(a, _layout.transpose(a._layout, axes))
    return _array.keep_view(a, result, moveaxis, (source, destination))


def rollaxis(a: ArrayLike, axis: int, start: int = 0) -> ndarray:
    """A view with one axis moved before another.

    Parameters
    ----------
    a : ndarray
        The array.
    axis : int
        The axis to move.
    start : int, optional
        The axis before which it goes.

    Returns
    -------
    ndarray
        A view.

    Raises
    ------
    AxisError
        If an axis is out of range.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.rollaxis(cp.ones((1, 2, 3)), 2).shape
    (3, 1, 2)
    """
    kept = _array.kept_view(a, rollaxis, (axis, start))
    if kept is not None:
        return kept
    a = as_array(a, "rollaxis")
    ndim = a._layout.ndim
    key = (axis, start)
    axis = check_axis(axis, ndim)
    start = operator.index(start)
    if start < 0:
        start += ndim
    if not 0 <= start <= ndim:
        raise np.exceptions.AxisError(
            f"'start' arg requires {-ndim} <= start < {ndim + 1}, but {start} was passed in"
        )
    if axis < start:
        start -= 1
    axes = list(range(ndim))
    axes.remove(axis)
    axes.insert(start, axis)
    return _array.keep_view(a, _array.view(a, _layout.transpose(a._layout, axes)), rollaxis, key)
