"""Element-wise kernels: any expression of operands that broadcast to one shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.lazy import submodules

if TYPE_CHECKING:
    from gpuarray.kernels.elementwise import copies, fields, launch, spec, user, variants, words

__all__ = ["copies", "fields", "launch", "spec", "user", "variants", "words"]

__getattr__ = submodules(__name__, __all__)
