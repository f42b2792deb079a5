"""Integrals of Bessel, Struve and Airy functions."""

from __future__ import annotations

from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

__all__ = [
    "it2i0k0", "it2j0y0", "it2struve0", "itairy", "iti0k0", "itj0y0", "itmodstruve0",
    "itstruve0",
]  # fmt: skip

it2i0k0 = create(ROWS["it2i0k0"], 2)
it2j0y0 = create(ROWS["it2j0y0"], 2)
it2struve0 = create(ROWS["it2struve0"])
itairy = create(ROWS["itairy"], 4)
iti0k0 = create(ROWS["iti0k0"], 2)
itj0y0 = create(ROWS["itj0y0"], 2)
itmodstruve0 = create(ROWS["itmodstruve0"])
itstruve0 = create(ROWS["itstruve0"])
