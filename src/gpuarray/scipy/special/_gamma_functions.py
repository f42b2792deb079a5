"""The gamma function and its relatives."""

from __future__ import annotations

from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

__all__ = [
    "gammaln", "gammasgn",
]  # fmt: skip

gammaln = create(ROWS["gammaln"])
gammasgn = create(ROWS["gammasgn"])
