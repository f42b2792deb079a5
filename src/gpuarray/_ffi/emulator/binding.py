"""Makes real C function pointers of the emulated functions.

The types come from the very table that binds libcuda, so a caller cannot tell the two apart: it
makes the same foreign calls with the same conversions. In between, results are written through
the pointers that C would be given, and exceptions become statuses. C gets a number of the call,
for which the foreign function finds the status: so a callback that fails before it begins is no
success. No exception is lost:

* `Failure`, `DeviceFault` and `PTXError` give their status, and their text to cuGetErrorString;
* any other `Exception` is a fault of the emulator: CUDA_ERROR_UNKNOWN with the traceback;
* KeyboardInterrupt and its like are kept for `take_interruption`, and raised in the caller; so is
  the IndexError of a kernel that found an index out of bounds.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

from ..library import Out
from .collection import call_uncollected
from .faults import DeviceFault, IndexFault
from .ptx.syntax import PTXError
from .statuses import INVALID_PTX, INVALID_VALUE, OUT_OF_MEMORY, UNKNOWN, Failure

__all__ = ["callback", "foreign_function", "last_error", "watch_interrupts"]

# The class of a CDLL's functions: it has no argument types until they are set.
_FunctionPointer = ctypes.CDLL(None)._FuncPtr


#: The statuses of calls that have ended, by the number that C was given for each, until the caller
#: takes its own.
_statuses: dict[int, int] = {}
_numbers = itertools.count(1)
_LARGEST = 0x7FFFFFFF
#: Stands for a status of a call for which there was no stack.
_TOO_DEEP = -1
_TOO_DEEP_TEXT = "maximum recursion depth exceeded in the emulator of the CUDA driver"


class LastError(threading.local):
    """The status and the text of the last failed call of each thread."""

    def __init__(self) -> None:
        self.status = 0
        self.detail = b""
        self.interruptions: list[BaseException] = []

    def fail(self, status: int, detail: str) -> int:
        self.status = status
        self.detail = detail.encode(errors="replace")
        return status

    def of(self, error: BaseException) -> int:
        """The status that an exception becomes."""
        self._forget_recursion()
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
        if isinstance(error, RecursionError):
            # Without its traceback, which has all the frames.
            self.interruptions.append(RecursionError(_TOO_DEEP_TEXT))
            return self.fail(UNKNOWN, _TOO_DEEP_TEXT)
        if not isinstance(error, Exception):
            self.interruptions.append(error)
            return self.fail(UNKNOWN, f"interrupted by {type(error).__name__}")
        text = "".join(traceback.format_exception(error))
        return self.fail(UNKNOWN, f"the emulator failed; please report this\n{text}")

    def never_began(self) -> int:
        """The status of a call that failed before it had one: its interruption was kept."""
        self._forget_recursion()
        return self.fail(UNKNOWN, "the call did not begin")

    def _forget_recursion(self) -> None:
        """Forget the exceptions of earlier calls that nobody had the stack to raise."""
        if self.interruptions:
            kept = [error for error in self.interruptions if type(error) is not RecursionError]
            self.interruptions[:] = kept

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
    function = _FunctionPointer(ctypes.cast(held, ctypes.c_void_p).value)
    function.errcheck = _take_status
    return function


def _take_status(number: int, function: Any, arguments: tuple) -> int:
    """The status of the call for which C returned a number.

    A callback that fails before its first line, or where it returns, gives C what happens to lie
    on the stack. That is the number of no call whose status is still to be taken.
    """
    status = _statuses.pop(number, None)
    if status is None:
        return last_error.never_began()
    if status == _TOO_DEEP:
        raise RecursionError(_TOO_DEEP_TEXT)
    return status


def _plain(
    function: Callable[..., None], lock: Any, status_of: Callable[[BaseException], int]
) -> Callable[..., int]:
    statuses, numbers = _statuses, _numbers

    def call(*arguments):
        try:
            with lock:
                call_uncollected(function, *arguments)
            status = 0
        except BaseException as error:
            try:
                status = status_of(error)
            except RecursionError:  # nor could the function be entered
                status = _TOO_DEEP
        number = next(numbers) & _LARGEST
        statuses[number] = status
        return number

    return call


def _with_results(
    function: Callable[..., Any],
    outs: list,
    lock: Any,
    status_of: Callable[[BaseException], int],
) -> Callable[..., int]:
    out_indices = {index for index, _ in outs}
    statuses, numbers = _statuses, _numbers

    def call(*arguments):
        try:
            if any(arguments[index] is None for index in out_indices):
                raise Failure(INVALID_VALUE, "a pointer for a result is null")
            inputs = [a for index, a in enumerate(arguments) if index not in out_indices]
            with lock:
                results = call_uncollected(function, *inputs)
                if len(outs) == 1:
                    results = (results,)
                for (index, type_), value in zip(outs, results, strict=True):
                    _write(arguments[index], type_, value)
            status = 0
        except BaseException as error:
            try:
                status = status_of(error)
            except RecursionError:  # nor could the function be entered
                status = _TOO_DEEP
        number = next(numbers) & _LARGEST
        statuses[number] = status
        return number

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
    KeyboardInterrupt to this hook and drops it. The caller finds no status, and raises what is kept
    here. The hook is installed once in a process and calls the one that was there before.
    """
    previous = sys.unraisablehook

    def _unraisable(unraisable, /):
        # The function is the hook's object, or from Python 3.13 on only named in its message.
        where = f"{unraisable.err_msg} {unraisable.object!r}"
        if isinstance(unraisable.exc_value, KeyboardInterrupt) and _MARK in where:
            last_error.interruptions.append(KeyboardInterrupt())
        else:
            previous(unraisable)

    sys.unraisablehook = _unraisable
