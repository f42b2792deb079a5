"""Bessel functions of any real order."""

from __future__ import annotations

from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

__all__ = [
    "hankel1", "hankel1e", "hankel2", "hankel2e", "iv", "ive", "jn", "jv", "jve", "kn", "kv",
    "kve", "yn", "yv", "yve",
]  # fmt: skip

hankel1 = create(ROWS["hankel1"])
hankel1e = create(ROWS["hankel1e"])
hankel2 = create(ROWS["hankel2"])
hankel2e = create(ROWS["hankel2e"])
iv = create(ROWS["iv"])
ive = create(ROWS["ive"])
jn = create(ROWS["jn"])
jv = create(ROWS["jv"])
jve = create(ROWS["jve"])
kn = create(ROWS["kn"])
kv = create(ROWS["kv"])
kve = create(ROWS["kve"])
yn = create(ROWS["yn"])
yv = create(ROWS["yv"])
yve = create(ROWS["yve"])
