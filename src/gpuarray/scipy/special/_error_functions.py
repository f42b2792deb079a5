"""The error function and its relatives, and the normal distribution."""

from __future__ import annotations

from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

__all__ = [
    "erfcinv", "erfinv", "ndtri",
]  # fmt: skip

erfcinv = create(ROWS["erfcinv"])
erfinv = create(ROWS["erfinv"])
ndtri = create(ROWS["ndtri"])
