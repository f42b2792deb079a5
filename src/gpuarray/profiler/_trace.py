"""Recordings of what a program does on the host and on its devices."""

from __future__ import annotations

import os
import threading

from gpuarray.profiler import _chrome
from gpuarray.profiler._memory_plot import plot
from gpuarray.profiler._memory_use import Peak, peaks
from gpuarray.profiler._recorder import Recorder

_lock = threading.Lock()
_active: trace | None = None


class trace:
    """Record what a program does, as a file that Perfetto and Chrome show.

    Use it as a ``with`` block, or call `start` and `stop`. Open the file at https://ui.perfetto.dev
    or in ``chrome://tracing``. It has

    * a track for each thread of the host: calls that queue work, compilations, ranges of
      `time_range` and `gpuarray.cuda.nvtx`, allocations with the line of the program;
    * a track for each stream of each device: kernels, calls of libraries, copies, fills and graphs
      with the times that they took there, and arrows from the calls that queued them;
    * a counter for each device: bytes in use, and bytes that memory pools hold.

    Parameters
    ----------
    path : str or os.PathLike, optional
        The file, which is written at the end, and compressed if its name ends in ``.gz``. Without
        it there is only what the methods tell.

    Raises
    ------
    RuntimeError
        If another trace is being recorded.

    See Also
    --------
    profile : For a tool of NVIDIA's that watches the process.

    Notes
    -----
    All threads are recorded. Each piece of work gets an event before and one behind it, so that
    small ones take some microseconds longer, and kernels of one stream do not overlap the
    beginning of the next. Before and after, nothing costs more than without a trace.

    What is captured into a graph has no times of its own; the launch of the graph has. On the
    emulator, times of the device are those that the emulator takes.

    Examples
    --------
    >>> from gpuarray.profiler import time_range, trace
    >>> with trace("trace.json") as recorded:  # doctest: +SKIP
    ...     with time_range("squares"):
    ...         y = cp.arange(1000) ** 2
    >>> recorded.memory_timeline("memory.png")  # doctest: +SKIP
    """

    def __init__(self, path: str | os.PathLike[str] | None = None):
        self.path = None if path is None else os.fspath(path)
        self._recorder: Recorder | None = None

    def __repr__(self) -> str:
        state = "recording" if _active is self else "recorded" if self._recorder else "not started"
        return f"<trace {self.path or 'without a file'}, {state}>"

    def __enter__(self) -> trace:
        self.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.stop()

    def start(self) -> None:
        """Begin to record. What was recorded before is forgotten.

        Raises
        ------
        OSError
            If the file cannot be written.
        RuntimeError
            If another trace is being recorded.

        Examples
        --------
        >>> from gpuarray.profiler import trace
        >>> recorded = trace()
        >>> recorded.start()
        >>> recorded.stop()
        """
        global _active
        if self.path is not None:  # now rather than at the end of a long run
            folder = os.path.dirname(os.path.abspath(self.path))
            if not os.access(folder, os.W_OK | os.X_OK):
                raise OSError(f"trace: {self.path} cannot be written; name a folder that can be")
        with _lock:
            if _active is not None:
                raise RuntimeError("trace: another trace is being recorded; stop it first")
            recorder = Recorder()
            recorder.start()
            self._recorder = recorder
            _active = self

    def stop(self) -> None:
        """Wait for the work that was queued, and write the file.

        Raises
        ------
        RuntimeError
            If it is not being recorded.

        Examples
        --------
        >>> from gpuarray.profiler import trace
        >>> recorded = trace()
        >>> recorded.start()
        >>> recorded.stop()
        """
        global _active
        with _lock:
            if _active is not self:
                raise RuntimeError("trace: it is not being recorded; start it first")
            _active = None
            recorder = self._finished(running=True)
            recorder.stop()
        if self.path is not None:
            _chrome.write(recorder, self.path)

    def _finished(self, running: bool = False) -> Recorder:
        if self._recorder is None or (_active is self and not running):
            raise RuntimeError("trace: nothing is recorded yet; start it and stop it first")
        return self._recorder

    def memory_timeline(self, path: str | os.PathLike[str]) -> None:
        """Draw how much memory was in use, and held by pools, over time.

        The picture names the lines of the program that held most at the peak.

        Parameters
        ----------
        path : str or os.PathLike
            The picture: a name that ends in ``.png``, ``.svg`` or ``.pdf``.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        plot(self._finished(), os.fspath(path))

    def memory_peaks(self) -> list[Peak]:
        """The greatest use of memory of each device.

        Returns
        -------
        list of Peak
            With the attributes ``device``, ``seconds`` since the beginning, ``used`` and
            ``reserved`` bytes, and ``holders``: tuples of a line of the program, its bytes and its
            blocks, the largest first.

        Examples
        --------
        >>> from gpuarray.profiler import trace
        >>> recorded = trace()
        >>> recorded.start()
        >>> x = cp.zeros(1 << 17)
        >>> recorded.stop()
        >>> recorded.memory_peaks()[0].holders[0].nbytes >= 1 << 20
        True
        """
        return peaks(self._finished())
