"""What a stream consists of, and how a call finds the stream that a handle names."""

from __future__ import annotations

import itertools
import threading
from dataclasses import dataclass
from typing import Any

from .machine import ContextObject, EmulatedContext, Machine
from .statuses import INVALID_CONTEXT, INVALID_HANDLE, Failure

__all__ = ["EmulatedStream", "any_stream", "new_stream", "stream_of"]

#: CU_STREAM_LEGACY has the handles 0 and 1, CU_STREAM_PER_THREAD the handle 2.
_LEGACY, _PER_THREAD = (0, 1), 2
_NON_BLOCKING = 1
_LEGACY_ID = 1
_ids = itertools.count(3)


@dataclass(eq=False)
class EmulatedStream(ContextObject):
    """A stream."""

    noun = "stream"
    flags: int
    priority: int
    id: int
    legacy: bool = False
    #: The capture that the stream takes part in.
    capture: Any = None

    gone = INVALID_CONTEXT

    @property
    def blocking(self) -> bool:
        """Whether the stream and the legacy default stream wait for each other."""
        return not self.flags & _NON_BLOCKING


def new_stream(context: EmulatedContext, flags: int, priority: int) -> EmulatedStream:
    """A stream with an id of its own."""
    return EmulatedStream(context, flags, priority, next(_ids))


def any_stream(machine: Machine, handle: int) -> EmulatedStream:
    """The stream of a handle; the default streams are those of the current context."""
    if handle > _PER_THREAD:
        return machine.get(handle, EmulatedStream)
    context = machine.current()
    key = None if handle in _LEGACY else threading.get_ident()
    stream = context.default_streams.get(key)
    if stream is None:
        if key is None:
            stream = EmulatedStream(context, 0, 0, _LEGACY_ID, legacy=True)
        else:
            stream = new_stream(context, 0, 0)
        context.default_streams[key] = stream
    return stream


def stream_of(machine: Machine, handle: int) -> EmulatedStream:
    """The stream of a handle, which must belong to the current context."""
    context = machine.current()
    stream = any_stream(machine, handle)
    if stream.context is not context:
        where = "context" if stream.device is context.device else "device"
        raise Failure(INVALID_HANDLE, f"stream 0x{handle:x} belongs to another {where}")
    return stream
