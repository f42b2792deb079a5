"""Elements at places that follow from the result's coordinates: from layouts to calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gpuarray import _arguments, _calls, _dtypes, _layout, _memory_order
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise, remap
from gpuarray.kernels.elementwise import copies

_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)


class Rule(NamedTuple):
    """How an index along an axis of the result becomes one along the source's."""

    name: str  # see `remap.spec.RULES`
    start: int = 0  # by what the index is moved, in the sense of the rule
    skipped: int = 0  # of 'skip': elements left out
    gap: int = 0  # of 'skip': elements between two of those


class _Axis(NamedTuple):
    rule: Rule
    length: int  # of the result
    source: int  # of the source
    stride: int  # of the source, in bytes
    number: int  # of the axis whose rule it has
    unit: int  # elements that this rule moves together


def make_call(
    name: str,
    source: Layout,
    target: Layout,
    rules: Sequence[Rule],
    fills: int,
    stream: Stream,
    result: Layout | None = None,
) -> tuple[Callable[..., Any], tuple[tuple[int, int], ...]]:
    """A call (see :mod:`gpuarray._calls`) that makes an array of a source's elements.

    Parameters
    ----------
    name : str
        The operation, for error messages.
    source, target : Layout
        Of as many dimensions; the target is gapless, of at least one element, and new.
    rules : sequence of Rule
        One an axis.
    fills : int
        Numbers that the rule 'constant' stores: 0, 1, or 2 for each axis.
    stream : Stream
        Where to run.
    result : Layout, optional
        What the call returns over the target's memory; by default the target.

    Returns
    -------
    run : callable
        ``run(x, *starts, *fills)`` takes the source, the starts and the numbers. If there are two
        numbers an axis, those of axes without a rule are given as well.
    moved : tuple of (axis, unit)
        The axis that each start is for, and what its rule's start is multiplied by.
    """
    if source.unaligned and fills:
        aligned = _memory_order.like_prototype(source.dtype, source.shape, source)
        copy = elementwise.launch.copy_call(source, aligned, False, stream)
        inner, moved = make_call(name, aligned, target, rules, fills, stream, result)
        return (lambda x, *numbers: inner(copy(x), *numbers)), moved
    if (_dtypes.is_raw(source.dtype) or source.unaligned) and not fills:
        result = result or target
        size = _layout.word_size([source, target])
        source, target = [_layout.in_words(x, size) for x in (source, target)]
        rules = [*rules, Rule("copy")]
    if source.unaligned:
        aligned = _memory_order.like_prototype(source.dtype, source.shape, source)
        inner, moved = make_call(name, aligned, target, rules, fills, stream, result)
        return (lambda x, *numbers: inner(copies.copy(x), *numbers)), moved
    axes = _merged(source, target, rules, keep=fills > 1)
    periods = [_period(axis) for axis in axes]
    wide = _layout.needs_int64(target.size, [source, target]) or any(
        axis.length + axis.source + period > _arguments.INT32_MAX - (1 << 20)
        for axis, period in zip(axes, periods, strict=True)
    )
    spec = remap.spec.RemapSpec(
        source.itemsize,
        tuple([axis.rule.name for axis in axes]),
        fills if fills < 2 else 2 * len(axes),
        axes[-1].stride == source.itemsize or axes[-1].source == 1,
        "int64" if wide else "int32",
    )
    function, code = load(spec, remap.spec.render, stream.device)
    bits, fraction = 64 if wide else 32, elementwise.variants.fraction
    fractions = [fraction(max(axis.length, 1), bits) for axis in axes]
    divisors = [fraction(max(period, 1), bits) for period in periods]
    dimensions = {
        "shape": [axis.length for axis in axes],
        "multipliers": [one[0] for one in fractions],
        "shifts": [one[1] for one in fractions],
        "lengths": [axis.source for axis in axes],
        "strides": _layout.element_strides(name, [axis.stride for axis in axes], source),
        "periods": periods,
        "period_multipliers": [one[0] for one in divisors],
        "period_shifts": [one[1] for one in divisors],
        "counts": [axis.rule.skipped for axis in axes],
    }
    tile = code.block * code.items_per_thread
    plan = LaunchPlan(
        function,
        grid_for(ceil_div(target.size, tile)),
        (code.block, 1, 1),
        {"size": target.size, "dimensions": dimensions},
    )
    given = [f"start{axis}" for axis in spec.moved] + [f"fill{i}" for i in range(spec.fills)]
    scalars = {f"start{axis}": _INT64 if wide else _INT32 for axis in spec.moved}
    scalars |= {f"fill{i}": source.dtype for i in range(spec.fills)}
    passed = {"result": "y0", "source": "x0"} | {x: f"x{1 + i}" for i, x in enumerate(given)}
    bound = BoundLaunch(plan, stream, scalars, name)
    run = _calls.make_call(stream, "a" + "s" * len(given), [result or target], [(bound, passed)])
    return run, tuple([(axes[axis].number, axes[axis].unit) for axis in spec.moved])


def _merged(source: Layout, target: Layout, rules: Sequence[Rule], keep: bool) -> list[_Axis]:
    """The axes in the target's order, rows that are copied as they are taken together.

    ``keep`` is whether each axis stays, for the numbers that it has.
    """
    order = sorted(range(target.ndim), key=lambda axis: -target.strides[axis])
    axes = [
        _Axis(rules[k], target.shape[k], source.shape[k], source.strides[k], k, 1)
        for k in (range(target.ndim) if keep else order)
    ]
    if keep:
        return axes
    merged: list[_Axis] = []
    for axis in axes:
        if axis.length == axis.source == 1:
            continue
        last = merged[-1] if merged else None
        if (
            last is not None
            and axis.rule.name == "copy"
            and _merges(last.rule)
            and last.stride == axis.stride * axis.source
        ):
            n = axis.length
            merged[-1] = last._replace(
                rule=last.rule._replace(skipped=last.rule.skipped * n),
                length=last.length * n,
                source=last.source * n,
                stride=axis.stride,
                unit=last.unit * n,
            )
        else:
            merged.append(axis)
    return merged or [_Axis(Rule("copy"), 1, 1, source.itemsize, 0, 1)]


def _merges(rule: Rule) -> bool:
    """Whether rows that are copied can be taken for one axis with the one that has the rule."""
    return rule.name in ("copy", "constant", "wrap") or (rule.name == "skip" and not rule.gap)


def _period(axis: _Axis) -> int:
    """After how many indices a rule repeats itself."""
    name, length = axis.rule.name, axis.source
    if name == "wrap":
        return length
    if name == "reflect":
        return max(2 * length - 2, 1)
    if name == "symmetric":
        return 2 * length
    return axis.rule.gap if name == "skip" else 0
