"""Reductions: NumPy's rules for them, variances and sums of products, and their kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.lazy import submodules

if TYPE_CHECKING:
    from gpuarray.kernels.reduction import (
        arguments,
        computed,
        functions,
        launch,
        logsums,
        moments,
        products,
        row_launch,
        rows,
        rules,
        spec,
        tables,
        user,
        variants,
    )

__all__ = [
    "arguments",
    "computed",
    "functions",
    "launch",
    "logsums",
    "moments",
    "norms",
    "products",
    "row_launch",
    "rows",
    "rules",
    "spec",
    "tables",
    "user",
    "variants",
]

__getattr__ = submodules(__name__, __all__)
