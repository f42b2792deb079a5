"""The error function and its relatives, the normal distribution, Fresnel's integrals."""

from __future__ import annotations

from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

__all__ = [
    "dawsn", "erf", "erfc", "erfcinv", "erfcx", "erfi", "erfinv", "fresnel", "log_ndtr", "ndtr",
    "ndtri", "ndtri_exp", "voigt_profile", "wofz",
]  # fmt: skip

erf = create(ROWS["erf"])
erfc = create(ROWS["erfc"])
erfcx = create(ROWS["erfcx"])
erfi = create(ROWS["erfi"])
erfinv = create(ROWS["erfinv"])
erfcinv = create(ROWS["erfcinv"])
dawsn = create(ROWS["dawsn"])
wofz = create(ROWS["wofz"])
voigt_profile = create(ROWS["voigt_profile"])
ndtr = create(ROWS["ndtr"])
log_ndtr = create(ROWS["log_ndtr"])
ndtri = create(ROWS["ndtri"])
ndtri_exp = create(ROWS["ndtri_exp"])
fresnel = create(ROWS["fresnel"], 2)
