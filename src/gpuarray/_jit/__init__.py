"""Kernels and element-wise functions written in Python, translated to CUDA C++."""

from __future__ import annotations

from gpuarray._jit.vectorize import vectorize

__all__ = ["vectorize"]
