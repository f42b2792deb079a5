"""Emulated functions for ranges of addresses, and for memory that is created and mapped there.

Memory that is mapped side by side is one run: an access may cross from one to the next, as on a
GPU. Without a mapping the memory has no address, so what it holds is kept beside.

An interrupt may come behind any call. What has to change together is changed without one in
between, and a call that was interrupted can be made again.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass, field

from ..structs import CUmemAccessDesc, CUmemAllocationProp, CUmemLocation
from .capture import refuse_unsafe
from .machine import DEVICE_BYTES, EmulatedAllocation, EmulatedDevice, Machine
from .statuses import (
    INVALID_DEVICE,
    INVALID_HANDLE,
    INVALID_VALUE,
    NOT_SUPPORTED,
    OUT_OF_MEMORY,
    Failure,
)

__all__ = ["AddressRangeCalls"]

#: Sizes and addresses of mapped memory are multiples of this, as on a GPU.
_GRANULARITY = 2 << 20
_PINNED, _ON_DEVICE = 1, 1  # CUmemAllocationType, CUmemLocationType
_ACCESSES = (0, 1, 3)  # CUmemAccess_flags
_FIRST_HANDLE, _HANDLE_STEP = 0x7000_0000, 0x40


@dataclass(eq=False)
class CreatedMemory:
    """Memory that was created: it goes when its handle was released and it is not mapped."""

    device: EmulatedDevice
    nbytes: int
    address: int = 0
    released: bool = False
    contents: bytes = b""
    #: Access flags of the devices, by ordinal.
    grants: dict[int, int] = field(default_factory=dict)

    @property
    def ordinal(self) -> int:
        """The number of its device."""
        return self.device.ordinal

    def accessible_from(self, device: EmulatedDevice) -> bool:
        """Whether kernels of a device may access it."""
        return bool(self.grants.get(device.ordinal))


class AddressRangeCalls:
    """Ranges of addresses; the methods have the names of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        #: Reserved addresses: start and bytes.
        self._reserved: dict[int, int] = {}
        self._created: dict[int, CreatedMemory] = {}
        self._next_handle = _FIRST_HANDLE
        #: What is mapped, by address, and these addresses sorted.
        self._mapped: dict[int, CreatedMemory] = {}
        self._starts: list[int] = []

    # --- addresses

    def mem_address_reserve(self, nbytes: int, alignment: int, hint: int, flags: int) -> int:
        if flags or not nbytes or nbytes % _GRANULARITY or alignment & (alignment - 1):
            raise Failure(
                INVALID_VALUE,
                f"{nbytes} bytes aligned to {alignment} with flags {flags}: sizes are multiples of "
                f"{_GRANULARITY}, alignments powers of two, and there are no flags",
            )
        try:
            address = self._machine.arena.reserve(nbytes, max(alignment, _GRANULARITY))
        except MemoryError as error:
            raise Failure(OUT_OF_MEMORY, str(error)) from None
        self._reserved[address] = nbytes
        return address

    def mem_address_free(self, pointer: int, nbytes: int) -> None:
        if self._reserved.get(pointer) != nbytes:
            raise Failure(INVALID_VALUE, f"{nbytes} bytes at 0x{pointer:x} were not reserved")
        if any(pointer <= start < pointer + nbytes for start in self._starts):
            raise Failure(INVALID_VALUE, f"memory is mapped in {nbytes} bytes at 0x{pointer:x}")
        del self._reserved[pointer]
        self._machine.arena.end_reservation(pointer)

    # --- memory without an address

    def mem_get_allocation_granularity(self, properties: int | None, option: int) -> int:
        self._device_of(properties)
        if option not in (0, 1):
            raise Failure(INVALID_VALUE, f"there is no granularity {option}")
        return _GRANULARITY

    def mem_create(self, nbytes: int, properties: int | None, flags: int) -> int:
        device = self._device_of(properties)
        refuse_unsafe(self._machine, "creating memory")
        if flags or not nbytes or nbytes % _GRANULARITY:
            raise Failure(
                INVALID_VALUE,
                f"{nbytes} bytes with flags {flags}: sizes are multiples of {_GRANULARITY}, and "
                "there are no flags",
            )
        if nbytes > DEVICE_BYTES - device.used_bytes:
            raise Failure(
                OUT_OF_MEMORY,
                f"{nbytes} bytes asked for, {DEVICE_BYTES - device.used_bytes} of {DEVICE_BYTES} "
                f"are free on emulated device {device.ordinal}",
            )
        memory = CreatedMemory(device, nbytes)
        handle = self._next_handle
        self._next_handle += _HANDLE_STEP
        self._created[handle] = memory
        device.used_bytes += nbytes
        return handle

    def _device_of(self, properties: int | None) -> EmulatedDevice:
        if not properties:
            raise Failure(INVALID_VALUE, "the properties of the memory are null")
        given = CUmemAllocationProp.from_address(properties)
        if given.type != _PINNED or given.win32HandleMetaData or given.usage:
            raise Failure(INVALID_VALUE, f"there is no memory of type {given.type} to create")
        if given.location.type != _ON_DEVICE or given.requestedHandleTypes or given.compressionType:
            raise Failure(NOT_SUPPORTED, "emulated memory is that of a device, and not exported")
        device = self._machine.device(given.location.id)
        if device.fault is not None:
            raise device.fault.with_traceback(None)
        return device

    def mem_release(self, handle: int) -> None:
        memory = self._created.get(handle)
        if memory is None:
            raise Failure(INVALID_VALUE, f"0x{handle:x} is no handle of memory")
        del self._created[handle]
        memory.released = True
        if not memory.address:
            memory.device.used_bytes -= memory.nbytes

    # --- mappings

    def mem_map(self, pointer: int, nbytes: int, offset: int, handle: int, flags: int) -> None:
        memory = self._created.get(handle)
        if memory is None:
            raise Failure(INVALID_HANDLE, f"0x{handle:x} is no handle of memory")
        if pointer % _GRANULARITY or nbytes % _GRANULARITY or not nbytes or offset or flags:
            raise Failure(
                INVALID_VALUE,
                f"{nbytes} bytes at 0x{pointer:x}, offset {offset}, flags {flags}: addresses and "
                f"sizes are multiples of {_GRANULARITY}, offset and flags are 0",
            )
        if nbytes > memory.nbytes:
            raise Failure(INVALID_VALUE, f"{nbytes} bytes of {memory.nbytes} cannot be mapped")
        if not self._is_reserved(pointer, nbytes):
            raise Failure(INVALID_VALUE, f"{nbytes} bytes at 0x{pointer:x} are not reserved")
        if self._overlapping(pointer, nbytes):
            raise Failure(INVALID_VALUE, f"memory is mapped in {nbytes} bytes at 0x{pointer:x}")
        if memory.address or nbytes != memory.nbytes:
            raise Failure(NOT_SUPPORTED, "the emulator maps all of some memory, and maps it once")
        arena = self._machine.arena
        arena.drop_pages(pointer, nbytes)
        if memory.contents:
            offset = pointer - arena.base
            arena.bytes[offset : offset + nbytes] = bytearray(memory.contents)
        index = bisect.bisect_left(self._starts, pointer)
        memory.contents = b""
        memory.address = pointer
        self._mapped[pointer] = memory
        self._starts[index:index] = [pointer]

    def mem_unmap(self, pointer: int, nbytes: int) -> None:
        found = self._overlapping(pointer, nbytes)
        last = self._mapped[found[-1]].nbytes + found[-1] if found else 0
        inside = not found or (found[0] >= pointer and last <= pointer + nbytes)
        if not self._is_reserved(pointer, nbytes) or not inside:
            raise Failure(
                INVALID_VALUE,
                f"{nbytes} bytes at 0x{pointer:x} are not reserved, or cut a mapping in two",
            )
        refuse_unsafe(self._machine, "unmapping memory")
        for start in found:
            self._unmap(start, self._mapped[start])

    def _unmap(self, pointer: int, memory: CreatedMemory) -> None:
        machine, nbytes = self._machine, memory.nbytes
        if not memory.released:
            offset = pointer - machine.arena.base
            memory.contents = machine.arena.bytes[offset : offset + nbytes].tobytes()
        machine.drop_mapped(pointer, nbytes)
        memory.grants.clear()
        machine.arena.drop_pages(pointer, nbytes)
        index = bisect.bisect_left(self._starts, pointer)
        del self._starts[index], self._mapped[pointer]
        memory.address = 0
        if memory.released:
            memory.device.used_bytes -= nbytes

    def _is_reserved(self, pointer: int, nbytes: int) -> bool:
        return any(
            start <= pointer and pointer + nbytes <= start + size
            for start, size in self._reserved.items()
        )

    def _overlapping(self, pointer: int, nbytes: int) -> list[int]:
        """The addresses of what is mapped in a range."""
        low = bisect.bisect_left(self._starts, pointer)
        if low:
            before = self._starts[low - 1]
            if before + self._mapped[before].nbytes > pointer:
                low -= 1
        return self._starts[low : bisect.bisect_left(self._starts, pointer + nbytes)]

    # --- access

    def mem_set_access(
        self, pointer: int, nbytes: int, descriptions: int | None, count: int
    ) -> None:
        found = self._overlapping(pointer, nbytes)
        covered = sum([self._mapped[start].nbytes for start in found])
        if not found or found[0] != pointer or covered != nbytes:
            raise Failure(INVALID_VALUE, f"{nbytes} bytes at 0x{pointer:x} are not whole mappings")
        if not descriptions or not count:
            raise Failure(INVALID_VALUE, "no access is described")
        given = (CUmemAccessDesc * count).from_address(descriptions)
        for one in given:
            self._check_location(one.location)
            if one.flags not in _ACCESSES:
                raise Failure(INVALID_VALUE, f"there is no access {one.flags}")
        for start in found:
            memory = self._mapped[start]
            memory.grants.update({one.location.id: one.flags for one in given})
            if not self._machine.is_mapped(start):
                allocation = EmulatedAllocation(
                    memory.device.primary, start, memory.nbytes, "mapped", 0
                )
                allocation.reserved = next(
                    (at, size) for at, size in self._reserved.items() if at <= start < at + size
                )
                self._machine.add_mapped(allocation, memory)
        self._machine.space.refresh()

    def mem_get_access(self, location: int | None, pointer: int) -> int:
        if not location:
            raise Failure(INVALID_VALUE, "the location is null")
        where = CUmemLocation.from_address(location)
        self._check_location(where)
        found = self._overlapping(pointer, 1)
        if not found:
            raise Failure(INVALID_VALUE, f"nothing is mapped at 0x{pointer:x}")
        return self._mapped[found[0]].grants.get(where.id, 0)

    def _check_location(self, location: CUmemLocation) -> None:
        if location.type != _ON_DEVICE:
            raise Failure(NOT_SUPPORTED, "access is that of a device")
        if not 0 <= location.id < len(self._machine.devices):
            raise Failure(INVALID_DEVICE, f"device {location.id} does not exist")
