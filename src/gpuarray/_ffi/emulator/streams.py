"""Emulated functions for streams. Work is done when its call returns."""

from __future__ import annotations

import ctypes
import threading
from dataclasses import dataclass
from typing import Any

from .captures import INVALIDATED, refuse_conflict, submit
from .contexts import PRIORITIES
from .graph import HOST, Operation
from .machine import Machine, Owned
from .statuses import INVALID_CONTEXT, INVALID_HANDLE, INVALID_VALUE, Failure

__all__ = ["HostFunction", "Stream", "StreamCalls", "any_stream", "stream_of"]

_LEGACY, _PER_THREAD = (0, 1), 2
_NON_BLOCKING = 1
_STREAM_FLAGS = 0b1
_ids = iter(range(3, 1 << 62))


@dataclass(eq=False)
class Stream(Owned):
    """A stream."""

    flags: int
    priority: int
    id: int
    legacy: bool = False
    #: The capture that it takes part in.
    capture: Any = None

    gone = INVALID_CONTEXT

    @property
    def blocking(self) -> bool:
        """Whether it waits for the legacy default stream, and that for it."""
        return not self.flags & _NON_BLOCKING


def any_stream(machine: Machine, handle: int) -> Stream:
    """The stream of a handle; the default streams are those of the current context."""
    if handle > _PER_THREAD:
        return machine.get(handle, Stream)
    context = machine.current()
    key = None if handle in _LEGACY else threading.get_ident()
    stream = context.default_streams.get(key)
    if stream is None:
        stream = Stream(context, 0, 0, 1 if key is None else next(_ids), key is None)
        context.default_streams[key] = stream
    return stream


def stream_of(machine: Machine, handle: int) -> Stream:
    """The stream of a handle, refusing one that does not live in the current context."""
    context = machine.current()
    stream = any_stream(machine, handle)
    if stream.context is not context:
        where = "context" if stream.device is context.device else "device"
        raise Failure(INVALID_HANDLE, f"stream 0x{handle:x} belongs to another {where}")
    return stream


class HostFunction(Operation):
    """A call of a C function of the host."""

    kind = HOST

    def __init__(self, function: int | None, data: int | None) -> None:
        if not function:
            raise Failure(INVALID_VALUE, "the host function is null")
        self.function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(function)
        self.data = data

    def run(self, machine: Machine) -> None:
        with machine.callback():
            self.function(self.data)


class StreamCalls:
    """Streams; the methods have the names of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def stream_create(self, flags: int, priority: int) -> int:
        context = self._machine.current()
        if flags & ~_STREAM_FLAGS:
            raise Failure(INVALID_VALUE, f"streams have no flags {flags}")
        # The driver clamps priorities rather than refusing them.
        least, greatest = PRIORITIES
        priority = min(max(priority, greatest), least)
        return self._machine.add(Stream(context, flags, priority, next(_ids)))

    def stream_destroy(self, stream: int) -> None:
        self._machine.current()
        destroyed = self._machine.remove(stream, Stream)
        capture = destroyed.capture
        if capture is not None:
            # Its capture can no longer end well; where it began there, it ends here.
            capture.status = INVALIDATED
            if capture.origin is destroyed:
                capture.leave()
                self._machine.forget(capture.graph_handle)

    def stream_synchronize(self, stream: int) -> None:
        self._machine.current()
        waited = any_stream(self._machine, stream)
        refuse_conflict(waited, "waiting for")
        for pool in waited.device.pools:
            pool.settle()

    def stream_query(self, stream: int) -> None:
        self._machine.current()
        refuse_conflict(any_stream(self._machine, stream), "asking for the state of")

    def stream_get_priority(self, stream: int) -> int:
        return self._known(stream).priority

    def stream_get_flags(self, stream: int) -> int:
        return self._known(stream).flags

    def stream_get_context(self, stream: int) -> int:
        return self._known(stream).context.handle

    def stream_get_id(self, stream: int) -> int:
        return self._known(stream).id

    def _known(self, stream: int) -> Stream:
        self._machine.current()
        return any_stream(self._machine, stream)

    def launch_host_function(self, stream: int, function: int | None, data: int | None) -> None:
        submit(self._machine, any_stream(self._machine, stream), HostFunction(function, data))
