"""Keeps the garbage collector out of emulated calls.

Python collects garbage at any allocation of a container. What it finds may own streams, events or
memory, whose finalizers call the driver: within a call that would change the tables which that call
is reading. No Python code runs within C's calls either.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

from gpuarray import _fork

__all__ = ["call_uncollected", "collected"]


class _Pause:
    """How many calls are under way, one within the other, and whether collection is off for them.

    All of it changes under the lock of the emulated machine.
    """

    depth = 0
    #: Stays set if an interrupt comes before collection is on again: the next call switches it on.
    holds = False


_pause = _Pause()


def _begin() -> None:
    if not _pause.holds and gc.isenabled():
        _pause.holds = True
        gc.disable()


def _end() -> None:
    if not _pause.depth and _pause.holds:
        gc.enable()
        _pause.holds = False


def call_uncollected(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function; garbage is not collected before the outermost call returns."""
    try:
        _pause.depth += 1
        _begin()
        return function(*arguments)
    finally:
        _pause.depth -= 1
        _end()


def collected(function: Callable[[], None]) -> None:
    """Call a function of the user's within an emulated call: garbage is collected as outside."""
    depth = _pause.depth
    try:
        _pause.depth = 0
        _end()
        function()
    finally:
        _pause.depth = depth
        _begin()


def _leave() -> None:
    """A child of a process has none of its other threads, which were in calls."""
    _pause.depth = 0
    _end()


_fork.in_child(_leave)
