"""Page-locked host memory, and its pool."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

from gpuarray import errors
from gpuarray._config import config
from gpuarray._ffi import driver
from gpuarray._runtime import pinned_ranges
from gpuarray._runtime.current_stream import captured_streams, current, need_context
from gpuarray._runtime.event import Event
from gpuarray._runtime.memory import DriverMemory, checked_size
from gpuarray._runtime.pinned_ranges import PinnedRange, PinnedUses
from gpuarray._runtime.release import give_back
from gpuarray._runtime.stream_work import StreamWork

__all__ = ["get_default_pinned_memory_pool"]


class PinnedMemory(DriverMemory):
    """Page-locked host memory of its own.

    Parameters
    ----------
    size : int
        Bytes.
    flags : int, optional
        Of ``cuMemHostAlloc``; see the constants ``hostAlloc...`` of `cuda.runtime`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> memory = cp.cuda.PinnedMemory(100)
    >>> memory.size
    100
    """

    __slots__ = ("__weakref__", "_slot", "device", "generation", "ptr", "size", "uses")

    _ALLOCATE = "mem_host_alloc"
    _FREE = "mem_host_free"

    def __init__(self, size: int, flags: int = 0):
        self.size = size = checked_size("PinnedMemory", size)
        self.ptr = 0
        self.device = current.stream.device
        self.generation = self.device.generation
        self.uses = PinnedUses()
        try:
            self._allocate(size, operator.index(flags))
        except errors.DriverError as error:
            if error.status_name != "CUDA_ERROR_OUT_OF_MEMORY":
                raise
            raise errors.OutOfPinnedMemoryError(size) from None
        if size:
            self.ptr = self._slot.value
            pinned_ranges.note(PinnedRange(self.ptr, self.ptr + size, self.device, self.uses))

    def __int__(self) -> int:
        return self.ptr

    def __repr__(self) -> str:
        return f"<PinnedMemory of {self.size} bytes at {self.ptr:#x}>"

    def _free(self, addresses: list[int]) -> None:
        """Free the memory; the list is empty then."""
        if not (self.lost or driver.forked()):
            for address in addresses:
                pinned_ranges.forget(address)
            give_back(self._free_all, addresses)


class PinnedMemoryPointer(driver.HostBuffer):
    """An address in page-locked host memory.

    It supports the buffer protocol, so that ``numpy.frombuffer(pointer, dtype, count)`` gives an
    array over the memory, which is kept as long as either is.

    Parameters
    ----------
    mem : PinnedMemory
        The memory, or another object with the attributes ``ptr`` and ``size``.
    offset : int
        Bytes from its beginning.

    Examples
    --------
    >>> import gpuarray as cp
    >>> pointer = cp.cuda.PinnedMemoryPointer(cp.cuda.PinnedMemory(100), 0)
    >>> (pointer + 40).size()
    60
    """

    def __new__(cls, mem: Any, offset: int) -> PinnedMemoryPointer:
        at = operator.index(offset)
        if not isinstance(mem, PinnedMemory) and not _is_memory(mem):
            raise TypeError(
                "PinnedMemoryPointer: mem must be a gpuarray.cuda.PinnedMemory, or have ptr and "
                f"size as it has; got {type(mem).__name__}"
            )
        if not 0 <= at <= mem.size:
            raise ValueError(f"PinnedMemoryPointer: offset {at} is not within {mem.size} bytes")
        return driver.host_buffer(mem.ptr + at, mem.size - at, mem, PinnedMemoryPointer)

    def __init__(self, mem: Any, offset: int):  # without the base's, which stores elements
        pass

    def size(self) -> int:
        """The bytes from here to the end of the memory.

        Returns
        -------
        int
            Bytes.
        """
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


def _is_memory(mem: object) -> bool:
    """Whether an object of a user's own is as good as a `PinnedMemory`."""
    return isinstance(getattr(mem, "ptr", None), int) and isinstance(
        getattr(mem, "size", None), int
    )


class PooledPinnedMemory(PinnedMemory):
    """Page-locked memory that goes back to its pool when nothing refers to it.

    Pools make these; `PinnedMemoryPool.malloc` returns a pointer to one.

    Parameters
    ----------
    mem : PinnedMemory
        The block.
    pool : PinnedMemoryPool
        Where it came from.

    Examples
    --------
    >>> import gpuarray as cp
    >>> memory = cp.cuda.PinnedMemoryPool().malloc(100).mem
    >>> memory.size
    512
    >>> memory.free()
    """

    __slots__ = ("mem", "pool")

    def __init__(self, mem: Any, pool: PinnedMemoryPool):
        self.mem = mem
        self.pool = pool
        self.ptr = mem.ptr
        self.size = mem.size

    def free(self) -> None:
        """Give the block back to the pool now. It is not for use any more then."""
        ptr, self.ptr = self.ptr, 0
        if ptr:
            self.size = 0
            self.pool._put(self.mem)

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        if not ending() and hasattr(self, "ptr"):
            self.free()

    def __repr__(self) -> str:
        return f"<PooledPinnedMemory {self.ptr:#x}, {self.size} bytes>"


class _InFlight:
    """A freed block that copies may still read or write."""

    __slots__ = ("events", "memory")

    def __init__(self, memory: Any):
        self.memory = memory
        #: Recorded behind the copies; None until somebody asks for memory.
        self.events: list[Event] | None = None


class PinnedMemoryPool:
    """Keeps freed page-locked memory for reuse; sizes are rounded up to powers of two.

    A block is not used again before the copies have ended that `ndarray.set`, `ndarray.get` and
    the functions of `MemoryPointer` have queued from it or to it. A graph keeps the arrays that it
    copies from and to; the functions of `MemoryPointer` know addresses alone, and a block that
    such a copy of a graph uses is never used again.

    Parameters
    ----------
    allocator : callable, optional
        Where the pool has its memory from: takes a number of bytes, returns a
        `PinnedMemoryPointer` or a `PinnedMemory`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> pool = cp.cuda.PinnedMemoryPool()
    >>> pointer = pool.malloc(1000)
    >>> pointer.size()
    1024
    >>> del pointer
    >>> pool.n_free_blocks()
    1
    >>> pool.free_all_blocks()
    >>> pool.n_free_blocks()
    0
    """

    def __init__(self, allocator: Callable[[int], Any] = PinnedMemory):
        if not callable(allocator):
            raise TypeError(
                f"PinnedMemoryPool: the allocator is a function of a size, not {allocator!r}"
            )
        self._allocator = allocator
        self._free: dict[int, list[Any]] = {}
        self._in_flight: list[_InFlight] = []
        #: Blocks that graphs copy from or to.
        self._captured: list[Any] = []

    def __repr__(self) -> str:
        free = [(size, len(blocks)) for size, blocks in list(self._free.items())]
        waiting = [block.memory.size for block in list(self._in_flight)]
        held = sum([size * count for size, count in free]) + sum(waiting)
        count = sum([count for _, count in free]) + len(waiting)
        return f"<PinnedMemoryPool: {held} bytes held in {count} blocks that nobody uses>"

    def malloc(self, size: int) -> Any:
        """Page-locked memory for at least ``size`` bytes.

        Where the system has no more, the pool's free blocks are given back to it first.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        PinnedMemoryPointer
            Supports the buffer protocol, so ``numpy.frombuffer(memory, dtype, count)`` gives an
            array over it; ``ptr`` is its address. The memory goes back to the pool when nothing
            refers to it.

        Raises
        ------
        OutOfMemoryError
            The system has no more memory that it could lock.
        """
        nbytes = checked_size("alloc_pinned_memory", size)
        memory: PinnedMemory = self._take(nbytes) if nbytes else PinnedMemory(0)
        return driver.host_buffer(memory.ptr, memory.size, memory, PinnedMemoryPointer)

    def _take(self, size: int) -> PooledPinnedMemory:
        size = max(512, 1 << (size - 1).bit_length())
        if self._in_flight:
            self._land()
        while True:
            try:
                memory = self._free[size].pop()
            except (KeyError, IndexError):
                memory = self._allocate(size)
            if not (getattr(memory, "lost", False) or getattr(memory, "freed", False)):
                return PooledPinnedMemory(memory, self)

    def _allocate(self, size: int) -> Any:
        try:
            made = self._allocator(size)
        except (errors.DriverError, errors.OutOfMemoryError) as error:
            if getattr(error, "status_name", _OUT_OF_MEMORY) != _OUT_OF_MEMORY:
                raise
            for let_go in _keepers:
                let_go()
            self._land(wait=True)
            self._free.clear()
            try:
                made = self._allocator(size)
            except errors.OutOfMemoryError:
                raise
            except errors.DriverError as still:
                if still.status_name != _OUT_OF_MEMORY:
                    raise
                raise errors.OutOfPinnedMemoryError(size) from None
        return getattr(made, "mem", made)

    def _put(self, memory: Any) -> None:
        uses = getattr(memory, "uses", None)
        if uses is None or not (uses.works or uses.captured):
            free = self._free.get(memory.size)
            if free is None:  # another thread may have made it meanwhile
                free = self._free.setdefault(memory.size, [])
            free.append(memory)
        elif uses.captured:
            self._captured.append(memory)
        else:
            self._in_flight.append(_InFlight(memory))

    def _land(self, wait: bool = False) -> None:
        """Free the memory whose copies have ended, or wait for all of them.

        Streams may be busy all the time, so it is not waited until one is idle: the first call
        behind the copies leaves events.
        """
        need_context()
        if captured_streams or driver.stream_is_capturing(current.stream.handle):
            return  # events cannot be asked then
        left: dict[StreamWork, Event | None] = {}
        for _ in range(len(self._in_flight)):
            try:
                block = self._in_flight.pop(0)
            except IndexError:  # another thread took the last one
                return
            memory = block.memory
            if memory.lost:
                continue
            works = memory.uses.works
            if block.events is None:
                if any(work.capturing for work in works):
                    self._in_flight.append(block)
                    continue
                for work in works:
                    if work not in left:
                        left[work] = work.leave_event()
                block.events = [event for work in works if (event := left[work]) is not None]
            if wait:
                for event in block.events:
                    event.synchronize()
            if all(event.done for event in block.events):
                works.forget()
                self._put(memory)
            else:
                self._in_flight.append(block)

    def free_all_blocks(self) -> None:
        """Give unused memory back to the system."""
        for let_go in _keepers:
            let_go()
        self._land()
        self._free.clear()

    def n_free_blocks(self) -> int:
        """The number of free blocks.

        Returns
        -------
        int
            Without those that copies may still use.
        """
        self._land()
        return sum([len(blocks) for blocks in list(self._free.values())])


_OUT_OF_MEMORY = "CUDA_ERROR_OUT_OF_MEMORY"

#: Called before unused memory is given back.
_keepers: list[Callable[[], object]] = []


def when_freed(let_go: Callable[[], object]) -> None:
    """Call a function before unused memory is given back, to let go of memory that it keeps."""
    _keepers.append(let_go)


_default_pool = PinnedMemoryPool()


def get_default_pinned_memory_pool() -> PinnedMemoryPool:
    """The pool that pinned memory and staging buffers come from.

    Returns
    -------
    PinnedMemoryPool
        One for the process.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.get_default_pinned_memory_pool().n_free_blocks() >= 0
    True
    """
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


def is_memory_pinned(data: int) -> bool:
    """Whether an address is in page-locked memory of the host.

    Parameters
    ----------
    data : int
        The address.

    Returns
    -------
    bool
        Whether. Unified memory, which a device may hold as well, is not page-locked.

    Examples
    --------
    >>> import gpuarray as cp
    >>> host = np.zeros(4)
    >>> cp.cuda.pinned_memory.is_memory_pinned(host.ctypes.data)
    False
    >>> cp.cuda.pinned_memory.is_memory_pinned(cp.empty_pinned(4).ctypes.data)
    True
    """
    need_context()
    address = operator.index(data)
    if not 0 < address < 1 << 64:
        return False
    found = driver.pointer_attributes(("memory_type", "is_managed"), address)
    return found["memory_type"] == _HOST and not found["is_managed"]


#: CU_MEMORYTYPE_HOST
_HOST = 1


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

    Raises
    ------
    TypeError
        If the allocator is no function.

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
