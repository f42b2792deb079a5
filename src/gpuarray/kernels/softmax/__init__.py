"""Exponentials of rows beside their sum, or their logarithms, in one launch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.lazy import submodules

if TYPE_CHECKING:
    from gpuarray.kernels.softmax import launch, spec

__all__ = ["launch", "spec"]

__getattr__ = submodules(__name__, __all__)
