"""The CUDA runtime's functions for the driver's memory pools, by handles."""

from __future__ import annotations

import operator

from gpuarray._ffi import driver
from gpuarray._runtime.current_stream import need_context
from gpuarray._runtime.device import Device
from gpuarray._runtime.memory import checked_size


class MemPoolProps:
    """What a memory pool is made for.

    Parameters
    ----------
    allocType : int
        ``cudaMemAllocationTypePinned``.
    handleType : int
        One of the constants ``cudaMemHandleType...``: as what other processes get the pool.
    locationType : int
        One of the constants ``cudaMemLocationType...``.
    devId : int
        The number of the device.

    Examples
    --------
    >>> runtime = gpuarray.cuda.runtime
    >>> props = runtime.MemPoolProps(allocType=1, handleType=0, locationType=1, devId=0)
    >>> pool = runtime.memPoolCreate(props)
    >>> runtime.memPoolDestroy(pool)
    """

    def __init__(self, allocType: int, handleType: int, locationType: int, devId: int):
        self.allocType = operator.index(allocType)
        self.handleType = operator.index(handleType)
        self.locationType = operator.index(locationType)
        self.devId = operator.index(devId)

    def __repr__(self) -> str:
        given = ", ".join([f"{name}={value}" for name, value in vars(self).items()])
        return f"MemPoolProps({given})"


def memPoolCreate(props: MemPoolProps) -> int:
    """Create a memory pool of the driver.

    Parameters
    ----------
    props : MemPoolProps
        What it is for.

    Returns
    -------
    int
        Its handle.

    Raises
    ------
    TypeError
        If `props` is something else.
    """
    if not isinstance(props, MemPoolProps):
        raise TypeError(f"memPoolCreate: props must be a MemPoolProps, got {props!r}")
    need_context()
    return driver.mem_pool_create(
        props.devId,
        allocation_type=props.allocType,
        handle_types=props.handleType,
        location_type=props.locationType,
    )


def memPoolDestroy(pool: int) -> None:
    """Destroy a memory pool; it is gone when the last of its memory is freed.

    Parameters
    ----------
    pool : int
        Its handle.
    """
    need_context()
    driver.mem_pool_destroy(operator.index(pool))


def memPoolTrimTo(pool: int, size: int) -> None:
    """Give memory that nobody uses back to the device.

    Parameters
    ----------
    pool : int
        The pool's handle.
    size : int
        Bytes that the pool may keep.
    """
    need_context()
    driver.mem_pool_trim_to(operator.index(pool), checked_size("memPoolTrimTo", size))


def memPoolGetAttribute(pool: int, attr: int) -> int:
    """The value of an attribute of a memory pool.

    Parameters
    ----------
    pool : int
        The pool's handle.
    attr : int
        One of the constants ``cudaMemPool...``.

    Returns
    -------
    int
        The value.
    """
    need_context()
    return driver.mem_pool_get_attribute(operator.index(pool), operator.index(attr))


def memPoolSetAttribute(pool: int, attr: int, value: int) -> None:
    """Set an attribute of a memory pool.

    Parameters
    ----------
    pool : int
        The pool's handle.
    attr : int
        One of the constants ``cudaMemPool...``.
    value : int
        Its new value; a high watermark can only be set to 0.
    """
    need_context()
    driver.mem_pool_set_attribute(operator.index(pool), operator.index(attr), operator.index(value))


def mallocFromPoolAsync(size: int, pool: int, stream: int) -> int:
    """Allocate memory of a pool in the order of a stream.

    Parameters
    ----------
    size : int
        Bytes.
    pool : int
        The pool's handle.
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.

    Returns
    -------
    int
        Its address, 0 for no bytes.
    """
    need_context()
    nbytes = checked_size("mallocFromPoolAsync", size)
    if not nbytes:
        return 0
    return driver.mem_alloc_from_pool_async(nbytes, operator.index(pool), stream)


def deviceGetDefaultMemPool(device: int) -> int:
    """The memory pool that the driver made for a device.

    Parameters
    ----------
    device : int
        Its number.

    Returns
    -------
    int
        The pool's handle.
    """
    return driver.device_get_default_mem_pool(Device(device).handle)


def deviceGetMemPool(device: int) -> int:
    """The memory pool that `mallocAsync` takes memory of a device from.

    Parameters
    ----------
    device : int
        Its number.

    Returns
    -------
    int
        The pool's handle.
    """
    return driver.device_get_mem_pool(Device(device).handle)


def deviceSetMemPool(device: int, pool: int) -> None:
    """Let `mallocAsync` take memory of a device from a pool.

    Parameters
    ----------
    device : int
        Its number.
    pool : int
        The handle of a pool of that device.
    """
    driver.device_set_mem_pool(Device(device).handle, operator.index(pool))
