"""Bessel functions of orders 0 and 1."""

from __future__ import annotations

from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

__all__ = [
    "i0", "i0e", "i1", "i1e", "j0", "j1", "k0", "k0e", "k1", "k1e", "y0", "y1",
]  # fmt: skip

i0 = create(ROWS["i0"])
i0e = create(ROWS["i0e"])
i1 = create(ROWS["i1"])
i1e = create(ROWS["i1e"])
j0 = create(ROWS["j0"])
j1 = create(ROWS["j1"])
k0 = create(ROWS["k0"])
k0e = create(ROWS["k0e"])
k1 = create(ROWS["k1"])
k1e = create(ROWS["k1e"])
y0 = create(ROWS["y0"])
y1 = create(ROWS["y1"])
