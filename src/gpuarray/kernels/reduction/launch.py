"""Reductions over arrays: from an axis and layouts to a call of one launch."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuarray import _calls, _dtypes, _layout
from gpuarray._ffi import driver
from gpuarray._layout import Layout
from gpuarray._runtime import allocator
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise, generator, reduction
from gpuarray.kernels.generator.expressions import Constant, Expression

if TYPE_CHECKING:
    from gpuarray.kernels.generator.source import KernelSource
    from gpuarray.kernels.reduction.computed import Source
    from gpuarray.kernels.reduction.spec import ReductionSpec
    from gpuarray.kernels.reduction.tables import Packed, Partial
    from gpuarray.kernels.reduction.variants import DimensionGroup, Geometry


class ReductionOp(NamedTuple):
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


class SplitPlan(LaunchPlan):
    """A launch that splits results among blocks: it keeps their counters alive."""

    __slots__ = ("counters",)

    counters: tuple[Any, int]


def make_call(
    op: ReductionOp,
    operands: Sequence[Layout],
    masked: bool,
    axes: Sequence[int],
    output: Layout,
    given: bool,
    stream: Stream,
    source: Source | None = None,
) -> Any:
    """A call (see :mod:`gpuarray._calls`) of a reduction.

    Parameters
    ----------
    op : ReductionOp
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
    source : Source, optional
        How the elements of the only operand are computed, which then is not stored: its layout is
        gapless.

    Returns
    -------
    callable
        Takes the operands, ``initial`` if there is one, the scalars, then a given output. In place
        of an operand with a source it takes the source's arrays and its numbers. Of a source whose
        purpose is 'spec', the specification.
    """
    if source is not None:
        stream = source.stream or stream
    passed = [x for x in (op.initial, *op.scalars) if x is not None]
    if output.unaligned or any(x.unaligned for x in operands):

        def make(inputs: Sequence[Any], outputs: Sequence[Layout]) -> Callable[..., Any]:
            read = [x for x in inputs if isinstance(x, Layout)]
            return make_call(op, read, masked, axes, outputs[0], given, stream)

        return elementwise.launch.with_aligned_copies(
            make, [*operands, *[_dtypes.dtype_of(x) for x in passed]], [output], [given], stream
        )
    names = [f"operand{i}" for i in range(len(operands))]
    numbers = [
        *(["initial"] if op.initial else []),
        *[f"scalar{i}" for i in range(len(op.scalars))],
    ]
    dtypes = [_dtypes.dtype_of(x) for x in passed]
    if source is not None:
        names = [f"source{i}" for i in range(len(source.arrays))]
        numbers = [*[f"passed{i}" for i in range(len(source.scalars))], *numbers]
        dtypes = [*source.scalars, *dtypes]
    kinds = "a" * len(names) + "s" * len(numbers)
    new = [None if given else output]
    if output.size == 0:
        return _calls.make_call(stream, kinds, new, [])
    spec = reduction.spec.ReductionSpec(
        name=op.name,
        mapped=op.mapped,
        combined=op.combined,
        neutral=op.neutral,
        finished=op.finished,
        output_dtype=_dtypes.code(output.dtype),
        inputs=tuple([generator.source.OperandSpec(_dtypes.code(x.dtype)) for x in operands]),
        masked=masked,
        initial=op.initial,
        state=op.state,
        present=op.present,
        partial=op.partial,
        packed=op.packed,
        scalars=op.scalars,
    )
    render = reduction.spec.render
    if source is not None and source.purpose == "spec":
        return decide(spec, operands, axes, output, stream)[0]
    plan, scratch = launch_plan(spec, render, operands, axes, output, stream, source)
    if source is not None and source.purpose == "load":
        return nothing
    arguments = {"output": "y0"} | {name: f"x{i}" for i, name in enumerate([*names, *numbers])}
    if scratch:
        arguments["partials"] = "t0"
    bound = BoundLaunch(plan, stream, dict(zip(numbers, dtypes, strict=True)))
    return _calls.make_call(stream, kinds, new, [(bound, arguments)], [scratch] if scratch else [])


def nothing(*_: Any) -> None:
    """The call of a kernel that was only to be loaded."""


def launch_plan(
    spec: ReductionSpec,
    render: Callable[[Any], KernelSource],
    operands: Sequence[Layout],
    axes: Sequence[int],
    output: Layout,
    stream: Stream,
    source: Source | None = None,
) -> tuple[LaunchPlan, int]:
    """Decide the launch, and how many bytes of scratch memory it needs.

    ``spec`` says what is computed; where its elements are is filled in here.
    """
    device = stream.device
    read = [*operands, *(source.arrays if source is not None else [])]
    spec, geometry, kept, reduced = decide(spec, operands, axes, output, stream, read)
    results = math.prod(kept.shape)
    scratch = geometry.splits * results * spec.value_bytes if spec.split else 0
    arranged = None if source is None else reduction.computed.arrange(source, operands[0])
    if arranged is not None:
        whole = arranged.lengths[-1] % spec.vector == 0
        computed = reduction.computed.replace(arranged.computed, whole=whole)
        spec = reduction.spec.replace(spec, computed=computed)
    function, kernel = load(spec, render, device)
    *kept_strides, output_strides = kept.strides
    *reduced_strides, index_strides = reduced.strides
    *kept_bases, output_base = kept.bases
    dimensions = {
        "results": results,
        "length": math.prod(reduced.shape),
        "splits": geometry.splits,
        "split_length": geometry.split_length,
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
    if arranged is not None and arranged.strides:
        constants["places"] = arranged.places
    grid = grid_for(geometry.blocks * geometry.splits)
    plan = SplitPlan(function, grid, (kernel.block, 1, 1), constants)
    if spec.split and not (arranged and arranged.purpose == "load"):
        plan.counters = counters(stream)
        constants["counters"] = plan.counters[1]
    return plan, scratch


def decide(
    spec: ReductionSpec,
    operands: Sequence[Layout],
    axes: Sequence[int],
    output: Layout,
    stream: Stream,
    read: Sequence[Layout] = (),
) -> tuple[ReductionSpec, Geometry, DimensionGroup, DimensionGroup]:
    """The variant that serves operands, how it is laid over blocks, and the dimensions.

    ``read`` are the layouts of all that is read, where that is more.
    """
    shape = operands[0].shape
    kept_axes = [i for i in range(len(shape)) if i not in axes]
    kept_shape = [shape[i] for i in kept_axes]
    output_strides = (
        [output.strides[i] for i in kept_axes] if output.ndim == len(shape) else output.strides
    )
    kept = reduction.variants.group(
        spec.name,
        kept_shape,
        [*[[x.strides[i] for i in kept_axes] for x in operands], output_strides],
        [*[x.itemsize for x in operands], output.itemsize],
    )
    reduced_shape = [shape[i] for i in sorted(axes)]
    # argmax counts indices in C order, in whatever order the elements are walked.
    indices = _layout.contiguous_strides(reduced_shape, 1)
    reduced = reduction.variants.group(
        spec.name,
        reduced_shape,
        [
            *[[x.strides[i] for i in sorted(axes)] for x in operands],
            indices if spec.finds_index else [0] * len(reduced_shape),
        ],
        [*[x.itemsize for x in operands], 1],
        backwards=not spec.finds_index,
    )
    wide = _layout.needs_int64(math.prod(shape), [*(read or operands), output])
    spec = reduction.spec.replace(
        spec,
        kept=len(kept.shape),
        reduced=len(reduced.shape),
        index="int64" if wide else "int32",
    )
    # Narrow totals, where they have room for the elements that a thread meets; that is known when
    # it has been decided how the elements are walked, which depends on the totals.
    narrowed: list[dict[str, Any]] = [{}, {"packed": None}, {"partial": None, "packed": None}]
    multiprocessors = stream.device.multiprocessors
    for changes in narrowed:
        wanted = reduction.spec.replace(spec, **changes)
        chosen = reduction.variants.choose(wanted, kept, reduced, operands, multiprocessors)
        wanted = reduction.spec.replace(wanted, **chosen)
        geometry = reduction.variants.geometry(wanted, kept, reduced, multiprocessors)
        if geometry is not None:
            break
    assert geometry is not None
    return reduction.spec.replace(wanted, split=geometry.splits > 1), geometry, kept, reduced


@planned
def counters(stream: Stream) -> tuple[Any, int]:
    """The stream's counters, all zero between kernels: memory and its address.

    Kernels of one stream run one after another, and each leaves them at zero, so all share them.
    """
    memory, address = allocator.allocate(4 * reduction.variants.COUNTERS, stream)
    driver.memset_d8_async(address, 0, 4 * reduction.variants.COUNTERS, stream.handle)
    return memory, address
