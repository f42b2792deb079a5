"""Sorts along the last axis of C-contiguous arrays: from layouts to calls.

Rows that fit one block's shared memory take one launch, and a few that are up to eight times as
long two: blocks sort tiles, and these are merged. Longer ones are sorted by all blocks
together, as many rows at a time as have about `BATCH_ELEMENTS` elements: one launch clears the
workspace, one counts all digits, and then there is one for each digit (one altogether for keys of
one byte). Rows of many keys of eight bytes have two launches more and, where a sample of the row
allows it, fewer passes: see ``sort_runs.cuh``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _calls, _dtypes, _layout
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import sort as sort_kernels

if TYPE_CHECKING:
    from gpuarray.kernels.sort.spec import SortSpec

_INT64 = np.dtype(np.int64)

#: Elements of rows that are sorted together, where rows are many.
BATCH_ELEMENTS = 1 << 23

#: The least length of rows of eight-byte keys that may be sorted by their top digits.
RUNS_LENGTH = 1 << 19

#: Elements up to which rows take a launch that sorts tiles and one that merges.
MERGED_ELEMENTS = 1 << 17

#: Look-back words have two bits for their state.
WIDE_LENGTH = 1 << 30

# Blocks for each multiprocessor that count digits.
_COUNT_BLOCKS = 8

# The most blocks that clear memory.
_CLEAR_BLOCKS = 4096

_FILL_ITEMS = 16


def sort_rows(source: Any, target: Any, order: str = "ascending") -> None:
    """Sort along the last axis into an array of the same layout, or in place.

    Parameters
    ----------
    source, target : ndarray
        C-contiguous with at least one dimension; the same array, or arrays that do not overlap.
    order : {'ascending', 'descending'}, optional
        NaN comes last in either.

    Notes
    -----
    Scratch memory: none for rows that fit a block (`BLOCK_LIMIT`) and for keys of
    one byte; else a copy of the rows that are sorted together, and, unless they are merged, a
    workspace of about 3.5 %.
    """
    layout = source._layout
    if layout.size:
        in_place = source._pointer == target._pointer  # inline: a sort of few elements is short
        _run(layout, (source, target), "in place" if in_place else "keys", order)


def argsort_rows(source: Any, target: Any, order: str = "ascending") -> None:
    """Store the indices that sort the elements along the last axis.

    Parameters
    ----------
    source, target : ndarray
        C-contiguous, of equal shapes with at least one dimension; ``target`` is int64.
    order : {'ascending', 'descending'}, optional
        NaN comes last in either, and equal elements stay in their order.

    Notes
    -----
    Scratch memory: none for rows that fit a block; else two copies of the rows that are sorted
    together, four bytes an element for indices (eight in rows of 2^30 elements or more), and the
    workspace.
    """
    layout = source._layout
    if layout.size:
        _run(layout, (source, target), "indices", order)


def _run(layout: Layout, arrays: Sequence[Any], mode: str, order: str) -> None:
    stream = current.stream
    # The key of _plan, written here to save its call on a fast path.
    found: Any = stream.plans.get((_plan, layout, mode, order))
    if found is None:
        found = _plan(stream, layout, mode, order)
    batches, batch, call, rest = found
    if batches == 1:
        call(*arrays)
        return
    length = layout.shape[-1]
    rows = layout.size // length
    for start in range(0, rows, batch):
        part = min(batch, rows - start)
        views = []
        for x in arrays:
            view = _layout.contiguous(x._layout.dtype, (part, length))
            views.append(_array.view(x, view, start * length * x._layout.itemsize))
        (call if part == batch else rest)(*views)


@planned
def _plan(stream: Stream, layout: Layout, mode: str, order: str) -> Any:
    length = layout.shape[-1]
    rows = layout.size // length
    dtype = _dtypes.code(layout.dtype)
    if length <= sort_kernels.spec.BLOCK_LIMIT[layout.itemsize]:
        return 1, rows, _block_call(dtype, rows, length, mode, order, stream), None
    longest = sort_kernels.spec.TILES * sort_kernels.spec.BLOCK_LIMIT[layout.itemsize]
    if layout.itemsize > 1 and length <= longest and layout.size <= MERGED_ELEMENTS:
        return 1, rows, _merged_call(dtype, rows, length, mode, order, stream), None
    batch = min(rows, max(1, BATCH_ELEMENTS // length))
    make = _counting_call if layout.itemsize == 1 and mode != "indices" else _passes_call
    call = make(dtype, batch, length, mode, order, stream)
    rest = make(dtype, rows % batch, length, mode, order, stream) if rows % batch else None
    return ceil_div(rows, batch), batch, call, rest


def bind(spec: SortSpec, blocks: int, constants: dict[str, Any], stream: Stream) -> BoundLaunch:
    """A launch of a step with its constant arguments."""
    function, source = load(spec, sort_kernels.spec.render, stream.device)
    plan = LaunchPlan(function, grid_for(blocks), (source.block, 1, 1), constants)
    return BoundLaunch(plan, stream)


def _block_call(
    dtype: str, rows: int, length: int, mode: str, order: str, stream: Stream
) -> Callable[..., Any]:
    block, items = sort_kernels.spec.block_shape(dtype, length)
    indices = mode == "indices"
    spec = sort_kernels.spec.SortSpec("block", dtype, indices, block, items, order=order)
    bound = bind(spec, rows, {"length": length}, stream)
    passed = {"input": "x0", "indices" if indices else "output": "y0"}
    return _calls.make_call(stream, "a", [None], [(bound, passed)])


def _merged_call(
    dtype: str, rows: int, length: int, mode: str, order: str, stream: Stream
) -> Callable[..., Any]:
    indices = mode == "indices"
    tiles = sort_kernels.spec.TILES
    tile = ceil_div(length, tiles)
    block, items = sort_kernels.spec.block_shape(dtype, tile)
    sort = sort_kernels.spec.SortSpec("tile", dtype, indices, block, items, order=order)
    merge = sort_kernels.spec.SortSpec("merge", dtype, indices, order=order)
    blocks = ceil_div(length, merge.block)
    scratch = [rows * length * _dtypes.itemsize(dtype)]
    sorting, merging = {"input": "x0", "output": "t0"}, {"input": "t0", "output": "y0"}
    if indices:
        scratch.append(rows * length * 4)
        sorting["tile_indices"] = "t1"
        merging = {"input": "t0", "tile_indices": "t1", "indices": "y0"}
    constants = {"length": length, "tile": tile}
    launches = [
        (bind(sort, rows * tiles, constants | {"tiles": tiles}, stream), sorting),
        (bind(merge, rows * blocks, constants | {"blocks": blocks}, stream), merging),
    ]
    return _calls.make_call(stream, "a", [None], launches, scratch)


def _count_launches(
    spec: SortSpec, rows: int, length: int, tiles: int, even: bool, runs: bool, stream: Stream
) -> tuple[list, int]:
    """The launches that clear the workspace and count, and its bytes."""
    nbytes = sort_kernels.spec.workspace_bytes(spec, rows, tiles)
    multiprocessors = stream.device.multiprocessors
    units = ceil_div(nbytes, 16)
    blocks = max(
        1,
        min(
            _COUNT_BLOCKS * multiprocessors // rows, ceil_div(length, 16 * sort_kernels.spec.BLOCK)
        ),
    )
    # What the counts of a block hold is 32 bits wide.
    blocks = max(blocks, length >> 31)
    if runs:
        block = sort_kernels.spec.SAMPLE_BLOCK
        first = sort_kernels.spec.SortSpec("decide", spec.dtype, block=block, order=spec.order)
        units -= (rows + 1) * sort_kernels.spec.PLAN_WORDS // 4
        bound = bind(
            first,
            min(ceil_div(units, block), _CLEAR_BLOCKS) + rows,
            decide_constants(length, rows, units),
            stream,
        )
        launches = [(bound, {"input": "x0", "workspace": "t0"})]
    else:
        launches = [(clear(units, stream), {"workspace": "t0"})]
    constants = {"length": length, "rows": rows, "blocks": blocks, "even": int(even)}
    bound = bind(spec, rows * blocks, constants, stream)
    launches.append((bound, {"input": "x0", "workspace": "t0"}))
    return launches, nbytes


def decide_constants(length: int, rows: int, units: int) -> dict[str, Any]:
    """The constant arguments of the step 'decide', which clears so many units of 16 bytes."""
    return {
        "length": length,
        "rows": rows,
        "units": units,
        "close": sort_kernels.spec.close_keys(length),
        "streak": sort_kernels.spec.STREAK,
    }


def clear(units: int, stream: Stream) -> BoundLaunch:
    """The launch that zeroes units of 16 bytes."""
    spec = sort_kernels.spec.SortSpec("clear", "u1")
    blocks = min(ceil_div(units, sort_kernels.spec.BLOCK), _CLEAR_BLOCKS)
    return bind(spec, blocks, {"units": units}, stream)


def _with(spec: SortSpec, **changes: Any) -> SortSpec:
    """A specification with other values of some fields."""
    import dataclasses  # not at import: it takes as long as much of the package

    return dataclasses.replace(spec, **changes)


def _counting_call(
    dtype: str, rows: int, length: int, mode: str, order: str, stream: Stream
) -> Callable[..., Any]:
    counting = _count_spec(dtype, length, order)
    launches, nbytes = _count_launches(counting, rows, length, 0, False, False, stream)
    tiles = ceil_div(length, sort_kernels.spec.BLOCK * _FILL_ITEMS)
    spec = _with(counting, step="fill")
    bound = bind(spec, rows * tiles, {"length": length, "rows": rows, "tiles": tiles}, stream)
    launches.append((bound, {"output": "y0", "workspace": "t0"}))
    return _calls.make_call(stream, "a", [None], launches, [_round(nbytes)])


def _passes_call(
    dtype: str, rows: int, length: int, mode: str, order: str, stream: Stream
) -> Callable[..., Any]:
    indices = mode == "indices"
    counting = _count_spec(dtype, length, order)
    block, items = sort_kernels.spec.pass_shape(dtype, indices, counting.count)
    tiles = ceil_div(length, block * items)
    runs = sort_kernels.spec.has_runs(dtype) and length >= RUNS_LENGTH
    launches, nbytes = _count_launches(
        counting, rows, length, tiles, mode == "in place", runs, stream
    )
    spec = _with(counting, step="pass", indices=indices, block=block, items=items)
    keys = rows * length * _dtypes.itemsize(dtype)
    scratch = [_round(nbytes), keys]
    passed = {"input": "x0", "output": "y0", "scratch": "t1", "workspace": "t0"}
    if indices:
        scratch += [keys, rows * length * (8 if counting.count == "uint64" else 4)]
        passed |= {"output": "t2", "scratch_indices": "t3", "indices": "y0"}
    constants = {"length": length, "rows": rows, "tiles": tiles}
    for digit in range(sort_kernels.spec.passes(dtype)):
        launches.append((bind(spec, rows * tiles, constants | {"pass": digit}, stream), passed))
    if runs:
        block, items = sort_kernels.spec.BLOCK, sort_kernels.spec.RUN_ITEMS
        short, long = (
            _with(counting, step=step, indices=indices, block=block, items=items)
            for step in ("short", "long")
        )
        short_tiles = ceil_div(length, block * items)
        constants |= {"tiles": short_tiles, "pass_tiles": tiles}
        blocks = max(1, stream.device.multiprocessors // rows)
        launches += [
            (bind(short, rows * short_tiles, constants, stream), passed),
            (bind(long, rows * blocks, constants | {"blocks": blocks}, stream), passed),
        ]
    return _calls.make_call(stream, "a", [None], launches, scratch)


def _count_spec(dtype: str, length: int, order: str) -> SortSpec:
    count = "uint64" if length >= WIDE_LENGTH else "uint32"
    return sort_kernels.spec.SortSpec("count", dtype, count=count, order=order)


def replace(spec: SortSpec, **changes: Any) -> SortSpec:
    """A specification with some fields changed."""
    fields = {name: getattr(spec, name) for name in spec.__slots__}
    return sort_kernels.spec.SortSpec(**(fields | changes))


def _round(nbytes: int) -> int:
    """Whole units of 16 bytes, in which the workspace is cleared."""
    return ceil_div(nbytes, 16) * 16
