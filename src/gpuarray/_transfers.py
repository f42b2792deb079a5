"""The way of arrays' elements to and from the host, and between devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._array import address_of, empty
from gpuarray._ffi import driver
from gpuarray._layout import Layout
from gpuarray._runtime import pinned_ranges, staged_copies
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.stream import Stream
from gpuarray.errors import CaptureError

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpuarray._types import ndarray


def captured_copies() -> Any:
    """The module of copies in captures, which few programs need."""
    from gpuarray._runtime import captured_copies

    return captured_copies


def from_host(
    source: np.ndarray, layout: Layout, stream: Stream | None = None, *, asynchronous: bool = False
) -> ndarray:
    """A new array with the elements of a host array that has exactly this gapless layout."""
    array = empty(layout)
    upload(array, source, stream, asynchronous=asynchronous)
    return array


def upload(
    array: Any, source: np.ndarray, stream: Stream | None = None, *, asynchronous: bool = False
) -> None:
    """Copy a gapless host array to a gapless array of the same layout.

    Returns when ``source`` may be changed again, except that pinned memory is read later if the
    copy is to be asynchronous.
    """
    nbytes = array._layout.nbytes
    if not nbytes:
        return
    if stream is None:
        stream = current.stream
    elif stream.captured_as is not None:
        stream = stream.captured_as
    target = address_of(array, stream)
    if stream.ongoing_capture is not None:
        captured_copies().upload(target, source, stream)
        return
    address = driver.array_address(source)
    ours = pinned_ranges.find(address, nbytes)
    large = nbytes >= staged_copies.STAGED_BYTES
    # Other libraries pin memory as well, which only the driver knows.
    pinned = ours is not None or ((large or not asynchronous) and driver.is_page_locked(address))
    if large and not pinned:
        staged_copies.upload(target, address, nbytes, stream)
        return
    if ours is not None and asynchronous:
        pinned_ranges.note_use(ours, stream)
    driver.memcpy_htod_async(target, address, nbytes, stream.handle)
    # The driver has copied pageable memory aside when it returns, unless the device reads it.
    if (not asynchronous and pinned) or (not pinned and stream.device.reads_pageable):
        stream.synchronize()


def download(array: Any, target: np.ndarray, stream: Stream | None, blocking: bool) -> None:
    """Copy a gapless array to a gapless host array of the same layout.

    Returns when ``target`` has the elements, except that pinned memory is written later if the
    copy need not be waited for.
    """
    nbytes = array._layout.nbytes
    if not nbytes:
        return
    if stream is None:
        stream = current.stream
    elif stream.captured_as is not None:
        stream = stream.captured_as
    if stream.ongoing_capture is not None:
        copies = captured_copies()
        if blocking or not copies.is_pinned(target):
            raise copies.refusal("asnumpy")
        copies.download(target, address_of(array, stream), stream)
        return
    source = address_of(array, stream)
    address = driver.array_address(target)
    if nbytes >= staged_copies.STAGED_BYTES:
        pinned = pinned_ranges.is_pinned(address, nbytes) or driver.is_page_locked(address)
        if not pinned:
            staged_copies.download(address, source, nbytes, stream)
            return
    if not blocking:
        ours = pinned_ranges.find(address, nbytes)
        if ours is not None:
            pinned_ranges.note_use(ours, stream)
        elif not driver.is_page_locked(address):
            blocking = True  # nobody knows when such a copy ends
    driver.memcpy_dtoh_async(address, source, nbytes, stream.handle)
    if blocking:
        stream.synchronize()


def fill_from(array: Any, read: Callable[[memoryview], None]) -> None:
    """Fill a gapless array by ``read``, which stores the next bytes in each view that it gets."""
    layout = array._layout
    if layout.nbytes:
        stream = current.stream
        staged_copies.upload_from(address_of(array, stream), layout.nbytes, stream, read)


def hand_to(array: Any, write: Callable[[memoryview], None]) -> None:
    """Hand the bytes of a gapless array, as they are in memory, to ``write`` in pieces."""
    layout = array._layout
    if layout.nbytes:
        with array._memory.device:
            stream = current.stream
            staged_copies.download_to(address_of(array, stream), layout.nbytes, stream, write)


def copy_bytes(target: Any, source: Any) -> None:
    """Copy between arrays of equal gapless layout, also across devices.

    The driver takes copies between devices without access to one another through the host.
    """
    nbytes = target._layout.nbytes
    if not nbytes:
        return
    stream = current.stream
    written, read = target._memory, source._memory
    if read.device is written.device:
        driver.memcpy_dtod_async(
            address_of(target, stream), address_of(source, stream), nbytes, stream.handle
        )
        return
    from gpuarray._runtime import peers  # where a second device is used, and not before

    access = peers.prefer_access(written, read.device) & peers.prefer_access(read, written.device)
    captured = stream.ongoing_capture is not None
    if captured and not access:
        raise CaptureError(
            f"a copy from {read.device} to {written.device} cannot be captured: the devices have "
            "no access to one another's memory; copy before the capture begins"
        )
    for memory in (written, read):
        if memory.stream is not stream:
            memory.copied_by(stream)
    if captured:  # which a copy between contexts cannot be
        driver.memcpy_dtod_async(address_of(target), address_of(source), nbytes, stream.handle)
        return
    driver.memcpy_peer_async(
        address_of(target),
        written.device.context,
        address_of(source),
        read.device.context,
        nbytes,
        stream.handle,
    )


def fill_zero(array: Any) -> None:
    """Set every byte of a gapless array to zero."""
    layout = array._layout
    if layout.nbytes:
        stream = current.stream
        driver.memset_d8_async(address_of(array, stream), 0, layout.nbytes, stream.handle)
