"""Indexing routines: elements by position or condition, and positions of elements."""

from __future__ import annotations

import operator
from typing import Any

from gpuarray import _array, _copies, _layout, _selection
from gpuarray._array import ArrayBase
from gpuarray._layout import check_axis
from gpuarray._ops.manipulation import as_array, ravel, reshape
from gpuarray._ops.math import remainder
from gpuarray._ops.subscripts import getitem

#: An index that takes no axis and keeps its place.
newaxis = None


def nonzero(a: Any) -> tuple[Any, ...]:
    """The positions of the elements that are not zero.

    Parameters
    ----------
    a : ndarray
        The array.

    Returns
    -------
    tuple of ndarray, 1-D, int64
        One for each dimension. Waits for the device, since their length depends on the values.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.nonzero(cp.array([0, 3, 0, 5]))
    (array([1, 3]),)
    """
    a = as_array(a, "nonzero")
    if not a._layout.ndim:
        raise ValueError("Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar)."
                         "nonzero() instead.")  # fmt: skip
    return _selection.nonzero(a)


def flatnonzero(a: Any) -> Any:
    """The positions of the elements of the flattened array that are not zero.

    Parameters
    ----------
    a : ndarray
        The array.

    Returns
    -------
    ndarray, 1-D, int64
        Positions in C order.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.flatnonzero(cp.array([[0, 3], [0, 5]]))
    array([1, 3])
    """
    return _selection.positions(as_array(a, "flatnonzero"))


def argwhere(a: Any) -> Any:
    """The positions of the elements that are not zero, one in each row.

    Parameters
    ----------
    a : ndarray
        The array.

    Returns
    -------
    ndarray, shape (N, a.ndim), int64
        Positions.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.argwhere(cp.array([[0, 3], [0, 5]]))
    array([[0, 1],
           [1, 1]])
    """
    from gpuarray._ops.joining import stack

    a = as_array(a, "argwhere")
    if not a._layout.ndim:
        return reshape(_selection.positions(a), (-1, 1))[:, :0]
    return stack(nonzero(a), axis=1)


def take(
    a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise"
) -> Any:
    """Elements by their positions along an axis.

    Parameters
    ----------
    a : ndarray
        The array.
    indices : ndarray, int or list of int
        Positions.
    axis : int, optional
        The axis; by default positions are of the flattened array.
    out : ndarray, optional
        Where results are stored.
    mode : {'raise', 'wrap', 'clip'}, optional
        What becomes of positions out of bounds.

    Returns
    -------
    ndarray
        With the dimensions of `indices` in place of the axis.

    Differences from NumPy
    ----------------------
    Positions in device memory cannot raise: with ``mode='raise'`` they wrap around.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.take(cp.arange(10, 20), cp.array([0, 3]))
    array([10, 13])
    """
    a = as_array(a, "take")
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    if axis is None:
        a, axis = ravel(a), 0
    axis = check_axis(axis, a.ndim)
    if mode != "raise":
        from gpuarray._ops.selection import clip

        indices = as_array(indices, "take")
        length = a.shape[axis]
        indices = remainder(indices, length) if mode == "wrap" else clip(indices, 0, length - 1)
    elif isinstance(indices, tuple):
        indices = list(indices)
    result = getitem(a, (*(slice(None),) * axis, indices) if axis else indices)
    return _stored(result, out, "take")


def _stored(result: Any, out: Any, name: str) -> Any:
    if out is None:
        return result
    if not isinstance(out, ArrayBase) or out._layout.shape != result._layout.shape:
        raise ValueError(f"{name}: out must be an array of shape {result._layout.shape}")
    _copies.assign(out, result)
    return out


def compress(condition: Any, a: Any, axis: int | None = None, out: Any = None) -> Any:
    """The parts of an array along an axis for which a condition is true.

    Parameters
    ----------
    condition : ndarray or list of bool, 1-D
        At most as long as the axis.
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
    if axis is None:
        a, axis = ravel(a), 0
    return _stored(_chosen(a, condition, check_axis(axis, a.ndim)), out, "compress")


def _chosen(a: Any, condition: Any, axis: int) -> Any:
    """The parts along an axis for which a condition, at most as long, is true."""
    if a.ndim == 1 and condition.dtype == bool and condition.size <= a.size:
        return _selection.compress(a[: condition.size], condition)
    return getitem(a, (*(slice(None),) * axis, _selection.positions(condition)))


def extract(condition: Any, arr: Any) -> Any:
    """The elements of an array for which a condition is true.

    Parameters
    ----------
    condition : ndarray
        Of the same size.
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
    return _chosen(ravel(as_array(arr, "extract")), ravel(as_array(condition, "extract")), 0)


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """A view of a diagonal.

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
        A view; the diagonal is the last dimension.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.diagonal(cp.arange(9).reshape(3, 3))
    array([0, 4, 8])
    """
    a = as_array(a, "diagonal")
    layout = a._layout
    if layout.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    rows, columns = check_axis(axis1, layout.ndim, "axis1"), check_axis(axis2, layout.ndim, "axis2")
    if rows == columns:
        raise ValueError("axis1 and axis2 cannot be the same")
    offset = operator.index(offset)
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


def diag(v: Any, k: int = 0) -> Any:
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
        A view of the diagonal, or a new matrix.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.diag(cp.array([1, 2]))
    array([[1, 0],
           [0, 2]])
    """
    from gpuarray._ops.creation import zeros

    v = as_array(v, "diag")
    if v.ndim == 2:
        return diagonal(v, k)
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    side = v.size + abs(k)
    result = zeros((side, side), v.dtype)
    diagonal(result, k)[...] = v
    return result
