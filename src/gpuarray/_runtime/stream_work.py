"""The work that is queued on a stream, for what has to wait for it."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from gpuarray._ffi import driver
from gpuarray._runtime.current_stream import captured_streams, current
from gpuarray._runtime.device import Device
from gpuarray._runtime.event import Event
from gpuarray.errors import CaptureError

if TYPE_CHECKING:
    from gpuarray._runtime.stream import Stream

#: CU_STREAM_PER_THREAD
PER_THREAD = 2


class StreamWork:
    """The work queued on a stream, for what has to wait for it. It does not keep the stream."""

    __slots__ = (
        "_stream", "device", "event", "generation", "handle", "noted", "owned", "thread",
    )  # fmt: skip

    def __init__(self, stream: Stream):
        self._stream = weakref.ref(stream)
        self.handle = stream.handle
        self.owned = stream.owned
        self.thread = stream.thread
        self.device = stream.device
        self.generation = stream.device.generation
        #: Whether somebody will wait for it: then an owned stream leaves an event when it dies.
        self.noted = False
        self.event: Event | None = None

    def __eq__(self, other: object) -> bool:
        # Stream objects for a handle of somebody else's are often made for one use.
        return self is other or (
            isinstance(other, StreamWork)
            and not (self.owned or other.owned)
            and (self.handle, self.device, self.thread)
            == (other.handle, other.device, other.thread)
        )

    def __hash__(self) -> int:
        return hash(self.handle)

    @property
    def done(self) -> bool:
        """Whether all of it has finished."""
        if self.generation != self.device.generation:
            return True
        if captured_streams:  # to ask could make a capture invalid
            return False
        stream = self._stream()  # which the garbage collector must not destroy meanwhile
        if self.event is not None:
            return self.event.done
        if self._left_nothing():
            self.device.synchronize()
            return True
        with on_device(self.device):
            finished = driver.stream_query(self.handle)
        del stream
        return finished

    def precede(self, other: Stream) -> None:
        """Let what is queued on another stream from now on wait for this work."""
        if self.generation != self.device.generation:
            return
        if other.owned and not other.handle:
            return  # the garbage collector finalized it first: nothing is queued there any more
        if of_another_thread(other):
            self.device.synchronize()
            return
        event = self.leave_event()
        if event is not None:
            other.wait_event(event)

    def leave_event(self) -> Event | None:
        """An event behind all of it; None if it has ended."""
        if self.generation != self.device.generation:
            return None
        # What follows may start the garbage collector, which must not destroy the stream meanwhile.
        stream = self._stream()
        if self.event is not None:
            return self.event
        if self._left_nothing():
            self.device.synchronize()
            return None
        with self.device:
            event = Event(disable_timing=True)
            driver.event_record(event.handle, self.handle)
        del stream
        return event

    @property
    def capturing(self) -> bool:
        """Whether the stream is captured: no event can be left then."""
        stream = self._stream()  # as of `done`
        if self.generation != self.device.generation or self.event or self._left_nothing():
            return False
        with on_device(self.device):
            capturing = bool(driver.stream_is_capturing(self.handle))
        del stream
        return capturing

    def _left_nothing(self) -> bool:
        """Whether nothing can be waited for: the stream is gone, or about to be, without an event.

        The garbage collector clears references to all that it collects before the first of them
        is finalized.
        """
        gone = self.owned and self._stream() is None and self.event is None
        return gone or of_another_thread(self)


class NotedWork(set[StreamWork]):
    """The work of streams that has to end before memory is used again.

    Attributes
    ----------
    latest : StreamWork or None
        What is among it, and was noted last: the same stream often comes again, and to look for it
        in a set takes longer than the rest.
    """

    __slots__ = ("latest",)

    def __init__(self) -> None:
        self.latest: StreamWork | None = None

    def forget(self) -> None:
        """Note that all of it has ended."""
        self.latest = None
        self.clear()


#: Where the driver stores whether a stream is captured; each is in use by one call.
_slots: list[Any] = []


def is_captured(stream: Stream) -> bool:
    """Whether a stream is captured, by whomever; its device is current.

    For the default stream the driver raises where work of that would spoil another's capture.
    """
    try:
        slot = _slots.pop()
    except IndexError:
        slot = driver.ResultSlot()
    status = driver.bare_stream_is_capturing(stream.argument, slot.argument)
    if status:
        driver.failed("stream_is_capturing", status)
    captured = slot.words[0] != 0
    _slots.append(slot)
    return captured


def on_device(device: Device) -> AbstractContextManager[Any]:
    """Makes a device current, whose default stream a handle is to stand for."""
    return _NOTHING if current.stream.device is device else device


_NOTHING = nullcontext()


def of_another_thread(stream: Stream | StreamWork) -> bool:
    """Whether no handle in this thread stands for the stream."""
    return bool(stream.thread) and stream.thread != threading.get_ident()


def key_of_handle(device: Device, handle: int) -> tuple[int, int, int]:
    """What tells a stream from others, for the calling thread."""
    return device.id, handle, threading.get_ident() if handle == PER_THREAD else 0


def device_of_handle(name: str, handle: int) -> Device:
    """The device of a stream that was made elsewhere."""
    device = current.stream.device
    if handle <= PER_THREAD:  # a default stream
        return device
    context = driver.stream_get_context(handle)
    if context == device.context:
        return device
    for number in range(driver.device_count()):
        if Device(number).context == context:
            return Device(number)
    raise ValueError(
        f"{name}: the stream {handle:#x} belongs to another context than the primary one of a "
        "device, which this package works in"
    )


def put_off(action: Callable[[], object], owner: Stream, users: Iterable[StreamWork]) -> bool:
    """Whether a capture is in the way of events; then the action is done at its end.

    Events would let streams join a capture that are captured, and the default stream must not wait
    while another blocking stream is.
    """
    if captured_streams:
        devices = {owner.device, *[work.device for work in users]}
        for member in list(captured_streams.values()):
            capture = member.ongoing_capture
            if member.device in devices and capture is not None:
                capture.afterwards.append(action)
                if member.ongoing_capture is None:  # it has ended meanwhile
                    capture.do_afterwards()
                return True
    return False


def captured_error(name: str, stream: Stream) -> CaptureError:
    """The exception for what cannot be done while a stream is captured."""
    return CaptureError(
        f"{name}: {stream!r} is being captured, so that its work is recorded and not done, and "
        "nothing can be waited for; end the capture and launch the graph first"
    )
