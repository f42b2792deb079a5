"""What a graph of work consists of: operations, nodes, graphs and their executable form."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .machine import ContextObject, EmulatedAllocation, Machine
from .statuses import INVALID_VALUE, Failure

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
    """A piece of work for a stream or a graph. It is checked when it is made."""

    kind = EMPTY

    def run(self, machine: Machine) -> None:
        """Do it."""

    def may_become(self, other: StreamOperation) -> bool:
        """Whether an executable graph can do `other` in its place."""
        return True


class EmptyOperation(StreamOperation):
    """Nothing: a place where dependencies meet."""


@dataclass(eq=False)
class GraphNode(ContextObject):
    """A node of a graph."""

    noun = "node"
    graph: EmulatedGraph
    operation: StreamOperation
    dependencies: list[GraphNode]
    handle: int = 0
    #: The node that a clone of the graph made this one of.
    original: GraphNode | None = None
    #: What keeps the parameters alive that were last asked for.
    exported: Any = None


class GraphMemory:
    """The memory that a graph's allocation nodes give out, for it and what was made of it."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._users = 1
        self.allocations: list[EmulatedAllocation] = []

    def share(self) -> GraphMemory:
        self._users += 1
        return self

    def give_up(self) -> None:
        self._users -= 1
        if not self._users:
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
        """The nodes, each after what it depends on."""
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
        made = EmulatedGraph(self.context, self.machine, self.memory.share())
        twins: dict[int, GraphNode] = {}
        for node in self.in_order():
            twin = made.add(copy.copy(node.operation), [twins[id(d)] for d in node.dependencies])
            twin.original = node
            twins[id(node)] = twin
        return made

    def close(self) -> None:
        for node in self.nodes:
            self.machine._handles.pop(node.handle, None)
        self.memory.give_up()


@dataclass(eq=False)
class GraphExec(ContextObject):
    """A graph made ready to be launched: its nodes' operations, in order, as they were."""

    noun = "executable graph"
    flags: int
    memory: GraphMemory
    #: Handles of the nodes it was made of, to find the operation of one by.
    nodes: list[int]
    operations: list[StreamOperation]
    dependencies: list[list[int]]

    @classmethod
    def of(cls, graph: EmulatedGraph, flags: int = 0) -> GraphExec:
        order = graph.in_order()
        place = {id(node): at for at, node in enumerate(order)}
        return cls(
            graph.context,
            flags,
            graph.memory.share(),
            [node.handle for node in order],
            [copy.copy(node.operation) for node in order],
            [sorted(place[id(d)] for d in node.dependencies) for node in order],
        )

    def run(self, machine: Machine) -> None:
        for operation in self.operations:
            operation.run(machine)

    def close(self) -> None:
        self.memory.give_up()


class ChildGraph(StreamOperation):
    """A whole graph as one node."""

    kind = CHILD_GRAPH

    def __init__(self, operations: Sequence[StreamOperation]) -> None:
        self.operations = [copy.copy(operation) for operation in operations]

    def run(self, machine: Machine) -> None:
        for operation in self.operations:
            operation.run(machine)

    def may_become(self, other: StreamOperation) -> bool:
        return isinstance(other, ChildGraph) and [o.kind for o in self.operations] == [
            o.kind for o in other.operations
        ]
