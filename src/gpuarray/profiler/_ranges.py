"""Ranges on the timeline of a profiler."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from gpuarray._runtime.current_stream import run_all_deferred
from gpuarray._runtime.device import Device
from gpuarray.cuda import nvtx

F = TypeVar("F", bound=Callable[..., Any])


class time_range:
    """Show a ``with`` block, or the calls of a function, as a range on a profiler's timeline.

    The range is in `gpuarray.profiler.trace`, and in Nsight Systems by NVTX.

    Parameters
    ----------
    message : str, optional
        What is shown. A decorated function is shown under its name by default.
    color_id : int, optional
        The number of one of ten colors.
    argb_color : int, optional
        The color in ARGB, such as ``0xFF00FF00`` for green, in place of `color_id`.
    sync : bool, optional
        Whether to wait for the current device before the range begins and before it ends, so that
        the range is as long as the work of the device.

    Raises
    ------
    ValueError
        If there are two colors, or a ``with`` block has no message.

    Examples
    --------
    >>> from gpuarray.profiler import time_range
    >>> with time_range("squares", color_id=0, sync=True):
    ...     y = cp.arange(10) ** 2
    >>> @time_range()
    ... def cubes(x):
    ...     return x**3
    >>> cubes(y[:3])
    array([ 0,  1, 64])
    """

    __slots__ = ("argb_color", "color_id", "message", "sync")

    def __init__(
        self,
        message: str | None = None,
        color_id: int | None = None,
        argb_color: int | None = None,
        sync: bool = False,
    ):
        if color_id is not None and argb_color is not None:
            raise ValueError("time_range: color_id and argb_color exclude each other")
        self.message = message
        self.color_id = -1 if color_id is None else color_id
        self.argb_color = argb_color
        self.sync = sync

    def __repr__(self) -> str:
        return f"<time_range {'of a function' if self.message is None else repr(self.message)}>"

    def __enter__(self) -> time_range:
        if self.message is None:
            raise ValueError("time_range: a with block needs a message")
        self._begin(self.message)
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._end()

    def __call__(self, func: F) -> F:
        message = func.__name__ if self.message is None else self.message

        @functools.wraps(func)
        def ranged(*args: Any, **kwargs: Any) -> Any:
            self._begin(message)
            try:
                return func(*args, **kwargs)
            finally:
                self._end()

        return ranged  # type: ignore[return-value]  # it has the signature of what it wraps

    def _begin(self, message: str) -> None:
        run_all_deferred()  # what was called before is not the range's
        if self.sync:
            Device().synchronize()
        if self.argb_color is not None:
            nvtx.RangePushC(message, self.argb_color)
        else:
            nvtx.RangePush(message, self.color_id)

    def _end(self) -> None:
        try:
            run_all_deferred()
            if self.sync:
                Device().synchronize()
        finally:
            nvtx.RangePop()
