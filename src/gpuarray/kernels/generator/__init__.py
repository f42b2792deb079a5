"""Expressions, the table of operations, and their rendering to CUDA C++. Pure.

The headers that all families share are here as ``.cuh`` files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.lazy import submodules

if TYPE_CHECKING:
    from gpuarray.kernels.generator import (
        expressions,
        headers,
        keys,
        operations,
        render,
        source,
        user_code,
    )

__all__ = ["expressions", "headers", "keys", "operations", "render", "source", "user_code"]

__getattr__ = submodules(__name__, __all__)
