"""Indexing of sparse arrays, and assignment to their elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import zeros
from gpuarray._ops.manipulation import ravel, reshape
from gpuarray.scipy.sparse import _assignment, _coo_indexing, _merging, _selecting
from gpuarray.scipy.sparse._subscripts import Subscript, parse

if TYPE_CHECKING:
    from gpuarray._types import ndarray
    from gpuarray.scipy.sparse._base import SparseBase

__all__ = ["Indexing"]


class Indexing:
    """``a[...]`` and ``a[...] = x``, as for dense arrays."""

    def __getitem__(self: Any, key: Any) -> SparseBase | ndarray:
        self._check_indexed()
        if self.format == "coo":
            return _coo_indexing.select(self, parse(key, self.shape, None))
        found = parse(key, self.shape)
        if len(found.shape) > 2:
            raise IndexError(
                f"Indexing that leads to >2D is not supported by {self.format} format: "
                f"the result would have shape {found.shape}"
            )
        return self._select(found)

    def _check_indexed(self: Any) -> None:
        if self.format == "bsr":
            raise NotImplementedError(
                f"{type(self).__name__} has no indexing; use tocsr() or tocsc()"
            )
        if self.format == "dia" or (self.format == "coo" and not self._is_array()):
            raise TypeError(
                f"'{type(self).__name__}' object is not subscriptable; use tocsr() or tocsc()"
            )

    def _select(self: Any, subscript: Subscript) -> Any:
        """The elements at indices, of a compressed array."""
        indices, shape = subscript.indices, subscript.shape
        if len(indices) == 1:
            return self._select_1d(indices[0], shape)
        row, column = indices
        if isinstance(row, int) and isinstance(column, int):
            return self._select_one(row, column, shape)
        if not isinstance(row, int | slice) and not isinstance(column, int | slice):
            outer = row.ndim == 2 and row.shape[1] == 1
            if not (outer and (column.ndim == 1 or column.shape[0] == 1)):
                return self._select_pairs(row, column, shape)
        major, minor = self._swap((_as_lines(row), _as_lines(column)))
        lines = _selecting.lines_of(self)
        if isinstance(major, slice) and isinstance(minor, slice) and _is_all(lines, major, minor):
            return self._shaped(self.copy(), shape)
        # What takes less of the elements comes first.
        lines = _selecting.minor_part(_selecting.major_part(lines, major), minor)
        return self._shaped(self._of_lines(lines), shape)

    def _of_lines(self: Any, lines: _selecting.Lines) -> Any:
        parts = (lines.data, lines.indices, lines.indptr)
        return type(self)._from_parts(*parts, self._swap((lines.major, lines.minor)))

    def _select_1d(self: Any, index: Any, shape: tuple[int, ...]) -> Any:
        if isinstance(index, int):
            return self._select_one(0, index, shape)
        lines = _selecting.lines_of(self)
        if not isinstance(index, slice):
            place = ravel(index)
            lines = _selecting.lines_of(_merging.canonical(self))
            values = _selecting.elements(lines, zeros(place.shape, dtype=lines.indptr.dtype), place)
            return type(self)(reshape(values, shape))
        lines = _selecting.minor_part(lines, index)
        parts = (lines.data, lines.indices, lines.indptr)
        return self._shaped(type(self)._from_parts(*parts, (lines.minor,)), shape)

    def _select_one(self: Any, row: int, column: int, shape: tuple[int, ...]) -> Any:
        lines = _selecting.lines_of(_merging.canonical(self))
        major, minor = self._swap((row, column))
        pair = (asarray([x]) for x in (major, minor))
        value = reshape(_selecting.elements(lines, *pair), ())
        if not shape:
            return value
        if not self._is_array() and len(shape) == 1:
            shape = (1, *shape)
        # SciPy's element is an array as soon as it has dimensions, but for arrays with one.
        return type(self)(reshape(value, shape)) if self.ndim == 1 else reshape(value, shape)

    def _select_pairs(self: Any, row: Any, column: Any, shape: tuple[int, ...]) -> Any:
        """The elements at pairs of indices: dense, unless the indices have two dimensions."""
        pairs = _broadcast(row, column)
        if not pairs[0].size:
            wide = (1, *pairs[0].shape) if pairs[0].ndim == 1 else pairs[0].shape
            return self._shaped(type(self)(wide, dtype=self.dtype), shape)
        major, minor = self._swap(pairs)
        lines = _selecting.lines_of(_merging.canonical(self))
        values = _selecting.elements(lines, major, minor)
        if pairs[0].ndim == 1:
            return reshape(values, shape if self._is_array() else (1, -1))
        return self._shaped(type(self)(reshape(values, pairs[0].shape)), shape)

    def _shaped(self: Any, found: Any, shape: tuple[int, ...]) -> Any:
        """A result in the shape that the indices give; of a matrix it has two dimensions."""
        if not self._is_array():
            if len(shape) < 2 and (not shape or found.ndim == 2):
                if len(shape) == 1 and shape != (found.shape[0] * found.shape[1],):
                    return found.reshape((1, *shape))
                return found
        return found if found.shape == shape else found.reshape(shape)

    def _is_array(self: Any) -> bool:
        from gpuarray.scipy.sparse._base import sparray  # whose base this class is

        return isinstance(self, sparray)

    def __setitem__(self: Any, key: Any, x: Any) -> None:
        self._check_indexed()
        if self.format == "coo":
            _coo_indexing.assign(self, parse(key, self.shape, None), x)
        else:
            _assignment.assign(self, parse(key, self.shape), x)


def _as_lines(index: Any) -> Any:
    """An index that keeps its dimension."""
    return slice(index, index + 1) if isinstance(index, int) else index


def _is_all(lines: _selecting.Lines, major: slice, minor: slice) -> bool:
    return (
        major.indices(lines.major) == (0, lines.major, 1)
        and minor.indices(lines.minor) == (0, lines.minor, 1)
    )  # fmt: skip


def _broadcast(row: Any, column: Any) -> tuple[Any, Any]:
    shape = np.broadcast_shapes(row.shape, column.shape)
    row, column = _assignment.spread_to(row, shape), _assignment.spread_to(column, shape)
    return row, column
