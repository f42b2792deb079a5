"""Emulated functions for memory: allocation, copies and fills."""

from __future__ import annotations

import ctypes

import numpy as np

from .machine import DEVICE_BYTES, Allocation, Machine
from .statuses import INVALID_CONTEXT, INVALID_VALUE, NOT_FOUND, OUT_OF_MEMORY, Failure
from .streams import check_stream

__all__ = ["AllocationCalls"]

_HOST, _DEVICE = 1, 2  # CUmemorytype
_HOST_ALLOC_FLAGS = 0b111
_ATTACH_GLOBAL, _ATTACH_HOST = 1, 2


class AllocationCalls:
    """Memory; the methods have the names of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._buffer_ids = 0

    # --- allocation

    def mem_alloc(self, nbytes: int) -> int:
        return self._allocate(nbytes, "device")

    def mem_alloc_managed(self, nbytes: int, flags: int) -> int:
        if flags not in (_ATTACH_GLOBAL, _ATTACH_HOST):
            raise Failure(INVALID_VALUE, f"managed memory has no flags {flags}")
        return self._allocate(nbytes, "managed")

    def mem_host_alloc(self, nbytes: int, flags: int) -> int:
        if flags & ~_HOST_ALLOC_FLAGS:
            raise Failure(INVALID_VALUE, f"page-locked memory has no flags {flags}")
        return self._allocate(nbytes, "host")

    def _allocate(self, nbytes: int, kind: str) -> int:
        machine = self._machine
        device = machine.current()
        if nbytes == 0:
            raise Failure(INVALID_VALUE, "0 bytes cannot be allocated")
        if kind != "host" and nbytes > DEVICE_BYTES - device.used_bytes:
            raise Failure(
                OUT_OF_MEMORY,
                f"{nbytes} bytes asked for, {DEVICE_BYTES - device.used_bytes} of {DEVICE_BYTES} "
                f"are free on emulated device {device.ordinal}",
            )
        address = machine.arena.allocate(nbytes)
        checker = machine.arena.checker
        if checker is not None:
            checker.of_host(address, nbytes, fresh=kind == "device")
        self._buffer_ids += 1
        machine.allocations[address] = Allocation(device, address, nbytes, kind, self._buffer_ids)
        if kind != "host":
            device.used_bytes += nbytes
        return address

    def mem_free(self, pointer: int) -> None:
        if pointer:  # freeing the null pointer does nothing
            self._free(pointer, ("device", "managed"))

    def mem_host_free(self, address: int | None) -> None:
        if address:
            self._free(address, ("host",))

    def _free(self, address: int, kinds: tuple[str, ...]) -> None:
        self._machine.current()
        allocation = self._machine.allocations.get(address)
        if allocation is None or allocation.kind not in kinds:
            raise Failure(
                INVALID_VALUE,
                f"0x{address:x} is not the start of a live allocation of {' or '.join(kinds)} "
                "memory: it was freed already, or never allocated",
            )
        self._machine.release(allocation)

    def mem_get_info(self) -> tuple[int, int]:
        return DEVICE_BYTES - self._machine.current().used_bytes, DEVICE_BYTES

    def mem_get_address_range(self, pointer: int) -> tuple[int, int]:
        allocation = self._machine.allocation_of(pointer)
        if allocation is None:
            raise Failure(NOT_FOUND, f"0x{pointer:x} is not device memory")
        return allocation.address, allocation.nbytes

    def pointer_attribute(self, attribute: int, pointer: int) -> int:
        allocation = self._machine.allocation_of(pointer)
        if allocation is None:
            raise Failure(INVALID_VALUE, f"0x{pointer:x} is not memory that the driver knows")
        if attribute == 2:
            return _HOST if allocation.kind == "host" else _DEVICE
        values = {
            1: allocation.device.context,
            3: pointer,
            4: pointer if allocation.kind != "device" else 0,
            7: allocation.buffer_id,
            8: int(allocation.kind == "managed"),
            9: allocation.device.ordinal,
            11: allocation.address,
            12: allocation.nbytes,
            13: 1,
        }
        if attribute not in values:
            raise Failure(INVALID_VALUE, f"there is no pointer attribute {attribute}")
        return values[attribute]

    # --- copies

    def memcpy_htod_async(self, target: int, source: int | None, nbytes: int, stream: int) -> None:
        self._check(stream)
        if nbytes:
            self._device_bytes(target, nbytes)
            ctypes.memmove(target, self._host_bytes(source, nbytes), nbytes)
            self._machine.arena.wrote(target, nbytes)

    def memcpy_dtoh_async(self, target: int | None, source: int, nbytes: int, stream: int) -> None:
        self._check(stream)
        if nbytes:
            self._device_bytes(source, nbytes)
            ctypes.memmove(self._host_bytes(target, nbytes), source, nbytes)

    def memcpy_dtod_async(self, target: int, source: int, nbytes: int, stream: int) -> None:
        self._check(stream)
        if nbytes:
            self._device_bytes(target, nbytes)
            self._device_bytes(source, nbytes)
            ctypes.memmove(target, source, nbytes)
            self._machine.arena.copied(target, source, nbytes)

    def memcpy_async(self, target: int, source: int, nbytes: int, stream: int) -> None:
        self._check(stream)
        if nbytes:  # either may be host memory: one address space
            self._host_bytes(target, nbytes)
            self._host_bytes(source, nbytes)
            ctypes.memmove(target, source, nbytes)
            self._machine.arena.copied(target, source, nbytes)

    def memcpy_peer_async(
        self,
        target: int,
        target_context: int,
        source: int,
        source_context: int,
        nbytes: int,
        stream: int,
    ) -> None:
        for address, context in ((target, target_context), (source, source_context)):
            device = self._machine.device_of_context(context)
            allocation = self._machine.allocation_of(address)
            if nbytes and allocation is not None and allocation.device is not device:
                raise Failure(
                    INVALID_CONTEXT,
                    f"0x{address:x} is memory of device {allocation.device.ordinal}, "
                    f"not of device {device.ordinal}",
                )
        self.memcpy_dtod_async(target, source, nbytes, stream)

    # --- fills

    def memset_d8_async(self, pointer: int, value: int, count: int, stream: int) -> None:
        self._fill(pointer, value, count, stream, np.uint8)

    def memset_d16_async(self, pointer: int, value: int, count: int, stream: int) -> None:
        self._fill(pointer, value, count, stream, np.uint16)

    def memset_d32_async(self, pointer: int, value: int, count: int, stream: int) -> None:
        self._fill(pointer, value, count, stream, np.uint32)

    def _fill(self, pointer: int, value: int, count: int, stream: int, type_: type) -> None:
        self._check(stream)
        itemsize = np.dtype(type_).itemsize
        if pointer % itemsize:
            raise Failure(INVALID_VALUE, f"0x{pointer:x} is not a multiple of {itemsize}")
        if count:
            self._device_bytes(pointer, count * itemsize).view(type_)[...] = value
            self._machine.arena.wrote(pointer, count * itemsize)

    # --- checks

    def _check(self, stream: int) -> None:
        check_stream(self._machine, stream)

    def _device_bytes(self, address: int, nbytes: int) -> np.ndarray:
        """Device memory as an array, refusing a range that no one allocation holds."""
        arena = self._machine.arena
        found = arena.find(address)
        if found is None:
            what = "the null pointer is" if not address else f"0x{address:x} is"
            raise Failure(INVALID_VALUE, f"{what} not device memory; it may have been freed")
        start, size = found
        if address + nbytes > start + size:
            raise Failure(
                INVALID_VALUE,
                f"{nbytes} bytes at 0x{address:x} go beyond the end of the allocation of "
                f"{size} bytes at 0x{start:x}",
            )
        return arena.view(address, nbytes)

    def _host_bytes(self, address: int | None, nbytes: int) -> int:
        """A host address; if it lies in the arena, the range is checked."""
        if not address:
            raise Failure(INVALID_VALUE, "the host pointer is null")
        if self._machine.in_arena(address):
            self._device_bytes(address, nbytes)
        return address
