"""The CUDA runtime's functions that say where memory is, and where it shall be."""

from __future__ import annotations

import operator

from gpuarray._ffi import driver
from gpuarray._runtime.current_stream import need_context
from gpuarray._runtime.memory import checked_size

#: cudaMemoryType
_UNREGISTERED, _HOST, _DEVICE, _MANAGED = range(4)
#: CUmemorytype
_HOST_MEMORY = 1
_ATTRIBUTES = ("memory_type", "device_ordinal", "device_pointer", "host_pointer", "is_managed")


class PointerAttributes:
    """What the driver knows of an address.

    Parameters
    ----------
    device : int
        The number of the device that the memory is on, or of which it was allocated; -2 for
        memory that the driver does not know.
    devicePointer, hostPointer : int
        The address for devices, and for the host; 0 if there is none.
    type : int, optional
        One of the constants ``memoryType...``.
    """

    def __init__(self, device: int, devicePointer: int, hostPointer: int, type: int = -1):
        self.device = device
        self.devicePointer = devicePointer
        self.hostPointer = hostPointer
        self.type = type

    def __repr__(self) -> str:
        return (
            f"PointerAttributes(device={self.device}, devicePointer={self.devicePointer:#x}, "
            f"hostPointer={self.hostPointer:#x}, type={self.type})"
        )


def pointerGetAttributes(ptr: int) -> PointerAttributes:
    """What the driver knows of an address.

    Parameters
    ----------
    ptr : int
        The address.

    Returns
    -------
    PointerAttributes
        Its device, type and addresses. Memory of the host that is not page-locked has the type
        ``memoryTypeUnregistered``.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.runtime.pointerGetAttributes(cp.zeros(3).data.ptr).device
    0
    """
    need_context()
    address = operator.index(ptr)
    found = driver.pointer_attributes(_ATTRIBUTES, address)
    if found["is_managed"]:
        kind = _MANAGED
    elif not found["memory_type"]:
        return PointerAttributes(found["device_ordinal"], 0, address, _UNREGISTERED)
    else:
        kind = _HOST if found["memory_type"] == _HOST_MEMORY else _DEVICE
    return PointerAttributes(
        found["device_ordinal"], found["device_pointer"], found["host_pointer"], kind
    )


def pointerGetMemoryType(ptr: int) -> int:
    """Where the memory at an address is.

    Parameters
    ----------
    ptr : int
        The address.

    Returns
    -------
    int
        One of the constants ``memoryType...``.
    """
    return pointerGetAttributes(ptr).type


def memPrefetchAsync(devPtr: int, count: int, dstDevice: int, stream: int) -> None:
    """Queue the move of managed memory to a device or to the host.

    Parameters
    ----------
    devPtr : int
        Its address.
    count : int
        Bytes.
    dstDevice : int
        The number of a device; -1 is the host.
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.
    """
    need_context()
    nbytes = checked_size("memPrefetchAsync", count)
    if nbytes:
        target = operator.index(dstDevice)
        driver.mem_prefetch_async(operator.index(devPtr), nbytes, target, stream)


def memAdvise(devPtr: int, count: int, advice: int, device: int) -> None:
    """Tell the driver how managed memory will be used.

    Parameters
    ----------
    devPtr : int
        Its address.
    count : int
        Bytes.
    advice : int
        One of the constants ``cudaMemAdvise...``.
    device : int
        The number of the device that it is about; -1 is the host.
    """
    need_context()
    nbytes = checked_size("memAdvise", count)
    if nbytes:
        number = operator.index(advice)
        driver.mem_advise(operator.index(devPtr), nbytes, number, operator.index(device))
