"""Reductions over arrays: from an axis and layouts to a call.

The dimensions are sorted into those kept and those reduced, each group is ordered by the
operand's strides and collapsed, and the operand's fastest dimension decides how threads are laid
over elements (see ``reduction.cuh``). Every reduction is one launch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuarray import _calls, _dtypes, _layout
from gpuarray._ffi import driver
from gpuarray._integers import ceil_div, power_of_two_from, power_of_two_in
from gpuarray._layout import Layout
from gpuarray._plans import planned
from gpuarray._runtime import allocator
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import generator, reduction
from gpuarray.kernels.generator.expressions import Constant, Expression

if TYPE_CHECKING:
    from gpuarray.kernels.generator.source import KernelSource
    from gpuarray.kernels.reduction.spec import ReductionSpec
    from gpuarray.kernels.reduction.tables import Packed, Partial

#: Blocks for each multiprocessor where blocks share results: fewer, if each thread has 16-byte
#: loads in flight, leave fewer splits to combine at the end (measured on an H200).
_VECTOR_BLOCKS, _SINGLE_BLOCKS = 4, 16

#: The same for threads that keep one number for each of few columns: so many fit at a time.
_COLUMN_BLOCKS = 6

#: The minimum split factor: where each block has at least one round of loads to do, a result is
#: split among no fewer blocks.
_MINIMUM_SPLITS = 4

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
_COUNTERS = 4096


class Computation(NamedTuple):
    """What is computed, whatever the layouts: see ReductionSpec."""

    name: str
    mapped: Expression
    combined: Expression
    neutral: Constant
    finished: Expression
    initial: str | None = None
    state: str = "value"
    scalars: tuple[str, ...] = ()
    present: Expression | None = None
    partial: Partial | None = None
    packed: Packed | None = None


class _Walk(NamedTuple):
    """Dimensions of one group after ordering and collapsing, in elements of each operand."""

    shape: tuple[int, ...]
    strides: tuple[tuple[int, ...], ...]
    bases: tuple[int, ...]


class _SharedPlan(LaunchPlan):
    """A launch whose blocks share results: it keeps their counters alive."""

    __slots__ = ("counters",)

    counters: tuple[Any, int]


def make_call(
    what: Computation,
    operands: Sequence[Layout],
    masked: bool,
    axes: Sequence[int],
    output: Layout,
    given: bool,
    stream: Stream,
) -> Callable[..., Any]:
    """A call (see :mod:`gpuarray._calls`) of a reduction.

    Parameters
    ----------
    what : Computation
        The map, the combination and the result.
    operands : sequence of Layout
        The inputs, all of one shape; the mask is the last.
    masked : bool
        Whether there is a mask.
    axes : sequence of int
        The reduced axes.
    output : Layout
        The result's layout. Its dimensions are the kept ones, with or without dimensions of
        length 1 for the reduced ones.
    given : bool
        Whether the caller passes the output.
    stream : Stream
        Where to run.

    Returns
    -------
    callable
        Takes the operands, ``initial`` if there is one, the scalars, then a given output.
    """
    passed = [x for x in (what.initial, *what.scalars) if x is not None]
    kinds = "a" * len(operands) + "s" * len(passed)
    new = [None if given else output]
    if output.size == 0:
        return _calls.make_call(stream, kinds, new, [])
    spec = reduction.spec.ReductionSpec(
        name=what.name,
        mapped=what.mapped,
        combined=what.combined,
        neutral=what.neutral,
        finished=what.finished,
        output_dtype=_dtypes.code(output.dtype),
        inputs=tuple([generator.source.OperandSpec(_dtypes.code(x.dtype)) for x in operands]),
        masked=masked,
        initial=what.initial,
        state=what.state,
        present=what.present,
        partial=what.partial,
        packed=what.packed,
        scalars=what.scalars,
    )
    plan, scratch = launch_plan(spec, reduction.spec.render, operands, axes, output, stream)
    names = [f"operand{i}" for i in range(len(operands))]
    names += ["initial"] if what.initial is not None else []
    names += [f"scalar{i}" for i in range(len(what.scalars))]
    arguments = {"output": "y0"} | {name: f"x{i}" for i, name in enumerate(names)}
    if scratch:
        arguments["partials"] = "t0"
    dtypes = [_dtypes.dtype_of(x) for x in passed]
    bound = BoundLaunch(plan, stream, dict(zip(names[len(operands) :], dtypes, strict=True)))
    return _calls.make_call(stream, kinds, new, [(bound, arguments)], [scratch] if scratch else [])


def launch_plan(
    spec: ReductionSpec,
    render: Callable[[Any], KernelSource],
    operands: Sequence[Layout],
    axes: Sequence[int],
    output: Layout,
    stream: Stream,
) -> tuple[LaunchPlan, int]:
    """Decide the launch, and how many bytes of scratch memory it needs.

    ``spec`` says what is computed; where its elements are is filled in here.
    """
    shape = operands[0].shape
    kept_axes = [i for i in range(len(shape)) if i not in axes]
    kept_shape = [shape[i] for i in kept_axes]
    output_strides = (
        [output.strides[i] for i in kept_axes] if output.ndim == len(shape) else output.strides
    )
    kept = _group(
        spec.name,
        kept_shape,
        [*[[x.strides[i] for i in kept_axes] for x in operands], output_strides],
        [*[x.itemsize for x in operands], output.itemsize],
    )
    reduced_shape = [shape[i] for i in sorted(axes)]
    # argmax counts indices in C order, in whatever order the elements are walked.
    indices = _layout.contiguous_strides(reduced_shape, 1)
    reduced = _group(
        spec.name,
        reduced_shape,
        [
            *[[x.strides[i] for i in sorted(axes)] for x in operands],
            indices if spec.finds_index else [0] * len(reduced_shape),
        ],
        [*[x.itemsize for x in operands], 1],
        backwards=not spec.finds_index,
    )
    wide = _layout.needs_int64(math.prod(shape), [*operands, output])
    spec = reduction.spec.replace(
        spec,
        kept=len(kept.shape),
        reduced=len(reduced.shape),
        index="int64" if wide else "int32",
    )
    # Narrow totals, where they have room for the elements that a thread meets; that is known when
    # it has been decided how the elements are walked, which depends on the totals.
    narrowed: list[dict[str, Any]] = [{}, {"packed": None}, {"partial": None, "packed": None}]
    for changes in narrowed:
        wanted = reduction.spec.replace(spec, **changes)
        chosen = _variant(wanted, kept, reduced, operands, stream.device.multiprocessors)
        wanted = reduction.spec.replace(wanted, **chosen)
        found = _launch(wanted, kept, reduced, stream, render)
        if found is not None:
            break
    assert found is not None
    return found


def _group(
    name: str,
    shape: Sequence[int],
    operand_strides: Sequence[Sequence[int]],
    itemsizes: Sequence[int],
    backwards: bool = True,
) -> _Walk:
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
    return _Walk(dims, strides, tuple(bases))


def _variant(
    spec: ReductionSpec,
    kept: _Walk,
    reduced: _Walk,
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
            if run >= _LEAST_RUN and length >= reduction.spec.BLOCK * widest:
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
        while widest * spec.value_bytes * reduction.spec.BLOCK > _SHARED_BYTES:
            widest //= 2
        steps = [kept.shape[-1], *kept.strides[0][:-1], *reduced.strides[0]]
        steps += [kept.bases[0], reduced.bases[0]]
        vector = min(widest, power_of_two_in(math.gcd(*steps)))
    # As deep as there are elements to read, but at least a warp's access wide.
    depth = min(reduction.spec.BLOCK // 32, power_of_two_from(ceil_div(length, 8)))
    width = min(reduction.spec.BLOCK // depth, power_of_two_from(ceil_div(results, vector)))
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
    kept: _Walk,
    reduced: _Walk,
    operand: Layout,
    widest: int,
    multiprocessors: int,
) -> dict[str, Any] | None:
    """The variants that read aligned vectors wherever rows begin, where one of them fits."""
    block = reduction.spec.BLOCK
    columns, length, stride = kept.shape[-1], reduced.shape[0], reduced.strides[0][0]
    gapless = stride == columns and length * columns * operand.itemsize >= _LEAST_LINE
    if gapless and columns // min(power_of_two_in(columns), widest) <= block:
        return {"variant": "periods", "width": block, "vector": widest}
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
        enough = multiprocessors * _VECTOR_BLOCKS * block // threads
        depth = min(depth, power_of_two_from(enough + 1) // 2 or 1)
    width = min(block // max(depth, phases), power_of_two_from(ceil_div(columns, vector) + 1))
    return {"variant": "strips", "width": width, "vector": vector, "phases": phases}


def _before(stride: int, other: int) -> bool:
    """Whether a dimension is the faster one; one of stride 0 reads no memory."""
    return other == 0 or abs(stride) < abs(other)


def _row_width(accesses: int, few: bool) -> int:
    """Threads for a row of so many accesses: enough to fill the device, but several for each."""
    if accesses > (64 if few else 1024):
        return reduction.spec.BLOCK
    return min(32, power_of_two_from(ceil_div(accesses, 4)))


def _launch(
    spec: ReductionSpec,
    kept: _Walk,
    reduced: _Walk,
    stream: Stream,
    render: Callable[[Any], KernelSource],
) -> tuple[LaunchPlan, int] | None:
    """The launch, or None where narrow totals would overflow."""
    device = stream.device
    results, length = math.prod(kept.shape), math.prod(reduced.shape)
    unroll = reduction.spec.unroll(spec)
    shareable, align, shared, minimum = True, 1, length, _MINIMUM_SPLITS
    if spec.variant == "rows":
        blocks = ceil_div(results * spec.width, reduction.spec.BLOCK)
        round_length = spec.width * spec.vector * unroll
        shareable = spec.width == reduction.spec.BLOCK
        align = spec.vector
    elif spec.variant == "runs":
        blocks = results
        shared = math.prod(reduced.shape[:-1])
        round_length = reduction.spec.BLOCK // spec.width
    elif spec.variant == "strips":
        blocks = results // kept.shape[-1] * _strips(spec, kept.shape[-1])
        round_length = reduction.spec.BLOCK // spec.width * unroll
        minimum = 2
    elif spec.variant == "periods":
        blocks = results // kept.shape[-1]
        shared = ceil_div(length * kept.shape[-1] // spec.vector, _threads_of_periods(spec, kept))
        round_length = unroll
        minimum = 2
    else:
        blocks = ceil_div(results, spec.width * spec.vector)
        round_length = reduction.spec.BLOCK // spec.width * unroll
    splits, split_length = 1, shared
    if shareable and blocks <= _COUNTERS:
        each = _SINGLE_BLOCKS if spec.vector == 1 else _VECTOR_BLOCKS
        if spec.variant in ("strips", "periods") and spec.state == "value" and spec.vector <= 4:
            each = _COLUMN_BLOCKS
        most = device.multiprocessors * each // blocks
        # Columns of many splits have a counter for each 32 of them, too.
        splits = min(most, shared // round_length, 32 * (_COUNTERS // blocks - 1) or 32)
        if splits < minimum:
            splits = 1
        else:
            split_length = ceil_div(ceil_div(shared, splits), align) * align
            splits = ceil_div(shared, split_length)
    scratch = 0
    most = _most_elements(spec, reduced, split_length)
    if spec.partial is not None and most > spec.partial.most:
        return None
    if spec.packed is not None and spec.columns_of_words and most > spec.packed.most:
        return None
    if splits > 1:
        spec = reduction.spec.replace(spec, split=True)
        scratch = splits * results * spec.value_bytes
    function, source = load(spec, render, device)
    *kept_strides, output_strides = kept.strides
    *reduced_strides, index_strides = reduced.strides
    *kept_bases, output_base = kept.bases
    dimensions = {
        "results": results,
        "length": length,
        "splits": splits,
        "split_length": split_length,
        "output_base": output_base,
        "bases": [a + b for a, b in zip(kept_bases, reduced.bases)],
        "kept": kept.shape,
        "reduced": reduced.shape,
        "output_strides": output_strides,
        "index_strides": index_strides,
        "kept_strides": list(chain(*kept_strides)),
        "reduced_strides": list(chain(*reduced_strides)),
    }
    constants: dict[str, Any] = {"dimensions": dimensions}
    plan = _SharedPlan(function, grid_for(blocks * splits), (source.block, 1, 1), constants)
    if splits > 1:
        plan.counters = _counters(stream)
        constants["counters"] = plan.counters[1]
    return plan, scratch


def _strips(spec: ReductionSpec, columns: int) -> int:
    """Blocks side by side along a row of results."""
    tile = spec.width * spec.vector
    if spec.phases > 1:
        return ceil_div(columns, tile - spec.vector)
    return ceil_div(columns + spec.vector - 1, tile)


def _threads_of_periods(spec: ReductionSpec, kept: _Walk) -> int:
    """Threads whose vectors together are a whole number of rows."""
    granule = kept.shape[-1] // min(power_of_two_in(kept.shape[-1]), spec.vector)
    return reduction.spec.BLOCK // granule * granule


def _most_elements(spec: ReductionSpec, reduced: _Walk, split_length: int) -> int:
    """No thread combines more elements than so many."""
    beside = reduction.spec.BLOCK // spec.width
    accesses = 2 * spec.vector * reduction.spec.unroll(spec)
    if spec.variant == "rows":
        return ceil_div(split_length, spec.width) + accesses
    if spec.variant == "runs":
        run = ceil_div(reduced.shape[-1], spec.width) + accesses
        return ceil_div(split_length, beside) * run
    if spec.variant == "periods":
        return split_length
    return ceil_div(split_length, beside) + accesses


@planned
def _counters(stream: Stream) -> tuple[Any, int]:
    """The stream's counters, all zero between kernels: memory and its address.

    Kernels of one stream run one after another, and each leaves them at zero, so all share them.
    """
    memory, address = allocator.allocate(4 * _COUNTERS, stream)
    driver.memset_d8_async(address, 0, 4 * _COUNTERS, stream.handle)
    return memory, address
