"""CuPy's names for starting and stopping a profiler.

Examples
--------
>>> import gpuarray as cp
>>> cp.cuda.profiler.start()
>>> x = cp.arange(3) + 1
>>> cp.cuda.profiler.stop()
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray.cuda._profiler_calls import profilerStart, profilerStop

__all__ = ["start", "stop"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)


def start() -> None:
    """Let the profiler that watches this process record from now on.

    See Also
    --------
    gpuarray.profiler.profile : The same for a ``with`` block.
    """
    profilerStart()


def stop() -> None:
    """Let the profiler that watches this process record no more."""
    profilerStop()


without_annotations(globals())
