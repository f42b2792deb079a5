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
        #: Keeps what `stream_get_capture_info` pointed to.
        self.exported: Any = None
        self.join(stream, ())

    def join(self, stream: EmulatedStream, nodes: Iterable[GraphNode]) -> None:
        """Let a stream take part, its next operation depending on the given nodes as well."""
        known = self.frontier.get(stream, [])
        self.frontier[stream] = list(dict.fromkeys([*known, *nodes]))
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

    def fail(self, status: int, detail: str) -> Failure:
        """The failure of a call that makes the capture invalid."""
        self.status = INVALIDATED
        return Failure(status, f"{detail}; the capture is invalid now")

    def leave(self) -> None:
        """The end: its streams work again."""
        for stream in self.frontier:
            stream.capture = None
        if self in self.machine.captures:
            self.machine.captures.remove(self)


def submit(machine: Machine, stream: EmulatedStream, operation: StreamOperation) -> None:
    """Do an operation, or record it where the stream is captured."""
    if machine.captures:
        if stream.capture is not None:
            stream.capture.record(stream, operation)
            return
        refuse_implicit(machine, stream)
    operation.run(machine)


def refuse_implicit(machine: Machine, stream: EmulatedStream) -> None:
    """Refuse work on the legacy default stream that a captured stream would wait for."""
    if not stream.legacy:
        return
    for capture in machine.captures:
        if capture.context is stream.context and any(s.blocking for s in capture.frontier):
            raise capture.fail(
                CAPTURE_IMPLICIT,
                "the legacy default stream would have to wait for a stream that is captured; "
                "capture a non-blocking stream, or use another one here",
            )


def refuse_unsafe(machine: Machine, what: str, context: EmulatedContext | None = None) -> None:
    """Refuse a call that could disturb a capture, as the modes of both say.

    With a context, the call waits for all that context does, which no mode allows.
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
            raise capture.fail(CAPTURE_UNSUPPORTED, f"{what} while a stream is captured")


def refuse_conflict(stream: EmulatedStream, what: str) -> None:
    """Refuse what cannot be asked of a captured stream."""
    if stream.capture is not None:
        stream.capture.check()
        raise stream.capture.fail(CAPTURE_UNSUPPORTED, f"{what} a stream that is captured")


def _mode() -> int:
    return getattr(_modes, "mode", GLOBAL)


def exchange_mode(mode: int) -> int:
    """Set the mode in which the calling thread meets captures; the one before."""
    previous, _modes.mode = _mode(), mode
    return previous
