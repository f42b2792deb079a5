"""Prototypes of the CUDA driver's functions: Python name -> (C name, argument types).

The names and versions (``_v2``) are exported by the drivers of CUDA 12 and of CUDA 13 alike.
Handles and device addresses are 64-bit integers; 0 is the null handle. The emulator implements the
functions under their Python names and gets its C function pointers from this same table.
"""

from __future__ import annotations

from ctypes import c_char, c_char_p, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p
from ctypes import c_ubyte as c_uint8
from ctypes import c_ushort as c_uint16

from .library import Out, Prototypes

__all__ = ["PROTOTYPES"]

_handle = c_uint64
_pointer = c_uint64  # CUdeviceptr
_address = c_void_p  # host memory: an integer, bytes or None
_status = c_int
_device = c_int

PROTOTYPES: Prototypes = {
    # --- the driver and its errors
    "init": ("cuInit", (c_uint,)),
    "driver_version": ("cuDriverGetVersion", (Out(c_int),)),
    "get_error_name": ("cuGetErrorName", (_status, Out(c_char_p))),
    "get_error_string": ("cuGetErrorString", (_status, Out(c_char_p))),
    # --- devices
    "device_count": ("cuDeviceGetCount", (Out(c_int),)),
    "device_get": ("cuDeviceGet", (Out(c_int), c_int)),
    "device_name": ("cuDeviceGetName", (c_void_p, c_int, _device)),
    "device_attribute": ("cuDeviceGetAttribute", (Out(c_int), c_int, _device)),
    "device_total_mem": ("cuDeviceTotalMem_v2", (Out(c_size_t), _device)),
    "device_pci_bus_id": ("cuDeviceGetPCIBusId", (c_void_p, c_int, _device)),
    "device_get_by_pci_bus_id": ("cuDeviceGetByPCIBusId", (Out(c_int), c_char_p)),
    "device_uuid": ("cuDeviceGetUuid_v2", (Out(c_char * 16), _device)),
    "device_can_access_peer": ("cuDeviceCanAccessPeer", (Out(c_int), _device, _device)),
    # --- contexts
    "primary_context_retain": ("cuDevicePrimaryCtxRetain", (Out(_handle), _device)),
    "primary_context_release": ("cuDevicePrimaryCtxRelease_v2", (_device,)),
    "primary_context_get_state": (
        "cuDevicePrimaryCtxGetState",
        (_device, Out(c_uint), Out(c_int)),
    ),
    "context_set_current": ("cuCtxSetCurrent", (_handle,)),
    "context_get_current": ("cuCtxGetCurrent", (Out(_handle),)),
    "context_get_device": ("cuCtxGetDevice", (Out(_device),)),
    "context_synchronize": ("cuCtxSynchronize", ()),
    "context_get_stream_priority_range": (
        "cuCtxGetStreamPriorityRange",
        (Out(c_int), Out(c_int)),
    ),
    "context_get_limit": ("cuCtxGetLimit", (Out(c_size_t), c_int)),
    "context_set_limit": ("cuCtxSetLimit", (c_int, c_size_t)),
    "context_enable_peer_access": ("cuCtxEnablePeerAccess", (_handle, c_uint)),
    "context_disable_peer_access": ("cuCtxDisablePeerAccess", (_handle,)),
    # --- memory
    "mem_alloc": ("cuMemAlloc_v2", (Out(_pointer), c_size_t)),
    "mem_free": ("cuMemFree_v2", (_pointer,)),
    "mem_get_info": ("cuMemGetInfo_v2", (Out(c_size_t), Out(c_size_t))),
    "mem_get_address_range": (
        "cuMemGetAddressRange_v2",
        (Out(_pointer), Out(c_size_t), _pointer),
    ),
    "mem_host_alloc": ("cuMemHostAlloc", (Out(c_uint64), c_size_t, c_uint)),
    "mem_host_free": ("cuMemFreeHost", (_address,)),
    "mem_alloc_managed": ("cuMemAllocManaged", (Out(_pointer), c_size_t, c_uint)),
    "pointer_attribute": ("cuPointerGetAttribute", (Out(c_uint64), c_int, _pointer)),
    "memcpy_htod_async": ("cuMemcpyHtoDAsync_v2", (_pointer, _address, c_size_t, _handle)),
    "memcpy_dtoh_async": ("cuMemcpyDtoHAsync_v2", (_address, _pointer, c_size_t, _handle)),
    "memcpy_dtod_async": ("cuMemcpyDtoDAsync_v2", (_pointer, _pointer, c_size_t, _handle)),
    "memcpy_async": ("cuMemcpyAsync", (_pointer, _pointer, c_size_t, _handle)),
    "memcpy_peer_async": (
        "cuMemcpyPeerAsync",
        (_pointer, _handle, _pointer, _handle, c_size_t, _handle),
    ),
    "memset_d8_async": ("cuMemsetD8Async", (_pointer, c_uint8, c_size_t, _handle)),
    "memset_d16_async": ("cuMemsetD16Async", (_pointer, c_uint16, c_size_t, _handle)),
    "memset_d32_async": ("cuMemsetD32Async", (_pointer, c_uint, c_size_t, _handle)),
    # --- modules and functions
    "module_load_data": (
        "cuModuleLoadDataEx",
        (Out(_handle), _address, c_uint, c_void_p, c_void_p),
    ),
    "module_unload": ("cuModuleUnload", (_handle,)),
    "module_get_function": ("cuModuleGetFunction", (Out(_handle), _handle, c_char_p)),
    "module_get_global": (
        "cuModuleGetGlobal_v2",
        (Out(_pointer), Out(c_size_t), _handle, c_char_p),
    ),
    "function_attribute": ("cuFuncGetAttribute", (Out(c_int), c_int, _handle)),
    "function_set_attribute": ("cuFuncSetAttribute", (_handle, c_int, c_int)),
    "occupancy_max_active_blocks": (
        "cuOccupancyMaxActiveBlocksPerMultiprocessor",
        (Out(c_int), _handle, c_int, c_size_t),
    ),
    "occupancy_max_potential_block_size": (
        "cuOccupancyMaxPotentialBlockSize",
        (Out(c_int), Out(c_int), _handle, c_void_p, c_size_t, c_int),
    ),
    # --- streams and events
    "stream_create": (
        "cuStreamCreateWithPriority",
        (Out(_handle), c_uint, c_int),
    ),
    "stream_destroy": ("cuStreamDestroy_v2", (_handle,)),
    "stream_synchronize": ("cuStreamSynchronize", (_handle,)),
    "stream_query": ("cuStreamQuery", (_handle,)),
    "stream_wait_event": ("cuStreamWaitEvent", (_handle, _handle, c_uint)),
    "stream_get_priority": ("cuStreamGetPriority", (_handle, Out(c_int))),
    "stream_get_flags": ("cuStreamGetFlags", (_handle, Out(c_uint))),
    "event_create": ("cuEventCreate", (Out(_handle), c_uint)),
    "event_destroy": ("cuEventDestroy_v2", (_handle,)),
    "event_record": ("cuEventRecord", (_handle, _handle)),
    "event_query": ("cuEventQuery", (_handle,)),
    "event_synchronize": ("cuEventSynchronize", (_handle,)),
    "event_elapsed_time": ("cuEventElapsedTime", (Out(c_float), _handle, _handle)),
    # --- launches: CUlaunchConfig*, CUfunction, void** parameters, void** extra
    "launch_kernel_ex": ("cuLaunchKernelEx", (c_void_p, _handle, c_void_p, c_void_p)),
}
