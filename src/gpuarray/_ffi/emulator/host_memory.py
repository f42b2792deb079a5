"""Emulated functions for page-locked host memory: allocated, or registered afterwards."""

from __future__ import annotations

from .capture import refuse_unsafe
from .machine import EmulatedAllocation, Machine
from .modules import EmulatedModule
from .statuses import (
    HOST_MEMORY_ALREADY_REGISTERED,
    HOST_MEMORY_NOT_REGISTERED,
    INVALID_VALUE,
    Failure,
)

__all__ = ["HostMemoryCalls"]

#: CU_MEMHOSTALLOC_* and CU_MEMHOSTREGISTER_*: all flags together.
_ALLOC_FLAGS = 0b0111
_REGISTER_FLAGS = 0b1011


class HostMemoryCalls:
    """Page-locked memory; the methods have the names of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def mem_host_alloc(self, nbytes: int, flags: int) -> int:
        machine = self._machine
        context = machine.current()
        refuse_unsafe(machine, "allocating page-locked memory")
        if flags & ~_ALLOC_FLAGS:
            raise Failure(INVALID_VALUE, f"page-locked memory has no flags {flags}")
        if nbytes == 0:
            raise Failure(INVALID_VALUE, "0 bytes cannot be allocated")
        address = machine.space.allocate(nbytes, None, for_host=True)
        machine.add_allocation(context, address, nbytes, "host", flags)
        return address

    def mem_host_free(self, address: int | None) -> None:
        if not address:
            return
        self._machine.current()
        refuse_unsafe(self._machine, "freeing page-locked memory")
        allocation = self._machine.allocations.get(address)
        if allocation is None or allocation.kind != "host":
            raise Failure(
                INVALID_VALUE,
                f"0x{address:x} is not the start of a live allocation of page-locked memory: "
                "it was freed already, or never allocated",
            )
        self._machine.release(allocation)

    def mem_host_register(self, address: int | None, nbytes: int, flags: int) -> None:
        machine = self._machine
        context = machine.current()
        refuse_unsafe(machine, "registering host memory")
        if flags & ~_REGISTER_FLAGS:
            raise Failure(INVALID_VALUE, f"registered memory has no flags {flags}")
        if not address or not nbytes:
            raise Failure(INVALID_VALUE, "there is nothing to register")
        if machine.in_arena(address):
            raise Failure(INVALID_VALUE, f"0x{address:x} is memory that the driver allocated")
        if machine.space.overlaps_mapped(address, nbytes):
            raise Failure(HOST_MEMORY_ALREADY_REGISTERED, f"bytes of 0x{address:x} are registered")
        # Kernels see memory outside the arena only through windows.
        if not machine.space.has_windows:
            self._add_windows()
        machine.space.map(address, nbytes)
        machine.add_allocation(context, address, nbytes, "registered", flags)

    def _add_windows(self) -> None:
        machine = self._machine
        machine.space.add_windows(machine.contexts.values())
        for module in machine.all_of(EmulatedModule):
            module.program.arena = machine.space.window(module.context)

    def mem_host_unregister(self, address: int | None) -> None:
        self._machine.current()
        refuse_unsafe(self._machine, "unregistering host memory")
        allocation = self._machine.allocations.get(address or 0)
        if allocation is None or allocation.kind != "registered":
            raise Failure(
                HOST_MEMORY_NOT_REGISTERED, f"0x{address or 0:x} is not the start of a registration"
            )
        self._machine.release(allocation)

    def mem_host_get_device_pointer(self, address: int | None, flags: int) -> int:
        if flags:
            raise Failure(INVALID_VALUE, f"a device pointer has no flags {flags}")
        self._page_locked(address)
        return address or 0  # one address space

    def mem_host_get_flags(self, address: int | None) -> int:
        return self._page_locked(address).flags

    def _page_locked(self, address: int | None) -> EmulatedAllocation:
        self._machine.current()
        allocation = self._machine.allocation_of(address or 0)
        if allocation is None or allocation.kind not in ("host", "registered"):
            raise Failure(INVALID_VALUE, f"0x{address or 0:x} is not page-locked host memory")
        return allocation
