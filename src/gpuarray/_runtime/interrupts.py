"""Work that Ctrl-C must not come into the middle of."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any


class held_back:
    """A ``with`` block that Ctrl-C does not interrupt: it is raised behind it.

    Python raises `KeyboardInterrupt` in the main thread only, whichever thread the system gives the
    signal to: so it is Python's handler that is exchanged, which takes 1 to 2 µs.
    """

    __slots__ = ("_before", "_came")

    def __enter__(self) -> None:
        self._before: Any = None
        self._came: FrameType | None = None
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._came = frame

    def __exit__(self, *exc_info: object) -> None:
        before = self._before
        if before is not None:
            signal.signal(signal.SIGINT, before)
            if self._came is not None and callable(before):
                before(signal.SIGINT, self._came)
