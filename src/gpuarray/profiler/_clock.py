"""Times of events of a device on the clock of the host."""

from __future__ import annotations

import time
from collections import deque
from typing import Any, NamedTuple

from gpuarray import _fork
from gpuarray._ffi import driver
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.device import Device
from gpuarray._runtime.event import Event
from gpuarray._runtime.stream import Stream
from gpuarray.errors import CUDAError

#: How often the clock of the device is compared with the host's for a start; the best one counts.
_TRIES = 5
#: The driver gives the time between two events in ms as a float32: nanoseconds within a second.
_ANCHOR_NS = 1_000_000_000
#: So many pairs of events wait to be read before some of them are, and before that is waited for.
_SOME, _MANY = 1024, 65536


class Work(NamedTuple):
    """Work of a device between two events, before its times are known."""

    start: Event
    end: Event
    #: When it was queued, by `time.perf_counter_ns`.
    queued: int
    #: What it is, for whoever gets the times.
    what: Any


class DeviceClock:
    """Measures work on one device by pairs of events, whose times are read later.

    Parameters
    ----------
    device : Device
        The device.
    """

    def __init__(self, device: Device):
        self._device = device
        self._generation = device.generation
        self._spare: list[Event] = []
        self._pending: deque[Work] = deque()
        self._lock = _fork.new_lock()
        #: What has ended, with the ns of its beginning and its end.
        self.done: list[tuple[Any, int, int]] = []
        with driver.relaxed_capture(), device:
            self._anchor, self._anchor_ns = _anchor()

    def begin(self, stream: int) -> Event | None:
        """Record the beginning of work on a stream, given by its handle; None if that fails."""
        return self._record(stream)

    def end(self, start: Event | None, stream: int, queued: int, what: Any) -> None:
        """Record the end of work."""
        if start is None:
            return
        end = self._record(stream)
        if end is not None:
            self._pending.append(Work(start, end, queued, what))
            if len(self._pending) >= _SOME:
                self.read(wait=False)

    def _record(self, stream: int) -> Event | None:
        try:
            if driver.has_captured() and driver.stream_is_capturing(stream):
                return None  # what is captured runs later
            event = self._event()
            driver.event_record(event.handle, stream)
        except CUDAError:  # the program meets the fault at its own call
            return None
        return event

    def _event(self) -> Event:
        try:
            return self._spare.pop()
        except IndexError:
            pass
        # A thread that only helps another has a context, and no current stream.
        stream = current.__dict__.get("stream")
        if stream is not None and stream.device is self._device:
            return Event()
        context = driver.context_get_current()
        try:
            with self._device:
                return Event()
        finally:
            driver.context_set_current(context)

    def read(self, wait: bool) -> None:
        """Read the times of work that has ended, or of all work, for which it waits then."""
        if not self._lock.acquire(blocking=wait):
            return  # another thread is at it
        try:
            if not wait and driver.has_captured():
                return  # a capture of another thread may not survive a look at an event
            with driver.relaxed_capture():
                while self._pending:
                    work = self._pending[0]
                    if not wait and len(self._pending) < _MANY and not work.end.done:
                        return
                    work.end.synchronize()
                    self._pending.popleft()
                    self._take(work)
        except CUDAError:  # after a fault or a reset of the device no event has a time
            self._pending.clear()
        finally:
            self._lock.release()

    def _take(self, work: Work) -> None:
        start = self._ns(work.start)
        self.done.append((work.what, start, max(start, self._ns(work.end))))
        self._spare.append(work.end)
        if start - self._anchor_ns > _ANCHOR_NS:
            self._anchor, self._anchor_ns = work.start, start
        else:
            self._spare.append(work.start)

    def _ns(self, event: Event) -> int:
        milliseconds = driver.event_elapsed_time(self._anchor.handle, event.handle)
        return self._anchor_ns + round(milliseconds * 1e6)


def _anchor() -> tuple[Event, int]:
    """An event on the current device, and when it happened on the host's clock.

    The host learns of it a little later, so that no work seems to begin before it was queued.
    """
    stream = Stream(non_blocking=True)
    best: tuple[int, Event, int] | None = None
    for _ in range(_TRIES):
        event = Event()
        before = time.perf_counter_ns()
        event.record(stream)
        event.synchronize()
        after = time.perf_counter_ns()
        if best is None or after - before < best[0]:
            best = after - before, event, after
    assert best is not None
    return best[1:]
