"""Universal functions: objects, their documentation, and the operators that are made of them."""

from __future__ import annotations

from gpuarray._ufunc.function import create, create_function, create_further, ufunc, ufuncs
from gpuarray._ufunc.generalized import create_generalized

__all__ = [
    "create", "create_function", "create_further", "create_generalized", "ufunc", "ufuncs",
]  # fmt: skip
