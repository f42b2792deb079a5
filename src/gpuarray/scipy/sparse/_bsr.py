"""Sparse arrays in block sparse row format."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpuarray._namespace.shared_texts import sharing, texts_of
from gpuarray._ops.casts import astype
from gpuarray._ops.creation import zeros
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.ranges import arange
from gpuarray._ops.searching import count_nonzero
from gpuarray._ops.taking import take
from gpuarray._ops.truth import any as any_true
from gpuarray.kernels.sparse_format.launch import line_pointers
from gpuarray.scipy.sparse import _conversions, _shapes
from gpuarray.scipy.sparse._base import SparseBase, issparse, sparray
from gpuarray.scipy.sparse._blocks import block_counts
from gpuarray.scipy.sparse._foreign import from_foreign
from gpuarray.scipy.sparse._index_checks import check_lines, in_dtype, of_one_width
from gpuarray.scipy.sparse._index_dtype import (
    INT32_MAX,
    INT64,
    as_data,
    check_dtype,
    index_dtype,
)
from gpuarray.scipy.sparse._line_order import LineOrder
from gpuarray.scipy.sparse._matrix import spmatrix

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike, ndarray
    from gpuarray.scipy.sparse._coo import CooBase
    from gpuarray.scipy.sparse._csr import CsrBase

__all__ = ["bsr_array", "bsr_matrix", "isspmatrix_bsr"]


class BsrBase(LineOrder):
    """What arrays and matrices in block sparse row format share."""

    _format = "bsr"

    def __init__(
        self,
        arg1: Any,
        shape: Any = None,
        dtype: DTypeLike | None = None,
        copy: bool = False,
        blocksize: tuple[int, int] | None = None,
        *,
        maxprint: int | None = None,
    ) -> None:
        self._start(arg1, maxprint)
        self._sorted = self._canonical = None
        arg1 = from_foreign(arg1)
        if blocksize is not None and not isinstance(blocksize, Iterable):
            raise TypeError(
                f"{type(self).__name__}: cannot unpack non-iterable {type(blocksize).__name__} "
                f"object {blocksize!r} as blocksize; pass a tuple of two integers"
            )
        if blocksize is not None and not _shapes.is_shape(tuple(blocksize), (2,)):
            raise ValueError(f"invalid blocksize={blocksize}")
        if isinstance(arg1, tuple) and _shapes.is_shape(arg1, (2,)):
            self._take_shape(arg1, dtype, blocksize)
            return
        if isinstance(arg1, tuple) and len(arg1) == 3:
            self._takeblock_counts(arg1, shape, dtype, copy, blocksize)
            return
        if isinstance(arg1, tuple) and len(arg1) != 2:
            raise ValueError(
                f"unrecognized {type(self).__name__} constructor input of {len(arg1)} parts"
            )
        if not issparse(arg1):
            if not isinstance(arg1, tuple):
                arg1 = as_data(arg1, dtype, False)
                if isinstance(self, sparray) and arg1.ndim != 2:
                    raise ValueError(f"BSR arrays don't support {arg1.ndim}D input. Use 2D")
            arg1 = self._class_of("coo")(arg1, shape=shape, dtype=dtype)
        elif shape is not None and _shapes.as_shape(shape, (2,)) != arg1.shape:
            raise ValueError(f"inconsistent shapes: {shape} != {arg1.shape}")
        found = arg1.tobsr(blocksize=blocksize, copy=copy)
        if dtype is not None:
            found = found.astype(dtype, copy=False)
        self.data, self.indices, self.indptr = found.data, found.indices, found.indptr
        self._shape = found._shape
        self._sorted, self._canonical = found._sorted, found._canonical

    def _take_shape(self, shape: tuple[Any, ...], dtype: Any, blocksize: Any) -> None:
        self._shape = _shapes.as_shape(shape, (2,))
        block = (1, 1) if blocksize is None else tuple(blocksize)
        lines = block_counts(self._shape, block, "shape must be multiple of blocksize")
        index = index_dtype(maxval=max(*lines, *block))
        self.data = zeros((0, *block), check_dtype(np.float64 if dtype is None else dtype))
        self.indices, self.indptr = zeros(0, index), zeros(lines[0] + 1, index)
        self._sorted = self._canonical = True

    def _takeblock_counts(
        self, arg1: tuple[Any, ...], shape: Any, dtype: Any, copy: bool, blocksize: Any
    ) -> None:
        data = as_data(arg1[0], dtype, copy)
        if data.ndim != 3:
            raise ValueError(f"BSR data must be 3-dimensional, got shape={data.shape}")
        block = data.shape[1:]
        if 0 in block:
            raise ValueError(f"BSR data must have blocks with elements, not of the shape {block}")
        if blocksize is not None and tuple(blocksize) != block:
            raise ValueError(f"mismatching blocksize={blocksize} vs {block}")
        indices, indptr, width = of_one_width(arg1[1], arg1[2])
        lines: tuple[int | None, int | None] = (None, None)
        if shape is not None:
            shape = _shapes.as_shape(shape, (2,))
            lines = block_counts(
                shape, block, f"shape {shape} must be multiple of blocksize {block}"
            )
        found = check_lines(data.shape[0], indices, indptr, *lines)
        if shape is None:
            if not indices.size:
                raise ValueError("unable to infer matrix dimensions")
            shape = ((indptr.size - 1) * block[0], (found["greatest"] + 1) * block[1])
        self._take_lines(data, (indices, indptr, width), shape, found, copy)

    @property
    def blocksize(self) -> tuple[int, int]:
        """Rows and columns of a block."""
        rows, columns = self.data.shape[1:]
        return rows, columns

    @property
    def _lines(self) -> tuple[int, int]:
        """How many rows and columns of blocks there are."""
        rows, columns = self._shape_2d
        return rows // self.blocksize[0], columns // self.blocksize[1]

    @property
    def _described(self) -> str:
        return f" (blocksize={self.blocksize[0]}x{self.blocksize[1]})"

    def _getnnz(self, axis: int | None = None) -> Any:
        if axis is not None:
            raise NotImplementedError("getnnz over an axis is not implemented for BSR format")
        return self.data.size

    def count_nonzero(self, axis: int | None = None) -> int | ndarray:
        if axis is not None:
            return self.tocsr().count_nonzero(axis)
        return int(asnumpy(count_nonzero(self._added_data())))

    count_nonzero.__doc__ = SparseBase.count_nonzero.__doc__

    # ---- order ----

    def sort_indices(self) -> None:
        """Sort the blocks of each row by their columns, in place.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> parts = cp.arange(8).reshape(2, 2, 2), cp.array([1, 0]), cp.array([0, 2])
        >>> a = sparse.bsr_array(parts)
        >>> a.sort_indices()
        >>> a.indices
        array([0, 1])
        """
        if self.has_sorted_indices:
            return
        count, index = self.indices.size, self.indices.dtype
        order, indices, indptr = _conversions.compressed(
            self._major(), self.indices, arange(count), self._lines, index, add=False
        )
        self.data, self.indices, self.indptr = take(self.data, order, 0), indices, indptr
        self._sorted, self._canonical = True, None

    def sum_duplicates(self) -> None:
        """Add blocks at one place, and sort those of each row, in place.

        Waits for the device.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> parts = cp.ones((2, 1, 2)), cp.array([0, 0]), cp.array([0, 2])
        >>> a = sparse.bsr_array(parts)
        >>> a.sum_duplicates()
        >>> a.data
        array([[[2., 2.]]])
        """
        if self.has_canonical_format:
            return
        found = self.tocoo(copy=False).tocsr().tobsr(self.blocksize)
        self.data, self.indices, self.indptr = found.data, found.indices, found.indptr
        self._sorted = self._canonical = True

    def eliminate_zeros(self) -> None:
        """Drop blocks of which all elements are zero, in place. Waits for the device once.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> parts = cp.array([[[0, 0]], [[0, 1]]]), cp.array([0, 1]), cp.array([0, 2])
        >>> a = sparse.bsr_array(parts)
        >>> a.eliminate_zeros()
        >>> a.indices
        array([1])
        """
        kept = any_true(self.data != 0, axis=(1, 2))
        lines = self._major()[kept]
        self._data, self._indices = self.data[kept], self.indices[kept]
        self._indptr = line_pointers(lines, self._lines[0], 1, self.indices.dtype)

    def resize(self, *shape: Any) -> None:
        """Change the shape in place: blocks that are outside the new one are dropped.

        Waits for the device where the matrix becomes smaller.

        Parameters
        ----------
        *shape : int, or a tuple of int
            The new shape, which blocks divide.

        Raises
        ------
        ValueError
            If the blocks do not divide it, or it has not two dimensions.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_array(cp.eye(4)).tobsr((2, 2))
        >>> a.resize(2, 6)
        >>> a.toarray()
        array([[1., 0., 0., 0., 0., 0.],
               [0., 1., 0., 0., 0., 0.]])
        """
        given = shape[0] if len(shape) == 1 and not _shapes.is_integer(shape[0]) else shape
        found = _shapes.as_shape(given, self._dimensions)
        height, width = self.blocksize
        if found[0] % height or found[1] % width:
            raise ValueError(f"shape must be divisible into {self.blocksize} blocks. Got {found}")
        data, indices, indptr = self._resized_lines((found[0] // height, found[1] // width))
        if max(found) > INT32_MAX:
            indices, indptr = in_dtype(indices, INT64), in_dtype(indptr, INT64)
        self._data, self._indices, self._indptr, self._shape = data, indices, indptr, found

    def setdiag(self, values: Any, k: int = 0) -> None:
        rows = self.tocsr(copy=True)
        rows.setdiag(values, k)
        found = rows.tobsr(blocksize=self.blocksize)
        self._data, self._indices, self._indptr = found._data, found._indices, found._indptr

    # ---- conversions ----

    def tobsr(self, blocksize: tuple[int, int] | None = None, copy: bool = False) -> BsrBase:
        if blocksize is not None and tuple(blocksize) != self.blocksize:
            return self.tocsr().tobsr(blocksize=blocksize)
        return self.copy() if copy else self

    tobsr.__doc__ = SparseBase.tobsr.__doc__

    def tocoo(self, copy: bool = True) -> CooBase:
        (height, width), (blocks, *_) = self.blocksize, self.data.shape
        index = index_dtype(maxval=max(self._shape))
        shape = (blocks, height, width)
        row = _stacked(self._major(), index, height, arange(height, dtype=index).reshape(-1, 1))
        column = _stacked(self.indices, index, width, arange(width, dtype=index))
        places = [zeros(shape, index) + x for x in (row, column)]
        data = self.data.reshape(-1)
        made: CooBase = self._class_of("coo")._from_parts(
            data.copy() if copy else data, [x.reshape(-1) for x in places], self._shape
        )
        return made

    tocoo.__doc__ = SparseBase.tocoo.__doc__

    def tocsr(self, copy: bool = False) -> CsrBase:
        """The same in compressed sparse row format; see `csr_array.tocsr`.

        Where each element comes to lie follows from the pointers: nothing is sorted.

        Parameters
        ----------
        copy : bool, optional
            Whether the result never shares memory with the operand.

        Returns
        -------
        csr_array or csr_matrix
            The result.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.bsr_array(cp.ones((2, 2)), blocksize=(2, 1)).tocsr().indices
        array([0, 1, 0, 1], dtype=int32)
        """
        (height, width), count = self.blocksize, self.data.size
        rows, columns = self._shape_2d
        index = index_dtype((self.indices, self.indptr), max(count, columns))
        starts = astype(self.indptr, INT64)
        # Blocks before a row of blocks, and in it.
        lengths = (starts[1:] - starts[:-1]).reshape(-1, 1)
        line = starts[:-1].reshape(-1, 1) * (height * width) + lengths * width * arange(height)
        pointers = zeros(rows + 1, index)
        pointers[:rows] = line.reshape(-1)
        pointers[rows:] = count
        major = self._major()
        before = arange(self.indices.size) - take(starts, major)
        place = take(line, major, 0).reshape(-1, height, 1) + arange(width)
        place = (place + (before * width).reshape(-1, 1, 1)).reshape(-1)
        column = _stacked(self.indices, index, width, arange(width, dtype=index))
        column = (zeros(self.data.shape, index) + column).reshape(-1)
        data, indices = zeros(count, self.dtype), zeros(count, index)
        data[place], indices[place] = self.data.reshape(-1), column
        made: CsrBase = self._class_of("csr")._from_parts(
            data, indices, pointers, self._shape, sorted=self._sorted, canonical=self._canonical
        )
        return made

    def transpose(self, axes: tuple[int, int] | None = None, copy: bool = False) -> Self:
        self._check_axes(axes)
        order, indices, indptr = _conversions.transposed(
            arange(self.indices.size), self.indices, self.indptr, self._lines[1],
            self.indices.dtype,
        )  # fmt: skip
        data = take(self.data, order, 0).transpose(0, 2, 1)
        return self._from_parts(
            data.copy("C"), indices, indptr, self._shape[::-1], sorted=True,
            canonical=self._canonical or None,
        )  # fmt: skip

    transpose.__doc__ = SparseBase.transpose.__doc__


def _stacked(lines: Any, index: np.dtype, extent: int, inside: Any) -> Any:
    """Rows or columns of elements, from those of blocks and those in a block."""
    return astype(lines, index).reshape(-1, 1, 1) * extent + inside


class bsr_array(sparray, BsrBase):
    """A sparse array in block sparse row format: dense blocks, those of a row behind one another.

    Parameters
    ----------
    arg1 : array_like, sparse array, or tuple
        A dense array of two dimensions; a sparse array of this package or of SciPy;
        ``(data, indices, indptr)``, where row ``i`` of blocks has the blocks
        ``data[indptr[i]:indptr[i + 1]]`` in the columns that ``indices`` says;
        ``(data, (row, col))``; a shape, of which all elements are zero. What is in host memory is
        copied to the device.
    shape : tuple of int, optional
        The shape; by default the least that has all indices.
    dtype : dtype, optional
        What elements are cast to.
    copy : bool, optional
        Whether arrays on the device are copied; else those that fit become parts of the result.
    blocksize : (int, int), optional
        Rows and columns of a block, which divide the shape. By default, the largest blocks of some
        usual sizes that are filled well.
    maxprint : int, optional
        How many entries are printed.

    Attributes
    ----------
    data : ndarray, shape (blocks, rows, columns)
        The values.
    indices : ndarray
        The column of each block, int32 or int64.
    indptr : ndarray
        Where rows of blocks start, of the same dtype.

    Raises
    ------
    ValueError
        If an index is out of bounds, pointers decrease, or the blocks do not fit the shape.

    Notes
    -----
    Indices are checked, which waits for the device once.

    Differences from SciPy
    ----------------------
    Blocks that are made of another format are sorted by their columns.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> parts = cp.array([[[1, 2], [3, 4]]]), cp.array([1]), cp.array([0, 1])
    >>> sparse.bsr_array(parts).toarray()
    array([[0, 0, 1, 2],
           [0, 0, 3, 4]])
    """


@sharing(texts_of(bsr_array))
class bsr_matrix(spmatrix, BsrBase):
    """A sparse matrix in block sparse row format: `bsr_array` with the operators of matrices.

    Parameters
    ----------
    {arg1}
    {shape}
    {dtype}
    {copy}
    {blocksize}
    {maxprint}

    {Raises}

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> sparse.bsr_matrix(cp.eye(4), blocksize=(2, 2)).indices
    array([0, 1], dtype=int32)
    """


def isspmatrix_bsr(x: object) -> bool:
    """Whether an object is a `bsr_matrix`.

    Parameters
    ----------
    x : object
        What is asked about.

    Returns
    -------
    bool
        Whether.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> sparse.isspmatrix_bsr(sparse.bsr_matrix((2, 2)))
    True
    """
    return isinstance(x, bsr_matrix)
