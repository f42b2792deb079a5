"""Kernels that users write themselves, and expressions that they fuse into one."""

from __future__ import annotations

from gpuarray._raw.elementwise_kernel import ElementwiseKernel
from gpuarray._raw.kernel import RawKernel
from gpuarray._raw.module import RawModule
from gpuarray._raw.reduction_kernel import ReductionKernel

__all__ = ["ElementwiseKernel", "RawKernel", "RawModule", "ReductionKernel"]
