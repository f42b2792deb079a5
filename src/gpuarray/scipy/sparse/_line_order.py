"""Arrays with entries in lines: their parts, and what is known of the order of their indices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpuarray._ops.creation import zeros
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.joining import concatenate
from gpuarray.kernels.sparse_format.launch import find_in_indices, line_pointers
from gpuarray.scipy.sparse import _conversions
from gpuarray.scipy.sparse._base import sparray
from gpuarray.scipy.sparse._data import DataBase
from gpuarray.scipy.sparse._index_checks import check_lines, in_dtype
from gpuarray.scipy.sparse._index_dtype import INT32, INT32_MAX, INT64

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = ["LineOrder"]


class LineOrder(DataBase):
    """An array with index arrays of lines: ``indices``, and pointers to where lines start."""

    _indices: ndarray
    _indptr: ndarray
    _sorted: bool | None
    _canonical: bool | None

    def _take_lines(
        self,
        data: ndarray,
        lines: tuple[ndarray, ndarray, np.dtype],
        shape: tuple[int, ...],
        found: Mapping[str, int],
        copy: bool,
    ) -> None:
        """Have parts that were checked: indices and pointers, with their wider dtype."""
        indices, indptr, width = lines
        used = found["last_pointer"]
        # Of a matrix, indices become int32 where the shape and their number fit that.
        index = width if isinstance(self, sparray) else INT32
        if max(*shape, used) > INT32_MAX:
            index = INT64
        if used < len(data):
            data, indices = data[:used].copy(), indices[:used].copy()
        elif copy:
            indices = indices.copy()
        self._shape, self.data, self.indices = shape, data, in_dtype(indices, index)
        self.indptr = in_dtype(indptr.copy() if copy else indptr, index)
        self._sorted, self._canonical = found["descents"] == 0, found["stays"] == 0

    @classmethod
    def _from_parts(
        cls,
        data: ndarray,
        indices: ndarray,
        indptr: ndarray,
        shape: tuple[int, ...],
        *,
        sorted: bool | None = None,
        canonical: bool | None = None,
    ) -> Self:
        """An array of parts that are known to be sound; nothing is checked or copied.

        ``sorted`` and ``canonical`` say what is known of the order of indices; None: nothing.
        """
        made = cls.__new__(cls)
        made._start(None, None)
        made.data, made.indices, made.indptr = data, indices, indptr
        made._shape = tuple(shape)
        made._sorted, made._canonical = True if canonical else sorted, canonical
        return made

    @property
    def _lines(self) -> tuple[int, int]:
        """How many lines there are, and how many minor indices."""
        raise NotImplementedError(f"not of the format {self.format}")

    @property
    def indices(self) -> ndarray:
        """The indices of entries in their lines. Others may be assigned."""
        return self._indices

    @indices.setter
    def indices(self, indices: ndarray) -> None:
        self._indices = indices
        self._sorted = self._canonical = None

    @property
    def indptr(self) -> ndarray:
        """Where lines start, and where the last one ends. Others may be assigned."""
        return self._indptr

    @indptr.setter
    def indptr(self, indptr: ndarray) -> None:
        self._indptr = indptr
        self._sorted = self._canonical = None

    @property
    def has_sorted_indices(self) -> bool:
        """Whether the indices of each line are in ascending order.

        What is not known yet is found out once, which waits for the device. It may be assigned by
        who knows.
        """
        if self._sorted is None:
            self._find_order()
        return bool(self._sorted)

    @has_sorted_indices.setter
    def has_sorted_indices(self, value: bool) -> None:
        self._sorted = bool(value)
        if not value:
            self._canonical = False

    @property
    def has_canonical_format(self) -> bool:
        """Whether the indices of each line are in ascending order, and none is there twice.

        What is not known yet is found out once, which waits for the device. It may be assigned by
        who knows.
        """
        if self._canonical is None:
            self._find_order()
        return bool(self._canonical)

    @has_canonical_format.setter
    def has_canonical_format(self, value: bool) -> None:
        self._canonical = bool(value)
        if value:
            self._sorted = True

    def _with_data(self, data: ndarray, copy: bool = True) -> Self:
        indices, indptr = self.indices, self.indptr
        if copy:
            indices, indptr = indices.copy(), indptr.copy()
        return self._from_parts(
            data, indices, indptr, self._shape, sorted=self._sorted, canonical=self._canonical
        )

    def _added_data(self) -> ndarray:
        self.sum_duplicates()
        return self.data

    def _major(self) -> ndarray:
        """The line of each entry."""
        lines: ndarray = _conversions.expanded(self.indptr, self.indices.size)
        return lines

    def _find_order(self) -> None:
        parts = _conversions.flat(self.indices), _conversions.flat(self.indptr)
        indices, indptr = _conversions.of_one_dtype(*parts)
        (found,) = find_in_indices([indices], indptr)
        if self._sorted is None:
            self._sorted = found["descents"] == 0
        if self._canonical is None:
            self._canonical = self._sorted and found["stays"] == 0

    def sort_indices(self) -> None:
        """Sort the entries of each line by their indices, in place."""
        raise NotImplementedError(f"sort_indices: not of the format {self.format}")

    def sum_duplicates(self) -> None:
        """Add entries at one place, and sort those of each line, in place."""
        raise NotImplementedError(f"sum_duplicates: not of the format {self.format}")

    def sorted_indices(self) -> Self:
        """A copy with the entries of each line sorted by their indices; see `sort_indices`.

        Returns
        -------
        sparse array
            Of the same class.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_array(cp.array([[0, 3], [1, 0]]))
        >>> a.sorted_indices().indices
        array([1, 0], dtype=int32)
        """
        result = self.copy()
        result.sort_indices()
        return result

    def _parts_on_host(self, stream: Any) -> tuple[Any, ...]:
        return tuple([asnumpy(x, stream) for x in (self.data, self.indices, self.indptr)])

    def prune(self) -> None:
        """Drop what is behind the entries of the last line. Waits for the device.

        Raises
        ------
        ValueError
            If an array has a wrong length.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_array(cp.eye(2))
        >>> a.prune()
        >>> a.nnz
        2
        """
        if self.indptr.size != self._lines[0] + 1:
            raise ValueError("index pointer has invalid length")
        nnz = int(asnumpy(self.indptr[-1]))
        if self.indices.size < nnz:
            raise ValueError("indices array has fewer than nnz elements")
        if len(self.data) < nnz:
            raise ValueError("data array has fewer than nnz elements")
        if nnz < self.indices.size or nnz < len(self.data):
            self._indices, self._data = self.indices[:nnz].copy(), self.data[:nnz].copy()

    def check_format(self, full_check: bool = True) -> None:
        """Refuse arrays that are no sparse matrix. Waits for the device.

        Parameters
        ----------
        full_check : bool, optional
            Has no meaning: indices are looked at in any case.

        Raises
        ------
        ValueError
            If lengths do not fit, pointers decrease, or an index is out of bounds.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.csr_array(cp.eye(2)).check_format()
        """
        check_lines(len(self.data), self.indices, self.indptr, *self._lines)

    def _resized_lines(self, new: tuple[int, int]) -> tuple[Any, Any, Any]:
        """Data, minor indices and pointers with other numbers of lines and of minor indices.

        Waits for the device where either becomes less.
        """
        old = self._lines
        data, indices, indptr = self.data, self.indices, self.indptr
        if new[0] < old[0]:
            indptr = indptr[: new[0] + 1].copy()
            count = int(asnumpy(indptr[-1]))
            data, indices = data[:count].copy(), indices[:count].copy()
        elif new[0] > old[0]:
            more = zeros(new[0] - old[0], indptr.dtype) + indptr[-1]
            indptr = concatenate([indptr, more])
        if new[1] < old[1]:
            inside = indices < new[1]
            lines = _conversions.expanded(indptr, indices.size)[inside]
            data, indices = data[inside], indices[inside]
            indptr = line_pointers(lines, new[0], 1, indices.dtype)
        return data, indices, indptr
