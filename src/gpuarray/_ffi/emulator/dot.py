"""The description of a graph in the DOT language, which Graphviz draws."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .graph import EmulatedGraph, GraphNode

__all__ = ["DOT_FLAGS", "dot_of"]

#: CUgraphDebugDot_flags
_VERBOSE, _KERNEL, _MEMCPY, _MEMSET, _HANDLES = 1 << 0, 1 << 2, 1 << 3, 1 << 4, 1 << 10
DOT_FLAGS = (1 << 16) - 1

_KINDS = {
    0: "KERNEL", 1: "MEMCPY", 2: "MEMSET", 3: "HOST", 4: "GRAPH", 5: "EMPTY", 6: "WAIT_EVENT",
    7: "EVENT_RECORD", 10: "MEM_ALLOC", 11: "MEM_FREE",
}  # fmt: skip


def dot_of(graph: EmulatedGraph, flags: int) -> str:
    """A graph's nodes and dependencies; the flags say what is told of a node."""
    names = {id(node): f"node_{index}" for index, node in enumerate(graph.nodes)}
    lines = ["digraph graph_1 {"]
    for node in graph.nodes:
        label = "\\n".join(_label(node, flags)).replace('"', "'")
        lines.append(f'  {names[id(node)]} [shape="box", label="{label}"];')
    for node in graph.nodes:
        for earlier in node.dependencies:
            lines.append(f"  {names[id(earlier)]} -> {names[id(node)]};")
    return "\n".join([*lines, "}", ""])


def _label(node: GraphNode, flags: int) -> Iterator[str]:
    operation: Any = node.operation
    kind = _KINDS.get(operation.kind, "OTHER")
    yield kind
    if flags & (_HANDLES | _VERBOSE):
        yield f"node handle {node.handle:#x}"
    if kind == "KERNEL" and hasattr(operation, "function"):
        yield operation.function.kernel.name
        if flags & (_KERNEL | _VERBOSE):
            yield f"grid {operation.grid}"
            yield f"block {operation.block}"
            yield f"shared memory {operation.shared}"
    elif kind == "MEMCPY" and flags & (_MEMCPY | _VERBOSE):
        yield f"to {operation.target.address:#x}"
        yield f"from {operation.source.address:#x}"
        yield f"extent {operation.extent[::-1]}"
    elif kind == "MEMSET" and flags & (_MEMSET | _VERBOSE):
        yield f"at {operation.address:#x}"
        yield f"value {operation.value} of {operation.itemsize} bytes"
        yield f"width {operation.width}, height {operation.height}"
