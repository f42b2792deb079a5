"""Sorts along the last axis: radix sorts, block sorts and merges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.lazy import submodules

if TYPE_CHECKING:
    from gpuarray.kernels.sort import launch, packing, spec

__all__ = ["launch", "packing", "spec"]

__getattr__ = submodules(__name__, __all__)
