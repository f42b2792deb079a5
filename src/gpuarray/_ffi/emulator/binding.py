"""Makes real C function pointers of the emulated functions.

The types come from the very table that binds libcuda, so a caller cannot tell the two apart: it
makes the same foreign calls with the same conversions. In between, results are written through
the pointers that C would be given, and exceptions become statuses. No exception is lost:

* `Failure`, `DeviceFault` and `PTXError` give their status, and their text to cuGetErrorString;
* any other `Exception` is a fault of the emulator: CUDA_ERROR_UNKNOWN with the traceback;
* KeyboardInterrupt and its like are kept for `take_interruption`, and raised in the caller; so is
  the IndexError of a kernel that found an index out of bounds.
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
from .faults import DeviceFault, IndexFault
from .ptx.syntax import PTXError
from .statuses import INVALID_PTX, INVALID_VALUE, OUT_OF_MEMORY, UNKNOWN, Failure

__all__ = ["callback", "foreign_function", "last_error", "watch_interrupts"]

# The class of a CDLL's functions: it has no argument types until they are set.
_FunctionPointer = ctypes.CDLL(None)._FuncPtr


class LastError(threading.local):
    """The status and the text of the last failed call of each thread."""

    def __init__(self) -> None:
        self.status = 0
        self.detail = b""
        #: A list, so that another thread can tell whether the interruption was raised.
        self.interruptions: list[BaseException] = []

    def fail(self, status: int, detail: str) -> int:
        self.status = status
        self.detail = detail.encode(errors="replace")
        return status

    def of(self, error: BaseException) -> int:
        """The status that an exception becomes."""
        if isinstance(error, Failure):
            return self.fail(error.status, error.detail)
        if isinstance(error, IndexFault):
            self.interruptions.append(IndexError(error.reason))
            return self.fail(error.status, error.message)
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
        """The interruption to raise in the caller, once."""
        return self.interruptions.pop() if self.interruptions else None


#: One for all emulated drivers: errors belong to a thread, not to a driver.
last_error = LastError()


def callback(
    function: Callable[..., Any],
    arguments: tuple,
    lock: Any,
    status_of: Callable[[BaseException], int] = last_error.of,
) -> Any:
    """A ctypes callback that runs `function` with the in-arguments of a prototype's row.

    `status_of` makes a status of an exception.
    """
    types = [ctypes.c_void_p if isinstance(a, Out) else a for a in arguments]
    outs = [(index, a.type) for index, a in enumerate(arguments) if isinstance(a, Out)]
    if outs:
        call = _with_results(function, outs, lock, status_of)
    else:
        call = _plain(function, lock, status_of)
    call.__qualname__ = _MARK
    return ctypes.CFUNCTYPE(ctypes.c_int, *types)(call)


def foreign_function(held: Any) -> Any:
    """A foreign function on a callback, as a CDLL gives one; the callback must be held."""
    return _FunctionPointer(ctypes.cast(held, ctypes.c_void_p).value)


def _plain(
    function: Callable[..., None], lock: Any, status_of: Callable[[BaseException], int]
) -> Callable[..., int]:
    def call(*arguments):
        try:
            with lock:
                function(*arguments)
            return 0
        except BaseException as error:
            return status_of(error)

    return call


def _with_results(
    function: Callable[..., Any],
    outs: list,
    lock: Any,
    status_of: Callable[[BaseException], int],
) -> Callable[..., int]:
    out_indices = {index for index, _ in outs}

    def call(*arguments):
        try:
            if any(arguments[index] is None for index in out_indices):
                raise Failure(INVALID_VALUE, "a pointer for a result is null")
            inputs = [a for index, a in enumerate(arguments) if index not in out_indices]
            with lock:
                results = function(*inputs)
                if len(outs) == 1:
                    results = (results,)
                for (index, type_), value in zip(outs, results, strict=True):
                    _write(arguments[index], type_, value)
            return 0
        except BaseException as error:
            return status_of(error)

    return call


def _write(address: int, type_: type, value: Any) -> None:
    if isinstance(value, bytes) and issubclass(type_, ctypes.Array):
        ctypes.memmove(address, value, len(value))
    else:
        type_.from_address(address).value = value  # type: ignore[attr-defined]


#: The qualified name of all callbacks, by which `watch_interrupts` knows them.
_MARK = "gpuarray._ffi.emulator call"


@functools.cache
def watch_interrupts() -> None:
    """Keep a Ctrl-C that arrives between C and the first line of a callback.

    Python handles a signal before a called function's ``try`` is entered; ctypes then reports the
    KeyboardInterrupt to this hook, drops it and returns an undefined status. Where that status is
    taken for a failure, the caller raises the interruption kept here. Where it happens to be 0,
    the signal is sent once more, later, since it would otherwise be raised within the hook.
    The hook is installed once in a process and calls the one that was there before.
    """
    previous = sys.unraisablehook

    def _unraisable(unraisable, /):
        # The function is the hook's object, or from Python 3.13 on only named in its message.
        where = f"{unraisable.err_msg} {unraisable.object!r}"
        if isinstance(unraisable.exc_value, KeyboardInterrupt) and _MARK in where:
            last_error.interruptions.append(KeyboardInterrupt())
            _thread.start_new_thread(_interrupt_later, (last_error.interruptions,))
        else:
            previous(unraisable)

    sys.unraisablehook = _unraisable


def _interrupt_later(interruptions: list[BaseException]) -> None:
    time.sleep(0.002)
    try:
        interruptions.pop()
    except IndexError:
        return  # the caller raised it
    _thread.interrupt_main()
