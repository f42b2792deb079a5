"""The warnings of sparse arrays, by SciPy's names."""

from __future__ import annotations

import sys
import warnings

__all__ = ["SparseEfficiencyWarning", "SparseWarning"]


class SparseWarning(Warning):
    """Something about sparse arrays that may not be meant."""


class SparseEfficiencyWarning(SparseWarning):
    """An operation is slow for the format."""


def warn(message: str, category: type[Warning] = SparseEfficiencyWarning) -> None:
    """Warn, in the user's line."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("gpuarray."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
