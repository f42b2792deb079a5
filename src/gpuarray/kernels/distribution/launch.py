"""Random variates: from a distribution and layouts to a call."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _calls, _dtypes, _layout
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.distribution.spec import (
    DISTRIBUTIONS,
    SAMPLER_RESIDENT,
    SAMPLERS,
    TABLED,
    CountsSpec,
    FillSpec,
    IntegersSpec,
    SamplerSpec,
    SharesSpec,
    render_counts,
    render_fill,
    render_integers,
    render_sampler,
    render_shares,
)
from gpuarray.kernels.generator.expressions import Apply, Cast, Constant, Expression, Input, Scalar
from gpuarray.kernels.generator.operations import operation

_INT64, _UINT64 = np.dtype(np.int64), np.dtype(np.uint64)

#: From so many variates on, blocks make tables of what their attempts need: a table takes a block
#: some microseconds.
TABLED_SIZE = 1 << 19


@planned
def variates_call(
    stream: Stream,
    name: str,
    parameters: tuple[Layout | np.dtype, ...],
    target: Layout,
    given: bool,
    words: Layout | None,
) -> Callable[..., Any]:
    """A call (see :mod:`gpuarray._calls`) that draws one variate for each element.

    Parameters
    ----------
    stream : Stream
        Where to run.
    name : str
        A name of `spec.DISTRIBUTIONS`.
    parameters : tuple of Layout or dtype
        Arrays, which broadcast to the result's shape, or scalars of a dtype.
    target : Layout
        The result.
    given : bool
        Whether the caller passes it.
    words : Layout or None
        Of the result's shape: a word for each element, that is its place in the stream of key 0.
        Without, the call takes a key and the first element's place; the others' follow it.

    Returns
    -------
    callable
        Takes the words, or the key and the place; then the parameters, then the result if given.
    """
    found = DISTRIBUTIONS[name]
    if _is_sampled(name, parameters, target, words):
        return _sampled(stream, name, target, given, words is not None)
    inputs: list[Any] = []
    key: Expression
    place: Expression
    if words is not None:
        inputs.append(words)
        key, place = Constant(0, "u8"), Input(0, "u8")
    else:
        shape = target.shape
        steps = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
        inputs += [elementwise.launch.Coordinates(*steps), _UINT64, _UINT64]
        key = Scalar(1, "u8")
        index = Cast("u8", Input(0, "i8"))
        place = Apply(operation("add"), (index, Scalar(2, "u8")), "u8")
    operands: list[Expression] = [key, place]
    for x, code in zip(parameters, found.parameters, strict=True):
        if isinstance(x, Layout):
            given_code = _dtypes.code(x.dtype)
            value: Expression = Input(len(inputs), given_code)
        else:
            given_code = _dtypes.code(x)
            value = Scalar(len(inputs), given_code)
        operands.append(value if given_code == code else Cast(code, value))
        inputs.append(x)
    drawn: Expression = Apply(found.operation, tuple(operands), found.result)
    code = _dtypes.code(target.dtype)
    if code != found.result:
        drawn = Cast(code, drawn)
    return elementwise.launch.make_call(name, [drawn], inputs, [target], [given], stream)


def _is_sampled(
    name: str, parameters: tuple[Layout | np.dtype, ...], target: Layout, words: Layout | None
) -> bool:
    """Whether threads draw several variates each, of parameters that are numbers."""
    if name not in SAMPLERS or any(isinstance(x, Layout) for x in parameters):
        return False
    if words is not None and not words.c_contiguous:
        return False
    code = _dtypes.code(target.dtype)
    return target.size > 0 and target.c_contiguous and code in SAMPLERS[name][1]


def _sampled(
    stream: Stream, name: str, target: Layout, given: bool, has_words: bool
) -> Callable[..., Any]:
    """The call of `variates_call` where `_is_sampled`."""
    tabled = name in TABLED and target.size >= TABLED_SIZE
    spec = SamplerSpec(name, _dtypes.code(target.dtype), has_words, tabled)
    bound, passed, kinds = _sampler_launch(stream, spec, {"size": target.size})
    return _calls.make_call(stream, kinds, [None if given else target], [(bound, passed)])


def _sampler_launch(
    stream: Stream, spec: SamplerSpec, constants: dict[str, Any]
) -> tuple[BoundLaunch, dict[str, str], str]:
    """A launch; what each of its parameters is in a call; and the kinds of those that are given."""
    function, source = load(spec, render_sampler, stream.device)
    most = SAMPLER_RESIDENT * stream.device.multiprocessors
    blocks = min(most, ceil_div(constants["size"], source.block))
    plan = LaunchPlan(function, grid_for(blocks), (source.block, 1, 1), constants)
    passed = {"out": "y0"}
    scalars = {}
    kinds = ""
    for parameter in source.parameters[1:-1]:
        if parameter.name in constants:
            continue
        passed[parameter.name] = f"x{len(kinds)}"
        if parameter.kind == "pointer":
            kinds += "a"
        else:
            kinds += "s"
            scalars[parameter.name] = _dtypes.dtype_of(_sampler_code(spec.name, parameter.name))
    return BoundLaunch(plan, stream, scalars), passed, kinds


def _sampler_code(name: str, parameter: str) -> str:
    """The dtype of a number that a sampler's kernel takes."""
    if parameter in ("key", "place"):
        return "u8"
    return DISTRIBUTIONS[name].parameters[int(parameter.removeprefix("p"))]


@planned
def shares_call(
    stream: Stream, name: str, row: Layout, target: Layout, has_words: bool
) -> Callable[..., Any]:
    """A call that draws rows of numbers, given by their logarithms, and divides each by its sum.

    Parameters
    ----------
    stream : Stream
        Where to run.
    name : str
        A name of `spec.SAMPLERS` whose variates are float64 and have one parameter.
    row : Layout
        Gapless float64: the parameters of the elements of each row.
    target : Layout
        Gapless float64, whose last axis is as long. It is not empty.
    has_words : bool
        As `words` of `variates_call`.

    Returns
    -------
    callable
        Takes the words, or the key and the place; then the row.
    """
    constants = {"size": target.size, "length": row.size}
    spec = SamplerSpec(name, _dtypes.code(target.dtype), has_words, cycled=True)
    bound, passed, kinds = _sampler_launch(stream, spec, constants)
    lanes = min(32, 1 << (row.size - 1).bit_length())
    function, source = load(SharesSpec(lanes), render_shares, stream.device)
    rows = target.size // row.size
    grid = grid_for(ceil_div(rows, source.block // lanes))
    plan = LaunchPlan(function, grid, (source.block, 1, 1), {"rows": rows, "length": row.size})
    steps = [(bound, passed), (BoundLaunch(plan, stream), {"values": "y0"})]
    return _calls.make_call(stream, kinds, [target], steps)


@planned
def fill_call(
    stream: Stream, name: str, dtype: np.dtype, shape: tuple[int, ...]
) -> tuple[Callable[..., Any], int]:
    """A call that makes an array of variates of one distribution, and how many places it takes.

    It takes the two parameters, the key and the first place.
    """
    target = _layout.contiguous(dtype, shape)
    spec = FillSpec(name, _dtypes.code(dtype))
    scalars = {"first": dtype, "second": dtype}
    run = _filled(stream, spec, render_fill, scalars, target)
    return run, ceil_div(target.size, 16 // dtype.itemsize)


@planned
def integers_call(
    stream: Stream, dtype: np.dtype, shape: tuple[int, ...], wide: bool
) -> tuple[Callable[..., Any], int]:
    """A call that makes an array of integers of one range, and how many places it takes.

    It takes the least integer as an uint64, the greatest less that, how many words of a value of
    the range are one too many, the key and the first place.
    """
    target = _layout.contiguous(dtype, shape)
    spec = IntegersSpec(_dtypes.code(dtype), wide)
    scalars = dict.fromkeys(("low", "last", "least"), _UINT64)
    run = _filled(stream, spec, render_integers, scalars, target)
    return run, ceil_div(target.size, 2 if dtype.itemsize == 8 else 4)


def _filled(
    stream: Stream,
    spec: Any,
    render: Callable[[Any], Any],
    scalars: dict[str, np.dtype],
    target: Layout,
) -> Callable[..., Any]:
    scalars = scalars | {"key": _UINT64, "place": _UINT64}
    if not target.size:
        return _calls.make_call(stream, "s" * len(scalars), [target], [])
    function, source = load(spec, render, stream.device)
    blocks = ceil_div(target.size, source.block * source.items_per_thread)
    plan = LaunchPlan(function, grid_for(blocks), (source.block, 1, 1), {"size": target.size})
    bound = BoundLaunch(plan, stream, scalars)
    passed = {"out": "y0"} | {name: f"x{i}" for i, name in enumerate(scalars)}
    return _calls.make_call(stream, "s" * len(scalars), [target], [(bound, passed)])


@planned
def counts_call(
    stream: Stream, name: str, items: Layout, weights: Layout, shape: tuple[int, ...]
) -> Callable[..., Any]:
    """A call that draws a row of counts for each word.

    Parameters
    ----------
    stream : Stream
        Where to run.
    name : str
        A name of `spec.COUNTS`.
    items : Layout
        Gapless int64: how many items each row has, or one number for all.
    weights : Layout
        Gapless: weights of the categories for each row, or one row for all.
    shape : tuple of int
        The rows.

    Returns
    -------
    callable
        Takes a word for each row, the items and the weights.
    """
    categories = weights.shape[-1]
    target = _layout.contiguous(_INT64, (*shape, categories))
    if not target.size:
        return _calls.make_call(stream, "aaa", [target], [])
    function, source = load(CountsSpec(name), render_counts, stream.device)
    rows = target.size // categories
    constants = {
        "rows": rows,
        "categories": categories,
        "item_step": int(items.size > 1),
        "weight_step": categories if weights.size > categories else 0,
    }
    grid = grid_for(ceil_div(rows, source.block))
    plan = LaunchPlan(function, grid, (source.block, 1, 1), constants)
    passed = {"counts": "y0", "words": "x0", "items": "x1", "weights": "x2"}
    return _calls.make_call(stream, "aaa", [target], [(BoundLaunch(plan, stream), passed)])
