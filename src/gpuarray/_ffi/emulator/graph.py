"""What a graph consists of: operations, nodes, graphs and their executable form."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .machine import ContextObject, EmulatedAllocation, Machine
from .statuses import INVALID_VALUE, Failure
from .stream import EmulatedStream
from .stream_order import GraphOrder

__all__ = [
    "ChildGraph",
    "EmptyOperation",
    "EmulatedGraph",
    "GraphExec",
    "GraphMemory",
    "GraphNode",
    "StreamOperation",
]

#: CUgraphNodeType
KERNEL, MEMCPY, MEMSET, HOST, CHILD_GRAPH, EMPTY, WAIT_EVENT, EVENT_RECORD = range(8)
MEM_ALLOC, MEM_FREE = 10, 11


class StreamOperation:
    """Work for a stream or a graph; its arguments are checked when it is created."""

    kind = EMPTY

    @property
    def noun(self) -> str:
        """What messages call it."""
        return "an operation"

    def run(self, machine: Machine) -> None:
        """Do the work."""

    def can_be_updated_to(self, other: StreamOperation) -> bool:
        """Whether an update of an executable graph may replace this by `other`."""
        return True


class EmptyOperation(StreamOperation):
    """No work: a node where dependencies meet."""


@dataclass(eq=False)
class GraphNode(ContextObject):
    """A node of a graph."""

    noun = "node"
    graph: EmulatedGraph
    operation: StreamOperation
    dependencies: list[GraphNode]
    handle: int = 0
    #: The node that this one is a clone of.
    original: GraphNode | None = None
    #: Keeps alive the parameters that `graph_kernel_node_get_params` returned pointers to.
    exported: Any = None


class GraphMemory:
    """Memory of a graph's allocation nodes, shared with its clones and executable graphs."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._references = 1
        self.allocations: list[EmulatedAllocation] = []

    def retain(self) -> GraphMemory:
        self._references += 1
        return self

    def release(self) -> None:
        self._references -= 1
        if not self._references:
            for allocation in self.allocations:
                if self._machine.allocations.get(allocation.address) is allocation:
                    self._machine.release(allocation)


@dataclass(eq=False)
class EmulatedGraph(ContextObject):
    """A graph: nodes in the order in which they were added."""

    noun = "graph"
    machine: Machine
    memory: GraphMemory
    nodes: list[GraphNode] = field(default_factory=list)

    def add(self, operation: StreamOperation, dependencies: Iterable[GraphNode] = ()) -> GraphNode:
        node = GraphNode(self.context, self, operation, list(dict.fromkeys(dependencies)))
        if any(other.graph is not self for other in node.dependencies):
            raise Failure(INVALID_VALUE, "a node can only depend on nodes of its own graph")
        node.handle = self.machine.add(node)
        self.nodes.append(node)
        return node

    def remove(self, node: GraphNode) -> None:
        self.nodes.remove(node)
        for other in self.nodes:
            if node in other.dependencies:
                other.dependencies.remove(node)
        self.machine.remove(node.handle, GraphNode)

    def leaves(self) -> list[GraphNode]:
        """The nodes that no other depends on."""
        needed = {id(d) for node in self.nodes for d in node.dependencies}
        return [node for node in self.nodes if id(node) not in needed]

    def in_order(self) -> list[GraphNode]:
        """The nodes in topological order."""
        done: set[int] = set()
        order: list[GraphNode] = []
        waiting = list(self.nodes)
        while waiting:
            ready = [n for n in waiting if all(id(d) in done for d in n.dependencies)]
            if not ready:
                raise Failure(INVALID_VALUE, "the graph's dependencies form a cycle")
            order += ready
            done.update(map(id, ready))
            waiting = [n for n in waiting if id(n) not in done]
        return order

    def clone(self) -> EmulatedGraph:
        clone = EmulatedGraph(self.context, self.machine, self.memory.retain())
        clones: dict[int, GraphNode] = {}
        for node in self.in_order():
            node_clone = clone.add(
                copy.copy(node.operation), [clones[id(d)] for d in node.dependencies]
            )
            node_clone.original = node
            clones[id(node)] = node_clone
        return clone

    def close(self) -> None:
        for node in self.nodes:
            self.machine._handles.pop(node.handle, None)
        self.memory.release()


@dataclass(eq=False)
class GraphExec(ContextObject):
    """An executable graph: the operations of a graph when it was instantiated, in order."""

    noun = "executable graph"
    flags: int
    memory: GraphMemory
    #: Handles of the graph's nodes, in the order of `operations`.
    nodes: list[int]
    operations: list[StreamOperation]
    dependencies: list[list[int]]
    #: What has ended when the last launch has.
    clock: dict[Any, int] = field(default_factory=dict)

    @classmethod
    def of(cls, graph: EmulatedGraph, flags: int = 0) -> GraphExec:
        order = graph.in_order()
        position = {id(node): index for index, node in enumerate(order)}
        return cls(
            graph.context,
            flags,
            graph.memory.retain(),
            [node.handle for node in order],
            [copy.copy(node.operation) for node in order],
            [sorted(position[id(d)] for d in node.dependencies) for node in order],
        )

    def run(self, machine: Machine, stream: EmulatedStream) -> None:
        checker = machine.arena.checker
        if checker is None:
            for operation in self.operations:
                operation.run(machine)
            return
        # A launch begins after the one before, whatever the stream of that.
        graph = GraphOrder(checker.order, stream, self.clock)
        for operation, needed in zip(self.operations, self.dependencies, strict=True):
            checker.begin_node(graph, operation.noun, needed)
            operation.run(machine)
            checker.ended()
        self.clock = graph.end()

    def close(self) -> None:
        self.memory.release()


class ChildGraph(StreamOperation):
    """A whole graph as one node."""

    kind = CHILD_GRAPH

    def __init__(self, operations: Sequence[StreamOperation]) -> None:
        self.operations = [copy.copy(operation) for operation in operations]

    def run(self, machine: Machine) -> None:
        for operation in self.operations:
            operation.run(machine)

    def can_be_updated_to(self, other: StreamOperation) -> bool:
        return isinstance(other, ChildGraph) and [o.kind for o in self.operations] == [
            o.kind for o in other.operations
        ]
