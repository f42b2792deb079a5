"""Specifications of kernels and the CUDA C++ that carries them out. Pure: no device, no array.

The modules are imported when they are first used (``kernels.compiler.compile(...)``): a process
that imports the package need not have a kernel to make.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpuarray.kernels import (
        cache,
        compiler,
        counting,
        elementwise,
        expressions,
        headers,
        images,
        indexing,
        joining,
        linker,
        operations,
        partitioning,
        recording,
        reduction_tables,
        reductions,
        scans,
        searching,
        selection,
        sorting,
        user_code,
        user_elementwise,
        user_reductions,
        variants,
        warmup,
    )

__all__ = [
    "cache",
    "compiler",
    "counting",
    "elementwise",
    "expressions",
    "headers",
    "images",
    "indexing",
    "joining",
    "linker",
    "operations",
    "partitioning",
    "recording",
    "reduction_tables",
    "reductions",
    "scans",
    "searching",
    "selection",
    "sorting",
    "user_code",
    "user_elementwise",
    "user_reductions",
    "variants",
    "warmup",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"{__name__}.{name}")
