"""Matrices of given structures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpuarray import _array, _layout
from gpuarray._ops.creation import zeros_like
from gpuarray._ops.dimensions import atleast_1d, broadcast_to
from gpuarray._ops.joining import concatenate
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import conj
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["circulant", "hankel", "toeplitz"]


def vectors(x: Any, name: str) -> Any:
    """An argument as an array of vectors along its last axis."""
    return atleast_1d(as_array(x, name))


def joined(parts: Sequence[Any]) -> Any:
    """Vectors behind one another along the last axis; their other axes broadcast."""
    batch = _layout.broadcast_shapes([x._layout.shape[:-1] for x in parts])
    spread = [
        x if x._layout.shape[:-1] == batch else broadcast_to(x, (*batch, x._layout.shape[-1]))
        for x in parts
    ]
    return concatenate(spread, axis=-1)


def from_diagonals(values: Any, rows: int, columns: int, first: int, step: int) -> Any:
    """The matrices whose element (i, j) is number ``first + step * i + j`` of contiguous vectors.

    With step -1 they have equal elements along diagonals, with step 1 along those that cross.
    """
    layout = values._layout
    itemsize = layout.itemsize
    shape = (*layout.shape[:-1], rows, columns)
    if not (rows and columns):
        return _array.empty(_layout.contiguous(layout.dtype, shape))
    strides = (*layout.strides[:-1], step * itemsize, itemsize)
    read = _layout.layout_of(layout.dtype, shape, strides, layout.access)
    return copies.copy(_array.view(values, read, first * itemsize), "C")


def toeplitz(c: ArrayLike, r: ArrayLike | None = None) -> ndarray:
    """A Toeplitz matrix: its diagonals are constant.

    Parameters
    ----------
    c : array_like, shape (..., M)
        The first column.
    r : array_like, shape (..., N), optional
        The first row, whose first element is ignored; by default the conjugate of `c`.

    Returns
    -------
    ndarray, shape (..., M, N)
        The matrix; of several columns or rows, a stack of them.

    Notes
    -----
    Two launches: the diagonals' elements, then the matrix.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.toeplitz([1, 2, 3], [1, 4, 5, 6])
    array([[1, 4, 5, 6],
           [2, 1, 4, 5],
           [3, 2, 1, 4]])
    """
    column = vectors(c, "toeplitz")
    row = conj(column) if r is None else vectors(r, "toeplitz")
    rows, columns = column._layout.shape[-1], row._layout.shape[-1]
    # The diagonals from the lowest to the uppermost.
    values = joined([column[..., ::-1], row[..., 1:]])
    return from_diagonals(values, rows, columns, rows - 1, -1)


def circulant(c: ArrayLike) -> ndarray:
    """A circulant matrix: each column is the one before, rotated down by one.

    Parameters
    ----------
    c : array_like, shape (..., N)
        The first column.

    Returns
    -------
    ndarray, shape (..., N, N)
        The matrix; of several columns, a stack of them.

    Notes
    -----
    Two launches: the diagonals' elements, then the matrix.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.circulant([1, 2, 3])
    array([[1, 3, 2],
           [2, 1, 3],
           [3, 2, 1]])
    """
    column = vectors(c, "circulant")
    size = column._layout.shape[-1]
    values = joined([column[..., ::-1], column[..., :0:-1]])
    return from_diagonals(values, size, size, size - 1, -1)


def hankel(c: ArrayLike, r: ArrayLike | None = None) -> ndarray:
    """A Hankel matrix: its antidiagonals are constant.

    Parameters
    ----------
    c : array_like, 1-D
        The first column.
    r : array_like, 1-D, optional
        The last row, whose first element is ignored; zeros by default.

    Returns
    -------
    ndarray, shape (len(c), len(r))
        The matrix.

    Raises
    ------
    ValueError
        If an argument has several dimensions.

    Differences from SciPy
    ----------------------
    SciPy 1.17 flattens arguments of several dimensions, with a warning that this will change.

    Notes
    -----
    Two launches: the antidiagonals' elements, then the matrix.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.hankel([1, 2, 3], [9, 4, 5])
    array([[1, 2, 3],
           [2, 3, 4],
           [3, 4, 5]])
    """
    column = _one_dimension(c, "c", "hankel")
    row = zeros_like(column) if r is None else _one_dimension(r, "r", "hankel")
    values = joined([column, row[1:]])
    return from_diagonals(values, column._layout.size, row._layout.size, 0, 1)


def _one_dimension(x: Any, argument: str, name: str) -> Any:
    found = as_array(x, name)
    if found._layout.ndim != 1:
        raise ValueError(
            f"{name}: {argument} of shape {found._layout.shape}; give it one dimension"
        )
    return found
