"""Calls from C of Python functions, where C cannot be told that a call never began."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

__all__ = ["in_own_thread"]

_T = TypeVar("_T")


def in_own_thread(function: Callable[[], _T]) -> _T:
    """Run a function in a thread of its own; what it returns or raises.

    A callback fails before its first line where the recursion limit is reached, or where Ctrl-C
    comes just then; ctypes drops the exception and C goes on with an undefined result. In a new
    thread neither happens: its stack is empty, and signals are handled in the main thread.
    """
    results: list[_T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(function())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="gpuarray callbacks", daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
