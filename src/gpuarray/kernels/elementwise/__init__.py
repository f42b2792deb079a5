"""Element-wise kernels: any expression of operands that broadcast to one shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.lazy import submodules

if TYPE_CHECKING:
    from gpuarray.kernels.elementwise import copies, launch, spec, user, variants

__all__ = ["copies", "launch", "spec", "user", "variants"]

__getattr__ = submodules(__name__, __all__)
