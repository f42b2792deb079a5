"""Sparse triangular systems, and factors in the places of a pattern."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.lazy import submodules

if TYPE_CHECKING:
    from gpuarray.kernels.sparse_factor import launch, spec

__all__ = ["launch", "spec"]

__getattr__ = submodules(__name__, __all__)
