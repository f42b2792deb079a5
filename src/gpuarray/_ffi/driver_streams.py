"""The driver's functions for streams, events and capture whose C signatures do not suit Python."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from .driver_library import library, number_of

__all__ = [
    "event_create",
    "event_query",
    "event_record_with_flags",
    "has_captured",
    "relaxed_capture",
    "stream_begin_capture",
    "stream_create",
    "stream_get_capture_info",
    "stream_query",
    "stream_set_capture_dependencies",
    "stream_takes_part_in_capture",
    "stream_wait_event",
    "thread_exchange_capture_mode",
]

_NOT_READY = 600
_CAPTURE_IMPLICIT = 906
#: CUstreamCaptureMode
_CAPTURE_MODES = {"global": 0, "thread_local": 1, "relaxed": 2}
#: CU_STREAM_SET_CAPTURE_DEPENDENCIES
_SET_DEPENDENCIES = 1
_MODE_NAMES = {number: name for name, number in _CAPTURE_MODES.items()}


def stream_create(flags: int = 0, priority: int = 0) -> int:
    """Create a stream."""
    return library.stream_create(flags, priority)


def stream_query(stream: int) -> bool:
    """Whether all work of a stream is complete."""
    return _is_ready("stream_query", stream)


def stream_wait_event(stream: int, event: int, flags: int = 0) -> None:
    """Let later work of a stream wait for an event."""
    library.stream_wait_event(stream, event, flags)


def event_create(flags: int = 0) -> int:
    """Create an event."""
    handle = ctypes.c_uint64()
    status = library.bare("event_create")(ctypes.byref(handle), flags)
    if status:
        library.fail("event_create", status)
    return handle.value


def event_record_with_flags(event: int, stream: int, flags: int = 0) -> None:
    """Record an event; in a captured stream, flags of 1 make a node of the graph of it."""
    library.event_record_with_flags(event, stream, flags)


def event_query(event: int) -> bool:
    """Whether all work that an event recorded is complete."""
    return _is_ready("event_query", event)


def _is_ready(name: str, handle: int) -> bool:
    status = library.status(name, handle)
    if status == _NOT_READY:
        return False
    if status:
        library.fail(name, status)
    return True


# --- capture

_captured = False


def has_captured() -> bool:
    """Whether this process ever began a capture."""
    return _captured


def stream_takes_part_in_capture(stream: int) -> bool:
    """Whether a stream is captured, or is a default stream that others' capture rules out."""
    value = ctypes.c_int()
    status = library.raw("stream_is_capturing")(stream, ctypes.byref(value))
    if status and status != _CAPTURE_IMPLICIT:
        library.fail("stream_is_capturing", status)
    return bool(status or value.value)


def stream_begin_capture(stream: int, mode: str | int = "global") -> None:
    """Begin to record the work of a stream into a graph, instead of executing it."""
    global _captured
    _captured = True
    library.stream_begin_capture(stream, number_of(mode, _CAPTURE_MODES, "capture mode"))


def stream_get_capture_info(stream: int) -> tuple[int, int, int, list[int]]:
    """Status (0 none, 1 active, 2 invalid), id and graph of the capture that a stream takes part
    in, and the nodes that its next operation will depend on."""
    identity, graph = ctypes.c_uint64(), ctypes.c_uint64()
    nodes = ctypes.POINTER(ctypes.c_uint64)()
    count = ctypes.c_size_t()
    status = library.stream_get_capture_info(
        stream, *(ctypes.byref(x) for x in (identity, graph, nodes, count))
    )
    return status, identity.value, graph.value, nodes[: count.value] if count.value else []


def stream_set_capture_dependencies(stream: int, nodes: Sequence[int]) -> None:
    """Let the next operation of a captured stream depend on these nodes, and on no others."""
    handles = (ctypes.c_uint64 * max(1, len(nodes)))(*nodes)
    library.stream_update_capture_dependencies(stream, handles, len(nodes), _SET_DEPENDENCIES)


class relaxed_capture:
    """A ``with`` block whose calls may do what is unsafe while some stream is captured.

    Allocating and freeing memory, loading modules and asking for the state of an event are that:
    without the block such a call of this thread makes a capture invalid that it, or in the mode
    'global' another thread, has begun. What never works there, such as to wait for a captured
    stream, does not work in the block either.
    """

    __slots__ = ("_mode",)

    def __enter__(self) -> None:
        self._mode = ctypes.c_int(_CAPTURE_MODES["relaxed"])
        library.thread_exchange_capture_mode(ctypes.byref(self._mode))

    def __exit__(self, *exc_info: object) -> None:
        library.thread_exchange_capture_mode(ctypes.byref(self._mode))


def thread_exchange_capture_mode(mode: str) -> str:
    """Set how this thread interacts with captures; the mode that it had."""
    value = ctypes.c_int(number_of(mode, _CAPTURE_MODES, "capture mode"))
    library.thread_exchange_capture_mode(ctypes.byref(value))
    return _MODE_NAMES[value.value]
