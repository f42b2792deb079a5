"""Emulated functions for device memory: allocation and the attributes of an address."""

from __future__ import annotations

import ctypes

from gpuarray._integers import round_up

from ..driver_enums import POINTER_ATTRIBUTES
from ..structs import CUmemLocation
from .capture import refuse_unsafe, submit
from .graph import EmptyOperation
from .machine import DEVICE_BYTES, EmulatedAllocation, Machine
from .statuses import INVALID_DEVICE, INVALID_VALUE, NOT_FOUND, OUT_OF_MEMORY, Failure
from .stream import any_stream

__all__ = ["AllocationCalls"]

_HOST, _DEVICE = 1, 2  # CUmemorytype
_ATTACH_GLOBAL, _ATTACH_HOST = 1, 2
#: Rows of pitched memory begin at multiples of this many bytes.
_PITCH = 512
_NO_DEVICE = -2  # CU_DEVICE_INVALID
_ADVICE = range(1, 7)
#: Sizes of the pointer attributes that are not 8 bytes.
_FOUR_BYTES = frozenset({2, 6, 8, 9, 10, 13, 15, 16, 21})


class AllocationCalls:
    """Device memory; the methods have the names of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    # --- allocation

    def mem_alloc(self, nbytes: int) -> int:
        return self._allocate(nbytes, "device")

    def mem_alloc_pitch(self, width: int, height: int, element: int) -> tuple[int, int]:
        if element not in (4, 8, 16):
            raise Failure(INVALID_VALUE, f"elements of {element} bytes: 4, 8 and 16 are accepted")
        pitch = round_up(width, _PITCH)
        return self._allocate(pitch * height, "device"), pitch

    def mem_alloc_managed(self, nbytes: int, flags: int) -> int:
        if flags not in (_ATTACH_GLOBAL, _ATTACH_HOST):
            raise Failure(INVALID_VALUE, f"managed memory has no flags {flags}")
        return self._allocate(nbytes, "managed")

    def _allocate(self, nbytes: int, kind: str) -> int:
        machine = self._machine
        context = machine.current()
        device = context.device
        refuse_unsafe(machine, "allocating memory")
        if nbytes == 0:
            raise Failure(INVALID_VALUE, "0 bytes cannot be allocated")
        if nbytes > DEVICE_BYTES - device.used_bytes:
            raise Failure(
                OUT_OF_MEMORY,
                f"{nbytes} bytes asked for, {DEVICE_BYTES - device.used_bytes} of {DEVICE_BYTES} "
                f"are free on emulated device {device.ordinal}",
            )
        managed = kind == "managed"
        address = machine.space.allocate(nbytes, None if managed else device, for_host=managed)
        machine.add_allocation(context, address, nbytes, kind)
        device.used_bytes += nbytes
        return address

    def mem_free(self, pointer: int) -> None:
        self._machine.current()
        if not pointer:  # freeing the null pointer does nothing
            return
        refuse_unsafe(self._machine, "freeing memory")
        allocation = self._machine.allocations.get(pointer)
        if allocation is not None and allocation.kind == "graph":
            return  # it lives as long as its graph
        if allocation is None or allocation.kind not in ("device", "managed", "pool"):
            raise Failure(
                INVALID_VALUE,
                f"0x{pointer:x} is not the start of a live allocation of device or managed "
                "memory: it was freed already, or never allocated",
            )
        self._machine.release(allocation)

    def mem_get_info(self) -> tuple[int, int]:
        return DEVICE_BYTES - self._machine.current().device.used_bytes, DEVICE_BYTES

    # --- managed memory: every page is accessible everywhere already

    def mem_advise(self, pointer: int, nbytes: int, advice: int, location: CUmemLocation) -> None:
        if advice not in _ADVICE:
            raise Failure(INVALID_VALUE, f"there is no advice {advice}")
        self._check_managed(pointer, nbytes)

    def mem_prefetch_async(
        self, pointer: int, nbytes: int, location: CUmemLocation, flags: int, stream: int
    ) -> None:
        if flags:
            raise Failure(INVALID_VALUE, f"prefetching has no flags {flags}")
        if location.type == 1 and not 0 <= location.id < len(self._machine.devices):
            raise Failure(INVALID_DEVICE, f"device {location.id} does not exist")
        self._check_managed(pointer, nbytes)
        submit(self._machine, any_stream(self._machine, stream), EmptyOperation())

    def _check_managed(self, pointer: int, nbytes: int) -> None:
        allocation = self._machine.allocation_of(pointer)
        if (
            allocation is None
            or allocation.kind != "managed"
            or pointer + nbytes > allocation.address + allocation.nbytes
        ):
            raise Failure(INVALID_VALUE, f"{nbytes} bytes at 0x{pointer:x} are not managed memory")

    # --- attributes of an address

    def mem_get_address_range(self, pointer: int) -> tuple[int, int]:
        self._machine.current()
        allocation = self._machine.allocation_of(pointer)
        if allocation is None:
            raise Failure(NOT_FOUND, f"0x{pointer:x} is not device memory")
        return allocation.address, allocation.nbytes

    def pointer_attribute(self, attribute: int, pointer: int) -> int:
        allocation = self._machine.allocation_of(pointer)
        if allocation is None:
            raise Failure(INVALID_VALUE, f"0x{pointer:x} is not memory that the driver knows")
        return _attribute(allocation, attribute, pointer)

    def pointer_attributes(
        self, count: int, attributes: int | None, values: int | None, pointer: int
    ) -> None:
        if not (count and attributes and values):
            raise Failure(INVALID_VALUE, "no attributes are asked for")
        allocation = self._machine.allocation_of(pointer)
        requests = zip(
            (ctypes.c_int * count).from_address(attributes),
            (ctypes.c_uint64 * count).from_address(values),
            strict=True,
        )
        for attribute, address in requests:
            if allocation is not None:
                value = _attribute(allocation, attribute, pointer)
            elif attribute in POINTER_ATTRIBUTES.values():
                value = _NO_DEVICE if attribute == POINTER_ATTRIBUTES["device_ordinal"] else 0
            else:
                raise Failure(INVALID_VALUE, f"there is no pointer attribute {attribute}")
            type_ = ctypes.c_uint32 if attribute in _FOUR_BYTES else ctypes.c_uint64
            type_.from_address(address).value = value


def _attribute(allocation: EmulatedAllocation, attribute: int, pointer: int) -> int:
    on_host = allocation.kind in ("host", "registered")
    if attribute == POINTER_ATTRIBUTES["memory_type"]:
        return _HOST if on_host else _DEVICE
    start, nbytes = allocation.reserved or (allocation.address, allocation.nbytes)
    values = {
        1: allocation.context.handle,
        3: pointer,
        4: pointer if on_host or allocation.kind == "managed" else 0,
        6: 0,
        7: allocation.buffer_id,
        8: int(allocation.kind == "managed"),
        9: allocation.device.ordinal,
        10: int(allocation.kind == "device"),
        11: start,
        12: nbytes,
        13: 1,
        14: 0,
        15: 0,
        16: 3,
        17: allocation.pool.handle if allocation.kind == "pool" else 0,
    }
    if attribute not in values:
        raise Failure(INVALID_VALUE, f"there is no pointer attribute {attribute}")
    return values[attribute]
