"""Elliptic integrals and functions."""

from __future__ import annotations

from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

__all__ = [
    "agm", "ellipe", "ellipeinc", "ellipj", "ellipk", "ellipkinc", "ellipkm1", "elliprc",
    "elliprd", "elliprf", "elliprg", "elliprj",
]  # fmt: skip

agm = create(ROWS["agm"])
ellipe = create(ROWS["ellipe"])
ellipeinc = create(ROWS["ellipeinc"])
ellipj = create(ROWS["ellipj"], 4)
ellipk = create(ROWS["ellipk"])
ellipkinc = create(ROWS["ellipkinc"])
ellipkm1 = create(ROWS["ellipkm1"])
elliprc = create(ROWS["elliprc"])
elliprd = create(ROWS["elliprd"])
elliprf = create(ROWS["elliprf"])
elliprg = create(ROWS["elliprg"])
elliprj = create(ROWS["elliprj"])
