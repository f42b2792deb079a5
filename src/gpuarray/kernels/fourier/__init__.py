"""Fourier transforms of lines in shared memory, wherever these lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.lazy import submodules

if TYPE_CHECKING:
    from gpuarray.kernels.fourier import launch, spec

__all__ = ["launch", "spec"]

__getattr__ = submodules(__name__, __all__)
