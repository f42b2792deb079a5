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

import bisect
import sys
import threading
import weakref
from collections.abc import Callable
from functools import partial

from gpuarray import errors
from gpuarray._ffi import driver
from gpuarray._runtime.device import Device, current, give_back, need_context
from gpuarray._runtime.memory import MAX_BYTES, NO_MEMORY, BaseMemory, MemoryPointer, checked_size
from gpuarray._runtime.stream import Event, Stream

#: Sizes are rounded up to whole units; it is also the alignment of every allocation.
UNIT = 512


class Block:
    """A run of a segment's memory. ``before`` and ``behind`` are its neighbours there."""

    __slots__ = ("before", "behind", "idle", "pointer", "size")

    def __init__(self, pointer: int, size: int):
        self.pointer = pointer
        self.size = size
        self.before: Block | None = None
        self.behind: Block | None = None
        self.idle = False  # in the best-fit store, so that a neighbour may merge with it


class Allocation(BaseMemory):
    """Memory from the pool; it goes back there when the object dies."""

    __slots__ = ("block", "release", "stream")

    stream: Stream

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
        release = self.release
        if isinstance(release, partial):
            release.args[1].add(stream)
        else:
            self.release = partial(_release_after, release, {stream}, self.stream)


def _release_after(
    release: Callable[[Block], object], users: set[Stream], owner: Stream, block: Block
) -> None:
    """Return a block to its owning stream behind the work of the streams that used it."""
    if owner.lost:
        return
    for stream in users:
        if stream.lost:
            continue
        with stream.device:
            event = Event(disable_timing=True)
            event.record(stream)
            owner.wait_event(event)
    release(block)


class _Arena:
    """One pool's blocks on one stream."""

    def __init__(self, pool: MemoryPool, stream: Stream):
        self.pool = pool
        self._free_segment = pool._free_segment
        self.device = stream.device
        # Size in bytes -> blocks freed with that size. The lists live as long as the arena:
        # bound launches hold their pop and append.
        self.bins: dict[int, list[Block]] = {}
        # The best-fit store: blocks by size, and the sizes in order.
        self.idle: dict[int, dict[Block, None]] = {}
        self.sizes: list[int] = []
        self.total = 0

    def __del__(self) -> None:
        # The stream is gone, and with it every allocation made on it.
        if not sys.is_finalizing():
            self.free_segments()

    def bin(self, size: int) -> list[Block]:
        found = self.bins.get(size)
        return self.bins.setdefault(size, []) if found is None else found

    def take(self, size: int) -> Block | None:
        """The best fitting idle block, split to size; the pool's lock is held."""
        index = bisect.bisect_left(self.sizes, size)
        if index == len(self.sizes):
            return None
        block = next(iter(self.idle[self.sizes[index]]))
        self._remove_idle(block)
        rest = block.size - size
        if rest:
            tail = Block(block.pointer + size, rest)
            tail.before, tail.behind = block, block.behind
            if block.behind is not None:
                block.behind.before = tail
            block.behind = tail
            block.size = size
            self._add_idle(tail)
        return block

    def merge(self) -> None:
        """Move every freed block to the best-fit store, merging neighbours."""
        for blocks in self.bins.values():
            while blocks:
                try:
                    block = blocks.pop()
                except IndexError:  # another thread took the last one
                    break
                before, behind = block.before, block.behind
                if before is not None and before.idle:
                    self._remove_idle(before)
                    before.size += block.size
                    before.behind = behind
                    if behind is not None:
                        behind.before = before
                    block = before
                if behind is not None and behind.idle:
                    self._remove_idle(behind)
                    block.size += behind.size
                    block.behind = behind.behind
                    if behind.behind is not None:
                        behind.behind.before = block
                self._add_idle(block)

    def free_segments(self) -> None:
        """Give whole idle segments back to the driver."""
        self.merge()
        for size in list(self.sizes):
            for block in list(self.idle[size]):
                if block.before is None and block.behind is None:
                    self._remove_idle(block)
                    self.total -= block.size
                    self._free_segment(block.pointer)

    def _add_idle(self, block: Block) -> None:
        block.idle = True
        same = self.idle.get(block.size)
        if same is None:
            self.idle[block.size] = {block: None}
            bisect.insort(self.sizes, block.size)
        else:
            same[block] = None

    def _remove_idle(self, block: Block) -> None:
        block.idle = False
        same = self.idle[block.size]
        del same[block]
        if not same:
            del self.idle[block.size]
            del self.sizes[bisect.bisect_left(self.sizes, block.size)]

    def lose(self) -> None:
        """Forget all memory without freeing it: a reset of the device took it away."""
        # Arrays that are still there append their blocks to the lists: nobody reads them again.
        self.bins, self.idle, self.sizes, self.total = {}, {}, [], 0
        self.pool._lose_segments(self.device)

    def counts(self) -> tuple[int, int]:
        """Free bytes and free blocks."""
        blocks = [(size, len(found)) for size, found in list(self.bins.items())]
        blocks += [(size, len(found)) for size, found in list(self.idle.items())]
        return sum([s * n for s, n in blocks]), sum([n for _, n in blocks])


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
        self._segments: dict[int, MemoryPointer] = {}  # of a user's allocator: address -> pointer
        self._lock = threading.RLock()
        self._limits: dict[int, int] = {}  # device index -> bytes
        self._arenas: weakref.WeakSet[_Arena] = weakref.WeakSet()

    def arena(self, stream: Stream) -> _Arena:
        """This pool's blocks on a stream."""
        found = stream.arenas.get(self)
        if found is None:
            with self._lock:
                found = stream.arenas.get(self)
                if found is None:
                    found = stream.arenas[self] = _Arena(self, stream)
                    self._arenas.add(found)
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

    def _find(self, arena: _Arena, size: int) -> Block:
        with self._lock:
            block = arena.take(size)
            if block is None:
                arena.merge()
                block = arena.take(size) or self._grow(arena, size)
            return block

    def _grow(self, arena: _Arena, size: int) -> Block:
        limit = self._limits.get(arena.device.id, 0)
        if size > MAX_BYTES:  # C would take its low bits
            total = self._device_total(arena.device)
            raise errors.OutOfMemoryError(size, total, limit, arena.device.mem_info[0])
        if limit and self._device_total(arena.device) + size > limit:
            self._free_device(arena.device)
            total = self._device_total(arena.device)
            if total + size > limit:
                raise errors.OutOfMemoryError(size, total, limit, arena.device.mem_info[0])
        try:
            pointer = self._allocate_segment(size)
        except (errors.DriverError, errors.OutOfMemoryError) as error:
            if getattr(error, "status_name", "CUDA_ERROR_OUT_OF_MEMORY") != (
                "CUDA_ERROR_OUT_OF_MEMORY"
            ):
                raise
            # Memory that other streams have freed may be what is missing.
            self._free_device(arena.device)
            try:
                pointer = self._allocate_segment(size)
            except (errors.DriverError, errors.OutOfMemoryError):
                raise errors.OutOfMemoryError(
                    size, self._device_total(arena.device), limit, arena.device.mem_info[0]
                ) from None
        arena.total += size
        return Block(pointer, size)

    def _allocate_segment(self, size: int) -> int:
        if self._allocator is None:
            return driver.mem_alloc(size)
        memory = self._allocator(size)
        self._segments[memory.ptr] = memory
        return memory.ptr

    def _free_segment(self, pointer: int) -> None:
        if self._allocator is None:
            need_context()
            give_back(driver.mem_free, pointer)
        else:
            del self._segments[pointer]

    def _lose_segments(self, device: Device) -> None:
        for address, memory in list(self._segments.items()):
            if memory.device is device:
                del self._segments[address]

    def _free_device(self, device: Device) -> None:
        # The driver's free waits for the device, so no stream can still be using the memory.
        with device:
            for arena in list(self._arenas):
                if arena.device is device:
                    arena.free_segments()

    def _device_arenas(self) -> list[_Arena]:
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
