"""The CUDA runtime's functions for devices, peers, limits and handles of other processes."""

from __future__ import annotations

import operator
from typing import Any

from gpuarray._ffi import driver
from gpuarray._runtime import peers
from gpuarray._runtime.current_stream import current, need_context
from gpuarray._runtime.device import Device


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

    Raises
    ------
    InvalidDeviceError
        If there is no such device.
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


def memGetInfo() -> tuple[int, int]:
    """Free and total memory of the current device.

    Returns
    -------
    tuple of int
        Bytes.
    """
    return current.stream.device.mem_info


def deviceGetAttribute(attrib: int, device: int) -> int:
    """An attribute of a device.

    Parameters
    ----------
    attrib : int
        One of the constants ``cudaDevAttr...``, which the driver numbers as the runtime does.
    device : int
        The device's number.

    Returns
    -------
    int
        Its value.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.runtime.deviceGetAttribute(10, 0)  # cudaDevAttrWarpSize
    32
    """
    return Device(device).attribute(operator.index(attrib))


def deviceGetByPCIBusId(pci_bus_id: str) -> int:
    """The number of the device at an address on the PCI bus.

    Parameters
    ----------
    pci_bus_id : str
        Domain, bus, device and function in hexadecimal digits, such as ``'0000:65:00.0'``.

    Returns
    -------
    int
        The device's number.
    """
    return Device.from_pci_bus_id(pci_bus_id).id


def deviceGetPCIBusId(device: int) -> str:
    """The address of a device on the PCI bus.

    Parameters
    ----------
    device : int
        The device's number.

    Returns
    -------
    str
        Domain, bus, device and function, such as ``'0000:65:00.0'``.
    """
    return Device(device).pci_bus_id


# --- properties

#: The runtime's names of properties that are attributes of the driver, or tuples of several.
_PROPERTIES: dict[str, str | tuple[str, ...]] = {
    "sharedMemPerBlock": "max_shared_memory_per_block",
    "regsPerBlock": "max_registers_per_block",
    "warpSize": "warp_size",
    "memPitch": "max_pitch",
    "maxThreadsPerBlock": "max_threads_per_block",
    "maxThreadsDim": ("max_block_dim_x", "max_block_dim_y", "max_block_dim_z"),
    "maxGridSize": ("max_grid_dim_x", "max_grid_dim_y", "max_grid_dim_z"),
    "clockRate": "clock_rate",
    "totalConstMem": "total_constant_memory",
    "major": "compute_capability_major",
    "minor": "compute_capability_minor",
    "textureAlignment": "texture_alignment",
    "texturePitchAlignment": "texture_pitch_alignment",
    "deviceOverlap": "gpu_overlap",
    "multiProcessorCount": "multiprocessor_count",
    "kernelExecTimeoutEnabled": "kernel_exec_timeout",
    "integrated": "integrated",
    "canMapHostMemory": "can_map_host_memory",
    "computeMode": "compute_mode",
    "maxTexture1D": "maximum_texture1d_width",
    "maxTexture1DMipmap": "maximum_texture1d_mipmapped_width",
    "maxTexture1DLinear": "maximum_texture1d_linear_width",
    "maxTexture2D": ("maximum_texture2d_width", "maximum_texture2d_height"),
    "maxTexture2DMipmap": (
        "maximum_texture2d_mipmapped_width",
        "maximum_texture2d_mipmapped_height",
    ),
    "maxTexture2DLinear": (
        "maximum_texture2d_linear_width",
        "maximum_texture2d_linear_height",
        "maximum_texture2d_linear_pitch",
    ),
    "maxTexture2DGather": ("maximum_texture2d_gather_width", "maximum_texture2d_gather_height"),
    "maxTexture3D": (
        "maximum_texture3d_width",
        "maximum_texture3d_height",
        "maximum_texture3d_depth",
    ),
    "maxTexture3DAlt": (
        "maximum_texture3d_width_alternate",
        "maximum_texture3d_height_alternate",
        "maximum_texture3d_depth_alternate",
    ),
    "maxTextureCubemap": "maximum_texturecubemap_width",
    "maxTexture1DLayered": ("maximum_texture1d_layered_width", "maximum_texture1d_layered_layers"),
    "maxTexture2DLayered": (
        "maximum_texture2d_layered_width",
        "maximum_texture2d_layered_height",
        "maximum_texture2d_layered_layers",
    ),
    "maxTextureCubemapLayered": (
        "maximum_texturecubemap_layered_width",
        "maximum_texturecubemap_layered_layers",
    ),
    "maxSurface1D": "maximum_surface1d_width",
    "maxSurface2D": ("maximum_surface2d_width", "maximum_surface2d_height"),
    "maxSurface3D": (
        "maximum_surface3d_width",
        "maximum_surface3d_height",
        "maximum_surface3d_depth",
    ),
    "maxSurface1DLayered": ("maximum_surface1d_layered_width", "maximum_surface1d_layered_layers"),
    "maxSurface2DLayered": (
        "maximum_surface2d_layered_width",
        "maximum_surface2d_layered_height",
        "maximum_surface2d_layered_layers",
    ),
    "maxSurfaceCubemap": "maximum_surfacecubemap_width",
    "maxSurfaceCubemapLayered": (
        "maximum_surfacecubemap_layered_width",
        "maximum_surfacecubemap_layered_layers",
    ),
    "surfaceAlignment": "surface_alignment",
    "concurrentKernels": "concurrent_kernels",
    "ECCEnabled": "ecc_enabled",
    "pciBusID": "pci_bus_id",
    "pciDeviceID": "pci_device_id",
    "pciDomainID": "pci_domain_id",
    "tccDriver": "tcc_driver",
    "asyncEngineCount": "async_engine_count",
    "unifiedAddressing": "unified_addressing",
    "memoryClockRate": "memory_clock_rate",
    "memoryBusWidth": "global_memory_bus_width",
    "l2CacheSize": "l2_cache_size",
    "persistingL2CacheMaxSize": "max_persisting_l2_cache_size",
    "maxThreadsPerMultiProcessor": "max_threads_per_multiprocessor",
    "streamPrioritiesSupported": "stream_priorities_supported",
    "globalL1CacheSupported": "global_l1_cache_supported",
    "localL1CacheSupported": "local_l1_cache_supported",
    "sharedMemPerMultiprocessor": "max_shared_memory_per_multiprocessor",
    "regsPerMultiprocessor": "max_registers_per_multiprocessor",
    "managedMemory": "managed_memory",
    "isMultiGpuBoard": "multi_gpu_board",
    "multiGpuBoardGroupID": "multi_gpu_board_group_id",
    "hostNativeAtomicSupported": "host_native_atomic_supported",
    "singleToDoublePrecisionPerfRatio": "single_to_double_precision_perf_ratio",
    "pageableMemoryAccess": "pageable_memory_access",
    "concurrentManagedAccess": "concurrent_managed_access",
    "computePreemptionSupported": "compute_preemption_supported",
    "canUseHostPointerForRegisteredMem": "can_use_host_pointer_for_registered_mem",
    "cooperativeLaunch": "cooperative_launch",
    "cooperativeMultiDeviceLaunch": "cooperative_multi_device_launch",
    "sharedMemPerBlockOptin": "max_shared_memory_per_block_optin",
    "pageableMemoryAccessUsesHostPageTables": "pageable_memory_access_uses_host_page_tables",
    "directManagedMemAccessFromHost": "direct_managed_mem_access_from_host",
    "maxBlocksPerMultiProcessor": "max_blocks_per_multiprocessor",
    "accessPolicyMaxWindowSize": "max_access_policy_window_size",
    "reservedSharedMemPerBlock": "reserved_shared_memory_per_block",
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
        Name to value. ``name`` and ``uuid`` are bytes, as in CuPy. ``luid`` and
        ``luidDeviceNodeMask``, by which Direct3D names a device, are empty.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.runtime.getDeviceProperties(0)["warpSize"]
    32
    """
    found = Device(device)
    properties: dict[str, Any] = {
        "name": found.name.encode(),
        "uuid": driver.device_uuid(found.handle),
        "luid": b"",
        "luidDeviceNodeMask": 0,
        "totalGlobalMem": driver.device_total_mem(found.handle),
    }
    for name, attribute in _PROPERTIES.items():
        if isinstance(attribute, str):
            properties[name] = found.attribute(attribute)
        else:
            properties[name] = tuple([found.attribute(part) for part in attribute])
    return properties


# --- peers


def deviceCanAccessPeer(device: int, peerDevice: int) -> int:
    """Whether kernels of one device can be given access to the memory of another.

    Parameters
    ----------
    device, peerDevice : int
        The numbers of the one that accesses, and of the one whose memory it is.

    Returns
    -------
    int
        1 or 0; 0 for a device and itself.
    """
    user, owner = Device(device), Device(peerDevice)
    return int(user is not owner and driver.device_can_access_peer(user.handle, owner.handle))


def deviceEnablePeerAccess(peerDevice: int) -> None:
    """Give kernels of the current device access to the memory of another device.

    Operations of this package do so by themselves.

    Parameters
    ----------
    peerDevice : int
        The number of the device whose memory it is.

    Raises
    ------
    CUDAError
        If that is not possible, or was done before.
    """
    peers.enable(Device(peerDevice), current.stream.device)


def deviceDisablePeerAccess(peerDevice: int) -> None:
    """Undo `deviceEnablePeerAccess`.

    Parameters
    ----------
    peerDevice : int
        The number of the device whose memory it is.

    Raises
    ------
    CUDAError
        If the current device has no access to it.
    """
    peers.disable(Device(peerDevice), current.stream.device)


# --- limits


def deviceGetLimit(limit: int) -> int:
    """A limit of the current device.

    Parameters
    ----------
    limit : int
        A number of CUDA's enumeration: 0 is the stack of each thread in bytes, 1 the buffer of
        ``printf``, 2 the heap of the device's ``malloc``.

    Returns
    -------
    int
        Its value.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.runtime.deviceGetLimit(0) >= 1024
    True
    """
    need_context()
    return driver.context_get_limit(operator.index(limit))


def deviceSetLimit(limit: int, value: int) -> None:
    """Set a limit of the current device, such as the stack that deep recursion needs.

    Parameters
    ----------
    limit : int
        See `deviceGetLimit`.
    value : int
        What it shall be at least; the driver may choose more. It reserves the stack for every
        thread that the device can run at once.

    Raises
    ------
    CUDAError
        If the device cannot have it.

    Examples
    --------
    >>> import gpuarray as cp
    >>> before = cp.cuda.runtime.deviceGetLimit(0)
    >>> cp.cuda.runtime.deviceSetLimit(0, 8192)
    >>> cp.cuda.runtime.deviceGetLimit(0)
    8192
    >>> cp.cuda.runtime.deviceSetLimit(0, before)
    """
    need_context()
    driver.context_set_limit(operator.index(limit), operator.index(value))


# --- handles for other processes
