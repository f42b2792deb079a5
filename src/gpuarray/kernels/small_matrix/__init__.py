"""Stacks of small matrices, each worked on by a warp or a part of one: factors, solutions, SVD."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.lazy import submodules

if TYPE_CHECKING:
    from gpuarray.kernels.small_matrix import launch, spec

__all__ = ["launch", "spec"]

__getattr__ = submodules(__name__, __all__)
