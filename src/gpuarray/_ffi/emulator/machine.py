"""The state that the emulated functions share: devices, contexts, handles and memory."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from .memory import Arena
from .statuses import INVALID_CONTEXT, INVALID_DEVICE, INVALID_HANDLE, Failure

__all__ = ["DEVICE_BYTES", "Allocation", "Device", "Machine", "Owned"]

#: Memory of each device. It is only reserved: pages that nobody touches cost nothing.
DEVICE_BYTES = 4 << 30
#: Address space for page-locked host memory and for what kernels need besides.
_HOST_BYTES = 4 << 30
_SMALLEST_ARENA = 256 << 20
#: Handles look like addresses, and are never reused, so that a stale one is always noticed.
_FIRST_HANDLE = 0x5000_0000
_HANDLE_STEP = 0x40


@dataclass(eq=False)
class Device:
    """A device with its primary context."""

    ordinal: int
    context: int
    retained: int = 0
    used_bytes: int = 0
    #: Ordinals of the devices whose memory this one was given access to.
    peers: set[int] = field(default_factory=set)
    limits: dict[int, int] = field(default_factory=dict)


@dataclass(eq=False)
class Allocation:
    """Memory that a driver call allocated."""

    device: Device
    address: int
    nbytes: int
    kind: str  # 'device', 'managed' or 'host'
    buffer_id: int


@dataclass(eq=False)
class Owned:
    """Base of what a handle stands for: it belongs to a device, and goes with its context."""

    device: Device

    def close(self) -> None:
        """Give back what the object holds."""


_T = TypeVar("_T", bound=Owned)


class Machine:
    """One emulated computer."""

    def __init__(self, device_count: int) -> None:
        #: Held by every call: kernels run one at a time.
        self.lock = threading.RLock()
        self.devices = [
            Device(ordinal, 0x4000_0000 + (ordinal + 1) * 0x1000) for ordinal in range(device_count)
        ]
        self._by_context = {device.context: device for device in self.devices}
        #: Live allocations by their address.
        self.allocations: dict[int, Allocation] = {}
        self._handles: dict[int, Owned] = {}
        self._next_handle = _FIRST_HANDLE
        self._thread = threading.local()

    @cached_property
    def arena(self) -> Arena:
        """The memory of all devices and of the host, in one address space as on hardware."""
        size = DEVICE_BYTES * len(self.devices) + _HOST_BYTES
        while True:
            try:
                return Arena(size)
            except (OSError, MemoryError):  # a limit on address space: take what there is
                size //= 2
                if size < _SMALLEST_ARENA:
                    raise

    # --- devices and contexts

    def device(self, ordinal: int) -> Device:
        if not 0 <= ordinal < len(self.devices):
            raise Failure(
                INVALID_DEVICE, f"device {ordinal} does not exist: there are {len(self.devices)}"
            )
        return self.devices[ordinal]

    def device_of_context(self, context: int) -> Device:
        device = self._by_context.get(context)
        if device is None or not device.retained:
            raise Failure(INVALID_CONTEXT, f"0x{context:x} is not a live context")
        return device

    def make_current(self, device: Device | None) -> None:
        self._thread.device = device

    def current_or_none(self) -> Device | None:
        return getattr(self._thread, "device", None)

    def current(self) -> Device:
        """The device of this thread's current context."""
        device = getattr(self._thread, "device", None)
        if device is None:
            raise Failure(INVALID_CONTEXT, "no context is current in this thread")
        if not device.retained:
            raise Failure(INVALID_CONTEXT, "this thread's current context was destroyed")
        return device

    # --- memory

    def release(self, allocation: Allocation) -> None:
        """Free an allocation."""
        del self.allocations[allocation.address]
        self.arena.free(allocation.address)
        if allocation.kind != "host":
            allocation.device.used_bytes -= allocation.nbytes

    def allocation_of(self, address: int) -> Allocation | None:
        """The live allocation that holds an address."""
        found = self.arena.find(address)
        return None if found is None else self.allocations.get(found[0])

    def in_arena(self, address: int) -> bool:
        """Whether an address is one of the emulator's, allocated or not."""
        return self.arena.base <= address < self.arena.base + self.arena.size

    # --- handles

    def add(self, thing: Owned) -> int:
        """A handle for an object."""
        handle = self._next_handle
        self._next_handle += _HANDLE_STEP
        self._handles[handle] = thing
        return handle

    def get(self, handle: int, type_: type[_T]) -> _T:
        """The object of a handle of the given type."""
        thing = self._handles.get(handle)
        if type(thing) is not type_:
            raise Failure(
                INVALID_HANDLE, f"0x{handle:x} is not a live {type_.__name__.lower()} handle"
            )
        return thing

    def remove(self, handle: int, type_: type[_T]) -> _T:
        """Forget a handle; its object."""
        thing = self.get(handle, type_)
        del self._handles[handle]
        return thing

    def handles_of(self, belongs: Any) -> list[int]:
        """The handles whose object `belongs` says yes to."""
        return [handle for handle, thing in self._handles.items() if belongs(thing)]

    def forget(self, handle: int) -> None:
        """Close and forget a handle of any type."""
        self._handles.pop(handle).close()
