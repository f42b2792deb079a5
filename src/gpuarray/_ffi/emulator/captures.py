"""Emulated functions for the capture of streams."""

from __future__ import annotations

import ctypes
import threading

from .capture import (
    ACTIVE,
    GLOBAL,
    INVALIDATED,
    NONE,
    RELAXED,
    Capture,
    exchange_mode,
    refuse_implicit,
)
from .graph import GraphNode
from .machine import Machine
from .statuses import (
    CAPTURE_INVALIDATED,
    CAPTURE_UNJOINED,
    CAPTURE_UNMATCHED,
    CAPTURE_UNSUPPORTED,
    CAPTURE_WRONG_THREAD,
    ILLEGAL_STATE,
    INVALID_VALUE,
    Failure,
)
from .stream import EmulatedStream, stream_of

__all__ = ["CaptureCalls"]

#: CUstreamUpdateCaptureDependencies_flags
_ADD_DEPENDENCIES, _SET_DEPENDENCIES = 0, 1


class CaptureCalls:
    """Capture; the methods have the names of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def _stream(self, handle: int) -> EmulatedStream:
        return stream_of(self._machine, handle)

    def stream_begin_capture(self, stream: int, mode: int) -> None:
        target = self._stream(stream)
        if not GLOBAL <= mode <= RELAXED:
            raise Failure(INVALID_VALUE, f"there is no capture mode {mode}")
        if target.legacy:
            raise Failure(CAPTURE_UNSUPPORTED, "the legacy default stream cannot be captured")
        if target.capture is not None:
            raise Failure(ILLEGAL_STATE, "the stream is captured already")
        self._machine.captures.append(Capture(self._machine, target, mode))

    def stream_end_capture(self, stream: int) -> int:
        target = self._stream(stream)
        capture = target.capture
        if capture is None:
            raise Failure(ILLEGAL_STATE, "the stream is not captured")
        if capture.origin is not target:
            raise capture.invalidate(CAPTURE_UNMATCHED, "the capture began in another stream")
        if capture.mode != RELAXED and capture.thread != threading.get_ident():
            capture.end()  # as on a GPU, where the capture is over all the same
            self._machine.forget(capture.graph_handle)
            raise Failure(CAPTURE_WRONG_THREAD, "the capture began in another thread")
        capture.end()
        failure = None
        if capture.status == INVALIDATED:
            failure = Failure(CAPTURE_INVALIDATED, "an earlier call made this capture invalid")
        elif set(capture.graph.leaves()) - set(capture.frontier[target]):
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
        target = self._stream(stream)
        if target.capture is None:
            refuse_implicit(self._machine, target, asks=True)
            return NONE
        return target.capture.status

    def stream_get_capture_info(
        self,
        stream: int,
        id_out: int | None,
        graph_out: int | None,
        nodes_out: int | None,
        count_out: int | None,
    ) -> int:
        capture = (target := self._stream(stream)).capture
        if capture is None:
            refuse_implicit(self._machine, target, asks=True)
            return NONE
        if capture.status == ACTIVE:
            nodes = [node.handle for node in capture.frontier[target]]
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

    def stream_update_capture_dependencies(
        self, stream: int, nodes: int | None, count: int, flags: int
    ) -> None:
        target = self._stream(stream)
        capture = target.capture
        if capture is None:
            raise Failure(ILLEGAL_STATE, "the stream is not captured")
        capture.check()
        if flags not in (_ADD_DEPENDENCIES, _SET_DEPENDENCIES):
            raise Failure(INVALID_VALUE, f"there is no flag {flags}")
        if count and not nodes:
            raise Failure(INVALID_VALUE, "the pointer to the nodes is null")
        handles = (ctypes.c_uint64 * count).from_address(nodes or 0) if count else ()
        found = [self._machine.get(handle, GraphNode) for handle in handles]
        if any(node.graph is not capture.graph for node in found):
            raise Failure(INVALID_VALUE, "the nodes belong to another graph")
        if flags == _SET_DEPENDENCIES:
            capture.frontier[target] = []
        capture.join(target, found)

    def thread_exchange_capture_mode(self, mode: int | None) -> None:
        if not mode:
            raise Failure(INVALID_VALUE, "the pointer to the mode is null")
        new_mode = ctypes.c_int.from_address(mode)
        if not GLOBAL <= new_mode.value <= RELAXED:
            raise Failure(INVALID_VALUE, f"there is no capture mode {new_mode.value}")
        new_mode.value = exchange_mode(new_mode.value)
