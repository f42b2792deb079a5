"""Histograms: elements or weights in each bin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.lazy import submodules

if TYPE_CHECKING:
    from gpuarray.kernels.histogram import grid, launch, spec

__all__ = ["grid", "launch", "spec"]

__getattr__ = submodules(__name__, __all__)
