"""Functions on the host that a stream calls, and what the end of a process waits for."""

from __future__ import annotations

import atexit
import time
from collections.abc import Callable
from typing import Any

from gpuarray._ffi import driver
from gpuarray._runtime.current_stream import current, need_context
from gpuarray._runtime.stream import Stream, streams
from gpuarray._runtime.stream_work import of_another_thread
from gpuarray.errors import CUDAError


def add_callback(stream: Stream, callback: Callable[[Stream, int, Any], object], arg: Any) -> None:
    """See `Stream.add_callback`."""
    _check("Stream.add_callback", callback)
    need_context()
    handle = stream.handle
    if driver.has_captured() and driver.stream_is_capturing(handle):
        raise CUDAError(
            "Stream.add_callback: a captured stream takes no callbacks; use launch_host_func"
        )
    driver.free_what_waits()
    driver.stream_add_callback(handle, lambda status: callback(stream, status, arg))


def launch(stream: Stream, callback: Callable[[Any], object], arg: Any) -> None:
    """See `Stream.launch_host_func`."""
    _check("Stream.launch_host_func", callback)
    need_context()
    driver.free_what_waits()
    driver.launch_host_function(stream.handle, lambda: callback(arg))
    member = stream.captured_as or stream
    if member.ongoing_capture is not None:
        member.ongoing_capture.host_functions.append((callback, arg))


def _check(name: str, callback: object) -> None:
    if not callable(callback):
        raise TypeError(f"{name}: the callback is a function, not {callback!r}")


#: How long the end of a process waits for functions that a stream has still to call.
EXIT_SECONDS = 10.0


def wait_at_exit() -> None:
    """Wait for host functions: Python cannot be called any more once the interpreter ends."""
    end = time.monotonic() + EXIT_SECONDS
    try:
        while not driver.forked() and time.monotonic() < end:
            wait = driver.host_functions_wait()
            if wait is False or (wait is None and all(_idle(x) for x in list(streams.values()))):
                return
            _ = current.stream.done  # a fault of the device raises
            time.sleep(0.001)
    except CUDAError:
        pass


def _idle(stream: Stream) -> bool:
    """Whether no graph is running on a stream."""
    return stream.lost or of_another_thread(stream) or stream.done


atexit.register(wait_at_exit)
