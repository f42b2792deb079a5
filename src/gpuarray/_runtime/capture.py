"""Captures: while a stream is captured, another object stands for it.

That object, a `CapturingStream`, has plans, memory and handles of libraries of its own. So what a
graph's kernels name belongs to the graph: its intermediate arrays come from arenas that nobody
else takes memory from, and look-back state is cleared by the graph itself. Memory from outside is
that of another stream, and so each use of it is noted; the capture keeps it. None of this is a
test on the path of a launch.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from gpuarray._ffi import driver
from gpuarray._runtime.current_stream import captured_streams, current
from gpuarray._runtime.stream import Stream, streams
from gpuarray._runtime.stream_work import PER_THREAD, key_of_handle
from gpuarray.errors import CaptureError, DriverError

__all__ = ["Capture", "CapturingStream", "begin", "join", "member_of", "object_of"]

_LEGACY_HANDLES = (0, 1)
_MODES = {"global": 0, "thread_local": 1, "relaxed": 2}
_RELAXED = 2
_ACTIVE = 1

_UNJOINED = "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"
_INVALIDATED = "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"
_WRONG_THREAD = "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD"


class CapturingStream(Stream):
    """Stands for a stream while that is captured."""

    __slots__ = ()

    def __init__(self, origin: Stream, capture: Capture):
        self._set(origin.handle, origin.device, False)
        self.thread = origin.thread
        self.captured_as = None
        self.origin = origin
        self.ongoing_capture = capture

    origin: Stream

    def use(self) -> Stream:
        return self.origin.use()  # which leads here as long as it is captured


class Capture:
    """What one capture records, and what its graph has to keep.

    Attributes
    ----------
    origin : Stream
        Where it began.
    members : list of CapturingStream
        One for each stream that takes part.
    host_functions : list
        Host functions that the graph calls, as pairs of the function and its argument.
    afterwards : list of callable
        What cannot be done before the end.
    """

    def __init__(self, origin: Stream, mode: int):
        self.origin = origin
        self.mode = mode
        self.thread = threading.get_ident()
        self.id = 0
        self.members: list[CapturingStream] = []
        self.host_functions: list[tuple[Any, Any]] = []
        self.afterwards: list[Callable[[], object]] = []
        #: An `Observer` of gpuarray._runtime.relocation gets each launch and each allocation.
        self.observer: Any = None
        self._kept: dict[int, Any] = {}

    def keep(self, thing: Any) -> None:
        """Keep something alive as long as the graph."""
        self._kept[id(thing)] = thing

    @property
    def kept(self) -> list[Any]:
        """What the graph keeps alive."""
        return list(self._kept.values())

    def add(self, stream: Stream) -> CapturingStream:
        """Let a stream that the driver captures take part."""
        member = CapturingStream(stream, self)
        self.members.append(member)
        key = key_of_handle(stream.device, stream.handle)
        captured_streams[key] = member
        for other in list(streams.values()):
            if other is not member and other.origin is None and other.key == key:
                other.captured_as = member
        _replace_current(stream, member)
        return member

    def end(self, stream: Stream) -> int:
        """End the capture; the driver's graph."""
        origin = self.origin
        if stream != origin:
            raise CaptureError(
                f"end_capture: the capture began on {origin!r} and {stream!r} only takes part; end "
                "it where it began"
            )
        try:
            return driver.stream_end_capture(origin.handle)
        except DriverError as error:
            raise self._explained(error) from error
        finally:
            self._leave()

    def _leave(self) -> None:
        for member in self.members:
            captured_streams.pop(key_of_handle(member.device, member.handle), None)
            for other in list(streams.values()):
                if other.captured_as is member:
                    other.captured_as = None
            member.ongoing_capture = None
            # Threads that still have it current work on the stream, outside of the graph.
            member.drop_plans()
            member.arenas, member.library_handles = {}, {}
            _replace_current(member, member.origin)
        self.do_afterwards()

    def do_afterwards(self) -> None:
        """Do what was put off to the end."""
        while True:
            try:
                function = self.afterwards.pop(0)
            except IndexError:
                return
            function()

    def _explained(self, error: DriverError) -> CaptureError:
        """The exception for a capture that gave no graph."""
        others = ", ".join([repr(x.origin) for x in self.members if x.origin != self.origin])
        why = {
            _UNJOINED: f"work of another stream ({others or 'one that an event forked to'}) was "
            f"captured that {self.origin!r} never waited for; record an event there when its work "
            "is queued, and let the first stream wait for it before the capture ends",
            _INVALIDATED: "an earlier call cannot be captured and made the capture invalid; its "
            "own error says which",
            _WRONG_THREAD: "it began in another thread; end it there, or capture in the mode "
            "'relaxed'",
        }.get(error.status_name, error.detail)
        return CaptureError(f"end_capture: there is no graph: {why}", error.status)


def _mode_number(mode: Any) -> int:
    """A capture mode by its number or its name."""
    if mode is None:
        return _RELAXED
    number = _MODES.get(mode) if isinstance(mode, str) else mode
    if type(number) is not int or number not in _MODES.values():
        raise ValueError(
            f"begin_capture: mode={mode!r} is none of the modes "
            "runtime.streamCaptureModeGlobal, ...ThreadLocal and ...Relaxed"
        )
    return number


def begin(stream: Stream, mode: Any = None) -> Capture:
    """Begin to capture a stream."""
    number = _mode_number(mode)
    if stream.handle in _LEGACY_HANDLES:
        raise CaptureError(
            "begin_capture: the default stream cannot be captured; use "
            "gpuarray.cuda.Stream(non_blocking=True)"
        )
    origin = stream.of_this_thread() if stream.handle == PER_THREAD else stream
    if origin.origin is not None:
        origin = origin.origin
    if origin.captured_as is not None:
        raise CaptureError(f"begin_capture: {stream!r} is being captured already")
    with stream.device:
        driver.stream_begin_capture(origin.handle, number)
        capture = Capture(origin, number)
        try:
            capture.id = driver.stream_get_capture_info(origin.handle)[1]
            capture.add(origin)
        except BaseException:
            capture._leave()
            driver.graph_destroy(driver.stream_end_capture(origin.handle))
            raise
    return capture


def member_of(stream: Stream) -> Stream | None:
    """What stands for a stream that is captured."""
    if stream.ongoing_capture is not None:
        return stream
    if stream.handle == PER_THREAD:
        stream = stream.of_this_thread()
    return stream.captured_as


def object_of(handle: int) -> Stream:
    """The object of a stream of the current device; a new one if there is none."""
    device = current.stream.device
    key = key_of_handle(device, handle)
    if current.stream.key == key:
        return current.stream
    for stream in list(streams.values()):
        if stream.origin is None and not stream.lost and stream.key == key:
            return stream
    return Stream._of_handle(handle, device)


def join(stream: Stream) -> None:
    """Notice that a stream takes part in a capture since it waited for an event of that."""
    if stream.handle in _LEGACY_HANDLES or member_of(stream) is not None:
        return
    status, identity, _, _ = driver.stream_get_capture_info(stream.handle)
    if status != _ACTIVE:
        return
    for member in list(captured_streams.values()):
        capture = member.ongoing_capture
        if capture is not None and capture.id == identity:
            capture.add(stream)
            return


def _replace_current(stream: Stream, by: Stream) -> None:
    """Make another object the current stream of this thread, if this one is."""
    known = current.streams
    for device_id, known_stream in list(known.items()):
        if known_stream is stream or (by.origin is not None and known_stream == stream):
            known[device_id] = by
    if current.stream is stream or (by.origin is not None and current.stream == stream):
        current.stream = by
