"""The CUDA driver, or the emulator in its place: the one object that the rooms above call.

Functions of `driver_prototypes` are attributes of this module, bound at first use; those whose C
form Python code would not want are wrapped in the modules `driver_contexts`, `driver_memory` and
so on, and gathered here. Handles and device addresses are plain integers, and 0 is the legacy
default stream. Nothing is opened before first use.

Attributes
----------
backend : str
    'cuda' or 'emulator', for reports only.
image_kind : str
    What `module_load_data` is fed: 'cubin' or 'ptx'.
launch : foreign function
    ``launch(config, function, params, None) -> status``, of arguments from `launch_config`,
    `function_argument` and `ArgumentBuffer.params`. It checks nothing: a status other than 0 goes
    to `launch_error`.
"""

from __future__ import annotations

import ctypes
from typing import Any

from .driver_checks import findings, report_findings_at_exit, start_checks, stop_checks
from .driver_contexts import (
    context_create,
    context_enable_peer_access,
    context_get_limit,
    context_reset,
    context_set_limit,
    device_attribute,
    device_can_access_peer,
    device_get_by_pci_bus_id,
    device_name,
    device_pci_bus_id,
    init,
)
from .driver_graphs import (
    KernelNode,
    graph_add_child_graph_node,
    graph_add_dependencies,
    graph_add_empty_node,
    graph_add_event_record_node,
    graph_add_event_wait_node,
    graph_add_host_node,
    graph_add_kernel_node,
    graph_add_memcpy_node,
    graph_add_memset_node,
    graph_create,
    graph_exec_kernel_node_set_params,
    graph_exec_update,
    graph_get_nodes,
    graph_instantiate,
    graph_kernel_node_get_params,
    graph_kernel_node_set_params,
    graph_node_get_dependencies,
    graph_node_get_type,
)
from .driver_library import library, opened
from .driver_memory import (
    ipc_open_event_handle,
    ipc_open_mem_handle,
    mem_advise,
    mem_alloc_managed,
    mem_alloc_pitch,
    mem_host_alloc,
    mem_host_get_device_pointer,
    mem_host_register,
    mem_pool_create,
    mem_pool_get_access,
    mem_pool_get_attribute,
    mem_pool_set_access,
    mem_pool_set_attribute,
    mem_prefetch_async,
    memcpy_2d,
    memcpy_3d,
    pointer_attribute,
    pointer_attributes,
)
from .driver_modules import (
    function_attribute,
    function_get_name,
    function_set_attribute,
    launch_error,
    module_get_function,
    module_get_global,
    module_load_data,
    module_load_data_with_log,
    occupancy_max_potential_block_size,
)
from .driver_prototypes import PROTOTYPES
from .driver_streams import (
    event_create,
    event_query,
    event_record_with_flags,
    launch_host_function,
    stream_begin_capture,
    stream_create,
    stream_get_capture_info,
    stream_query,
    stream_wait_event,
    thread_exchange_capture_mode,
)
from .host import copy_host, host_buffer
from .launch_arguments import ArgumentBuffer, function_argument, launch_config
from .sticky_errors import STICKY
from .sticky_errors import explain_by as explain_faults_by

__all__ = [
    "STICKY",
    "ArgumentBuffer",
    "KernelNode",
    "address_of",
    "context_create",
    "context_enable_peer_access",
    "context_get_limit",
    "context_reset",
    "context_set_limit",
    "copy_host",
    "describe",
    "device_attribute",
    "device_can_access_peer",
    "device_get_by_pci_bus_id",
    "device_name",
    "device_pci_bus_id",
    "event_create",
    "event_query",
    "event_record_with_flags",
    "explain_faults_by",
    "findings",
    "function_argument",
    "function_attribute",
    "function_get_name",
    "function_set_attribute",
    "graph_add_child_graph_node",
    "graph_add_dependencies",
    "graph_add_empty_node",
    "graph_add_event_record_node",
    "graph_add_event_wait_node",
    "graph_add_host_node",
    "graph_add_kernel_node",
    "graph_add_memcpy_node",
    "graph_add_memset_node",
    "graph_create",
    "graph_exec_kernel_node_set_params",
    "graph_exec_update",
    "graph_get_nodes",
    "graph_instantiate",
    "graph_kernel_node_get_params",
    "graph_kernel_node_set_params",
    "graph_node_get_dependencies",
    "graph_node_get_type",
    "host_buffer",
    "init",
    "ipc_open_event_handle",
    "ipc_open_mem_handle",
    "launch_config",
    "launch_error",
    "launch_host_function",
    "mem_advise",
    "mem_alloc_managed",
    "mem_alloc_pitch",
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
    "module_get_function",
    "module_get_global",
    "module_load_data",
    "module_load_data_with_log",
    "occupancy_max_potential_block_size",
    "pointer_attribute",
    "pointer_attributes",
    "report_findings_at_exit",
    "start_checks",
    "stop_checks",
    "stream_begin_capture",
    "stream_create",
    "stream_get_capture_info",
    "stream_query",
    "stream_wait_event",
    "thread_exchange_capture_mode",
]


def __getattr__(name: str) -> Any:
    value: Any
    if name == "backend":
        value = opened().name
    elif name == "image_kind":
        value = "ptx" if opened().name == "emulator" else "cubin"
    elif name == "launch":
        # Without argument types: each argument is prebuilt, so that ctypes has nothing to convert.
        value = library.symbol("cuLaunchKernelEx")
        value.restype = ctypes.c_int
    elif name in PROTOTYPES:
        value = getattr(library, name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value  # the next use finds it as a plain global
    return value


def describe() -> str:
    """One line about the backend, for reports."""
    backend = opened()
    version = library.driver_version()
    count = library.device_count()
    devices = f"{count} device{'s' if count != 1 else ''}"
    if backend.name == "cuda":
        return f"CUDA driver {version // 1000}.{version % 1000 // 10}, {devices}"
    because = f" ({backend.reason})" if backend.reason else ""
    return f"emulator of the CUDA driver, {devices}{because}"


def address_of(buffer: Any) -> int:
    """The host address of an object with the buffer interface, read-only or not."""
    import numpy as np

    return np.frombuffer(buffer, np.uint8).ctypes.data if memoryview(buffer).nbytes else 0
