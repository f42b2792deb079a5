"""Folds: elements combined one after another, along lines or segments of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.lazy import submodules

if TYPE_CHECKING:
    from gpuarray.kernels.fold import launch, rules, spec

__all__ = ["launch", "rules", "spec"]

__getattr__ = submodules(__name__, __all__)
