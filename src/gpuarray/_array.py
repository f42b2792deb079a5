"""The storage of arrays: a layout over memory, views of it, and the way to and from the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _layout
from gpuarray._ffi import driver
from gpuarray._layout import Layout
from gpuarray._runtime import allocator, pinned_memory
from gpuarray._runtime.device import Device, current
from gpuarray._runtime.memory import BaseMemory
from gpuarray._runtime.stream import Stream

if TYPE_CHECKING:
    from gpuarray._types import ndarray

_new = object.__new__


class ArrayBase:
    """An array's state: memory, the address of its first element, and its layout."""

    __slots__ = ("__weakref__", "_layout", "_memory", "_pointer")

    _layout: Layout
    _memory: BaseMemory
    _pointer: int


#: The public array class; gpuarray._ndarray, which lies above, registers it on import.
array_class: Any = ArrayBase


def register_array_class(cls: type) -> None:
    """Make ``cls`` the type of every new array."""
    global array_class
    array_class = cls


def wrap(memory: BaseMemory, pointer: int, layout: Layout) -> ndarray:
    """An array over existing memory."""
    array = _new(array_class)
    array._memory = memory
    array._pointer = pointer
    array._layout = layout
    return array


def empty(layout: Layout) -> ndarray:
    """An uninitialised array; its layout must be gapless."""
    memory, pointer = allocator.allocate(layout.nbytes)
    return wrap(memory, pointer, layout)


def view(array: Any, layout: Layout, offset: int = 0) -> ndarray:
    """An array over the same memory, ``offset`` bytes further on."""
    return wrap(array._memory, array._pointer + offset, layout)


def order_after(array: Any, stream: Stream) -> None:
    """Note that work queued on ``stream`` uses the array's memory."""
    memory = array._memory
    if memory.stream is not stream:
        memory.used_by(stream)


def from_host(source: np.ndarray, layout: Layout, stream: Stream | None = None) -> ndarray:
    """A new array with the elements of a host array that has exactly this gapless layout."""
    array = empty(layout)
    upload(array, source, stream)
    return array


def upload(array: Any, source: np.ndarray, stream: Stream | None = None) -> None:
    """Copy a gapless host array to a gapless array of the same layout.

    Returns when ``source`` may be changed again, except that pinned memory is read
    asynchronously if the user names the stream.
    """
    layout = array._layout
    if not layout.nbytes:
        return
    asynchronous = stream is not None
    if stream is None:
        stream = current.stream
    order_after(array, stream)
    address = source.ctypes.data
    if pinned_memory.is_pinned(address, layout.nbytes):
        driver.memcpy_htod_async(array._pointer, address, layout.nbytes, stream.handle)
        if not asynchronous:
            stream.synchronize()
    elif layout.nbytes >= pinned_memory.STAGED_BYTES:
        pinned_memory.staged_upload(array._pointer, address, layout.nbytes, stream)
    else:
        # The driver has copied pageable memory aside when this returns.
        driver.memcpy_htod_async(array._pointer, address, layout.nbytes, stream.handle)


def download(array: Any, target: np.ndarray, stream: Stream | None, blocking: bool) -> None:
    """Copy a gapless array to a gapless host array of the same layout."""
    layout = array._layout
    if not layout.nbytes:
        return
    if stream is None:
        stream = current.stream
    order_after(array, stream)
    address = target.ctypes.data
    if layout.nbytes >= pinned_memory.STAGED_BYTES and not pinned_memory.is_pinned(
        address, layout.nbytes
    ):
        pinned_memory.staged_download(address, array._pointer, layout.nbytes, stream)
        return
    driver.memcpy_dtoh_async(address, array._pointer, layout.nbytes, stream.handle)
    if blocking:
        stream.synchronize()


def copy_bytes(target: Any, source: Any) -> None:
    """Copy between arrays of equal gapless layout, also across devices."""
    nbytes = target._layout.nbytes
    if not nbytes:
        return
    stream = current.stream
    order_after(target, stream)
    owner: Device = source._memory.device
    if owner is target._memory.device:
        order_after(source, stream)
        driver.memcpy_dtod_async(target._pointer, source._pointer, nbytes, stream.handle)
        return
    # The copy is queued here but the source's writers are queued there: let one wait.
    with owner:
        event = current.stream.record()
    stream.wait_event(event)
    driver.memcpy_peer_async(
        target._pointer,
        target._memory.device.context,
        source._pointer,
        owner.context,
        nbytes,
        stream.handle,
    )
    # Freeing the source afterwards must wait for the copy, which its own stream knows nothing of.
    with owner:
        current.stream.wait_event(_record_on(stream))


def _record_on(stream: Stream) -> Any:
    with stream.device:
        return stream.record()


def fill_zero(array: Any) -> None:
    """Set every byte of a gapless array to zero."""
    layout = array._layout
    if layout.nbytes:
        stream = current.stream
        order_after(array, stream)
        driver.memset_d8_async(array._pointer, 0, layout.nbytes, stream.handle)


def contiguous_layout(array: Any, dtype: np.dtype | None = None, order: str = "C") -> Layout:
    """The gapless layout for a copy of an array in memory order 'C', 'F', 'A' or 'K'."""
    layout = array._layout
    dtype = layout.dtype if dtype is None else dtype
    return _layout.like_order(dtype, layout.shape, [layout], order)
