"""Matrices of constant diagonals, and block diagonal ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _broadcasting, _dtypes, _layout
from gpuarray._ops.blocks import placed
from gpuarray._ops.creation import zeros
from gpuarray._ops.creation_like import zeros_like
from gpuarray._ops.dimensions import atleast_1d, atleast_2d, broadcast_to
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import conj
from gpuarray._ops.padding import pad
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["block_diag", "circulant", "convolution_matrix", "hankel", "toeplitz"]


def vectors(x: Any, name: str) -> Any:
    """An argument as an array of vectors along its last axis."""
    return atleast_1d(as_array(x, name))


def joined(parts: Sequence[Any]) -> Any:
    """Vectors behind one another along the last axis; their other axes broadcast."""
    batch = _broadcasting.broadcast_shapes([x._layout.shape[:-1] for x in parts])
    blocks, places, length = [], [], 0
    for x in parts:
        count = x._layout.shape[-1]
        blocks.append(x if x._layout.shape[:-1] == batch else broadcast_to(x, (*batch, count)))
        places.append((*[0] * len(batch), length))
        length += count
    dtype = _dtypes.canonical(np.result_type(*[x._layout.dtype for x in parts]))
    return placed(blocks, places, _layout.contiguous(dtype, (*batch, length)))


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
    A launch for the matrix, and one for the diagonals' elements, of large matrices two.

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
    A launch for the matrix, and one for the diagonals' elements, of large matrices two.

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
    A launch for the matrix, and one for the antidiagonals' elements, of large matrices two.

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


def convolution_matrix(a: ArrayLike, n: int, mode: str = "full") -> ndarray:
    """The matrix whose product with a vector is the convolution with a sequence.

    Parameters
    ----------
    a : array_like, shape (..., M)
        The sequence.
    n : int
        The length of the vectors: the matrix's columns.
    mode : {'full', 'same', 'valid'}, optional
        Which part of the convolution, as for ``convolve``.

    Returns
    -------
    ndarray, shape (..., K, n)
        K is ``M + n - 1``, ``max(M, n)`` or ``max(M, n) - min(M, n) + 1``.

    Raises
    ------
    ValueError
        If `n` is not positive, the sequence is empty, or the mode is unknown.

    Notes
    -----
    Two launches: the sequence among zeros, then the matrix.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.convolution_matrix([1, 4, 2], 2)
    array([[1, 0],
           [4, 1],
           [2, 4],
           [0, 2]])
    """
    if n <= 0:
        raise ValueError("n must be a positive integer.")
    sequence = vectors(a, "convolution_matrix")
    length = sequence._layout.shape[-1]
    if not sequence._layout.size:
        raise ValueError("len(a) must be at least 1.")
    if mode not in ("full", "valid", "same"):
        raise ValueError("'mode' argument must be one of ('full', 'valid', 'same')")
    overlap = min(n, length) - 1
    above = {"full": 0, "same": overlap // 2, "valid": overlap}[mode]
    rows = length + n - 1 - {"full": 0, "same": overlap, "valid": 2 * overlap}[mode]
    around = [(0, 0)] * (sequence._layout.ndim - 1) + [(n - 1, n - 1)]
    values = pad(sequence[..., ::-1], around)
    return from_diagonals(values, rows, n, length + n - 2 - above, -1)


def block_diag(*arrs: ArrayLike) -> ndarray:
    """Matrices along the diagonal of one, with zeros elsewhere.

    Parameters
    ----------
    *arrs : array_like, shape (..., M, N)
        The matrices. Of one dimension they are rows; axes before the last two broadcast.

    Returns
    -------
    ndarray
        As many rows and columns as all of them have together, of the dtype that they promote to.

    Notes
    -----
    One launch for up to 15 matrices of the result's dtype, as long as the result is small, else
    one for each.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.block_diag([[1, 2], [3, 4]], [5, 6])
    array([[1, 2, 0, 0],
           [3, 4, 0, 0],
           [0, 0, 5, 6]])
    """
    given = [atleast_2d(as_array(x, "block_diag")) for x in arrs or ([],)]
    batch = _broadcasting.broadcast_shapes([x._layout.shape[:-2] for x in given])
    blocks = [broadcast_to(x, (*batch, *x._layout.shape[-2:])) for x in given]
    dtype = _dtypes.canonical(np.result_type(*[x._layout.dtype for x in blocks]))
    places, rows, columns = [], 0, 0
    for x in blocks:
        places.append((*[0] * len(batch), rows, columns))
        rows += x._layout.shape[-2]
        columns += x._layout.shape[-1]
    shape = (*batch, rows, columns)
    background = broadcast_to(zeros((), dtype), shape)
    places = [(0,) * len(shape), *places]
    return placed([background, *blocks], places, _layout.contiguous(dtype, shape))
