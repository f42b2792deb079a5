"""Scans: cumulative sums and the like, NumPy's rules for them, and their kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.lazy import submodules

if TYPE_CHECKING:
    from gpuarray.kernels.scan import launch, rules, spec

__all__ = ["launch", "rules", "spec"]

__getattr__ = submodules(__name__, __all__)
