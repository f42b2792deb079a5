"""Events."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gpuarray._ffi import driver
from gpuarray._runtime.current_stream import captured_streams, current, need_context
from gpuarray._runtime.device import Device, lost_error
from gpuarray._runtime.release import give_back

if TYPE_CHECKING:
    from gpuarray._runtime.stream import Stream

_INVALID_CONTEXT, _NOT_READY, _NOT_PERMITTED = 201, 600, 800
_EVENT_BLOCKING_SYNC, _EVENT_DISABLE_TIMING, _EVENT_INTERPROCESS = 1, 2, 4

#: Where the driver stores the handles of new events; each is in use by one call.
_slots: list[Any] = []


class Event:
    """A point in a stream's work that others can wait for, and a clock.

    Parameters
    ----------
    block : bool, optional
        Sleep instead of spin in :meth:`synchronize`.
    disable_timing : bool, optional
        Make a cheaper event that has no time.
    interprocess : bool, optional
        Usable by other processes; needs ``disable_timing``.

    Examples
    --------
    >>> import gpuarray as cp
    >>> start, end = cp.cuda.Event(), cp.cuda.Event()
    >>> start.record()
    >>> y = cp.arange(4) * 2
    >>> end.record()
    >>> end.synchronize()
    >>> end.done, cp.cuda.get_elapsed_time(start, end) >= 0
    (True, True)
    """

    __slots__ = ("__weakref__", "_handle", "argument", "device", "generation")

    def __init__(
        self, block: bool = False, disable_timing: bool = False, interprocess: bool = False
    ):
        if interprocess and not disable_timing:
            raise ValueError("Event: interprocess=True needs disable_timing=True")
        self.device = device = current.stream.device
        self.generation = device.generation
        flags = _EVENT_BLOCKING_SYNC if block else 0
        if disable_timing:
            flags |= _EVENT_DISABLE_TIMING
        if interprocess:
            flags |= _EVENT_INTERPROCESS
        try:
            slot = _slots.pop()
        except IndexError:
            slot = driver.ResultSlot()
        status = driver.bare_event_create(slot.argument, flags)
        if status:
            driver.failed("event_create", status)
        self._handle = handle = slot.words[0]
        self.argument = driver.handle_argument(handle)
        _slots.append(slot)

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        try:
            handle, self._handle = self._handle, 0
        except AttributeError:  # there is none: the driver has refused
            return
        if handle and self.generation == self.device.generation and not ending():
            if captured_streams or driver.host_function_threads or driver.forked():
                give_back(driver.event_destroy, handle)
            elif driver.bare_event_destroy(self.argument):
                # In a thread that has no context yet, or after a fault.
                give_back(driver.event_destroy, handle)

    def __repr__(self) -> str:
        where = f"device {self.device.id}"
        if self.generation != self.device.generation:
            return f"<Event of {where} that was lost>"
        # To ask while a capture is under way would end it; in a function that the driver has
        # called, wait for ever.
        asked = not captured_streams and not driver.host_function_threads
        status = driver.bare_event_query(self.argument) if asked else -1
        said = {0: ", which has happened", _NOT_READY: ", which has not happened"}.get(status, "")
        return f"<Event {self._handle:#x} on {where}{said}>"

    @property
    def handle(self) -> int:
        """The driver's handle."""
        if self.generation != self.device.generation:
            raise lost_error("an event", self.device)
        return self._handle

    @property
    def ptr(self) -> int:
        """The driver's handle (CuPy's name)."""
        return self.handle

    def record(self, stream: Stream | None = None) -> None:
        """Record behind the work queued so far on a stream (the current one by default).

        Parameters
        ----------
        stream : Stream, optional
            The stream.

        Raises
        ------
        CUDAError
            If the device was reset.
        """
        if stream is None:
            stream = current.stream
        elif type(stream) is not Device.stream_class:  # whose class this module cannot know
            check_stream(stream)
            if stream.device is not current.stream.device:
                with stream.device:
                    self.record(stream)
                return
        if self.generation != self.device.generation:
            raise lost_error("an event", self.device)
        status = driver.bare_event_record(self.argument, stream.argument)
        if status:
            retry("event_record", status, self.argument, stream.argument)

    def synchronize(self) -> None:
        """Wait until the event has happened.

        Raises
        ------
        CUDAError
            If the device was reset.
        """
        if self.generation != self.device.generation:
            raise lost_error("an event", self.device)
        if driver.host_function_threads:
            need_context()  # the driver may wait for ever in a function that it has called
        status = driver.bare_event_synchronize(self.argument)
        if status:
            retry("event_synchronize", status, self.argument)
        if driver.waiting:
            driver.free_what_waits()

    @property
    def done(self) -> bool:
        """Whether the event has happened."""
        if self.generation != self.device.generation:
            raise lost_error("an event", self.device)
        status = driver.bare_event_query(self.argument)
        return not status or not retry("event_query", status, self.argument)


def retry(name: str, status: int, *arguments: Any) -> int:
    """Call a bare function again if the thread had no context; its status if that is no failure."""
    if status in (_INVALID_CONTEXT, _NOT_PERMITTED) and "stream" not in current.__dict__:
        need_context()  # which says what is not permitted
        status = getattr(driver, f"bare_{name}")(*arguments)
    if status and (status != _NOT_READY or not name.endswith("_query")):
        driver.failed(name, status)
    return status


def check_stream(stream: object) -> None:
    """Raise TypeError if a user's ``stream=`` is no stream."""
    if not isinstance(stream, Device.stream_class):
        raise TypeError(f"stream is a gpuarray.cuda.Stream or None, not {stream!r}")


def check_event(event: object) -> None:
    """Raise TypeError if a user's event is no event."""
    if not isinstance(event, Event):
        raise TypeError(f"an event is a gpuarray.cuda.Event, not {event!r}")


def get_elapsed_time(start_event: Event, end_event: Event) -> float:
    """Milliseconds between two events that have both happened.

    Parameters
    ----------
    start_event, end_event : Event
        The events, which have a time.

    Returns
    -------
    float
        Milliseconds.

    Examples
    --------
    >>> import gpuarray as cp
    >>> event = cp.cuda.Event()
    >>> event.record()
    >>> event.synchronize()
    >>> cp.cuda.get_elapsed_time(event, event)
    0.0
    """
    check_event(start_event)
    check_event(end_event)
    return driver.event_elapsed_time(start_event.handle, end_event.handle)
