"""CUDA C++ to image: NVRTC and nvJitLink, the kernel cache, and warm-up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.lazy import submodules

if TYPE_CHECKING:
    from gpuarray.kernels.compiler import (
        archive,
        cache,
        compilation,
        entry,
        headers,
        image_memory,
        images,
        linker,
        lock,
        options,
        recording,
        remedies,
        reporting,
        request,
        standins,
        toolchain,
        warmup,
    )

__all__ = [
    "archive",
    "cache",
    "compilation",
    "entry",
    "headers",
    "image_memory",
    "images",
    "linker",
    "lock",
    "options",
    "recording",
    "remedies",
    "reporting",
    "request",
    "standins",
    "toolchain",
    "warmup",
]

__getattr__ = submodules(__name__, __all__)
