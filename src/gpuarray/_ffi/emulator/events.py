"""Emulated functions for events."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .capture import INVALIDATED, refuse_implicit, refuse_unsafe, submit
from .graph import EVENT_RECORD, WAIT_EVENT, GraphNode, StreamOperation
from .machine import ContextObject, Machine
from .statuses import (
    CAPTURE_IMPLICIT,
    CAPTURE_ISOLATION,
    CAPTURE_MERGE,
    CAPTURED_EVENT,
    CONTEXT_IS_DESTROYED,
    INVALID_HANDLE,
    INVALID_VALUE,
    Failure,
)
from .stream import EmulatedStream, any_stream

__all__ = ["EmulatedEvent", "EventCalls", "EventRecord", "EventWait"]

_EVENT_FLAGS = 0b111
_DISABLE_TIMING, _INTERPROCESS = 2, 4
_EXTERNAL = 1


@dataclass(eq=False)
class EmulatedEvent(ContextObject):
    """An event, with the time at which it was last recorded."""

    noun = "event"
    flags: int
    recorded_ns: int | None = None
    #: The capture that it was last recorded in, and the nodes that waiting for it depends on.
    capture: Any = None
    nodes: list[GraphNode] = field(default_factory=list)
    #: Makes the handle for other processes void, if there is one.
    shared_by: Callable[[], object] | None = None

    gone = CONTEXT_IS_DESTROYED

    def close(self) -> None:
        if self.shared_by is not None:
            self.shared_by()

    def mark(self) -> None:
        self.recorded_ns = time.perf_counter_ns()
        self.capture, self.nodes = None, []


class EventRecord(StreamOperation):
    """Records an event."""

    kind = EVENT_RECORD

    def __init__(self, event: EmulatedEvent) -> None:
        self.event = event

    def run(self, machine: Machine) -> None:
        self.event.mark()
        checker = machine.arena.checker
        if checker is not None:
            checker.order.record(self.event, checker.operation.stream)


class EventWait(StreamOperation):
    """Waits for an event: work is done already when its call returns."""

    kind = WAIT_EVENT

    def __init__(self, event: EmulatedEvent) -> None:
        self.event = event

    def run(self, machine: Machine) -> None:
        checker = machine.arena.checker
        if checker is not None:
            checker.order.wait(checker.operation.stream, self.event)


class EventCalls:
    """Events; the methods have the names of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def event_create(self, flags: int) -> int:
        context = self._machine.current()
        if flags & ~_EVENT_FLAGS:
            raise Failure(INVALID_VALUE, f"events have no flags {flags}")
        if flags & _INTERPROCESS and not flags & _DISABLE_TIMING:
            raise Failure(INVALID_VALUE, "an event for other processes cannot measure times")
        return self._machine.add(EmulatedEvent(context, flags))

    def event_destroy(self, event: int) -> None:
        self._machine.remove(event, EmulatedEvent).close()

    def event_record(self, event: int, stream: int) -> None:
        self.event_record_with_flags(event, stream, 0)

    def event_record_with_flags(self, event: int, stream: int, flags: int) -> None:
        recorded = self._machine.get(event, EmulatedEvent)
        target = self._stream(stream)
        if recorded.context is not target.context:
            raise Failure(INVALID_HANDLE, f"event 0x{event:x} belongs to another device or context")
        if flags & ~_EXTERNAL:
            raise Failure(INVALID_VALUE, f"recording an event has no flags {flags}")
        capture = target.capture
        if flags and capture is None:
            raise Failure(INVALID_VALUE, "an external record is for streams that are captured")
        if flags or capture is None:
            submit(self._machine, target, EventRecord(recorded))
        else:
            capture.check()
            recorded.capture, recorded.nodes = capture, list(capture.frontier[target])

    def stream_wait_event(self, stream: int, event: int, flags: int) -> None:
        target = self._stream(stream)
        awaited = self._machine.get(event, EmulatedEvent)
        if flags & ~_EXTERNAL:
            raise Failure(INVALID_VALUE, f"waiting for an event has no flags {flags}")
        capture, source = target.capture, awaited.capture
        if flags:
            if capture is None:
                raise Failure(INVALID_VALUE, "an external wait is for streams that are captured")
            submit(self._machine, target, EventWait(awaited))
        elif source is None:
            if capture is not None:
                raise capture.invalidate(
                    CAPTURE_ISOLATION,
                    "a captured stream cannot wait for an event that was recorded outside of "
                    "its capture",
                )
            refuse_implicit(self._machine, target)
            if (order := self._machine.order) is not None:
                order.wait(target, awaited)
        else:
            self._join(target, awaited)

    def _join(self, target: EmulatedStream, awaited: EmulatedEvent) -> None:
        """Add a stream to the capture that an event was recorded in."""
        source = awaited.capture
        if source not in self._machine.captures:
            raise _captured(awaited)
        source.check()
        if target.capture is None:
            refuse_implicit(self._machine, target)
            if target.legacy:
                raise source.invalidate(
                    CAPTURE_IMPLICIT, "the legacy default stream cannot take part in a capture"
                )
        elif target.capture is not source:
            target.capture.status = INVALIDATED
            raise source.invalidate(CAPTURE_MERGE, "two captures cannot become one")
        source.join(target, awaited.nodes)

    def _stream(self, stream: int) -> EmulatedStream:
        self._machine.current()
        return any_stream(self._machine, stream)

    def event_query(self, event: int) -> None:
        self._outside_capture(event, "asking for the state of an event")

    def event_synchronize(self, event: int) -> None:
        for pool in self._outside_capture(event, "waiting for an event").device.pools:
            pool.release_unused()

    def _outside_capture(self, event: int, action: str) -> EmulatedEvent:
        recorded = self._machine.get(event, EmulatedEvent)
        refuse_unsafe(self._machine, action)
        if recorded.capture is not None:
            if recorded.capture in self._machine.captures:
                recorded.capture.status = INVALIDATED
            raise _captured(recorded)
        if (order := self._machine.order) is not None:
            order.host_waits_for_event(recorded)
        return recorded

    def event_elapsed_time(self, start: int, end: int) -> float:
        first, last = self._time_of(start), self._time_of(end)
        return (last - first) / 1e6

    def _time_of(self, handle: int) -> int:
        event = self._machine.get(handle, EmulatedEvent)
        if event.flags & _DISABLE_TIMING:
            raise Failure(INVALID_HANDLE, f"event 0x{handle:x} was created without timing")
        if event.capture is not None:
            raise _captured(event)
        if event.recorded_ns is None:
            raise Failure(INVALID_HANDLE, f"event 0x{handle:x} was never recorded")
        return event.recorded_ns


def _captured(event: EmulatedEvent) -> Failure:
    if event.capture in event.capture.machine.captures:
        return Failure(CAPTURED_EVENT, "the event was last recorded in a stream that is captured")
    return Failure(INVALID_VALUE, "the event was last recorded in a capture, which has ended")
