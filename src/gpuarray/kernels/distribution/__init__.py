"""Random variates: each element from bits of its own, by Philox4x32-10."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.lazy import submodules

if TYPE_CHECKING:
    from gpuarray.kernels.distribution import launch, spec

__all__ = ["launch", "spec"]

__getattr__ = submodules(__name__, __all__)
