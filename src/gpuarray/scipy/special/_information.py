"""Information theory and robust losses."""

from __future__ import annotations

from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

__all__ = [
    "entr", "huber", "kl_div", "pseudo_huber", "rel_entr",
]  # fmt: skip

entr = create(ROWS["entr"])
huber = create(ROWS["huber"])
kl_div = create(ROWS["kl_div"])
pseudo_huber = create(ROWS["pseudo_huber"])
rel_entr = create(ROWS["rel_entr"])
