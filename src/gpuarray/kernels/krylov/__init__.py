"""Steps of Krylov methods: vectors become others, and a dot product of these is made at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.lazy import submodules

if TYPE_CHECKING:
    from gpuarray.kernels.krylov import launch, spec

__all__ = ["launch", "spec"]

__getattr__ = submodules(__name__, __all__)
