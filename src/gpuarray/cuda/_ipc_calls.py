"""The CUDA runtime's functions for memory and events of other processes."""

from __future__ import annotations

import operator

from gpuarray._ffi import driver
from gpuarray._runtime.address_range import is_in_range
from gpuarray._runtime.current_stream import need_context
from gpuarray.errors import DriverError


def ipcGetMemHandle(devPtr: int) -> bytes:
    """A handle by which another process can open device memory.

    Parameters
    ----------
    devPtr : int
        An address in memory that `malloc` allocated, such as an array's ``data.ptr``.

    Returns
    -------
    bytes
        64 bytes. They name the whole allocation: what another process opens is the address of its
        first byte. Allocate what is to be shared with `gpuarray.cuda.Memory` or `malloc`, which
        begin where their allocation does.

    Raises
    ------
    CUDARuntimeError
        The memory is a pool's that maps it to a range of addresses: CUDA has no handles of that.
        With ``GPUARRAY_ADDRESS_RANGES=0`` pools have segments, which have handles, and an array
        lies somewhere in one.
    """
    need_context()
    address = operator.index(devPtr)
    try:
        return driver.ipc_get_mem_handle(address)
    except DriverError as error:
        if not is_in_range(address):
            raise
        error.detail = (
            f"0x{address:x} is memory that a pool maps to a range of addresses, which other "
            "processes cannot open: allocate what they share with gpuarray.cuda.Memory, or set "
            "GPUARRAY_ADDRESS_RANGES=0"
        )
        error.args = (error.call, error.status, error.status_name, error.detail)
        raise


def ipcOpenMemHandle(handle: bytes, flags: int = 1) -> int:
    """Open the memory that another process made a handle of.

    Parameters
    ----------
    handle : bytes
        Of `ipcGetMemHandle`, in another process.
    flags : int, optional
        1, which lets the memory be that of another device than the current one.

    Returns
    -------
    int
        The address of the allocation's first byte in this process.
    """
    need_context()
    return driver.ipc_open_mem_handle(_handle("ipcOpenMemHandle", handle), operator.index(flags))


def ipcCloseMemHandle(devPtr: int) -> None:
    """Close memory that `ipcOpenMemHandle` opened. The process that allocated it keeps it.

    Parameters
    ----------
    devPtr : int
        The address that opening returned.
    """
    need_context()
    driver.ipc_close_mem_handle(operator.index(devPtr))


def ipcGetEventHandle(event: int) -> bytes:
    """A handle by which another process can wait for an event.

    Parameters
    ----------
    event : int
        An event's handle, such as `Event.ptr`; it was made with ``interprocess=True``.

    Returns
    -------
    bytes
        64 bytes.
    """
    need_context()
    return driver.ipc_get_event_handle(operator.index(event))


def ipcOpenEventHandle(handle: bytes) -> int:
    """Open the event that another process made a handle of.

    Parameters
    ----------
    handle : bytes
        Of `ipcGetEventHandle`, in another process.

    Returns
    -------
    int
        A handle, which `eventDestroy` frees.
    """
    need_context()
    return driver.ipc_open_event_handle(_handle("ipcOpenEventHandle", handle))


_HANDLE_BYTES = 64


def _handle(name: str, handle: bytes) -> bytes:
    data = bytes(handle) if isinstance(handle, bytes | bytearray | memoryview) else b""
    if len(data) != _HANDLE_BYTES:
        raise ValueError(f"{name}: a handle is {_HANDLE_BYTES} bytes, got {handle!r}")
    return data
