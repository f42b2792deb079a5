"""Updates of elements at index arrays, of repeated ones as often as they occur."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.lazy import submodules

if TYPE_CHECKING:
    from gpuarray.kernels.update import launch, spec

__all__ = ["launch", "spec"]

__getattr__ = submodules(__name__, __all__)
