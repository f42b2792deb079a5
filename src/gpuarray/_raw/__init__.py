"""Kernels that users write themselves in CUDA C++."""

from __future__ import annotations

from gpuarray._raw.kernel import RawKernel
from gpuarray._raw.module import RawModule

__all__ = ["RawKernel", "RawModule"]
