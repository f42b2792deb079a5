"""Emulated functions for streams. Work is done when its call returns."""

from __future__ import annotations

import ctypes
from typing import Any

from .attributes import STREAM_PRIORITIES
from .capture import INVALIDATED, refuse_conflict, submit
from .graph import HOST, StreamOperation
from .machine import Machine
from .statuses import INVALID_VALUE, Failure
from .stream import EmulatedStream, any_stream, new_stream

__all__ = ["HostFunction", "StreamCalls"]

#: CUstreamCallback
_StreamCallback = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_int, ctypes.c_void_p)

_STREAM_FLAGS = 0b1


class HostFunction(StreamOperation):
    """A call of a host function."""

    kind = HOST

    def __init__(self, function: int | None, data: int | None) -> None:
        if not function:
            raise Failure(INVALID_VALUE, "the host function is null")
        self.function: Any = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(function)
        self.arguments: tuple[int | None, ...] = (data,)

    def run(self, machine: Machine) -> None:
        checker = machine.arena.checker
        operation = None if checker is None else checker.operation
        machine.call_host(lambda: self.function(*self.arguments))
        if checker is not None and operation is not None:
            # The host may learn from it that what came before it in the stream is done.
            checker.order.host_waits(operation.stream)


class StreamCallback(HostFunction):
    """A call of a host function with the stream and the status of the work before it."""

    def __init__(self, function: int | None, stream: int, data: int | None) -> None:
        super().__init__(function, data)
        self.function = _StreamCallback(function)
        self.arguments = (stream, 0, data)


class StreamCalls:
    """Streams; the methods have the names of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def stream_create(self, flags: int, priority: int) -> int:
        context = self._machine.current()
        if flags & ~_STREAM_FLAGS:
            raise Failure(INVALID_VALUE, f"streams have no flags {flags}")
        # The driver clamps priorities rather than refusing them.
        least, greatest = STREAM_PRIORITIES
        priority = min(max(priority, greatest), least)
        return self._machine.add(new_stream(context, flags, priority))

    def stream_destroy(self, stream: int) -> None:
        self._machine.current()
        target = self._machine.remove(stream, EmulatedStream)
        capture = target.capture
        if capture is not None:
            # The capture can no longer succeed; if it began in this stream, it ends here.
            capture.status = INVALIDATED
            if capture.origin is target:
                capture.end()
                self._machine.forget(capture.graph_handle)

    def stream_synchronize(self, stream: int) -> None:
        self._machine.current()
        waited = any_stream(self._machine, stream)
        refuse_conflict(waited, "waiting for")
        if (order := self._machine.order) is not None:
            order.host_waits(waited)
        for pool in waited.device.pools:
            pool.release_unused()

    def stream_query(self, stream: int) -> None:
        self._machine.current()
        asked = any_stream(self._machine, stream)
        refuse_conflict(asked, "asking for the state of")
        if (order := self._machine.order) is not None:
            order.host_waits(asked)  # the answer is that all is done

    def stream_get_priority(self, stream: int) -> int:
        return self._stream(stream).priority

    def stream_get_flags(self, stream: int) -> int:
        return self._stream(stream).flags

    def stream_get_context(self, stream: int) -> int:
        return self._stream(stream).context.handle

    def stream_get_id(self, stream: int) -> int:
        return self._stream(stream).id

    def _stream(self, stream: int) -> EmulatedStream:
        self._machine.current()
        return any_stream(self._machine, stream)

    def launch_host_function(self, stream: int, function: int | None, data: int | None) -> None:
        submit(self._machine, any_stream(self._machine, stream), HostFunction(function, data))

    def stream_add_callback(
        self, stream: int, function: int | None, data: int | None, flags: int
    ) -> None:
        target = self._stream(stream)
        if flags:
            raise Failure(INVALID_VALUE, f"callbacks have no flags {flags}")
        callback = StreamCallback(function, stream, data)
        refuse_conflict(target, "adding a callback to")
        submit(self._machine, target, callback)
