"""Views of results that are not computed yet: which elements of an operand they come to.

A result that nobody has but through a view is not stored either: the elements of the view are
computed from views of the operands.
"""

from __future__ import annotations

from typing import NamedTuple

from gpuarray import _layout
from gpuarray._layout import Layout


class Viewed(NamedTuple):
    """A part of an array that a kernel takes: the array as in `Kernel.takes`, and its view."""

    array: int
    layout: Layout
    offset: int


def viewed(operand: Layout, result: Layout, view: Layout, offset: int) -> tuple[Layout, int] | None:
    """The view of an operand whose elements give those of a view of the result.

    Parameters
    ----------
    operand : Layout
        Of the result's shape.
    result : Layout
        Gapless.
    view : Layout
        Of the result's elements.
    offset : int
        Bytes from the result's first element to the view's.

    Returns
    -------
    layout, offset
        None where the view walks along several dimensions in which the operand lies otherwise.
    """
    itemsize = result.itemsize
    dims, (steps, moves) = _layout.collapse(
        result.shape, [[x // itemsize for x in result.strides], operand.strides]
    )
    steps = tuple([max(x, 1) for x in steps])  # of a single element
    rest, start = offset // itemsize, 0
    first = []
    for step, move in zip(steps, moves, strict=True):
        count, rest = divmod(rest, step)
        first.append(count)
        start += count * move
    low, high = list(first), list(first)
    strides = []
    for length, stride in zip(view.shape, view.strides, strict=True):
        step = stride // itemsize
        if length == 1 or not step:
            strides.append(0)
            continue
        axis = next((i for i, unit in enumerate(steps) if abs(step) >= unit), None)
        if axis is None:
            return None
        count, rest = divmod(step, steps[axis])
        if rest:
            return None
        low[axis] += min(count, 0) * (length - 1)
        high[axis] += max(count, 0) * (length - 1)
        strides.append(count * moves[axis])
    if any(x < 0 for x in low) or any(x >= n for x, n in zip(high, dims, strict=True)):
        return None
    return _layout.layout_of(operand.dtype, view.shape, tuple(strides), _layout.VIEW), start
