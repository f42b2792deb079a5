"""Emulated functions for graphs."""

from __future__ import annotations

import ctypes
from typing import Any

from ..structs import (
    CUDA_HOST_NODE_PARAMS,
    CUDA_KERNEL_NODE_PARAMS,
    CUDA_MEMCPY3D,
    CUDA_MEMSET_NODE_PARAMS,
    CUgraphExecUpdateResultInfo,
)
from .capture import refuse_implicit, refuse_unsafe, submit
from .copies import Copy, copy_of
from .dot import DOT_FLAGS, dot_of
from .events import EmulatedEvent, EventRecord, EventWait
from .fills import Fill, fill_of
from .graph import (
    ChildGraph,
    EmptyOperation,
    EmulatedGraph,
    GraphExec,
    GraphMemory,
    GraphNode,
    StreamOperation,
)
from .launches import KernelLaunch, checked_launch
from .machine import Machine
from .modules import EmulatedFunction
from .statuses import (
    CAPTURE_UNSUPPORTED,
    GRAPH_EXEC_UPDATE_FAILURE,
    INVALID_VALUE,
    NOT_SUPPORTED,
    OPERATING_SYSTEM,
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
        """A graph that no capture is recording into."""
        graph = self._machine.get(handle, EmulatedGraph)
        self._refuse_captured(graph)
        return graph

    def _refuse_captured(self, graph: EmulatedGraph) -> None:
        for capture in self._machine.captures:
            if capture.graph is graph:
                raise Failure(CAPTURE_UNSUPPORTED, "the graph is still being captured")

    def graph_get_nodes(self, graph: int, nodes: int | None, count: int | None) -> None:
        _list(self._machine.get(graph, EmulatedGraph).nodes, nodes, count)

    # --- nodes

    def graph_add_kernel_node(
        self, graph: int, dependencies: int | None, count: int, params: int | None
    ) -> int:
        return self._add(graph, dependencies, count, self._kernel(params))

    def graph_add_memcpy_node(
        self, graph: int, dependencies: int | None, count: int, params: int | None, context: int
    ) -> int:
        self._machine.live_context(context)
        copy = copy_of(self._machine, CUDA_MEMCPY3D.from_address(_required(params)))
        return self._add(graph, dependencies, count, copy)

    def graph_add_memset_node(
        self, graph: int, dependencies: int | None, count: int, params: int | None, context: int
    ) -> int:
        self._machine.live_context(context)
        fill = fill_of(self._machine, CUDA_MEMSET_NODE_PARAMS.from_address(_required(params)))
        return self._add(graph, dependencies, count, fill)

    def graph_add_host_node(
        self, graph: int, dependencies: int | None, count: int, params: int | None
    ) -> int:
        host = CUDA_HOST_NODE_PARAMS.from_address(_required(params))
        return self._add(graph, dependencies, count, HostFunction(host.fn, host.userData))

    def graph_add_child_graph_node(
        self, graph: int, dependencies: int | None, count: int, child: int
    ) -> int:
        nodes = self._machine.get(child, EmulatedGraph).in_order()
        return self._add(graph, dependencies, count, ChildGraph([node.operation for node in nodes]))

    def graph_add_empty_node(self, graph: int, dependencies: int | None, count: int) -> int:
        return self._add(graph, dependencies, count, EmptyOperation())

    def graph_add_event_record_node(
        self, graph: int, dependencies: int | None, count: int, event: int
    ) -> int:
        return self._add(
            graph, dependencies, count, EventRecord(self._machine.get(event, EmulatedEvent))
        )

    def graph_add_event_wait_node(
        self, graph: int, dependencies: int | None, count: int, event: int
    ) -> int:
        return self._add(
            graph, dependencies, count, EventWait(self._machine.get(event, EmulatedEvent))
        )

    def _add(
        self, graph: int, dependencies: int | None, count: int, operation: StreamOperation
    ) -> int:
        # Nodes may be added to a graph that is being captured.
        extended = self._machine.get(graph, EmulatedGraph)
        return extended.add(operation, self._nodes(dependencies, count)).handle

    def _nodes(self, address: int | None, count: int) -> list[GraphNode]:
        if not count:
            return []
        handles = (ctypes.c_uint64 * count).from_address(_required(address))
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
        self._refuse_captured(destroyed.graph)
        destroyed.graph.remove(destroyed)

    def graph_node_get_type(self, node: int) -> int:
        return self._machine.get(node, GraphNode).operation.kind

    def graph_node_get_dependencies(
        self, node: int, nodes: int | None, edges: int | None, count: int | None
    ) -> None:
        _list(self._machine.get(node, GraphNode).dependencies, nodes, count)

    # --- kernel nodes

    def _kernel(self, params: int | None, cooperative: bool = False) -> KernelLaunch:
        node_params = CUDA_KERNEL_NODE_PARAMS.from_address(_required(params))
        if not node_params.func and node_params.kern:
            raise Failure(NOT_SUPPORTED, "kernels of libraries (CUkernel) are not emulated")
        return checked_launch(
            self._machine.get(node_params.func, EmulatedFunction),
            (node_params.gridDimX, node_params.gridDimY, node_params.gridDimZ),
            (node_params.blockDimX, node_params.blockDimY, node_params.blockDimZ),
            node_params.sharedMemBytes,
            node_params.kernelParams,
            node_params.extra,
            cooperative,
        )

    def _kernel_node(self, handle: int) -> tuple[GraphNode, KernelLaunch]:
        node = self._machine.get(handle, GraphNode)
        if not isinstance(node.operation, KernelLaunch):
            raise Failure(INVALID_VALUE, "the node is not a kernel's")
        return node, node.operation

    def graph_kernel_node_get_params(self, node: int, result: int | None) -> None:
        graph_node, launch = self._kernel_node(node)
        node_params = CUDA_KERNEL_NODE_PARAMS.from_address(_required(result))
        parameters = launch.function.parameters
        storage = ctypes.create_string_buffer(launch.data, max(1, len(launch.data)))
        base = ctypes.addressof(storage)
        pointers = (ctypes.c_uint64 * max(1, len(parameters)))(
            *(base + offset for offset, _ in parameters)
        )
        graph_node.exported = storage, pointers  # alive as long as the node is, or asked again
        node_params.func = next(
            handle for handle, obj in self._machine._handles.items() if obj is launch.function
        )
        node_params.gridDimX, node_params.gridDimY, node_params.gridDimZ = launch.grid
        node_params.blockDimX, node_params.blockDimY, node_params.blockDimZ = launch.block
        node_params.sharedMemBytes = launch.shared
        node_params.kernelParams = ctypes.addressof(pointers)
        node_params.extra = node_params.kern = 0
        node_params.ctx = graph_node.context.handle

    def graph_kernel_node_set_params(self, node: int, params: int | None) -> None:
        changed, former = self._kernel_node(node)
        changed.operation = self._kernel(params, former.cooperative)

    # --- copy and fill nodes

    def graph_memcpy_node_get_params(self, node: int, result: int | None) -> None:
        copy = self._operation(node, Copy, "a copy's")
        copy.describe(CUDA_MEMCPY3D.from_address(_required(result)))

    def graph_memset_node_get_params(self, node: int, result: int | None) -> None:
        fill = self._operation(node, Fill, "a fill's")
        fill.describe(CUDA_MEMSET_NODE_PARAMS.from_address(_required(result)))

    def _operation(self, node: int, kind: type, whose: str) -> Any:
        operation = self._machine.get(node, GraphNode).operation
        if not isinstance(operation, kind):
            raise Failure(INVALID_VALUE, f"the node is not {whose}")
        return operation

    def graph_debug_dot_print(self, graph: int, path: bytes | None, flags: int) -> None:
        printed = self._machine.get(graph, EmulatedGraph)
        if not path:
            raise Failure(INVALID_VALUE, "the path is null")
        if flags & ~DOT_FLAGS:
            raise Failure(INVALID_VALUE, f"printing a graph has no flags {flags:#x}")
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write(dot_of(printed, flags))
        except OSError as error:
            raise Failure(OPERATING_SYSTEM, f"the file cannot be written: {error}") from None

    # --- executable graphs

    def graph_instantiate(self, graph: int, flags: int) -> int:
        instantiated = self._graph(graph)
        refuse_unsafe(self._machine, "instantiating a graph")
        if flags & ~_INSTANTIATE_FLAGS:
            raise Failure(INVALID_VALUE, f"instantiating has no flags {flags}")
        if flags & _DEVICE_LAUNCH:
            raise Failure(NOT_SUPPORTED, "graphs launched from a device are not emulated")
        return self._machine.add(GraphExec.of(instantiated, flags))

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
        graph_exec = machine.get(executable, GraphExec)
        if target.capture is not None:
            raise target.capture.invalidate(
                CAPTURE_UNSUPPORTED, "an executable graph cannot be launched into a capture"
            )
        refuse_implicit(machine, target)
        graph_exec.run(machine, target)

    def graph_exec_kernel_node_set_params(
        self, executable: int, node: int, params: int | None
    ) -> None:
        graph_exec = self._machine.get(executable, GraphExec)
        if node not in graph_exec.nodes:
            raise Failure(INVALID_VALUE, "the executable graph was not made of this node")
        index = graph_exec.nodes.index(node)
        former = graph_exec.operations[index]
        # An attribute of the node, which its parameters do not have.
        launch = self._kernel(params, getattr(former, "cooperative", False))
        if not former.can_be_updated_to(launch):
            raise Failure(INVALID_VALUE, "the kernel belongs to another context")
        graph_exec.operations[index] = launch

    def graph_exec_memcpy_node_set_params(
        self, executable: int, node: int, params: int | None, context: int
    ) -> None:
        self._machine.live_context(context)
        copy = copy_of(self._machine, CUDA_MEMCPY3D.from_address(_required(params)))
        self._change(executable, node, copy)

    def graph_exec_memset_node_set_params(
        self, executable: int, node: int, params: int | None, context: int
    ) -> None:
        self._machine.live_context(context)
        fill = fill_of(self._machine, CUDA_MEMSET_NODE_PARAMS.from_address(_required(params)))
        self._change(executable, node, fill)

    def _change(self, executable: int, node: int, operation: StreamOperation) -> None:
        graph_exec = self._machine.get(executable, GraphExec)
        if node not in graph_exec.nodes:
            raise Failure(INVALID_VALUE, "the executable graph was not made of this node")
        index = graph_exec.nodes.index(node)
        former = graph_exec.operations[index]
        if type(former) is not type(operation) or not former.can_be_updated_to(operation):
            raise Failure(
                INVALID_VALUE, "the node is of another type, or in another kind of memory"
            )
        graph_exec.operations[index] = operation

    def graph_exec_update(self, executable: int, graph: int, result: int | None) -> None:
        graph_exec = self._machine.get(executable, GraphExec)
        update = GraphExec.of(self._graph(graph))
        try:
            code, node = _difference(graph_exec, update)
        finally:
            update.close()
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
        graph_exec.operations = update.operations
        graph_exec.nodes = update.nodes


def _difference(graph_exec: GraphExec, update: GraphExec) -> tuple[int, int]:
    """CUgraphExecUpdateResult of an update, and the node that prevents it (0, 0 if none does)."""
    if len(graph_exec.operations) != len(update.operations):
        return _TOPOLOGY_CHANGED, 0
    for index, (old, new) in enumerate(zip(graph_exec.operations, update.operations, strict=True)):
        if graph_exec.dependencies[index] != update.dependencies[index]:
            return _TOPOLOGY_CHANGED, update.nodes[index]
        if old.kind != new.kind:
            return _NODE_TYPE_CHANGED, update.nodes[index]
        if not old.can_be_updated_to(new):
            return _PARAMETERS_CHANGED, update.nodes[index]
    return 0, 0


def _list(nodes: list[GraphNode], address: int | None, count: int | None) -> None:
    """Write nodes to the caller's array of `count` elements, or only how many there are."""
    capacity = ctypes.c_size_t.from_address(_required(count))
    if address:
        target = (ctypes.c_uint64 * capacity.value).from_address(address)
        for index in range(capacity.value):
            target[index] = nodes[index].handle if index < len(nodes) else 0
        capacity.value = min(capacity.value, len(nodes))
    else:
        capacity.value = len(nodes)


def _required(address: int | None) -> int:
    if not address:
        raise Failure(INVALID_VALUE, "a pointer that must be given is null")
    return address
