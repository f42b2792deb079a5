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

import gc
import sys
import warnings
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

from gpuarray import _fork, errors
from gpuarray._ffi import driver
from gpuarray._runtime.arena import Arena, Block
from gpuarray._runtime.current_stream import current, deferring_streams, run_all_deferred
from gpuarray._runtime.device import Device
from gpuarray._runtime.event import check_stream
from gpuarray._runtime.memory import MAX_BYTES, NO_MEMORY, BaseMemory, checked_size
from gpuarray._runtime.memory_pointer import MemoryPointer
from gpuarray._runtime.ordered_memory import note_user, precede
from gpuarray._runtime.release import later
from gpuarray._runtime.stream import Stream, streams
from gpuarray._runtime.stream_work import NotedWork, put_off

#: Sizes are rounded up to whole units; it is also the alignment of every allocation.
UNIT = 512

_OUT_OF_MEMORY = 2  # the status, of the driver and of the runtime


#: Memory whose address others know, by its identity.
exposed: dict[int, weakref.ref[Allocation]] = {}


def _hide(key: int, reference: object) -> None:
    """Forget memory that is gone."""
    exposed.pop(key, None)


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

    def expose(self) -> None:
        """Note that others know the address, who may read and write without being seen."""
        key = id(self)
        if key not in exposed:
            exposed[key] = weakref.ref(self, partial(_hide, key))

    def _is_private(self) -> bool:
        """Whether the block is a graph's, which nobody gets when it is freed."""
        pointer = self.block.pointer
        return any(pointer in arena.blocks for arena in self.stream.private_arenas)

    @property
    def pool(self) -> MemoryPool | None:
        """The pool; None if it is gone."""
        found = self._origin()
        return None if found is None else found[0]

    @property
    def identity(self) -> str:
        """The name of the class of the memory that the pool has cut this from."""
        owner = self._owner()
        return "Memory" if owner is None else type(owner).__name__

    def _origin(self) -> tuple[MemoryPool, Arena] | None:
        for pool, arena in list(self.stream.arenas.items()):
            if arena.has(self.block):
                return pool, arena
        return None

    def _owner(self) -> BaseMemory | None:
        """What the pool's own allocator returned, None for memory from the driver."""
        found = self._origin()
        pointer = None if found is None else found[1].owner_of(self.block)
        return None if pointer is None else pointer.mem

    def __getattr__(self, name: str) -> Any:
        # Only managed memory and that of the system move.
        if name in ("prefetch", "advise"):
            from gpuarray._runtime.unified_memory import Migrating  # there is none without it

            if isinstance(self._owner(), Migrating):
                return getattr(Migrating, name).__get__(self)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def free(self) -> None:
        """Return the memory to the pool although something may still refer to it."""
        release, self.release = self.release, _freed_already
        block, self.block = self.block, Block(0, 0)
        release(block)

    def used_by(self, stream: Stream) -> None:
        """Note that work on another stream than the memory's own uses it."""
        if deferring_streams:
            run_all_deferred()  # what is recorded may store here, or read what is stored to
        release, owner = self.release, self.stream
        if (
            type(release) is partial
            and release.args[1].latest is stream.work  # it is noted already
            and stream.device is owner.device
            and stream.ongoing_capture is None
            and not owner.lost
        ):
            return
        BaseMemory.used_by(self, stream)

    def _note_user(self, stream: Stream) -> None:
        """Note that work on another stream uses the memory; freeing will wait for it."""
        if self._is_private():
            return
        work = stream.work
        release = self.release
        if not isinstance(release, partial):
            with _release_lock:
                release = self.release  # another thread may have noted its stream meanwhile
                if not isinstance(release, partial):
                    release = partial(_release_after, release, NotedWork(), self.stream)
                    self.release = release
        note_user(release.args[1], work)


_release_lock = _fork.new_lock()


def _freed_already(block: Block) -> None:
    """What returns memory that was returned."""


def _release_after(
    release: Callable[[Block], object],
    users: NotedWork,
    owner: Stream,
    block: Block,
    ending: Callable[[], bool] = sys.is_finalizing,
) -> None:
    """Return a block to its owning stream behind the work of the streams that used it."""
    if ending() or owner.lost or driver.forked():
        return
    again = partial(_release_after, release, users, owner, block)
    if later(again) or put_off(again, owner, users):
        return
    precede(users, owner)
    release(block)


def _capturing() -> bool:
    """Whether the current stream is captured: memory cannot be given back then."""
    return driver.stream_takes_part_in_capture(current.stream.handle)


#: Every pool: where one runs out of memory, the others give back what they hold idle.
_pools: weakref.WeakSet[MemoryPool] = weakref.WeakSet()


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
    was allocated on at once, by others only after :meth:`free_all_blocks`. Statistics and limits
    are those of the current device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> pool = cp.cuda.MemoryPool()
    >>> memory = pool.malloc(100)
    >>> pool.used_bytes()
    512
    >>> pool.total_bytes() == pool.used_bytes() + pool.free_bytes()
    True
    >>> del memory
    >>> pool.used_bytes(), pool.n_free_blocks() > 0
    (0, True)
    >>> pool.free_all_blocks()
    >>> pool.total_bytes()
    0
    >>> pool.set_limit(size=1 << 20)
    >>> pool.get_limit()
    1048576
    """

    def __init__(self, allocator: Callable[[int], MemoryPointer] | None = None):
        self._allocator = allocator
        self._lock = _fork.new_rlock()
        self._limits: dict[int, int] = {}  # device index -> bytes, 0 for no limit
        self._arenas: weakref.WeakSet[Arena] = weakref.WeakSet()
        _pools.add(self)

    def __repr__(self) -> str:
        device = self._device()
        total, limit = self._device_total(device), self._limit(device)
        used = total - self._device_free(device)
        held = f"{used} bytes used of {total} held on device {device.id}"
        return f"<{type(self).__name__}: {held}{f', limit {limit}' if limit else ''}>"

    def arena(self, stream: Stream) -> Arena:
        """This pool's blocks on a stream."""
        found = stream.arenas.get(self)
        if found is None:
            with self._lock:
                found = stream.arenas.get(self)
                if found is None:
                    made = Arena(stream.device, self._allocator, self._lock)
                    if stream.ongoing_capture is not None:
                        made.private = True
                        stream.private_arenas.append(made)
                    self._arenas.add(made)
                    found = stream.arenas[self] = made
        return found

    def allocate(self, size: int, stream: Stream | None = None) -> Allocation:
        """Memory for ``size`` bytes (more than 0), ordered on a stream."""
        if stream is None:
            stream = current.stream
        size = (size + UNIT - 1) // UNIT * UNIT
        arena = self.arena(stream)
        freed = arena.bins.get(size)
        if freed is None:
            freed = arena.home(size)
            block = self._find(arena, size)
        else:
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
        if size > MAX_BYTES:  # C would take its low bits
            raise self._out_of_memory(arena.device, size)
        capturing = _capturing()
        if not capturing:
            arena.trim_for(arena.growth(size), size)
        limit = self._limit(arena.device)
        for make_room in (None, *(() if capturing else self._ways_to_make_room)):
            if make_room is not None:
                make_room(self, arena.device)
            room = limit - self._device_total(arena.device) if limit else MAX_BYTES
            growth = arena.growth(size, room)
            if growth.size > room:
                continue
            try:
                arena.grow(growth)
                return
            except (errors.CUDARuntimeError, errors.OutOfMemoryError) as error:
                if getattr(error, "status", _OUT_OF_MEMORY) != _OUT_OF_MEMORY:
                    raise
                if self._allocator is None and size > arena.device.mem_info[1]:
                    break  # no room is enough
        raise self._out_of_memory(arena.device, size)

    def _out_of_memory(self, device: Device, size: int) -> errors.OutOfMemoryError:
        from gpuarray._runtime import memory_holders

        total, idle = self._device_total(device), self._device_free(device)
        return errors.OutOfMemoryError(
            size,
            total,
            self._limit(device),
            device.mem_info[0],
            used=total - idle,
            holders=memory_holders.largest(device),
        )

    def _free_device(self, device: Device) -> None:
        """Give the idle memory of all streams back."""
        # The driver's free waits for the device, so no stream can still be using the memory.
        with device:
            for arena in list(self._arenas):
                if arena.device is device:
                    arena.free_segments()

    def _free_garbage(self, device: Device) -> None:
        """Give back what the garbage collector finds, too."""
        gc.collect()
        self._free_device(device)

    def _free_everything(self, device: Device) -> None:
        """Give back what plans keep, what other pools hold idle, and the driver's own pool."""
        for stream in list(streams.values()):
            if stream.device is device and stream.ongoing_capture is None:
                stream.drop_plans()
                stream.library_handles.clear()
        gc.collect()
        for pool in list(_pools):
            # Another thread may hold that pool's lock and wait for this one's.
            if pool._lock.acquire(blocking=False):
                try:
                    pool._free_device(device)
                finally:
                    pool._lock.release()
        if device.attribute("memory_pools_supported"):
            driver.mem_pool_trim_to(driver.device_get_mem_pool(device.handle), 0)

    _ways_to_make_room = _free_device, _free_garbage, _free_everything

    def _device(self) -> Device:
        """The device that statistics and limits are about."""
        return current.stream.device

    def _device_arenas(self, device: Device) -> list[Arena]:
        return [arena for arena in list(self._arenas) if arena.device is device]

    def _device_total(self, device: Device) -> int:
        return sum([arena.total for arena in self._device_arenas(device)])

    def _device_free(self, device: Device) -> int:
        return sum([arena.counts()[0] for arena in self._device_arenas(device)])

    def _limit(self, device: Device) -> int:
        found = self._limits.get(device.id)
        if found is None:
            from gpuarray._runtime.memory_limit import default_limit

            found = self._limits.setdefault(device.id, default_limit(device))
        return found

    def malloc(self, size: int) -> MemoryPointer:
        """Allocate ``size`` bytes on the current stream.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        MemoryPointer
            Its memory goes back to the pool when nothing refers to it.
        """
        size = checked_size("malloc", size)
        return MemoryPointer(self.allocate(size) if size else NO_MEMORY, 0)

    def free_all_blocks(self, stream: Stream | None = None) -> None:
        """Give unused memory of the current device back to the driver.

        A piece of memory from the driver goes back when none of its parts is in use.

        Parameters
        ----------
        stream : Stream, optional
            Only blocks of this stream.
        """
        if stream is not None:
            check_stream(stream)
            wanted = [x.arenas.get(self) for x in list(streams.values()) if x == stream]
        with self._lock:
            for arena in self._device_arenas(self._device()):
                if stream is None or arena in wanted:
                    arena.free_segments()

    def free_all_free(self) -> None:
        """The former name of `free_all_blocks`.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.cuda.MemoryPool().free_all_free()  # doctest: +SKIP
        """
        warnings.warn(
            "free_all_free is deprecated; use free_all_blocks", DeprecationWarning, stacklevel=2
        )
        self.free_all_blocks()

    def n_free_blocks(self) -> int:
        """The number of free blocks on the current device.

        Returns
        -------
        int
            How many.
        """
        return sum([arena.counts()[1] for arena in self._device_arenas(self._device())])

    def free_bytes(self) -> int:
        """Bytes that the pool holds and nobody uses, on the current device.

        Returns
        -------
        int
            Bytes.
        """
        return self._device_free(self._device())

    def used_bytes(self) -> int:
        """Bytes in use on the current device.

        Returns
        -------
        int
            Bytes.
        """
        return self.total_bytes() - self.free_bytes()

    def total_bytes(self) -> int:
        """Bytes that the pool has from the driver on the current device.

        Returns
        -------
        int
            Bytes.
        """
        return self._device_total(self._device())

    def set_limit(self, size: int | None = None, fraction: float | None = None) -> None:
        """Limit the memory taken on the current device.

        It takes the place of the limit that the variable ``GPUARRAY_MEMORY_LIMIT`` gives to each
        device.

        Parameters
        ----------
        size : int, optional
            Bytes; 0, or neither parameter, takes the limit away.
        fraction : float, optional
            Of the device's total memory, between 0 and 1.
        """
        from gpuarray._runtime.memory_limit import bytes_of_limit

        device = self._device()
        self._limits[device.id] = bytes_of_limit(device, size, fraction)

    def get_limit(self) -> int:
        """The limit on the current device in bytes, 0 without one.

        Returns
        -------
        int
            Bytes.
        """
        return self._limit(self._device())


class SingleDeviceMemoryPool(MemoryPool):
    """A memory pool for the device that is current when it is made.

    Parameters
    ----------
    allocator : callable, optional
        As for `MemoryPool`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> pool = cp.cuda.memory.SingleDeviceMemoryPool()
    >>> memory = pool.malloc(100)
    >>> pool.used_bytes()
    512
    """

    def __init__(self, allocator: Callable[[int], MemoryPointer] | None = None):
        super().__init__(allocator)
        self.device = current.stream.device

    def _device(self) -> Device:
        return self.device

    def allocate(self, size: int, stream: Stream | None = None) -> Allocation:
        """Memory for ``size`` bytes (more than 0), ordered on a stream of the pool's device."""
        if stream is None:
            stream = current.stream
        if stream.device is not self.device:
            raise RuntimeError(
                f"SingleDeviceMemoryPool: the pool is for {self.device}, and {stream.device} is "
                "current"
            )
        return super().allocate(size, stream)
