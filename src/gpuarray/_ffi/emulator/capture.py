"""A capture of streams into a graph: what it records, and what it refuses meanwhile."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable
from typing import Any

from .graph import EmulatedGraph, GraphMemory, GraphNode, StreamOperation
from .machine import EmulatedContext, Machine
from .statuses import (
    CAPTURE_IMPLICIT,
    CAPTURE_INVALIDATED,
    CAPTURE_UNSUPPORTED,
    Failure,
)
from .stream import EmulatedStream

__all__ = [
    "Capture",
    "exchange_mode",
    "refuse_conflict",
    "refuse_implicit",
    "refuse_unsafe",
    "submit",
]

#: CUstreamCaptureMode and CUstreamCaptureStatus
GLOBAL, THREAD_LOCAL, RELAXED = range(3)
NONE, ACTIVE, INVALIDATED = range(3)

_modes = threading.local()
_ids = itertools.count(1)


class Capture:
    """A capture that has begun and not ended."""

    def __init__(self, machine: Machine, stream: EmulatedStream, mode: int) -> None:
        self.machine = machine
        self.context = stream.context
        self.origin = stream
        self.mode = mode
        self.thread = threading.get_ident()
        self.id = next(_ids)
        self.status = ACTIVE
        self.graph = EmulatedGraph(stream.context, machine, GraphMemory(machine))
        self.graph_handle = machine.add(self.graph)
        #: What the next operation of each captured stream depends on.
        self.frontier: dict[EmulatedStream, list[GraphNode]] = {}
        #: Keeps alive the array that `stream_get_capture_info` returned a pointer to.
        self.exported: Any = None
        self.join(stream, ())

    def join(self, stream: EmulatedStream, nodes: Iterable[GraphNode]) -> None:
        """Add a stream to the capture; its next operation depends on the given nodes as well."""
        dependencies = self.frontier.get(stream, [])
        self.frontier[stream] = list(dict.fromkeys([*dependencies, *nodes]))
        stream.capture = self

    def record(self, stream: EmulatedStream, operation: StreamOperation) -> GraphNode:
        self.check()
        node = self.graph.add(operation, self.frontier[stream])
        self.frontier[stream] = [node]
        return node

    def check(self) -> None:
        if self.status == INVALIDATED:
            raise Failure(
                CAPTURE_INVALIDATED,
                "an earlier call made this capture invalid; end it, and begin it anew",
            )

    def invalidate(self, status: int, detail: str) -> Failure:
        """Make the capture invalid; the failure of the call that did."""
        self.status = INVALIDATED
        return Failure(status, f"{detail}; the capture is invalid now")

    def end(self) -> None:
        """End the capture: its streams execute operations again."""
        for stream in self.frontier:
            stream.capture = None
        if self in self.machine.captures:
            self.machine.captures.remove(self)


def submit(machine: Machine, stream: EmulatedStream, operation: StreamOperation) -> None:
    """Run an operation, or record it where the stream is captured."""
    if machine.captures:
        if stream.capture is not None:
            stream.capture.record(stream, operation)
            return
        refuse_implicit(machine, stream)
    checker = machine.arena.checker
    if checker is None:
        operation.run(machine)
        return
    # A finalizer may come between the beginning of another operation and its run.
    interrupted = checker.operation
    checker.begin(stream, operation.noun)
    operation.run(machine)
    checker.ended()
    checker.operation = interrupted


def refuse_implicit(machine: Machine, stream: EmulatedStream, *, asks: bool = False) -> None:
    """Refuse work on the legacy default stream that a captured stream would wait for.

    A call that only asks for the state of the stream leaves the capture valid.
    """
    if not stream.legacy:
        return
    for capture in machine.captures:
        if capture.context is stream.context and any(s.blocking for s in capture.frontier):
            reason = (
                "the legacy default stream would have to wait for a stream that is captured; "
                "capture a non-blocking stream, or use another one here"
            )
            if asks:
                raise Failure(CAPTURE_IMPLICIT, reason)
            raise capture.invalidate(CAPTURE_IMPLICIT, reason)


def refuse_unsafe(machine: Machine, action: str, context: EmulatedContext | None = None) -> None:
    """Refuse a call that could disturb a capture, as the modes of both say.

    With a context, the call waits for all work of that context, which no mode allows.
    """
    if not machine.captures:
        return
    thread, mode = threading.get_ident(), _mode()
    for capture in machine.captures:
        if capture.thread == thread:
            forbidden = capture.mode != RELAXED and mode != RELAXED
        else:
            forbidden = capture.mode == GLOBAL and mode == GLOBAL
        if forbidden or capture.context is context:
            raise capture.invalidate(CAPTURE_UNSUPPORTED, f"{action} while a stream is captured")


def refuse_conflict(stream: EmulatedStream, action: str) -> None:
    """Refuse a call that a captured stream does not allow."""
    if stream.capture is not None:
        stream.capture.check()
        raise stream.capture.invalidate(CAPTURE_UNSUPPORTED, f"{action} a stream that is captured")


def _mode() -> int:
    return getattr(_modes, "mode", GLOBAL)


def exchange_mode(mode: int) -> int:
    """Set how the calling thread interacts with captures; the mode before."""
    previous, _modes.mode = _mode(), mode
    return previous
