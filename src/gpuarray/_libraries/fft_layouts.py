"""How transforms of arrays of any strides are made of those that cuFFT has: a pure solver.

cuFFT transforms one to three dimensions, whose distances are nested (each a multiple of the next
one), of many arrays at equal distances. `solve` brings a transform along any axes of any layout
into such *passes*; a dimension that is left over is a loop of calls with one plan.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

from gpuarray._libraries.line_layouts import merged

__all__ = ["GREATEST_RANK", "Pass", "Side", "solve"]

#: The most dimensions of one transform.
GREATEST_RANK = 3


class Side(NamedTuple):
    """The input or the output of a pass, in elements."""

    #: The lengths of dimensions in memory, of which the first says nothing.
    embed: tuple[int, ...]
    #: From one element to the next along the last dimension.
    stride: int
    #: From one array of the batch to the next.
    distance: int


class Pass(NamedTuple):
    """One plan of cuFFT, and the calls of it."""

    #: The lengths that are transformed, the last one along the fastest dimension.
    n: tuple[int, ...]
    source: Side
    target: Side
    batch: int
    #: The dimensions for whose indices there are calls: lengths, distances in source and target.
    loops: tuple[tuple[int, int, int], ...]
    #: Whether it reads what the pass before it has stored, and stores it there.
    in_place: bool
    #: The axes that it transforms.
    axes: tuple[int, ...]

    @property
    def calls(self) -> int:
        """How many calls there are."""
        return math.prod([length for length, _, _ in self.loops])

    def offsets(self) -> list[tuple[int, int]]:
        """For each call the elements from the beginning of the input, and of the output."""
        return [
            (
                sum([i * source for i, (_, source, _) in zip(index, self.loops)]),
                sum([i * target for i, (_, _, target) in zip(index, self.loops)]),
            )
            for index in itertools.product(*[range(length) for length, _, _ in self.loops])
        ]


def solve(
    lengths: Sequence[int],
    source: Sequence[int],
    target: Sequence[int],
    axes: Sequence[int],
    halved: int | None = None,
    halved_source: bool = False,
) -> list[Pass] | None:
    """The passes that transform arrays, or None if the source must be copied first.

    Parameters
    ----------
    lengths : sequence of int
        The length of each axis; of a transformed one how many points are transformed. None is 0.
    source, target : sequence of int
        The strides of both in elements. Those of the target are of no element twice.
    axes : sequence of int
        The distinct axes to transform, at least one.
    halved : int, optional
        The axis among them of which one side has only the first ``n // 2 + 1`` elements, the other
        side's elements being real.
    halved_source : bool, optional
        Whether that is the source. There is one pass then, of `GREATEST_RANK` axes at most.

    Returns
    -------
    list of Pass or None
        The first one reads the source. All store to the target.
    """
    if any(target[axis] <= 0 for axis in axes if lengths[axis] > 1):
        return None
    shape = list(lengths)
    passes: list[Pass] = []
    # An axis of one element is transformed by a copy, which the first pass makes.
    left = [axis for axis in axes if lengths[axis] > 1 and axis != halved]
    left.sort(key=lambda axis: target[axis])
    if halved is not None and halved_source:
        if len(left) >= GREATEST_RANK:
            return None
        found = _pass(shape, source, target, [*left, halved], halved, True)
        return None if found is None else [found]
    group = [] if halved is None else [halved]
    if not left and not group:
        group = [axes[0]]
    while left or group:
        reads = target if passes else source
        half = halved if not passes else None
        found = _pass(shape, reads, target, group, half, False) if group else None
        if group and found is None:
            return None
        taken = list(group)
        for axis in list(left):
            if len(taken) == GREATEST_RANK:
                break
            # The halved axis is the fastest of a plan.
            more = [*taken, axis]
            longer = _pass(shape, reads, target, more, half, False)
            if longer is not None:
                taken, found = more, longer
                left.remove(axis)
        if found is None:
            return None
        passes.append(found._replace(in_place=len(passes) > 0))
        if half is not None:
            shape[half] = shape[half] // 2 + 1
        group = []
    return passes


def _pass(
    lengths: Sequence[int],
    source: Sequence[int],
    target: Sequence[int],
    axes: Sequence[int],
    halved: int | None,
    halved_source: bool,
) -> Pass | None:
    """One plan that transforms axes, or None if their distances are not nested."""
    order = sorted([axis for axis in axes if axis != halved], key=lambda axis: -target[axis])
    if halved is not None:
        order.append(halved)
    n = [lengths[axis] for axis in order]
    half = [*n[:-1], n[-1] // 2 + 1] if halved is not None else n
    sides = []
    for steps, used in (
        (source, half if halved_source else n),
        (target, n if halved_source else half),
    ):
        side = _nested([steps[axis] for axis in order], used)
        if side is None:
            return None
        sides.append(side)
    others = [axis for axis in range(len(lengths)) if axis not in axes and lengths[axis] > 1]
    joined = merged([(lengths[axis], source[axis], target[axis]) for axis in others])
    # The longest of the dimensions that are left is the batch.
    forward = [one for one in joined if one[1] > 0 and one[2] > 0]
    batch = max(forward, key=lambda one: one[0], default=None)
    loops = tuple([one for one in joined if one is not batch])
    count, distances = 1, [math.prod(side[0]) * side[1] for side in sides]
    if batch is not None:
        count, *distances = batch
    first, second = [Side(*side, distance) for side, distance in zip(sides, distances)]
    return Pass(tuple(n), first, second, count, loops, False, tuple(order))


def _nested(steps: Sequence[int], used: Sequence[int]) -> tuple[tuple[int, ...], int] | None:
    """The lengths in memory and the stride of dimensions, or None if there are none.

    `used` is how many elements of each dimension there are.
    """
    # The step along one element says nothing: take one that suits.
    inner = steps[-1] if used[-1] > 1 else 1
    if inner < 1:
        return None
    embed = [used[-1]]
    distance = inner
    for step, length, within in zip(steps[-2::-1], used[-2::-1], used[:0:-1]):
        if length == 1:
            step = distance * within
        if step < distance * within or step % distance:
            return None
        embed[0] = step // distance
        embed.insert(0, length)
        distance = step
    return tuple(embed), inner
