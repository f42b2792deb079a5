"""The checkers of kernels, which only the emulator has: started, asked, stopped."""

from __future__ import annotations

from collections.abc import Sequence

from . import checkers
from .driver_library import opened
from .findings import Finding

__all__ = ["findings", "report_findings_at_exit", "start_checks", "stop_checks"]


def start_checks(checks: Sequence[str]) -> None:
    """Check every launch from now on, until `stop_checks`; calls may be nested.

    Parameters
    ----------
    checks : sequence of str
        Of `gpuarray._config.CHECKS`.

    Raises
    ------
    CUDAError
        If the backend is a GPU.
    """
    checkers.start(opened(), checks)


def stop_checks() -> None:
    """End what the last `start_checks` began."""
    checkers.stop(opened())


def findings(*, leaks: bool = False) -> list[Finding]:
    """What the checkers found since the last `start_checks`, each distinct finding once.

    With `leaks` also the memory that is still allocated now and that no Python object would free.
    """
    return checkers.findings(opened(), leaks)


def report_findings_at_exit(wanted: bool) -> None:
    """Whether the end of the process prints what ``GPUARRAY_CHECK`` found."""
    checkers.report_at_exit(opened() if wanted else None)
