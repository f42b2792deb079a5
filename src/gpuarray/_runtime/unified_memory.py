"""Memory that the host and the devices reach by one address, and whose pages move between them."""

from __future__ import annotations

import operator
from typing import Any

from gpuarray._ffi import driver
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.device import Device
from gpuarray._runtime.event import check_stream
from gpuarray._runtime.memory import Memory, checked_size
from gpuarray._runtime.memory_pointer import MemoryPointer
from gpuarray._runtime.ordered_memory import OrderedMemory
from gpuarray._runtime.stream import Stream

#: cudaInvalidDeviceId, CuPy's default for a device
_INVALID_DEVICE = -2


class Migrating:
    """Memory whose pages can be sent ahead, and about whose use the driver can be told."""

    __slots__ = ()

    pointer: int
    size: int
    device: Device

    def prefetch(self, stream: Stream, *, device_id: int = _INVALID_DEVICE) -> None:
        """Queue the move of all pages to a device or to the host.

        Parameters
        ----------
        stream : Stream
            Where.
        device_id : int, optional
            The number of a device, -1 for the host; the memory's own device by default.

        Examples
        --------
        >>> import gpuarray as cp
        >>> memory = cp.cuda.ManagedMemory(1 << 20)
        >>> memory.prefetch(cp.cuda.Stream.null)
        >>> memory.prefetch(cp.cuda.Stream.null, device_id=-1)
        """
        check_stream(stream)
        target = self.device.id if device_id == _INVALID_DEVICE else operator.index(device_id)
        if self.size:
            with stream.device:  # a default stream's handle stands for that of the current device
                driver.mem_prefetch_async(self.pointer, self.size, target, stream.handle)

    def advise(self, advise: int, dev: Any) -> None:
        """Tell the driver how the memory will be used.

        Parameters
        ----------
        advise : int
            One of the constants ``cudaMemAdvise...`` of `cuda.runtime`.
        dev : Device or int
            The device that it is about; -1 is the host.

        Examples
        --------
        >>> import gpuarray as cp
        >>> memory = cp.cuda.ManagedMemory(1 << 20)
        >>> memory.advise(1, cp.cuda.Device(0))  # cudaMemAdviseSetReadMostly
        """
        number = dev.id if isinstance(dev, Device) else operator.index(dev)
        if self.size:
            driver.mem_advise(self.pointer, self.size, operator.index(advise), number)


class ManagedMemory(Migrating, Memory):
    """Unified memory, reachable from the host and every device.

    Parameters
    ----------
    size : int
        Bytes.

    Examples
    --------
    >>> import gpuarray as cp
    >>> memory = cp.cuda.ManagedMemory(64)
    >>> memory.size
    64
    """

    __slots__ = ()

    _ALLOCATE = "mem_alloc_managed"
    _FLAGS = (1,)  # CU_MEM_ATTACH_GLOBAL


class SystemMemory(Migrating, OrderedMemory):
    """Memory of the operating system, on a device that reads and writes such memory.

    That takes heterogeneous memory management (HMM) in the kernel, or a processor that shares its
    page tables with the device (Grace Hopper). The memory is given back when the work that was
    queued on its stream, and on others that used it, has ended.

    Parameters
    ----------
    size : int
        Bytes.

    Raises
    ------
    RuntimeError
        If the device does not access such memory.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.memory.SystemMemory.__mro__[-2] is cp.cuda.BaseMemory
    True
    """

    __slots__ = ("_owner",)

    def __init__(self, size: int):
        nbytes = checked_size("SystemMemory", size)
        device = current.stream.device
        if not device.attribute("pageable_memory_access"):
            raise RuntimeError(
                f"SystemMemory: {device} does not access the memory of the operating system; "
                "malloc_managed gives memory that it shares with the host"
            )
        address, self._owner = driver.host_memory(nbytes) if nbytes else (0, None)
        self._own(address, nbytes, current.stream)

    def _release(self, pointer: int, stream: Stream) -> None:
        stream.synchronize()
        self._owner = None


def malloc_managed(size: int) -> MemoryPointer:
    """Unified memory of its own, without a pool.

    Parameters
    ----------
    size : int
        Bytes.

    Returns
    -------
    MemoryPointer
        Its first byte.

    Examples
    --------
    Every array in unified memory, through a pool:

    >>> import gpuarray as cp
    >>> with cp.cuda.using_allocator(cp.cuda.MemoryPool(cp.cuda.malloc_managed).malloc):
    ...     x = cp.arange(4)
    >>> x.data.mem.identity
    'ManagedMemory'
    """
    return MemoryPointer(ManagedMemory(checked_size("malloc_managed", size)), 0)


def malloc_system(size: int) -> MemoryPointer:
    """Memory of the operating system, on devices that access it.

    Parameters
    ----------
    size : int
        Bytes.

    Returns
    -------
    MemoryPointer
        Its first byte.

    Raises
    ------
    RuntimeError
        If the device does not access such memory.

    Examples
    --------
    >>> import gpuarray as cp
    >>> pool = cp.cuda.MemoryPool(cp.cuda.memory.malloc_system)
    >>> with cp.cuda.using_allocator(pool.malloc):  # doctest: +SKIP
    ...     x = cp.arange(4)
    """
    return MemoryPointer(SystemMemory(checked_size("malloc_system", size)), 0)
