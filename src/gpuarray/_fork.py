"""Processes made by fork: the child's locks, and what else it has to make anew.

A child has one thread, the one that forked. A lock that another thread of the parent held stays
held in it for ever, and what that thread was doing is never finished.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any

__all__ = ["in_child", "new_lock", "new_rlock"]

_locks: weakref.WeakSet[Any] = weakref.WeakSet()


def new_lock() -> Any:
    """A lock that is free in a child."""
    return _known(threading.Lock())


def new_rlock() -> Any:
    """A reentrant lock that is free in a child."""
    return _known(threading.RLock())


def _known(lock: Any) -> Any:
    _locks.add(lock)
    return lock


def _free_locks() -> None:
    for lock in list(_locks):
        lock._at_fork_reinit()  # what threading.Condition and the like do in a child


def in_child(function: Callable[[], object]) -> None:
    """Call a function in each child, after those that were given before.

    It must not wait for anything.
    """
    if hasattr(os, "register_at_fork"):  # Windows has no fork
        os.register_at_fork(after_in_child=function)


in_child(_free_locks)
