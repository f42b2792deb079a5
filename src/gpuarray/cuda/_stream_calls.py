"""The CUDA runtime's functions for streams and events, by handles."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from gpuarray._ffi import driver
from gpuarray._runtime import capture
from gpuarray._runtime.current_stream import captured_streams, need_context
from gpuarray.cuda._runtime_constants import eventDefault, streamDefault
from gpuarray.errors import CUDAError

_NOT_READY = 600  # cudaErrorNotReady
_INVALIDATED = 2  # cudaStreamCaptureStatusInvalidated


def streamCreate() -> int:
    """Make a stream.

    Returns
    -------
    int
        Its handle.
    """
    need_context()
    return driver.stream_create(streamDefault)


def streamCreateWithFlags(flags: int) -> int:
    """Make a stream.

    Parameters
    ----------
    flags : int
        One of the constants ``stream...``.

    Returns
    -------
    int
        Its handle.
    """
    need_context()
    return driver.stream_create(operator.index(flags))


def streamCreateWithPriority(flags: int, priority: int) -> int:
    """Make a stream with a priority.

    Parameters
    ----------
    flags : int
        One of the constants ``stream...``.
    priority : int
        Lower numbers are served first.

    Returns
    -------
    int
        Its handle.
    """
    need_context()
    return driver.stream_create(operator.index(flags), operator.index(priority))


def streamDestroy(stream: int) -> None:
    """Destroy a stream; its work still runs to the end.

    Parameters
    ----------
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.
    """
    need_context()
    driver.stream_destroy(stream)


def streamSynchronize(stream: int) -> None:
    """Wait until the work queued on a stream has finished.

    Parameters
    ----------
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.
    """
    need_context()
    driver.stream_synchronize(stream)


def streamQuery(stream: int) -> int:
    """Whether the work queued on a stream has finished.

    Parameters
    ----------
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.

    Returns
    -------
    int
        0, or 600 (``cudaErrorNotReady``).
    """
    need_context()
    return 0 if driver.stream_query(stream) else _NOT_READY


def streamWaitEvent(stream: int, event: int, flags: int = 0) -> None:
    """Let work queued on a stream from now on wait for an event.

    Parameters
    ----------
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.
    event : int
        A handle, such as `Event.ptr`.
    flags : int, optional
        None is defined yet.
    """
    need_context()
    driver.stream_wait_event(stream, event, operator.index(flags))
    if captured_streams:
        capture.join(capture.object_of(stream))


def streamGetFlags(stream: int) -> int:
    """The flags that a stream was made with.

    Parameters
    ----------
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.

    Returns
    -------
    int
        One of the constants ``stream...``.
    """
    need_context()
    return driver.stream_get_flags(stream)


def streamGetPriority(stream: int) -> int:
    """The priority that a stream was made with.

    Parameters
    ----------
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.

    Returns
    -------
    int
        Lower numbers are served first.
    """
    need_context()
    return driver.stream_get_priority(stream)


def streamAddCallback(
    stream: int, callback: Callable[[int, int, Any], object], arg: Any, flags: int = 0
) -> None:
    """Call a function on the host when the work queued on a stream is done.

    Parameters
    ----------
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.
    callback : callable
        Gets the handle, the status (0, or that of a fault) and `arg`. It must not call CUDA.
    arg : object
        Kept until the function was called.
    flags : int, optional
        None is defined yet.
    """
    need_context()
    handle = operator.index(stream)
    driver.stream_add_callback(handle, lambda status: callback(handle, status, arg), flags)


def launchHostFunc(stream: int, callback: Callable[[Any], object], arg: Any) -> None:
    """Call a function on the host when the work queued on a stream is done.

    Parameters
    ----------
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.
    callback : callable
        Gets `arg`. It must not call CUDA. In a captured stream it becomes a part of the graph.
    arg : object
        Kept until the function was called.
    """
    need_context()
    driver.launch_host_function(operator.index(stream), lambda: callback(arg))


def streamIsCapturing(stream: int) -> bool:
    """Whether a stream takes part in a capture.

    Parameters
    ----------
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.

    Returns
    -------
    bool
        Whether.

    Raises
    ------
    CUDARuntimeError
        If an earlier call made the capture invalid, or if the stream is the default stream and
        one that waits for it is being captured.
    """
    need_context()
    status = driver.stream_is_capturing(operator.index(stream))
    if status == _INVALIDATED:
        raise CUDAError(
            "streamIsCapturing: an earlier call made the capture of this stream invalid; end it "
            "and begin it anew"
        )
    return bool(status)


def eventCreate() -> int:
    """Make an event.

    Returns
    -------
    int
        Its handle.
    """
    need_context()
    return driver.event_create(eventDefault)


def eventCreateWithFlags(flags: int) -> int:
    """Make an event.

    Parameters
    ----------
    flags : int
        The sum of constants ``event...``.

    Returns
    -------
    int
        Its handle.
    """
    need_context()
    return driver.event_create(operator.index(flags))


def eventDestroy(event: int) -> None:
    """Destroy an event.

    Parameters
    ----------
    event : int
        A handle, such as `Event.ptr`.
    """
    need_context()
    driver.event_destroy(event)


def eventRecord(event: int, stream: int) -> None:
    """Record an event behind the work queued on a stream.

    Parameters
    ----------
    event : int
        A handle, such as `Event.ptr`.
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.
    """
    need_context()
    driver.event_record(event, stream)


def eventSynchronize(event: int) -> None:
    """Wait until an event has happened.

    Parameters
    ----------
    event : int
        A handle, such as `Event.ptr`.
    """
    need_context()
    driver.event_synchronize(event)


def eventQuery(event: int) -> int:
    """Whether an event has happened.

    Parameters
    ----------
    event : int
        A handle, such as `Event.ptr`.

    Returns
    -------
    int
        0, or 600 (``cudaErrorNotReady``).
    """
    need_context()
    return 0 if driver.event_query(event) else _NOT_READY


def eventElapsedTime(start: int, end: int) -> float:
    """The time between two events that have both happened.

    Parameters
    ----------
    start : int
        A handle of an event that has happened.
    end : int
        A handle of an event that has happened.

    Returns
    -------
    float
        Milliseconds.
    """
    need_context()
    return driver.event_elapsed_time(start, end)
