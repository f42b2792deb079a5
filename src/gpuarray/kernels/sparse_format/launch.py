"""Indices and entries of sparse matrices: from layouts to calls.

Arrays are contiguous with one dimension; an operation of no entries has no launch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuarray import _calls, _dtypes, _layout, _transfers
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import sparse_format

__all__ = [
    "align_diagonals", "expand_pointers", "find_in_indices", "line_pointers", "order_entries",
    "pack_keys", "pack_places", "place_bits", "store_entries", "sum_entries", "unpack_places",
]  # fmt: skip

_INT64 = np.dtype(np.int64)

# Blocks of each multiprocessor that check indices.
_CHECK_BLOCKS = 8


def find_in_indices(indices: Sequence[Any], pointers: Any = None) -> list[dict[str, int]]:
    """What there is to know of index arrays, by the names in `spec.FOUND`.

    Waits for the device once.

    Parameters
    ----------
    indices : sequence of ndarray
        Of int32 or int64.
    pointers : ndarray, optional
        Of the same dtype: where lines start in the indices, and where the last one ends.
    """
    layouts = tuple([x._layout for x in indices])
    run = _plan_check(current.stream, layouts, None if pointers is None else pointers._layout)
    found = run(*indices) if pointers is None else run(*indices, pointers)
    numbers = np.empty(found._layout.shape, np.int64)
    _transfers.download(found, numbers, None, True)
    names = sparse_format.spec.FOUND
    return [dict(zip(names, row.tolist(), strict=True)) for row in numbers]


@planned
def _plan_check(
    stream: Stream, indices: tuple[Layout, ...], pointers: Layout | None
) -> Callable[..., Any]:
    names = sparse_format.spec.FOUND
    output = _layout.contiguous(_INT64, (len(indices), len(names)))
    lines = -1 if pointers is None else pointers.size - 1
    most = _CHECK_BLOCKS * stream.device.multiprocessors
    steps = []
    for i, one in enumerate(indices):
        count = max(one.size, lines)
        if pointers is None and not count:
            continue
        spec = sparse_format.spec.CheckSpec(_name(one))
        constants = {"count": one.size, "lines": lines, "at": i * len(names)}
        passed = {"indices": f"x{i}", "pointers": f"x{i if pointers is None else len(indices)}"}
        steps.append((_bound(spec, count, constants, stream, most), passed | {"found": "y0"}))
    inputs = "a" * (len(indices) + (pointers is not None))
    return _calls.make_call(stream, inputs, [output], steps, cleared=True)


def pack_keys(major: Any, minor: Any, majors: int, minors: int) -> Any:
    """Keys ``major * minors + minor`` of 32 or 64 bits, for indices below both extents.

    The product of the extents is at most 2^64.
    """
    return _plan_pack(current.stream, major._layout, majors, minors)(major, minor)


@planned
def _plan_pack(stream: Stream, indices: Layout, majors: int, minors: int) -> Callable[..., Any]:
    key = _key_dtype(majors, minors)
    output = _layout.contiguous(key, indices.shape)
    if not indices.size:
        return _calls.make_call(stream, "aa", [output], [])
    spec = sparse_format.spec.PackSpec(_name(indices), str(key))
    bound = _bound(spec, indices.size, {"extent": minors, "count": indices.size}, stream)
    passed = {"major": "x0", "minor": "x1", "keys": "y0"}
    return _calls.make_call(stream, "aa", [output], [(bound, passed)])


def place_bits(count: int, majors: int, minors: int) -> int | None:
    """The bits of places of so many entries, if they and a key fit 64 bits; else None."""
    bits = max(count - 1, 0).bit_length()
    return bits if (majors * minors - 1).bit_length() + bits <= 64 else None


def pack_places(major: Any, minor: Any, minors: int, bits: int) -> Any:
    """Keys of 64 bits as of `pack_keys`, in whose lowest bits are the entries' own places."""
    return _plan_pack_places(current.stream, major._layout, minors, bits)(major, minor)


@planned
def _plan_pack_places(
    stream: Stream, indices: Layout, minors: int, bits: int
) -> Callable[..., Any]:
    output = _layout.contiguous(np.dtype(np.uint64), indices.shape)
    if not indices.size:
        return _calls.make_call(stream, "aa", [output], [])
    spec = sparse_format.spec.PackPlacesSpec(_name(indices))
    constants = {"extent": minors, "bits": bits, "count": indices.size}
    bound = _bound(spec, indices.size, constants, stream)
    passed = {"major": "x0", "minor": "x1", "packed": "y0"}
    return _calls.make_call(stream, "aa", [output], [(bound, passed)])


def unpack_places(packed: Any, bits: int, majors: int, minors: int) -> tuple[Any, Any]:
    """What `pack_places` has packed: keys as of `pack_keys`, and int64 places."""
    keys, order = _plan_unpack(current.stream, packed._layout, bits, majors, minors)(packed)
    return keys, order


@planned
def _plan_unpack(
    stream: Stream, packed: Layout, bits: int, majors: int, minors: int
) -> Callable[..., Any]:
    key = _key_dtype(majors, minors)
    outputs = [_layout.contiguous(dtype, packed.shape) for dtype in (key, _INT64)]
    if not packed.size:
        return _calls.make_call(stream, "a", outputs, [])
    spec = sparse_format.spec.UnpackPlacesSpec(str(key))
    bound = _bound(spec, packed.size, {"bits": bits, "count": packed.size}, stream)
    passed = {"packed": "x0", "keys": "y0", "order": "y1"}
    return _calls.make_call(stream, "a", outputs, [(bound, passed)])


def _key_dtype(majors: int, minors: int) -> np.dtype:
    return np.dtype(np.uint32 if majors * minors <= 1 << 32 else np.uint64)


def line_pointers(keys: Any, lines: int, extent: int, index: np.dtype) -> Any:
    """Where each of so many lines starts among sorted keys, and the number of keys.

    A line's keys are from ``line * extent`` on; sorted major indices are keys of extent 1.
    """
    return _plan_pointers(current.stream, keys._layout, lines, extent, index)(keys)


@planned
def _plan_pointers(
    stream: Stream, keys: Layout, lines: int, extent: int, index: np.dtype
) -> Callable[..., Any]:
    output = _layout.contiguous(index, (lines + 1,))
    if not keys.size:
        return _calls.make_call(stream, "a", [output], [], cleared=True)
    spec = sparse_format.spec.PointersSpec(_name(keys), str(index))
    constants = {"extent": extent, "lines": lines, "count": keys.size}
    bound = _bound(spec, lines + 1, constants, stream)
    return _calls.make_call(stream, "a", [output], [(bound, {"keys": "x0", "pointers": "y0"})])


def expand_pointers(pointers: Any, count: int) -> Any:
    """The line of each of so many entries, given where lines start; of the pointers' dtype."""
    return _plan_expand(current.stream, pointers._layout, count)(pointers)


@planned
def _plan_expand(stream: Stream, pointers: Layout, count: int) -> Callable[..., Any]:
    output = _layout.contiguous(pointers.dtype, (count,))
    if not count:
        return _calls.make_call(stream, "a", [output], [])
    spec = sparse_format.spec.ExpandSpec(_name(pointers))
    bound = _bound(spec, count, {"lines": pointers.size - 1, "count": count}, stream)
    return _calls.make_call(stream, "a", [output], [(bound, {"pointers": "x0", "majors": "y0"})])


def order_entries(
    keys: Any, order: Any, data: Any, minors: int, index: np.dtype, major: bool
) -> tuple[Any, Any, Any]:
    """Entries in the order of sorted keys that `pack_keys` has made of their indices.

    Returns the major indices, or None where they are not asked for, the minor ones and the values.
    """
    run = _plan_order(current.stream, keys._layout, data._layout, minors, index, major)
    results = run(keys, order, data)
    return results if major else (None, *results)


@planned
def _plan_order(
    stream: Stream, keys: Layout, data: Layout, minors: int, index: np.dtype, major: bool
) -> Callable[..., Any]:
    outputs = _entries(keys.size, data.dtype, index, major)
    if not keys.size:
        return _calls.make_call(stream, "aaa", outputs, [])
    spec = sparse_format.spec.OrderSpec(_name(keys), str(index), data.itemsize, major)
    bound = _bound(spec, keys.size, {"extent": minors, "count": keys.size}, stream)
    passed = {"keys": "x0", "order": "x1", "data": "x2"} | _stored(major)
    return _calls.make_call(stream, "aaa", outputs, [(bound, passed)])


def sum_entries(
    keys: Any, order: Any, starts: Any, data: Any, minors: int, index: np.dtype, major: bool
) -> tuple[Any, Any, Any]:
    """The same for keys that are repeated; their values are added, in their order.

    ``starts`` says where each key first is, and has the number of all keys at its end.
    """
    run = _plan_sum(
        current.stream, keys._layout, starts._layout, data._layout, minors, index, major
    )
    results = run(keys, order, starts, data)
    return results if major else (None, *results)


@planned
def _plan_sum(
    stream: Stream,
    keys: Layout,
    starts: Layout,
    data: Layout,
    minors: int,
    index: np.dtype,
    major: bool,
) -> Callable[..., Any]:
    count = starts.size - 1
    outputs = _entries(count, data.dtype, index, major)
    code = _dtypes.code(data.dtype)
    spec = sparse_format.spec.SumSpec(_name(keys), str(index), code, major)
    bound = _bound(spec, count, {"extent": minors, "count": count}, stream)
    passed = {"keys": "x0", "order": "x1", "starts": "x2", "data": "x3"} | _stored(major)
    return _calls.make_call(stream, "aaaa", outputs, [(bound, passed)])


def store_entries(major: Any, minor: Any, data: Any, dense: Any) -> None:
    """Store entries in a matrix that has two dimensions and steps that are whole elements.

    No two of them may have one place.
    """
    if data._layout.size:
        _plan_store(current.stream, major._layout, data._layout, dense._layout)(
            major, minor, data, dense
        )


@planned
def _plan_store(stream: Stream, indices: Layout, data: Layout, dense: Layout) -> Callable[..., Any]:
    steps = _layout.element_strides("toarray", dense.strides, dense)
    spec = sparse_format.spec.StoreSpec(_name(indices), data.itemsize)
    constants = {
        "majors": dense.shape[0],
        "minors": dense.shape[1],
        "major_step": steps[0],
        "minor_step": steps[1],
        "count": data.size,
    }
    bound = _bound(spec, data.size, constants, stream)
    passed = {"major": "x0", "minor": "x1", "data": "x2", "dense": "y0"}
    return _calls.make_call(stream, "aaa", [None], [(bound, passed)])


def align_diagonals(data: Any, offsets: Any, shape: tuple[int, int], by_row: bool) -> Any:
    """The elements of diagonals by row, zero where a diagonal has none.

    Parameters
    ----------
    data : ndarray, shape (diagonals, length)
        Element (d, j) is that of diagonal d in column j.
    offsets : ndarray
        Where diagonals start.
    shape : tuple of int
        Of the matrix.
    by_row : bool
        Whether the result has the shape (rows, diagonals), else (diagonals, rows).
    """
    return _plan_align(current.stream, data._layout, offsets._layout, shape, by_row)(data, offsets)


@planned
def _plan_align(
    stream: Stream, data: Layout, offsets: Layout, shape: tuple[int, int], by_row: bool
) -> Callable[..., Any]:
    (rows, columns), (diagonals, length) = shape, data.shape
    result = (rows, diagonals) if by_row else (diagonals, rows)
    output = _layout.contiguous(data.dtype, result)
    if not rows * diagonals:
        return _calls.make_call(stream, "aa", [output], [])
    spec = sparse_format.spec.DiagonalsSpec(_name(offsets), data.itemsize, by_row)
    constants = {"rows": rows, "columns": columns, "length": length, "diagonals": diagonals}
    bound = _bound(spec, rows * diagonals, constants, stream)
    passed = {"data": "x0", "offsets": "x1", "aligned": "y0"}
    return _calls.make_call(stream, "aa", [output], [(bound, passed)])


def _entries(count: int, dtype: np.dtype, index: np.dtype, major: bool) -> list[Layout]:
    indices = _layout.contiguous(index, (count,))
    values = _layout.contiguous(dtype, (count,))
    return [indices, indices, values] if major else [indices, values]


def _stored(major: bool) -> dict[str, str]:
    """What the results of a call are passed as; the kernel does not look at a major of none."""
    if major:
        return {"major": "y0", "minor": "y1", "values": "y2"}
    return {"major": "y0", "minor": "y0", "values": "y1"}


def _name(layout: Layout) -> str:
    return str(layout.dtype)


def _bound(
    spec: sparse_format.spec.Spec,
    count: int,
    constants: dict[str, int],
    stream: Stream,
    most: int | None = None,
) -> BoundLaunch:
    """A launch for so many elements, of at most so many blocks."""
    function, source = load(spec, sparse_format.spec.render, stream.device)
    blocks = max(1, ceil_div(count, source.block * source.items_per_thread))
    grid = grid_for(blocks if most is None else min(blocks, most))
    return BoundLaunch(LaunchPlan(function, grid, (source.block, 1, 1), constants), stream)
