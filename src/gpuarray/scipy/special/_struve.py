"""Struve functions."""

from __future__ import annotations

from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

__all__ = [
    "modstruve", "struve",
]  # fmt: skip

modstruve = create(ROWS["modstruve"])
struve = create(ROWS["struve"])
