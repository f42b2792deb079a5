"""Sparse arrays in coordinate format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpuarray._namespace.shared_texts import sharing, texts_of
from gpuarray._ops.casts import astype
from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import zeros
from gpuarray._ops.histograms import bincount
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.joining import concatenate
from gpuarray._ops.ranges import arange
from gpuarray._ops.searching import count_nonzero
from gpuarray.kernels.sparse_format.launch import find_in_indices, line_pointers, store_entries
from gpuarray.scipy.sparse import _conversions, _linear
from gpuarray.scipy.sparse._base import SparseBase, sparray
from gpuarray.scipy.sparse._coo_parts import in_index_dtype
from gpuarray.scipy.sparse._coo_products import CoordinateProducts
from gpuarray.scipy.sparse._coo_shapes import CoordinateShapes
from gpuarray.scipy.sparse._dense import dense_result
from gpuarray.scipy.sparse._index_dtype import INT64, index_dtype
from gpuarray.scipy.sparse._matrix import spmatrix

if TYPE_CHECKING:
    from gpuarray._types import ndarray
    from gpuarray.scipy.sparse._csc import CscBase
    from gpuarray.scipy.sparse._csr import CsrBase
    from gpuarray.scipy.sparse._dia import DiaBase

__all__ = ["coo_array", "coo_matrix", "isspmatrix_coo"]


class CooBase(CoordinateProducts, CoordinateShapes):
    """What arrays and matrices in coordinate format share."""

    @property
    def col(self) -> ndarray:
        """The last index of each entry."""
        return self.coords[-1]

    @col.setter
    def col(self, columns: Any) -> None:
        new = asarray(columns, dtype=self.coords[-1].dtype)
        self.coords = (*self.coords[:-1], new)
        self.has_canonical_format = False

    @property
    def row(self) -> ndarray:
        """The last index but one of each entry; of one dimension zeros, which are read-only."""
        if self.ndim == 1:
            rows = zeros(self.coords[0].shape, self.coords[0].dtype)
            rows.flags.writeable = False  # what is stored in them would be lost
            return rows
        return self.coords[-2]

    @row.setter
    def row(self, rows: Any) -> None:
        if self.ndim < 2:
            raise ValueError("cannot set row attribute of a 1-dimensional sparse array")
        new = asarray(rows, dtype=self.coords[-2].dtype)
        self.coords = (*self.coords[:-2], new, self.coords[-1])
        self.has_canonical_format = False

    def _with_data(self, data: ndarray, copy: bool = True) -> Self:
        coords = [x.copy() for x in self.coords] if copy else self.coords
        canonical = self.has_canonical_format
        return self._from_parts(data, coords, self._shape, canonical=canonical)

    def _added_data(self) -> ndarray:
        self.sum_duplicates()
        return self.data

    def _parts_on_host(self, stream: Any) -> tuple[Any, ...]:
        coords = tuple([asnumpy(x, stream) for x in self.coords])
        return asnumpy(self.data, stream), coords

    def _getnnz(self, axis: int | None = None) -> Any:
        if axis is None:
            return self.data.size
        return self._counts(self, _axis(axis, self.ndim))

    @staticmethod
    def _counts(a: CooBase, axis: int) -> Any:
        """How many entries there are along an axis."""
        if a.ndim == 1:
            return a.data.size
        if a.ndim == 2:
            return bincount(a.coords[1 - axis], minlength=a._shape[1 - axis])
        rows, shape = _linear.as_matrix(a, [axis])
        return bincount(rows.coords[0], minlength=rows.shape[0]).reshape(shape)

    # ---- order ----

    def sum_duplicates(self) -> None:
        """Add entries at one place, and sort them by their indices, the first one first, in place.

        Sums add values in the order that they have, so that they are the same each time. One sort,
        and it waits for the device once; nothing where it is known that there is nothing to do.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.coo_array((cp.array([1, 2, 3]), ([1, 0, 1], [0, 1, 0])))
        >>> a.sum_duplicates()
        >>> a.data, a.row
        (array([2, 4]), array([0, 1]))
        """
        if self.has_canonical_format:
            return
        if self.ndim > 2:
            coords, data = _linear.summed(self.coords, self.data, self._shape)
            self.coords, self.data, self.has_canonical_format = tuple(coords), data, True
            return
        index = self.coords[0].dtype
        found = _conversions.in_order(
            self.row, self.col, self.data, self._shape_2d, index, with_major=True
        )
        minor = found.minor
        self.data = found.data
        self.coords = (minor,) if self.ndim == 1 else (found.major, minor)
        self.has_canonical_format = True

    def eliminate_zeros(self) -> None:
        """Drop entries that are zero, in place. Waits for the device once.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.coo_array((cp.array([0, 5]), ([0, 1], [1, 0])))
        >>> a.eliminate_zeros()
        >>> a.nnz
        1
        """
        found = _conversions.nonzero_entries(self.data, *self.coords)
        if found is not None:
            *coords, self.data = found
            self.coords = tuple(coords)

    # ---- conversions ----

    def tocoo(self, copy: bool = False) -> Self:
        return self.copy() if copy else self

    tocoo.__doc__ = SparseBase.tocoo.__doc__

    def tocsr(self, copy: bool = False) -> CsrBase:
        if self.ndim > 2:
            raise ValueError(f"Cannot convert. CSR must be 1D or 2D. Got {self.ndim}D")
        if not self.nnz:
            empty: CsrBase = self._class_of("csr")(self._shape, dtype=self.dtype)
            return empty
        index = index_dtype(self.coords, max(self.nnz, *self._shape))
        parts = self._compressed(self.row, self.col, self._shape_2d, index)
        canonical = None if parts[3] else True
        made: CsrBase = self._class_of("csr")._from_parts(
            *parts[:3], self._shape, sorted=canonical, canonical=canonical
        )
        return made

    tocsr.__doc__ = SparseBase.tocsr.__doc__

    def _compressed(
        self, major: Any, minor: Any, shape: tuple[int, int], index: np.dtype
    ) -> tuple[Any, Any, Any, bool]:
        """Data, minor indices and pointers, and whether the entries' order is not known."""
        if self.has_canonical_format and self._is_ordered_by(major):
            # Someone may have said that it is canonical, though columns are not sorted.
            pointers = line_pointers(_conversions.flat(major), shape[0], 1, index)
            return self.data.copy(), in_index_dtype(minor, index, True), pointers, True
        add = not self.has_canonical_format
        return (
            *_conversions.compressed(major, minor, self.data, shape, index, add=add),
            not add,
        )

    def _is_ordered_by(self, major: Any) -> bool:
        (found,) = find_in_indices([_conversions.flat(major)])
        return found["descents"] == 0

    def tocsc(self, copy: bool = False) -> CscBase:
        if self.ndim != 2:
            raise ValueError(f"Cannot convert. CSC format must be 2D. Got {self.ndim}D")
        rows, columns = self._shape_2d
        if not self.nnz:
            empty: CscBase = self._class_of("csc")(self._shape, dtype=self.dtype)
            return empty
        index = index_dtype(self.coords, max(self.nnz, rows, columns))
        parts = self._compressed(self.col, self.row, (columns, rows), index)
        canonical = None if parts[3] else True
        made: CscBase = self._class_of("csc")._from_parts(
            *parts[:3], self._shape, sorted=canonical, canonical=canonical
        )
        return made

    tocsc.__doc__ = SparseBase.tocsc.__doc__

    def todia(self, copy: bool = False) -> DiaBase:
        from gpuarray.scipy.sparse._dia import diagonals_of

        if self.ndim != 2:
            raise ValueError(f"Cannot convert. DIA format must be 2D. Got {self.ndim}D")
        return diagonals_of(self)

    todia.__doc__ = SparseBase.todia.__doc__

    def toarray(self, order: str | None = None, out: ndarray | None = None) -> ndarray:
        result, matrix = dense_result(self, order, out)
        if self.ndim > 2:
            _linear.store(self, result)
            return result
        major, minor, data = self.row, self.col, self.data
        if not self.has_canonical_format:
            found = _conversions.in_order(
                major, minor, data, self._shape_2d, major.dtype, with_major=True
            )
            major, minor, data = found.major, found.minor, found.data
        _conversions.check_lengths(data, minor)
        major, minor, data = [_conversions.flat(x) for x in (major, minor, data)]
        store_entries(*_conversions.of_one_dtype(major, minor), data, matrix)
        return result

    toarray.__doc__ = SparseBase.toarray.__doc__

    # ---- elements ----

    def nonzero(self) -> tuple[ndarray, ...]:
        found = _conversions.nonzero_entries(self.data, *self.coords)
        return self.coords if found is None else found[:-1]

    nonzero.__doc__ = SparseBase.nonzero.__doc__

    def count_nonzero(self, axis: int | None = None) -> int | ndarray:
        self.sum_duplicates()
        if axis is None:
            return int(asnumpy(count_nonzero(self.data)))
        found = _conversions.nonzero_entries(self.data, *self.coords)
        if found is None:
            return self._counts(self, _axis(axis, self.ndim))
        *coords, data = found
        return self._counts(self._from_parts(data, coords, self._shape), _axis(axis, self.ndim))

    count_nonzero.__doc__ = SparseBase.count_nonzero.__doc__

    def diagonal(self, k: int = 0) -> ndarray:
        if self.ndim != 2:
            raise ValueError("diagonal requires two dimensions")
        rows, columns = self._shape_2d
        if k <= -rows or k >= columns:
            return zeros(0, self.dtype)
        result = zeros(min(rows + min(k, 0), columns - max(k, 0)), self.dtype)
        chosen = astype(self.row, INT64) + k == self.col
        place = self.row[chosen] if k >= 0 else self.col[chosen]
        data = self.data[chosen]
        if not self.has_canonical_format:
            found = _conversions.in_order(
                zeros(place.shape, place.dtype), place, data, (1, result.size), place.dtype
            )
            place, data = found.minor, found.data
        result[place] = data
        return result

    diagonal.__doc__ = SparseBase.diagonal.__doc__

    def setdiag(self, values: Any, k: int = 0) -> None:
        if self.ndim != 2:
            raise ValueError("setting a diagonal requires two dimensions")
        given, length = self._diagonal_values(values, k)
        if length <= 0:
            return
        row, column = astype(self.row, INT64), astype(self.col, INT64)
        others = (column - row != k) | (column - max(k, 0) >= length)
        index = self.coords[0].dtype
        places = arange(length, dtype=index)
        new = given[:length] if given.ndim else zeros(length, self.dtype) + given
        coords = (
            concatenate([self.row[others], places + max(-k, 0)]),
            concatenate([self.col[others], places + max(k, 0)]),
        )
        data = concatenate([self.data[others], new])
        self.coords, self.data = tuple([in_index_dtype(x, index, False) for x in coords]), data
        self.has_canonical_format = False

    setdiag.__doc__ = SparseBase.setdiag.__doc__


def _axis(axis: int, ndim: int) -> int:
    found = axis + ndim if axis < 0 else axis
    if not 0 <= found < ndim:
        raise ValueError(f"axis out of bounds: {axis} of an array with {ndim} dimensions")
    return found


class coo_array(sparray, CooBase):
    """A sparse array in coordinate format: an index for each dimension, and a value, per entry.

    Parameters
    ----------
    arg1 : array_like, sparse array, or tuple
        A dense array of one dimension to 64; a sparse array of this package or of SciPy;
        ``(data, coords)`` with an index array for each dimension; a shape, of which all elements
        are zero.
        What is in host memory is copied to the device.
    shape : tuple of int, optional
        The shape of entries in coordinates; by default the least that has all indices.
    dtype : dtype, optional
        What elements are cast to.
    copy : bool, optional
        Whether arrays on the device are copied; else those that fit become parts of the result.
    maxprint : int, optional
        How many entries are printed.

    Attributes
    ----------
    data : ndarray
        The values.
    coords : tuple of ndarray
        The indices, int32 or int64; int64 of three dimensions and more.
    has_canonical_format : bool
        Whether it is known that entries are sorted, and no two are at one place.

    Raises
    ------
    ValueError
        If an index is out of bounds, lengths differ, or elements cannot have the dtype.
    TypeError
        If a tuple is none of those above.

    Notes
    -----
    Indices are checked, which waits for the device once. The other formats have two dimensions at
    most: an array of more computes as a matrix whose rows are some of its dimensions, and whose
    columns are the others.

    Differences from SciPy
    ----------------------
    Along an axis of three dimensions and more, `count_nonzero` gives what NumPy does; SciPy counts
    along another one. `mT` exchanges the last two dimensions; SciPy has no such property.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> data, row, col = cp.array([4.0, 5, 6]), cp.array([0, 1, 1]), cp.array([1, 0, 0])
    >>> sparse.coo_array((data, (row, col)), shape=(2, 2)).toarray()
    array([[ 0.,  4.],
           [11.,  0.]])
    >>> sparse.coo_array((data, (row, col, row)), shape=(2, 2, 2)).sum(axis=(0, 2))
    array([11.,  4.])
    """


@sharing(texts_of(coo_array))
class coo_matrix(spmatrix, CooBase):
    """A sparse matrix in coordinate format: `coo_array` with the operators of matrices.

    It always has two dimensions, ``*`` is the matrix product, and wide index arrays become int32
    where their indices fit.

    Parameters
    ----------
    {arg1}
    {shape}
    {dtype}
    {copy}
    {maxprint}

    {Raises}

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> sparse.coo_matrix(cp.array([[0, 2], [0, 0]])).row
    array([0], dtype=int32)
    """

    _dimensions = (2,)


def isspmatrix_coo(x: object) -> bool:
    """Whether an object is a `coo_matrix`.

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
    >>> sparse.isspmatrix_coo(sparse.coo_matrix((2, 2)))
    True
    """
    return isinstance(x, coo_matrix)
