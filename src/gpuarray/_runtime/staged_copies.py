"""Copies of pageable host memory, by pieces through page-locked buffers.

The device copies one piece while the processor moves the next: a thread has two buffers. One
processor moves memory more slowly than a bus copies it, so several threads share a large copy;
each takes the next piece that nobody has taken, and queues it on the stream itself. So no piece is
handed from one thread to another.
"""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from gpuarray import _fork
from gpuarray._ffi import driver
from gpuarray._integers import ceil_div
from gpuarray._namespace.called_name import called_form
from gpuarray._runtime.current_stream import work_for_another_thread
from gpuarray._runtime.device import Device
from gpuarray._runtime.event import Event
from gpuarray._runtime.pinned_memory import get_default_pinned_memory_pool, when_freed
from gpuarray._runtime.release import give_back
from gpuarray._runtime.stream import Stream
from gpuarray._runtime.stream_work import PER_THREAD, captured_error

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

__all__ = ["download", "download_to", "upload", "upload_from"]

# benchmarks/transfers.py says which values are the best on a machine. These are those of an H200 at
# 55 GB/s for page-locked memory: 50 GB/s to the device and 46 GB/s from it; with pieces of twice
# the size 50 and 44 GB/s. Smaller copies are as fast, or faster, by the driver.

#: Pageable copies of at least so many bytes are staged; the driver is left to do smaller ones.
STAGED_BYTES = 16 << 20
#: The bytes of a piece.
PIECE_BYTES = 4 << 20
#: How many threads share a copy at most, the caller's among them.
THREADS = 8
#: How many pieces a thread has to have, or else there are fewer threads.
PIECES_A_THREAD = 2

#: More threads than any copy has. They are started when they are needed.
_MOST_THREADS = 64
#: How long the end of a copy sleeps while another thread is at its last piece.
_NAP_SECONDS = 20e-6


class _Buffer:
    """A pinned buffer, and the event behind the copy that last used it."""

    __slots__ = ("event", "memory", "ptr", "size")

    def __init__(self, size: int):
        self.event = Event(disable_timing=True)
        self.memory = get_default_pinned_memory_pool().malloc(size)
        self.ptr: int = self.memory.ptr
        self.size = size

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        # The memory goes back to the pool, where another stream may take it.
        if hasattr(self, "ptr") and not ending() and not driver.forked() and not self.lost:
            give_back(_Buffer.wait, self)

    @property
    def lost(self) -> bool:
        """Whether a reset of the device took the buffer away."""
        return self.event.generation != self.event.device.generation

    def wait(self) -> None:
        """Wait until the buffer may be overwritten, or has what was copied to it."""
        driver.event_synchronize(self.event.handle)

    def view(self, length: int) -> memoryview:
        """The first bytes."""
        return memoryview(self.memory)[:length].cast("B")


#: Buffers that no copy has, by device; a copy that was queued from one may still be running.
_idle: dict[Device, deque[_Buffer]] = {}


def free_buffers() -> None:
    """Let go of the buffers that no copy has."""
    _idle.clear()


when_freed(free_buffers)


def _forget(device: Device) -> None:
    """A reset takes pinned memory away."""
    _idle.pop(device, None)


Device.when_reset(_forget)


def _take(device: Device, size: int) -> _Buffer:
    found = _idle.get(device)
    while found:
        try:
            buffer = found.popleft()  # the one that was given back first
        except IndexError:  # another thread took it
            break
        if buffer.size == size and not buffer.lost:
            return buffer
    return _Buffer(size)


def _put(device: Device, buffers: list[_Buffer]) -> None:
    for buffer in buffers:
        if buffer.size == PIECE_BYTES:
            _idle.setdefault(device, deque()).append(buffer)


class _Copy:
    """A copy by pieces between a stream's device and the host."""

    def __init__(self, nbytes: int, stream: Stream, threads: int):
        self.threads = threads
        self.stream = stream
        self.device = stream.device
        self.size = min(PIECE_BYTES, nbytes)
        #: The pieces that nobody has taken; `next` of it is atomic.
        self.pieces: Iterator[tuple[int, int]] = iter(_pieces(nbytes, threads))
        #: Whether no more pieces are to be taken.
        self.stopped = False
        #: Has an entry for each thread that takes part.
        self.active: list[None] = []
        self.errors: list[BaseException] = []

    def next_piece(self) -> tuple[int, int] | None:
        """Where a piece begins and its bytes."""
        return None if self.stopped else next(self.pieces, None)

    def run(self, work: Callable[[_Copy, list[_Buffer]], None]) -> None:
        """Do the work in this thread and in others; all have ended when it returns."""
        futures: list[Future[None]] = []
        try:
            for _ in range(self.threads - 1):
                futures.append(_executor().submit(self._share, work))
        except RuntimeError:  # the process is ending, or has no thread left
            pass
        except BaseException:
            self._end(futures)
            raise
        try:
            self._work(work)
        except BaseException as error:
            self.errors.insert(0, error)
        self._end(futures)
        if self.errors:
            raise self.errors[0]

    def _share(self, work: Callable[[_Copy, list[_Buffer]], None]) -> None:
        """The part of another thread than the caller's."""
        self.active.append(None)
        try:
            if not self.stopped:
                work_for_another_thread(self.device)
                self._work(work)
        except BaseException as error:
            self.stopped = True
            self.errors.append(error)
        finally:
            self.active.pop()

    def _work(self, work: Callable[[_Copy, list[_Buffer]], None]) -> None:
        buffers: list[_Buffer] = []
        try:
            work(self, buffers)
        except BaseException:
            # An interrupt may have come before the event of a copy was recorded.
            self.stopped = True
            if not driver.forked():
                driver.stream_synchronize(self.stream.handle)
            raise
        _put(self.device, buffers)

    def _end(self, futures: list[Future[None]]) -> None:
        """Let nobody take another piece, and wait for those who are at one.

        They read and write the caller's memory: so no interrupt ends it.
        """
        interrupt = None
        while True:
            try:
                self.stopped = True
                for future in futures:
                    future.cancel()
                while self.active:
                    time.sleep(_NAP_SECONDS)
                break
            except KeyboardInterrupt as error:
                interrupt = error
        if interrupt is not None:
            raise interrupt

    def buffer(self, buffers: list[_Buffer], number: int) -> _Buffer:
        """The buffer of a thread's piece, which may be overwritten."""
        if len(buffers) < 2:
            buffers.append(_take(self.device, self.size))
        buffer = buffers[number % 2]
        buffer.wait()
        return buffer


def _pieces(nbytes: int, threads: int) -> list[tuple[int, int]]:
    """Where the pieces of a copy begin, and their bytes.

    The device waits for the first piece of a copy to it, and the processor works on the last piece
    of a copy from it alone. So where threads share a copy, each begins and ends with a smaller one.
    """
    small = max(1, PIECE_BYTES // 4)
    edge = threads * small if threads > 1 else 0
    ends = {*range(small, edge + 1, small), *range(nbytes - edge, nbytes, small), nbytes}
    ends.update(range(edge + PIECE_BYTES, nbytes - edge, PIECE_BYTES))
    ordered = sorted(ends)
    return [(start, end - start) for start, end in zip([0, *ordered[:-1]], ordered, strict=True)]


def _threads(nbytes: int, stream: Stream) -> int:
    """How many threads share a copy."""
    if stream.handle == PER_THREAD:  # another stream in each thread
        return 1
    most = min(THREADS, _processors(), _MOST_THREADS)
    return max(1, min(most, ceil_div(nbytes, PIECE_BYTES) // PIECES_A_THREAD))


def _processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_pool: ThreadPoolExecutor | None = None


def _executor() -> ThreadPoolExecutor:
    global _pool
    if _pool is None:
        # Imported here: it imports logging, and most programs have no copy that is so large.
        from concurrent.futures import ThreadPoolExecutor

        _pool = ThreadPoolExecutor(_MOST_THREADS, "gpuarray copies")
    return _pool


def _lose() -> None:
    """A child of a fork has none of the threads."""
    global _pool
    _pool = None


_fork.in_child(_lose)


# ---- whole copies ------------------------------------------------------------------------------


def upload(device_pointer: int, address: int, nbytes: int, stream: Stream) -> None:
    """Copy pageable host memory to the device; it may be changed when this returns."""

    def fill(buffer: _Buffer, start: int, length: int) -> None:
        driver.copy_host(buffer.ptr, address + start, length)

    _upload(device_pointer, nbytes, stream, fill, _threads(nbytes, stream))


def download(address: int, device_pointer: int, nbytes: int, stream: Stream) -> None:
    """Copy from the device to pageable host memory, and wait."""

    def empty(buffer: _Buffer, start: int, length: int) -> None:
        driver.copy_host(address + start, buffer.ptr, length)

    _download(device_pointer, nbytes, stream, empty, _threads(nbytes, stream))


def upload_from(
    device_pointer: int, nbytes: int, stream: Stream, read: Callable[[memoryview], None]
) -> None:
    """Fill device memory by ``read``, which stores the next bytes in each view that it gets."""

    def fill(buffer: _Buffer, start: int, length: int) -> None:
        read(buffer.view(length))

    _upload(device_pointer, nbytes, stream, fill, 1)


def download_to(
    device_pointer: int, nbytes: int, stream: Stream, write: Callable[[memoryview], None]
) -> None:
    """Hand the bytes of device memory to ``write``, one view after the other."""

    def empty(buffer: _Buffer, start: int, length: int) -> None:
        write(buffer.view(length))

    _download(device_pointer, nbytes, stream, empty, 1)


_Move = Callable[[_Buffer, int, int], None]


def _upload(device_pointer: int, nbytes: int, stream: Stream, fill: _Move, threads: int) -> None:
    if stream.ongoing_capture is not None:
        raise captured_error(called_form("a copy in pieces"), stream)
    handle = stream.handle

    def work(copy: _Copy, buffers: list[_Buffer]) -> None:
        number = 0
        while (piece := copy.next_piece()) is not None:
            start, length = piece
            buffer = copy.buffer(buffers, number)
            fill(buffer, start, length)
            driver.memcpy_htod_async(device_pointer + start, buffer.ptr, length, handle)
            driver.event_record(buffer.event.handle, handle)
            number += 1

    _Copy(nbytes, stream, threads).run(work)


def _download(device_pointer: int, nbytes: int, stream: Stream, empty: _Move, threads: int) -> None:
    if stream.ongoing_capture is not None:
        raise captured_error(called_form("a copy in pieces"), stream)
    handle = stream.handle

    def work(copy: _Copy, buffers: list[_Buffer]) -> None:
        number = 0
        before: Any = None
        while True:
            piece = copy.next_piece()
            if piece is not None:
                start, length = piece
                buffer = copy.buffer(buffers, number)
                driver.memcpy_dtoh_async(buffer.ptr, device_pointer + start, length, handle)
                driver.event_record(buffer.event.handle, handle)
                number += 1
            if before is not None:
                before[0].wait()
                empty(*before)
            if piece is None:
                return
            before = buffer, start, length

    _Copy(nbytes, stream, threads).run(work)
