"""The places in a graph that name given memory, so that its launches can use other memory.

A kernel's arguments are bytes, and bytes that look like an address need not be one. So the launches
of a capture are watched: what a plan passes as an array is an address, and any other word that
could be one means that the graph cannot be used with other memory. So does a kernel that was not
watched, such as one of a library.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gpuarray._ffi import driver
from gpuarray._layout import Layout
from gpuarray._runtime import allocator
from gpuarray._runtime.capture import Capture
from gpuarray._runtime.launch_history import LaunchTrace

_ADDRESS_BYTES = 8


class Range(NamedTuple):
    """Memory that a graph may get elsewhere: from `start` to `stop`, in nodes from `first` on."""

    start: int
    stop: int
    first: int = 0


class Place(NamedTuple):
    """A word of a node that is an address: which range it is in, and how far from its start."""

    word: int
    number: int
    offset: int


class Observer:
    """Watches a capture on one stream.

    Parameters
    ----------
    capture : Capture
        It has begun, and nothing was recorded yet.
    """

    def __init__(self, capture: Capture):
        self._handle = capture.origin.handle
        #: What is known of kernels, by node.
        self._traces: dict[int, LaunchTrace] = {}
        #: The node before each allocation, by the identity of its memory.
        self._allocated: dict[int, int] = {}
        capture.observer = self
        allocator.ask()
        capture.afterwards.append(allocator.do_not_ask)

    def _last_node(self) -> int:
        nodes = driver.stream_get_capture_info(self._handle)[3]
        return nodes[0] if len(nodes) == 1 else 0

    def watched(self, launch: Callable[..., int], trace: LaunchTrace) -> Callable[..., int]:
        """A launch that is noted with its node."""

        def note(*given: Any) -> int:
            status = launch(*given)
            if not status:
                self._traces[self._last_node()] = trace
            return status

        return note

    def allocated(self, memory: Any) -> None:
        """Note an allocation."""
        self._allocated[id(memory)] = self._last_node()

    def nodes_before(self, memory: Any, order: Sequence[int]) -> int | None:
        """How many nodes were recorded when memory was allocated; None if that is unknown."""
        node = self._allocated.get(id(memory))
        if not node:
            return node
        return order.index(node) + 1

    def places(
        self, order: Sequence[int], ranges: Sequence[Range], others: Sequence[Range]
    ) -> list[tuple[driver.NodeParameters, list[Place]]] | None:
        """Where nodes name the memory of ranges; None if that cannot be told of all.

        Nor can it if a node names memory of the others that is in none of the ranges.
        """
        found = []
        for index, node in enumerate(order):
            kind = driver.graph_node_get_type(node)
            if kind in ("host", "empty"):
                continue
            if kind in ("memcpy", "memset"):
                parameters = driver.NodeParameters(node)
                words = set(parameters.addresses)
            elif kind == "kernel" and node in self._traces:
                trace = self._traces[node]
                parameters = driver.NodeParameters(node, trace.sizes)
                words = _addresses(trace, parameters.addresses)
            else:
                return None
            places = []
            for word, value in enumerate(parameters.words):
                for number, (start, stop, first) in enumerate(ranges):
                    if index >= first and start <= value < stop:
                        if word not in words:
                            return None
                        places.append(Place(word, number, value - start))
                        break
                else:
                    if any(start <= value < stop for start, stop, _ in others):
                        return None
            if places:
                found.append((parameters, places))
        return found


def _addresses(trace: LaunchTrace, offsets: Sequence[int]) -> set[int]:
    """The words of a launch's arguments that are addresses of arrays."""
    return {
        offset // _ADDRESS_BYTES
        for offset, size, (_, what) in zip(offsets, trace.sizes, trace.parameters)
        # An array may be a structure, which its address leads.
        if size >= _ADDRESS_BYTES and (what == "array" or isinstance(what, Layout))
    }


def order_of(graph: int) -> list[int] | None:
    """The nodes of a graph, if each depends on the one before alone."""
    before: dict[int, int] = {}
    nodes = driver.graph_get_nodes(graph)
    for node in nodes:
        needed = driver.graph_node_get_dependencies(node)
        first = needed[0] if needed else 0
        if len(needed) > 1 or first in before:
            return None
        before[first] = node
    order: list[int] = []
    last = 0
    while last in before:
        last = before[last]
        order.append(last)
    return order
