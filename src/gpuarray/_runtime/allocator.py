"""Where arrays get their memory from: a pool, or the user's allocator."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from gpuarray import _fork
from gpuarray._config import config
from gpuarray._runtime.arena import Block
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.memory import MAX_BYTES, NO_MEMORY, BaseMemory, checked_size
from gpuarray._runtime.memory_pointer import MemoryPointer, malloc, pointer_to
from gpuarray._runtime.ordered_memory import UnownedMemory
from gpuarray._runtime.plan_kinds import ASKING, plan_from_now_on
from gpuarray._runtime.pool import UNIT, MemoryPool
from gpuarray._runtime.stream import Stream, streams

__all__ = ["get_default_memory_pool"]

default_pool = MemoryPool()

#: Bytes of the largest element, at whose multiples every element is aligned.
_ALIGNMENT = 16

#: The user's allocator, or ``None`` while memory comes from ``pool`` without a detour.
_user_allocator: Callable[[int], MemoryPointer] | None = None
_pool: MemoryPool = default_pool

#: Who wants to be asked for each allocation: the user's allocator, threads with one of their own.
_asking = 0
_asking_lock = _fork.new_lock()


class _ThreadAllocator(threading.local):
    """The allocator of `using_allocator` in a thread, or None."""

    allocator: Callable[[int], MemoryPointer] | None = None


_of_thread = _ThreadAllocator()


def ask() -> None:
    """From now on let every allocation of an operation come to `allocate`.

    Plans take freed blocks from the pool's lists themselves otherwise.
    """
    _count_asking(1)


def do_not_ask() -> None:
    """Undo one `ask`."""
    _count_asking(-1)


def _count_asking(change: int) -> None:
    global _asking
    with _asking_lock:
        _asking += change
        plan_from_now_on(ASKING, _asking > 0)


def allocate(nbytes: int, stream: Stream | None = None) -> tuple[BaseMemory, int]:
    """Memory for an array: the object that keeps it, and the address."""
    if nbytes == 0:
        return NO_MEMORY, 0
    if _asking:
        allocator = _of_thread.allocator or _user_allocator
        if allocator is not None:
            return _allocate_by(allocator, nbytes, stream)
        capture = (stream or current.stream).ongoing_capture
        if capture is not None and capture.observer is not None:
            return _allocate_observed(nbytes, stream, capture)
    memory = _pool.allocate(nbytes, stream)
    return memory, memory.block.pointer


def _allocate_observed(nbytes: int, stream: Stream | None, capture: Any) -> tuple[BaseMemory, int]:
    """Memory of the pool, of which the observer of a capture is told."""
    memory = _pool.allocate(nbytes, stream)
    capture.observer.allocated(memory)
    return memory, memory.block.pointer


def _allocate_by(
    allocator: Callable[[int], Any], nbytes: int, stream: Stream | None
) -> tuple[BaseMemory, int]:
    """Memory from a user's allocator, which takes the current stream for its own."""
    if stream is not None and stream is not current.stream:
        with stream.device, stream:
            return _allocate_by(allocator, nbytes, None)
    capture = current.stream.ongoing_capture
    if capture is not None and capture.observer is not None:
        return _allocate_observed(nbytes, None, capture)
    if capture is not None and _is_of_driver_pool(allocator):
        memory = _pool.allocate(nbytes)
        return memory, memory.block.pointer
    pointer = allocator(nbytes)
    if not isinstance(pointer, MemoryPointer):
        pointer = _pointer_of_another(pointer)
    if not pointer.ptr or pointer.ptr % _ALIGNMENT:
        raise ValueError(
            "the allocator of set_allocator or using_allocator returned the address "
            f"{pointer.ptr:#x}; arrays need a multiple of {_ALIGNMENT}"
        )
    found = pointer.mem
    if type(found) is UnownedMemory:
        found.allocated_on(current.stream)
    if capture is not None:  # the graph has no such memory of its own
        capture.keep(found)
    return found, pointer.ptr


def _is_of_driver_pool(allocator: Callable[[int], Any]) -> bool:
    """Whether an allocator takes memory in stream order from the driver.

    A captured allocation is a part of the graph, which cannot be launched again before the memory
    was freed.
    """
    from gpuarray._runtime import async_memory

    pool = getattr(allocator, "__self__", None)
    return isinstance(pool, async_memory.MemoryAsyncPool) or allocator is async_memory.malloc_async


def _pointer_of_another(pointer: Any) -> MemoryPointer:
    """A pointer of ours for CuPy's, which allocators made for CuPy return."""
    memory: Any = getattr(pointer, "mem", None)
    try:
        address, start, size = pointer.ptr, memory.ptr, memory.size
    except AttributeError:
        raise TypeError(
            "the allocator of set_allocator or using_allocator must return a MemoryPointer, "
            f"got {type(pointer).__name__}"
        ) from None
    return MemoryPointer(UnownedMemory(start, size, pointer), address - start)


def free_idle_memory() -> None:
    """Give what the pool holds idle on the current device back to the driver."""
    _pool.free_all_blocks()


def fast_bin(nbytes: int, stream: Stream) -> list[Block]:
    """The list that launches pop blocks from and freed memory is appended to.

    An always empty one while somebody wants to be asked, so that :func:`allocate` is called.
    """
    if _asking or nbytes == 0:
        return []
    return _pool.arena(stream).bin((nbytes + UNIT - 1) // UNIT * UNIT)


def set_allocator(allocator: Callable[[int], MemoryPointer] | None = None) -> None:
    """Let arrays get their memory from ``allocator``.

    Parameters
    ----------
    allocator : callable, optional
        Takes a number of bytes, returns a :class:`MemoryPointer`, with the stream current that the
        memory is for. ``None`` allocates every array for itself, without a pool.

    Raises
    ------
    ValueError
        Inside of `using_allocator`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.set_allocator(cp.cuda.MemoryPool(cp.cuda.malloc_managed).malloc)
    >>> cp.cuda.set_allocator(cp.get_default_memory_pool().malloc)
    """
    global _user_allocator, _pool
    if _of_thread.allocator is not None:
        raise ValueError(
            "set_allocator: inside of using_allocator the allocator is that of the thread; call "
            "it outside"
        )
    asked = _user_allocator is not None
    pool = _pool_of(allocator)
    if pool is not None:
        before, _user_allocator, _pool = _pool, None, pool
        if before is not pool:
            for stream in list(streams.values()):
                stream.drop_plans()  # they hold the lists of the former pool
    else:
        _user_allocator = _checked("set_allocator", allocator)
    if asked is not (_user_allocator is not None):
        _count_asking(-1 if asked else 1)


def _pool_of(allocator: Any) -> MemoryPool | None:
    """The pool of which an allocator is the method ``malloc``, if launches can do without it."""
    pool = getattr(allocator, "__self__", None)
    return pool if type(pool) is MemoryPool and allocator == pool.malloc else None


def _checked(name: str, allocator: Any) -> Callable[[int], MemoryPointer]:
    if allocator is None:
        return malloc
    if not callable(allocator):
        raise TypeError(f"{name}: {allocator!r} is neither callable nor None")
    return allocator


@contextlib.contextmanager
def using_allocator(allocator: Callable[[int], MemoryPointer] | None = None) -> Iterator[None]:
    """Let the arrays that the calling thread makes in a ``with`` block get memory elsewhere.

    Blocks may be nested. Memory that was allocated inside may be used, and freed, anywhere.

    Parameters
    ----------
    allocator : callable, optional
        As for `set_allocator`.

    Returns
    -------
    context manager
        For the ``with`` statement, or as a decorator.

    Examples
    --------
    >>> import gpuarray as cp
    >>> pool = cp.cuda.MemoryPool()
    >>> with cp.cuda.using_allocator(pool.malloc):
    ...     x = cp.zeros(100)
    >>> pool.used_bytes()
    1024
    """
    outer = _of_thread.allocator
    inner = _checked("using_allocator", allocator)
    ask()
    try:
        _of_thread.allocator = inner
        yield
    finally:
        _of_thread.allocator = outer
        do_not_ask()


def get_allocator() -> Callable[[int], MemoryPointer]:
    """The allocator that arrays get their memory from, in the calling thread.

    Returns
    -------
    callable
        Takes a number of bytes, returns a `MemoryPointer`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.get_allocator() == cp.get_default_memory_pool().malloc
    True
    """
    found = _of_thread.allocator or _user_allocator
    return _pool.malloc if found is None else found


def alloc(size: int) -> MemoryPointer:
    """Device memory from the current allocator.

    Parameters
    ----------
    size : int
        Bytes.

    Returns
    -------
    MemoryPointer
        Its first byte.

    Examples
    --------
    >>> import gpuarray as cp
    >>> pointer = cp.cuda.alloc(100)
    >>> pointer.mem.size >= 100
    True
    """
    if type(size) is not int or not 0 <= size <= MAX_BYTES:
        size = checked_size("alloc", size)
    return pointer_to(*allocate(size))


def get_default_memory_pool() -> MemoryPool:
    """The pool that arrays use unless another allocator is set.

    Returns
    -------
    MemoryPool
        One for all devices.

    Examples
    --------
    >>> import gpuarray as cp
    >>> pool = cp.get_default_memory_pool()
    >>> pool.total_bytes() >= pool.used_bytes()
    True
    """
    return default_pool


if config.checks:
    # Reused memory would hide reads of what nobody wrote, and the pool's rounding what lies
    # just outside of an array.
    set_allocator(None)
