"""The driver's functions for ranges of addresses whose C signatures do not suit Python."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable

from .driver_library import library
from .driver_memory import mem_free_all
from .driver_streams import relaxed_capture
from .structs import CUmemAccessDesc, CUmemAllocationProp, CUmemLocation

__all__ = [
    "mem_address_reserve_to",
    "mem_create_to",
    "mem_get_access",
    "mem_get_allocation_granularity",
    "mem_map_range",
    "mem_release_all",
    "mem_set_access",
    "mem_unmap_range",
]

_PINNED, _ON_DEVICE = 1, 1  # CUmemAllocationType, CUmemLocationType
_MINIMUM = 0  # CUmemAllocationGranularity_flags
_INVALID_VALUE = 1


def _properties(device: int, gpu_direct: bool) -> CUmemAllocationProp:
    return CUmemAllocationProp(
        type=_PINNED,
        location=CUmemLocation(_ON_DEVICE, device),
        gpuDirectRDMACapable=gpu_direct,
    )


def mem_get_allocation_granularity(device: int, *, gpu_direct: bool = False) -> int:
    """What the sizes and addresses of memory that is mapped are multiples of."""
    properties = _properties(device, gpu_direct)
    return library.mem_get_allocation_granularity(ctypes.byref(properties), _MINIMUM)


def mem_address_reserve_to(slot: ctypes.c_uint64, nbytes: int) -> None:
    """Reserve addresses; the driver stores the first: an interrupt does not lose it."""
    status = library.raw("mem_address_reserve")(ctypes.byref(slot), nbytes, 0, 0, 0)
    if status:
        library.fail("mem_address_reserve", status)


def mem_create_to(
    slot: ctypes.c_uint64, nbytes: int, device: int, *, gpu_direct: bool = False
) -> None:
    """Create memory without an address; the driver stores its handle in the slot.

    With `gpu_direct` network devices can access it, where the system has such.
    """
    properties = _properties(device, gpu_direct)
    with relaxed_capture():
        status = library.raw("mem_create")(ctypes.byref(slot), nbytes, ctypes.byref(properties), 0)
    if status:
        library.fail("mem_create", status)


def mem_release_all(slots: list[ctypes.c_uint64]) -> None:
    """Release the handles in all slots of a list, which is empty then. What is mapped stays so.

    No interrupt comes between a call of the driver's and the removal of its slot.
    """
    mem_free_all(slots, "mem_release")  # type: ignore[arg-type]  # C takes both


def mem_map_range(address: int, nbytes: int, handle: int, devices: Iterable[int]) -> None:
    """Give reserved addresses memory that these devices read and write."""
    with relaxed_capture():
        library.mem_map(address, nbytes, 0, handle, 0)
        mem_set_access(address, nbytes, devices)


def mem_unmap_range(address: int, nbytes: int) -> None:
    """Take the memory away from addresses again; without effect if they have none."""
    with relaxed_capture():
        status = library.status("mem_unmap", address, nbytes)
    if status not in (0, _INVALID_VALUE):
        library.fail("mem_unmap", status)


def mem_set_access(address: int, nbytes: int, devices: Iterable[int], flags: int = 3) -> None:
    """Let devices read (1), or read and write (3), mapped memory; 0 revokes it."""
    found = [CUmemAccessDesc(CUmemLocation(_ON_DEVICE, device), flags) for device in devices]
    descriptions = (CUmemAccessDesc * len(found))(*found)
    library.mem_set_access(address, nbytes, descriptions, len(found))


def mem_get_access(address: int, device: int) -> int:
    """The access of a device to mapped memory: none (0), read (1), or both (3)."""
    return library.mem_get_access(ctypes.byref(CUmemLocation(_ON_DEVICE, device)), address)
