"""What the formats csr and csc share: lines of entries behind one another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ops.creation import zeros
from gpuarray._ops.differences import diff
from gpuarray._ops.histograms import bincount
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.searching import count_nonzero
from gpuarray.kernels.sparse_format.launch import line_pointers, store_entries
from gpuarray.scipy.sparse import _conversions, _shapes
from gpuarray.scipy.sparse._base import SparseBase, issparse, sparray
from gpuarray.scipy.sparse._dense import dense_result
from gpuarray.scipy.sparse._foreign import from_foreign
from gpuarray.scipy.sparse._index_checks import check_lines, in_dtype, of_one_width
from gpuarray.scipy.sparse._index_dtype import INT32_MAX, INT64, as_data, check_dtype
from gpuarray.scipy.sparse._index_dtype import index_dtype as wide_enough
from gpuarray.scipy.sparse._line_order import LineOrder

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike, ndarray
    from gpuarray.scipy.sparse._coo import CooBase

__all__ = ["CompressedBase"]


class CompressedBase(LineOrder):
    """Data, minor indices and pointers to where lines start: rows of csr, columns of csc."""

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
        self._sorted = self._canonical = None
        arg1 = from_foreign(arg1)
        if isinstance(arg1, tuple) and _shapes.is_shape(arg1, self._dimensions):
            self._take_shape(arg1, dtype)
        elif isinstance(arg1, tuple) and len(arg1) == 3:
            self._take_parts(arg1, shape, dtype, copy)
            return
        elif isinstance(arg1, tuple) and len(arg1) != 2:
            raise ValueError(
                f"unrecognized {type(self).__name__} constructor input of {len(arg1)} parts; give "
                "(data, indices, indptr), (data, (row, col)) or a shape"
            )
        else:
            self._take_other(arg1, shape, dtype, copy)
        if shape is not None and _shapes.as_shape(shape, self._dimensions) != self._shape:
            raise ValueError(f"inconsistent shapes: {shape} != {self._shape}")

    def _take_shape(self, shape: tuple[Any, ...], dtype: DTypeLike | None) -> None:
        self._shape = _shapes.as_shape(shape, self._dimensions)
        index = wide_enough(maxval=max(self._shape))
        self.data = zeros(0, check_dtype(np.float64 if dtype is None else dtype))
        self.indices = zeros(0, index)
        self.indptr = zeros(self._lines[0] + 1, index)
        self._sorted = self._canonical = True

    def _take_other(self, arg1: Any, shape: Any, dtype: Any, copy: bool) -> None:
        """A sparse array, entries in coordinates, or a dense array."""
        if not issparse(arg1):
            if not isinstance(arg1, tuple):
                arg1 = self._checked_dense(as_data(arg1, dtype, False))
            arg1 = self._class_of("coo")(arg1, shape=shape, dtype=dtype)
        found = arg1.asformat(self.format, copy=copy)
        if dtype is not None:
            found = found.astype(dtype, copy=False)
        if found.ndim not in self._dimensions:
            _shapes.as_shape(found.shape, self._dimensions)
        self.data, self.indices, self.indptr = found.data, found.indices, found.indptr
        self._shape, self._sorted, self._canonical = (
            found._shape,
            found._sorted,
            found._canonical,
        )

    def _checked_dense(self, dense: Any) -> Any:
        if dense.ndim > 2:
            raise ValueError(f"{self.format.upper()} arrays don't yet support {dense.ndim}D.")
        if isinstance(self, sparray) and dense.ndim not in self._dimensions:
            fitting = " or ".join([f"{x}D" for x in self._dimensions])
            raise ValueError(
                f"{self.format.upper()} arrays don't support {dense.ndim}D input. Use {fitting}"
            )
        return dense

    def _take_parts(self, arg1: tuple[Any, ...], shape: Any, dtype: Any, copy: bool) -> None:
        data = as_data(arg1[0], dtype, copy)
        if data.ndim != 1:
            raise ValueError("data, indices, and indptr should be 1-D")
        indices, indptr, width = of_one_width(arg1[1], arg1[2])
        if shape is not None:
            shape = _shapes.as_shape(shape, self._dimensions)
        lines = (None, None) if shape is None else self._swap(_shapes.as_2d(shape))
        found = check_lines(data.size, indices, indptr, *lines)
        if shape is None:
            if not indices.size:
                raise ValueError("unable to infer matrix dimensions")
            shape = self._swap((indptr.size - 1, found["greatest"] + 1))
        self._take_lines(data, (indices, indptr, width), shape, found, copy)

    @staticmethod
    def _swap(pair: tuple[Any, Any]) -> tuple[Any, Any]:
        """Rows and columns as major and minor, or back."""
        return pair

    @property
    def _lines(self) -> tuple[int, int]:
        """The extents of the major and of the minor index."""
        return self._swap(self._shape_2d)

    # ---- order ----

    def _reorder(self, add: bool) -> None:
        found = _conversions.compressed(
            self._major(), self.indices, self.data, self._lines, self.indices.dtype, add=add
        )
        self.data, self.indices, self.indptr = found

    def sort_indices(self) -> None:
        """Sort the entries of each line by their indices, in place.

        One sort of all entries; nothing where it is known that they are sorted.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_array((cp.array([1, 2]), cp.array([1, 0]), cp.array([0, 2])))
        >>> a.sort_indices()
        >>> a.indices, a.data
        (array([0, 1]), array([2, 1]))
        """
        if not self.has_sorted_indices:
            self._reorder(add=False)
            self._sorted = True
            self._canonical = None

    def sum_duplicates(self) -> None:
        """Add entries at one place, and sort those of each line, in place.

        Sums add values in the order that they have, so that they are the same each time. One sort,
        and it waits for the device; nothing where it is known that there is nothing to do.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_array((cp.array([1, 2]), cp.array([1, 1]), cp.array([0, 2])))
        >>> a.sum_duplicates()
        >>> a.indices, a.data
        (array([1]), array([3]))
        """
        if not self.has_canonical_format:
            self._reorder(add=True)
            self._sorted = self._canonical = True

    def eliminate_zeros(self) -> None:
        """Drop entries that are zero, in place. Waits for the device once.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_array((cp.array([0, 2]), cp.array([0, 1]), cp.array([0, 2])))
        >>> a.eliminate_zeros()
        >>> a.indices, a.data
        (array([1]), array([2]))
        """
        found = _conversions.nonzero_entries(self.data, self._major(), self.indices)
        if found is not None:
            lines, self._indices, self._data = found
            self._indptr = line_pointers(lines, self._lines[0], 1, self.indices.dtype)

    # ---- counts ----

    def _getnnz(self, axis: int | None = None) -> Any:
        if axis is None:
            return self.indices.size
        axis = self._checked_axis(axis)
        if self.ndim == 1:
            return self.indices.size
        if self._swap((0, 1))[axis] == 1:
            return diff(self.indptr)
        return bincount(self.indices, minlength=self._lines[1])

    def count_nonzero(self, axis: int | None = None) -> int | ndarray:
        self.sum_duplicates()
        if axis is None or self.ndim == 1:
            if axis is not None:
                self._checked_axis(axis)
            return int(asnumpy(count_nonzero(self.data)))
        axis = self._checked_axis(axis)
        by_line = self._swap((0, 1))[axis] == 1
        places = self._major() if by_line else self.indices
        found = _conversions.nonzero_entries(self.data, places)
        return bincount(
            places if found is None else found[0], minlength=self._lines[0 if by_line else 1]
        )

    count_nonzero.__doc__ = SparseBase.count_nonzero.__doc__

    def _checked_axis(self, axis: int) -> int:
        found = axis + self.ndim if axis < 0 else axis
        if not 0 <= found < self.ndim:
            raise ValueError(f"axis out of bounds: {axis} of an array with {self.ndim} dimensions")
        return found

    # ---- conversions ----

    def tocoo(self, copy: bool = True) -> CooBase:
        coords: tuple[Any, ...] = (self.indices,)
        if self.ndim == 2:
            coords = self._swap((self._major(), self.indices.copy() if copy else self.indices))
        elif copy:
            coords = (self.indices.copy(),)
        made: CooBase = self._class_of("coo")._from_parts(
            self.data.copy() if copy else self.data,
            coords,
            self._shape,
            canonical=self._format == "csr" and bool(self._canonical),
        )
        return made

    tocoo.__doc__ = SparseBase.tocoo.__doc__

    def _other(self) -> tuple[Any, Any, Any, bool | None]:
        """The parts of the other compressed format, and whether they are canonical."""
        minors = self._lines[1]
        index = wide_enough((self.indices,), max(self.indices.size, *self._lines))
        parts = _conversions.transposed(self.data, self.indices, self.indptr, minors, index)
        # Lines are in order then; entries that were twice at a place still are.
        return (*parts, self._canonical)

    def toarray(self, order: str | None = None, out: ndarray | None = None) -> ndarray:
        result, matrix = dense_result(self, order, out)
        major, minor, data = self._major(), self.indices, self.data
        if not self.has_canonical_format:
            found = _conversions.in_order(
                major, minor, data, self._lines, minor.dtype, with_major=True
            )
            major, minor, data = found.major, found.minor, found.data
        if self._format == "csc":
            matrix = matrix.T
        _conversions.check_lengths(data, minor)
        major, minor, data = [_conversions.flat(x) for x in (major, minor, data)]
        store_entries(*_conversions.of_one_dtype(major, minor), data, matrix)
        return result

    toarray.__doc__ = SparseBase.toarray.__doc__

    # ---- shape and elements ----

    def resize(self, *shape: Any) -> None:
        """Change the shape in place: elements that are outside the new one are dropped.

        Waits for the device where the array becomes smaller.

        Parameters
        ----------
        *shape : int, or a tuple of int
            The new shape; one dimension is a row.

        Raises
        ------
        ValueError
            If it has more dimensions than there can be.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_array(cp.eye(3))
        >>> a.resize(2, 4)
        >>> a.indptr
        array([0, 1, 2], dtype=int32)
        """
        given = shape[0] if len(shape) == 1 and not _shapes.is_integer(shape[0]) else shape
        found = _shapes.as_shape(given, self._dimensions)
        data, indices, indptr = self._resized_lines(self._swap(_shapes.as_2d(found)))
        if max(found) > INT32_MAX:
            indices, indptr = in_dtype(indices, INT64), in_dtype(indptr, INT64)
        self._data, self._indices, self._indptr, self._shape = data, indices, indptr, found

    def setdiag(self, values: Any, k: int = 0) -> None:
        entries = self.tocoo(copy=False)
        entries.sum_duplicates()
        entries.setdiag(values, k)
        found = entries.asformat(self.format)
        self.data, self.indices, self.indptr = found.data, found.indices, found.indptr
        self._sorted, self._canonical = found._sorted, found._canonical

    setdiag.__doc__ = SparseBase.setdiag.__doc__

    def _line(self, i: int) -> tuple[Any, Any, int]:
        """Data and indices of a line, and their number. Waits for the device."""
        extent = self._lines[0]
        i = int(i)
        found = i + extent if i < 0 else i
        if not 0 <= found < extent:
            raise IndexError(f"index ({i}) out of range")
        start, end = asnumpy(self.indptr[found : found + 2]).tolist()
        return self.data[start:end].copy(), self.indices[start:end].copy(), end - start

    def _across(self, j: int) -> tuple[Any, Any]:
        """Data and lines of the entries with a minor index. Waits for the device."""
        extent = self._lines[1]
        j = int(j)
        found = j + extent if j < 0 else j
        if not 0 <= found < extent:
            raise IndexError(f"index ({j}) out of range")
        chosen = self.indices == found
        return self.data[chosen], self._major()[chosen]
