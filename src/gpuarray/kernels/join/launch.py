"""Joins of small arrays in one launch: from layouts to calls."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

from gpuarray import _calls
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import join as join_kernels

#: Results of at most so many bytes are joined in one launch. A launch for each array runs at the
#: speed of memory, and costs a few microseconds: what a device moves of so many bytes meanwhile.
MOST_BYTES = 1 << 20


def make_call(
    layouts: Sequence[Layout], axis: int, target: Layout, stream: Stream
) -> Callable[..., Any] | None:
    """A call (see :mod:`gpuarray._calls`) that joins arrays along an axis, or None if it cannot.

    Parameters
    ----------
    layouts : sequence of Layout
        Of the arrays.
    axis : int
        The axis.
    target : Layout
        Of the result, which the call makes.
    stream : Stream
        Where to run.

    Returns
    -------
    callable or None
        Takes the arrays. It joins gapless arrays of the result's dtype, not too large and not too
        many.
    """
    if not 0 < target.nbytes <= MOST_BYTES or len(layouts) > join_kernels.spec.MOST_ARRAYS:
        return None
    if not all(one.dtype is target.dtype and one.c_contiguous for one in layouts):
        return None
    bound = _bind(layouts, axis, target.size, stream)
    passed = {"result": "y0"} | {f"array{k}": f"x{k}" for k in range(len(layouts))}
    return _calls.make_call(stream, "a" * len(layouts), [target], [(bound, passed)])


@planned
def to_host_call(stream: Stream, layouts: tuple[Layout, ...]) -> Callable[..., Any]:
    """A call that writes a few numbers side by side to page-locked memory on the host.

    The device writes them itself: a launch takes a fifth of the time for which a copy by the driver
    holds up a stream.

    Parameters
    ----------
    stream : Stream
        Where to run.
    layouts : tuple of Layout
        Of the arrays: gapless, of one dtype, not empty, and no more than
        `gpuarray.kernels.join.spec.MOST_ARRAYS`.

    Returns
    -------
    callable
        Takes the arrays and the address of the memory, which is kept until the work is done.
    """
    bound = _bind(layouts, 0, sum([one.size for one in layouts]), stream)
    count = len(layouts)
    passed = {"result": f"x{count}"} | {f"array{k}": f"x{k}" for k in range(count)}
    return _calls.make_call(stream, "a" * count + "h", [], [(bound, passed)])


def _bind(layouts: Sequence[Layout], axis: int, size: int, stream: Stream) -> BoundLaunch:
    spec = join_kernels.spec.JoinSpec(layouts[0].itemsize, len(layouts))
    function, source = load(spec, join_kernels.spec.render, stream.device)
    ends = list(accumulate([math.prod(one.shape[axis:]) for one in layouts]))
    plan = LaunchPlan(
        function,
        grid_for(ceil_div(size, source.block * source.items_per_thread)),
        (source.block, 1, 1),
        {"segments": {"size": size, "ends": ends}},
    )
    return BoundLaunch(plan, stream)


def make_places_call(
    layouts: Sequence[Layout], places: Sequence[Sequence[int]], target: Layout, stream: Stream
) -> Callable[..., Any] | None:
    """A call that copies arrays to their places in a new one, or None if it cannot.

    Parameters
    ----------
    layouts : sequence of Layout
        Of the arrays, each with as many dimensions as the target.
    places : sequence of sequence of int
        The coordinates of each array's first element in the target. Together the arrays fill it.
    target : Layout
        Of the result, which the call makes; gapless, its axes in any order.
    stream : Stream
        Where to run.

    Returns
    -------
    callable or None
        Takes the arrays. It joins arrays of the result's dtype, not too large and not too many.
    """
    if not 0 < target.nbytes <= MOST_BYTES or len(layouts) > join_kernels.spec.MOST_ARRAYS:
        return None
    if not target.ndim:
        return None
    axes = [axis for axis, length in enumerate(target.shape) if length > 1] or [0]
    axes.sort(key=lambda axis: -target.strides[axis])
    if len(axes) > join_kernels.spec.MOST_DIMENSIONS:
        return None
    if not all(one.dtype is target.dtype and _near(one) for one in layouts):
        return None
    offsets, starts, stops, strides = [], [], [], []
    for layout, place in zip(layouts, places, strict=True):
        steps = [layout.strides[axis] // layout.itemsize for axis in axes]
        first = [place[axis] for axis in axes]
        offsets.append(-sum([a * b for a, b in zip(steps, first, strict=True)]))
        starts += first
        stops += [place[axis] + layout.shape[axis] if layout.size else place[axis] for axis in axes]
        strides += steps
    spec = join_kernels.spec.PlaceSpec(target.itemsize, len(layouts), len(axes))
    function, source = load(spec, join_kernels.spec.render_places, stream.device)
    plan = LaunchPlan(
        function,
        grid_for(ceil_div(target.size, source.block * source.items_per_thread)),
        (source.block, 1, 1),
        {
            "dimensions": {
                "size": target.size,
                "shape": [target.shape[axis] for axis in axes],
                "offsets": offsets,
                "starts": starts,
                "stops": stops,
                "strides": strides,
            }
        },
    )
    passed = {"result": "y0"} | {f"array{k}": f"x{k}" for k in range(len(layouts))}
    launches = [(BoundLaunch(plan, stream), passed)]
    return _calls.make_call(stream, "a" * len(layouts), [target], launches)


def _near(layout: Layout) -> bool:
    """Whether elements are aligned, and offsets whole elements that fit 32 bits."""
    whole = not any(stride % layout.itemsize for stride in layout.strides)
    return whole and not layout.unaligned and max(-layout.low, layout.high) < 1 << 30
