"""Products of stacks of matrices, of every dtype."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.lazy import submodules

if TYPE_CHECKING:
    from gpuarray.kernels.product import launch, spec, variants

__all__ = ["launch", "spec", "variants"]

__getattr__ = submodules(__name__, __all__)
