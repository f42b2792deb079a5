"""The checkers of kernels on a given backend, and the report that ``GPUARRAY_CHECK`` asks for."""

from __future__ import annotations

import atexit
import gc
import sys
import warnings
from collections.abc import Sequence

from gpuarray import _fork
from gpuarray._config import config
from gpuarray.errors import BackendWarning, CUDAError

from .backend import Backend
from .findings import Finding

__all__ = ["check_this_process", "findings", "report_at_exit", "start", "stop"]

_NOT_HERE = (
    "{} on a GPU: NVIDIA's compute-sanitizer is the tool there. GPUARRAY_BACKEND=emulator runs "
    "the same kernels on the emulator, which has checkers"
)


def start(backend: Backend, checks: Sequence[str]) -> None:
    """Check every launch from now on; on a GPU it raises."""
    if backend.name != "emulator":
        raise CUDAError(_NOT_HERE.format("kernels cannot be checked"))
    names = frozenset(name.partition("=")[0] for name in checks)
    backend.source.start_checks(names, "races=lane" in checks)  # type: ignore[attr-defined]


def stop(backend: Backend) -> None:
    """End what the last `start` began."""
    backend.source.stop_checks()  # type: ignore[attr-defined]


def findings(backend: Backend, leaks: bool) -> list[Finding]:
    """What was found since the last `start`; with `leaks` also the memory that is allocated now."""
    if backend.name != "emulator":
        return []
    return backend.source.findings(leaks)  # type: ignore[attr-defined]


def check_this_process(backend: Backend) -> None:
    """What ``GPUARRAY_CHECK`` asks for: check from the start, report at the end."""
    if not config.checks:
        return
    if backend.name != "emulator":
        text = _NOT_HERE.format("GPUARRAY_CHECK has no effect")
        warnings.warn(text, BackendWarning, stacklevel=2)
        return
    start(backend, config.checks)
    report_at_exit(backend)


def report_at_exit(backend: Backend | None) -> None:
    """Print what was found on a backend when the process ends; with None print nothing."""
    atexit.unregister(_report)
    if backend is not None:
        atexit.register(_report, backend)


# What a child of the process finds is not the device's.
_fork.in_child(lambda: report_at_exit(None))


def _report(backend: Backend) -> None:
    gc.collect()
    found = findings(backend, leaks=True)
    if found:
        count = f"{len(found)} finding{'s' if len(found) != 1 else ''}"
        sys.stderr.write("\n".join([f"GPUARRAY_CHECK: {count}", *map(str, found), ""]))
