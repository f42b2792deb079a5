"""The driver's functions for graphs whose C signatures do not suit Python."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gpuarray.errors import DriverError

from .driver_callbacks import host_function
from .driver_library import error_of, library
from .driver_memory import copy_description
from .launch_arguments import ArgumentBuffer
from .structs import (
    CUDA_HOST_NODE_PARAMS,
    CUDA_KERNEL_NODE_PARAMS,
    CUDA_MEMCPY3D,
    CUDA_MEMSET_NODE_PARAMS,
    CUgraphExecUpdateResultInfo,
)
from .text import encoded

__all__ = [
    "KernelNode",
    "NodeParameters",
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
    "graph_debug_dot_print",
    "graph_exec_kernel_node_set_params",
    "graph_exec_update",
    "graph_get_nodes",
    "graph_instantiate",
    "graph_kernel_node_get_params",
    "graph_kernel_node_set_params",
    "graph_node_get_dependencies",
    "graph_node_get_type",
]

_NODE_TYPES = (
    "kernel",
    "memcpy",
    "memset",
    "host",
    "graph",
    "empty",
    "wait_event",
    "event_record",
    "ext_semas_signal",
    "ext_semas_wait",
    "mem_alloc",
    "mem_free",
    "batch_mem_op",
    "conditional",
)
#: CUgraphExecUpdateResult
_UPDATE_RESULTS = (
    "success",
    "error",
    "topology changed",
    "node type changed",
    "function changed",
    "parameters changed",
    "not supported",
    "unsupported function change",
    "attributes changed",
)


class KernelNode(NamedTuple):
    """The launch of a kernel node of a graph."""

    function: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    buffer: ArgumentBuffer
    shared_bytes: int = 0

    def structure(self) -> CUDA_KERNEL_NODE_PARAMS:
        pointers = self.buffer._pointers
        return CUDA_KERNEL_NODE_PARAMS(
            self.function,
            *self.grid,
            *self.block,
            self.shared_bytes,
            ctypes.addressof(pointers) if len(pointers) else 0,
        )


def _handles(handles: Sequence[int]) -> tuple[Any, int]:
    """An array of handles, and its length."""
    return ((ctypes.c_uint64 * len(handles))(*handles) if handles else None), len(handles)


def graph_create() -> int:
    """Create an empty graph."""
    return library.graph_create(0)


def graph_add_kernel_node(graph: int, dependencies: Sequence[int], node: KernelNode) -> int:
    """Add a launch that depends on the nodes `dependencies`; its parameters are copied."""
    return library.graph_add_kernel_node(
        graph, *_handles(dependencies), ctypes.byref(node.structure())
    )


def graph_add_memcpy_node(
    graph: int,
    dependencies: Sequence[int],
    target: int,
    source: int,
    nbytes: int,
    *,
    kinds: tuple[str, str] = ("device", "device"),
) -> int:
    """Add a copy of bytes; `kinds` says where target and source are, as for `memcpy_2d`."""
    shape = (nbytes, 1)
    copy = copy_description(target, shape, source, shape, (nbytes, 1, 1), kinds)
    return library.graph_add_memcpy_node(
        graph, *_handles(dependencies), ctypes.byref(copy), library.context_get_current()
    )


def graph_add_memset_node(
    graph: int,
    dependencies: Sequence[int],
    pointer: int,
    value: int,
    count: int,
    element_size: int = 1,
    *,
    height: int = 1,
    pitch: int = 0,
) -> int:
    """Add a fill with elements of 1, 2 or 4 bytes."""
    fill = CUDA_MEMSET_NODE_PARAMS(pointer, pitch, value, element_size, count, height)
    return library.graph_add_memset_node(
        graph, *_handles(dependencies), ctypes.byref(fill), library.context_get_current()
    )


def graph_add_host_node(
    graph: int, dependencies: Sequence[int], function: Callable[[], Any]
) -> int:
    """Add a call of a Python function, which must not call the driver and is never freed."""
    params = CUDA_HOST_NODE_PARAMS(*host_function(function))
    return library.graph_add_host_node(graph, *_handles(dependencies), ctypes.byref(params))


def graph_add_child_graph_node(graph: int, dependencies: Sequence[int], child: int) -> int:
    """Add a copy of a whole graph as one node."""
    return library.graph_add_child_graph_node(graph, *_handles(dependencies), child)


def graph_add_empty_node(graph: int, dependencies: Sequence[int]) -> int:
    """Add a node without work, which only has dependencies."""
    return library.graph_add_empty_node(graph, *_handles(dependencies))


def graph_add_event_record_node(graph: int, dependencies: Sequence[int], event: int) -> int:
    """Add a node that records an event."""
    return library.graph_add_event_record_node(graph, *_handles(dependencies), event)


def graph_add_event_wait_node(graph: int, dependencies: Sequence[int], event: int) -> int:
    """Add a node that waits for an event."""
    return library.graph_add_event_wait_node(graph, *_handles(dependencies), event)


def graph_add_dependencies(graph: int, edges: Sequence[tuple[int, int]]) -> None:
    """Let the second node of each pair depend on the first."""
    firsts, count = _handles([first for first, _ in edges])
    thens, _ = _handles([then for _, then in edges])
    library.graph_add_dependencies(graph, firsts, thens, None, count)


def graph_get_nodes(graph: int) -> list[int]:
    """The nodes of a graph."""
    count = ctypes.c_size_t()
    library.graph_get_nodes(graph, None, ctypes.byref(count))
    nodes = (ctypes.c_uint64 * max(1, count.value))()
    if count.value:
        library.graph_get_nodes(graph, nodes, ctypes.byref(count))
    return nodes[: count.value]


def graph_node_get_type(node: int) -> str:
    """The type of a node, such as 'kernel' or 'memcpy'."""
    return _NODE_TYPES[library.graph_node_get_type(node)]


def graph_node_get_dependencies(node: int) -> list[int]:
    """The nodes that a node depends on."""
    count = ctypes.c_size_t()
    library.graph_node_get_dependencies(node, None, None, ctypes.byref(count))
    nodes = (ctypes.c_uint64 * max(1, count.value))()
    if count.value:
        library.graph_node_get_dependencies(node, nodes, None, ctypes.byref(count))
    return nodes[: count.value]


def graph_kernel_node_get_params(node: int) -> dict[str, Any]:
    """Function, grid, block and dynamic shared memory of a kernel node."""
    params = CUDA_KERNEL_NODE_PARAMS()
    library.graph_kernel_node_get_params(node, ctypes.byref(params))
    return {
        "function": params.func,
        "grid": (params.gridDimX, params.gridDimY, params.gridDimZ),
        "block": (params.blockDimX, params.blockDimY, params.blockDimZ),
        "shared_bytes": params.sharedMemBytes,
    }


def graph_kernel_node_set_params(node: int, params: KernelNode) -> None:
    """Replace the launch of a kernel node."""
    library.graph_kernel_node_set_params(node, ctypes.byref(params.structure()))


class NodeParameters:
    """What a launch, copy or fill in a graph gets, for an executable graph to get it anew.

    Parameters
    ----------
    node : int
        A node of a graph that still exists.
    sizes : sequence of int, optional
        Of a launch: the bytes of each parameter of its kernel.

    Attributes
    ----------
    words : memoryview
        The parameters, as 64-bit words that can be changed.
    addresses : tuple of int
        Of a copy and a fill: which of the words are addresses on the device. Of a launch: where
        each parameter begins, in bytes.
    """

    __slots__ = ("_arguments", "_kept", "_set", "addresses", "words")

    def __init__(self, node: int, sizes: Sequence[int] | None = None) -> None:
        if sizes is not None:
            self._read_launch(node, tuple(sizes))
            return
        kind = graph_node_get_type(node)
        if kind not in ("memcpy", "memset"):
            raise ValueError(f"a node of the type {kind!r} has no parameters to change")
        if kind == "memcpy":
            structure: Any = CUDA_MEMCPY3D()
            fields = [f"{side}Device" for side in ("src", "dst")]
        else:
            structure, fields = CUDA_MEMSET_NODE_PARAMS(), ["dst"]
        getattr(library, f"graph_{kind}_node_get_params")(node, ctypes.byref(structure))
        self._kept: Any = structure
        self._set = library.raw(f"graph_exec_{kind}_node_set_params")
        self._arguments: tuple = node, ctypes.byref(structure), library.context_get_current()
        self.words = memoryview(structure).cast("B").cast("Q")
        self.addresses = tuple(getattr(type(structure), name).offset // 8 for name in fields)

    def _read_launch(self, node: int, sizes: tuple[int, ...]) -> None:
        params = CUDA_KERNEL_NODE_PARAMS()
        library.graph_kernel_node_get_params(node, ctypes.byref(params))
        buffer = ArgumentBuffer(sizes)
        pointers = (ctypes.c_uint64 * max(1, len(sizes))).from_address(params.kernelParams)
        for pointer, offset, size in zip(pointers, buffer.offsets, sizes):
            buffer.bytes[offset : offset + size] = ctypes.string_at(pointer, size)
        own = buffer._pointers
        params.kernelParams = ctypes.addressof(own) if sizes else 0
        params.extra = 0
        self._kept = buffer
        self._arguments = node, ctypes.byref(params)
        self._set = library.raw("graph_exec_kernel_node_set_params")
        self.words, self.addresses = buffer.words, buffer.offsets

    def set_in(self, executable: int) -> None:
        """Let launches of an executable graph from now on have the parameters as they are now."""
        status = self._set(executable, *self._arguments)
        if status:
            raise error_of("cuGraphExec*NodeSetParams", status)


def graph_debug_dot_print(graph: int, path: str, flags: int = 0) -> None:
    """Write a description of a graph in the DOT language to a file."""
    library.graph_debug_dot_print(graph, encoded(path, "the path"), flags)


# --- executable graphs


def graph_instantiate(graph: int, flags: int = 0) -> int:
    """Make an executable graph; later changes of the graph do not affect it."""
    return library.graph_instantiate(graph, flags)


def graph_exec_kernel_node_set_params(executable: int, node: int, params: KernelNode) -> None:
    """Replace the launch of a kernel node in an executable graph."""
    library.graph_exec_kernel_node_set_params(executable, node, ctypes.byref(params.structure()))


def graph_exec_update(executable: int, graph: int) -> None:
    """Update an executable graph with the parameters of a graph of the same topology."""
    info = CUgraphExecUpdateResultInfo()
    status = library.raw("graph_exec_update")(executable, graph, ctypes.byref(info))
    if status:
        error = error_of("cuGraphExecUpdate_v2", status)
        if isinstance(error, DriverError) and info.result < len(_UPDATE_RESULTS):
            why = _UPDATE_RESULTS[info.result]
            error.detail = f"{error.detail} ({why}); instantiate the graph anew"
            error.args = (error.call, error.status, error.status_name, error.detail)
        raise error
