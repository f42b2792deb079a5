"""Python functions that the driver calls when the work before them in a stream is done.

The driver calls them from a thread of its own, in which CUDA must not be called. What a function
holds may call CUDA when it is freed, so it is not freed there but by `free_what_waits`. An
exception goes to ``sys.unraisablehook``, since there is no caller who could catch it.
"""

from __future__ import annotations

import ctypes
import itertools
import threading
from collections.abc import Callable
from typing import Any

from gpuarray import _fork

from .driver_library import library

__all__ = [
    "free_what_waits",
    "host_function",
    "host_function_threads",
    "host_functions_wait",
    "in_host_function",
    "launch_host_function",
    "stream_add_callback",
    "waiting",
]


class _Function:
    """A function that the driver will call, once or each time that a graph runs."""

    __slots__ = ("call", "once")

    def __init__(self, call: Callable[..., Any] | None, once: bool) -> None:
        self.call = call
        self.once = once

    def drop(self) -> None:
        """Drop what the function holds."""
        self.call = None


#: By the number that the driver passes.
_pending: dict[int, _Function] = {}
_numbers = itertools.count(1)
#: What frees things that died in such a function, or that one holds which was called.
waiting: list[Callable[[], object]] = []
#: The threads that are inside of such a function.
host_function_threads: set[int] = set()


def _run(number: int | None, *arguments: Any) -> None:
    pending = _pending.get(number or 0)
    if pending is None or pending.call is None:
        return
    thread = threading.get_ident()
    host_function_threads.add(thread)
    try:
        pending.call(*arguments)
    finally:
        if pending.once:
            waiting.append(pending.drop)
            _pending.pop(number or 0, None)
        host_function_threads.discard(thread)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _host_function(number: int | None) -> None:
    _run(number)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
def _stream_callback(stream: int | None, status: int, number: int | None) -> None:
    _run(number, status)


def in_host_function() -> bool:
    """Whether the driver has called a function in this thread, so that CUDA must not be called."""
    return bool(host_function_threads) and threading.get_ident() in host_function_threads


def host_functions_wait() -> bool | None:
    """Whether there are functions that the driver has still to call once.

    None if there are others, which graphs may call at any time.
    """
    pending = list(_pending.values())
    return any(function.once for function in pending) or (None if pending else False)


def free_what_waits() -> None:
    """Call what is `waiting`, where CUDA may be called."""
    while waiting and not in_host_function():
        try:
            free = waiting.pop()
        except IndexError:  # another thread took the last one
            return
        free()


def _number(function: Callable[..., Any], once: bool) -> int:
    number = next(_numbers)
    _pending[number] = _Function(function, once)
    return number


def _address(callback: Any) -> int:
    return ctypes.cast(callback, ctypes.c_void_p).value or 0


def host_function(function: Callable[[], Any], once: bool = False) -> tuple[int, int]:
    """The C function and the argument by which the driver calls a Python function.

    A function that is not called once is never freed, since a graph may call it at any time.
    """
    return _address(_host_function), _number(function, once)


def launch_host_function(stream: int, function: Callable[[], Any]) -> None:
    """Call a Python function when the work queued so far is done, from a thread of the driver.

    It must not call the driver, nor wait for a thread that does. It is not called after a fault
    of the device.
    """
    captured = library.stream_is_capturing(stream) != 0
    address, number = host_function(function, once=not captured)
    _queue("launch_host_function", number, stream, address, number)


def stream_add_callback(stream: int, function: Callable[[int], Any], flags: int = 0) -> None:
    """Call a Python function with the status of the work queued so far when that is done.

    It must not call the driver, nor wait for a thread that does. After a fault of the device the
    status is that of the fault.
    """
    number = _number(function, once=True)
    _queue("stream_add_callback", number, stream, _address(_stream_callback), number, flags)


def _queue(name: str, number: int, *arguments: Any) -> None:
    # Only a failed status tells that the driver does not have the function: an interrupt (Ctrl-C)
    # may come after it was queued.
    status = library.status(name, *arguments)
    if status:
        _pending.pop(number, None)
        library.fail(name, status)


def _lose() -> None:
    """In a child no function of the parent's is called."""
    _pending.clear()
    host_function_threads.clear()


_fork.in_child(_lose)
