"""Compiles the kernels of a recording, several at a time."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from gpuarray.errors import CompileError
from gpuarray.kernels.compiler import recording
from gpuarray.kernels.compiler.compilation import Request, compile_request


class WarmupReport(NamedTuple):
    """What a warm-up did."""

    #: Kernels compiled now.
    compiled: int
    #: Kernels that were in the cache.
    found: int
    #: Kernels recorded with other device code, of another version of the package: record again.
    outdated: int
    #: Name and first line of the error of each kernel that did not compile.
    failed: tuple[tuple[str, str], ...]
    #: How long it took, in seconds.
    seconds: float


def warm(
    path: str | os.PathLike[str], architecture: str, kind: str, threads: int | None = None
) -> WarmupReport:
    """Compile what the recording `path` names for `architecture`, as images of `kind`."""
    start = time.perf_counter()
    kernels = recording.read(path, architecture, kind)
    requests = [kernel for kernel in kernels if isinstance(kernel, Request)]
    # NVRTC compiles without the GIL, and several programs at once: threads are as good as
    # processes, and need not start.
    with ThreadPoolExecutor(threads or available_processors()) as pool:
        results = list(pool.map(_one, requests))
    failed = tuple(result for result in results if isinstance(result, tuple))
    return WarmupReport(
        compiled=results.count(True),
        found=results.count(False),
        outdated=len(kernels) - len(requests),
        failed=failed,
        seconds=time.perf_counter() - start,
    )


def _one(request: Request) -> bool | tuple[str, str]:
    try:
        return compile_request(request)[1]
    except CompileError as error:
        return request.name, (error.log.strip() or str(error)).splitlines()[0]


def available_processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
