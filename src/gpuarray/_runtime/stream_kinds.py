"""Streams that this package did not make, and those that a reset took away."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

from gpuarray._ffi import driver
from gpuarray._runtime.current_stream import current, enter, leave
from gpuarray._runtime.device import Device, lost_error
from gpuarray._runtime.event import Event
from gpuarray._runtime.stream import Stream, streams
from gpuarray._runtime.stream_work import device_of_handle, on_device


class BorrowedStream(Stream):
    """A stream that this package did not make: a default stream, or another library's.

    The handle of a default stream stands for one of the device that is current, so the stream's
    device is made so for each call.
    """

    __slots__ = ()

    def synchronize(self) -> None:
        if current.stream.device is self.device:
            Stream.synchronize(self)
        else:
            with self.device:
                Stream.synchronize(self)

    synchronize.__doc__ = Stream.synchronize.__doc__

    @property
    def done(self) -> bool:
        """Whether its work has ended."""
        with on_device(self.device):
            return Stream.done.__get__(self)

    @property
    def is_non_blocking(self) -> bool:
        """Whether it neither waits for, nor is waited for by, the default stream."""
        with on_device(self.device):
            return Stream.is_non_blocking.__get__(self)

    @property
    def priority(self) -> int:
        """Its priority; lower numbers are served first."""
        with on_device(self.device):
            return Stream.priority.__get__(self)

    def add_callback(self, callback: Callable[[Stream, int, Any], object], arg: Any) -> None:
        with on_device(self.device):
            Stream.add_callback(self, callback, arg)

    def launch_host_func(self, callback: Callable[[Any], object], arg: Any) -> None:
        with on_device(self.device):
            Stream.launch_host_func(self, callback, arg)

    def record(self, event: Event | None = None) -> Event:
        with on_device(self.device):
            return Stream.record(self, event)

    record.__doc__ = Stream.record.__doc__

    def wait_event(self, event: Event) -> None:
        with on_device(self.device):
            Stream.wait_event(self, event)

    wait_event.__doc__ = Stream.wait_event.__doc__


class ExternalStream(BorrowedStream):
    """A stream made elsewhere, wrapped without owning it.

    Parameters
    ----------
    ptr : int
        The ``cudaStream_t`` or ``CUstream`` handle. Whoever made the stream keeps it.
    device_id : int, optional
        Its device. The driver is asked by default, or where it is -1; of a default stream (0, 1
        or 2) it is the current one.

    See Also
    --------
    Stream.from_external : Keeps the other library's object.

    Examples
    --------
    >>> import gpuarray as cp
    >>> stream = cp.cuda.Stream()
    >>> same = cp.cuda.ExternalStream(stream.ptr)
    >>> with same:
    ...     y = cp.arange(3) + 1
    >>> same.wait_event(same.record())
    >>> same.synchronize()
    >>> y.tolist()
    [1, 2, 3]
    >>> del y  # before the stream, in whose order its memory is used again
    """

    __slots__ = ()

    def __init__(self, ptr: int, device_id: int = -1):
        handle = operator.index(ptr)
        if not 0 <= handle < 1 << 64:
            raise ValueError(f"ExternalStream: {handle} is no cudaStream_t")
        unknown = device_id is None or device_id == -1
        device = device_of_handle("ExternalStream", handle) if unknown else Device(device_id)
        self._set(handle, device, False)


def _gone(name: str) -> property:
    def refuse(self: LostStream) -> Any:
        raise lost_error("a stream", self.device)

    return property(refuse, doc=name)


class LostStream(Stream):
    """What a stream becomes when its device is reset, or in a fork: every use of it raises.

    So does every use of memory that was allocated on it, since that is not the memory of a
    current stream: launches tell without a look at more than they look at anyway.
    """

    __slots__ = ()
    lost = True

    handle = _gone("handle")  # type: ignore[assignment]
    argument = _gone("argument")
    plans = _gone("plans")  # type: ignore[assignment]
    older_plans = _gone("older_plans")  # type: ignore[assignment]
    other_plans = _gone("other_plans")  # type: ignore[assignment]
    arenas = _gone("arenas")  # type: ignore[assignment]
    library_handles = _gone("library_handles")  # type: ignore[assignment]

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        pass

    def __repr__(self) -> str:
        return f"<Stream of device {self.device.id} that was lost>"

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def use(self) -> Stream:
        raise lost_error("a stream", self.device)

    __enter__ = enter
    __exit__ = leave


def _lose(device: Device) -> None:
    """Turn the streams of a device that was lost into lost ones, but for a new default stream."""
    for stream in list(streams.values()):
        if stream.device is device:
            for arena in stream.arenas.values():
                arena.forget()
            stream.arenas.clear()
            stream.drop_plans()
            stream.library_handles.clear()
            del streams[id(stream)]
            stream.__class__ = LostStream
    if driver.forked():
        return
    device.default_stream = Stream._of_handle(0, device)
    if current.stream.device is device:
        device.use()


Device.when_reset(_lose)


Device.stream_class = Stream
Stream.borrowed_class = BorrowedStream
