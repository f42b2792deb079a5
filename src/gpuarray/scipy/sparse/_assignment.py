"""Assignment to elements of sparse arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuarray._array import ArrayBase
from gpuarray._ops.casts import astype
from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import zeros
from gpuarray._ops.dimensions import broadcast_to
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.logic import not_equal
from gpuarray._ops.manipulation import ravel, reshape
from gpuarray._ops.nonzero import flatnonzero
from gpuarray._ops.ranges import arange
from gpuarray._ops.sorting import argsort
from gpuarray._ops.taking import take
from gpuarray._ops.truth import all as all_true
from gpuarray.kernels.sparse_merge import launch
from gpuarray.scipy.sparse import _conversions, _merging, _selecting
from gpuarray.scipy.sparse._subscripts import Subscript
from gpuarray.scipy.sparse._warnings import warn

__all__ = ["as_values", "assign", "broadcast_values", "spread_to"]


def spread_to(x: Any, shape: tuple[int, ...]) -> Any:
    """An array broadcast to a shape."""
    return x if x.shape == shape else broadcast_to(x, shape)


def broadcast_values(x: Any, shape: tuple[int, ...]) -> Any:
    """Values broadcast to the shape of the elements that they are assigned to."""
    try:
        return broadcast_to(x, shape)
    except ValueError:
        raise ValueError(
            f"values of shape {x.shape} could not be broadcast together with the elements that "
            f"they are assigned to, of shape {shape}"
        ) from None


def assign(a: Any, subscript: Subscript, x: Any) -> None:
    """Store values at indices of a compressed array, which changes when all is computed."""
    from gpuarray.scipy.sparse._elementwise import is_sparse  # whose class uses this module

    row, column, single = _index_arrays(a, subscript)
    if is_sparse(x):
        if a.ndim == 1 or single:
            x = x.toarray()
        else:
            _assign_sparse(a, row, column, x, subscript.unique)
            return
    values = as_values(x, a.dtype)
    if single and values.size != 1:
        raise ValueError("Trying to assign a sequence to an item")
    if _squeezed(values.shape) != _squeezed(row.shape):
        values = reshape(values, ()) if single else broadcast_values(values, row.shape)
    if not row.size:
        return
    values = reshape(values, (1,)) if single else ravel(values)
    major, minor = a._swap((row, column))
    _store(a, major, minor, values, subscript.unique)


def as_values(x: Any, dtype: np.dtype) -> Any:
    """What is assigned, in the array's dtype."""
    if not isinstance(x, ArrayBase):
        return asarray(np.asarray(x, dtype=dtype))
    found: Any = x
    return found if found.dtype == dtype else astype(found, dtype)


def _squeezed(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple([x for x in shape if x != 1])


def _index_arrays(a: Any, subscript: Subscript) -> tuple[Any, Any, bool]:
    """Indices of the rows and the columns, broadcast, and whether it is one element's."""
    indices = subscript.indices
    if len(indices) == 1:
        column = _as_array(indices[0], a.shape[0])
        return zeros(column.shape, dtype=np.int64), column, isinstance(indices[0], int)
    single = isinstance(indices[0], int) and isinstance(indices[1], int)
    row, column = (_as_array(x, n) for x, n in zip(indices, a.shape, strict=True))
    if isinstance(indices[0], slice):
        row = row[:, None]
    if isinstance(indices[1], slice):
        column = column[None, :]
        row = row[:, None] if row.ndim == 1 else row
    try:
        shape = np.broadcast_shapes(row.shape, column.shape)
    except ValueError:
        raise IndexError("number of row and column indices differ") from None
    return spread_to(row, shape), spread_to(column, shape), single


def _as_array(index: Any, length: int) -> Any:
    if isinstance(index, int):
        return asarray([index])
    return arange(*index.indices(length)) if isinstance(index, slice) else index


def _assign_sparse(a: Any, row: Any, column: Any, x: Any, unique: bool) -> None:
    """Store a sparse array: elements that it lacks become zeros where some are stored."""
    if 0 in x.shape:
        return
    if row.ndim == 1:
        row, column = row[None], column[None]
    x = x.tocoo(copy=True)
    if x.ndim == 1:
        x = x.reshape((1, x.shape[0]))
    sizes = [1 if x.shape[k] == 1 and row.shape[k] != 1 else 0 for k in range(2)]
    if any(x.shape[k] != row.shape[k] and not sizes[k] for k in range(2)):
        raise ValueError(f"shape mismatch in assignment: {x.shape} to {row.shape}")
    x.sum_duplicates()
    values, (r, c) = as_values(x.data, a.dtype), (y.astype(np.int64) for y in x.coords)
    count = int(values.size)
    if sizes[0]:
        copies = row.shape[0]
        r = ravel(spread_to(arange(copies)[:, None], (copies, count)))
        c, values = (ravel(spread_to(y[None], (copies, count))) for y in (c, values))
        count *= copies
    if sizes[1]:
        copies = row.shape[1]
        c = ravel(spread_to(arange(copies)[None], (count, copies)))
        r, values = (ravel(spread_to(y[:, None], (count, copies))) for y in (r, values))
    cleared = _merging.canonical(a)
    lines = _selecting.lines_of(cleared)
    found = _selecting.places(lines, *a._swap((row, column)))
    stored = take(found, flatnonzero(found >= 0))
    data = lines.data.copy()
    data[stored] = 0
    lines = lines._replace(data=data)
    if not values.size:
        _replace(a, lines)
        return
    major, minor = a._swap((row[r, c], column[r, c]))
    _store_in(a, lines, major, minor, values, unique)


def _store(a: Any, major: Any, minor: Any, values: Any, unique: bool) -> None:
    """Store values at pairs of indices; of several at one place the last one stays."""
    lines = _selecting.lines_of(_merging.canonical(a))
    _store_in(a, lines, major, minor, values, unique)


def _store_in(
    a: Any, lines: _selecting.Lines, major: Any, minor: Any, values: Any, unique: bool
) -> None:
    dtype = lines.indptr.dtype
    major, minor = (_merging.as_indices(ravel(x), dtype) for x in (major, minor))
    if not unique and values.size > 1:
        last = _last_of_each(major, minor, lines.minor)
        major, minor, values = (take(x, last) for x in (major, minor, values))
    found = _selecting.places(lines, major, minor)
    if bool(asnumpy(all_true(found >= 0))):
        if lines.data is a.data or a.has_canonical_format:
            lines.data[found] = values
            a.data = lines.data
        else:
            lines.data[found] = values
            _replace(a, lines)
        return
    warn(
        f"Changing the sparsity structure of a {type(a).__name__} is expensive. lil and dok are "
        "more efficient."
    )
    total = int(lines.indices.size) + int(values.size)
    index = _merging.index_dtype(lines.indptr, most=total)
    shape = (lines.major, lines.minor)
    data, indices, indptr = _conversions.compressed(major, minor, values, shape, index, add=False)
    new = _merging.as_indices(indptr, index), _merging.as_indices(indices, index), data
    old = [_merging.as_indices(x, index) for x in (lines.indptr, lines.indices)]
    found = launch.merge("replace", (*old, lines.data), new, a.dtype)
    _replace(a, _selecting.Lines(*found, *shape))


def _replace(a: Any, lines: _selecting.Lines) -> None:
    """Give an array new parts, which are canonical."""
    a.indptr, a.indices, a.data = lines.indptr, lines.indices, lines.data
    a.has_canonical_format = True


def _last_of_each(major: Any, minor: Any, extent: int) -> Any:
    """Which of pairs of indices have no equal one behind them."""
    if not major.size:
        return arange(0)
    keys = major.astype(np.int64) * extent + minor
    order = argsort(keys, kind="stable")
    ordered = take(keys, order)
    last = zeros(ordered.shape, dtype=bool)
    last[-1] = True
    last[:-1] = not_equal(ordered[1:], ordered[:-1])
    return take(order, flatnonzero(last))
