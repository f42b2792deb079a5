"""Element-wise operations of two sparse arrays in a compressed format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ops.casts import astype
from gpuarray._ops.conversion import asarray, ascontiguousarray
from gpuarray.kernels.sparse_merge import launch, spec
from gpuarray.scipy.sparse import _linear

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = ["binary", "canonical", "compressed", "merged"]

#: Places that a merge counts in indices: all elements, and what is left of a last tile.
_MOST = (1 << 31) - 1 - spec.TILE


def compressed(a: Any) -> Any:
    """A sparse array in a compressed format: its own, or else csr. One of many dimensions stays."""
    return a if a.format in ("csr", "csc") or a.ndim > 2 else a.tocsr()


def canonical(a: Any) -> Any:
    """An array, not in diagonals, with sorted indices, each once: itself, or a copy of it."""
    if a.has_canonical_format:
        return a
    a = a.copy()
    a.sum_duplicates()
    return a


def as_indices(x: Any, dtype: np.dtype) -> ndarray:
    """An index array as kernels read it: contiguous and of a dtype."""
    found: ndarray = ascontiguousarray(x if x.dtype == dtype else astype(x, dtype))
    return found


def structure(a: Any, dtype: np.dtype) -> tuple[Any, Any, Any]:
    """The row pointers, the columns, and the elements of a compressed array."""
    return as_indices(a.indptr, dtype), as_indices(a.indices, dtype), ascontiguousarray(a.data)


def index_dtype(*arrays: Any, most: int = 0) -> np.dtype:
    """The dtype of indices: int64 where an array has it, or a number needs it."""
    wide = most > _MOST or any(x.dtype.itemsize > 4 for x in arrays)
    return np.dtype(np.int64 if wide else np.int32)


def merged(operation: str, a: Any, b: Any, loop: np.dtype | None = None) -> tuple[Any, Any, Any]:
    """The row pointers, columns and elements of an operation of two arrays.

    Both are in the same compressed format and of one shape. Operands that have duplicates, or
    indices that are not sorted, are copied and put in order first. Waits for the device, since
    nobody else knows how many elements are not zero.
    """
    a, b = canonical(a), canonical(b)
    total = int(a.indices.size) + int(b.indices.size)
    index = index_dtype(a.indptr, a.indices, b.indptr, b.indices, most=total)
    if loop is None:
        loop = np.result_type(a.dtype, b.dtype)
    return launch.merge(operation, structure(a, index), structure(b, index), loop)


def binary(operation: str, a: Any, b: Any) -> Any:
    """An operation of two arrays of one shape, in the first one's format or csr."""
    if a.ndim > 2:
        return _of_places(operation, a, b)
    a = compressed(a)
    indptr, indices, data = merged(operation, a, b.asformat(a.format))
    return type(a)._from_parts(data, indices, indptr, a.shape, sorted=True, canonical=True)


def _of_places(operation: str, a: Any, b: Any) -> Any:
    """The same of arrays of many dimensions: each is one row of all elements."""
    first, second = _row(canonical(a)), _row(canonical(b))
    _, places, data = launch.merge(operation, first, second, np.result_type(a.dtype, b.dtype))
    coords = _linear.unravel(places, a.shape)
    return type(a)._from_parts(data, coords, a.shape, canonical=True)


def _row(a: Any) -> tuple[Any, Any, Any]:
    return asarray([0, a.nnz]), _linear.ravel(a.coords, a.shape), ascontiguousarray(a.data)
