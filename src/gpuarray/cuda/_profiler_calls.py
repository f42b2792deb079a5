"""The CUDA runtime's functions that tell a profiler when to record."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gpuarray._ffi import driver
from gpuarray._runtime.current_stream import need_context


def profilerStart() -> None:
    """Let the profiler that watches this process record from now on.

    Nothing happens if none does, or if it records already.
    """
    need_context()
    driver.profiler_start()


def profilerStop() -> None:
    """Let the profiler that watches this process record no more."""
    need_context()
    driver.profiler_stop()


@contextmanager
def profile() -> Iterator[None]:
    """Let the profiler that watches this process record a ``with`` block.

    It is for profilers that are told to wait for it: ``nsys profile
    --capture-range=cudaProfilerApi`` and ``ncu --profile-from-start off``. Without one nothing
    happens.

    Yields
    ------
    None

    See Also
    --------
    gpuarray.profiler.trace : Records without a tool.

    Examples
    --------
    >>> from gpuarray.profiler import profile
    >>> with profile():
    ...     x = cp.arange(10) * 2
    """
    profilerStart()
    try:
        yield
    finally:
        profilerStop()
