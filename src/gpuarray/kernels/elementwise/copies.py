"""Copies of arrays, and assignment to them, with any cast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _interchange, _layout
from gpuarray._runtime.device import current
from gpuarray.kernels import elementwise

if TYPE_CHECKING:
    from gpuarray._types import ndarray


def copy(x: Any, order: str = "K", dtype: np.dtype | None = None) -> ndarray:
    """A gapless copy of an array in a memory order and dtype."""
    stream = current.stream
    key = (copy, x._layout, order, dtype)
    run = stream.plans.get(key)
    if run is None:
        target = _array.contiguous_layout(x, dtype, order)
        run = elementwise.launch.copy_call(x._layout, target, False, stream)
        stream.remember(key, run)
    return run(x)


def assign(target: Any, source: Any) -> None:
    """Store an array, which broadcasts to the target's shape, with any cast."""
    if source._layout.size == 0 and target._layout.size == 0:
        return
    if source._layout is not target._layout or source._pointer != target._pointer:
        if _layout.overlap(source._layout, source._pointer, target._layout, target._pointer):
            source = copy(source)
        elif source._memory.device is not target._memory.device:
            source = _interchange.to_device(copy(source), target._memory.device)
        stream = current.stream
        key = (assign, source._layout, target._layout)
        run = stream.plans.get(key)
        if run is None:
            _layout.check_writable(target._layout, "assignment")
            read = _layout.broadcast_to(source._layout, target._layout.shape)
            run = elementwise.launch.copy_call(read, target._layout, True, stream)
            stream.remember(key, run)
        run(source, target)
