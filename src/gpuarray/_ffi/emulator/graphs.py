"""Emulated functions for graphs."""

from __future__ import annotations

import ctypes

from ..structs import (
    CUDA_HOST_NODE_PARAMS,
    CUDA_KERNEL_NODE_PARAMS,
    CUDA_MEMCPY3D,
    CUDA_MEMSET_NODE_PARAMS,
    CUgraphExecUpdateResultInfo,
)
from .capture import refuse_implicit, refuse_unsafe, submit
from .copies import copy_of
from .events import EmulatedEvent, EventRecord, EventWait
from .fills import fill_of
from .graph import (
    ChildGraph,
    EmptyOperation,
    EmulatedGraph,
    GraphExec,
    GraphMemory,
    GraphNode,
    StreamOperation,
)
from .launches import KernelLaunch, gathered
from .machine import Machine
from .modules import EmulatedFunction
from .statuses import (
    CAPTURE_UNSUPPORTED,
    GRAPH_EXEC_UPDATE_FAILURE,
    INVALID_VALUE,
    NOT_SUPPORTED,
    Failure,
)
from .stream import any_stream
from .streams import HostFunction

__all__ = ["GraphCalls"]

#: CUgraphExecUpdateResult
_TOPOLOGY_CHANGED, _NODE_TYPE_CHANGED, _PARAMETERS_CHANGED = 2, 3, 5
_DEVICE_LAUNCH = 4
_INSTANTIATE_FLAGS = 0b1111


class GraphCalls:
    """Graphs; the methods have the names of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    # --- graphs

    def graph_create(self, flags: int) -> int:
        if flags:
            raise Failure(INVALID_VALUE, f"graphs have no flags {flags}")
        machine = self._machine
        return machine.add(EmulatedGraph(machine.current(), machine, GraphMemory(machine)))

    def graph_clone(self, graph: int) -> int:
        return self._machine.add(self._machine.get(graph, EmulatedGraph).clone())

    def graph_destroy(self, graph: int) -> None:
        self._graph(graph)
        self._machine.forget(graph)

    def _graph(self, handle: int) -> EmulatedGraph:
        """A graph that may be changed."""
        graph = self._machine.get(handle, EmulatedGraph)
        for capture in self._machine.captures:
            if capture.graph is graph:
                raise Failure(CAPTURE_UNSUPPORTED, "the graph is still being captured")
        return graph

    def graph_get_nodes(self, graph: int, nodes: int | None, count: int | None) -> None:
        _list(self._machine.get(graph, EmulatedGraph).nodes, nodes, count)

    # --- nodes

    def graph_add_kernel_node(
        self, graph: int, needed: int | None, count: int, given: int | None
    ) -> int:
        return self._add(graph, needed, count, self._kernel(given))

    def graph_add_memcpy_node(
        self, graph: int, needed: int | None, count: int, given: int | None, context: int
    ) -> int:
        self._machine.live_context(context)
        copy = copy_of(self._machine, CUDA_MEMCPY3D.from_address(_not_null(given)))
        return self._add(graph, needed, count, copy)

    def graph_add_memset_node(
        self, graph: int, needed: int | None, count: int, given: int | None, context: int
    ) -> int:
        self._machine.live_context(context)
        fill = fill_of(self._machine, CUDA_MEMSET_NODE_PARAMS.from_address(_not_null(given)))
        return self._add(graph, needed, count, fill)

    def graph_add_host_node(
        self, graph: int, needed: int | None, count: int, given: int | None
    ) -> int:
        wanted = CUDA_HOST_NODE_PARAMS.from_address(_not_null(given))
        return self._add(graph, needed, count, HostFunction(wanted.fn, wanted.userData))

    def graph_add_child_graph_node(
        self, graph: int, needed: int | None, count: int, child: int
    ) -> int:
        nodes = self._machine.get(child, EmulatedGraph).in_order()
        return self._add(graph, needed, count, ChildGraph([node.operation for node in nodes]))

    def graph_add_empty_node(self, graph: int, needed: int | None, count: int) -> int:
        return self._add(graph, needed, count, EmptyOperation())

    def graph_add_event_record_node(
        self, graph: int, needed: int | None, count: int, event: int
    ) -> int:
        return self._add(graph, needed, count, EventRecord(self._machine.get(event, EmulatedEvent)))

    def graph_add_event_wait_node(
        self, graph: int, needed: int | None, count: int, event: int
    ) -> int:
        return self._add(graph, needed, count, EventWait(self._machine.get(event, EmulatedEvent)))

    def _add(self, graph: int, needed: int | None, count: int, operation: StreamOperation) -> int:
        return self._graph(graph).add(operation, self._nodes(needed, count)).handle

    def _nodes(self, address: int | None, count: int) -> list[GraphNode]:
        if not count:
            return []
        handles = (ctypes.c_uint64 * count).from_address(_not_null(address))
        return [self._machine.get(handle, GraphNode) for handle in handles]

    def graph_add_dependencies(
        self, graph: int, froms: int | None, tos: int | None, edges: int | None, count: int
    ) -> None:
        changed = self._graph(graph)
        for first, then in zip(self._nodes(froms, count), self._nodes(tos, count), strict=True):
            if first.graph is not changed or then.graph is not changed:
                raise Failure(INVALID_VALUE, "the nodes belong to another graph")
            if first is then or first in then.dependencies:
                raise Failure(INVALID_VALUE, "this dependency is there already")
            then.dependencies.append(first)
            try:
                changed.in_order()
            except Failure:
                then.dependencies.remove(first)
                raise

    def graph_destroy_node(self, node: int) -> None:
        destroyed = self._machine.get(node, GraphNode)
        destroyed.graph.remove(destroyed)

    def graph_node_get_type(self, node: int) -> int:
        return self._machine.get(node, GraphNode).operation.kind

    def graph_node_get_dependencies(
        self, node: int, nodes: int | None, edges: int | None, count: int | None
    ) -> None:
        _list(self._machine.get(node, GraphNode).dependencies, nodes, count)

    # --- kernel nodes

    def _kernel(self, given: int | None) -> KernelLaunch:
        wanted = CUDA_KERNEL_NODE_PARAMS.from_address(_not_null(given))
        if not wanted.func and wanted.kern:
            raise Failure(NOT_SUPPORTED, "kernels of libraries (CUkernel) are not emulated")
        return gathered(
            self._machine.get(wanted.func, EmulatedFunction),
            (wanted.gridDimX, wanted.gridDimY, wanted.gridDimZ),
            (wanted.blockDimX, wanted.blockDimY, wanted.blockDimZ),
            wanted.sharedMemBytes,
            wanted.kernelParams,
            wanted.extra,
        )

    def _kernel_node(self, handle: int) -> tuple[GraphNode, KernelLaunch]:
        node = self._machine.get(handle, GraphNode)
        if not isinstance(node.operation, KernelLaunch):
            raise Failure(INVALID_VALUE, "the node is not a kernel's")
        return node, node.operation

    def graph_kernel_node_get_params(self, node: int, result: int | None) -> None:
        known, launch = self._kernel_node(node)
        filled = CUDA_KERNEL_NODE_PARAMS.from_address(_not_null(result))
        wanted = launch.function.parameters
        storage = ctypes.create_string_buffer(launch.data, max(1, len(launch.data)))
        base = ctypes.addressof(storage)
        pointers = (ctypes.c_uint64 * max(1, len(wanted)))(*(base + at for at, _ in wanted))
        known.exported = storage, pointers  # alive as long as the node is, or asked again
        filled.func = next(
            handle for handle, thing in self._machine._handles.items() if thing is launch.function
        )
        filled.gridDimX, filled.gridDimY, filled.gridDimZ = launch.grid
        filled.blockDimX, filled.blockDimY, filled.blockDimZ = launch.block
        filled.sharedMemBytes = launch.shared
        filled.kernelParams = ctypes.addressof(pointers)
        filled.extra = filled.kern = 0
        filled.ctx = known.context.handle

    def graph_kernel_node_set_params(self, node: int, given: int | None) -> None:
        known, _ = self._kernel_node(node)
        known.operation = self._kernel(given)

    # --- executable graphs

    def graph_instantiate(self, graph: int, flags: int) -> int:
        known = self._graph(graph)
        refuse_unsafe(self._machine, "instantiating a graph")
        if flags & ~_INSTANTIATE_FLAGS:
            raise Failure(INVALID_VALUE, f"instantiating has no flags {flags}")
        if flags & _DEVICE_LAUNCH:
            raise Failure(NOT_SUPPORTED, "graphs launched from a device are not emulated")
        return self._machine.add(GraphExec.of(known, flags))

    def graph_exec_destroy(self, executable: int) -> None:
        self._machine.get(executable, GraphExec)
        self._machine.forget(executable)

    def graph_upload(self, executable: int, stream: int) -> None:
        self._machine.get(executable, GraphExec)
        self._machine.current()
        submit(self._machine, any_stream(self._machine, stream), EmptyOperation())

    def graph_launch(self, executable: int, stream: int) -> None:
        machine = self._machine
        machine.current()
        target = any_stream(machine, stream)
        known = machine.get(executable, GraphExec)
        if target.capture is not None:
            raise target.capture.fail(
                CAPTURE_UNSUPPORTED, "an executable graph cannot be launched into a capture"
            )
        refuse_implicit(machine, target)
        known.run(machine)

    def graph_exec_kernel_node_set_params(
        self, executable: int, node: int, given: int | None
    ) -> None:
        known = self._machine.get(executable, GraphExec)
        if node not in known.nodes:
            raise Failure(INVALID_VALUE, "the executable graph was not made of this node")
        at = known.nodes.index(node)
        launch = self._kernel(given)
        if not known.operations[at].may_become(launch):
            raise Failure(INVALID_VALUE, "the kernel belongs to another context")
        known.operations[at] = launch

    def graph_exec_update(self, executable: int, graph: int, result: int | None) -> None:
        known = self._machine.get(executable, GraphExec)
        other = self._graph(graph)
        wanted = GraphExec.of(other)
        try:
            code, node = _difference(known, wanted)
        finally:
            wanted.close()
        if result:
            info = CUgraphExecUpdateResultInfo.from_address(result)
            info.result, info.errorNode, info.errorFromNode = code, node, 0
        if code:
            why = {
                _TOPOLOGY_CHANGED: "its nodes or their dependencies are others",
                _NODE_TYPE_CHANGED: "a node is of another type",
                _PARAMETERS_CHANGED: "a node's parameters changed more than is allowed",
            }[code]
            raise Failure(GRAPH_EXEC_UPDATE_FAILURE, f"the graph does not fit: {why}")
        known.operations = wanted.operations
        known.nodes = wanted.nodes


def _difference(known: GraphExec, wanted: GraphExec) -> tuple[int, int]:
    """Why one cannot take the other's parameters (0 if it can), and the node at fault."""
    if len(known.operations) != len(wanted.operations):
        return _TOPOLOGY_CHANGED, 0
    for at, (old, new) in enumerate(zip(known.operations, wanted.operations, strict=True)):
        if known.dependencies[at] != wanted.dependencies[at]:
            return _TOPOLOGY_CHANGED, wanted.nodes[at]
        if old.kind != new.kind:
            return _NODE_TYPE_CHANGED, wanted.nodes[at]
        if not old.may_become(new):
            return _PARAMETERS_CHANGED, wanted.nodes[at]
    return 0, 0


def _list(nodes: list[GraphNode], address: int | None, count: int | None) -> None:
    """Write nodes to the caller's array of `count` elements, or only how many there are."""
    known = ctypes.c_size_t.from_address(_not_null(count))
    if address:
        target = (ctypes.c_uint64 * known.value).from_address(address)
        for at in range(known.value):
            target[at] = nodes[at].handle if at < len(nodes) else 0
        known.value = min(known.value, len(nodes))
    else:
        known.value = len(nodes)


def _not_null(address: int | None) -> int:
    if not address:
        raise Failure(INVALID_VALUE, "a pointer that must be given is null")
    return address
