"""Marks and ranges on the timeline of a profiler: NVTX.

Tools such as Nsight Systems (``nsys profile``) show them beside what the GPU does. They need
nothing installed, and without a tool they cost a function call. `gpuarray.profiler.trace` shows
them, too.

Examples
--------
>>> import gpuarray as cp
>>> cp.cuda.nvtx.RangePush("a step")
>>> cp.cuda.nvtx.Mark("its middle")
>>> cp.cuda.nvtx.RangePop()
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gpuarray._ffi import nvtx
from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations

__all__ = [
    "Mark", "MarkC", "RangeEnd", "RangePop", "RangePush", "RangePushC", "RangeStart", "available",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)

#: Whether marks and ranges can be made: always, also where no tool takes them.
available = True

#: The colors of `Mark` and `RangePush` by their number, in ARGB.
_COLORS = (
    0xFF00FF00, 0xFF007FFF, 0xFF7F00FF, 0xFFFF0000, 0xFF7FFF00,
    0xFF00FF7F, 0xFF0000FF, 0xFFFF007F, 0xFFFF7F00, 0xFF7F7F7F,
)  # fmt: skip

#: Traces of this process: called with "mark", "push", "pop", "start" or "end", the message, the
#: color and the number of a range of `RangeStart`.
_listeners: list[Callable[[str, str, int | None, int], None]] = []

#: Numbers of ranges that no tool has numbered.
_numbers = itertools.count(1)


def _tell(kind: str, message: str = "", color: int | None = None, number: int = 0) -> None:
    for listener in tuple(_listeners):
        listener(kind, message, color, number)


def _check(name: str, message: Any) -> None:
    if not isinstance(message, str):
        raise TypeError(f"nvtx.{name}: message must be a str, not {type(message).__name__}")


def _color(name: str, color: Any) -> int:
    if not 0 <= color < 1 << 32:
        raise OverflowError(f"nvtx.{name}: {color} is no color: ARGB is 0xFF00FF00 for green")
    return int(color)


def _by_number(id_color: int) -> int | None:
    return None if id_color < 0 else _COLORS[id_color % len(_COLORS)]


def Mark(message: str, id_color: int = -1) -> None:
    """Mark this moment.

    Parameters
    ----------
    message : str
        What is shown.
    id_color : int, optional
        The number of one of ten colors; the tool's own by default.

    Examples
    --------
    >>> cp.cuda.nvtx.Mark("the data are here")
    """
    _check("Mark", message)
    _mark(message, _by_number(id_color))


def MarkC(message: str, color: int = 0) -> None:
    """Mark this moment in a color.

    Parameters
    ----------
    message : str
        What is shown.
    color : int, optional
        Its color in ARGB, such as ``0xFF00FF00`` for green.
    """
    _check("MarkC", message)
    _mark(message, _color("MarkC", color))


def _mark(message: str, color: int | None) -> None:
    nvtx.mark(message, color)
    if _listeners:
        _tell("mark", message, color)


def RangePush(message: str, id_color: int = -1) -> None:
    """Begin a range of this thread, which `RangePop` ends. Ranges may contain others.

    Parameters
    ----------
    message : str
        What is shown.
    id_color : int, optional
        The number of one of ten colors; the tool's own by default.

    See Also
    --------
    gpuarray.profiler.time_range : A range as a ``with`` block or a decorator.

    Examples
    --------
    >>> from gpuarray.cuda import nvtx
    >>> nvtx.RangePush("powers", id_color=2)
    >>> x = cp.arange(10) ** 2
    >>> nvtx.RangePop()
    """
    _check("RangePush", message)
    _push(message, _by_number(id_color))


def RangePushC(message: str, color: int = 0) -> None:
    """Begin a range of this thread in a color, which `RangePop` ends.

    Parameters
    ----------
    message : str
        What is shown.
    color : int, optional
        Its color in ARGB, such as ``0xFF00FF00`` for green.
    """
    _check("RangePushC", message)
    _push(message, _color("RangePushC", color))


def _push(message: str, color: int | None) -> None:
    nvtx.range_push(message, color)
    if _listeners:
        _tell("push", message, color)


def RangePop() -> None:
    """End the range that this thread began last."""
    nvtx.range_pop()
    if _listeners:
        _tell("pop")


def RangeStart(message: str, color: int | None = None) -> int:
    """Begin a range that any thread may end; such ranges may overlap.

    Parameters
    ----------
    message : str
        What is shown.
    color : int, optional
        Its color in ARGB; the tool's own by default.

    Returns
    -------
    int
        The range's number, for `RangeEnd`.

    Examples
    --------
    >>> from gpuarray.cuda import nvtx
    >>> number = nvtx.RangeStart("a request")
    >>> nvtx.RangeEnd(number)
    """
    _check("RangeStart", message)
    if color is not None:
        color = _color("RangeStart", color)
    number = nvtx.range_start(message, color) or next(_numbers)
    if _listeners:
        _tell("start", message, color, number)
    return number


def RangeEnd(range_id: int) -> None:
    """End a range of `RangeStart`.

    Parameters
    ----------
    range_id : int
        The range's number.
    """
    nvtx.range_end(range_id)
    if _listeners:
        _tell("end", number=range_id)


without_annotations(globals())
