"""Indexing routines: elements by index arrays or conditions."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from gpuarray import _arguments, _array, _layout
from gpuarray._arguments import check_axis
from gpuarray._integers import shortened
from gpuarray._ops.casts import store_result
from gpuarray._ops.creation import zeros
from gpuarray._ops.manipulation import along_axis, as_array, in_one_dimension
from gpuarray._ops.subscripts import getitem
from gpuarray.kernels import mask as mask_kernels

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["compress", "diag", "diagonal", "extract"]


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

    Raises
    ------
    ValueError
        If the condition has not one dimension.

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
    if abs(offset) > _arguments.INT32_MAX:
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

    Raises
    ------
    ValueError
        If the array has not one or two dimensions.

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
    line = _array.kept_view(result, diag, k)
    if line is None:
        line = _array.keep_view(result, _diagonal(result, k), diag, k)
    line[...] = v
    return result
