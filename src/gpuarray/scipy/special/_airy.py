"""Airy and Kelvin functions."""

from __future__ import annotations

from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

__all__ = [
    "airy", "airye", "bei", "beip", "ber", "berp", "kei", "keip", "kelvin", "ker", "kerp",
]  # fmt: skip

airy = create(ROWS["airy"], 4)
airye = create(ROWS["airye"], 4)
bei = create(ROWS["bei"])
beip = create(ROWS["beip"])
ber = create(ROWS["ber"])
berp = create(ROWS["berp"])
kei = create(ROWS["kei"])
keip = create(ROWS["keip"])
kelvin = create(ROWS["kelvin"], 4)
ker = create(ROWS["ker"])
kerp = create(ROWS["kerp"])
