"""Which lines of the user's program recorded operations were called at.

An operation notes a code object and an offset, which costs little. Lines are looked up when
somebody asks: for the note of an error, or for a trace.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from types import CodeType
from typing import Any

from gpuarray._runtime.launch_history import _NOT_USERS, Line, users_line

#: Lines that a message shows.
_SHOWN = 8

#: A call: the code that it is in, and the offset of the instruction. (A plain tuple, since each
#: operation makes one.)
Place = tuple[CodeType, int]

#: Code by its identity that is the user's, and that is this package's. (To hash code takes longer.)
users_code: dict[int, CodeType] = {}
_own_code: dict[int, CodeType] = {}
_MOST_CODE = 4096


def caller(depth: int) -> Place:
    """Where the innermost function was called that is not this package's.

    Parameters
    ----------
    depth : int
        How many calls are above this one that are this package's for certain.
    """
    frame = sys._getframe(depth)
    while True:
        code = frame.f_code
        known = id(code)
        outer = frame.f_back
        if known not in _own_code or outer is None:
            if known in users_code:
                return code, frame.f_lasti
            package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
            kind = _own_code if package in _NOT_USERS and outer is not None else users_code
            if len(kind) >= _MOST_CODE:  # code that is made again and again
                kind.clear()
            kind[known] = code
            continue
        frame = outer


def lines_of(places: Iterable[Place]) -> list[Line]:
    """The lines of calls, each once."""
    found: dict[Line, None] = {}
    for code, offset in places:
        positions = next(islice(code.co_positions(), offset // 2, None), (None,))
        number = positions[0] or code.co_firstlineno
        found[Line(code.co_filename, number, code.co_qualname)] = None
    return list(found)


def text_of(places: Iterable[Place]) -> str:
    """The lines of calls, as a note of an error."""
    lines = lines_of(places)
    shown = [f"  {line}" for line in lines[:_SHOWN]]
    if len(lines) > _SHOWN:
        shown.append(f"  and {len(lines) - _SHOWN} more")
    return "\n".join(["This runs what was recorded at", *shown])


class _Running(threading.local):
    """The calls behind what a thread runs now: those of all of it, and of the present kernel."""

    all: Sequence[Place] = ()
    now: Sequence[Place] = ()


_running = _Running()


@contextmanager
def running(places: Sequence[Place]) -> Iterator[None]:
    """What is launched in the block was called there."""
    before = _running.all, _running.now
    try:
        _running.all = _running.now = places
        yield
    finally:
        _running.all, _running.now = before


def of_some(run: Callable[..., Any], numbers: Sequence[int]) -> Callable[..., Any]:
    """A call that does what only some of the operations were called for that run together."""

    def noting(*operands: Any) -> Any:
        every = _running.all
        _running.now = [every[i] for i in numbers]
        return run(*operands)

    return noting


def running_lines() -> list[Line]:
    """The lines that asked for what the calling thread launches or allocates now."""
    if _running.now:
        return lines_of(_running.now)
    line = users_line()
    return [] if line is None else [line]
