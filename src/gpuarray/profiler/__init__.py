"""How long programs take, on the host and on the device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray.cuda._profiler_calls import profile
from gpuarray.profiler._benchmark import benchmark
from gpuarray.profiler._ipython import load_ipython_extension, unload_ipython_extension
from gpuarray.profiler._ranges import time_range
from gpuarray.profiler._trace import trace

__all__ = [
    "benchmark", "time_range", "profile", "trace",
    "load_ipython_extension", "unload_ipython_extension",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)


without_annotations(globals())
