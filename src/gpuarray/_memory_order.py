"""Memory orders: in which order of axes NumPy lays out results, copies and joined arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from gpuarray._arguments import check_order
from gpuarray._broadcasting import broadcast_strides
from gpuarray._layout import Layout, contiguous, layout_of


def keep_order(layouts: Iterable[Layout], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The axes from slowest to fastest for an output in NumPy's 'K' order.

    NumPy sorts the axes by the operands' absolute strides; where operands disagree, C order
    wins; broadcast axes and those of length 1 have no say.
    """
    ndim = len(shape)
    operand_strides = [
        [0 if length == 1 else stride for length, stride in zip(shape, strides, strict=True)]
        for strides in [broadcast_strides(layout, shape) for layout in layouts]
    ]
    axes = list(range(ndim))  # slowest first
    for i in range(ndim - 2, -1, -1):
        # Insert axis i among the sorted faster ones; it moves past those it should be faster than.
        target = i
        axis = axes[i]
        for k in range(i + 1, ndim):
            other = axes[k]
            ambiguous, move = True, False
            for strides in operand_strides:
                if strides[axis] and strides[other]:
                    if abs(strides[other]) <= abs(strides[axis]):
                        move = False
                    elif ambiguous:
                        move = True
                    ambiguous = False
            if not ambiguous:
                if not move:
                    break
                target = k
        axes.insert(target, axes.pop(i))
    return tuple(axes)


def like_order(
    dtype: np.dtype, shape: tuple[int, ...], layouts: Sequence[Layout], order: str = "K"
) -> Layout:
    """The gapless layout for a result of ``layouts`` in memory order 'C', 'F', 'A' or 'K'."""
    if order == "A":
        every_f = all(x.f_contiguous and not x.c_contiguous for x in layouts) and bool(layouts)
        order = "F" if every_f else "C"
    if order == "K":
        if len(shape) < 2 or all(x.c_contiguous and x.shape == shape for x in layouts):
            order = "C"
        else:
            return _in_axis_order(dtype, shape, keep_order(layouts, shape))
    if order not in ("C", "F"):
        return like_order(dtype, shape, layouts, check_order(order))
    return contiguous(dtype, shape, order)


def like_prototype(
    dtype: np.dtype, shape: tuple[int, ...], prototype: Layout, order: str | None = "K"
) -> Layout:
    """The gapless layout for a copy, or for an array like another one with as many dimensions.

    For 'K', NumPy sorts the axes by the strides as they are here, so that axes along which an
    array is broadcast become the fastest ones.
    """
    order = check_order(order)
    if order == "A":
        order = "F" if prototype.f_contiguous and not prototype.c_contiguous else "C"
    if order != "K":
        return contiguous(dtype, shape, order)
    if prototype.contiguous:
        return contiguous(dtype, shape, "C" if prototype.c_contiguous else "F")
    steps = [abs(stride) for stride in prototype.strides]
    return _in_axis_order(dtype, shape, sorted(range(len(shape)), key=lambda axis: -steps[axis]))


def joined_order(dtype: np.dtype, shape: tuple[int, ...], layouts: Sequence[Layout]) -> Layout:
    """The gapless layout for arrays of other lengths that are joined to one of ``shape``.

    NumPy sorts the axes by the operands' strides; where operands disagree, C order wins, and axes
    of length 1 have no say.
    """
    axes: list[int] = []  # slowest first
    for axis in range(len(shape)):
        place = len(axes)
        for k in range(len(axes) - 1, -1, -1):
            other = axes[k]
            greater = [
                abs(x.strides[axis]) > abs(x.strides[other])
                for x in layouts
                if x.shape[axis] != 1 and x.shape[other] != 1
            ]
            if greater and not all(greater):
                break
            if greater:
                place = k
        axes.insert(place, axis)
    return _in_axis_order(dtype, shape, axes)


def _in_axis_order(dtype: np.dtype, shape: tuple[int, ...], axes: Sequence[int]) -> Layout:
    """The gapless layout whose axes follow one another in memory as given, the slowest first."""
    strides = [0] * len(shape)
    stride = dtype.itemsize
    for axis in reversed(axes):
        strides[axis] = stride
        stride *= max(shape[axis], 1)
    return layout_of(dtype, shape, tuple(strides))
