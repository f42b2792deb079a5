"""Lines of a compressed array, parts of lines, and single elements.

Major indices are those of the lines that a format compresses, minor ones those in a line.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gpuarray._ops.conversion import ascontiguousarray
from gpuarray._ops.creation import zeros
from gpuarray._ops.cumulative import cumsum
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.manipulation import ravel
from gpuarray._ops.ranges import arange
from gpuarray._ops.searching import searchsorted
from gpuarray._ops.selection import clip, where
from gpuarray._ops.sorting import argsort
from gpuarray._ops.taking import take
from gpuarray.kernels.sparse_format.launch import line_pointers
from gpuarray.kernels.sparse_index import launch
from gpuarray.scipy.sparse import _conversions, _merging

__all__ = ["Lines", "elements", "lines_of", "major_part", "minor_part", "places"]


class Lines(NamedTuple):
    """The parts of a compressed array, of one dtype of indices, and its extents."""

    indptr: Any
    indices: Any
    data: Any
    major: int
    minor: int


def major_part(lines: Lines, index: Any) -> Lines:
    """Some of the lines: those of a slice, or of an array of indices."""
    if isinstance(index, slice):
        start, stop, step = index.indices(lines.major)
        count = len(range(start, stop, step))
        if count == lines.major and step == 1:
            return lines
        if count and step == 1:
            return _between(lines, start, start + count)
        index = arange(start, stop, step, dtype=lines.indptr.dtype)
    index = _as_index(index, lines)
    starts = take(lines.indptr, index)
    counts = take(lines.indptr, index + 1) - starts
    begins, total = _begins(counts)
    _, found = launch.spread(ascontiguousarray(starts), begins, total)
    count = int(index.size)
    return Lines(begins, take(lines.indices, found), take(lines.data, found), count, lines.minor)


def _between(lines: Lines, first: int, last: int) -> Lines:
    """Lines behind one another. Waits for the device: how many elements they have."""
    bounds = lines.indptr[first : last + 1 : last - first]
    start, end = asnumpy(bounds).tolist()
    indptr = lines.indptr[first : last + 1] - bounds.dtype.type(start)
    parts = lines.indices[start:end].copy(), lines.data[start:end].copy()
    return Lines(indptr, *parts, last - first, lines.minor)


def minor_part(lines: Lines, index: Any) -> Lines:
    """The elements of each line at a slice, or at an array of indices."""
    if isinstance(index, slice):
        start, stop, step = index.indices(lines.minor)
        chosen = range(start, stop, step)
        if len(chosen) == lines.minor and step == 1:
            return lines
        return _minor_slice(lines, chosen)
    index = _as_index(index, lines)
    count = int(index.size)
    order = argsort(index, kind="stable")
    ordered = take(index, order)
    first = searchsorted(ordered, lines.indices, side="left")
    counts = searchsorted(ordered, lines.indices, side="right") - first
    dtype = lines.indices.dtype
    begins, total = _begins(counts.astype(dtype))
    chosen, found = launch.spread(first.astype(dtype), begins, total)
    return Lines(
        take(begins, lines.indptr), take(order, found).astype(dtype), take(lines.data, chosen),
        lines.major, count,
    )  # fmt: skip


def _minor_slice(lines: Lines, chosen: range) -> Lines:
    """The elements of each line at indices that have a step."""
    dtype, step = lines.indices.dtype, chosen.step
    if not len(chosen):
        empty = lines.indices[:0].copy(), lines.data[:0].copy()
        return Lines(zeros(lines.major + 1, dtype=dtype), *empty, lines.major, 0)
    low, high = min(chosen[0], chosen[-1]), max(chosen[0], chosen[-1])
    kept = (lines.indices >= low) & (lines.indices <= high)
    if abs(step) > 1:
        kept &= (lines.indices - low) % abs(step) == 0
    major = _conversions.expanded(lines.indptr, int(lines.indices.size))
    found = _conversions.nonzero_entries(kept, major, lines.indices, lines.data)
    major, indices, data = (major, lines.indices, lines.data) if found is None else found[:3]
    indptr = line_pointers(major, lines.major, 1, dtype)
    columns = (indices - chosen[0]) // step if step != 1 else indices - low
    return Lines(indptr, columns.astype(dtype, copy=False), data, lines.major, len(chosen))


def elements(lines: Lines, major: Any, minor: Any) -> Any:
    """The elements of a canonical array at pairs of indices, zeros included: a dense array."""
    found = places(lines, major, minor)
    if not lines.data.size:
        return zeros(found.shape, dtype=lines.data.dtype)
    values = take(lines.data, clip(found, 0, None))
    return where(found >= 0, values, zeros((), dtype=lines.data.dtype))


def places(lines: Lines, major: Any, minor: Any) -> Any:
    """Where a canonical array stores the elements at pairs of indices; -1 where it has none."""
    dtype = lines.indptr.dtype
    pairs = [_merging.as_indices(ravel(x), dtype) for x in (major, minor)]
    return launch.find(lines.indptr, lines.indices, *pairs)


def _begins(counts: Any) -> tuple[Any, int]:
    """How many elements are before each of some segments, and in all; waits for the device."""
    begins = zeros(int(counts.size) + 1, dtype=counts.dtype)
    if counts.size:
        begins[1:] = cumsum(counts, dtype=counts.dtype)
    return begins, int(asnumpy(begins[-1]))


def _as_index(index: Any, lines: Lines) -> Any:
    return ravel(index).astype(lines.indptr.dtype, copy=False)


def lines_of(a: Any) -> Lines:
    """The lines of a compressed array."""
    major, minor = a._lines
    index = _merging.index_dtype(a.indptr, a.indices)
    return Lines(*_merging.structure(a, np.dtype(index)), major, minor)
