"""Page-locked host memory: its pool, and large copies staged through it."""

from __future__ import annotations

import bisect
import operator
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from gpuarray import _fork
from gpuarray._config import config
from gpuarray._ffi import driver
from gpuarray._runtime.device import Device, current, give_back
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
    flags : int, optional
        Of ``cuMemHostAlloc``; see the constants ``hostAlloc...`` of `cuda.runtime`.
    """

    __slots__ = ("__weakref__", "_slot", "device", "generation", "ptr", "size", "users")

    def __init__(self, size: int, flags: int = 0):
        self.size = size = checked_size("PinnedMemory", size)
        self.ptr = 0
        self.device = current.stream.device
        self.generation = self.device.generation
        #: Streams with copies that nobody waited for.
        self.users: set[StreamWork] = set()
        self._slot = driver.address_slot()
        if size:
            number = operator.index(flags)
            driver.mem_alloc_to(self._slot, size, number, kind="mem_host_alloc")
            self.ptr = self._slot.value
            _note(_Range(self.ptr, self.ptr + size, self.device, self.users))

    @property
    def lost(self) -> bool:
        """Whether a reset of the device took the memory away."""
        return self.generation != self.device.generation

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        # At the end of the process this module's names may be gone, so it has the function.
        slot = getattr(self, "_slot", None)
        if slot is None or not slot.value or ending():
            return
        addresses = [slot.value]
        try:
            self._free(addresses)
        except KeyboardInterrupt:
            self._free(addresses)
            raise
        finally:
            slot.value = 0

    @property
    def freed(self) -> bool:
        """Whether the memory is gone although the object is not.

        Where garbage with a circle has both the memory and what returns it to its pool, Python
        finalizes both.
        """
        return self.size > 0 and not self._slot.value

    def _free(self, addresses: list[int]) -> None:
        """Free the memory; the list is empty then."""
        if not (self.lost or driver.forked()):
            for address in addresses:
                _forget(address)
            give_back(lambda known: driver.mem_free_all(known, "mem_host_free"), addresses)


class PinnedMemoryPointer(driver.HostBuffer):
    """An address in page-locked host memory.

    It supports the buffer protocol, so that ``numpy.frombuffer(pointer, dtype, count)`` gives an
    array over the memory, which is kept as long as either is.

    Parameters
    ----------
    mem : PinnedMemory
        The memory.
    offset : int
        Bytes from its beginning.
    """

    def __new__(cls, mem: Any, offset: int) -> PinnedMemoryPointer:
        at = operator.index(offset)
        if not isinstance(mem, PinnedMemory | _Pooled):
            raise TypeError(
                "PinnedMemoryPointer: mem must be a gpuarray.cuda.PinnedMemory, got "
                f"{type(mem).__name__}"
            )
        if not 0 <= at <= mem.size:
            raise ValueError(f"PinnedMemoryPointer: offset {at} is not within {mem.size} bytes")
        return driver.host_buffer(mem.ptr + at, mem.size - at, mem, PinnedMemoryPointer)

    def __init__(self, mem: Any, offset: int):  # without the base's, which stores elements
        pass

    def size(self) -> int:
        """The bytes from here to the end of the memory."""
        return len(self)

    def __int__(self) -> int:
        return self.ptr

    def __add__(self, offset: int) -> PinnedMemoryPointer:
        mem: Any = self.mem
        return PinnedMemoryPointer(mem, self.ptr - mem.ptr + offset)

    __radd__ = __add__

    def __sub__(self, offset: int) -> PinnedMemoryPointer:
        return self + -offset

    def __repr__(self) -> str:
        return f"<PinnedMemoryPointer {self.ptr:#x}, {len(self)} bytes>"


class _Range(NamedTuple):
    """Addresses that are pinned through this module."""

    start: int
    end: int
    owner: Device
    users: set[StreamWork]


#: In order; each change is one call of C, which no interrupt divides.
_ranges: list[_Range] = []
_lock = _fork.new_lock()


def _start_of(pinned: _Range) -> int:
    return pinned.start


def _note(pinned: _Range) -> None:
    with _lock:
        index = bisect.bisect(_ranges, pinned.start, key=_start_of)
        _ranges.insert(index, pinned)


def _find(address: int) -> _Range | None:
    """The range that an address is in."""
    index = bisect.bisect(_ranges, address, key=_start_of) - 1
    return _ranges[index] if index >= 0 and address < _ranges[index].end else None


def _forget(address: int) -> None:
    with _lock:
        found = _find(address)
        if found is not None:  # else an interrupt came before it was noted
            _ranges.remove(found)


def _lose(device: Device) -> None:
    """A reset unpins the memory that the device pinned, and takes it away."""
    with _lock:
        _ranges[:] = [pinned for pinned in _ranges if pinned.owner is not device]


Device.when_reset(_lose)


def is_pinned(address: int, size: int) -> bool:
    """Whether a range of host memory came from :class:`PinnedMemory`."""
    with _lock:
        found = _find(address)
        return found is not None and address + size <= found.end


def used_by(address: int, stream: Stream) -> None:
    """Note that a copy from or to pinned memory is queued on a stream, and not waited for."""
    with _lock:
        found = _find(address)
        assert found is not None  # `is_pinned` has said so
        stream.work.noted = True
        found.users.add(stream.work)


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
    """Keeps freed page-locked memory for reuse; sizes are rounded up to powers of two.

    Parameters
    ----------
    allocator : callable, optional
        Where the pool has its memory from: takes a number of bytes, returns a
        `PinnedMemoryPointer` or a `PinnedMemory`.
    """

    def __init__(self, allocator: Callable[[int], Any] = PinnedMemory):
        self._allocator = allocator
        self._free: dict[int, list[PinnedMemory]] = {}
        #: Freed memory that copies may still read or write.
        self._in_flight: list[PinnedMemory] = []

    def malloc(self, size: int) -> Any:
        """Page-locked memory for at least ``size`` bytes.

        Returns
        -------
        PinnedMemoryPointer
            Supports the buffer protocol, so ``numpy.frombuffer(memory, dtype, count)`` gives an
            array over it; ``ptr`` is its address. The memory goes back to the pool when nothing
            refers to it.
        """
        return PinnedMemoryPointer(self._take(checked_size("alloc_pinned_memory", size)), 0)

    def _take(self, size: int) -> _Pooled:
        size = max(512, 1 << (size - 1).bit_length())
        if self._in_flight:
            self._land()
        while True:
            try:
                memory = self._free[size].pop()
            except (KeyError, IndexError):
                made = self._allocator(size)
                memory = getattr(made, "mem", made)
            if not (memory.lost or memory.freed):
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
    """Page-locked host memory from the allocator that is set, a pool by default.

    Parameters
    ----------
    size : int
        Bytes.

    Returns
    -------
    PinnedMemoryPointer
        See :meth:`PinnedMemoryPool.malloc`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> memory = cp.cuda.alloc_pinned_memory(4 * 3)
    >>> host = np.frombuffer(memory, np.float32, 3)
    >>> host[:] = 1, 2, 3
    >>> cp.asarray(host)
    array([1., 2., 3.], dtype=float32)
    """
    return _allocator(size)


def get_pinned_memory_allocator() -> Callable[[int], Any]:
    """The allocator that `alloc_pinned_memory` gets its memory from."""
    return _allocator


def set_pinned_memory_allocator(allocator: Callable[[int], Any] | None = None) -> None:
    """Let `alloc_pinned_memory` get its memory from another allocator.

    Parameters
    ----------
    allocator : callable, optional
        Takes a number of bytes, returns a `PinnedMemoryPointer`. ``None`` allocates without a
        pool.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.set_pinned_memory_allocator(cp.cuda.PinnedMemoryPool().malloc)
    >>> cp.cuda.set_pinned_memory_allocator(cp.get_default_pinned_memory_pool().malloc)
    """
    global _allocator
    if allocator is not None and not callable(allocator):
        raise TypeError(
            f"set_pinned_memory_allocator: the allocator is a function of a size, not {allocator!r}"
        )
    _allocator = _malloc if allocator is None else allocator


def _malloc(size: int) -> PinnedMemoryPointer:
    """Page-locked memory of its own, without a pool."""
    return PinnedMemoryPointer(PinnedMemory(size), 0)


# The checkers watch the pages of memory that was allocated while they are on.
_allocator: Callable[[int], Any] = _malloc if config.checks else _default_pool.malloc


def staged_upload(device_pointer: int, address: int, nbytes: int, stream: Stream) -> None:
    """Copy pageable host memory to the device through two pinned buffers."""

    def fill(buffer: _Pooled, start: int, length: int) -> None:
        driver.copy_host(buffer.ptr, address + start, length)

    _upload_pieces(device_pointer, nbytes, stream, fill)


def staged_download(address: int, device_pointer: int, nbytes: int, stream: Stream) -> None:
    """Copy from the device to pageable host memory through two pinned buffers."""

    def take(buffer: _Pooled, start: int, length: int) -> None:
        driver.copy_host(address + start, buffer.ptr, length)

    _download_pieces(device_pointer, nbytes, stream, take)


def upload_from(
    device_pointer: int, nbytes: int, stream: Stream, read: Callable[[memoryview], None]
) -> None:
    """Fill device memory by ``read``, which stores the next bytes in each view that it gets."""

    def fill(buffer: _Pooled, start: int, length: int) -> None:
        read(memoryview(PinnedMemoryPointer(buffer, 0))[:length].cast("B"))

    _upload_pieces(device_pointer, nbytes, stream, fill)


def download_to(
    device_pointer: int, nbytes: int, stream: Stream, write: Callable[[memoryview], None]
) -> None:
    """Hand the bytes of device memory to ``write``, one view after the other."""

    def take(buffer: _Pooled, start: int, length: int) -> None:
        write(memoryview(PinnedMemoryPointer(buffer, 0))[:length].cast("B"))

    _download_pieces(device_pointer, nbytes, stream, take)


def _upload_pieces(
    device_pointer: int, nbytes: int, stream: Stream, fill: Callable[[_Pooled, int, int], None]
) -> None:
    """Copy to the device from two pinned buffers, of which one is filled while one is copied."""
    size = min(_PIECE, nbytes)
    buffers = [_default_pool._take(size), _default_pool._take(size)]
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
    device_pointer: int, nbytes: int, stream: Stream, take: Callable[[_Pooled, int, int], None]
) -> None:
    """Copy from the device to two pinned buffers, of which one is taken while one is copied."""
    size = min(_PIECE, nbytes)
    buffers = [_default_pool._take(size), _default_pool._take(size)]
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
