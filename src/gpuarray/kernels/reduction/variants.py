"""Which variant of the reduction family serves operands of given strides, and its geometry.

The dimensions are sorted into those kept and those reduced, each group is ordered by the operand's
strides and collapsed, and the operand's fastest dimension decides how threads are laid over
elements (see ``reduction.cuh``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from gpuarray import _dtypes, _layout
from gpuarray._integers import ceil_div, power_of_two_from, power_of_two_in
from gpuarray._layout import Layout
from gpuarray.kernels.reduction.spec import BLOCK, ReductionSpec, unroll

#: Blocks for each multiprocessor where blocks share results: fewer, if each thread has 16-byte
#: loads in flight, leave fewer splits to combine at the end (measured on an H200).
_VECTOR_BLOCKS, _SINGLE_BLOCKS = 4, 16

#: The same for threads that keep one number for each of few columns: so many fit at a time.
_COLUMN_BLOCKS = 6

#: The minimum split factor: where each block has at least one round of loads to do, a result is
#: split among no fewer blocks.
_MINIMUM_SPLITS = 4
#: The same for strips and periods, whose blocks read as many columns as they can.
_MINIMUM_STRIP_SPLITS = 2

#: Accesses of a run that is worth finding where it starts, and whether that address is aligned.
_LEAST_RUN = 4

#: Bytes of values that a thread collects for neighbouring results: in registers, and what threads
#: of a block put into shared memory for one another.
_COLUMN_BYTES, _SLOT_BYTES = 64, 128
#: The most that arrays of fixed size may have of it.
_SHARED_BYTES = 48 << 10

#: Vectors in a row of results that is worth a block's width, and rows that blocks read as one line.
_LEAST_STRIP = 16
_LEAST_LINE = 1 << 14  # bytes

#: Kinds of rows by alignment that a block reads side by side: the more, the narrower it is.
_MOST_PHASES = 8

#: Blocks of results that may be shared at once: the number of counters a stream has.
COUNTERS = 4096


class DimensionGroup(NamedTuple):
    """Dimensions that are kept, or reduced, ordered and collapsed: strides in elements."""

    shape: tuple[int, ...]
    strides: tuple[tuple[int, ...], ...]
    bases: tuple[int, ...]


def group(
    name: str,
    shape: Sequence[int],
    operand_strides: Sequence[Sequence[int]],
    itemsizes: Sequence[int],
    backwards: bool = True,
) -> DimensionGroup:
    """Order and collapse dimensions.

    With ``backwards``, those that the first operand has reversed are walked from their end.
    """
    bases = [0] * len(itemsizes)
    steps: list[list[int]] = [[] for _ in itemsizes]
    for axis, length in enumerate(shape):
        reverse = backwards and operand_strides[0][axis] < 0 and length > 0
        for k, itemsize in enumerate(itemsizes):
            stride = operand_strides[k][axis]
            if stride % itemsize and length > 1:
                raise ValueError(
                    f"{name}: an operand has a stride of {stride} bytes, which is no multiple of "
                    f"its {itemsize}-byte elements; copy it to a contiguous array first"
                )
            step = stride // itemsize
            if reverse:
                bases[k] += step * (length - 1)
                step = -step
            steps[k].append(step)
    dims, strides = _layout.collapse(shape, steps)
    return DimensionGroup(dims, strides, tuple(bases))


def choose(
    spec: ReductionSpec,
    kept: DimensionGroup,
    reduced: DimensionGroup,
    operands: Sequence[Layout],
    multiprocessors: int,
) -> dict[str, Any]:
    """Choose the variant, its width and the elements per access."""
    results, length = math.prod(kept.shape), math.prod(reduced.shape)
    widest = 16 // operands[0].itemsize
    along_kept, along_reduced = kept.strides[0][-1], reduced.strides[0][-1]
    if results == 1 or (length > 1 and along_reduced and _before(along_reduced, along_kept)):
        vector = 1
        alone = len(operands) == 1 and along_reduced == 1
        if alone and widest > 1 and len(reduced.shape) > 1:
            run = reduced.shape[-1] // widest
            if run >= _LEAST_RUN and length >= BLOCK * widest:
                return {"variant": "runs", "width": _row_width(run, False), "vector": widest}
        if alone and len(reduced.shape) == 1:
            vector = widest
            if length < 32 * widest:
                # Short rows: vectors only if no row has anything before or behind them.
                strides = [length, *kept.strides[0], *kept.bases[:1], *reduced.bases[:1]]
                vector = min(widest, power_of_two_in(math.gcd(*strides)))
        width = _row_width(length // vector, results < 16 * multiprocessors)
        return {"variant": "rows", "width": width, "vector": vector}
    vector = 1
    if len(operands) == 1 and along_kept == 1:
        widest = min(widest, _column_vector(spec))
        if len(reduced.shape) == 1 and widest > 1:
            found = _long_rows(spec, kept, reduced, operands[0], widest, multiprocessors)
            if found:
                return found
        # What the threads of a block put together is in shared memory, all of it at once.
        while widest * spec.value_bytes * BLOCK > _SHARED_BYTES:
            widest //= 2
        steps = [kept.shape[-1], *kept.strides[0][:-1], *reduced.strides[0]]
        steps += [kept.bases[0], reduced.bases[0]]
        vector = min(widest, power_of_two_in(math.gcd(*steps)))
    # As deep as there are elements to read, but at least a warp's access wide.
    depth = min(BLOCK // 32, power_of_two_from(ceil_div(length, 8)))
    width = min(BLOCK // depth, power_of_two_from(ceil_div(results, vector)))
    return {"variant": "columns", "width": width, "vector": vector}


def _column_vector(spec: ReductionSpec) -> int:
    """The most neighbouring results that a thread has totals for."""
    value = spec.value_bytes
    if spec.packed is not None and (
        spec.packed.firsts if spec.finds_index else spec.packed.columns
    ):
        # 32 bits for each in registers, whatever is put together later.
        count = _SLOT_BYTES // (value if spec.finds_index else min(value, 8))
    elif spec.partial is not None:
        count = _COLUMN_BYTES // _dtypes.itemsize(spec.partial.dtype)
    else:
        count = _COLUMN_BYTES // value
    return power_of_two_from(count + 1) // 2 or 1


def _long_rows(
    spec: ReductionSpec,
    kept: DimensionGroup,
    reduced: DimensionGroup,
    operand: Layout,
    widest: int,
    multiprocessors: int,
) -> dict[str, Any] | None:
    """The variants that read aligned vectors wherever rows begin, where one of them fits."""
    columns, length, stride = kept.shape[-1], reduced.shape[0], reduced.strides[0][0]
    gapless = stride == columns and length * columns * operand.itemsize >= _LEAST_LINE
    if gapless and columns // min(power_of_two_in(columns), widest) <= BLOCK:
        return {"variant": "periods", "width": BLOCK, "vector": widest}
    vector, phases = widest, widest // min(widest, power_of_two_in(stride))
    while phases > _MOST_PHASES:
        vector, phases = vector // 2, phases // 2
    if columns < _LEAST_STRIP * vector or vector == 1:
        return None
    threads = ceil_div(math.prod(kept.shape), vector)
    depth = min(8, power_of_two_from(ceil_div(length, 8)))
    if operand.itemsize <= 2:
        # Threads own many results, and to combine those of rows that are read side by side takes
        # longer than to read some rows one behind another: only as many as fill the device.
        enough = multiprocessors * _VECTOR_BLOCKS * BLOCK // threads
        depth = min(depth, power_of_two_from(enough + 1) // 2 or 1)
    width = min(BLOCK // max(depth, phases), power_of_two_from(ceil_div(columns, vector) + 1))
    return {"variant": "strips", "width": width, "vector": vector, "phases": phases}


def _before(stride: int, other: int) -> bool:
    """Whether a dimension is the faster one; one of stride 0 reads no memory."""
    return other == 0 or abs(stride) < abs(other)


def _row_width(accesses: int, few: bool) -> int:
    """Threads for a row of so many accesses: enough to fill the device, but several for each."""
    if accesses > (64 if few else 1024):
        return BLOCK
    return min(32, power_of_two_from(ceil_div(accesses, 4)))


class _Work(NamedTuple):
    """What the blocks of a variant do, if none share results."""

    blocks: int
    units: int  # of what blocks would share: elements, runs, or rounds
    round_length: int  # units of a round of loads
    minimum_splits: int = _MINIMUM_SPLITS
    align: int = 1  # units that stay together
    splittable: bool = True


class Geometry(NamedTuple):
    """How a reduction is laid over blocks."""

    blocks: int  # for one split
    splits: int
    split_length: int


def _work(spec: ReductionSpec, kept: DimensionGroup, reduced: DimensionGroup) -> _Work:
    results, length = math.prod(kept.shape), math.prod(reduced.shape)
    depth, accesses = BLOCK // spec.width, unroll(spec)
    if spec.variant == "rows":
        return _Work(
            ceil_div(results * spec.width, BLOCK),
            length,
            spec.width * spec.vector * accesses,
            align=spec.vector,
            splittable=spec.width == BLOCK,
        )
    if spec.variant == "runs":
        return _Work(results, math.prod(reduced.shape[:-1]), depth)
    if spec.variant == "columns":
        return _Work(ceil_div(results, spec.width * spec.vector), length, depth * accesses)
    columns = kept.shape[-1]
    if spec.variant == "strips":
        blocks = results // columns * _strips(spec, columns)
        return _Work(blocks, length, depth * accesses, _MINIMUM_STRIP_SPLITS)
    vectors = length * columns // spec.vector
    rounds = ceil_div(vectors, _threads_of_periods(spec, kept))
    return _Work(results // columns, rounds, accesses, _MINIMUM_STRIP_SPLITS)


def geometry(
    spec: ReductionSpec, kept: DimensionGroup, reduced: DimensionGroup, multiprocessors: int
) -> Geometry | None:
    """The blocks of a reduction, or None where narrow totals would overflow."""
    work = _work(spec, kept, reduced)
    splits, split_length = 1, work.units
    if work.splittable and work.blocks <= COUNTERS:
        each = _SINGLE_BLOCKS if spec.vector == 1 else _VECTOR_BLOCKS
        if spec.variant in ("strips", "periods") and spec.state == "value" and spec.vector <= 4:
            each = _COLUMN_BLOCKS
        splits = min(
            multiprocessors * each // work.blocks,
            work.units // work.round_length,
            # Columns of many splits have a counter for each 32 of them, too.
            32 * (COUNTERS // work.blocks - 1) or 32,
        )
        if splits < work.minimum_splits:
            splits = 1
        else:
            split_length = ceil_div(ceil_div(work.units, splits), work.align) * work.align
            splits = ceil_div(work.units, split_length)
    met = _most_elements(spec, reduced, split_length)
    if spec.partial is not None and met > spec.partial.most:
        return None
    if spec.packed is not None and spec.columns_of_words and met > spec.packed.most:
        return None
    return Geometry(work.blocks, splits, split_length)


def _strips(spec: ReductionSpec, columns: int) -> int:
    """Blocks side by side along a row of results."""
    tile = spec.width * spec.vector
    if spec.phases > 1:
        return ceil_div(columns, tile - spec.vector)
    return ceil_div(columns + spec.vector - 1, tile)


def _threads_of_periods(spec: ReductionSpec, kept: DimensionGroup) -> int:
    """Threads whose vectors together are a whole number of rows."""
    granule = kept.shape[-1] // min(power_of_two_in(kept.shape[-1]), spec.vector)
    return BLOCK // granule * granule


def _most_elements(spec: ReductionSpec, reduced: DimensionGroup, split_length: int) -> int:
    """No thread combines more elements than so many."""
    beside = BLOCK // spec.width
    accesses = 2 * spec.vector * unroll(spec)
    if spec.variant == "rows":
        return ceil_div(split_length, spec.width) + accesses
    if spec.variant == "runs":
        run = ceil_div(reduced.shape[-1], spec.width) + accesses
        return ceil_div(split_length, beside) * run
    if spec.variant == "periods":
        return split_length
    return ceil_div(split_length, beside) + accesses
