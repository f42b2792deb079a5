"""Emulated functions for stream-ordered allocation and its memory pools.

Freed memory returns to the arena at once, so that every later use is noticed. The memory that a
driver's pool would hold on to is only counted.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any

from gpuarray._integers import round_up

from ..structs import CUmemAccessDesc, CUmemLocation, CUmemPoolProps
from .capture import submit
from .graph import MEM_ALLOC, MEM_FREE, StreamOperation
from .machine import DEVICE_BYTES, ContextObject, EmulatedAllocation, EmulatedDevice, Machine
from .statuses import INVALID_DEVICE, INVALID_VALUE, NOT_SUPPORTED, OUT_OF_MEMORY, Failure
from .stream import EmulatedStream, any_stream

__all__ = ["EmulatedPool", "PoolCalls"]

#: A pool takes memory from its device in multiples of this.
_CHUNK = 32 << 20
_PINNED, _ON_DEVICE = 1, 1  # CUmemAllocationType, CUmemLocationType
_READ_WRITE = 3
#: CUmemPool_attribute
_THRESHOLD, _RESERVED, _RESERVED_HIGH, _USED, _USED_HIGH = 4, 5, 6, 7, 8
_REUSE = (1, 2, 3)  # three switches, whose values are ints


@dataclass(eq=False)
class EmulatedPool(ContextObject):
    """A memory pool."""

    noun = "pool"
    machine: Machine
    max_bytes: int = 0
    handle: int = 0
    used: int = 0
    reserved: int = 0
    attributes: dict[int, int] = field(
        default_factory=lambda: {1: 1, 2: 1, 3: 1, _THRESHOLD: 0, _RESERVED_HIGH: 0, _USED_HIGH: 0}
    )
    #: Access flags of other devices, by ordinal.
    access: dict[int, int] = field(default_factory=dict)
    closed: bool = False

    def count_allocation(self, nbytes: int) -> None:
        """Count memory that is allocated from the pool."""
        if self.max_bytes and self.used + nbytes > self.max_bytes:
            raise Failure(OUT_OF_MEMORY, f"{nbytes} bytes more than the pool's {self.max_bytes}")
        more = max(0, round_up(self.used + nbytes, _CHUNK) - self.reserved)
        free = DEVICE_BYTES - self.device.used_bytes
        if more > free:  # the last chunk need not be whole
            more = max(0, self.used + nbytes - self.reserved)
        if more > free:
            raise Failure(
                OUT_OF_MEMORY,
                f"{nbytes} bytes asked for, {free} of {DEVICE_BYTES} are free on emulated device "
                f"{self.device.ordinal}",
            )
        self.used += nbytes
        self._set_reserved(self.reserved + more)
        high = self.attributes
        high[_USED_HIGH] = max(high[_USED_HIGH], self.used)
        high[_RESERVED_HIGH] = max(high[_RESERVED_HIGH], self.reserved)

    def count_free(self, nbytes: int) -> None:
        """Count memory that was freed."""
        self.used -= nbytes
        if self.closed and not self.used:
            self._set_reserved(0)

    def trim_to(self, nbytes: int) -> None:
        """Release unused memory to the device, as long as more than `nbytes` are reserved."""
        self._set_reserved(min(self.reserved, max(round_up(self.used, _CHUNK), nbytes)))

    def release_unused(self) -> None:
        """Release what is reserved beyond the threshold, as every synchronisation does."""
        if self.reserved > self.attributes[_THRESHOLD]:
            self.trim_to(self.attributes[_THRESHOLD])

    def _set_reserved(self, nbytes: int) -> None:
        self.device.used_bytes += nbytes - self.reserved
        self.reserved = nbytes

    def close(self) -> None:
        device = self.device
        device.pools.remove(self)
        if device.current_pool == self.handle:
            device.current_pool = device.default_pool
        if device.default_pool == self.handle:
            device.default_pool = device.current_pool = 0
        self.closed = True
        if not self.used:
            self._set_reserved(0)


class _GraphAllocation(StreamOperation):
    """Allocates nothing at run time: the memory exists as long as the graph does."""

    kind = MEM_ALLOC


class _Free(StreamOperation):
    """Frees memory, unless it belongs to a graph."""

    kind = MEM_FREE

    def __init__(self, allocation: EmulatedAllocation) -> None:
        self.allocation = allocation

    def run(self, machine: Machine) -> None:
        allocation = self.allocation
        if allocation.kind == "graph":
            return
        if machine.allocations.get(allocation.address) is not allocation:
            raise Failure(INVALID_VALUE, f"0x{allocation.address:x} was freed already")
        machine.release(allocation)


class PoolCalls:
    """Stream-ordered memory; the methods have the names of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    # --- allocation

    def mem_alloc_async(self, nbytes: int, stream: int) -> int:
        target = self._stream(stream)
        return self._allocate(nbytes, self._current(target.device), target)

    def mem_alloc_from_pool_async(self, nbytes: int, pool: int, stream: int) -> int:
        return self._allocate(nbytes, self._machine.get(pool, EmulatedPool), self._stream(stream))

    def _allocate(self, nbytes: int, pool: EmulatedPool, stream: EmulatedStream) -> int:
        machine = self._machine
        if not nbytes:
            raise Failure(INVALID_VALUE, "0 bytes cannot be allocated")
        if stream.capture is not None:
            return self._allocate_in_graph(nbytes, stream)
        pool.count_allocation(nbytes)
        address = machine.space.allocate(nbytes, pool)
        machine.add_allocation(stream.context, address, nbytes, "pool").pool = pool
        return address

    def _allocate_in_graph(self, nbytes: int, stream: EmulatedStream) -> int:
        machine, device = self._machine, stream.device
        stream.capture.check()
        if nbytes > DEVICE_BYTES - device.used_bytes:
            raise Failure(OUT_OF_MEMORY, f"{nbytes} bytes for a graph are not free")
        address = machine.space.allocate(nbytes, device)
        device.used_bytes += nbytes
        allocation = machine.add_allocation(stream.context, address, nbytes, "graph")
        stream.capture.graph.memory.allocations.append(allocation)
        stream.capture.record(stream, _GraphAllocation())
        return address

    def mem_free_async(self, pointer: int, stream: int) -> None:
        target = self._stream(stream)
        if not pointer:
            return
        allocation = self._machine.allocations.get(pointer)
        if allocation is not None and allocation.kind == "managed":
            raise Failure(NOT_SUPPORTED, "managed memory cannot be freed in stream order")
        # Memory of `mem_alloc` may come here as well.
        if allocation is None or allocation.kind not in ("pool", "graph", "device"):
            raise Failure(
                INVALID_VALUE,
                f"0x{pointer:x} is not the start of a live allocation: it was freed already, or "
                "never allocated on the device",
            )
        if target.capture is not None and allocation.kind != "graph":
            raise Failure(
                INVALID_VALUE, "a graph frees what a graph allocated; this was allocated outside"
            )
        submit(self._machine, target, _Free(allocation))

    def _stream(self, stream: int) -> EmulatedStream:
        self._machine.current()
        return any_stream(self._machine, stream)

    # --- the pools of a device

    def _default(self, device: EmulatedDevice) -> int:
        if not device.default_pool:
            device.default_pool = self._add(device, 0)
            device.current_pool = device.current_pool or device.default_pool
        return device.default_pool

    def _current(self, device: EmulatedDevice) -> EmulatedPool:
        self._default(device)
        return self._machine.get(device.current_pool, EmulatedPool)

    def _add(self, device: EmulatedDevice, max_bytes: int) -> int:
        pool = EmulatedPool(device.primary, self._machine, max_bytes)
        pool.handle = self._machine.add(pool)
        device.pools.append(pool)
        return pool.handle

    def device_get_default_mem_pool(self, device: int) -> int:
        return self._default(self._machine.device(device))

    def device_get_mem_pool(self, device: int) -> int:
        return self._current(self._machine.device(device)).handle

    def device_set_mem_pool(self, device: int, pool: int) -> None:
        owner, chosen = self._machine.device(device), self._machine.get(pool, EmulatedPool)
        if chosen.device is not owner:
            raise Failure(INVALID_DEVICE, f"the pool belongs to device {chosen.device.ordinal}")
        self._default(owner)
        owner.current_pool = pool

    # --- pools

    def mem_pool_create(self, properties: int | None) -> int:
        if not properties:
            raise Failure(INVALID_VALUE, "the properties of the pool are null")
        props = CUmemPoolProps.from_address(properties)
        if props.allocType != _PINNED or props.location.type != _ON_DEVICE:
            raise Failure(INVALID_VALUE, "a pool is of pinned memory on a device")
        if props.handleTypes:
            raise Failure(NOT_SUPPORTED, "pools cannot be exported")
        return self._add(self._machine.device(props.location.id), props.maxSize)

    def mem_pool_destroy(self, pool: int) -> None:
        target = self._machine.get(pool, EmulatedPool)
        if target.device.default_pool == pool:
            raise Failure(INVALID_VALUE, "a device's default pool cannot be destroyed")
        self._machine.forget(pool)

    def mem_pool_trim_to(self, pool: int, nbytes: int) -> None:
        self._machine.get(pool, EmulatedPool).trim_to(nbytes)

    def mem_pool_get_attribute(self, pool: int, attribute: int, value: int | None) -> None:
        target = self._machine.get(pool, EmulatedPool)
        output = _attribute_value(attribute, value)
        if attribute == _USED:
            output.value = target.used
        elif attribute == _RESERVED:
            output.value = target.reserved
        else:
            output.value = target.attributes[attribute]

    def mem_pool_set_attribute(self, pool: int, attribute: int, value: int | None) -> None:
        target = self._machine.get(pool, EmulatedPool)
        new_value = _attribute_value(attribute, value).value
        if attribute in (_USED, _RESERVED):
            raise Failure(INVALID_VALUE, f"pool attribute {attribute} cannot be set")
        if attribute in (_USED_HIGH, _RESERVED_HIGH):
            if new_value:
                raise Failure(INVALID_VALUE, "a high watermark can only be set to 0")
            new_value = target.used if attribute == _USED_HIGH else target.reserved
        target.attributes[attribute] = new_value

    def mem_pool_set_access(self, pool: int, descriptions: int | None, count: int) -> None:
        target = self._machine.get(pool, EmulatedPool)
        if not (descriptions and count):
            raise Failure(INVALID_VALUE, "no access is described")
        for description in (CUmemAccessDesc * count).from_address(descriptions):
            device = self._location(description.location)
            if device is target.device and description.flags != _READ_WRITE:
                raise Failure(INVALID_VALUE, "a device always has access to its own pools")
            target.access[device.ordinal] = description.flags
        self._machine.space.refresh()

    def mem_pool_get_access(self, pool: int, location: int | None) -> int:
        target = self._machine.get(pool, EmulatedPool)
        if not location:
            raise Failure(INVALID_VALUE, "the location is null")
        device = self._location(CUmemLocation.from_address(location))
        return target.access.get(device.ordinal, _READ_WRITE if device is target.device else 0)

    def _location(self, location: CUmemLocation) -> EmulatedDevice:
        if location.type != _ON_DEVICE:
            raise Failure(INVALID_VALUE, "the location is not a device")
        return self._machine.device(location.id)


def _attribute_value(attribute: int, address: int | None) -> Any:
    """The caller's storage for an attribute's value, as a ctypes object of its type."""
    if not address:
        raise Failure(INVALID_VALUE, "the pointer to the value is null")
    if attribute in _REUSE:
        return ctypes.c_int.from_address(address)
    if not _THRESHOLD <= attribute <= _USED_HIGH:
        raise Failure(INVALID_VALUE, f"there is no pool attribute {attribute}")
    return ctypes.c_uint64.from_address(address)
