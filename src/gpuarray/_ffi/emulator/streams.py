"""Emulated functions for streams and events. Work is done when its call returns."""

from __future__ import annotations

import time
from dataclasses import dataclass

from .machine import Device, Machine, Owned
from .statuses import INVALID_HANDLE, INVALID_VALUE, Failure

__all__ = ["Event", "Stream", "StreamCalls", "check_stream"]

#: The legacy default stream under both its names, and the per-thread default stream.
_DEFAULT_STREAMS = (0, 1, 2)
_STREAM_FLAGS = 0b1
_EVENT_FLAGS = 0b111
_DISABLE_TIMING = 2
_PRIORITIES = (-5, 0)


@dataclass(eq=False)
class Stream(Owned):
    """A stream."""

    flags: int
    priority: int


@dataclass(eq=False)
class Event(Owned):
    """An event, and when it was last recorded."""

    flags: int
    recorded_ns: int | None = None


def check_stream(machine: Machine, stream: int) -> Device:
    """Refuse a stream that does not live on the current device; the device."""
    device = machine.current()
    if stream not in _DEFAULT_STREAMS and machine.get(stream, Stream).device is not device:
        raise Failure(INVALID_HANDLE, f"stream 0x{stream:x} belongs to another device")
    return device


class StreamCalls:
    """Streams and events; the methods have the names of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def stream_create(self, flags: int, priority: int) -> int:
        if flags & ~_STREAM_FLAGS:
            raise Failure(INVALID_VALUE, f"streams have no flags {flags}")
        # The driver clamps priorities rather than refusing them.
        priority = min(max(priority, _PRIORITIES[0]), _PRIORITIES[1])
        return self._machine.add(Stream(self._machine.current(), flags, priority))

    def stream_destroy(self, stream: int) -> None:
        self._machine.current()
        self._machine.remove(stream, Stream)

    def stream_synchronize(self, stream: int) -> None:
        self._known(stream)

    def stream_query(self, stream: int) -> None:
        self._known(stream)

    def stream_wait_event(self, stream: int, event: int, flags: int) -> None:
        self._known(stream)
        self._machine.get(event, Event)
        if flags:
            raise Failure(INVALID_VALUE, f"waiting for an event has no flags {flags}")

    def stream_get_priority(self, stream: int) -> int:
        self._known(stream)
        if stream in _DEFAULT_STREAMS:
            return 0
        return self._machine.get(stream, Stream).priority

    def stream_get_flags(self, stream: int) -> int:
        self._known(stream)
        if stream in _DEFAULT_STREAMS:
            return 0
        return self._machine.get(stream, Stream).flags

    def _known(self, stream: int) -> None:
        self._machine.current()
        if stream not in _DEFAULT_STREAMS:
            self._machine.get(stream, Stream)

    def event_create(self, flags: int) -> int:
        if flags & ~_EVENT_FLAGS:
            raise Failure(INVALID_VALUE, f"events have no flags {flags}")
        return self._machine.add(Event(self._machine.current(), flags))

    def event_destroy(self, event: int) -> None:
        self._machine.remove(event, Event)

    def event_record(self, event: int, stream: int) -> None:
        recorded = self._machine.get(event, Event)
        if recorded.device is not check_stream(self._machine, stream):
            raise Failure(INVALID_HANDLE, f"event 0x{event:x} belongs to another device")
        recorded.recorded_ns = time.perf_counter_ns()

    def event_query(self, event: int) -> None:
        self._machine.get(event, Event)

    def event_synchronize(self, event: int) -> None:
        self._machine.get(event, Event)

    def event_elapsed_time(self, start: int, end: int) -> float:
        first, last = self._time_of(start), self._time_of(end)
        return (last - first) / 1e6

    def _time_of(self, handle: int) -> int:
        event = self._machine.get(handle, Event)
        if event.flags & _DISABLE_TIMING:
            raise Failure(INVALID_HANDLE, f"event 0x{handle:x} was created without timing")
        if event.recorded_ns is None:
            raise Failure(INVALID_HANDLE, f"event 0x{handle:x} was never recorded")
        return event.recorded_ns
