"""Page-locked host memory: its pool, and large copies staged through it."""

from __future__ import annotations

import bisect
import sys
import threading
from collections.abc import Callable
from typing import Any

from gpuarray._ffi import driver
from gpuarray._runtime.device import Device, current, give_back, need_context
from gpuarray._runtime.memory import checked_size
from gpuarray._runtime.stream import Event, Stream, StreamWork

__all__ = ["get_default_pinned_memory_pool"]

#: Copies of at least this many bytes from or to pageable memory go through pinned buffers of
#: our own, which keeps the copy engine busy while the next piece is being filled.
STAGED_BYTES = 8 << 20
_PIECE = 4 << 20


class PinnedMemory:
    """Page-locked host memory of its own.

    Parameters
    ----------
    size : int
        Bytes.
    """

    __slots__ = ("__weakref__", "device", "generation", "ptr", "size", "users")

    def __init__(self, size: int):
        self.size = size = checked_size("PinnedMemory", size)
        self.ptr = 0
        self.device = current.stream.device
        self.generation = self.device.generation
        #: Streams with copies that nobody waited for.
        self.users: set[StreamWork] = set()
        if size:
            self.ptr = driver.mem_host_alloc(size)
            _note(self.ptr, size, self.device, self.users)

    @property
    def lost(self) -> bool:
        """Whether a reset of the device took the memory away."""
        return self.generation != self.device.generation

    def __del__(self) -> None:
        if getattr(self, "ptr", 0) and not sys.is_finalizing():
            pointer, self.ptr = self.ptr, 0
            if self.lost:
                return
            _forget(pointer)
            need_context()  # the last reference may go in a thread that has used no device
            give_back(driver.mem_host_free, pointer)


# Address ranges that are pinned through this module, in order, and the devices that pinned them.
_starts: list[int] = []
_ends: list[int] = []
_owners: list[Device] = []
_users: list[set[StreamWork]] = []
_lock = threading.Lock()


def _note(address: int, size: int, owner: Device, users: set[StreamWork]) -> None:
    with _lock:
        index = bisect.bisect(_starts, address)
        _starts.insert(index, address)
        _ends.insert(index, address + size)
        _owners.insert(index, owner)
        _users.insert(index, users)


def _forget(address: int) -> None:
    with _lock:
        index = bisect.bisect_left(_starts, address)
        del _starts[index], _ends[index], _owners[index], _users[index]


def _lose(device: Device) -> None:
    """A reset unpins the memory that the device pinned, and takes it away."""
    with _lock:
        for index in reversed(range(len(_starts))):
            if _owners[index] is device:
                del _starts[index], _ends[index], _owners[index], _users[index]


Device.when_reset(_lose)


def is_pinned(address: int, size: int) -> bool:
    """Whether a range of host memory came from :class:`PinnedMemory`."""
    with _lock:
        index = bisect.bisect(_starts, address) - 1
        return index >= 0 and address + size <= _ends[index]


def used_by(address: int, stream: Stream) -> None:
    """Note that a copy from or to pinned memory is queued on a stream, and not waited for."""
    with _lock:
        users = _users[bisect.bisect(_starts, address) - 1]
        stream.work.noted = True
        users.add(stream.work)


class _Pooled:
    """Memory that goes back to its pool."""

    __slots__ = ("memory", "pool")

    def __init__(self, memory: PinnedMemory, pool: PinnedMemoryPool):
        self.memory = memory
        self.pool = pool

    @property
    def ptr(self) -> int:
        return self.memory.ptr

    @property
    def size(self) -> int:
        return self.memory.size

    def __del__(self) -> None:
        self.pool._put(self.memory)


class PinnedMemoryPool:
    """Keeps freed page-locked memory for reuse; sizes are rounded up to powers of two."""

    def __init__(self, allocator: Callable[[int], PinnedMemory] = PinnedMemory):
        self._allocator = allocator
        self._free: dict[int, list[PinnedMemory]] = {}
        #: Freed memory that copies may still read or write.
        self._in_flight: list[PinnedMemory] = []

    def malloc(self, size: int) -> Any:
        """Page-locked memory for at least ``size`` bytes.

        Returns
        -------
        buffer
            Supports the buffer protocol, so ``numpy.frombuffer(memory, dtype, count)`` gives an
            array over it; ``ptr`` is its address. It goes back to the pool when nothing refers
            to it.
        """
        memory = self._take(checked_size("alloc_pinned_memory", size))
        return driver.host_buffer(memory.ptr, memory.size, memory)

    def _take(self, size: int) -> _Pooled:
        size = max(512, 1 << (size - 1).bit_length())
        if self._in_flight:
            self._land()
        while True:
            try:
                memory = self._free[size].pop()
            except (KeyError, IndexError):
                memory = self._allocator(size)
            if not memory.lost:
                return _Pooled(memory, self)

    def _put(self, memory: PinnedMemory) -> None:
        if memory.users:
            self._in_flight.append(memory)
            return
        self._free.setdefault(memory.size, []).append(memory)

    def _land(self) -> None:
        """Free the memory whose copies have ended."""
        for _ in range(len(self._in_flight)):
            try:
                memory = self._in_flight.pop(0)
            except IndexError:  # another thread took the last one
                return
            memory.users.difference_update([x for x in memory.users if memory.lost or x.done])
            self._put(memory)

    def free_all_blocks(self) -> None:
        """Give unused memory back to the system."""
        self._land()
        self._free.clear()

    def n_free_blocks(self) -> int:
        """The number of free blocks."""
        self._land()
        return sum([len(blocks) for blocks in list(self._free.values())])


_default_pool = PinnedMemoryPool()


def get_default_pinned_memory_pool() -> PinnedMemoryPool:
    """The pool that pinned memory and staging buffers come from."""
    return _default_pool


def alloc_pinned_memory(size: int) -> Any:
    """Page-locked host memory from the default pool; see :meth:`PinnedMemoryPool.malloc`."""
    return _default_pool.malloc(size)


def staged_upload(device_pointer: int, address: int, nbytes: int, stream: Stream) -> None:
    """Copy pageable host memory to the device through two pinned buffers."""
    buffers = [_default_pool._take(_PIECE), _default_pool._take(_PIECE)]
    events = [Event(disable_timing=True), Event(disable_timing=True)]
    try:
        for number, start in enumerate(range(0, nbytes, _PIECE)):
            length = min(_PIECE, nbytes - start)
            buffer, event = buffers[number % 2], events[number % 2]
            if number >= 2:
                event.synchronize()
            driver.copy_host(buffer.ptr, address + start, length)
            driver.memcpy_htod_async(device_pointer + start, buffer.ptr, length, stream.handle)
            event.record(stream)
    finally:
        # The buffers go back to the pool, where another stream may take them.
        for event in events:
            event.synchronize()


def staged_download(address: int, device_pointer: int, nbytes: int, stream: Stream) -> None:
    """Copy from the device to pageable host memory through two pinned buffers."""
    buffers = [_default_pool._take(_PIECE), _default_pool._take(_PIECE)]
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
                driver.copy_host(
                    address + start, buffers[(number - 1) % 2].ptr, min(_PIECE, nbytes - start)
                )
    finally:
        for event in events:  # all have ended, unless the loop was interrupted
            event.synchronize()
