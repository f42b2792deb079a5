"""Algorithms on graphs, whose edges are the entries of a sparse matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.lazy import submodules

if TYPE_CHECKING:
    from gpuarray.kernels.graph import launch, spec

__all__ = ["launch", "spec"]

__getattr__ = submodules(__name__, __all__)
