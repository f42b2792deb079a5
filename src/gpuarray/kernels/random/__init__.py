"""Random numbers: streams of words by jumping ahead in them, and what NumPy draws from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.lazy import submodules

if TYPE_CHECKING:
    from gpuarray.kernels.random import launch, spec, tables

__all__ = ["launch", "spec", "tables"]

__getattr__ = submodules(__name__, __all__)
