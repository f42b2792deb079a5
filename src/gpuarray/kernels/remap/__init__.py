"""Elements of an array at places that follow from the result's coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.lazy import submodules

if TYPE_CHECKING:
    from gpuarray.kernels.remap import launch, spec

__all__ = ["launch", "spec"]

__getattr__ = submodules(__name__, __all__)
