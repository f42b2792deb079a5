"""Exponential, sine and cosine integrals, and the dilogarithm."""

from __future__ import annotations

from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

__all__ = [
    "exp1", "expi", "expn", "shichi", "sici", "spence",
]  # fmt: skip

exp1 = create(ROWS["exp1"])
expi = create(ROWS["expi"])
expn = create(ROWS["expn"])
shichi = create(ROWS["shichi"], 2)
sici = create(ROWS["sici"], 2)
spence = create(ROWS["spence"])
