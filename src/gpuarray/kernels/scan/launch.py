"""Scans over arrays: cumulative sums and the like, from an axis and layouts to a call.

Every scan is one launch. Where a line (the elements along the axis) is shared by blocks, they
look back at one another's state, which belongs to the stream: see ``scan.cuh``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuarray import _calls, _dtypes, _layout
from gpuarray._ffi import driver
from gpuarray._integers import ceil_div, power_of_two_from
from gpuarray._layout import Layout
from gpuarray._runtime import allocator
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise, reduction, scan
from gpuarray.kernels.generator.expressions import Cast, Constant, Expression, Input

if TYPE_CHECKING:
    from gpuarray.kernels.reduction.computed import Arranged, Source
    from gpuarray.kernels.scan.spec import ScanSpec

#: Blocks for each multiprocessor without which several of them share a line.
_LEAST_BLOCKS = 2

#: Registers of a thread for the elements of a tile whose line is shared, and blocks of a
#: multiprocessor that leave a thread so many and enough beside.
_IN_FLIGHT = ((96, 2), (32, 4), (16, 4))
#: The most of them for values wider than a register, which take more beside.
_WIDE_IN_FLIGHT = 72

#: Lines of at most so many elements are walked by part of a warp, of so many by a warp.
_SHORT, _MEDIUM = 128, 1024

#: Bytes of look-back state that all scans of a stream share that need no more.
_LEAST_STATE_BYTES = 1 << 18


class ScanOp(NamedTuple):
    """What is computed, whatever the layouts: see ScanSpec."""

    name: str
    mapped: Expression
    combined: Expression
    neutral: Constant
    finished: Expression
    exact: bool = True  # the neutral value is neutral for every other


class LookBackPlan(LaunchPlan):
    """A launch whose blocks look back at one another's state: it keeps that memory alive."""

    __slots__ = ("state",)

    state: tuple[Any, int]


def accumulation(name: str, source: str, loop: str, mapped: Expression | None = None) -> ScanOp:
    """What ``ufunc.accumulate`` computes, for codes of the input's and the loop's dtype."""
    code = reduction.tables.accumulator(loop)
    # A narrow loop converts every element first: 300 as int8 is 44.
    value: Expression = Cast(loop, Input(0, source) if mapped is None else mapped)
    return ScanOp(
        name,
        Cast(code, value),
        reduction.tables.pairwise(name, code),
        scan.spec.neutral(name, code),
        Cast(loop, Input(0, code)),
        scan.spec.is_exact(name, code),
    )


def make_call(
    op: ScanOp,
    operand: Layout,
    axis: int,
    output: Layout,
    given: bool,
    stream: Stream,
    exclusive: bool = False,
    source: Source | None = None,
) -> Callable[..., Any]:
    """A call (see :mod:`gpuarray._calls`) of a scan.

    Parameters
    ----------
    op : ScanOp
        The map, the combination and the result.
    operand, output : Layout
        Of one shape. The output may be exactly the operand's memory.
    axis : int
        The axis to walk.
    given : bool
        Whether the caller passes the output.
    stream : Stream
        Where to run.
    exclusive : bool
        Leave each element itself out of its result.
    source : Source, optional
        How the operand's elements are computed, which then is not stored: its layout is gapless.

    Returns
    -------
    callable
        Takes the operand, then a given output. In place of an operand with a source it takes the
        source's arrays and its numbers.
    """
    if source is not None:
        stream = source.stream or stream
    if operand.unaligned or output.unaligned:

        def make(inputs: Sequence[Any], outputs: Sequence[Layout]) -> Callable[..., Any]:
            return make_call(op, inputs[0], axis, outputs[0], given, stream, exclusive)

        return elementwise.launch.with_aligned_copies(make, [operand], [output], [given], stream)
    new = [None if given else output]
    arrays, numbers = ["input"], {}
    if source is not None:
        arrays = [f"source{i}" for i in range(len(source.arrays))]
        numbers = {f"passed{i}": x for i, x in enumerate(source.scalars)}
    kinds = "a" * len(arrays) + "s" * len(numbers)
    if output.size == 0:
        return _calls.make_call(stream, kinds, new, [])
    plan = _plan(op, operand, axis, output, stream, exclusive, source)
    if source is not None and source.purpose == "load":
        return reduction.launch.nothing
    bound = BoundLaunch(plan, stream, numbers)
    arguments = {"output": "y0"} | {name: f"x{i}" for i, name in enumerate([*arrays, *numbers])}
    return _calls.make_call(stream, kinds, new, [(bound, arguments)])


def _plan(
    op: ScanOp,
    operand: Layout,
    axis: int,
    output: Layout,
    stream: Stream,
    exclusive: bool,
    source: Source | None,
) -> LaunchPlan:
    shape = output.shape
    others = [i for i in range(len(shape)) if i != axis]
    dims, (written, read) = _layout.collapse(
        [shape[i] for i in others],
        [[output.strides[i] for i in others], [operand.strides[i] for i in others]],
    )
    steps_in = _layout.element_strides(op.name, [operand.strides[axis], *read], operand)
    steps_out = _layout.element_strides(op.name, [output.strides[axis], *written], output)
    length, lines = shape[axis], math.prod(dims)
    arranged = None if source is None else reduction.computed.arrange(source, operand)
    apart = () if source is None else source.arrays
    spec = scan.spec.ScanSpec(
        name=op.name,
        mapped=op.mapped,
        combined=op.combined,
        neutral=op.neutral,
        finished=op.finished,
        input_dtype=_dtypes.code(operand.dtype),
        output_dtype=_dtypes.code(output.dtype),
        exclusive=exclusive,
        kept=len(dims),
        index="int64" if _layout.needs_int64(output.size, [operand, output, *apart]) else "int32",
        computed=None if arranged is None else arranged.computed,
    )
    along_rows = lines == 1 or abs(steps_out[0]) <= abs(steps_out[-1])
    if along_rows:
        gapless = length == 1 or steps_in[0] == steps_out[0] == 1
        spec = _rows(spec, length, lines, gapless and op.exact)
    else:
        spec = _columns(spec, length, lines)
    return _launch(spec, lines, length, [steps_in, steps_out], dims, stream, arranged)


def _rows(spec: ScanSpec, length: int, lines: int, vectors: bool) -> ScanSpec:
    """The variant in which neighbouring elements belong to one line."""
    widest = max(_dtypes.itemsize(spec.input_dtype), _dtypes.itemsize(spec.output_dtype))
    value = _dtypes.itemsize(spec.neutral.dtype)
    if lines > 1 and length <= _SHORT:
        width = min(32, power_of_two_from(ceil_div(length, 4)))
        return replace(spec, width=width, unroll=min(4, length))
    # Elements of a thread: what fits in registers.
    items = 8 if value > 8 else 32 if widest == 1 else 16
    vector = min(16 // widest, items) if vectors else 1
    width = 32 if lines > 1 and length <= _MEDIUM else scan.spec.BLOCK
    if width == 32:
        items = max(vector, items // 2)
    return replace(spec, width=width, vector=vector, unroll=items // vector)


def _shared(spec: ScanSpec, length: int, lines: int, multiprocessors: int) -> ScanSpec:
    """The specification for blocks that share lines.

    A block waits for those before it, so there must be as many elements in flight as registers
    can hold. Measured on an H200 for 1e8 float32, in microseconds: 371 with 16 elements a thread
    and 4 blocks on a multiprocessor, 280 with 32 and 4, 265 with 48 and 3, 243 with 96 and 2.
    Where such tiles are too few to go round, they are smaller.
    """
    if spec.variant == "columns":
        return replace(spec, look_back=True)
    words = ceil_div(_dtypes.itemsize(spec.neutral.dtype), 4)
    for registers, resident in _IN_FLIGHT:
        if words > 1:
            registers = min(registers, _WIDE_IN_FLIGHT)
        unroll = max(1, registers // words // spec.vector)
        found = replace(spec, look_back=True, unroll=unroll, resident=resident)
        if lines * _chunks(found, length) >= _LEAST_BLOCKS * multiprocessors:
            break
    return found


def _columns(spec: ScanSpec, length: int, lines: int) -> ScanSpec:
    """The variant in which neighbouring elements belong to neighbouring lines."""
    columns = min(32, max(8, power_of_two_from(lines)))
    unroll = 8 if _dtypes.itemsize(spec.neutral.dtype) > 8 else 16
    if length <= scan.spec.BLOCK // columns * 4:
        unroll = 4
    return replace(spec, variant="columns", width=columns, unroll=unroll)


def replace(spec: ScanSpec, **changes: Any) -> ScanSpec:
    """A specification with some fields changed."""
    return scan.spec.ScanSpec(**({name: getattr(spec, name) for name in spec.__slots__} | changes))


def _launch(
    spec: ScanSpec,
    lines: int,
    length: int,
    steps: list[list[int]],
    dims: tuple[int, ...],
    stream: Stream,
    arranged: Arranged | None = None,
) -> LaunchPlan:
    device = stream.device
    walked = ceil_div(lines * spec.width, spec.block)
    if spec.variant == "columns":
        walked = ceil_div(lines, spec.width)
    chunks, blocks = _chunks(spec, length), walked
    whole_blocks = spec.variant == "columns" or spec.width == spec.block
    if chunks > 1 and whole_blocks and walked < _LEAST_BLOCKS * device.multiprocessors:
        spec = _shared(spec, length, lines, device.multiprocessors)
        chunks = _chunks(spec, length)
        blocks = walked * chunks
    if arranged is not None:
        whole = arranged.lengths[-1] % spec.vector == 0
        spec = replace(spec, computed=reduction.computed.replace(arranged.computed, whole=whole))
    function, source = load(spec, scan.spec.render, device)
    (input_stride, *input_strides), (output_stride, *output_strides) = steps
    dimensions = {
        "lines": lines,
        "length": length,
        "chunks": chunks,
        "input_stride": input_stride,
        "output_stride": output_stride,
        "kept": dims,
        "input_strides": input_strides,
        "output_strides": output_strides,
    }
    constants: dict[str, Any] = {"dimensions": dimensions}
    if arranged is not None and arranged.strides:
        constants["places"] = arranged.places
    plan = LookBackPlan(function, grid_for(blocks), (source.block, 1, 1), constants)
    if spec.look_back and not (arranged and arranged.purpose == "load"):
        nbytes = 8 * scan.spec.look_back_words(spec.neutral.dtype, lines, chunks)
        plan.state = look_back_state(stream, nbytes)
        constants["lookback"] = plan.state[1]
    return plan


def _chunks(spec: ScanSpec, length: int) -> int:
    """Tiles of a line; they begin where the output is aligned, up to a vector before the line."""
    return ceil_div(length + spec.vector - 1, scan.spec.tile_length(spec))


def look_back_state(stream: Stream, nbytes: int) -> tuple[Any, int]:
    """The stream's look-back state: what keeps the memory alive, and its address.

    It is cleared once; after that each launch tells its messages from earlier ones by a number
    that the memory itself holds. Kernels of one stream run one after another, so all share it.
    """
    return _cleared_memory(stream, max(_LEAST_STATE_BYTES, power_of_two_from(nbytes)))


@planned
def _cleared_memory(stream: Stream, nbytes: int) -> tuple[Any, int]:
    memory, address = allocator.allocate(nbytes, stream)
    driver.memset_d8_async(address, 0, nbytes, stream.handle)
    return memory, address
