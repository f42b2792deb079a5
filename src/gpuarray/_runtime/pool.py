"""Device memory: allocations, the pool they come from, and pointers into them.

Arrays get and return memory nearly as often as kernels are launched. So a freed block
goes to a plain list per size, and the next allocation of that size pops it: two list operations,
atomic under the interpreter's lock. Only when a list is empty are blocks merged, split and
searched (best fit), under the pool's lock.

Blocks belong to the stream that they were allocated on, since work queued there before the block
was freed may still be reading it. An array that is used on another stream leaves a note in its
allocation, and freeing it first makes the owning stream wait for the other one.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from functools import partial

from gpuarray import _fork, errors
from gpuarray._ffi import driver
from gpuarray._runtime.arena import Arena, Block
from gpuarray._runtime.device import Device, current, later
from gpuarray._runtime.memory import MAX_BYTES, NO_MEMORY, BaseMemory, MemoryPointer, checked_size
from gpuarray._runtime.stream import Stream, StreamWork

#: Sizes are rounded up to whole units; it is also the alignment of every allocation.
UNIT = 512
#: An arena that grows gives whole segments back where it has more idle memory than this, and more
#: than is in use.
KEPT_IDLE = 64 << 20

_OUT_OF_MEMORY = "CUDA_ERROR_OUT_OF_MEMORY"


class Allocation(BaseMemory):
    """Memory from the pool; it goes back there when the object dies."""

    __slots__ = ("block", "release", "stream")

    stream: Stream
    foreign = False

    def __init__(self, block: Block, release: Callable[[Block], object], stream: Stream):
        self.block = block
        self.release = release
        self.stream = stream

    def __del__(self) -> None:
        self.release(self.block)

    @property
    def pointer(self) -> int:  # type: ignore[override]  # stored once, in the block
        """The address of the first byte."""
        return self.block.pointer

    @property
    def size(self) -> int:  # type: ignore[override]
        """The block's size in bytes."""
        return self.block.size

    @property
    def device(self) -> Device:  # type: ignore[override]
        """The device that the memory is on."""
        return self.stream.device

    @property
    def lost(self) -> bool:
        """Whether a reset of the device took the memory away."""
        return self.stream.lost

    def used_by(self, stream: Stream) -> None:
        """Note that work on another stream uses the memory; freeing will wait for it."""
        BaseMemory.used_by(self, stream)
        work = stream.work
        release = self.release
        if isinstance(release, partial) and work in release.args[1]:
            return
        with _users_lock:
            work.noted = True
            release = self.release  # another thread may have noted its stream meanwhile
            if isinstance(release, partial):
                users = release.args[1]
                users.difference_update([x for x in users if x.event is not None and x.done])
                users.add(work)
            else:
                self.release = partial(_release_after, release, {work}, self.stream)


_users_lock = _fork.new_lock()


def _release_after(
    release: Callable[[Block], object],
    users: set[StreamWork],
    owner: Stream,
    block: Block,
    ending: Callable[[], bool] = sys.is_finalizing,
) -> None:
    """Return a block to its owning stream behind the work of the streams that used it."""
    if ending() or owner.lost or driver.forked():
        return
    if later(partial(_release_after, release, users, owner, block)):
        return
    for work in users:
        work.precede(owner)
    release(block)


def _capturing() -> bool:
    """Whether the current stream is captured: memory cannot be given back then."""
    return driver.stream_is_capturing(current.stream.handle)


class MemoryPool:
    """Keeps freed device memory for reuse.

    Parameters
    ----------
    allocator : callable, optional
        Takes a number of bytes and returns a :class:`MemoryPointer` that the pool keeps and
        splits; by default memory comes from the driver.

    Notes
    -----
    Sizes are rounded up to 512 bytes. Memory is reused in stream order: by the stream that it
    was allocated on at once, by others only after :meth:`free_all_blocks`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> pool = cp.cuda.MemoryPool()
    >>> memory = pool.malloc(100)
    >>> pool.used_bytes()
    512
    """

    def __init__(self, allocator: Callable[[int], MemoryPointer] | None = None):
        self._allocator = allocator
        self._lock = _fork.new_rlock()
        self._limits: dict[int, int] = {}  # device index -> bytes
        self._arenas: weakref.WeakSet[Arena] = weakref.WeakSet()

    def arena(self, stream: Stream) -> Arena:
        """This pool's blocks on a stream."""
        found = stream.arenas.get(self)
        if found is None:
            with self._lock:
                found = stream.arenas.get(self)
                if found is None:
                    made = Arena(stream.device, self._allocator, self._lock)
                    self._arenas.add(made)
                    found = stream.arenas[self] = made
        return found

    def allocate(self, size: int, stream: Stream | None = None) -> Allocation:
        """Memory for ``size`` bytes (more than 0), ordered on a stream."""
        if stream is None:
            stream = current.stream
        size = (size + UNIT - 1) // UNIT * UNIT
        arena = self.arena(stream)
        freed = arena.bin(size)
        try:
            block = freed.pop()
        except IndexError:
            block = self._find(arena, size)
        return Allocation(block, freed.append, stream)

    def _find(self, arena: Arena, size: int) -> Block:
        with self._lock:
            block = arena.find(size)
            while block is None:
                self._grow(arena, size)
                block = arena.find(size)
            return block

    def _grow(self, arena: Arena, size: int) -> None:
        limit = self._limits.get(arena.device.id, 0)
        if size > MAX_BYTES:  # C would take its low bits
            raise self._out_of_memory(arena.device, size)
        idle = arena.idle
        if idle > max(KEPT_IDLE, arena.total - idle + size) and not _capturing():
            arena.free_segments()
        if limit and self._device_total(arena.device) + size > limit:
            self._free_device(arena.device)
            if self._device_total(arena.device) + size > limit:
                raise self._out_of_memory(arena.device, size)
        try:
            arena.grow(size)
        except (errors.DriverError, errors.OutOfMemoryError) as error:
            if getattr(error, "status_name", _OUT_OF_MEMORY) != _OUT_OF_MEMORY:
                raise
            # Memory that other streams have freed may be what is missing.
            self._free_device(arena.device)
            try:
                arena.grow(size)
            except (errors.DriverError, errors.OutOfMemoryError):
                raise self._out_of_memory(arena.device, size) from None

    def _out_of_memory(self, device: Device, size: int) -> errors.OutOfMemoryError:
        total, limit = self._device_total(device), self._limits.get(device.id, 0)
        return errors.OutOfMemoryError(size, total, limit, device.mem_info[0])

    def _free_device(self, device: Device) -> None:
        # The driver's free waits for the device, so no stream can still be using the memory.
        with device:
            for arena in list(self._arenas):
                if arena.device is device:
                    arena.free_segments()

    def _device_arenas(self) -> list[Arena]:
        device = current.stream.device
        return [arena for arena in list(self._arenas) if arena.device is device]

    def _device_total(self, device: Device) -> int:
        return sum([arena.total for arena in list(self._arenas) if arena.device is device])

    def malloc(self, size: int) -> MemoryPointer:
        """Allocate ``size`` bytes on the current stream.

        Returns
        -------
        MemoryPointer
            Its memory goes back to the pool when nothing refers to it.
        """
        size = checked_size("malloc", size)
        return MemoryPointer(self.allocate(size) if size else NO_MEMORY, 0)

    def free_all_blocks(self, stream: Stream | None = None) -> None:
        """Give unused memory of the current device back to the driver.

        Parameters
        ----------
        stream : Stream, optional
            Only blocks of this stream.
        """
        with self._lock:
            for arena in self._device_arenas():
                if stream is None or stream.arenas.get(self) is arena:
                    arena.free_segments()

    def n_free_blocks(self) -> int:
        """The number of free blocks on the current device."""
        return sum([arena.counts()[1] for arena in self._device_arenas()])

    def free_bytes(self) -> int:
        """Bytes that the pool holds and nobody uses, on the current device."""
        return sum([arena.counts()[0] for arena in self._device_arenas()])

    def used_bytes(self) -> int:
        """Bytes in use on the current device."""
        return self.total_bytes() - self.free_bytes()

    def total_bytes(self) -> int:
        """Bytes that the pool has from the driver on the current device."""
        return self._device_total(current.stream.device)

    def set_limit(self, size: int | None = None, fraction: float | None = None) -> None:
        """Limit the memory taken on the current device.

        Parameters
        ----------
        size : int, optional
            Bytes; 0 takes the limit away.
        fraction : float, optional
            Of the device's total memory, between 0 and 1.
        """
        if (size is None) == (fraction is None):
            raise ValueError("set_limit: give either size or fraction")
        device = current.stream.device
        if fraction is not None:
            if not 0 <= fraction <= 1:
                raise ValueError(f"set_limit: fraction must be between 0 and 1, got {fraction}")
            size = int(device.mem_info[1] * fraction)
        size = checked_size("set_limit", size)
        if size:
            self._limits[device.id] = size
        else:
            self._limits.pop(device.id, None)

    def get_limit(self) -> int:
        """The limit on the current device in bytes, 0 without one."""
        return self._limits.get(current.stream.device.id, 0)
