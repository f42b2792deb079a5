"""The state that the emulated functions share: devices, contexts, handles and memory."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from ..own_thread import in_own_thread
from ..sticky_errors import KERNEL_FAULTS
from .address_space import AddressSpace
from .collection import collected
from .faults import DeviceFault
from .memory import Arena
from .statuses import (
    CONTEXT_IS_DESTROYED,
    INVALID_CONTEXT,
    INVALID_DEVICE,
    INVALID_HANDLE,
    NOT_PERMITTED,
    Failure,
)
from .stream_order import StreamOrder

__all__ = [
    "DEVICE_BYTES",
    "EmulatedAllocation",
    "EmulatedContext",
    "EmulatedDevice",
    "Machine",
    "ContextObject",
]

#: Memory of each device; it is only reserved, and pages that are never touched cost nothing.
DEVICE_BYTES = 4 << 30
#: Address space for page-locked host memory, shared memory and local memory.
_HOST_BYTES = 4 << 30
#: Address space for ranges that programs reserve.
_RESERVED_BYTES = 256 << 30
_SMALLEST_ARENA = 256 << 20
#: Handles look like addresses and are never reused, so that a stale one is always noticed.
_FIRST_HANDLE = 0x5000_0000
_HANDLE_STEP = 0x40


@dataclass(eq=False)
class EmulatedDevice:
    """A device."""

    ordinal: int
    #: How often the primary context is retained, and its flags when it is next created.
    retained: int = 0
    primary_flags: int = 0
    used_bytes: int = 0
    #: Memory pools of stream-ordered allocation: every one, and the handles of the default pool
    #: (made at first use) and of the one that allocations take from.
    pools: list[Any] = field(default_factory=list)
    default_pool: int = 0
    current_pool: int = 0
    #: The fault of a kernel, which outlives the contexts: nothing in a process clears it.
    fault: Failure | None = None
    #: Set right after the devices are created, since each refers to the other.
    primary: EmulatedContext = None  # type: ignore[assignment]


@dataclass(eq=False)
class EmulatedContext:
    """A context of a device. A primary one is alive while it is retained."""

    device: EmulatedDevice
    handle: int
    flags: int = 0
    alive: bool = True
    #: The fault of a kernel on the device: every later call that needs this context raises it.
    fault: Failure | None = None
    #: Contexts whose memory this one may access.
    peers: set[EmulatedContext] = field(default_factory=set)
    limits: dict[int, int] = field(default_factory=dict)
    #: The default streams: by thread, and under None the legacy one.
    default_streams: dict[int | None, Any] = field(default_factory=dict)

    @property
    def primary(self) -> bool:
        return self.device.primary is self


@dataclass(eq=False)
class EmulatedAllocation:
    """Memory that a driver call allocated, or host memory that one registered."""

    context: EmulatedContext
    address: int
    nbytes: int
    #: 'device', 'managed', 'host', 'registered', 'pool', 'graph', 'array', 'opened' or 'mapped'
    kind: str
    buffer_id: int
    flags: int = 0
    #: The memory pool of kind 'pool'.
    pool: Any = None
    #: Start and bytes of the reserved addresses that memory of kind 'mapped' is at.
    reserved: tuple[int, int] | None = None
    #: Makes the handle for other processes void, if there is one.
    shared_by: Callable[[], object] | None = None

    @property
    def device(self) -> EmulatedDevice:
        return self.context.device


@dataclass(eq=False)
class ContextObject:
    """Base of the objects that handles name; they are destroyed with their context."""

    context: EmulatedContext

    @property
    def device(self) -> EmulatedDevice:
        return self.context.device

    #: What messages call the object.
    noun = "object"
    #: The status of calls with the handle after a reset destroyed the object.
    gone = INVALID_HANDLE

    def close(self) -> None:
        """Release what the object holds."""


_T = TypeVar("_T", bound=ContextObject)


class Machine:
    """The state of one emulated driver."""

    def __init__(self, device_count: int, sticky_faults: bool) -> None:
        self._sticky_faults = sticky_faults
        #: Held by every call: kernels run one at a time.
        self.lock = threading.RLock()
        #: Threads wait here for calls of other threads.
        self.arrivals = threading.Condition(self.lock)
        self.devices = [EmulatedDevice(ordinal) for ordinal in range(device_count)]
        self.contexts: dict[int, EmulatedContext] = {}
        for device in self.devices:
            device.primary = EmulatedContext(device, 0x4000_0000 + (device.ordinal + 1) * 0x1000)
            device.primary.alive = False
            self.contexts[device.primary.handle] = device.primary
        #: Live allocations by their address.
        self.allocations: dict[int, EmulatedAllocation] = {}
        #: Memory that is mapped to reserved addresses, which belongs to no context.
        self._mapped: dict[int, EmulatedAllocation] = {}
        #: Captures of streams that have not ended.
        self.captures: list[Any] = []
        self._buffer_ids = 0
        self._handles: dict[int, ContextObject] = {}
        #: Types of the objects that resets destroyed, by handle.
        self._gone: dict[int, type[ContextObject]] = {}
        self._next_handle = _FIRST_HANDLE
        self._thread = threading.local()
        in_callback = Failure(NOT_PERMITTED, "a host function must not call the driver")
        self._callback_context = EmulatedContext(self.devices[0], 0, fault=in_callback)

    @cached_property
    def space(self) -> AddressSpace:
        """The memory of all devices and of the host, in one address space as on hardware."""
        size = DEVICE_BYTES * len(self.devices) + _HOST_BYTES + _RESERVED_BYTES
        while True:
            try:
                space = AddressSpace(Arena(size))
                break
            except (OSError, MemoryError):  # address space is limited: try with less
                size //= 2
                if size < _SMALLEST_ARENA:
                    raise
        if len(self.devices) > 1:
            space.add_windows(self.contexts.values())
        return space

    @property
    def arena(self) -> Arena:
        """All memory, regardless of who may access it."""
        return self.space.arena

    @property
    def order(self) -> StreamOrder | None:
        """The order of the streams' operations, while the checkers are on."""
        checker = self.arena.checker
        return None if checker is None else checker.order

    # --- devices and contexts

    def device(self, ordinal: int) -> EmulatedDevice:
        if not 0 <= ordinal < len(self.devices):
            raise Failure(
                INVALID_DEVICE, f"device {ordinal} does not exist: there are {len(self.devices)}"
            )
        return self.devices[ordinal]

    def context(self, handle: int) -> EmulatedContext:
        """The context of a handle; a primary one need not be alive."""
        context = self.contexts.get(handle)
        if context is None:
            raise Failure(INVALID_CONTEXT, f"0x{handle:x} is not a live context")
        return context

    def live_context(self, handle: int) -> EmulatedContext:
        context = self.context(handle)
        if not context.alive:
            raise Failure(CONTEXT_IS_DESTROYED, f"context 0x{handle:x} was destroyed")
        return context

    def new_context(self, device: EmulatedDevice, flags: int) -> EmulatedContext:
        """A context beside the primary one."""
        if device.fault is not None:
            raise device.fault.with_traceback(None)
        context = EmulatedContext(device, self._new_handle(), flags)
        self.contexts[context.handle] = context
        self.space.add_context(context)
        return context

    @property
    def stack(self) -> list[EmulatedContext]:
        """This thread's stack of contexts, changed by `make_current`, `push` and `pop` only."""
        stack = getattr(self._thread, "stack", None)
        if stack is None:
            stack = self._thread.stack = []
        return stack

    def make_current(self, context: EmulatedContext | None) -> None:
        """Replace the top of this thread's stack; None takes it away."""
        stack = self.stack
        if stack:
            stack.pop()
        if context is not None:
            stack.append(context)
        self._thread.context = stack[-1] if stack else None

    def push(self, context: EmulatedContext) -> None:
        self.stack.append(context)
        self._thread.context = context

    def pop(self) -> EmulatedContext:
        stack = self.stack
        if not stack:
            raise Failure(INVALID_CONTEXT, "no context is current in this thread")
        context = stack.pop()
        self._thread.context = stack[-1] if stack else None
        return context

    def current_or_none(self) -> EmulatedContext | None:
        return getattr(self._thread, "context", None)

    def current(self) -> EmulatedContext:
        """This thread's current context; raises if it cannot be used."""
        context = getattr(self._thread, "context", None)
        if context is None or context.fault is not None or not context.alive:
            raise unusable(context)
        return context

    def call_host(self, function: Callable[[], object]) -> None:
        """Call a host function in a thread of its own, as a driver does.

        The lock is released meanwhile, and the function's driver calls are refused.
        """

        def work() -> None:
            self._thread.context = self._callback_context
            function()

        def unlocked() -> None:
            self.lock.release()
            try:
                in_own_thread(work)
            finally:
                self.lock.acquire()

        collected(unlocked)

    def note_fault(self, device: EmulatedDevice, fault: DeviceFault) -> None:
        """Mark a device as lost after the fault of a kernel, where faults are sticky."""
        if not self._sticky_faults or fault.status not in KERNEL_FAULTS:
            return
        why = Failure(fault.status, f"an earlier kernel of this device failed: {fault.message}")
        device.fault = why
        for context in self.contexts.values():
            if context.device is device:
                context.fault = why

    def destroy_contents(self, context: EmulatedContext) -> None:
        """Destroy every object and allocation of a context."""
        for handle in self.handles_of(lambda obj: obj.context is context):
            if handle in self._handles:  # unloading a module removes its functions' handles
                self._gone[handle] = type(self._handles[handle])
                self.forget(handle)
        for allocation in [a for a in self.allocations.values() if a.context is context]:
            self.release(allocation)
        self.captures = [c for c in self.captures if c.context is not context]
        context.peers.clear()
        for other in self.contexts.values():
            other.peers.discard(context)
        context.limits.clear()
        context.default_streams.clear()
        context.fault = None
        self.space.refresh()

    # --- memory

    def add_allocation(
        self, context: EmulatedContext, address: int, nbytes: int, kind: str, flags: int = 0
    ) -> EmulatedAllocation:
        """Add an allocation to the table."""
        self._buffer_ids += 1
        allocation = EmulatedAllocation(context, address, nbytes, kind, self._buffer_ids, flags)
        self.allocations[address] = allocation
        checker = self.arena.checker
        if checker is not None and kind != "registered":
            checker.host_allocated(
                address,
                nbytes,
                fresh=kind in ("device", "pool", "graph", "array"),
                kind=kind if kind in ("host", "managed") else "",
            )
        return allocation

    def release(self, allocation: EmulatedAllocation) -> None:
        """Free an allocation."""
        del self.allocations[allocation.address]
        if allocation.kind == "registered":
            self.space.unmap(allocation.address)
            return
        if allocation.kind == "opened":
            self.space.close_shared(allocation.address)
            return
        if allocation.shared_by is not None:
            allocation.shared_by()
        self.space.free(allocation.address, at_once=False)
        if allocation.kind == "pool":
            allocation.pool.count_free(allocation.nbytes)
        elif allocation.kind != "host":
            allocation.device.used_bytes -= allocation.nbytes

    def allocation_of(self, address: int) -> EmulatedAllocation | None:
        """The live allocation that holds an address."""
        found = self.space.find(address)
        if found is None:
            return None
        allocation = self.allocations.get(found[0])
        if allocation is None and self._mapped:
            start = self.space.mapped_at(address)
            return None if start is None else self._mapped.get(start)
        return allocation

    def add_mapped(self, allocation: EmulatedAllocation, owner: Any) -> None:
        """Add memory at reserved addresses to the table, as soon as a device may access it."""
        self._buffer_ids += 1
        allocation.buffer_id = self._buffer_ids
        self.space.add_mapped(allocation.address, allocation.nbytes, owner)
        self._mapped[allocation.address] = allocation

    def is_mapped(self, address: int) -> bool:
        """Whether `add_mapped` was called for an address, and returned."""
        return address in self._mapped

    def drop_mapped(self, address: int, nbytes: int) -> None:
        """Undo `add_mapped`, or what an interrupt left of it."""
        self.space.drop_mapped(address, nbytes)
        self._mapped.pop(address, None)

    def in_arena(self, address: int) -> bool:
        """Whether an address lies in the arena, allocated or not."""
        return self.arena.base <= address < self.arena.base + self.arena.size

    # --- handles

    def _new_handle(self) -> int:
        handle = self._next_handle
        self._next_handle += _HANDLE_STEP
        return handle

    def add(self, obj: ContextObject) -> int:
        """A handle for an object."""
        handle = self._new_handle()
        self._handles[handle] = obj
        return handle

    def get(self, handle: int, type_: type[_T]) -> _T:
        """The object of a handle of the given type; raises if its context cannot be used."""
        obj = self._handles.get(handle)
        if type(obj) is not type_:
            status = type_.gone if self._gone.get(handle) is type_ else INVALID_HANDLE
            raise Failure(status, f"0x{handle:x} is not a live {type_.noun} handle")
        if obj.context.fault is not None:
            raise unusable(obj.context)
        return obj

    def remove(self, handle: int, type_: type[_T]) -> _T:
        """Remove a handle; the object that it named."""
        obj = self.get(handle, type_)
        del self._handles[handle]
        return obj

    def all_of(self, type_: type[_T]) -> list[_T]:
        """Every object of a type that has a handle."""
        return [obj for obj in self._handles.values() if type(obj) is type_]

    def handles_of(self, belongs: Callable[[Any], bool]) -> list[int]:
        """The handles of objects for which `belongs` is true."""
        return [handle for handle, obj in self._handles.items() if belongs(obj)]

    def forget(self, handle: int) -> None:
        """Remove a handle of any type and close its object."""
        self._handles.pop(handle).close()


def unusable(context: EmulatedContext | None) -> Failure:
    """The failure of a call that needs this context, which cannot be used."""
    if context is None:
        return Failure(INVALID_CONTEXT, "no context is current in this thread")
    if context.fault is not None:
        return context.fault.with_traceback(None)  # it would keep every frame that it passed
    return Failure(CONTEXT_IS_DESTROYED, "this thread's current context was destroyed")
