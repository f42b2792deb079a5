"""Makes real C function pointers of the emulated functions.

The types come from the very table that binds libcuda, so a caller cannot tell the two apart: it
makes the same foreign calls with the same conversions. In between, results are written through
the pointers that C would be given, and exceptions become statuses. No exception is lost:

* `Failure`, `DeviceFault` and `PTXError` give their status, and their text to cuGetErrorString;
* any other `Exception` is a fault of the emulator: CUDA_ERROR_UNKNOWN with the traceback;
* KeyboardInterrupt and its like are kept for `take_interruption`, and raised in the caller.
"""

from __future__ import annotations

import _thread
import ctypes
import functools
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

from ..library import Out
from .faults import DeviceFault
from .ptx.syntax import PTXError
from .statuses import INVALID_PTX, INVALID_VALUE, OUT_OF_MEMORY, UNKNOWN, Failure

__all__ = ["callback", "outcome", "watch_interrupts"]


class Outcome(threading.local):
    """What the last failed call of each thread left to be asked for."""

    def __init__(self) -> None:
        self.status = 0
        self.detail = b""
        #: A list, so that `_strike_later` can tell from another thread whether it was raised.
        self.interruptions: list[BaseException] = []

    def fail(self, status: int, detail: str) -> int:
        self.status = status
        self.detail = detail.encode(errors="replace")
        return status

    def of(self, error: BaseException) -> int:
        """The status that stands for an exception."""
        if isinstance(error, Failure):
            return self.fail(error.status, error.detail)
        if isinstance(error, DeviceFault):
            return self.fail(error.status, error.message)
        if isinstance(error, PTXError):
            return self.fail(INVALID_PTX, str(error))
        if isinstance(error, MemoryError):
            return self.fail(OUT_OF_MEMORY, str(error) or "out of host memory")
        if not isinstance(error, Exception):
            self.interruptions.append(error)
            return self.fail(UNKNOWN, f"interrupted by {type(error).__name__}")
        text = "".join(traceback.format_exception(error))
        return self.fail(UNKNOWN, f"the emulator failed; please report this\n{text}")

    def take_interruption(self) -> BaseException | None:
        """What is to be raised in the caller, once."""
        return self.interruptions.pop() if self.interruptions else None


#: One for all emulated drivers: what it holds belongs to a thread, not to a driver.
outcome = Outcome()


def callback(function: Callable[..., Any], arguments: tuple, lock: Any) -> Any:
    """A ctypes callback that runs `function` with the in-arguments of a prototype's row."""
    types = [ctypes.c_void_p if isinstance(a, Out) else a for a in arguments]
    outs = [(at, a.type) for at, a in enumerate(arguments) if isinstance(a, Out)]
    call = _with_results(function, outs, lock) if outs else _plain(function, lock)
    call.__qualname__ = _MARK
    return ctypes.CFUNCTYPE(ctypes.c_int, *types)(call)


def _plain(function: Callable[..., None], lock: Any) -> Callable[..., int]:
    def call(*arguments):
        try:
            with lock:
                function(*arguments)
            return 0
        except BaseException as error:
            return outcome.of(error)

    return call


def _with_results(function: Callable[..., Any], outs: list, lock: Any) -> Callable[..., int]:
    places = {at for at, _ in outs}

    def call(*arguments):
        try:
            if any(arguments[at] is None for at in places):
                raise Failure(INVALID_VALUE, "a pointer for a result is null")
            given = [a for at, a in enumerate(arguments) if at not in places]
            with lock:
                results = function(*given)
                if len(outs) == 1:
                    results = (results,)
                for (at, type_), value in zip(outs, results, strict=True):
                    _write(arguments[at], type_, value)
            return 0
        except BaseException as error:
            return outcome.of(error)

    return call


def _write(address: int, type_: type, value: Any) -> None:
    if isinstance(value, bytes) and issubclass(type_, ctypes.Array):
        ctypes.memmove(address, value, len(value))
    else:
        type_.from_address(address).value = value  # type: ignore[attr-defined]


#: What callbacks are called, to know them in `watch_interrupts`.
_MARK = "gpuarray._ffi.emulator call"


@functools.cache
def watch_interrupts() -> None:
    """Keep a Ctrl-C that strikes between C and the first line of a callback.

    Python handles a signal before a called function's ``try`` is entered; ctypes then reports the
    KeyboardInterrupt to this hook, drops it and returns an undefined status. Where that status is
    taken for a failure, the caller raises the interruption kept here. Where it happens to be 0,
    the signal is sent once more; in a moment, since it would otherwise strike within the hook.
    Installed once in a process, in front of whatever hook there is.
    """
    previous = sys.unraisablehook

    def _unraisable(unraisable, /):
        # The function is the hook's object, or from Python 3.13 on only named in its message.
        where = f"{unraisable.err_msg} {unraisable.object!r}"
        if isinstance(unraisable.exc_value, KeyboardInterrupt) and _MARK in where:
            outcome.interruptions.append(KeyboardInterrupt())
            _thread.start_new_thread(_strike_later, (outcome.interruptions,))
        else:
            previous(unraisable)

    sys.unraisablehook = _unraisable


def _strike_later(interruptions: list[BaseException]) -> None:
    time.sleep(0.002)
    try:
        interruptions.pop()
    except IndexError:
        return  # the caller raised it
    _thread.interrupt_main()
