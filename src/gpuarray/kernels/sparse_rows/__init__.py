"""Reductions of the rows of compressed matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.lazy import submodules

if TYPE_CHECKING:
    from gpuarray.kernels.sparse_rows import launch, spec

__all__ = ["launch", "spec"]

__getattr__ = submodules(__name__, __all__)
