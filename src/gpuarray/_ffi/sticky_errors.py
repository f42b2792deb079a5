"""Faults of kernels, and who adds to their errors what is known of the launches."""

from __future__ import annotations

from collections.abc import Callable

from gpuarray.errors import DriverError

__all__ = ["KERNEL_FAULTS", "explain", "explain_faults_by"]

#: Faults of a kernel. They leave a GPU unusable, as cuda.h says of each: "the process must be
#: terminated and relaunched". A reset does not help: the context cannot be created again.
KERNEL_FAULTS = frozenset({700, 702, 710, 714, 715, 716, 717, 718, 719})

_explain: Callable[[DriverError], None] | None = None


def explain_faults_by(function: Callable[[DriverError], None]) -> None:
    """Let a function add details to every error of a lost device: the record of launches does."""
    global _explain
    _explain = function


def explain(error: DriverError) -> None:
    """Add details of the launches before it to an error that a fault of one of them is behind."""
    if _explain is not None:
        _explain(error)
