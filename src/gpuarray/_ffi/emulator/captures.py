"""Capture of streams into graphs: what is recorded instead of done, and what is refused."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .graph import Graph, GraphMemory, Node, Operation
from .machine import Context, Machine
from .statuses import (
    CAPTURE_IMPLICIT,
    CAPTURE_INVALIDATED,
    CAPTURE_UNJOINED,
    CAPTURE_UNMATCHED,
    CAPTURE_UNSUPPORTED,
    CAPTURE_WRONG_THREAD,
    ILLEGAL_STATE,
    INVALID_VALUE,
    Failure,
)

if TYPE_CHECKING:
    from .streams import Stream

__all__ = ["Capture", "refuse_conflict", "refuse_unsafe", "submit"]

#: CUstreamCaptureMode and CUstreamCaptureStatus
GLOBAL, THREAD_LOCAL, RELAXED = range(3)
NONE, ACTIVE, INVALIDATED = range(3)

_modes = threading.local()
_ids = iter(range(1, 1 << 62))


class Capture:
    """A capture that has begun and not ended."""

    def __init__(self, machine: Machine, stream: Stream, mode: int) -> None:
        self.machine = machine
        self.context = stream.context
        self.origin = stream
        self.mode = mode
        self.thread = threading.get_ident()
        self.id = next(_ids)
        self.status = ACTIVE
        self.graph = Graph(stream.context, machine, GraphMemory(machine))
        self.graph_handle = machine.add(self.graph)
        #: What the next operation of each captured stream depends on.
        self.frontier: dict[Stream, list[Node]] = {}
        #: Keeps what `stream_get_capture_info` pointed to.
        self.exported: Any = None
        self.join(stream, ())

    def join(self, stream: Stream, nodes: Iterable[Node]) -> None:
        """Let a stream take part, its next operation depending on the given nodes as well."""
        known = self.frontier.get(stream, [])
        self.frontier[stream] = list(dict.fromkeys([*known, *nodes]))
        stream.capture = self

    def record(self, stream: Stream, operation: Operation) -> Node:
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


def submit(machine: Machine, stream: Stream, operation: Operation) -> None:
    """Do an operation, or record it where the stream is captured."""
    if machine.captures:
        if stream.capture is not None:
            stream.capture.record(stream, operation)
            return
        refuse_implicit(machine, stream)
    operation.run(machine)


def refuse_implicit(machine: Machine, stream: Stream) -> None:
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


def refuse_unsafe(machine: Machine, what: str, context: Context | None = None) -> None:
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


def refuse_conflict(stream: Stream, what: str) -> None:
    """Refuse what cannot be asked of a captured stream."""
    if stream.capture is not None:
        stream.capture.check()
        raise stream.capture.fail(CAPTURE_UNSUPPORTED, f"{what} a stream that is captured")


def _mode() -> int:
    return getattr(_modes, "mode", GLOBAL)


class CaptureCalls:
    """Capture; the methods have the names of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def _stream(self, handle: int) -> Stream:
        from .streams import stream_of

        return stream_of(self._machine, handle)

    def stream_begin_capture(self, stream: int, mode: int) -> None:
        captured = self._stream(stream)
        if not GLOBAL <= mode <= RELAXED:
            raise Failure(INVALID_VALUE, f"there is no capture mode {mode}")
        if captured.legacy:
            raise Failure(CAPTURE_UNSUPPORTED, "the legacy default stream cannot be captured")
        if captured.capture is not None:
            raise Failure(ILLEGAL_STATE, "the stream is captured already")
        self._machine.captures.append(Capture(self._machine, captured, mode))

    def stream_end_capture(self, stream: int) -> int:
        captured = self._stream(stream)
        capture = captured.capture
        if capture is None:
            raise Failure(ILLEGAL_STATE, "the stream is not captured")
        if capture.origin is not captured:
            raise capture.fail(CAPTURE_UNMATCHED, "the capture began in another stream")
        if capture.mode != RELAXED and capture.thread != threading.get_ident():
            capture.leave()  # as on a GPU, where the capture is over all the same
            self._machine.forget(capture.graph_handle)
            raise Failure(CAPTURE_WRONG_THREAD, "the capture began in another thread")
        capture.leave()
        failure = None
        if capture.status == INVALIDATED:
            failure = Failure(CAPTURE_INVALIDATED, "an earlier call made this capture invalid")
        elif set(capture.graph.leaves()) - set(capture.frontier[captured]):
            failure = Failure(
                CAPTURE_UNJOINED,
                "work of another stream was captured that this one never waited for; record an "
                "event there and wait for it here",
            )
        if failure is not None:
            self._machine.forget(capture.graph_handle)
            raise failure
        return capture.graph_handle

    def stream_is_capturing(self, stream: int) -> int:
        asked = self._stream(stream)
        if asked.capture is None:
            refuse_implicit(self._machine, asked)
            return NONE
        return asked.capture.status

    def stream_get_capture_info(
        self,
        stream: int,
        id_out: int | None,
        graph_out: int | None,
        nodes_out: int | None,
        count_out: int | None,
    ) -> int:
        capture = (asked := self._stream(stream)).capture
        if capture is None:
            refuse_implicit(self._machine, asked)
            return NONE
        if capture.status == ACTIVE:
            nodes = [node.handle for node in capture.frontier[asked]]
            capture.exported = (ctypes.c_uint64 * max(1, len(nodes)))(*nodes)
            for address, value in (
                (id_out, capture.id),
                (graph_out, capture.graph_handle),
                (nodes_out, ctypes.addressof(capture.exported)),
                (count_out, len(nodes)),
            ):
                if address:
                    ctypes.c_uint64.from_address(address).value = value
        return capture.status

    def thread_exchange_capture_mode(self, mode: int | None) -> None:
        if not mode:
            raise Failure(INVALID_VALUE, "the pointer to the mode is null")
        given = ctypes.c_int.from_address(mode)
        if not GLOBAL <= given.value <= RELAXED:
            raise Failure(INVALID_VALUE, f"there is no capture mode {given.value}")
        _modes.mode, given.value = given.value, _mode()
