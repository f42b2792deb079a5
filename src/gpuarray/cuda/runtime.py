"""The CUDA runtime's functions for devices, memory, streams and events, by CuPy's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuarray._ffi import driver, nvrtc
from gpuarray._namespace.missing_names import suggesting
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime.device import Device, current
from gpuarray.cuda import _runtime_constants
from gpuarray.cuda._memory_calls import (
    free,
    freeAsync,
    freeHost,
    hostAlloc,
    hostRegister,
    hostUnregister,
    malloc,
    mallocAsync,
    mallocManaged,
    memcpy,
    memcpyAsync,
    memcpyPeer,
    memcpyPeerAsync,
    memset,
    memsetAsync,
)
from gpuarray.cuda._memory_pool_calls import (
    MemPoolProps,
    deviceGetDefaultMemPool,
    deviceGetMemPool,
    deviceSetMemPool,
    mallocFromPoolAsync,
    memPoolCreate,
    memPoolDestroy,
    memPoolGetAttribute,
    memPoolSetAttribute,
    memPoolTrimTo,
)
from gpuarray.cuda._pointer_calls import (
    PointerAttributes,
    memAdvise,
    memPrefetchAsync,
    pointerGetAttributes,
    pointerGetMemoryType,
)
from gpuarray.cuda._profiler_calls import profilerStart, profilerStop
from gpuarray.cuda._runtime_constants import *
from gpuarray.cuda._runtime_errors import raise_runtime_errors
from gpuarray.cuda._stream_calls import (
    eventCreate,
    eventCreateWithFlags,
    eventDestroy,
    eventElapsedTime,
    eventQuery,
    eventRecord,
    eventSynchronize,
    launchHostFunc,
    streamAddCallback,
    streamCreate,
    streamCreateWithFlags,
    streamCreateWithPriority,
    streamDestroy,
    streamGetFlags,
    streamGetPriority,
    streamIsCapturing,
    streamQuery,
    streamSynchronize,
    streamWaitEvent,
)
from gpuarray.errors import CUDARuntimeError

__all__ = [
    "CUDARuntimeError", "check_status", "runtimeGetVersion",
    "deviceReset", "deviceSynchronize", "driverGetVersion", "getDevice", "getDeviceCount",
    "getDeviceProperties", "memGetInfo", "profilerStart", "profilerStop", "setDevice",
    "free", "freeAsync", "freeHost", "hostAlloc", "hostRegister", "hostUnregister", "malloc",
    "mallocAsync", "mallocManaged", "memcpy", "memcpyAsync", "memcpyPeer", "memcpyPeerAsync",
    "memset", "memsetAsync",
    "MemPoolProps", "deviceGetDefaultMemPool", "deviceGetMemPool", "deviceSetMemPool",
    "mallocFromPoolAsync", "memPoolCreate", "memPoolDestroy", "memPoolGetAttribute",
    "memPoolSetAttribute", "memPoolTrimTo",
    "PointerAttributes", "memAdvise", "memPrefetchAsync", "pointerGetAttributes",
    "pointerGetMemoryType",
    "eventCreate", "eventCreateWithFlags", "eventDestroy", "eventElapsedTime", "eventQuery",
    "eventRecord", "eventSynchronize", "streamCreate", "streamCreateWithFlags",
    "streamCreateWithPriority", "streamDestroy", "streamGetFlags", "streamGetPriority",
    "streamQuery", "streamSynchronize", "streamWaitEvent", "streamAddCallback", "streamIsCapturing",
    "launchHostFunc",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__ = suggesting(__name__)


def check_status(status: int) -> None:
    """Raise the error for a status of the runtime; 0 is none.

    Parameters
    ----------
    status : int
        A status.

    Raises
    ------
    CUDARuntimeError
        The status is not 0.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.runtime.check_status(0)
    """
    if status:
        raise CUDARuntimeError(status)


def getDeviceCount() -> int:
    """The number of devices.

    Returns
    -------
    int
        How many.
    """
    return driver.device_count()


def getDevice() -> int:
    """The number of the current device.

    Returns
    -------
    int
        Its number.
    """
    return current.stream.device.id


def setDevice(device: int) -> None:
    """Make a device current in the calling thread.

    Parameters
    ----------
    device : int
        Its number.
    """
    Device(device).use()


def deviceSynchronize() -> None:
    """Wait until every stream of the current device has finished its work."""
    current.stream.device.synchronize()


def deviceReset() -> None:
    """Take down everything that lives on the current device, and begin anew.

    See `gpuarray.cuda.Device.reset`. Arrays, streams, events and pinned memory of the device are
    lost. After the fault of a kernel it raises: only a new process can use the device then.

    Examples
    --------
    >>> gpuarray.cuda.runtime.deviceReset()  # doctest: +SKIP
    """
    current.stream.device.reset()


def driverGetVersion() -> int:
    """The CUDA version of the driver, 12040 for 12.4.

    Returns
    -------
    int
        The version.
    """
    return driver.driver_version()


def runtimeGetVersion() -> int:
    """The version of the CUDA libraries that this process uses, 12090 for 12.9.

    There is no CUDA runtime in this package, which does its work by the driver: it is the version
    of NVRTC.

    Returns
    -------
    int
        The version.

    Raises
    ------
    LibraryNotFoundError
        There is no NVRTC.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.runtime.runtimeGetVersion() >= 12000
    True
    """
    major, minor = nvrtc.version()
    return 1000 * major + 10 * minor


def memGetInfo() -> tuple[int, int]:
    """Free and total memory of the current device.

    Returns
    -------
    tuple of int
        Bytes.
    """
    return current.stream.device.mem_info


#: The runtime's names of properties that are attributes of the driver.
_PROPERTIES = {
    "major": "compute_capability_major",
    "minor": "compute_capability_minor",
    "multiProcessorCount": "multiprocessor_count",
    "maxThreadsPerBlock": "max_threads_per_block",
    "maxThreadsPerMultiProcessor": "max_threads_per_multiprocessor",
    "sharedMemPerBlock": "max_shared_memory_per_block",
    "sharedMemPerBlockOptin": "max_shared_memory_per_block_optin",
    "sharedMemPerMultiprocessor": "max_shared_memory_per_multiprocessor",
    "regsPerBlock": "max_registers_per_block",
    "regsPerMultiprocessor": "max_registers_per_multiprocessor",
    "warpSize": "warp_size",
    "clockRate": "clock_rate",
    "memoryClockRate": "memory_clock_rate",
    "memoryBusWidth": "global_memory_bus_width",
    "l2CacheSize": "l2_cache_size",
    "totalConstMem": "total_constant_memory",
    "deviceOverlap": "gpu_overlap",
    "asyncEngineCount": "async_engine_count",
    "concurrentKernels": "concurrent_kernels",
    "integrated": "integrated",
    "canMapHostMemory": "can_map_host_memory",
    "managedMemory": "managed_memory",
    "unifiedAddressing": "unified_addressing",
    "cooperativeLaunch": "cooperative_launch",
    "ECCEnabled": "ecc_enabled",
    "pciBusID": "pci_bus_id",
    "pciDeviceID": "pci_device_id",
    "pciDomainID": "pci_domain_id",
}


def getDeviceProperties(device: int) -> dict[str, Any]:
    """Properties of a device under the runtime's names.

    Parameters
    ----------
    device : int
        Its number.

    Returns
    -------
    dict
        Name to value; ``name`` is bytes, as in CuPy.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.runtime.getDeviceProperties(0)["warpSize"]
    32
    """
    found = Device(device)
    properties: dict[str, Any] = {
        name: found.attribute(attribute) for name, attribute in _PROPERTIES.items()
    }
    properties["name"] = found.name.encode()
    properties["totalGlobalMem"] = driver.device_total_mem(found.handle)
    axes = ("x", "y", "z")
    properties["maxThreadsDim"] = tuple([found.attribute(f"max_block_dim_{a}") for a in axes])
    properties["maxGridSize"] = tuple([found.attribute(f"max_grid_dim_{a}") for a in axes])
    return properties


raise_runtime_errors(globals())
without_annotations(globals())
__all__ += [name for name in vars(_runtime_constants) if not name.startswith("_")]
