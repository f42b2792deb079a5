"""Universal functions: objects, their documentation, and the operators that are made of them."""

from __future__ import annotations

from gpuarray._ufunc.function import create, create_function, ufunc, ufuncs
from gpuarray._ufunc.generalized import create_generalized

__all__ = ["create", "create_function", "create_generalized", "ufunc", "ufuncs"]
