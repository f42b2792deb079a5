"""Sparse arrays in coordinate format."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpuarray._namespace.docstrings import shares
from gpuarray._ops.casts import astype
from gpuarray._ops.conversion import asarray, asnumpy
from gpuarray._ops.creation import zeros
from gpuarray._ops.histograms import bincount
from gpuarray._ops.joining import concatenate
from gpuarray._ops.ranges import arange
from gpuarray._ops.searching import count_nonzero
from gpuarray.kernels.sparse_format.launch import find_in_indices, line_pointers, store_entries
from gpuarray.scipy.sparse import _conversions, _shapes
from gpuarray.scipy.sparse._base import SparseBase, sparray
from gpuarray.scipy.sparse._coo_parts import CoordinateParts, in_index_dtype
from gpuarray.scipy.sparse._dense import dense_result
from gpuarray.scipy.sparse._index_dtype import INT64, index_dtype
from gpuarray.scipy.sparse._matrix import spmatrix

if TYPE_CHECKING:
    from gpuarray._types import ndarray
    from gpuarray.scipy.sparse._csc import CscBase
    from gpuarray.scipy.sparse._csr import CsrBase
    from gpuarray.scipy.sparse._dia import DiaBase

__all__ = ["coo_array", "coo_matrix", "isspmatrix_coo"]


class CooBase(CoordinateParts):
    """What arrays and matrices in coordinate format share."""

    @property
    def col(self) -> ndarray:
        """The column of each entry."""
        return self.coords[-1]

    @col.setter
    def col(self, columns: Any) -> None:
        new = asarray(columns, dtype=self.coords[-1].dtype)
        self.coords = (*self.coords[:-1], new)
        self.has_canonical_format = False

    @property
    def row(self) -> ndarray:
        """The row of each entry: zeros in an array of one dimension."""
        if self.ndim == 1:
            return zeros(self.coords[0].shape, self.coords[0].dtype)
        return self.coords[0]

    @row.setter
    def row(self, rows: Any) -> None:
        if self.ndim < 2:
            raise ValueError("cannot set row attribute of a 1-dimensional sparse array")
        new = asarray(rows, dtype=self.coords[0].dtype)
        self.coords = (new, *self.coords[1:])
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
        axis = _axis(axis, self.ndim)
        if self.ndim == 1:
            return self.data.size
        return bincount(self.coords[1 - axis], minlength=self._shape[1 - axis])

    # ---- order ----

    def sum_duplicates(self) -> None:
        """Add entries at one place, and sort them by row and then by column, in place.

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

        return diagonals_of(self)

    todia.__doc__ = SparseBase.todia.__doc__

    def toarray(self, order: str | None = None, out: ndarray | None = None) -> ndarray:
        result, matrix = dense_result(self, order, out)
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

    # ---- shape ----

    def reshape(self, *shape: Any, order: str = "C", copy: bool = False) -> Any:
        found = _shapes.new_shape(shape, self._shape, self._dimensions)
        _shapes.order_of(order)
        if found == self._shape:
            return self.copy() if copy else self
        rows, columns = self._shape_2d
        row, column = astype(self.row, INT64), astype(self.col, INT64)
        places = row * columns + column if order == "C" else column * rows + row
        coords: list[Any]
        if len(found) == 1:
            coords = [places]
        else:
            step = max(found[1] if order == "C" else found[0], 1)
            coords = [places // step, places % step]
            if order == "F":
                coords.reverse()
        index = index_dtype(self.coords, max(found))
        data = self.data.copy() if copy else self.data
        return self._from_parts(data, [in_index_dtype(x, index, False) for x in coords], found)

    reshape.__doc__ = SparseBase.reshape.__doc__

    def resize(self, *shape: Any) -> None:
        """Change the shape in place: elements that are outside the new one are dropped.

        Waits for the device once where the array becomes smaller.

        Parameters
        ----------
        *shape : int, or a tuple of int
            The new shape. If it has another number of dimensions, elements are first laid out
            behind one another, row by row.

        Raises
        ------
        ValueError
            If it has more dimensions than there can be.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.coo_array(cp.eye(3))
        >>> a.resize(2, 4)
        >>> a.toarray()
        array([[1., 0., 0., 0.],
               [0., 1., 0., 0.]])
        """
        given = shape[0] if len(shape) == 1 and not _shapes.is_integer(shape[0]) else shape
        found = _shapes.as_shape(given, self._dimensions)
        if len(found) != self.ndim:
            line = self.reshape(-1)
            line.resize(math.prod(found))
            line = line.reshape(found)
            self._data, self._coords, self._shape = line._data, line._coords, found
            self.has_canonical_format = False
            return
        if any(new < old for new, old in zip(found, self._shape, strict=True)):
            inside: Any = self.coords[0] < found[0]
            for x, extent in zip(self.coords[1:], found[1:], strict=True):
                inside = inside & (x < extent)
            self.coords, self.data = tuple([x[inside] for x in self.coords]), self.data[inside]
        index = index_dtype(self.coords, max(found))
        self.coords = tuple([in_index_dtype(x, index, False) for x in self.coords])
        self._shape = found

    def transpose(self, axes: tuple[int, int] | None = None, copy: bool = False) -> Self:
        order = self._order(axes)
        coords, data = [self.coords[axis] for axis in order], self.data
        if copy:
            coords, data = [x.copy() for x in coords], data.copy()
        return self._from_parts(data, tuple(coords), tuple([self._shape[axis] for axis in order]))

    transpose.__doc__ = SparseBase.transpose.__doc__

    def _order(self, axes: Any) -> Sequence[int]:
        """Where a transpose's axes come from: of arrays in any order, as SciPy's have it."""
        reverse = range(self.ndim)[::-1]
        if axes is None:
            return reverse
        cls: type = type(self)
        if not issubclass(cls, sparray):
            self._check_axes(axes)
            return reverse
        if not hasattr(axes, "__len__") or len(axes) != self.ndim:
            raise ValueError(
                f"axes don't match matrix dimensions: {axes!r} are not those of {self.ndim}"
            )
        order = [operator.index(axis) for axis in axes]
        order = [axis + self.ndim if axis < 0 else axis for axis in order]
        if not all(0 <= axis < self.ndim for axis in order):
            raise IndexError(f"transpose: axes {axes!r} of an array of {self.ndim} dimensions")
        if len(set(order)) < self.ndim:
            raise ValueError(f"repeated axis in transpose: {axes!r}")
        return order

    # ---- elements ----

    def nonzero(self) -> tuple[ndarray, ...]:
        found = _conversions.nonzero_entries(self.data, *self.coords)
        return self.coords if found is None else found[:-1]

    nonzero.__doc__ = SparseBase.nonzero.__doc__

    def count_nonzero(self, axis: int | None = None) -> Any:
        self.sum_duplicates()
        if axis is None:
            return int(asnumpy(count_nonzero(self.data)))
        other = self.coords[-1 - _axis(axis, self.ndim)]
        found = _conversions.nonzero_entries(self.data, other)
        if self.ndim == 1:
            return self.data.size if found is None else found[0].size
        extent = self._shape[-1 - _axis(axis, self.ndim)]
        return bincount(other if found is None else found[0], minlength=extent)

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
        rows, columns = self._shape_2d
        if (k > 0 and k >= columns) or (k < 0 and -k >= rows):
            raise ValueError("k exceeds array dimensions")
        given = astype(asarray(values), self.dtype)
        length = min(rows + min(k, 0), columns - max(k, 0))
        if given.ndim:
            length = min(length, given.size)
        if length <= 0:
            return
        row, column = astype(self.row, INT64), astype(self.col, INT64)
        others = (column - row != k) | (column - max(k, 0) >= length)
        index = self.coords[0].dtype
        places = arange(length, dtype=index)
        new = given.reshape(-1)[:length] if given.ndim else zeros(length, self.dtype) + given
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
        A dense array of one or two dimensions; a sparse array of this package or of SciPy;
        ``(data, (row, col))`` or ``(data, (index,))``; a shape, of which all elements are zero.
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
        The indices, int32 or int64.
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
    Indices are checked, which waits for the device once.

    Differences from SciPy
    ----------------------
    There are one or two dimensions, not more.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> data, row, col = cp.array([4.0, 5, 6]), cp.array([0, 1, 1]), cp.array([1, 0, 0])
    >>> sparse.coo_array((data, (row, col)), shape=(2, 2)).toarray()
    array([[ 0.,  4.],
           [11.,  0.]])
    """


@shares(coo_array, but=("Examples",))
class coo_matrix(spmatrix, CooBase):
    """A sparse matrix in coordinate format: `coo_array` with the operators of matrices.

    It always has two dimensions, ``*`` is the matrix product, and wide index arrays become int32
    where their indices fit.

    Parameters
    ----------
    arg1, shape, dtype, copy, maxprint
        As for `coo_array`.

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
