"""What comes before and behind a library's Fourier transforms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.lazy import submodules

if TYPE_CHECKING:
    from gpuarray.kernels.transform import launch, spec

__all__ = ["launch", "spec"]

__getattr__ = submodules(__name__, __all__)
