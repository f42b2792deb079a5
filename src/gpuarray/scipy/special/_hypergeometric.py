"""Hypergeometric functions."""

from __future__ import annotations

from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

__all__ = [
    "hyp0f1", "hyp1f1", "hyp2f1", "hyperu",
]  # fmt: skip

hyp0f1 = create(ROWS["hyp0f1"])
hyp1f1 = create(ROWS["hyp1f1"])
hyp2f1 = create(ROWS["hyp2f1"])
hyperu = create(ROWS["hyperu"])
