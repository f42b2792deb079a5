"""Characteristic values of spheroidal wave functions, and modified Fresnel integrals."""

from __future__ import annotations

from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

__all__ = ["modfresnelm", "modfresnelp", "obl_cv", "pro_cv"]

modfresnelm = create(ROWS["modfresnelm"], 2)
modfresnelp = create(ROWS["modfresnelp"], 2)
obl_cv = create(ROWS["obl_cv"])
pro_cv = create(ROWS["pro_cv"])
