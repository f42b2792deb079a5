"""The driver's functions for memory whose C signatures do not suit Python."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from typing import Any

from .driver_enums import POINTER_ATTRIBUTES, POOL_ATTRIBUTES
from .driver_library import library, number_of
from .driver_streams import relaxed_capture
from .launch_arguments import ResultSlot, handle_argument
from .structs import (
    CUDA_MEMCPY2D,
    CUDA_MEMCPY3D,
    CUipcHandle,
    CUmemAccessDesc,
    CUmemLocation,
    CUmemPoolProps,
)

__all__ = [
    "address_slot",
    "copy_description",
    "ipc_open_event_handle",
    "ipc_open_mem_handle",
    "is_page_locked",
    "mem_advise",
    "mem_alloc_managed",
    "mem_alloc_pitch",
    "mem_alloc_to",
    "mem_free_all",
    "mem_host_alloc",
    "mem_host_get_device_pointer",
    "mem_host_register",
    "mem_pool_create",
    "mem_pool_get_access",
    "mem_pool_get_attribute",
    "mem_pool_set_access",
    "mem_pool_set_attribute",
    "mem_prefetch_async",
    "memcpy_2d",
    "memcpy_3d",
    "pointer_attribute",
    "pointer_attributes",
]

_KINDS = {"host": 1, "device": 2, "array": 3, "unified": 4}  # CUmemorytype
#: Where in memory or a CUDA array a copy begins: bytes in the row, row, plane.
_Place = tuple[int, int, int]
_START = (0, 0, 0)
_PINNED, _ON_DEVICE, _ON_HOST = 1, 1, 2  # CUmemAllocationType, CUmemLocationType
_POOL_SWITCHES = 3  # the first three attributes are ints, the others 64 bits wide
_LAZY_PEER_ACCESS = 1
#: CUmem_advise
_ADVICE = {
    "set_read_mostly": 1,
    "unset_read_mostly": 2,
    "set_preferred_location": 3,
    "unset_preferred_location": 4,
    "set_accessed_by": 5,
    "unset_accessed_by": 6,
}


# --- allocation


def mem_alloc_pitch(width: int, height: int, element_size: int = 4) -> tuple[int, int]:
    """Allocate pitched memory; the address, and the pitch in bytes."""
    return library.mem_alloc_pitch(width, height, element_size)


def address_slot() -> ctypes.c_uint64:
    """Where `mem_alloc_to` stores an address; its ``value`` is 0 until then."""
    return ctypes.c_uint64()


def mem_alloc_to(slot: ctypes.c_uint64, nbytes: int, *flags: int, kind: str = "mem_alloc") -> None:
    """Allocate memory whose address the driver stores: an interrupt does not lose it.

    `kind` is 'mem_alloc', or with flags 'mem_alloc_managed' or 'mem_host_alloc'.
    """
    with relaxed_capture():
        status = library.raw(kind)(ctypes.byref(slot), nbytes, *flags)
    if status:
        library.fail(kind, status)


def mem_free_all(addresses: list[int], kind: str = "mem_free") -> None:
    """Free the memory at all addresses of a list, which is empty then.

    No interrupt comes between a call of the driver's and the removal of its address. `kind` is
    'mem_free' or 'mem_host_free'.
    """
    statuses: list[int] = []
    with relaxed_capture():
        try:
            statuses.extend(map(library.raw(kind), iter(addresses.pop, None)))
        except IndexError:  # the list is empty
            pass
    for status in statuses:
        if status:
            library.fail(kind, status)


def mem_host_alloc(nbytes: int, flags: int = 0) -> int:
    """Allocate page-locked host memory; the address."""
    return library.mem_host_alloc(nbytes, flags)


def mem_host_register(address: int, nbytes: int, flags: int = 0) -> None:
    """Lock the pages of host memory that the driver did not allocate."""
    library.mem_host_register(address, nbytes, flags)


def mem_host_get_device_pointer(address: int, flags: int = 0) -> int:
    """The device address of page-locked host memory."""
    return library.mem_host_get_device_pointer(address, flags)


def mem_alloc_managed(nbytes: int, flags: int = 1) -> int:
    """Allocate managed memory; the address."""
    return library.mem_alloc_managed(nbytes, flags)


def mem_advise(pointer: int, nbytes: int, advice: str | int, device: int) -> None:
    """Advise how managed memory will be used; a device of -1 is the host."""
    number = number_of(advice, _ADVICE, "advice")
    library.mem_advise(pointer, nbytes, number, _location(device))


def mem_prefetch_async(pointer: int, nbytes: int, device: int, stream: int) -> None:
    """Prefetch managed memory to a device, or with -1 to the host."""
    library.mem_prefetch_async(pointer, nbytes, _location(device), 0, stream)


def _location(device: int) -> CUmemLocation:
    if device < 0:
        return CUmemLocation(_ON_HOST, 0)
    return CUmemLocation(_ON_DEVICE, device)


# --- pools


def mem_pool_create(
    device: int,
    max_bytes: int = 0,
    *,
    allocation_type: int = _PINNED,
    handle_types: int = 0,
    location_type: int = _ON_DEVICE,
) -> int:
    """Create a memory pool on a device; 0 bytes mean no limit but the device's memory."""
    properties = CUmemPoolProps(
        allocType=allocation_type,
        handleTypes=handle_types,
        location=CUmemLocation(location_type, device),
        maxSize=max_bytes,
    )
    return library.mem_pool_create(ctypes.byref(properties))


def _pool_value(attribute: str | int) -> tuple[int, Any]:
    number = number_of(attribute, POOL_ATTRIBUTES, "pool attribute")
    return number, ctypes.c_int() if number <= _POOL_SWITCHES else ctypes.c_uint64()


def mem_pool_get_attribute(pool: int, attribute: str | int) -> int:
    """An attribute of a memory pool, such as 'release_threshold'."""
    number, value = _pool_value(attribute)
    library.mem_pool_get_attribute(pool, number, ctypes.byref(value))
    return value.value


def mem_pool_set_attribute(pool: int, attribute: str | int, value: int) -> None:
    """Set an attribute of a memory pool, such as 'release_threshold'."""
    number, given = _pool_value(attribute)
    given.value = value
    library.mem_pool_set_attribute(pool, number, ctypes.byref(given))


def mem_pool_set_access(pool: int, device: int, flags: int = 3) -> None:
    """Let a device read (1), or read and write (3), the memory of a pool; 0 revokes it."""
    description = CUmemAccessDesc(CUmemLocation(_ON_DEVICE, device), flags)
    library.mem_pool_set_access(pool, ctypes.byref(description), 1)


def mem_pool_get_access(pool: int, device: int) -> int:
    """The access of a device to the memory of a pool: none (0), read (1), or both (3)."""
    return library.mem_pool_get_access(pool, ctypes.byref(CUmemLocation(_ON_DEVICE, device)))


# --- handles for other processes


def ipc_open_mem_handle(handle: bytes, flags: int = _LAZY_PEER_ACCESS) -> int:
    """Open the memory of a handle that another process made; the address."""
    return library.ipc_open_mem_handle(CUipcHandle.from_buffer_copy(handle), flags)


def ipc_open_event_handle(handle: bytes) -> int:
    """Open the event of a handle that another process made."""
    return library.ipc_open_event_handle(CUipcHandle.from_buffer_copy(handle))


# --- attributes of an address


def pointer_attribute(attribute: str | int, pointer: int) -> int:
    """An attribute of an address, such as 'device_ordinal' or 'memory_type'."""
    number = number_of(attribute, POINTER_ATTRIBUTES, "pointer attribute")
    return _signed(number, library.pointer_attribute(number, pointer))


_MEMORY_TYPE = POINTER_ATTRIBUTES["memory_type"]


#: Where the driver stores what nobody reads.
_unread = ResultSlot().argument


def is_page_locked(address: int) -> bool:
    """Whether the driver knows host memory, so that it copies it while the program goes on."""
    ask = library.bare("pointer_attribute")
    return ask(_unread, _MEMORY_TYPE, handle_argument(address)) == 0


def pointer_attributes(attributes: Sequence[str], pointer: int) -> dict[str, int]:
    """Attributes of an address.

    For memory that the driver did not allocate all are 0, and 'device_ordinal' is -2.
    """
    numbers, wanted = _attribute_numbers(tuple(attributes))
    count = len(numbers)
    values = (ctypes.c_uint64 * count)()
    base = ctypes.addressof(values)
    places = (ctypes.c_void_p * count)(*range(base, base + 8 * count, 8))
    library.pointer_attributes(count, wanted, places, pointer)
    return dict(zip(attributes, map(_signed, numbers, values), strict=True))


@functools.lru_cache(maxsize=16)
def _attribute_numbers(attributes: tuple[str, ...]) -> tuple[list[int], Any]:
    """The numbers of attributes, as a list and as the array that the driver reads."""
    numbers = [number_of(name, POINTER_ATTRIBUTES, "pointer attribute") for name in attributes]
    return numbers, (ctypes.c_int * len(numbers))(*numbers)


def _signed(number: int, value: int) -> int:
    if number == POINTER_ATTRIBUTES["device_ordinal"]:
        return ctypes.c_int(value & 0xFFFFFFFF).value  # an int in C, and negative for the host
    return value


# --- copies of two and three dimensions


def memcpy_2d(
    target: int,
    target_pitch: int,
    source: int,
    source_pitch: int,
    width: int,
    height: int,
    *,
    kinds: tuple[str, str] = ("device", "device"),
    places: tuple[_Place, _Place] = (_START, _START),
    stream: int | None = None,
) -> None:
    """Copy rows.

    Parameters
    ----------
    target, source : int
        Addresses, or handles of CUDA arrays.
    target_pitch, source_pitch : int
        The distance of rows in bytes; not used for CUDA arrays.
    width : int
        Bytes of a row to copy.
    height : int
        How many rows.
    kinds : tuple of str
        Where target and source are: 'host', 'device', 'unified' for either, or 'array'.
    places : tuple of tuple of int
        Where in target and source the copy begins: bytes in the row, row, plane.
    stream : int, optional
        The stream to copy on. Without one, the call returns when the copy is done.
    """
    copy = CUDA_MEMCPY2D(WidthInBytes=width, Height=height)
    _fill_side(copy, "dst", target, target_pitch, kinds[0])
    _fill_side(copy, "src", source, source_pitch, kinds[1])
    copy.dstXInBytes, copy.dstY, _ = places[0]
    copy.srcXInBytes, copy.srcY, _ = places[1]
    if stream is None:
        library.memcpy_2d_unaligned(ctypes.byref(copy))
    else:
        library.memcpy_2d_async(ctypes.byref(copy), stream)


def memcpy_3d(
    target: int,
    target_shape: tuple[int, int],
    source: int,
    source_shape: tuple[int, int],
    extent: tuple[int, int, int],
    *,
    kinds: tuple[str, str] = ("device", "device"),
    places: tuple[_Place, _Place] = (_START, _START),
    stream: int | None = None,
) -> None:
    """Copy planes of rows.

    Parameters
    ----------
    target, source : int
        Addresses, or handles of CUDA arrays.
    target_shape, source_shape : tuple of int
        The distance of rows in bytes, and how many rows a plane has; not used for CUDA arrays.
    extent : tuple of int
        What to copy: bytes of a row, rows, planes.
    kinds, places, stream
        As for `memcpy_2d`.
    """
    copy = copy_description(target, target_shape, source, source_shape, extent, kinds)
    copy.dstXInBytes, copy.dstY, copy.dstZ = places[0]
    copy.srcXInBytes, copy.srcY, copy.srcZ = places[1]
    if stream is None:
        library.memcpy_3d(ctypes.byref(copy))
    else:
        library.memcpy_3d_async(ctypes.byref(copy), stream)


def copy_description(
    target: int,
    target_shape: tuple[int, int],
    source: int,
    source_shape: tuple[int, int],
    extent: tuple[int, int, int],
    kinds: tuple[str, str],
) -> CUDA_MEMCPY3D:
    """The structure that describes a copy to cuMemcpy3D and to a graph."""
    width, height, depth = extent
    copy = CUDA_MEMCPY3D(WidthInBytes=width, Height=height, Depth=depth)
    _fill_side(copy, "dst", target, target_shape[0], kinds[0])
    _fill_side(copy, "src", source, source_shape[0], kinds[1])
    copy.dstHeight, copy.srcHeight = target_shape[1], source_shape[1]
    return copy


def _fill_side(copy: Any, side: str, address: int, pitch: int, kind: str) -> None:
    number = number_of(kind, _KINDS, "kind of memory")
    setattr(copy, f"{side}MemoryType", number)
    field = {"host": "Host", "array": "Array"}.get(kind, "Device")
    setattr(copy, f"{side}{field}", address)
    setattr(copy, f"{side}Pitch", pitch)
