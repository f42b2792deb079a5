"""What is told of compilations: messages for logging, a line on the terminal, traces.

Whoever waits two seconds for compilations, in one call or in several that follow closely, sees a
line on the terminal that says so. It is gone when the last one has ended.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from gpuarray import _fork, _log
from gpuarray._config import config
from gpuarray.kernels.compiler.entry import printable

__all__ = ["found", "progress", "waiting", "watchers"]

#: Called with the name, the architecture, what became of it ('compiled', 'disk' or 'memory'), and
#: the beginning and the end in ns of `time.perf_counter_ns`, of each image that was asked for.
watchers: list[Callable[[str, str, str, int, int], None]] = []

_TEXTS = {
    "compiled": (_log.INFO, "compiled %s for %s in %.3f s"),
    "disk": (_log.DEBUG, "found %s for %s in the cache on disk in %.3f s"),
    "memory": (_log.DEBUG, "found %s for %s in memory in %.3f s"),
}
#: Compilations with less time than this between them belong together.
_GAP_SECONDS = 1.0
_ERASE = "\r\x1b[K"


def found(name: str, architecture: str, state: str, start: int) -> None:
    """Tell how an image was got that somebody asked for at `start` ns.

    Parameters
    ----------
    name, architecture : str
        The kernel and the target.
    state : {'compiled', 'disk', 'memory'}
        Whether it was compiled, or where it was.
    start : int
        When, by `time.perf_counter_ns`.
    """
    end = time.perf_counter_ns()
    level, text = _TEXTS[state]
    _log.log(level, "compiler", text, printable(name), architecture, (end - start) * 1e-9)
    for watcher in tuple(watchers):
        watcher(name, architecture, state, start, end)


class Progress:
    """The line on the terminal.

    Parameters
    ----------
    patience : float, optional
        Seconds of waiting that nothing is said of.
    interval : float, optional
        Seconds between two lines about one compilation.
    """

    def __init__(self, patience: float = 2.0, interval: float = 1.0):
        self._patience = patience
        self._interval = interval
        self.forget()
        self._lock = _fork.new_lock()

    def forget(self) -> None:
        """In a child after a fork: no thread compiles."""
        self._active: list[str] = []
        self._began = self._ended = float("-inf")
        self._count = 0
        #: Set when nobody waits any more: the thread that shows the line ends.
        self._over: threading.Event | None = None
        self._shown: TextIO | None = None

    def begin(self, name: str) -> None:
        """Note that somebody waits for a kernel."""
        terminal = _terminal()
        with self._lock:
            now = time.monotonic()
            if not self._active and now - self._ended > _GAP_SECONDS:
                self._began, self._count = now, 0
            self._active.append(name)
            self._count += 1
            if terminal is None or self._over is not None:
                return
            over = self._over = threading.Event()
            pause = self._began + self._patience - now
            if pause <= 0:
                self._show(terminal)
                pause = self._interval
        # It ends with the wait.
        threading.Thread(
            target=self._watch, args=(terminal, over, pause), name="gpuarray progress", daemon=True
        ).start()

    def end(self, name: str) -> None:
        """Note that somebody waits for a kernel no more."""
        with self._lock:
            if name in self._active:  # unless a fork came between
                self._active.remove(name)
            self._ended = time.monotonic()
            if self._active:
                return
            if self._over is not None:
                self._over.set()
                self._over = None
            if self._shown is not None:
                self._write(self._shown, _ERASE)
                self._shown = None

    def _watch(self, terminal: TextIO, over: threading.Event, pause: float) -> None:
        while not over.wait(pause):
            with self._lock:
                if over.is_set():
                    return
                self._show(terminal)
            pause = self._interval

    def _show(self, terminal: TextIO) -> None:
        """Write the line; the lock is held."""
        seconds = time.monotonic() - self._began
        many = f"{self._count} kernels, " if self._count > 1 else ""
        text = f"gpuarray: compiling {printable(self._active[-1])} ({many}{seconds:.0f} s)"
        self._write(terminal, _ERASE + text[: _columns(terminal) - 1])
        self._shown = terminal

    def _write(self, terminal: TextIO, text: str) -> None:
        try:
            terminal.write(text)
            terminal.flush()
        except (OSError, ValueError):  # it was closed
            pass


def _terminal() -> TextIO | None:
    """The stream of the line: the process's own standard error, if that is a terminal.

    Programs such as Jupyter and pytest put another object in its place, which shows or keeps what
    is written for good; some of these say that they are terminals.
    """
    stream = sys.stderr
    if not config.progress or stream is not sys.__stderr__ or stream is None:
        return None
    try:
        return stream if stream.isatty() else None
    except ValueError:  # it is closed
        return None


def _columns(terminal: TextIO) -> int:
    try:
        return os.get_terminal_size(terminal.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


#: The process's line.
progress = Progress()
_fork.in_child(progress.forget)


@contextmanager
def waiting(name: str) -> Iterator[None]:
    """Surrounds what a caller waits for until a kernel is compiled."""
    progress.begin(name)
    try:
        yield
    finally:
        progress.end(name)
