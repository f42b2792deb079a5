"""Selection by a mask: the true elements, their indices, and assignment to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.lazy import submodules

if TYPE_CHECKING:
    from gpuarray.kernels.mask import launch, spec

__all__ = ["launch", "spec"]

__getattr__ = submodules(__name__, __all__)
