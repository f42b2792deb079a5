"""Copies of arrays, and assignment to them, with any cast."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _interchange, _layout
from gpuarray._layout import Layout
from gpuarray._runtime.device import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise

if TYPE_CHECKING:
    from gpuarray._types import ndarray


def copy(x: Any, order: str = "K", dtype: np.dtype | None = None) -> ndarray:
    """A gapless copy of an array in a memory order and dtype."""
    stream = current.stream
    # The key of _copy_call, written here to save its call on a fast path.
    run = stream.plans.get((_copy_call, x._layout, order, dtype))
    if run is None:
        run = _copy_call(stream, x._layout, order, dtype)
    return run(x)


@planned
def _copy_call(
    stream: Stream, layout: Layout, order: str | None, dtype: np.dtype | None
) -> Callable[[Any], Any]:
    if order is None and dtype is None:
        order = "C"  # the default of `ndarray.copy`; that of `astype` is 'K'
    dtype = layout.dtype if dtype is None else dtype
    target = _layout.like_prototype(dtype, layout.shape, layout, order)
    return elementwise.launch.copy_call(layout, target, False, stream)


def assign(target: Any, source: Any) -> None:
    """Store an array, which broadcasts to the target's shape, with any cast."""
    if source._layout.size == 0 and target._layout.size == 0:
        _layout.check_writable(target._layout, "assignment")
        read = _layout.without_leading_ones(source._layout, target._layout.ndim)
        _layout.broadcast_to(read, target._layout.shape)
        return
    if _array.overlap(source, target):
        if _array.same_elements(source, target):
            _layout.check_writable(target._layout, "assignment")
            return
        source = copy(source)
    elif source._memory.device is not target._memory.device:
        source = _interchange.to_device(copy(source), target._memory.device)
    stream = current.stream
    run = stream.plans.get((_assign_call, source._layout, target._layout))
    if run is None:
        run = _assign_call(stream, source._layout, target._layout)
    run(source, target)


@planned
def _assign_call(stream: Stream, source: Layout, target: Layout) -> Callable[[Any, Any], Any]:
    _layout.check_writable(target, "assignment")
    source = _layout.without_leading_ones(source, target.ndim)
    read = _layout.broadcast_to(source, target.shape)
    return elementwise.launch.copy_call(read, target, True, stream)
