"""Elements at places in sorted order, and rows split around them: from layouts to calls.

Rows that one block can sort in shared memory are sorted. Others are searched by a radix select
(``radix_select.cuh``): many rows of up to `ROW_LIMIT` elements by a block each, in
one launch; longer ones, or few, by many blocks, with a launch for each digit (three for keys of
four bytes). Nothing waits for the host.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _calls, _dtypes, _layout
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.device import current
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise, gather
from gpuarray.kernels import select as select_kernels
from gpuarray.kernels import sort as sort_kernels
from gpuarray.kernels.generator.expressions import Apply, Input
from gpuarray.kernels.generator.operations import operation
from gpuarray.kernels.scan.launch import LinkedPlan, links
from gpuarray.kernels.sort.launch import argsort_rows, sort_rows

if TYPE_CHECKING:
    from gpuarray.kernels.select.spec import SelectSpec

_INT64 = np.dtype(np.int64)

#: Longest rows that one block does everything with, if they are not fewer than multiprocessors.
ROW_LIMIT = 1 << 17

#: How much longer than what its blocks tell one another a row is at least.
BOOK_SHARE = 16

#: From this length on, counts are 64 bits wide.
WIDE_LENGTH = 1 << 32

#: Elements of a row for each one that candidates are copied to.
COPY_SHARE = 32

# Blocks for each multiprocessor that count digits.
_COUNT_BLOCKS = 4

# Longest row of a block whose counts are 32 bits wide.
_BLOCK_LENGTH = 1 << 31


def select_rows(source: Any, places: Sequence[int], spread_nan: bool = True) -> Any:
    """Elements at places in sorted order along the last axis.

    Parameters
    ----------
    source : ndarray
        C-contiguous with at least one dimension, the last not empty.
    places : sequence of int
        From 0 to the length of the last axis, in any order; at least one.
    spread_nan : bool, optional
        Whether a row with a NaN has NaN at all places.

    Returns
    -------
    ndarray
        The places come first, then the dimensions of ``source`` but the last.

    Notes
    -----
    One launch for many rows of up to `ROW_LIMIT` elements, and no scratch memory; else a launch for
    each digit and one before, and at most a tenth of the rows. Complex numbers, and rows of which
    more than `kernels.partitioning.MAX_RANKS` places are asked, are sorted: that takes a copy of
    them, and what a sort takes.
    """
    layout = source._layout
    *kept, length = layout.shape
    target = _layout.contiguous(layout.dtype, (len(places), *kept))
    result = _array.empty(target)
    if not target.size:
        return result
    ranks = sorted({*places})
    if ranks[0] < 0 or ranks[-1] >= length:
        raise IndexError(f"a place of {list(places)} is not in rows of {length} elements")
    if layout.dtype.kind == "c" or len(places) > select_kernels.spec.MAX_RANKS:
        _select_sorted(source, places, result, spread_nan)
    else:
        _run(layout, "values", tuple(places), spread_nan, source, result)
    return result


def partition_rows(source: Any, target: Any, places: Sequence[int]) -> None:
    """Store rows with some elements where they are in sorted order, none before being greater.

    Parameters
    ----------
    source, target : ndarray
        C-contiguous, of one layout with at least one dimension, in different memory.
    places : sequence of int
        From 0 to the length of the last axis.

    Notes
    -----
    Elements before, between and behind the places keep their order. Rows that fit a block, rows
    of elements of one byte or of complex numbers, and those with more than two places are sorted:
    see `_sort.sort_rows`. Scratch memory otherwise: as of `select_rows`.
    """
    _split(source, target, places, "split", sort_rows)


def argpartition_rows(source: Any, target: Any, places: Sequence[int]) -> None:
    """Store where elements come from in rows as of `partition_rows`: ``target`` is int64."""
    _split(source, target, places, "places", argsort_rows)


def _split(
    source: Any, target: Any, places: Sequence[int], what: str, sort: Callable[[Any, Any], None]
) -> None:
    layout = source._layout
    ranks = sorted({*places})
    if (
        not ranks
        or not layout.size
        or layout.itemsize == 1
        or layout.dtype.kind == "c"
        or len(ranks) > select_kernels.spec.MAX_PIVOTS
        or _fits_block(layout)
    ):
        sort(source, target)
    else:
        _run(layout, what, tuple(places), False, source, target)


def _fits_block(layout: Layout) -> bool:
    """Whether one block can sort a row in shared memory."""
    return layout.shape[-1] <= sort_kernels.spec.BLOCK_LIMIT[layout.itemsize]


def _run(
    layout: Layout, what: str, places: tuple[int, ...], spread: bool, source: Any, target: Any
) -> None:
    stream = current.stream
    key = (_run, layout, what, places, spread)
    call: Any = stream.plans.get(key)
    if call is None:
        call = _plan(layout, what, places, spread, stream)
        stream.remember(key, call)
    call(source, target)


def _plan(
    layout: Layout, what: str, places: tuple[int, ...], spread: bool, stream: Stream
) -> Callable[[Any, Any], None]:
    length = layout.shape[-1]
    rows = layout.size // length
    distinct = sorted({*places})
    slots = select_kernels.spec.rank_slots(len(distinct))
    every = [*distinct, *[distinct[-1]] * (slots - len(distinct))]
    results = [distinct.index(place) for place in places] if what == "values" else []
    ranks = struct.pack(f"={slots}Q", *every) + bytes(results).ljust(32, b"\0")
    dtype = _dtypes.code(layout.dtype)
    if _fits_block(layout):
        return _block_call(dtype, rows, length, slots, ranks, len(results), spread, stream)
    few = rows < stream.device.multiprocessors
    shared = _shares_rows(_pass_spec(dtype, slots, length), length, few)
    make = _passes_call if shared else _row_call
    return make(dtype, rows, length, what, slots, ranks, len(results), spread, stream)


def _pass_spec(dtype: str, slots: int, length: int) -> SelectSpec:
    count = "uint64" if length >= WIDE_LENGTH else "uint32"
    return select_kernels.spec.SelectSpec("pass", dtype, slots, count=count)


def _shares_rows(spec: SelectSpec, length: int, few: bool) -> bool:
    """Whether many blocks share a row: what they need for that has to be little beside it."""
    books = select_kernels.spec.book_bytes(spec)
    little = books * BOOK_SHARE <= length * _dtypes.itemsize(spec.dtype)
    return little and (few or length > ROW_LIMIT)


def _bind(
    spec: Any,
    render: Callable[[Any], Any],
    grid: int,
    numbers: Sequence[int],
    ranks: bytes,
    stream: Stream,
    nbytes: int = 0,
) -> BoundLaunch:
    """A launch with the last parameters constant; ``nbytes`` are for look-back."""
    function, source = load(spec, render, stream.device)
    first = len(source.parameters) - 1 - len(numbers)
    constants = {
        first + i: value.to_bytes(source.parameters[first + i], "little")
        for i, value in enumerate(numbers)
    }
    constants[first + len(numbers)] = ranks
    threads = (source.block, 1, 1)
    if not nbytes:
        return BoundLaunch(LaunchPlan(function, grid_for(grid), threads, constants), stream)
    plan = LinkedPlan(function, grid_for(grid), threads, constants)
    plan.links = links(stream, nbytes)
    constants[first - 1] = plan.links[1].to_bytes(8, "little")
    return BoundLaunch(plan, stream)


def _block_call(
    dtype: str,
    rows: int,
    length: int,
    slots: int,
    ranks: bytes,
    wanted: int,
    spread: bool,
    stream: Stream,
) -> Callable[..., Any]:
    block, items = sort_kernels.spec.block_shape(dtype, length)
    spec = sort_kernels.spec.SortSpec("block", dtype, False, block, items, ranks=slots)
    bound = _bind(spec, sort_kernels.spec.render, rows, [length, wanted, spread], ranks, stream)
    return _calls.make_call(stream, "a", [None], [(bound, ["x0", "y0"])])


def _row_call(
    dtype: str,
    rows: int,
    length: int,
    what: str,
    slots: int,
    ranks: bytes,
    wanted: int,
    spread: bool,
    stream: Stream,
) -> Callable[..., Any]:
    values, places = what == "values", what == "places"
    spec = select_kernels.spec.SelectSpec("row", dtype, slots, values, places)
    bound = _bind(
        spec, select_kernels.spec.render, rows, [length, rows, wanted, spread], ranks, stream
    )
    return _calls.make_call(stream, "a", [None], [(bound, ["x0", "y0"])])


def _passes_call(
    dtype: str,
    rows: int,
    length: int,
    what: str,
    slots: int,
    ranks: bytes,
    wanted: int,
    spread: bool,
    stream: Stream,
) -> Callable[..., Any]:
    spec = _pass_spec(dtype, slots, length)
    # Whole vectors, so that each row's copy is aligned.
    capacity = -(-length // COPY_SHARE // 16) * 16
    nbytes = rows * select_kernels.spec.book_bytes(spec)
    units = ceil_div(nbytes, 16)
    block = select_kernels.spec.BLOCK
    blocks = max(1, _COUNT_BLOCKS * stream.device.multiprocessors // rows)
    blocks = max(min(blocks, ceil_div(length, 16 * block)), length // _BLOCK_LENGTH + 1)
    render = select_kernels.spec.render
    launches = [(_clear(units, stream), ["t0"])]
    for digit in range(select_kernels.spec.passes(dtype, spec.ranks)):
        numbers = [length, capacity, rows, blocks, digit, wanted, spread]
        bound = _bind(spec, render, rows * blocks, numbers, ranks, stream)
        # Only a selection of values has its output written, which is then of this type.
        launches.append((bound, ["x0", "y0", "t1", "t0"]))
    if not wanted:
        split = select_kernels.spec.SelectSpec(
            "split", dtype, spec.ranks, places=what == "places", count=spec.count
        )
        tile = select_kernels.spec.SPLIT_BLOCK * select_kernels.spec.split_items(split)
        tiles = ceil_div(length, tile)
        shared = 8 * select_kernels.spec.link_words(split, rows, tiles)
        numbers = [length, rows, tiles]
        bound = _bind(split, render, rows * tiles, numbers, ranks, stream, shared)
        launches.append((bound, ["x0", "y0", "t0"]))
    scratch = [16 * units, rows * capacity * _dtypes.itemsize(dtype)]
    return _calls.make_call(stream, "a", [None], launches, scratch)


def _clear(units: int, stream: Stream) -> BoundLaunch:
    """The launch that zeroes units of 16 bytes."""
    clear = sort_kernels.spec.SortSpec("clear", "u1")
    function, source = load(clear, sort_kernels.spec.render, stream.device)
    grid = grid_for(min(ceil_div(units, sort_kernels.spec.BLOCK), 4096))
    plan = LaunchPlan(function, grid, (source.block, 1, 1), {1: units.to_bytes(8, "little")})
    return BoundLaunch(plan, stream)


# ---- rows that are sorted ---------------------------------------------------------------------


def _select_sorted(source: Any, places: Sequence[int], result: Any, spread: bool) -> None:
    layout = source._layout
    length = layout.shape[-1]
    rows = layout.size // length
    ordered = _array.empty(layout)
    sort_rows(source, ordered)
    size = layout.itemsize
    shape = (len(places), rows)
    flat = _layout.contiguous(layout.dtype, shape)
    index = _layout.contiguous(_INT64, (len(places),))
    run = gather.launch.transfer(
        flat,
        _layout.layout_of(layout.dtype, shape, (0, length * size)),
        layout,
        [(_layout.layout_of(_INT64, shape, (8, 0)), length, size)],
        False,
    )
    result = _array.view(result, flat)
    run(ordered, _array.from_host(np.array(places, _INT64), index), result)
    if spread and layout.dtype.kind in "fc":
        last = _layout.layout_of(layout.dtype, shape, (0, length * size))
        _spread_call(flat, last)(result, _array.view(ordered, last, (length - 1) * size), result)


def _spread_call(values: Layout, last: Layout) -> Callable[..., Any]:
    """A call that replaces values where what is last in their row is a NaN."""
    stream = current.stream
    key = (_spread_call, values, last)
    call = stream.plans.get(key)
    if call is None:
        code = _dtypes.code(values.dtype)
        nan = Apply(operation("isnan"), (Input(1, code),), "b1")
        chosen = Apply(operation("where"), (nan, Input(1, code), Input(0, code)), code)
        call = elementwise.launch.make_call(
            "select", [chosen], [values, last], [values], [True], stream
        )
        stream.remember(key, call)
    return call
