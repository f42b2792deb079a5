"""Mathieu functions."""

from __future__ import annotations

from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

__all__ = [
    "mathieu_a", "mathieu_b", "mathieu_cem", "mathieu_modcem1", "mathieu_modcem2",
    "mathieu_modsem1", "mathieu_modsem2", "mathieu_sem",
]  # fmt: skip

mathieu_a = create(ROWS["mathieu_a"])
mathieu_b = create(ROWS["mathieu_b"])
mathieu_cem = create(ROWS["mathieu_cem"], 2)
mathieu_modcem1 = create(ROWS["mathieu_modcem1"], 2)
mathieu_modcem2 = create(ROWS["mathieu_modcem2"], 2)
mathieu_modsem1 = create(ROWS["mathieu_modsem1"], 2)
mathieu_modsem2 = create(ROWS["mathieu_modsem2"], 2)
mathieu_sem = create(ROWS["mathieu_sem"], 2)
