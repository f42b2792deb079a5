"""Coordinates of several dimensions as one index or two: how arrays of many dimensions compute.

An array of any dimensions is a matrix whose rows are some of the dimensions in C order, and whose
columns are the others. Indices have 64 bits; where those of all dimensions together do not fit
them, entries are sorted by the ranks of their coordinates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpuarray._ops.casts import astype
from gpuarray._ops.coordinates import coordinates, ravel_multi_index
from gpuarray._ops.creation import zeros
from gpuarray._ops.joining import concatenate
from gpuarray._ops.taking import take
from gpuarray._ops.unique import unique
from gpuarray.kernels.sparse_format.launch import store_entries
from gpuarray.scipy.sparse import _conversions
from gpuarray.scipy.sparse._index_dtype import INT64
from gpuarray.scipy.sparse._shapes import MOST

if TYPE_CHECKING:
    from gpuarray._types import ndarray
    from gpuarray.scipy.sparse._coo import coo_array

__all__ = ["as_matrix", "common_keys", "others", "ravel", "store", "summed", "unravel"]


def ravel(coords: Sequence[Any], shape: Sequence[int], order: str = "C") -> Any:
    """Coordinates as int64 indices of the flattened array, in one launch.

    Raises
    ------
    ValueError
        If the array has more elements than there are such indices.
    """
    if len(shape) == 1:
        return astype(coords[0], INT64, copy=False)
    if 0 in shape:  # there are no entries; NumPy asks of all of the shape whether it fits
        return zeros(coords[0].shape, INT64)
    # Indices have been checked; others, assigned since then, must not lead out of an array.
    return ravel_multi_index(tuple(coords), tuple(shape), "clip", order)


def unravel(places: Any, shape: Sequence[int], order: str = "C") -> list[Any]:
    """Indices of a flattened array as int64 coordinates, in one launch."""
    if not shape:
        return []
    if len(shape) == 1:
        return [astype(places, INT64, copy=False)]
    if 0 in shape:
        return [zeros(places.shape, INT64) for _ in shape]
    lengths = tuple(shape) if order == "C" else tuple(shape)[::-1]
    found = coordinates(places, lengths, "clip")
    return found if order == "C" else found[::-1]


def others(ndim: int, axes: Sequence[int]) -> list[int]:
    """The dimensions that are not among some, in their order."""
    return [axis for axis in range(ndim) if axis not in axes]


def as_matrix(a: Any, axes: Sequence[int]) -> tuple[coo_array, tuple[int, ...]]:
    """An array as a matrix of which some dimensions are the columns, and the shape of its rows.

    Parameters
    ----------
    a : coo_array
        Of any dimensions.
    axes : sequence of int
        The dimensions of the columns, in their order there, not negative.
    """
    rest = others(a.ndim, axes)
    pairs = []
    for chosen in (rest, axes):
        extents = [a.shape[axis] for axis in chosen]
        place = ravel([a.coords[axis] for axis in chosen], extents) if chosen else None
        pairs.append((math.prod(extents), place))
    coords = [zeros(a.data.shape, INT64) if x is None else x for _, x in pairs]
    shape = tuple([extent for extent, _ in pairs])
    canonical = a.has_canonical_format and [*rest, *axes] == list(range(a.ndim))
    matrix = type(a)._from_parts(a.data, coords, shape, canonical=canonical)
    return matrix, tuple([a.shape[axis] for axis in rest])


def _split(shape: Sequence[int]) -> int | None:
    """How many dimensions the rows have, so that both indices of a matrix fit; None if none do."""
    for count in range(len(shape) - 1, 0, -1):
        if math.prod(shape[:count]) <= MOST and math.prod(shape[count:]) <= MOST:
            return count
    return None


def _ranked(coords: Sequence[Any], shape: Sequence[int]) -> tuple[Any, int]:
    """Keys that have the order of coordinates whose indices may not fit 64 bits; and how many."""
    keys, extent = astype(coords[0], INT64, copy=False), shape[0]
    for x, length in zip(coords[1:], shape[1:], strict=True):
        if extent * length > MOST:
            found, keys = unique(keys, return_inverse=True)
            extent = int(found.size)
        if extent * length > MOST:
            found, x = unique(x, return_inverse=True)
            length = int(found.size)
        keys, extent = ravel([keys, x], (extent, length)), extent * length
    return keys, extent


def common_keys(
    first: Sequence[Any], second: Sequence[Any], shape: Sequence[int]
) -> tuple[Any, Any]:
    """Keys of coordinates of two kinds, which are equal where all coordinates are."""
    if math.prod(shape) <= MOST:
        return ravel(first, shape), ravel(second, shape)
    both = [
        concatenate([astype(x, INT64), astype(y, INT64)])
        for x, y in zip(first, second, strict=True)
    ]
    keys, _ = _ranked(both, shape)
    count = int(first[0].size)
    return keys[:count], keys[count:]


def summed(coords: Sequence[Any], data: Any, shape: tuple[int, ...]) -> tuple[list[Any], ndarray]:
    """Entries in C order of their coordinates; those at one place are added, in their order."""
    count = _split(shape)
    if count is not None:
        rows, columns = shape[:count], shape[count:]
        found = _conversions.in_order(
            ravel(coords[:count], rows), ravel(coords[count:], columns), data,
            (math.prod(rows), math.prod(columns)), INT64, with_major=True,
        )  # fmt: skip
        return [*unravel(found.major, rows), *unravel(found.minor, columns)], found.data
    keys, _ = _ranked(coords, shape)
    keys, first, ranks = unique(keys, return_index=True, return_inverse=True)
    line = zeros(ranks.shape, INT64)
    found = _conversions.in_order(line, ranks, data, (1, int(keys.size)), INT64)
    return [take(x, first) for x in coords], found.data


def store(a: Any, result: ndarray) -> None:
    """Store an array's entries in zeros of its shape, which are C- or F-contiguous."""
    coords, shape, dense = a.coords, a.shape, result
    if not result.flags.c_contiguous:
        coords, shape, dense = coords[::-1], shape[::-1], result.T
    if 0 in shape:
        return
    extents = math.prod(shape[:-1]), shape[-1]
    matrix = dense.reshape(extents)
    rows, columns, data = ravel(coords[:-1], shape[:-1]), coords[-1], a.data
    if not a.has_canonical_format:
        found = _conversions.in_order(rows, columns, data, extents, INT64, with_major=True)
        rows, columns, data = found.major, found.minor, found.data
    _conversions.check_lengths(data, columns)
    rows, columns, data = [_conversions.flat(x) for x in (rows, columns, data)]
    store_entries(*_conversions.of_one_dtype(rows, columns), data, matrix)
