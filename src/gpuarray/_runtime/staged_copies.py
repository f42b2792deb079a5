"""Large copies between pageable host memory and the device, staged through page-locked memory."""

from __future__ import annotations

from collections.abc import Callable

from gpuarray._ffi import driver
from gpuarray._runtime.pinned_memory import (
    PinnedMemoryPointer,
    PooledPinnedMemory,
    get_default_pinned_memory_pool,
)
from gpuarray._runtime.stream import Event, Stream

#: Copies of at least this many bytes from or to pageable memory go through pinned buffers of
#: our own, which keeps the copy engine busy while the next piece is being filled.
STAGED_BYTES = 8 << 20
_PIECE = 4 << 20

#: Takes a buffer, and which bytes of the whole copy go through it: the first one, and how many.
_Piece = Callable[[PooledPinnedMemory, int, int], None]


def staged_upload(device_pointer: int, address: int, nbytes: int, stream: Stream) -> None:
    """Copy pageable host memory to the device through two pinned buffers."""

    def fill(buffer: PooledPinnedMemory, start: int, length: int) -> None:
        driver.copy_host(buffer.ptr, address + start, length)

    _upload_pieces(device_pointer, nbytes, stream, fill)


def staged_download(address: int, device_pointer: int, nbytes: int, stream: Stream) -> None:
    """Copy from the device to pageable host memory through two pinned buffers."""

    def take(buffer: PooledPinnedMemory, start: int, length: int) -> None:
        driver.copy_host(address + start, buffer.ptr, length)

    _download_pieces(device_pointer, nbytes, stream, take)


def upload_from(
    device_pointer: int, nbytes: int, stream: Stream, read: Callable[[memoryview], None]
) -> None:
    """Fill device memory by ``read``, which stores the next bytes in each view that it gets."""

    def fill(buffer: PooledPinnedMemory, start: int, length: int) -> None:
        read(memoryview(PinnedMemoryPointer(buffer, 0))[:length].cast("B"))

    _upload_pieces(device_pointer, nbytes, stream, fill)


def download_to(
    device_pointer: int, nbytes: int, stream: Stream, write: Callable[[memoryview], None]
) -> None:
    """Hand the bytes of device memory to ``write``, one view after the other."""

    def take(buffer: PooledPinnedMemory, start: int, length: int) -> None:
        write(memoryview(PinnedMemoryPointer(buffer, 0))[:length].cast("B"))

    _download_pieces(device_pointer, nbytes, stream, take)


def _upload_pieces(
    device_pointer: int,
    nbytes: int,
    stream: Stream,
    fill: _Piece,
) -> None:
    """Copy to the device from two pinned buffers, of which one is filled while one is copied."""
    size = min(_PIECE, nbytes)
    pool = get_default_pinned_memory_pool()
    buffers = [pool._take(size), pool._take(size)]
    events = [Event(disable_timing=True), Event(disable_timing=True)]
    try:
        for number, start in enumerate(range(0, nbytes, _PIECE)):
            length = min(_PIECE, nbytes - start)
            buffer, event = buffers[number % 2], events[number % 2]
            if number >= 2:
                event.synchronize()
            fill(buffer, start, length)
            driver.memcpy_htod_async(device_pointer + start, buffer.ptr, length, stream.handle)
            event.record(stream)
    finally:
        # The buffers go back to the pool, where another stream may take them.
        for event in events:
            event.synchronize()


def _download_pieces(
    device_pointer: int,
    nbytes: int,
    stream: Stream,
    take: _Piece,
) -> None:
    """Copy from the device to two pinned buffers, of which one is taken while one is copied."""
    size = min(_PIECE, nbytes)
    pool = get_default_pinned_memory_pool()
    buffers = [pool._take(size), pool._take(size)]
    events = [Event(disable_timing=True), Event(disable_timing=True)]
    starts = range(0, nbytes, _PIECE)
    try:
        for number in range(len(starts) + 1):
            if number < len(starts):
                start = starts[number]
                length = min(_PIECE, nbytes - start)
                driver.memcpy_dtoh_async(
                    buffers[number % 2].ptr, device_pointer + start, length, stream.handle
                )
                events[number % 2].record(stream)
            if number:
                start = starts[number - 1]
                events[(number - 1) % 2].synchronize()
                take(buffers[(number - 1) % 2], start, min(_PIECE, nbytes - start))
    finally:
        for event in events:  # all have ended, unless the loop was interrupted
            event.synchronize()
