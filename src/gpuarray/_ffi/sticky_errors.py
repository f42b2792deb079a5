"""Who is asked what was running when a kernel failed: a room above, which knows the launches."""

from __future__ import annotations

from collections.abc import Callable

from gpuarray.errors import DriverError

__all__ = ["STICKY", "explain", "explain_by"]

#: Faults of a kernel that leave its device unusable, as cuda.h says of each: "the process must
#: be terminated and relaunched". A reset is no way out: the context cannot be made anew after it.
STICKY = frozenset({700, 702, 710, 714, 715, 716, 717, 718, 719})

_explain: Callable[[DriverError], None] | None = None


def explain_by(function: Callable[[DriverError], None]) -> None:
    """Let a function add what it knows to every error of a lost device."""
    global _explain
    _explain = function


def explain(error: DriverError) -> None:
    """Add to an error what is known of the launches before it, if a kernel's fault is behind it."""
    if error.status in STICKY and _explain is not None:
        _explain(error)
