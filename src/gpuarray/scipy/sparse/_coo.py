"""Sparse arrays in coordinate format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from gpuarray import _array, _layout
from gpuarray._ops.casts import astype
from gpuarray._ops.conversion import asarray, asnumpy
from gpuarray._ops.creation import zeros
from gpuarray._ops.histograms import bincount
from gpuarray._ops.joining import concatenate
from gpuarray._ops.ranges import arange
from gpuarray._ops.searching import count_nonzero
from gpuarray.kernels.sparse_format.launch import find_in_indices, line_pointers, store_entries
from gpuarray.scipy.sparse import _conversions, _shapes
from gpuarray.scipy.sparse._base import SparseBase, issparse, sparray
from gpuarray.scipy.sparse._data import DataBase
from gpuarray.scipy.sparse._foreign import from_foreign
from gpuarray.scipy.sparse._index_checks import as_index
from gpuarray.scipy.sparse._index_dtype import INT64, as_data, check_dtype, index_dtype
from gpuarray.scipy.sparse._matrix import spmatrix

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike, ndarray
    from gpuarray.scipy.sparse._csc import CscBase
    from gpuarray.scipy.sparse._csr import CsrBase
    from gpuarray.scipy.sparse._dia import DiaBase

__all__ = ["coo_array", "coo_matrix", "isspmatrix_coo"]


class CooBase(DataBase):
    """What arrays and matrices in coordinate format share."""

    _format = "coo"
    _dimensions: ClassVar[tuple[int, ...]] = (1, 2)

    _coords: tuple[ndarray, ...]
    #: Whether it is known that entries are sorted by row and column, and no two are at one place.
    has_canonical_format: bool = False

    def __init__(
        self,
        arg1: Any,
        shape: Any = None,
        dtype: DTypeLike | None = None,
        copy: bool = False,
        *,
        maxprint: int | None = None,
    ) -> None:
        self._start(arg1, maxprint)
        arg1 = from_foreign(arg1)
        if issparse(arg1):
            self._take_sparse(arg1, dtype, copy)
        elif isinstance(arg1, tuple):
            if _shapes.is_shape(arg1, self._dimensions):
                self._take_shape(arg1, dtype)
            else:
                self._take_coordinates(arg1, shape, dtype, copy)
        else:
            self._take_dense(arg1, shape, dtype, copy)

    @classmethod
    def _from_parts(
        cls,
        data: ndarray,
        coords: Sequence[ndarray],
        shape: tuple[int, ...],
        *,
        canonical: bool = False,
    ) -> Self:
        """An array of parts that are known to be sound; nothing is checked or copied."""
        made = cls.__new__(cls)
        made._start(None, None)
        made.data, made.coords, made._shape = data, tuple(coords), tuple(shape)
        made.has_canonical_format = canonical
        return made

    def _take_sparse(self, a: Any, dtype: DTypeLike | None, copy: bool) -> None:
        found = a.tocoo(copy=copy)
        _shapes.as_shape(found.shape, self._dimensions)
        self.coords, self.data, self._shape = found.coords, found.data, found.shape
        self.has_canonical_format = found.has_canonical_format
        if dtype is not None and check_dtype(dtype) != self.data.dtype:
            self.data = astype(self.data, check_dtype(dtype))

    def _take_shape(self, shape: tuple[Any, ...], dtype: DTypeLike | None) -> None:
        self._shape = _shapes.as_shape(shape, self._dimensions)
        index = index_dtype(maxval=max(self._shape))
        self.coords = tuple([zeros(0, index) for _ in self._shape])
        self.data = zeros(0, check_dtype(np.float64 if dtype is None else dtype))
        self.has_canonical_format = True

    def _take_coordinates(self, arg1: Any, shape: Any, dtype: Any, copy: bool) -> None:
        try:
            values, coords = arg1
            coords = list(coords)
        except (TypeError, ValueError) as e:
            raise TypeError("invalid input format") from e
        coords = [as_index(x, f"index array {i}") for i, x in enumerate(coords)]
        if shape is not None:
            shape = _shapes.as_shape(shape, self._dimensions)
            if len(shape) != len(coords):
                raise ValueError(
                    "mismatching number of index arrays for shape; got "
                    f"{len(coords)}, expected {len(shape)}"
                )
        elif any(x.size == 0 for x in coords):
            raise ValueError("cannot infer dimensions from zero sized index arrays")
        data = as_data(values, dtype, copy)
        if data.ndim != 1 or any(x.ndim != 1 for x in coords):
            raise ValueError("coordinates and data arrays must be 1-D")
        if any(x.size != data.size for x in coords):
            raise ValueError("all index and data arrays must have the same length")
        found = _check_indices(coords, shape)
        shape = _shapes.as_shape(found if shape is None else shape, self._dimensions)
        # Indices are below the shape: they fit what that fits.
        wide = isinstance(self, sparray) and any(not _fits_int32(x) for x in coords)
        index = INT64 if wide else index_dtype(maxval=max(shape))
        self.coords = tuple([_as_dtype(x, index, copy) for x in coords])
        self.data, self._shape = data, shape
        self.has_canonical_format = False

    def _take_dense(self, arg1: Any, shape: Any, dtype: Any, copy: bool) -> None:
        dense = as_data(arg1, dtype, False)
        if not isinstance(self, sparray):
            if dense.ndim > 2:
                raise TypeError(f"expected 2D array or matrix, not {dense.ndim}D")
            if dense.ndim < 2:
                dense = dense.reshape(1, -1)
        self._shape = _shapes.as_shape(dense.shape, self._dimensions)
        if shape is not None and _shapes.as_shape(shape, self._dimensions) != self._shape:
            raise ValueError(f"inconsistent shapes: {shape} != {self._shape}")
        coords, self.data = _conversions.dense_entries(dense, index_dtype(maxval=max(self._shape)))
        self.coords = tuple(coords)
        self.has_canonical_format = True

    # ---- parts ----

    @property
    def coords(self) -> tuple[ndarray, ...]:
        """The indices, an array for each dimension. Others may be assigned."""
        return self._coords

    @coords.setter
    def coords(self, coords: Sequence[ndarray]) -> None:
        self._coords = tuple(coords)

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
            return self.data.copy(), _as_dtype(minor, index, True), pointers, True
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
        return self._from_parts(data, [_as_dtype(x, index, False) for x in coords], found)

    reshape.__doc__ = SparseBase.reshape.__doc__

    def resize(self, *shape: Any) -> None:
        """Change the shape in place: elements that are outside the new one are dropped.

        Waits for the device once where the array becomes smaller.

        Parameters
        ----------
        *shape : int, or a tuple of int
            The new shape, of as many dimensions.

        Raises
        ------
        ValueError
            If the number of dimensions is another.

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
        found = _shapes.as_shape(given, (self.ndim,))
        if any(new < old for new, old in zip(found, self._shape, strict=True)):
            inside: Any = self.coords[0] < found[0]
            for x, extent in zip(self.coords[1:], found[1:], strict=True):
                inside = inside & (x < extent)
            self.coords, self.data = tuple([x[inside] for x in self.coords]), self.data[inside]
        index = index_dtype(self.coords, max(found))
        self.coords = tuple([_as_dtype(x, index, False) for x in self.coords])
        self._shape = found

    def transpose(self, axes: tuple[int, int] | None = None, copy: bool = False) -> Self:
        if self.ndim == 2 or axes is not None:
            self._check_axes(axes)
        coords, data = self.coords[::-1], self.data
        if copy:
            coords, data = tuple([x.copy() for x in coords]), data.copy()
        return self._from_parts(data, coords, self._shape[::-1])

    transpose.__doc__ = SparseBase.transpose.__doc__

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
        if k >= columns > 0 < k or -k >= rows > 0 > k:
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
        self.coords, self.data = tuple([_as_dtype(x, index, False) for x in coords]), data
        self.has_canonical_format = False

    setdiag.__doc__ = SparseBase.setdiag.__doc__


def dense_result(a: SparseBase, order: str | None, out: Any) -> tuple[Any, Any]:
    """Zeros to store a sparse array in, and the same memory with two dimensions."""
    if out is None:
        result: Any = zeros(a.shape, a.dtype, order or "C")
    else:
        if order is not None:
            raise ValueError("order cannot be specified if out is not None")
        layout = getattr(out, "_layout", None)
        if layout is None or layout.shape != a.shape or layout.dtype != a.dtype:
            raise ValueError("out array must be same dtype and shape as sparse array")
        result = out
        result[...] = 0
    if result.ndim == 2:
        return result, result
    layout = result._layout
    row = _layout.layout_of(layout.dtype, (1, *layout.shape), (layout.nbytes, *layout.strides))
    return result, _array.view(result, row)


def _axis(axis: int, ndim: int) -> int:
    found = axis + ndim if axis < 0 else axis
    if not 0 <= found < ndim:
        raise ValueError(f"axis out of bounds: {axis} of an array with {ndim} dimensions")
    return found


def _fits_int32(x: Any) -> bool:
    return bool(np.can_cast(x.dtype, np.int32))


def _as_dtype(x: Any, dtype: np.dtype, copy: bool) -> Any:
    if x.dtype == dtype:
        return x.copy() if copy else x
    return astype(x, dtype)


def _check_indices(coords: Sequence[Any], shape: tuple[int, ...] | None) -> tuple[int, ...]:
    """Refuse indices out of bounds; the least shape that they fit. Waits for the device once."""
    least_shape = []
    for i, found in enumerate(find_in_indices([_conversions.flat(x) for x in coords])):
        if coords[i].size and found["least"] < 0:
            raise ValueError(f"negative axis {i} index: {found['least']}")
        if coords[i].size and shape is not None and found["greatest"] >= shape[i]:
            raise ValueError(
                f"axis {i} index {found['greatest']} exceeds matrix dimension {shape[i]}"
            )
        least_shape.append(found["greatest"] + 1)
    return tuple(least_shape)


class coo_array(CooBase, sparray):
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

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> sparse.isspmatrix_coo(sparse.coo_matrix((2, 2)))
    True
    """
    return isinstance(x, coo_matrix)
