"""Specifications of kernels and the CUDA C++ that carries them out. Pure: no device, no array."""

from __future__ import annotations

from gpuarray.kernels.headers import cuda_headers

__all__ = ["cuda_headers"]
