"""Parts of sparse arrays, and their dimensions in another order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ops.creation import zeros
from gpuarray._ops.nonzero import flatnonzero
from gpuarray._ops.taking import take
from gpuarray.scipy.sparse._base import issparse, sparray
from gpuarray.scipy.sparse._coo import coo_array, coo_matrix
from gpuarray.scipy.sparse._foreign import from_foreign
from gpuarray.scipy.sparse._index_dtype import INT64

if TYPE_CHECKING:
    from gpuarray._types import ndarray
    from gpuarray.scipy.sparse._matrix import spmatrix

__all__ = [
    "expand_dims", "find", "matrix_transpose", "permute_dims", "swapaxes", "tril", "triu",
]  # fmt: skip


def find(A: Any) -> tuple[ndarray, ndarray, ndarray]:
    """The rows, columns and values of the elements that are not zero.

    Parameters
    ----------
    A : sparse array or array_like
        Of two dimensions.

    Returns
    -------
    row, col, values : ndarray
        In the order of rows. Waits for the device to know how many there are.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> sparse.find(sparse.csr_array(cp.array([[0, 5], [7, 0]])))
    (array([0, 1], dtype=int32), array([1, 0], dtype=int32), array([5, 7]))
    """
    found = coo_array(A, copy=True)
    found.sum_duplicates()
    found.eliminate_zeros()
    return found.row, found.col, found.data


def tril(A: Any, k: int = 0, format: str | None = None) -> sparray | spmatrix:
    """The elements on and below a diagonal.

    Parameters
    ----------
    A : sparse array or array_like
        Of two dimensions.
    k : int, optional
        The diagonal, above (positive) or below the main one, which is the default.
    format : str, optional
        The result's; by default 'coo'.

    Returns
    -------
    sparse array or sparse matrix
        An array for an array. Waits for the device to know how many elements there are.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> sparse.tril(sparse.csr_array(cp.ones((2, 2)))).toarray()
    array([[1., 0.],
           [1., 1.]])
    """
    return _triangle(A, k, format, False)


def triu(A: Any, k: int = 0, format: str | None = None) -> sparray | spmatrix:
    """The elements on and above a diagonal.

    Parameters
    ----------
    A : sparse array or array_like
        Of two dimensions.
    k : int, optional
        The diagonal, above (positive) or below the main one, which is the default.
    format : str, optional
        The result's; by default 'coo'.

    Returns
    -------
    sparse array or sparse matrix
        An array for an array. Waits for the device to know how many elements there are.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> sparse.triu(sparse.csr_array(cp.ones((2, 2))), k=1).toarray()
    array([[0., 1.],
           [0., 0.]])
    """
    return _triangle(A, k, format, True)


def _triangle(A: Any, k: int, format: str | None, upper: bool) -> Any:
    cls = coo_array if isinstance(A, sparray) else coo_matrix
    found = cls(A)
    if found.ndim != 2:
        raise ValueError(f"{'triu' if upper else 'tril'}: {found.ndim} dimensions instead of two")
    row, col = (x.astype(np.int64) for x in found.coords)
    kept = flatnonzero(row + k <= col if upper else row + k >= col)
    coords = tuple([take(x, kept) for x in found.coords])
    made = cls._from_parts(
        take(found.data, kept), coords, found.shape, canonical=found.has_canonical_format
    )
    return made.asformat(format)


def expand_dims(A: Any, /, *, axis: int = 0) -> sparray | spmatrix:
    """A sparse array with one more dimension, of length 1.

    Parameters
    ----------
    A : sparse array
        The array.
    axis : int, optional
        Where the new dimension is.

    Returns
    -------
    coo_array
        With its own memory.

    Raises
    ------
    ValueError
        If there is no such axis.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> sparse.expand_dims(sparse.coo_array(cp.arange(3)), axis=1).shape
    (3, 1)
    """
    A = _sparse(A, "expand_dims")
    if not isinstance(axis, int | np.integer):
        raise ValueError(f"Invalid axis {axis}. Must be an integer.")
    place = int(axis) if axis >= 0 else int(axis) + A.ndim + 1
    if not 0 <= place <= A.ndim:
        raise ValueError(f"Invalid axis {axis} for N={A.ndim}. Must be in [-N-1, N].")
    found = A.tocoo(copy=True)
    # As everywhere, indices have 64 bits where there are three dimensions and more.
    index = INT64 if A.ndim > 1 else found.coords[0].dtype
    coords = [x.astype(index, copy=False) for x in found.coords]
    coords.insert(place, zeros(found.data.shape, dtype=index))
    shape = (*A.shape[:place], 1, *A.shape[place:])
    canonical = found.has_canonical_format
    cls = coo_array if len(shape) > 2 else type(found)
    return cls._from_parts(found.data, coords, shape, canonical=canonical)


def swapaxes(A: Any, axis1: int, axis2: int) -> sparray | spmatrix:
    """A sparse array with two dimensions exchanged.

    Parameters
    ----------
    A : sparse array
        The array.
    axis1, axis2 : int
        Which.

    Returns
    -------
    coo_array or coo_matrix
        With its own memory.

    Raises
    ------
    ValueError
        If there is no such axis.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> sparse.swapaxes(sparse.coo_array(cp.ones((2, 3))), 0, 1).shape
    (3, 2)
    """
    A = _sparse(A, "swapaxes")
    axes = list(range(A.ndim))
    for axis in (axis1, axis2):
        if not isinstance(axis, int | np.integer):
            raise ValueError(f"Invalid axis: {axis!r} is no integer")
        if not -A.ndim <= axis < A.ndim:
            raise ValueError(f"Invalid axis: {axis} is out of bounds for ndim={A.ndim}")
    axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
    return permute_dims(A, axes=tuple(axes), copy=True)


def permute_dims(A: Any, axes: Any = None, copy: bool = False) -> sparray | spmatrix:
    """A sparse array with its dimensions in another order.

    Parameters
    ----------
    A : sparse array
        The array.
    axes : sequence of int, optional
        The dimensions in the order of the result; by default reversed.
    copy : bool, optional
        Whether the result shares no memory with the array; else it may.

    Returns
    -------
    sparse array or sparse matrix
        In coordinates, unless the order stays as it is.

    Raises
    ------
    ValueError
        If it is no order of the dimensions.
    TypeError
        If an axis is no integer.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> sparse.permute_dims(sparse.coo_array(cp.ones((2, 3)))).shape
    (3, 2)
    """
    A = _sparse(A, "permute_dims")
    ndim = A.ndim
    axes = tuple(range(ndim))[::-1] if axes is None else axes
    if isinstance(axes, set | frozenset | dict):
        raise TypeError(f"axis must be an integer/tuple of ints, not {type(axes)}: it has no order")
    if len(axes) != ndim:
        raise ValueError(f"Incorrect number of axes: {len(axes)} instead of {ndim}")
    order = []
    for axis in axes:
        if not isinstance(axis, int | np.integer):
            raise TypeError(f"axis must be an integer. (given {axis})")
        if not -ndim <= axis < ndim:
            raise ValueError(f"axis out of range for ndim: {axis}")
        order.append(int(axis) % ndim)
    if len(set(order)) != ndim:
        raise ValueError(f"duplicate value in axis: {axes}")
    if order == list(range(ndim)):
        return A.copy() if copy else A
    found = A.tocoo(copy=copy)
    coords, shape = [found.coords[i] for i in order], [A.shape[i] for i in order]
    return type(found)._from_parts(found.data, coords, shape)


def matrix_transpose(A: Any) -> sparray | spmatrix:
    """The last two dimensions exchanged, rows as columns: the property ``mT``.

    Parameters
    ----------
    A : sparse array
        Of two dimensions or more.

    Returns
    -------
    sparse array
        Of csr in the format csc, and the other way round; else in the same format.

    Raises
    ------
    ValueError
        If there are fewer dimensions.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> sparse.matrix_transpose(sparse.csr_array(cp.ones((2, 3)))).shape
    (3, 2)
    """
    found: sparray | spmatrix = _sparse(A, "matrix_transpose").mT
    return found


def _sparse(A: Any, name: str) -> Any:
    """A sparse array of this package or of another one as one of this package."""
    found = from_foreign(A)
    if not issparse(found):
        raise TypeError(
            f"{name}: a sparse array is needed, and not a {type(A).__name__}; csr_array makes one"
        )
    return found
