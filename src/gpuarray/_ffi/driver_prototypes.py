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
from .structs import CUipcHandle, CUmemLocation

__all__ = ["PROTOTYPES"]

_handle = c_uint64
_pointer = c_uint64  # CUdeviceptr
_address = c_void_p  # host memory: an integer, bytes or None
_status = c_int
_device = c_int
_ipc_out = Out(c_uint8 * 64)  # CUipcMemHandle, CUipcEventHandle

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
    "device_p2p_attribute": (
        "cuDeviceGetP2PAttribute",
        (Out(c_int), c_int, _device, _device),
    ),
    "device_get_default_mem_pool": ("cuDeviceGetDefaultMemPool", (Out(_handle), _device)),
    "device_get_mem_pool": ("cuDeviceGetMemPool", (Out(_handle), _device)),
    "device_set_mem_pool": ("cuDeviceSetMemPool", (_device, _handle)),
    # --- contexts
    "primary_context_retain": ("cuDevicePrimaryCtxRetain", (Out(_handle), _device)),
    "primary_context_release": ("cuDevicePrimaryCtxRelease_v2", (_device,)),
    "primary_context_get_state": (
        "cuDevicePrimaryCtxGetState",
        (_device, Out(c_uint), Out(c_int)),
    ),
    "primary_context_set_flags": ("cuDevicePrimaryCtxSetFlags_v2", (_device, c_uint)),
    "primary_context_reset": ("cuDevicePrimaryCtxReset_v2", (_device,)),
    "context_create": ("cuCtxCreate_v2", (Out(_handle), c_uint, _device)),
    "context_destroy": ("cuCtxDestroy_v2", (_handle,)),
    "context_push_current": ("cuCtxPushCurrent_v2", (_handle,)),
    "context_pop_current": ("cuCtxPopCurrent_v2", (Out(_handle),)),
    "context_get_flags": ("cuCtxGetFlags", (Out(c_uint),)),
    "context_get_api_version": ("cuCtxGetApiVersion", (_handle, Out(c_uint))),
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
    "mem_alloc_pitch": (
        "cuMemAllocPitch_v2",
        (Out(_pointer), Out(c_size_t), c_size_t, c_size_t, c_uint),
    ),
    "mem_host_alloc": ("cuMemHostAlloc", (Out(c_uint64), c_size_t, c_uint)),
    "mem_host_free": ("cuMemFreeHost", (_address,)),
    "mem_host_register": ("cuMemHostRegister_v2", (_address, c_size_t, c_uint)),
    "mem_host_unregister": ("cuMemHostUnregister", (_address,)),
    "mem_host_get_device_pointer": (
        "cuMemHostGetDevicePointer_v2",
        (Out(_pointer), _address, c_uint),
    ),
    "mem_host_get_flags": ("cuMemHostGetFlags", (Out(c_uint), _address)),
    "mem_alloc_managed": ("cuMemAllocManaged", (Out(_pointer), c_size_t, c_uint)),
    "pointer_attribute": ("cuPointerGetAttribute", (Out(c_uint64), c_int, _pointer)),
    "pointer_attributes": (
        "cuPointerGetAttributes",
        (c_uint, c_void_p, c_void_p, _pointer),
    ),
    "mem_advise": ("cuMemAdvise_v2", (_pointer, c_size_t, c_int, CUmemLocation)),
    "mem_prefetch_async": (
        "cuMemPrefetchAsync_v2",
        (_pointer, c_size_t, CUmemLocation, c_uint, _handle),
    ),
    # --- ranges of addresses, and memory that is mapped to them
    "mem_address_reserve": (
        "cuMemAddressReserve",
        (Out(_pointer), c_size_t, c_size_t, _pointer, c_uint64),
    ),
    "mem_address_free": ("cuMemAddressFree", (_pointer, c_size_t)),
    "mem_create": ("cuMemCreate", (Out(_handle), c_size_t, c_void_p, c_uint64)),
    "mem_release": ("cuMemRelease", (_handle,)),
    "mem_map": ("cuMemMap", (_pointer, c_size_t, c_size_t, _handle, c_uint64)),
    "mem_unmap": ("cuMemUnmap", (_pointer, c_size_t)),
    "mem_set_access": ("cuMemSetAccess", (_pointer, c_size_t, c_void_p, c_size_t)),
    "mem_get_access": ("cuMemGetAccess", (Out(c_uint64), c_void_p, _pointer)),
    "mem_get_allocation_granularity": (
        "cuMemGetAllocationGranularity",
        (Out(c_size_t), c_void_p, c_int),
    ),
    # --- stream-ordered allocation
    "mem_alloc_async": ("cuMemAllocAsync", (Out(_pointer), c_size_t, _handle)),
    "mem_alloc_from_pool_async": (
        "cuMemAllocFromPoolAsync",
        (Out(_pointer), c_size_t, _handle, _handle),
    ),
    "mem_free_async": ("cuMemFreeAsync", (_pointer, _handle)),
    "mem_pool_create": ("cuMemPoolCreate", (Out(_handle), c_void_p)),
    "mem_pool_destroy": ("cuMemPoolDestroy", (_handle,)),
    "mem_pool_trim_to": ("cuMemPoolTrimTo", (_handle, c_size_t)),
    "mem_pool_get_attribute": ("cuMemPoolGetAttribute", (_handle, c_int, c_void_p)),
    "mem_pool_set_attribute": ("cuMemPoolSetAttribute", (_handle, c_int, c_void_p)),
    "mem_pool_set_access": ("cuMemPoolSetAccess", (_handle, c_void_p, c_size_t)),
    "mem_pool_get_access": ("cuMemPoolGetAccess", (Out(c_int), _handle, c_void_p)),
    # --- handles for other processes
    "ipc_get_mem_handle": ("cuIpcGetMemHandle", (_ipc_out, _pointer)),
    "ipc_open_mem_handle": (
        "cuIpcOpenMemHandle_v2",
        (Out(_pointer), CUipcHandle, c_uint),
    ),
    "ipc_close_mem_handle": ("cuIpcCloseMemHandle", (_pointer,)),
    "ipc_get_event_handle": ("cuIpcGetEventHandle", (_ipc_out, _handle)),
    "ipc_open_event_handle": ("cuIpcOpenEventHandle", (Out(_handle), CUipcHandle)),
    # --- copies
    "memcpy": ("cuMemcpy", (_pointer, _pointer, c_size_t)),
    "memcpy_htod": ("cuMemcpyHtoD_v2", (_pointer, _address, c_size_t)),
    "memcpy_dtoh": ("cuMemcpyDtoH_v2", (_address, _pointer, c_size_t)),
    "memcpy_dtod": ("cuMemcpyDtoD_v2", (_pointer, _pointer, c_size_t)),
    "memcpy_peer": ("cuMemcpyPeer", (_pointer, _handle, _pointer, _handle, c_size_t)),
    "memcpy_2d": ("cuMemcpy2D_v2", (c_void_p,)),
    "memcpy_2d_unaligned": ("cuMemcpy2DUnaligned_v2", (c_void_p,)),
    "memcpy_2d_async": ("cuMemcpy2DAsync_v2", (c_void_p, _handle)),
    "memcpy_3d": ("cuMemcpy3D_v2", (c_void_p,)),
    "memcpy_3d_async": ("cuMemcpy3DAsync_v2", (c_void_p, _handle)),
    "memcpy_3d_peer": ("cuMemcpy3DPeer", (c_void_p,)),
    "memcpy_3d_peer_async": ("cuMemcpy3DPeerAsync", (c_void_p, _handle)),
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
    "memset_d8": ("cuMemsetD8_v2", (_pointer, c_uint8, c_size_t)),
    "memset_d16": ("cuMemsetD16_v2", (_pointer, c_uint16, c_size_t)),
    "memset_d32": ("cuMemsetD32_v2", (_pointer, c_uint, c_size_t)),
    "memset_d2d8": ("cuMemsetD2D8_v2", (_pointer, c_size_t, c_uint8, c_size_t, c_size_t)),
    "memset_d2d16": (
        "cuMemsetD2D16_v2",
        (_pointer, c_size_t, c_uint16, c_size_t, c_size_t),
    ),
    "memset_d2d32": (
        "cuMemsetD2D32_v2",
        (_pointer, c_size_t, c_uint, c_size_t, c_size_t),
    ),
    "memset_d2d8_async": (
        "cuMemsetD2D8Async",
        (_pointer, c_size_t, c_uint8, c_size_t, c_size_t, _handle),
    ),
    "memset_d2d16_async": (
        "cuMemsetD2D16Async",
        (_pointer, c_size_t, c_uint16, c_size_t, c_size_t, _handle),
    ),
    "memset_d2d32_async": (
        "cuMemsetD2D32Async",
        (_pointer, c_size_t, c_uint, c_size_t, c_size_t, _handle),
    ),
    # --- CUDA arrays, texture objects and surface objects
    "array_3d_create": ("cuArray3DCreate_v2", (Out(_handle), c_void_p)),
    "array_3d_get_descriptor": ("cuArray3DGetDescriptor_v2", (c_void_p, _handle)),
    "array_destroy": ("cuArrayDestroy", (_handle,)),
    "texture_object_create": (
        "cuTexObjectCreate",
        (Out(_handle), c_void_p, c_void_p, c_void_p),
    ),
    "texture_object_destroy": ("cuTexObjectDestroy", (_handle,)),
    "surface_object_create": ("cuSurfObjectCreate", (Out(_handle), c_void_p)),
    "surface_object_destroy": ("cuSurfObjectDestroy", (_handle,)),
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
    "function_get_module": ("cuFuncGetModule", (Out(_handle), _handle)),
    "function_get_name": ("cuFuncGetName", (Out(c_char_p), _handle)),
    "function_param_info": (
        "cuFuncGetParamInfo",
        (_handle, c_size_t, Out(c_size_t), Out(c_size_t)),
    ),
    "function_set_cache_config": ("cuFuncSetCacheConfig", (_handle, c_int)),
    "occupancy_max_active_blocks_with_flags": (
        "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
        (Out(c_int), _handle, c_int, c_size_t, c_uint),
    ),
    "occupancy_available_dynamic_shared": (
        "cuOccupancyAvailableDynamicSMemPerBlock",
        (Out(c_size_t), _handle, c_int, c_int),
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
    "stream_get_context": ("cuStreamGetCtx", (_handle, Out(_handle))),
    "stream_get_id": ("cuStreamGetId", (_handle, Out(c_uint64))),
    "launch_host_function": ("cuLaunchHostFunc", (_handle, c_void_p, c_void_p)),
    "stream_add_callback": ("cuStreamAddCallback", (_handle, c_void_p, c_void_p, c_uint)),
    "event_create": ("cuEventCreate", (Out(_handle), c_uint)),
    "event_destroy": ("cuEventDestroy_v2", (_handle,)),
    "event_record": ("cuEventRecord", (_handle, _handle)),
    "event_record_with_flags": ("cuEventRecordWithFlags", (_handle, _handle, c_uint)),
    "event_query": ("cuEventQuery", (_handle,)),
    "event_synchronize": ("cuEventSynchronize", (_handle,)),
    "event_elapsed_time": ("cuEventElapsedTime", (Out(c_float), _handle, _handle)),
    # --- capture
    "stream_begin_capture": ("cuStreamBeginCapture_v2", (_handle, c_int)),
    "stream_end_capture": ("cuStreamEndCapture", (_handle, Out(_handle))),
    "stream_is_capturing": ("cuStreamIsCapturing", (_handle, Out(c_int))),
    "stream_get_capture_info": (
        "cuStreamGetCaptureInfo_v2",
        (_handle, Out(c_int), c_void_p, c_void_p, c_void_p, c_void_p),
    ),
    "stream_update_capture_dependencies": (
        "cuStreamUpdateCaptureDependencies",
        (_handle, c_void_p, c_size_t, c_uint),
    ),
    "thread_exchange_capture_mode": ("cuThreadExchangeStreamCaptureMode", (c_void_p,)),
    # --- graphs
    "graph_create": ("cuGraphCreate", (Out(_handle), c_uint)),
    "graph_clone": ("cuGraphClone", (Out(_handle), _handle)),
    "graph_destroy": ("cuGraphDestroy", (_handle,)),
    "graph_add_kernel_node": (
        "cuGraphAddKernelNode_v2",
        (Out(_handle), _handle, c_void_p, c_size_t, c_void_p),
    ),
    "graph_add_memcpy_node": (
        "cuGraphAddMemcpyNode",
        (Out(_handle), _handle, c_void_p, c_size_t, c_void_p, _handle),
    ),
    "graph_add_memset_node": (
        "cuGraphAddMemsetNode",
        (Out(_handle), _handle, c_void_p, c_size_t, c_void_p, _handle),
    ),
    "graph_add_host_node": (
        "cuGraphAddHostNode",
        (Out(_handle), _handle, c_void_p, c_size_t, c_void_p),
    ),
    "graph_add_child_graph_node": (
        "cuGraphAddChildGraphNode",
        (Out(_handle), _handle, c_void_p, c_size_t, _handle),
    ),
    "graph_add_empty_node": (
        "cuGraphAddEmptyNode",
        (Out(_handle), _handle, c_void_p, c_size_t),
    ),
    "graph_add_event_record_node": (
        "cuGraphAddEventRecordNode",
        (Out(_handle), _handle, c_void_p, c_size_t, _handle),
    ),
    "graph_add_event_wait_node": (
        "cuGraphAddEventWaitNode",
        (Out(_handle), _handle, c_void_p, c_size_t, _handle),
    ),
    "graph_add_dependencies": (
        "cuGraphAddDependencies_v2",
        (_handle, c_void_p, c_void_p, c_void_p, c_size_t),
    ),
    "graph_destroy_node": ("cuGraphDestroyNode", (_handle,)),
    "graph_get_nodes": ("cuGraphGetNodes", (_handle, c_void_p, c_void_p)),
    "graph_node_get_type": ("cuGraphNodeGetType", (_handle, Out(c_int))),
    "graph_node_get_dependencies": (
        "cuGraphNodeGetDependencies_v2",
        (_handle, c_void_p, c_void_p, c_void_p),
    ),
    "graph_kernel_node_get_params": ("cuGraphKernelNodeGetParams_v2", (_handle, c_void_p)),
    "graph_kernel_node_set_params": ("cuGraphKernelNodeSetParams_v2", (_handle, c_void_p)),
    "graph_memcpy_node_get_params": ("cuGraphMemcpyNodeGetParams", (_handle, c_void_p)),
    "graph_memset_node_get_params": ("cuGraphMemsetNodeGetParams", (_handle, c_void_p)),
    "graph_debug_dot_print": ("cuGraphDebugDotPrint", (_handle, c_char_p, c_uint)),
    "graph_instantiate": ("cuGraphInstantiateWithFlags", (Out(_handle), _handle, c_uint64)),
    "graph_upload": ("cuGraphUpload", (_handle, _handle)),
    "graph_launch": ("cuGraphLaunch", (_handle, _handle)),
    "graph_exec_update": ("cuGraphExecUpdate_v2", (_handle, _handle, c_void_p)),
    "graph_exec_kernel_node_set_params": (
        "cuGraphExecKernelNodeSetParams_v2",
        (_handle, _handle, c_void_p),
    ),
    "graph_exec_memcpy_node_set_params": (
        "cuGraphExecMemcpyNodeSetParams",
        (_handle, _handle, c_void_p, _handle),
    ),
    "graph_exec_memset_node_set_params": (
        "cuGraphExecMemsetNodeSetParams",
        (_handle, _handle, c_void_p, _handle),
    ),
    "graph_exec_destroy": ("cuGraphExecDestroy", (_handle,)),
    # --- launches
    "launch_kernel": ("cuLaunchKernel", (_handle, *[c_uint] * 7, _handle, c_void_p, c_void_p)),
    "launch_cooperative_kernel": (
        "cuLaunchCooperativeKernel",
        (_handle, *[c_uint] * 7, _handle, c_void_p),
    ),
    # CUlaunchConfig*, CUfunction, void** parameters, void** extra
    "launch_kernel_ex": ("cuLaunchKernelEx", (c_void_p, _handle, c_void_p, c_void_p)),
    # --- profilers
    "profiler_start": ("cuProfilerStart", ()),
    "profiler_stop": ("cuProfilerStop", ()),
}
