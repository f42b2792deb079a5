"""How transforms along any axes are made of those of lines (`kernels.fourier`): a pure solver.

A pass transforms the lines along one axis, wherever they and the results lie. An axis that is too
long for a line is two passes over a matrix, whose rows are as the axis goes (the four-step method:
D. H. Bailey, "FFTs in external or hierarchical memory", J. Supercomputing 4, 23-35, 1990): its
columns are transformed and turned, then its rows, and the results go to the matrix's transpose.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

__all__ = ["LONGEST_AXIS", "LinePass", "merged", "solve"]

#: The points of the longest axis: products of indices are exact in single precision up to there.
LONGEST_AXIS = 1 << 24

#: A length, and the elements from one to the next in source and target.
Dimension = tuple[int, int, int]


class LinePass(NamedTuple):
    """Transforms of lines that one launch makes."""

    line: Dimension
    #: The other dimensions, from slow to fast in the target.
    others: tuple[Dimension, ...]
    #: Which of these is that of the columns of a matrix, or -1.
    column: int
    #: 'source', 'target' or 'scratch'.
    reads: str
    stores: str


def solve(
    lengths: Sequence[int],
    source: Sequence[int],
    target: Sequence[int],
    axes: Sequence[int],
    is_line: Callable[[int], bool],
) -> list[LinePass] | None:
    """The passes that transform arrays, or None if an axis is neither a line nor a matrix of them.

    Parameters
    ----------
    lengths : sequence of int
        The length of each axis, none of which is 0.
    source, target : sequence of int
        The strides of both in elements. Those of the target are of no element twice.
    axes : sequence of int
        The distinct axes to transform.
    is_line : callable
        Whether so many points are transformed as one line.

    Returns
    -------
    list of LinePass or None
        The first one reads the source; the last one stores to the target. Scratch memory is of
        the target's size. There is none where no axis has two elements.
    """
    axes = [axis for axis in axes if lengths[axis] > 1]
    if not axes:
        return None
    passes: list[LinePass] = []
    reads, steps = "source", source
    for axis in sorted(axes, key=lambda axis: abs(target[axis])):
        dimensions = list(zip(lengths, steps, target, strict=True))
        line = dimensions.pop(axis)
        others = merged([one for one in dimensions if one[0] > 1])
        if is_line(line[0]):
            passes.append(LinePass(line, tuple(others), -1, reads, "target"))
        else:
            columns = _columns(line[0], is_line)
            if not columns:
                return None
            passes += _matrix(line, columns, others, reads)
        reads, steps = "target", target
    return passes


def merged(dimensions: Sequence[Dimension]) -> list[Dimension]:
    """Dimensions, the slowest of the target first, joined where both sides allow it."""
    joined: list[Dimension] = []
    for length, source, target in sorted(dimensions, key=lambda one: -abs(one[2])):
        if joined:
            outer = joined[-1]
            if outer[1] == source * length and outer[2] == target * length:
                joined[-1] = (outer[0] * length, source, target)
                continue
        joined.append((length, source, target))
    return joined


def _columns(n: int, is_line: Callable[[int], bool]) -> int:
    """The columns of a matrix of so many points that is nearly square, or 0."""
    if n > LONGEST_AXIS:
        return 0
    for columns in range(math.isqrt(n), 1, -1):
        rows, rest = divmod(n, columns)
        if not rest and is_line(rows) and is_line(columns):
            return columns
    return 0


def _matrix(
    line: Dimension, columns: int, others: Sequence[Dimension], reads: str
) -> list[LinePass]:
    """A long axis in two passes, by way of scratch memory in the target's order."""
    n, source, target = line
    rows = n // columns
    place = sum([abs(one[2]) > abs(target) for one in others])
    # The scratch memory is gapless: the slower dimensions, the matrix, and the faster dimensions.
    steps, step = [], 1
    for one in reversed(others[place:]):
        steps.append(step)
        step *= one[0]
    element = step
    step *= n
    for one in reversed(others[:place]):
        steps.append(step)
        step *= one[0]
    steps.reverse()
    before = [(length, of, to) for (length, of, _), to in zip(others, steps, strict=True)]
    behind = [(length, of, to) for (length, _, to), of in zip(others, steps, strict=True)]
    before.insert(place, (columns, source, element))
    behind.insert(place, (rows, columns * element, target))
    return [
        LinePass(
            (rows, columns * source, columns * element), tuple(before), place, reads, "scratch"
        ),
        LinePass((columns, element, rows * target), tuple(behind), -1, "scratch", "target"),
    ]
