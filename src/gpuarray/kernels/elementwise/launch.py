"""Element-wise kernels over arrays: from expressions and layouts to a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _broadcasting, _calls, _dtypes, _layout
from gpuarray._layout import Layout
from gpuarray._runtime import recording
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.generator.expressions import Cast, Input

if TYPE_CHECKING:
    from gpuarray._runtime.device import Device
    from gpuarray.kernels.elementwise.spec import ElementwiseSpec, OperandSpec
    from gpuarray.kernels.elementwise.variants import Choice
    from gpuarray.kernels.generator.expressions import Expression
    from gpuarray.kernels.generator.source import KernelSource


class ElementIndex:
    """An input that is the element's own index, as int64."""


ELEMENT_INDEX = ElementIndex()


class Coordinates:
    """An input that is a sum of multiples of the element's coordinates, as int64.

    ``factors`` has the multiple of the coordinate along each axis of the outputs: ``(-1, 1)`` gives
    the number of the diagonal that an element of a matrix lies on. The sums are in the range of the
    kernel's index type.
    """

    def __init__(self, *factors: int):
        self.factors = factors


#: What stands for an input that has no memory, in place of its layout.
Computed = np.dtype | ElementIndex | Coordinates


def plan(
    name: str,
    expressions: Sequence[Expression],
    inputs: Sequence[Layout | Computed],
    outputs: Sequence[Layout],
    stream: Stream,
    masked: bool = False,
) -> LaunchPlan:
    """Decide the launch of an element-wise kernel.

    Parameters
    ----------
    name : str
        What the kernel is called in profilers and error messages.
    expressions : sequence of Expression
        One an output, over inputs already of the operands' dtypes.
    inputs : sequence of Layout, dtype, ElementIndex or Coordinates
        Arrays, which broadcast to the outputs' shape, scalars of a dtype, the index of the
        element (only where the outputs are gapless), or what follows from its coordinates.
    outputs : sequence of Layout
        All of one shape with at least one element.
    stream : Stream
        Any of the device to run on.
    masked : bool
        The last input says which elements are stored.
    """
    light = not masked and elementwise.spec.is_light(expressions)
    spec, dims, strides = arrange(name, expressions, inputs, outputs, masked, light)
    return launch_plan(spec, spec, elementwise.spec.render, dims, strides, stream.device)


def arrange(
    name: str,
    expressions: Sequence[Expression],
    inputs: Sequence[Layout | Computed],
    outputs: Sequence[Layout],
    masked: bool = False,
    light: bool = False,
) -> tuple[ElementwiseSpec, Sequence[int], Sequence[Sequence[int]]]:
    """The kernel that suits the operands, its dimensions, and their strides in elements.

    ``light`` is whether the function may be unrolled often.
    """
    if any(isinstance(x, Coordinates) for x in inputs):
        return _arrange_coordinates(name, expressions, inputs, outputs, masked)
    shape = outputs[0].shape
    arrays = [*outputs, *[x for x in inputs if isinstance(x, Layout)]]
    dims, steps = _layout.collapse(
        shape, [_broadcasting.broadcast_strides(x, shape) for x in arrays]
    )
    index = "int64" if _layout.needs_int64(outputs[0].size, arrays) else "int32"
    itemsizes = [x.itemsize for x in arrays]
    strides = [_layout.element_strides(name, s, x) for s, x in zip(steps, arrays, strict=True)]
    views = sum([isinstance(x, Layout) and x.is_view for x in inputs])
    choice = elementwise.variants.choose(dims, strides, itemsizes, len(outputs), light, views)
    dims = tuple([dims[i] for i in choice.order])
    strides = [[one[i] for i in choice.order] for one in strides]
    if choice.period > 1:
        # The kernel knows the steps within a row of periods; what is left is the row.
        dims = (*dims[:-2], dims[-2] * dims[-1])
        strides = [[*one[:-2], one[-1]] for one in strides]
    kinds = iter(choice.kinds[len(outputs) :])
    operands = [_operand(x, next(kinds) if isinstance(x, Layout) else "") for x in inputs]
    spec = _specification(name, expressions, operands, outputs, masked, choice, len(dims), index)
    return spec, dims, strides


def _operand(x: Layout | Computed, kind: str) -> OperandSpec:
    """What the kernel is told of an input; ``kind`` is that of an array."""
    operand = elementwise.spec.OperandSpec
    if isinstance(x, Layout):
        return operand(_dtypes.code(x.dtype), kind)
    if x is ELEMENT_INDEX:
        return operand("i8", "index")
    if isinstance(x, Coordinates):
        return operand("i8", kind or "coordinates")
    return operand(_dtypes.code(x), "scalar")


def _specification(
    name: str,
    expressions: Sequence[Expression],
    operands: Sequence[OperandSpec],
    outputs: Sequence[Layout],
    masked: bool,
    choice: Choice,
    ndim: int,
    index: str,
) -> ElementwiseSpec:
    return elementwise.spec.ElementwiseSpec(
        name=name,
        outputs=tuple(expressions),
        output_dtypes=tuple([_dtypes.code(x.dtype) for x in outputs]),
        inputs=tuple(operands),
        masked=masked,
        variant=choice.variant,
        ndim=ndim,
        index=index,
        vector=choice.vector,
        tile=choice.tile,
        grouping=choice.grouping,
        edge=choice.edge,
        shifted=choice.shifted,
        chunk=choice.chunk,
        period=choice.period,
        steps=choice.steps,
    )


def _arrange_coordinates(
    name: str,
    expressions: Sequence[Expression],
    inputs: Sequence[Layout | Computed],
    outputs: Sequence[Layout],
    masked: bool,
) -> tuple[ElementwiseSpec, Sequence[int], Sequence[Sequence[int]]]:
    """As `arrange`, where the coordinates of elements are an input.

    The kernel finds them as it finds the offset of an operand in memory: their factors are strides.
    """
    shape = outputs[0].shape
    arrays = [*outputs, *[x for x in inputs if isinstance(x, Layout)]]
    computed = [x.factors for x in inputs if isinstance(x, Coordinates)]
    dims, steps = _layout.collapse(
        shape, [*[_broadcasting.broadcast_strides(x, shape) for x in arrays], *computed]
    )
    index = "int64" if _layout.needs_int64(outputs[0].size, arrays) else "int32"
    count = len(arrays)
    strides = [
        _layout.element_strides(name, s, x) for s, x in zip(steps[:count], arrays, strict=True)
    ]
    factors = iter(steps[count:])
    choice = elementwise.variants.choose(
        dims, strides, [x.itemsize for x in arrays], len(outputs), False
    )
    # Along a single dimension a factor of 1 makes the element's index; rows are of several.
    kind = "index" if len(dims) == 1 and all(one == (1,) for one in steps[count:]) else ""
    if choice.variant == "tiled" or (choice.variant == "contiguous" and not kind):
        choice = elementwise.variants.strided(dims, strides, len(outputs))
    rows = iter(strides[len(outputs) :])
    kinds = iter(choice.kinds[len(outputs) :])
    if choice.variant == "contiguous":
        operands = [_operand(x, next(kinds) if isinstance(x, Layout) else kind) for x in inputs]
        strides = []
    else:
        operands = [_operand(x, next(kinds) if isinstance(x, Layout) else "") for x in inputs]
        located = [x for x in inputs if isinstance(x, Layout | Coordinates)]
        strides = strides[: len(outputs)] + [
            next(rows) if isinstance(x, Layout) else list(next(factors)) for x in located
        ]
    spec = _specification(name, expressions, operands, outputs, masked, choice, len(dims), index)
    return spec, dims, strides


def launch_plan(
    spec: ElementwiseSpec,
    key: Any,
    render: Callable[[Any], KernelSource],
    dims: Sequence[int],
    strides: Sequence[Sequence[int]],
    device: Device,
) -> LaunchPlan:
    """The launch of what :func:`arrange` has found; ``key`` is what is rendered."""
    function, source = load(key, render, device)
    blocks, constants = elementwise.variants.geometry(spec, source, dims, strides)
    return LaunchPlan(function, grid_for(blocks), (source.block, 1, 1), constants)


def make_call(
    name: str,
    expressions: Sequence[Expression],
    inputs: Sequence[Layout | Computed],
    outputs: Sequence[Layout],
    given: Sequence[bool],
    stream: Stream,
    masked: bool = False,
    elsewhere: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """A call (see :mod:`gpuarray._calls`) of an element-wise kernel.

    ``given`` says which outputs the caller passes. Without elements nothing is launched.
    ``elsewhere`` is as in :func:`gpuarray._calls.make_call`.
    """
    arrays = [x for x in (*outputs, *inputs) if isinstance(x, Layout)]
    moved = any(x.unaligned or _dtypes.is_raw(x.dtype) for x in arrays)
    moved = moved and elementwise.words.are_moved(expressions, arrays)
    if moved and len(expressions) > 1:

        def make_one(i: int) -> Callable[..., Any]:
            one = slice(i, i + 1)
            return make_call(
                name, expressions[one], inputs, outputs[one], given[one], stream, masked
            )

        return elementwise.words.one_by_one(make_one, inputs, given)
    if not moved and any(x.unaligned for x in arrays):

        def make(inputs: Sequence[Any], outputs: Sequence[Layout]) -> Callable[..., Any]:
            return make_call(name, expressions, inputs, outputs, given, stream, masked)

        run = with_aligned_copies(make, inputs, outputs, given, stream)
        return run if elsewhere is None else _calls.here_or(elsewhere, run, stream)
    arrays_and_scalars = [(i, x) for i, x in enumerate(inputs) if isinstance(x, Layout | np.dtype)]
    kinds = "".join(["a" if isinstance(x, Layout) else "s" for _, x in arrays_and_scalars])
    new = [None if is_given else x for x, is_given in zip(outputs, given, strict=True)]
    if outputs[0].size == 0:
        return _calls.make_call(stream, kinds, new, [])
    if moved:
        expressions, inputs, outputs = elementwise.words.as_words(expressions, inputs, outputs)
    decided = plan(name, expressions, inputs, outputs, stream, masked)
    passed = {f"out{i}": f"y{i}" for i in range(len(outputs))}
    passed |= {f"in{i}": f"x{k}" for k, (i, _) in enumerate(arrays_and_scalars)}
    scalars = {f"in{i}": x for i, x in arrays_and_scalars if isinstance(x, np.dtype)}
    bound = BoundLaunch(decided, stream, scalars, name)
    return _calls.make_call(stream, kinds, new, [(bound, passed)], elsewhere=elsewhere)


def recorded_call(
    name: str,
    expression: Expression,
    inputs: Sequence[Layout | Computed],
    output: Layout,
    given: bool,
    stream: Stream,
    elsewhere: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """As `make_call` with one output, of an operation that may be recorded instead."""

    def make() -> Callable[..., Any]:
        return make_call(name, [expression], inputs, [output], [given], stream, elsewhere=elsewhere)

    recorder = recording.recorder
    if recorder is None or not output.size:
        return make()
    return recorder(make, output, name, expression, inputs, given, stream)


def with_aligned_copies(
    make: Callable[..., Callable[..., Any]],
    inputs: Sequence[Any],
    outputs: Sequence[Layout],
    given: Sequence[bool],
    stream: Stream,
) -> Callable[..., Any]:
    """A call that computes with copies of the operands that are at any address.

    ``make`` makes the call for the inputs' and outputs' layouts.
    """
    return elementwise.words.with_aligned_copies(make, copy_call, inputs, outputs, given, stream)


def copy_call(
    source: Layout,
    target: Layout,
    given: bool,
    stream: Stream,
    elsewhere: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """A call that copies an array to one of another layout or dtype, converting elements.

    ``elsewhere`` is called where the target, or else the array, is on another device.
    """
    expression: Expression = Input(0, _dtypes.code(source.dtype))
    if source.dtype != target.dtype and (
        _dtypes.is_raw(source.dtype) or _dtypes.is_raw(target.dtype)
    ):
        run = elementwise.fields.cast_call(source, target, given, stream)
        return run if elsewhere is None else _calls.here_or(elsewhere, run, stream)
    if source.dtype != target.dtype:
        expression = Cast(_dtypes.code(target.dtype), expression)
    warns = _calls.discards_imaginary(source.dtype, target.dtype)
    # One warning: where the array goes elsewhere, that call gives it.
    there = None if warns else elsewhere
    if not warns:
        return recorded_call("copy", expression, [source], target, given, stream, there)
    run = make_call("copy", [expression], [source], [target], [given], stream)
    run = _calls.with_complex_warning(run)
    return run if elsewhere is None else _calls.here_or(elsewhere, run, stream)
