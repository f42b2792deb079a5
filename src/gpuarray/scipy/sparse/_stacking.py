"""Sparse arrays side by side."""

from __future__ import annotations

import functools
import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._array import ArrayBase
from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import empty
from gpuarray._ops.joining import concatenate
from gpuarray._ops.math import add
from gpuarray._ops.ranges import arange
from gpuarray._ops.taking import take
from gpuarray.scipy.sparse._base import issparse, sparray
from gpuarray.scipy.sparse._conversions import expanded
from gpuarray.scipy.sparse._coo import coo_array, coo_matrix
from gpuarray.scipy.sparse._index_dtype import check_dtype, index_dtype

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike
    from gpuarray.scipy.sparse._matrix import spmatrix

__all__ = ["block_array", "block_diag", "bmat", "hstack", "vstack"]


def hstack(
    blocks: Sequence[Any], format: str | None = None, dtype: DTypeLike | None = None
) -> sparray | spmatrix:
    """Sparse arrays beside one another.

    Parameters
    ----------
    blocks : sequence of sparse arrays
        With as many rows each; dense arrays may be among them.
    format : str, optional
        The result's. By default csc if all are of that format, csr likewise, else coo.
    dtype : dtype, optional
        By default what all fit.

    Returns
    -------
    sparse array or sparse matrix
        An array if one of the blocks is.

    Raises
    ------
    ValueError
        If the numbers of rows differ.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> a = sparse.csr_array(cp.array([[1, 2]]))
    >>> sparse.hstack([a, a]).toarray()
    array([[1, 2, 1, 2]])
    """
    blocks = list(blocks)
    return _blocks([blocks], format, dtype, _any_array(blocks))


def vstack(
    blocks: Sequence[Any], format: str | None = None, dtype: DTypeLike | None = None
) -> sparray | spmatrix:
    """Sparse arrays below one another.

    Parameters
    ----------
    blocks : sequence of sparse arrays
        With as many columns each; dense arrays may be among them.
    format : str, optional
        The result's. By default csr if all are of that format, csc likewise, else coo.
    dtype : dtype, optional
        By default what all fit.

    Returns
    -------
    sparse array or sparse matrix
        An array if one of the blocks is.

    Raises
    ------
    ValueError
        If the numbers of columns differ.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> a = sparse.csr_array(cp.array([[1, 2]]))
    >>> sparse.vstack([a, a]).toarray()
    array([[1, 2],
           [1, 2]])
    """
    blocks = list(blocks)
    return _blocks([[x] for x in blocks], format, dtype, _any_array(blocks))


def bmat(
    blocks: Sequence[Sequence[Any]], format: str | None = None, dtype: DTypeLike | None = None
) -> sparray | spmatrix:
    """A sparse matrix of blocks.

    Parameters
    ----------
    blocks : sequence of sequences of sparse arrays
        The rows of blocks; None stands for zeros.
    format : str, optional
        The result's. By default csr or csc if all are of that format, else coo.
    dtype : dtype, optional
        By default what all fit.

    Returns
    -------
    sparse array or sparse matrix
        An array if one of the blocks is; see `block_array`.

    Raises
    ------
    ValueError
        If the numbers of rows or columns do not fit.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> a = sparse.csr_array(cp.array([[1, 2]]))
    >>> sparse.bmat([[a, None], [None, a]]).toarray()
    array([[1, 2, 0, 0],
           [0, 0, 1, 2]])
    """
    rows = _rows(blocks)
    return _blocks(rows, format, dtype, _any_array([x for row in rows for x in row]))


def block_array(
    blocks: Sequence[Sequence[Any]], *, format: str | None = None, dtype: DTypeLike | None = None
) -> sparray:
    """A sparse array of blocks.

    Parameters
    ----------
    blocks : sequence of sequences of sparse arrays
        The rows of blocks; None stands for zeros.
    format : str, optional
        The result's. By default csr or csc if all are of that format, else coo.
    dtype : dtype, optional
        By default what all fit.

    Returns
    -------
    sparse array
        In the format.

    Raises
    ------
    ValueError
        If the numbers of rows or columns do not fit.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> a = sparse.csr_array(cp.array([[1, 2]]))
    >>> sparse.block_array([[a, None], [None, a]]).toarray()
    array([[1, 2, 0, 0],
           [0, 0, 1, 2]])
    """
    return _blocks(_rows(blocks), format, dtype, True)


def block_diag(
    mats: Sequence[Any], format: str | None = None, dtype: DTypeLike | None = None
) -> sparray | spmatrix:
    """A sparse matrix with blocks on its diagonal.

    Parameters
    ----------
    mats : sequence of sparse arrays, ndarrays, lists or numbers
        The blocks; what has one dimension is a row.
    format : str, optional
        The result's; by default 'coo'.
    dtype : dtype, optional
        By default what all fit.

    Returns
    -------
    sparse array or sparse matrix
        An array if one of the blocks is.

    Raises
    ------
    ValueError
        If there are no blocks.

    Differences from SciPy
    ----------------------
    Zeros of dense blocks are not stored.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> sparse.block_diag([sparse.csr_array(cp.array([[1, 2]])), 3]).toarray()
    array([[1, 2, 0],
           [0, 0, 3]])
    """
    mats = list(mats)
    if not mats:
        raise ValueError("block_diag: need at least one block")
    found = [_coordinates(x, numbers_too=True) for x in mats]
    count = len(found)
    places = [(x, i, i) for i, x in enumerate(found)]
    heights, widths = [x._shape_2d[0] for x in found], [x._shape_2d[1] for x in found]
    result = _joined(places, heights[:count], widths[:count], dtype, _any_array(mats))
    return result.asformat(format)


def _any_array(blocks: Sequence[Any]) -> bool:
    return any(isinstance(x, sparray) for x in blocks)


def _rows(blocks: Any) -> list[list[Any]]:
    """The rows of blocks, all of one length."""
    try:
        rows = [list(row) for row in blocks]
    except TypeError:
        raise ValueError("blocks must be 2-D") from None
    if any(issparse(row) for row in blocks) or len({len(row) for row in rows}) > 1:
        raise ValueError("blocks must be 2-D")
    return rows


def _coordinates(x: Any, numbers_too: bool = False) -> Any:
    """A block in coordinates."""
    if issparse(x):
        return x.tocoo(copy=False)
    if numbers_too and isinstance(x, list | numbers.Number):
        x = np.array(x, ndmin=2)
    return coo_array(x if isinstance(x, ArrayBase) else asarray(x))


def _blocks(rows: list[list[Any]], format: str | None, dtype: Any, array: bool) -> Any:
    """An array or a matrix of rows of blocks."""
    if not rows or not rows[0]:
        raise ValueError("blocks must be 2-D, and there must be one at least")
    flat = [x for row in rows for x in row]
    for name in ("csr", "csc"):
        if format in (None, name) and all(issparse(x) and x.format == name for x in flat):
            # Along the lines of the format, then one line behind the other.
            parts = rows if name == "csr" else [list(x) for x in zip(*rows, strict=True)]
            return _lines_stacked([_lines_joined(x) for x in parts], name, dtype, array)
    heights, widths = [0] * len(rows), [0] * len(rows[0])
    places = []
    for i, row in enumerate(rows):
        for j, x in enumerate(row):
            if x is None:
                continue
            block = _coordinates(x)
            height, width = block._shape_2d
            if heights[i] not in (0, height):
                raise ValueError(
                    f"blocks[{i},:] has incompatible row dimensions. Got blocks[{i},{j}].shape[0] "
                    f"== {height}, expected {heights[i]}."
                )
            if widths[j] not in (0, width):
                raise ValueError(
                    f"blocks[:,{j}] has incompatible column dimensions. Got blocks[{i},{j}]."
                    f"shape[1] == {width}, expected {widths[j]}."
                )
            heights[i], widths[j] = height, width
            places.append((block, i, j))
    return _joined(places, heights, widths, dtype, array).asformat(format)


def _lines_joined(blocks: list[Any]) -> Any:
    """Compressed arrays beside one another: each line has those of all blocks in turn."""
    if len(blocks) == 1:
        return blocks[0]
    majors = {x._lines[0] for x in blocks}
    if len(majors) > 1:
        axis = 0 if blocks[0].format == "csr" else 1
        raise ValueError(f"Mismatching dimensions along axis {axis}: {majors}")
    total, minor = sum(int(x.indices.size) for x in blocks), sum(x._lines[1] for x in blocks)
    index = index_dtype([x.indptr for x in blocks], max(total, minor - 1))
    pointers = [x.indptr.astype(index, copy=False) for x in blocks]
    indptr = functools.reduce(add, pointers)
    dtype = np.result_type(*[x.dtype for x in blocks])
    indices, data = empty(total, dtype=index), empty(total, dtype=dtype)
    left, before = 0, indptr[:-1]
    for block, pointer in zip(blocks, pointers, strict=True):
        # The line's first element of this block is behind those of the blocks before.
        count = int(block.indices.size)
        moved = take(before - pointer[:-1], expanded(block.indptr, count))
        places = moved + arange(count, dtype=index)
        indices[places] = block.indices.astype(index, copy=False) + index.type(left)
        data[places] = block.data.astype(dtype, copy=False)
        before = before + (pointer[1:] - pointer[:-1])
        left += block._lines[1]
    first = blocks[0]
    shape = first._swap((majors.pop(), minor))
    known = all(x._canonical for x in blocks) or None
    parts = data, indices, indptr
    return type(first)._from_parts(*parts, shape, sorted=known, canonical=known)


def _lines_stacked(blocks: list[Any], format: str, dtype: Any, array: bool) -> Any:
    """Compressed arrays one behind the other in the direction of their lines."""
    minors = {x._lines[1] for x in blocks}
    if len(minors) > 1:
        axis = 1 if format == "csr" else 0
        raise ValueError(f"incompatible dimensions for axis {axis}: {sorted(minors)}")
    total = sum(int(x.indices.size) for x in blocks)
    major, minor = sum(x._lines[0] for x in blocks), minors.pop()
    # As SciPy's: the dtype of indices follows from the pointers and what they count.
    index = index_dtype([x.indptr for x in blocks], max(total, minor))
    pointers, before = [], 0
    for i, x in enumerate(blocks):
        part = x.indptr if i == len(blocks) - 1 else x.indptr[:-1]
        pointers.append(part.astype(index) + index.type(before) if before else part.astype(index))
        before += int(x.indices.size)
    data = concatenate([x.data for x in blocks])
    indices = concatenate([x.indices.astype(index, copy=False) for x in blocks])
    cls = type(blocks[0])._class_of(format) if array == isinstance(blocks[0], sparray) else None
    if cls is None:
        cls = (coo_array if array else coo_matrix)._class_of(format)
    shape = (major, minor) if format == "csr" else (minor, major)
    known = all(x._canonical for x in blocks) or None
    made = cls._from_parts(
        data, indices, concatenate(pointers), shape, sorted=known, canonical=known
    )
    return made if dtype is None else made.astype(check_dtype(dtype), copy=False)


def _joined(
    places: list[tuple[Any, int, int]],
    heights: list[int],
    widths: list[int],
    dtype: Any,
    array: bool,
) -> Any:
    """Blocks in coordinates at rows and columns of blocks, as one."""
    cls = coo_array if array else coo_matrix
    shape = (sum(heights), sum(widths))
    if not places:
        return cls(shape, dtype=dtype)
    index = index_dtype([x.coords[-1] for x, _, _ in places], max(shape))
    tops, lefts = np.cumsum([0, *heights]).tolist(), np.cumsum([0, *widths]).tolist()
    rows, columns = [], []
    for block, i, j in places:
        pair = block.coords if block.ndim == 2 else (block.coords[0] * 0, block.coords[0])
        row, column = (x.astype(index, copy=False) for x in pair)
        rows.append(row + index.type(tops[i]) if tops[i] else row)
        columns.append(column + index.type(lefts[j]) if lefts[j] else column)
    common = np.result_type(*[x.dtype for x, _, _ in places])
    if dtype is not None:
        common = check_dtype(dtype)
    data = concatenate([x.data.astype(common, copy=False) for x, _, _ in places])
    coords = (concatenate(rows), concatenate(columns))
    return cls._from_parts(data, coords, shape)
