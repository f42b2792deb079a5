"""Layouts with an axis moved behind the others, as sorts and partitions take them, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray import _array, _layout, _memory_order
from gpuarray._layout import Layout
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from gpuarray._types import ndarray


def axes_with_last(axis: int, ndim: int) -> tuple[int, ...]:
    """The axes with one moved behind the others."""
    return (*[i for i in range(ndim) if i != axis], axis)


def with_axis_last(layout: Layout, axis: int) -> tuple[Layout, tuple[int, ...]]:
    """The layout with one axis moved behind the others, and the axes in that order.

    Of the orders of the others, that of memory: then elements of a gapless array whose fastest
    axis is the sorted one need not be copied.
    """
    others = [i for i in range(layout.ndim) if i != axis]
    others.sort(key=lambda i: -abs(layout.strides[i]))
    moved = (*others, axis)
    return _layout.transpose(layout, moved), moved


def with_axis_back(a: ndarray, moved: tuple[int, ...], wanted: Layout) -> ndarray:
    """A new array of sorted rows with its axes where they were, in the memory order of a layout."""
    back = [0] * len(moved)
    for new, old in enumerate(moved):
        back[old] = new
    result = _array.view(a, _layout.transpose(a._layout, back))
    target = _memory_order.like_prototype(a._layout.dtype, wanted.shape, wanted)
    if _same_order(result._layout, target):
        return _array.rearranged(result, target)
    copied = _array.empty(target)
    copies.assign(copied, result)
    return copied


def _same_order(layout: Layout, other: Layout) -> bool:
    """Whether two layouts of one shape differ only in strides that are never taken."""
    return layout.size == 0 or all(
        a == b or length == 1
        for a, b, length in zip(layout.strides, other.strides, layout.shape, strict=True)
    )
