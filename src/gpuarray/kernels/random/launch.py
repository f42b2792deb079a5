"""Random draws: from a state and a layout to a call of one launch."""

from __future__ import annotations

import dataclasses
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
from gpuarray.kernels import random
from gpuarray.kernels.scan.launch import LookBackPlan, look_back_state

_INT64, _UINT64 = np.dtype(np.int64), np.dtype(np.uint64)

#: Units that a result takes on average, measured, and the standard deviation of that.
_UNITS = {"normal": (1.0222, 0.19), "exponential": (1.0338, 0.28), "open": (1.0, 0.001)}

#: Units of a thread at most, and blocks for each multiprocessor until threads have several.
_MOST_ROUNDS, _RESIDENT = 64, 8

#: Words of a lane in a tile where results are put one behind the other.
_COMPACT_ROUNDS = (4, 12, 28)


@planned
def draw_call(
    stream: Stream, engine: str, draw: str, output: Layout, given: bool, scaled: bool = False
) -> Callable[..., Any]:
    """A call of a draw whose results follow from the state alone.

    Parameters
    ----------
    stream : Stream
        Where to run.
    engine, draw : str
        See `DrawSpec`.
    output : Layout
        Contiguous.
    given : bool
        Whether the caller passes the output.
    scaled : bool, optional
        Whether results are multiplied by a number, and another one is added.

    Returns
    -------
    callable
        Takes the state, the memory for the next one, with `scaled` what is added and the factor,
        then a given output.
    """
    code = _dtypes.code(output.dtype)
    unit = 32 if code == "f4" else 64
    mean, deviation = _UNITS.get(draw, (1.0, 0.0))
    variant = "serial" if engine not in random.spec.PARALLEL else "fill"
    if variant == "fill" and draw in random.spec.GAPS:
        variant = "compact"
    spec = random.spec.DrawSpec(engine, draw, code, variant, unit, unit, scaled)
    scalars = {"loc": ("x2", output.dtype), "scale": ("x3", output.dtype)} if scaled else {}
    units = output.size * mean + 8 * math.sqrt(output.size) * deviation
    return _call(stream, spec, output, given, math.ceil(units), scalars)


@planned
def bounded_call(
    stream: Stream, engine: str, output: Layout, unit: int, piece: int, rejected: int
) -> Callable[..., Any]:
    """A call that draws integers in an interval.

    Parameters
    ----------
    stream : Stream
        Where to run.
    engine : str
        See `DrawSpec`.
    output : Layout
        Contiguous; of an integer dtype or bool.
    unit, piece : int
        The bits of a unit, and those of it that make one integer.
    rejected : int
        How many of 256 pieces are rejected at most; 0 for none.

    Returns
    -------
    callable
        Takes the state, the memory for the next one, ``low``, ``range`` and ``threshold``.
    """
    variant = "serial" if engine not in random.spec.PARALLEL else "compact" if rejected else "fill"
    code = _dtypes.code(output.dtype)
    spec = random.spec.DrawSpec(engine, "bounded", code, variant, unit, piece)
    taken = 1 - rejected / 256
    pieces = output.size / taken + 8 * math.sqrt(output.size * (1 - taken)) / taken
    names = ("low", "range", "threshold")
    scalars = {name: (f"x{i + 2}", _UINT64) for i, name in enumerate(names)}
    return _call(stream, spec, output, False, ceil_div(math.ceil(pieces), unit // piece), scalars)


def _call(
    stream: Stream,
    spec: random.spec.DrawSpec,
    output: Layout,
    given: bool,
    units: int,
    scalars: dict[str, tuple[str, np.dtype]],
) -> Callable[..., Any]:
    inputs = "aa" + "s" * len(scalars)
    if not output.size:
        return _calls.make_call(stream, inputs, [None if given else output], [])
    places = {name: place for name, (place, _) in scalars.items()}
    passed = {"state": "x0", "next": "x1", **places, "output": "y0"}
    plan = _plan(spec, output.size, units, stream)
    bound = BoundLaunch(plan, stream, {name: dtype for name, (_, dtype) in scalars.items()})
    return _calls.make_call(stream, inputs, [None if given else output], [(bound, passed)])


def _plan(spec: random.spec.DrawSpec, count: int, units: int, stream: Stream) -> LaunchPlan:
    device = stream.device
    constants: dict[str, Any] = {"count": count}
    if spec.variant == "serial":
        function, source = load(spec, random.spec.render, device)
        return LaunchPlan(function, (1, 1, 1), (source.block, 1, 1), constants)
    words = ceil_div(units * spec.unit, 64)
    if spec.variant == "fill":
        function, source = load(spec, random.spec.render, device)
        group, behind = random.spec.GROUPS[spec.engine]
        groups = ceil_div(words + behind, group)
        rounds = groups // (source.block * _RESIDENT * device.multiprocessors)
        constants["rounds"] = rounds = min(_MOST_ROUNDS, max(1, rounds))
        blocks = ceil_div(groups, source.block * rounds)
        return LaunchPlan(function, grid_for(blocks), (source.block, 1, 1), constants)
    warps = spec.block // 32
    for rounds in _COMPACT_ROUNDS:
        tiles = max(1, ceil_div(words, 32 * rounds))
        if tiles <= warps * spec.resident * device.multiprocessors:
            break
    spec = dataclasses.replace(spec, rounds=rounds)
    function, source = load(spec, random.spec.render, device)
    blocks = min(ceil_div(tiles, warps), spec.resident * device.multiprocessors)
    constants["tiles"] = tiles
    plan = LookBackPlan(function, grid_for(blocks), (source.block, 1, 1), constants)
    plan.state = look_back_state(stream, 8 * random.spec.tile_memory_words(tiles))
    constants["lookback"] = plan.state[1]
    return plan


def _order_plan(
    spec: random.spec.OrderSpec, stream: Stream, constants: dict[str, Any], blocks: int = 1
) -> LaunchPlan:
    function, source = load(spec, random.spec.render_order, stream.device)
    return LaunchPlan(function, grid_for(blocks), (source.block, 1, 1), constants)


@planned
def orders_call(
    stream: Stream, engine: str, kind: str, rows: int, count: int, first: int = 1
) -> Callable[..., Any]:
    """A call that makes random orders of integers as NumPy shuffles them.

    Parameters
    ----------
    stream : Stream
        Where to run.
    engine : str
        See `DrawSpec`.
    kind : {'orders', 'tail'}
        See `OrderSpec`.
    rows : int
        How many orders.
    count : int
        The integers of an order: 0 to ``count - 1``, fewer than 2^32.
    first : int
        Where a shuffle, which begins at the end, stops.

    Returns
    -------
    callable
        Takes the state and the memory for the next one; returns int64 of shape (rows, count).
    """
    spec = random.spec.OrderSpec(engine, kind)
    plan = _order_plan(spec, stream, {"rows": rows, "count": count, "first": first})
    passed = {"state": "x0", "next": "x1", "output": "y0"}
    output = _layout.contiguous(_INT64, (rows, count))
    return _calls.make_call(stream, "aa", [output], [(BoundLaunch(plan, stream), passed)])


@planned
def choose_call(stream: Stream, engine: str, count: int, shuffled: bool) -> Callable[..., Any]:
    """A call that chooses different integers by Floyd's algorithm, as NumPy does.

    Parameters
    ----------
    stream : Stream
        Where to run.
    engine : str
        See `DrawSpec`.
    count : int
        How many: `most_chosen` at most.
    shuffled : bool
        Whether their order is random as well.

    Returns
    -------
    callable
        Takes the state, the memory for the next one, and the population's size.
    """
    spec = random.spec.OrderSpec(engine, "choose")
    slots = power_of_two_above(int(1.2 * count))
    constants = {"count": count, "mask": slots - 1, "shuffled": int(shuffled)}
    plan = _order_plan(spec, stream, constants)
    passed = {"state": "x0", "next": "x1", "population": "x2", "output": "y0"}
    bound = BoundLaunch(plan, stream, {"population": _UINT64})
    output = _layout.contiguous(_INT64, (count,))
    return _calls.make_call(stream, "aas", [output], [(bound, passed)])


def power_of_two_above(number: int) -> int:
    """The least power of two that is greater than a number."""
    return 1 << number.bit_length()


def most_chosen() -> int:
    """How many integers `choose_call` can choose."""
    return (random.spec.CHOICE_SLOTS - 1) * 5 // 6


@planned
def sample_call(stream: Stream, count: int) -> Callable[..., Any]:
    """A call that picks different integers by a permutation of the whole population.

    Parameters
    ----------
    stream : Stream
        Where to run.
    count : int
        How many.

    Returns
    -------
    callable
        Takes an array with the permutation's key, and the population's size.
    """
    spec = random.spec.OrderSpec("", "sample")
    most = 8 * _RESIDENT * stream.device.multiprocessors
    blocks = min(most, ceil_div(count, random.spec.ORDER_BLOCK))
    plan = _order_plan(spec, stream, {"count": count}, blocks)
    passed = {"words": "x0", "population": "x1", "output": "y0"}
    bound = BoundLaunch(plan, stream, {"population": _UINT64})
    output = _layout.contiguous(_INT64, (count,))
    return _calls.make_call(stream, "as", [output], [(bound, passed)])


@planned
def each_call(stream: Stream, engine: str, output: Layout, width: int) -> Callable[..., Any]:
    """A call that draws an integer in an interval of its own for each element, one after another.

    Parameters
    ----------
    stream : Stream
        Where to run.
    engine : str
        See `DrawSpec`.
    output : Layout
        Contiguous; of an integer dtype or bool.
    width : int
        The bits of an integer; 1 for bool.

    Returns
    -------
    callable
        Takes the state, the memory for the next one, and arrays of the output's size of uint64:
        the lowest integers, and how much more the highest are.
    """
    spec = random.spec.OrderSpec(engine, "each", _dtypes.code(output.dtype), width)
    plan = _order_plan(spec, stream, {"count": output.size})
    passed = {"state": "x0", "next": "x1", "low": "x2", "greatest": "x3", "output": "y0"}
    return _calls.make_call(stream, "aaaa", [output], [(BoundLaunch(plan, stream), passed)])
