"""Indexing of arrays in coordinates, of any dimensions, and assignment to their elements.

Entries whose coordinates a slice or an integer means are found by comparing them; index arrays are
sorted, and each entry is looked up there: what is read grows with the entries and the indices, not
with the array.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gpuarray._ops import sums
from gpuarray._ops.casts import astype
from gpuarray._ops.conversion import ascontiguousarray
from gpuarray._ops.creation import full, zeros
from gpuarray._ops.cumulative import cumsum
from gpuarray._ops.dimensions import squeeze
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.joining import concatenate
from gpuarray._ops.logic import not_equal
from gpuarray._ops.manipulation import ravel as flattened
from gpuarray._ops.nonzero import flatnonzero
from gpuarray._ops.ranges import arange
from gpuarray._ops.searching import searchsorted
from gpuarray._ops.selection import where
from gpuarray._ops.sorting import argsort
from gpuarray._ops.taking import take
from gpuarray.kernels.sparse_index import launch
from gpuarray.scipy.sparse import _conversions, _linear
from gpuarray.scipy.sparse._assignment import as_values, broadcast_values, spread_to
from gpuarray.scipy.sparse._index_dtype import INT64, index_dtype
from gpuarray.scipy.sparse._subscripts import Subscript

__all__ = ["assign", "select"]


class _Arrays(NamedTuple):
    """The index arrays among a subscript's indices.

    Attributes
    ----------
    dimensions : list of int
        Which dimensions of the array they are for.
    indices : list of ndarray
        The arrays, each with one dimension.
    shape : tuple of int
        Their common shape.
    """

    dimensions: list[int]
    indices: list[Any]
    shape: tuple[int, ...]


def _arrays(subscript: Subscript) -> _Arrays | None:
    chosen = [(i, x) for i, x in enumerate(subscript.indices) if not isinstance(x, int | slice)]
    if not chosen:
        return None
    shape = np.broadcast_shapes(*[x.shape for _, x in chosen])
    flat = [flattened(spread_to(x, shape)) for _, x in chosen]
    return _Arrays([i for i, _ in chosen], flat, shape)


def _inside(a: Any, subscript: Subscript) -> Any:
    """Which entries integers and slices mean; None if they mean all."""
    mask: Any = None
    for x, index, extent in zip(a.coords, subscript.indices, a.shape, strict=True):
        if isinstance(index, int):
            found = x == index
        elif isinstance(index, slice):
            chosen = range(*index.indices(extent))
            if len(chosen) == extent:
                continue
            if not chosen:
                return zeros(x.shape, dtype=bool)
            low, high = min(chosen[0], chosen[-1]), max(chosen[0], chosen[-1])
            found = (x >= low) & (x <= high)
            if abs(chosen.step) > 1:
                found &= (x - low) % abs(chosen.step) == 0
        else:
            continue
        mask = found if mask is None else mask & found
    return mask


def select(a: Any, subscript: Subscript) -> Any:
    """The elements at indices: an array, or one of no dimensions for a single element.

    Waits for the device to know how many entries there are, but for a single element.
    """
    mask = _inside(a, subscript)
    if not subscript.shape:
        data = a.data if mask is None else where(mask, a.data, zeros((), dtype=a.dtype))
        return sums.sum(data, dtype=a.dtype)
    entries = [*a.coords, a.data]
    kept = None if mask is None else _conversions.nonzero_entries(mask, *entries)
    *coords, data = [x.copy() for x in entries] if kept is None else kept[:-1]
    places: list[Any] = []
    arrays = _arrays(subscript)
    if arrays is not None:
        chosen, which = _matches(coords, arrays, a.shape)
        coords, data = [take(x, chosen) for x in coords], take(data, chosen)
        places = _linear.unravel(which, arrays.shape)
    index = INT64 if len(subscript.shape) > 2 else index_dtype(a.coords, max(subscript.shape))
    found = []
    for source in subscript.sources:
        if source is None:
            found.append(zeros(data.shape, dtype=index))
        elif source < 0:
            found.append(astype(places[-1 - source], index, copy=False))
        else:
            x = _in_slice(coords[source], subscript.indices[source], a.shape[source])
            found.append(astype(x, index, copy=False))
    # Entries keep their order: indices that do not rise may change that of their places.
    canonical = a.has_canonical_format and arrays is None and _rises(subscript, a.shape)
    return type(a)._from_parts(data, found, subscript.shape, canonical=canonical)


def _rises(subscript: Subscript, shape: tuple[int, ...]) -> bool:
    slices = zip(subscript.indices, shape, strict=True)
    return all(isinstance(x, int) or x.indices(n)[2] > 0 for x, n in slices)


def _in_slice(x: Any, index: slice, extent: int) -> Any:
    """Where coordinates that a slice means are in it."""
    start, _, step = index.indices(extent)
    if step == 1:
        return x - start if start else x
    return (x - start) // step


def _matches(coords: list[Any], arrays: _Arrays, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """Pairs of an entry and an element of index arrays that mean one place, in their order.

    Waits for the device: how many there are.
    """
    keys, wanted = _keys(coords, arrays, shape)
    order = argsort(wanted, kind="stable")
    ordered = take(wanted, order)
    first = searchsorted(ordered, keys, side="left")
    counts = searchsorted(ordered, keys, side="right") - first
    begins = zeros(int(counts.size) + 1, dtype=INT64)
    if counts.size:
        begins[1:] = cumsum(counts, dtype=INT64)
    total = int(asnumpy(begins[-1]))
    chosen, found = launch.spread(ascontiguousarray(astype(first, INT64)), begins, total)
    return chosen, take(order, found)


def _keys(coords: list[Any], arrays: _Arrays, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """What tells places apart, of entries and of index arrays."""
    entries = [coords[i] for i in arrays.dimensions]
    return _linear.common_keys(entries, arrays.indices, [shape[i] for i in arrays.dimensions])


def assign(a: Any, subscript: Subscript, x: Any) -> None:
    """Store values at indices of an array, which changes when all is computed.

    Zeros are not stored; of several values at one place the last one stays. Waits for the device
    to know how many entries there are.
    """
    # New dimensions are nowhere in the array.
    kept = [i for i, source in enumerate(subscript.sources) if source is not None]
    shape = tuple([subscript.shape[i] for i in kept])
    sources = tuple([subscript.sources[i] for i in kept])
    arrays = _arrays(subscript)
    unique = arrays is None or subscript.unique
    from gpuarray.scipy.sparse._elementwise import is_sparse  # whose class uses this module

    if is_sparse(x):
        if 0 in x.shape:
            return
        data, places = _sparse_values(x, shape, a.dtype)
    else:
        values = as_values(x, a.dtype)
        if not values.size:
            return
        if _fits(values.shape, subscript.shape):
            values = broadcast_values(values, subscript.shape).reshape(shape)
        elif values.shape != shape:
            # SciPy's drops dimensions of length 1.
            values = broadcast_values(squeeze(values), shape)
        data, places = _dense_values(values, zeros_too=not unique)
    if 0 in shape:
        return
    new = _targets(subscript, sources, arrays, places, int(data.size), a.shape)
    if not unique:
        *new, data = _last_of_each(new, data, a.shape)
        nonzero = _conversions.nonzero_entries(data, *new)
        *new, data = (*new, data) if nonzero is None else nonzero
    old = _others(a, subscript, arrays)
    index = INT64 if a.ndim > 2 else index_dtype(a.coords, max(a.shape))
    pairs = zip(old[:-1], new, strict=True)
    coords = [concatenate([x, astype(y, index, copy=False)]) for x, y in pairs]
    a.data, a.coords = concatenate([old[-1], data]), tuple(coords)
    a.has_canonical_format = False


def _fits(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Whether a shape can be broadcast to another one."""
    pairs = zip(shape[::-1], wanted[::-1], strict=False)
    return len(shape) <= len(wanted) and all(m in (1, n) for m, n in pairs)


def _dense_values(x: Any, zeros_too: bool) -> tuple[Any, list[Any]]:
    """Dense values and their coordinates in the region that they fill."""
    if not x.ndim:
        x = x.reshape(1)
    if zeros_too:
        return flattened(x), _linear.unravel(arange(x.size, dtype=INT64), x.shape)
    coords, data = _conversions.dense_entries(ascontiguousarray(x), INT64)
    return data, coords


def _sparse_values(x: Any, shape: tuple[int, ...], dtype: np.dtype) -> tuple[Any, list[Any]]:
    """A sparse array's entries, repeated along dimensions that are broadcast."""
    x = x.tocoo(copy=True)
    x.sum_duplicates()
    extents, coords = list(x.shape), list(x.coords)
    data = as_values(x.data, dtype)
    while len(extents) > len(shape):  # a row or a column stands for one dimension
        at = 0 if extents[0] == 1 else -1
        if extents[at] != 1:
            raise ValueError(f"shape mismatch in assignment: {x.shape} to {shape}")
        del extents[at], coords[at]
    missing = len(shape) - len(extents)
    extents = [1] * missing + extents
    coords = [zeros(data.shape, dtype=INT64) for _ in range(missing)] + coords
    for axis, (extent, length) in enumerate(zip(extents, shape, strict=True)):
        if extent == length:
            continue
        if extent != 1:
            raise ValueError(f"shape mismatch in assignment: {x.shape} to {shape}")
        count = int(data.size)
        both = (length, count)
        coords = [flattened(spread_to(y[None], both)) for y in coords]
        coords[axis] = flattened(spread_to(arange(length, dtype=INT64)[:, None], both))
        data = flattened(spread_to(data[None], both))
    return data, coords


def _targets(
    subscript: Subscript,
    sources: tuple[int | None, ...],
    arrays: _Arrays | None,
    places: list[Any],
    count: int,
    shape: tuple[int, ...],
) -> list[Any]:
    """The coordinates in an array of values at coordinates in the region that is assigned to."""
    by_source = dict(zip(sources, places, strict=False))
    found: list[Any] = []
    for dimension, index in enumerate(subscript.indices):
        if isinstance(index, int):
            found.append(full((count,), index, dtype=INT64))
        elif isinstance(index, slice):
            start, _, step = index.indices(shape[dimension])
            found.append(astype(by_source[dimension], INT64, copy=False) * step + start)
        else:
            found.append(None)
    if arrays is not None:
        which = [by_source[-1 - i] for i in range(len(arrays.shape))]
        line = _linear.ravel(which, arrays.shape) if which else zeros((count,), dtype=INT64)
        for dimension, x in zip(arrays.dimensions, arrays.indices, strict=True):
            found[dimension] = take(astype(x, INT64, copy=False), line)
    return found


def _others(a: Any, subscript: Subscript, arrays: _Arrays | None) -> tuple[Any, ...]:
    """The coordinates and values of the entries that indices do not mean."""
    mask = _inside(a, subscript)
    if arrays is not None:
        keys, wanted = _keys(list(a.coords), arrays, a.shape)
        ordered = take(wanted, argsort(wanted))
        first = searchsorted(ordered, keys, side="left")
        found = searchsorted(ordered, keys, side="right") > first
        mask = found if mask is None else mask & found
    if mask is None:
        mask = full(a.data.shape, True)
    kept = _conversions.nonzero_entries(~mask, *a.coords, a.data)
    return (*a.coords, a.data) if kept is None else kept[:-1]


def _last_of_each(coords: list[Any], data: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Of entries at one place the last one."""
    keys, _ = _linear.common_keys(coords, [x[:0] for x in coords], shape)
    if not data.size:
        return (*coords, data)
    order = argsort(keys, kind="stable")
    ordered = take(keys, order)
    last = full(ordered.shape, True)
    last[:-1] = not_equal(ordered[1:], ordered[:-1])
    chosen = take(order, flatnonzero(last))
    return (*[take(x, chosen) for x in coords], take(data, chosen))
