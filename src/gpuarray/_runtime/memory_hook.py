"""Hooks around what the memory pools do: handing blocks out, taking them back, and growing.

While a hook is active, methods of the pools are replaced by ones that call the hooks, and the
plans that ask for all memory are in use (`allocator.ask`). Without hooks nothing is tested, as long
as not many have come and gone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from gpuarray._runtime import allocator
from gpuarray._runtime.address_range import Growth
from gpuarray._runtime.arena import Arena
from gpuarray._runtime.async_memory import MemoryAsync
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.hooks import Hook, Hooks
from gpuarray._runtime.memory import BaseMemory
from gpuarray._runtime.pool import UNIT, Allocation, MemoryPool
from gpuarray._runtime.stream import Stream

#: How often the methods are put back. Python 3.13 looks attributes up the slow way for ever in a
#: class that has changed about a thousand times, which costs an allocation half as much again. The
#: methods with hooks, when there is none, cost less than that.
_RETURNS = 64
_returned = 0


def _begin() -> None:
    if _returned < _RETURNS or MemoryPool.allocate is _allocate:
        for owner, name, _, hooked in _REPLACED:
            setattr(owner, name, hooked)
    allocator.ask()


def _end() -> None:
    global _returned
    allocator.do_not_ask()
    _hidden.clear()
    if _returned < _RETURNS:
        _returned += 1
        for owner, name, plain, _ in _REPLACED:
            setattr(owner, name, plain)


#: The identities of what callbacks have allocated themselves.
_hidden: set[int] = set()

#: The hooks that are active.
hooks = Hooks("memory hook", begin=_begin, end=_end)


class MemoryHook(Hook):
    """Base class of hooks that are called before and after what memory pools do.

    A hook is active inside its ``with`` block, in the thread that entered it, or in all threads if
    its attribute ``all_threads`` is true. Derived classes override what they need; all arguments
    are keyword arguments.

    ====================  =====================================================
    ``alloc_...``         the pool gets memory from the device
    ``malloc_...``        the pool hands a block out, to an array for instance
    ``free_...``          a block goes back to the pool
    ====================  =====================================================

    Attributes
    ----------
    name : str
        Two hooks that are active at once have different names.
    all_threads : bool
        Whether the hook is called for what all threads do; False by default.

    Notes
    -----
    While no hook is active, an allocation costs what it always does. What a callback allocates or
    frees itself calls no hook. Where an exception comes from a callback before the event, the event
    does not take place; the pool is consistent in any case. Memory of the driver's pools
    (`malloc_async`, `MemoryAsyncPool`) is handed out and comes back; when the driver's pools grow,
    nobody learns. Memory without a pool calls no hook.

    Examples
    --------
    >>> import gpuarray as cp
    >>> class Total(cp.cuda.MemoryHook):
    ...     name = "Total"
    ...     used = 0
    ...
    ...     def malloc_postprocess(self, *, mem_size, **kwargs):
    ...         self.used += mem_size
    >>> with Total() as total:
    ...     x = cp.zeros(100) + 1
    >>> total.used
    2048
    """

    name = "MemoryHook"

    _hooks = hooks

    def alloc_preprocess(self, **kwargs: Any) -> None:
        """Called before a pool gets memory from the device.

        Parameters
        ----------
        device_id : int
            The device.
        mem_size : int
            Bytes, rounded up.
        """

    def alloc_postprocess(self, **kwargs: Any) -> None:
        """Called when a pool got memory from the device, or did not.

        Parameters
        ----------
        device_id : int
            The device.
        mem_size : int
            Bytes, rounded up.
        mem_ptr : int
            Its address; 0 if there was none to be had.
        """

    def malloc_preprocess(self, **kwargs: Any) -> None:
        """Called before a pool hands a block out.

        Parameters
        ----------
        device_id : int
            The device.
        size : int
            Bytes asked for.
        mem_size : int
            Bytes of the block.
        """

    def malloc_postprocess(self, **kwargs: Any) -> None:
        """Called when a pool has handed a block out, or has none.

        Parameters
        ----------
        device_id : int
            The device.
        size : int
            Bytes asked for.
        mem_size : int
            Bytes of the block.
        mem_ptr : int
            Its address, or 0.
        pmem_id : int
            What tells its memory object from others, or 0.
        """

    def free_preprocess(self, **kwargs: Any) -> None:
        """Called before a block goes back to its pool.

        Parameters
        ----------
        device_id : int
            The device.
        mem_size : int
            Bytes of the block.
        mem_ptr : int
            Its address.
        pmem_id : int
            What tells its memory object from others.
        """

    def free_postprocess(self, **kwargs: Any) -> None:
        """Called when a block went back, with the arguments of `free_preprocess`."""


def get_memory_hooks() -> dict[str, MemoryHook]:
    """The hooks that the calling thread has entered, by name.

    Returns
    -------
    dict
        Name to hook, in the order in which they were entered.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.memory_hook.get_memory_hooks()
    {}
    """
    return hooks.of_thread()


def _hand_out(size: int, mem_size: int, stream: Stream, work: Callable[[], Any]) -> Any:
    """Do what returns a memory object, between the callbacks of its hooks."""
    if hooks.calling:
        made = work()
        _hidden.add(id(made))
        return made

    arguments = {"device_id": stream.device.id, "size": size, "mem_size": mem_size}
    return hooks.around("malloc", arguments, work, _handed_out)


def _handed_out(made: BaseMemory | None) -> dict[str, Any]:
    """What the callback behind an allocation gets besides."""
    if made is None:
        return {"mem_ptr": 0, "pmem_id": 0}
    return {"mem_ptr": made.pointer, "pmem_id": id(made)}


def _take_back(memory: BaseMemory, pointer: int, work: Callable[[], None]) -> None:
    """Do what returns memory, between the callbacks of its hooks."""
    if _hidden and id(memory) in _hidden:
        _hidden.discard(id(memory))
        work()
        return
    arguments = {
        "device_id": memory.device.id,
        "mem_size": memory.size,
        "mem_ptr": pointer,
        "pmem_id": id(memory),
    }
    if hooks.calling:  # garbage that was collected inside of a callback
        work()
        hooks.postpone("free", arguments)
        return
    done = False

    def once() -> None:
        nonlocal done
        done = True
        work()

    try:
        hooks.around("free", arguments, once)
    finally:
        if not done:  # a callback raised; memory must not be lost by that
            work()


_allocate, _allocate_async = MemoryPool.allocate, MemoryAsync._allocate
_grow, _release = Arena.grow, MemoryAsync._release


def _hooked_allocate(self: MemoryPool, size: int, stream: Stream | None = None) -> Allocation:
    used = current.stream if stream is None else stream
    mem_size = (size + UNIT - 1) // UNIT * UNIT
    return _hand_out(size, mem_size, used, lambda: _allocate(self, size, used))


def _hooked_allocate_async(self: MemoryAsync, size: int, stream: Stream, pool: int = 0) -> None:
    def work() -> MemoryAsync:
        _allocate_async(self, size, stream, pool)
        return self

    _hand_out(size, size, stream, work)


def _hooked_grow(self: Arena, growth: Growth) -> int:
    def outcome(address: int | None) -> dict[str, Any]:
        return {"mem_ptr": address or 0}

    arguments = {"device_id": self.device.id, "mem_size": growth.size}
    return hooks.around("alloc", arguments, lambda: _grow(self, growth), outcome)


def _hooked_return(plain: Callable[[Allocation], None]) -> Callable[[Allocation], None]:
    """A method of an allocation that returns its block."""

    def give_back(self: Allocation, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        if not hooks.active or ending() or self.lost or not (pointer := self.pointer):
            plain(self)
        else:
            _take_back(self, pointer, lambda: plain(self))

    return give_back


def _hooked_release(self: MemoryAsync, pointer: int, stream: Stream) -> None:
    _take_back(self, pointer, lambda: _release(self, pointer, stream))


#: Owner, name, method without hooks, method with them.
_REPLACED: list[tuple[type, str, Any, Any]] = [
    (MemoryPool, "allocate", _allocate, _hooked_allocate),
    (MemoryAsync, "_allocate", _allocate_async, _hooked_allocate_async),
    (Arena, "grow", _grow, _hooked_grow),
    (Allocation, "__del__", Allocation.__del__, _hooked_return(Allocation.__del__)),
    (Allocation, "free", Allocation.free, _hooked_return(Allocation.free)),
    (MemoryAsync, "_release", _release, _hooked_release),
]
