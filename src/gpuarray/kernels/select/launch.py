"""Elements of given ranks in sorted order, and rows split around them: from layouts to calls.

Rows that one block can sort in shared memory are sorted. Others are searched by a radix select
(``radix_select.cuh``): many rows of up to `ROW_LIMIT` elements by a block each, in
one launch; longer ones, or few, by many blocks, with a launch for each digit (three for keys of
four bytes). Nothing waits for the host.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpuarray import _array, _calls, _dtypes, _layout, _transfers
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise, gather
from gpuarray.kernels import select as select_kernels
from gpuarray.kernels import sort as sort_kernels
from gpuarray.kernels.generator.expressions import Apply, Input
from gpuarray.kernels.generator.operations import operation
from gpuarray.kernels.scan.launch import LookBackPlan, look_back_state
from gpuarray.kernels.sort.launch import argsort_rows, bind, clear, sort_rows

if TYPE_CHECKING:
    from gpuarray.kernels.select.spec import SelectSpec

_INT64 = np.dtype(np.int64)

#: Longest rows that one block does everything with, if they are not fewer than multiprocessors.
ROW_LIMIT = 1 << 17

#: How many times longer than the workspace of its blocks a row is at least.
WORKSPACE_SHARE = 16

#: From this length on, counts are 64 bits wide.
WIDE_LENGTH = 1 << 32

#: Elements of a row for each one that candidates are copied to.
COPY_SHARE = 32

# Blocks for each multiprocessor that count digits.
_COUNT_BLOCKS = 4

# Longest row of a block whose counts are 32 bits wide.
_BLOCK_LENGTH = 1 << 31


def select_rows(source: Any, ranks: Sequence[int], spread_nan: bool = True) -> Any:
    """Elements of given ranks in sorted order along the last axis.

    Parameters
    ----------
    source : ndarray
        C-contiguous with at least one dimension, the last not empty.
    ranks : sequence of int
        From 0 to the length of the last axis, in any order; at least one.
    spread_nan : bool, optional
        Whether a row with a NaN has NaN for all ranks.

    Returns
    -------
    ndarray
        The ranks come first, then the dimensions of ``source`` but the last.

    Notes
    -----
    One launch for many rows of up to `ROW_LIMIT` elements, and no scratch memory; else a launch for
    each digit and one before, and at most a tenth of the rows. Complex numbers, and rows of which
    more than `MAX_RANKS` ranks are asked, are sorted: that takes a copy of
    them, and what a sort takes.
    """
    layout = source._layout
    if layout.unaligned:
        source = elementwise.copies.copy(source, "C")
        layout = source._layout
    *kept, length = layout.shape
    target = _layout.contiguous(layout.dtype, (len(ranks), *kept))
    result = _array.empty(target)
    if not target.size:
        return result
    if min(ranks) < 0 or max(ranks) >= length:
        raise IndexError(f"a rank of {list(ranks)} is not in rows of {length} elements")
    if layout.dtype.kind == "c" or len(ranks) > select_kernels.spec.MAX_RANKS:
        _select_sorted(source, ranks, result, spread_nan)
    else:
        _run(layout, "values", tuple(ranks), spread_nan, source, result)
    return result


def partition_rows(source: Any, target: Any, ranks: Sequence[int]) -> None:
    """Store rows with some elements where they are in sorted order, none before being greater.

    Parameters
    ----------
    source, target : ndarray
        C-contiguous, of one layout with at least one dimension, in different memory.
    ranks : sequence of int
        From 0 to the length of the last axis.

    Notes
    -----
    Elements before, between and behind these keep their order. Rows that fit a block, rows
    of elements of one byte or of complex numbers, and those with more than two ranks are sorted:
    see `sort_rows`. Scratch memory otherwise: as of `select_rows`.
    """
    _split(source, target, ranks, "split", sort_rows)


def argpartition_rows(source: Any, target: Any, ranks: Sequence[int]) -> None:
    """Store where elements come from in rows as of `partition_rows`: ``target`` is int64."""
    _split(source, target, ranks, "indices", argsort_rows)


def _split(
    source: Any, target: Any, ranks: Sequence[int], mode: str, sort: Callable[[Any, Any], None]
) -> None:
    layout = source._layout
    distinct = {*ranks}
    if (
        not distinct
        or not layout.size
        or layout.itemsize == 1
        or layout.dtype.kind == "c"
        or len(distinct) > select_kernels.spec.MAX_PIVOTS
        or _fits_block(layout)
    ):
        sort(source, target)
    else:
        _run(layout, mode, tuple(ranks), False, source, target)


def _fits_block(layout: Layout) -> bool:
    """Whether one block can sort a row in shared memory."""
    return layout.shape[-1] <= sort_kernels.spec.BLOCK_LIMIT[layout.itemsize]


def _run(
    layout: Layout, mode: str, ranks: tuple[int, ...], spread: bool, source: Any, target: Any
) -> None:
    _plan(current.stream, layout, mode, ranks, spread)(source, target)


class _Selection(NamedTuple):
    """What is selected of rows: see SelectSpec."""

    dtype: str
    rows: int
    length: int
    mode: str  # 'values', 'split' or 'indices'
    distinct: int  # ranks that a kernel looks for at once
    ranks: dict[str, Any]  # the struct Ranks
    results: int
    spread: bool  # a NaN is the result of its row


@planned
def _plan(
    stream: Stream, layout: Layout, mode: str, ranks: tuple[int, ...], spread: bool
) -> Callable[[Any, Any], None]:
    length = layout.shape[-1]
    distinct = sorted({*ranks})
    slots = select_kernels.spec.rank_slots(len(distinct))
    results = [distinct.index(rank) for rank in ranks] if mode == "values" else []
    struct = {
        "at": [*distinct, *[distinct[-1]] * (slots - len(distinct))],
        "of": [*results, *[0] * (select_kernels.spec.MAX_RANKS - len(results))],
    }
    rows = layout.size // length
    dtype = _dtypes.code(layout.dtype)
    selection = _Selection(dtype, rows, length, mode, slots, struct, len(results), spread)
    if _fits_block(layout):
        return _block_call(selection, stream)
    few = rows < stream.device.multiprocessors
    shared = _shares_rows(_pass_spec(selection), length, few)
    return (_passes_call if shared else _row_call)(selection, stream)


def _pass_spec(selection: _Selection) -> SelectSpec:
    count = "uint64" if selection.length >= WIDE_LENGTH else "uint32"
    return select_kernels.spec.SelectSpec("pass", selection.dtype, selection.distinct, count=count)


def _shares_rows(spec: SelectSpec, length: int, few: bool) -> bool:
    """Whether many blocks share a row: what they need for that has to be little beside it."""
    nbytes = select_kernels.spec.workspace_bytes(spec)
    little = nbytes * WORKSPACE_SHARE <= length * _dtypes.itemsize(spec.dtype)
    return little and (few or length > ROW_LIMIT)


def _bind(
    spec: SelectSpec, blocks: int, constants: dict[str, Any], stream: Stream, nbytes: int = 0
) -> BoundLaunch:
    """A launch of a step with its constant arguments; ``nbytes`` are for look-back."""
    function, source = load(spec, select_kernels.spec.render, stream.device)
    threads = (source.block, 1, 1)
    if not nbytes:
        return BoundLaunch(LaunchPlan(function, grid_for(blocks), threads, constants), stream)
    plan = LookBackPlan(function, grid_for(blocks), threads, constants)
    plan.state = look_back_state(stream, nbytes)
    constants["lookback"] = plan.state[1]
    return BoundLaunch(plan, stream)


def _passed(selection: _Selection) -> dict[str, str]:
    """What every kernel gets that stores results."""
    return {"input": "x0", "indices" if selection.mode == "indices" else "output": "y0"}


def _block_call(selection: _Selection, stream: Stream) -> Callable[..., Any]:
    block, items = sort_kernels.spec.block_shape(selection.dtype, selection.length)
    spec = sort_kernels.spec.SortSpec(
        "block", selection.dtype, False, block, items, ranks=selection.distinct
    )
    constants = {
        "length": selection.length,
        "wanted": selection.results,
        "spread": selection.spread,
        "ranks": selection.ranks,
    }
    bound = bind(spec, selection.rows, constants, stream)
    return _calls.make_call(stream, "a", [None], [(bound, _passed(selection))])


def _row_call(selection: _Selection, stream: Stream) -> Callable[..., Any]:
    spec = select_kernels.spec.SelectSpec(
        "row",
        selection.dtype,
        selection.distinct,
        selection.mode == "values",
        selection.mode == "indices",
    )
    constants = {
        "length": selection.length,
        "rows": selection.rows,
        "wanted": selection.results,
        "spread": selection.spread,
        "ranks": selection.ranks,
    }
    bound = _bind(spec, selection.rows, constants, stream)
    return _calls.make_call(stream, "a", [None], [(bound, _passed(selection))])


def _passes_call(selection: _Selection, stream: Stream) -> Callable[..., Any]:
    rows, length = selection.rows, selection.length
    spec = _pass_spec(selection)
    # Whole vectors, so that each row's copy is aligned.
    capacity = ceil_div(length, 16 * COPY_SHARE) * 16
    units = ceil_div(rows * select_kernels.spec.workspace_bytes(spec), 16)
    block = select_kernels.spec.BLOCK
    blocks = max(1, _COUNT_BLOCKS * stream.device.multiprocessors // rows)
    blocks = max(min(blocks, ceil_div(length, 16 * block)), length // _BLOCK_LENGTH + 1)
    common = {"length": length, "rows": rows, "ranks": selection.ranks}
    constants = common | {
        "capacity": capacity,
        "blocks": blocks,
        "wanted": selection.results,
        "spread": selection.spread,
    }
    # Only a selection of values has its output written, which is then of this type.
    passed = {"input": "x0", "output": "y0", "copies": "t1", "workspace": "t0"}
    launches = [(clear(units, stream), {"workspace": "t0"})]
    for digit in range(select_kernels.spec.passes(selection.dtype, spec.ranks)):
        launches.append((_bind(spec, rows * blocks, constants | {"pass": digit}, stream), passed))
    if selection.mode != "values":
        split = select_kernels.spec.SelectSpec(
            "split",
            selection.dtype,
            spec.ranks,
            indices=selection.mode == "indices",
            count=spec.count,
        )
        tile = select_kernels.spec.SPLIT_BLOCK * select_kernels.spec.split_items(split)
        tiles = ceil_div(length, tile)
        nbytes = 8 * select_kernels.spec.look_back_words(split, rows, tiles)
        bound = _bind(split, rows * tiles, common | {"tiles": tiles}, stream, nbytes)
        launches.append((bound, _passed(selection) | {"workspace": "t0"}))
    scratch = [16 * units, rows * capacity * _dtypes.itemsize(selection.dtype)]
    return _calls.make_call(stream, "a", [None], launches, scratch)


# ---- rows that are sorted ---------------------------------------------------------------------


def _select_sorted(source: Any, ranks: Sequence[int], result: Any, spread: bool) -> None:
    layout = source._layout
    length = layout.shape[-1]
    rows = layout.size // length
    ordered = _array.empty(layout)
    sort_rows(source, ordered)
    size = layout.itemsize
    shape = (len(ranks), rows)
    flat = _layout.contiguous(layout.dtype, shape)
    index = _layout.contiguous(_INT64, (len(ranks),))
    run = gather.launch.transfer(
        flat,
        _layout.layout_of(layout.dtype, shape, (0, length * size)),
        layout,
        [(_layout.layout_of(_INT64, shape, (8, 0)), length, size)],
        False,
    )
    result = _array.view(result, flat)
    run(ordered, _transfers.from_host(np.array(ranks, _INT64), index), result)
    if spread and _dtypes.kind(layout.dtype) in "fc":
        last = _layout.layout_of(layout.dtype, shape, (0, length * size))
        _spread_call(current.stream, flat, last)(
            result, _array.view(ordered, last, (length - 1) * size), result
        )


@planned
def _spread_call(stream: Stream, values: Layout, last: Layout) -> Callable[..., Any]:
    """A call that replaces values where what is last in their row is a NaN."""
    code = _dtypes.code(values.dtype)
    nan = Apply(operation("isnan"), (Input(1, code),), "b1")
    chosen = Apply(operation("where"), (nan, Input(1, code), Input(0, code)), code)
    return elementwise.launch.make_call(
        "select", [chosen], [values, last], [values], [True], stream
    )
