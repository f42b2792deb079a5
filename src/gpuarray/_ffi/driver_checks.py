"""The checkers of kernels, which only the emulator has: started, asked, stopped."""

from __future__ import annotations

import atexit
import gc
import sys
import warnings
from collections.abc import Sequence

from gpuarray._config import config
from gpuarray.errors import BackendWarning, CUDAError

from .backend import Backend
from .driver_library import opened
from .findings import Finding

__all__ = [
    "check_this_process",
    "findings",
    "report_findings_at_exit",
    "start_checks",
    "stop_checks",
]

_NOT_HERE = (
    "{} on a GPU: NVIDIA's compute-sanitizer is the tool there. GPUARRAY_BACKEND=emulator runs "
    "the same kernels on the emulator, which has checkers"
)


def start_checks(checks: Sequence[str]) -> None:
    """Check every launch from now on, until `stop_checks`; calls may be nested.

    Of `gpuarray._config.CHECKS`. On a GPU it raises.
    """
    _start(opened(), checks)


def _start(backend: Backend, checks: Sequence[str]) -> None:
    if backend.name != "emulator":
        raise CUDAError(_NOT_HERE.format("kernels cannot be checked"))
    names = frozenset(name.partition("=")[0] for name in checks)
    backend.source.start_checks(names, "races=lane" in checks)  # type: ignore[attr-defined]


def stop_checks() -> None:
    """End what the last `start_checks` began."""
    opened().source.stop_checks()  # type: ignore[attr-defined]


def findings(*, leaks: bool = False) -> list[Finding]:
    """What the checkers found since the last `start_checks`, each distinct finding once.

    With `leaks` also the memory that is still allocated now and that no Python object would free.
    """
    backend = opened()
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
    _start(backend, config.checks)
    report_findings_at_exit(True)


def report_findings_at_exit(wanted: bool) -> None:
    """Whether the end of the process prints what ``GPUARRAY_CHECK`` found."""
    atexit.unregister(_report)
    if wanted:
        atexit.register(_report)


def _report() -> None:
    gc.collect()
    found = findings(leaks=True)
    if found:
        count = f"{len(found)} finding{'s' if len(found) != 1 else ''}"
        sys.stderr.write("\n".join([f"GPUARRAY_CHECK: {count}", *map(str, found), ""]))
