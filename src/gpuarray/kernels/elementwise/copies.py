"""Copies of arrays, and assignment to them, with any cast."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import (
    _array,
    _broadcasting,
    _calls,
    _dtypes,
    _interchange,
    _layout,
    _memory_order,
    _transfers,
)
from gpuarray._layout import Layout
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.generator.expressions import Cast, Expression, Input, Scalar

if TYPE_CHECKING:
    from gpuarray._types import ndarray


def copy(x: Any, order: str = "K", dtype: np.dtype | None = None) -> ndarray:
    """A gapless copy of an array in a memory order and dtype, on the current device."""
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
    return elementwise.launch.copy_call(layout, _copied(layout, order, dtype), False, stream)


def copy_there(x: Any, order: str = "K", dtype: np.dtype | None = None) -> ndarray:
    """A gapless copy of an array in a memory order and dtype, on the device of the array."""
    stream = current.stream
    # The key of _copy_there_call, written here to save its call on a fast path.
    run = stream.plans.get((_copy_there_call, x._layout, order, dtype))
    if run is None:
        run = _copy_there_call(stream, x._layout, order, dtype)
    return run(x)


@planned
def _copy_there_call(
    stream: Stream, layout: Layout, order: str | None, dtype: np.dtype | None
) -> Callable[[Any], Any]:
    def elsewhere(x: Any) -> Any:
        with x._memory.device:
            return copy_there(x, order, dtype)  # type: ignore[arg-type]  # as it was given

    return elementwise.launch.copy_call(
        layout, _copied(layout, order, dtype), False, stream, elsewhere
    )


def _copied(layout: Layout, order: str | None, dtype: np.dtype | None) -> Layout:
    """The layout of a copy."""
    if order is None and dtype is None:
        order = "C"  # the default of `ndarray.copy`; that of `astype` is 'K'
    return _memory_order.like_prototype(
        layout.dtype if dtype is None else dtype, layout.shape, layout, order
    )


def assign(target: Any, source: Any) -> None:
    """Store an array, which broadcasts to the target's shape, with any cast.

    It is done on the device of the target.
    """
    if source._layout.size == 0 and target._layout.size == 0:
        _layout.check_writable(target._layout, "assignment")
        read = _broadcasting.without_leading_ones(source._layout, target._layout.ndim)
        _broadcasting.broadcast_to(read, target._layout.shape)
        return
    if _array.overlap(source, target):
        if _array.same_elements(source, target):
            _layout.check_writable(target._layout, "assignment")
            return
        source = copy(source)
    elif _array.device_of(source) is not _array.device_of(target):
        _assign_across(target, source)
        return
    stream = current.stream
    run = stream.plans.get((_assign_call, source._layout, target._layout))
    if run is None:
        run = _assign_call(stream, source._layout, target._layout)
    run(source, target)


def kept_assignment(source: Layout, target: Layout) -> Callable[[Any, Any], Any] | None:
    """The call of `assign` for layouts that it has had, for arrays of one device and apart."""
    if source.foreign or target.foreign:
        return None
    return current.stream.plans.get((_assign_call, source, target))


def assign_where(target: Any, source: Any, mask: Any) -> Callable[..., None] | None:
    """Store an array, with any cast, or a Python number that the dtype holds, where a mask is true.

    The source and the mask broadcast to the target. Returns the call where it took the operands
    as they are.
    """
    if not target._layout.size:
        return None
    used, chosen = source, mask
    number = not isinstance(source, _array.ArrayBase)
    if not number and _array.overlap(source, target) and not _array.same_elements(source, target):
        used = copy(source)
    if _array.overlap(mask, target):
        chosen = copy(mask)
    kind = target._layout.dtype if number else used._layout
    run = _assign_where_call(current.stream, kind, chosen._layout, target._layout)
    run(used, chosen, target)
    return run if used is source and chosen is mask else None


@planned
def _assign_where_call(
    stream: Stream, source: Layout | np.dtype, mask: Layout, target: Layout
) -> Callable[..., None]:
    """A call that takes the source, the mask and the target."""
    _layout.check_writable(target, "assignment")
    code = _dtypes.code(target.dtype)
    value: Expression = Scalar(0, code)
    read: Layout | np.dtype = target.dtype
    if isinstance(source, Layout):
        read = _broadcasting.broadcast_to(
            _broadcasting.without_leading_ones(source, target.ndim), target.shape
        )
        own = _dtypes.code(source.dtype)
        value = Input(0, own) if own == code else Cast(code, Input(0, own))
    inputs = [read, _broadcasting.broadcast_to(mask, target.shape)]
    run = elementwise.launch.make_call("copy", [value], inputs, [target], [True], stream, True)
    if isinstance(source, Layout) and _calls.discards_imaginary(source.dtype, target.dtype):
        return _calls.with_complex_warning(run)
    return run


@planned
def _assign_call(stream: Stream, source: Layout, target: Layout) -> Callable[[Any, Any], Any]:
    _layout.check_writable(target, "assignment")
    source = _broadcasting.without_leading_ones(source, target.ndim)
    read = _broadcasting.broadcast_to(source, target.shape)
    return elementwise.launch.copy_call(read, target, True, stream, _assign_there)


def _assign_across(target: Any, source: Any) -> None:
    """Store an array of another device."""
    device = target._memory.device
    layout = _layout.own(source._layout)
    with device:
        if target._layout.contiguous and _layout.own(target._layout) is layout:
            _layout.check_writable(target._layout, "assignment")
            _transfers.copy_bytes(target, source)
            return
        if not layout.contiguous:
            source = copy_there(source)
        assign(target, _interchange.to_device(source, device))


def _assign_there(source: Any, target: Any) -> None:
    with target._memory.device:
        assign(target, source)
