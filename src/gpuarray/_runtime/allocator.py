"""Where arrays get their memory from: a pool, or the user's allocator."""

from __future__ import annotations

from collections.abc import Callable

from gpuarray._config import config
from gpuarray._runtime.arena import Block
from gpuarray._runtime.memory import NO_MEMORY, BaseMemory, MemoryPointer, checked_size, malloc
from gpuarray._runtime.pool import UNIT, MemoryPool
from gpuarray._runtime.stream import Stream, streams

__all__ = ["get_default_memory_pool"]

default_pool = MemoryPool()

#: Bytes of the largest element, at whose multiples every element is aligned.
_ALIGNMENT = 16

#: The user's allocator, or ``None`` while memory comes from ``pool`` without a detour.
_user_allocator: Callable[[int], MemoryPointer] | None = None
_pool: MemoryPool = default_pool


def allocate(nbytes: int, stream: Stream | None = None) -> tuple[BaseMemory, int]:
    """Memory for an array: the object that keeps it, and the address."""
    if nbytes == 0:
        return NO_MEMORY, 0
    if _user_allocator is not None:
        pointer = _user_allocator(nbytes)
        if not isinstance(pointer, MemoryPointer):
            raise TypeError(
                "the allocator given to set_allocator must return a gpuarray.cuda.MemoryPointer, "
                f"got {type(pointer).__name__}"
            )
        if not pointer.ptr or pointer.ptr % _ALIGNMENT:
            raise ValueError(
                f"the allocator given to set_allocator returned the address {pointer.ptr:#x}; "
                f"arrays need a multiple of {_ALIGNMENT}"
            )
        return pointer.mem, pointer.ptr
    memory = _pool.allocate(nbytes, stream)
    return memory, memory.block.pointer


def free_idle_memory() -> None:
    """Give what the pool holds idle on the current device back to the driver."""
    _pool.free_all_blocks()


def fast_bin(nbytes: int, stream: Stream) -> list[Block]:
    """The list that launches pop blocks from and freed memory is appended to.

    An always empty one while a user's allocator is set, so that :func:`allocate` is asked.
    """
    if _user_allocator is not None or nbytes == 0:
        return []
    return _pool.arena(stream).bin((nbytes + UNIT - 1) // UNIT * UNIT)


def set_allocator(allocator: Callable[[int], MemoryPointer] | None = None) -> None:
    """Let arrays get their memory from ``allocator``.

    Parameters
    ----------
    allocator : callable, optional
        Takes a number of bytes, returns a :class:`MemoryPointer`. ``None`` allocates every
        array for itself, without a pool.
    """
    global _user_allocator, _pool
    pool = getattr(allocator, "__self__", None)
    if allocator is None:
        _user_allocator = malloc
    elif isinstance(pool, MemoryPool) and allocator == pool.malloc:
        _user_allocator, _pool = None, pool
    elif not callable(allocator):
        raise TypeError(f"set_allocator: {allocator!r} is neither callable nor None")
    else:
        _user_allocator = allocator
    for stream in list(streams.values()):
        stream.drop_plans()  # they hold the lists of the former pool


def get_allocator() -> Callable[[int], MemoryPointer]:
    """The allocator that arrays get their memory from."""
    return _pool.malloc if _user_allocator is None else _user_allocator


def alloc(size: int) -> MemoryPointer:
    """Device memory from the current allocator."""
    memory, address = allocate(checked_size("alloc", size))
    return MemoryPointer(memory, address - memory.pointer)


def get_default_memory_pool() -> MemoryPool:
    """The pool that arrays use unless another allocator is set."""
    return default_pool


if config.checks:
    # Reused memory would hide reads of what nobody wrote, and the pool's rounding what lies
    # just outside of an array.
    set_allocator(None)
