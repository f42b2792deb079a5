"""Functions of angles in degrees, and rounding."""

from __future__ import annotations

from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

__all__ = ["cosdg", "cotdg", "radian", "round", "sindg", "tandg"]

cosdg = create(ROWS["cosdg"])
cotdg = create(ROWS["cotdg"])
radian = create(ROWS["radian"])
round = create(ROWS["round"])
sindg = create(ROWS["sindg"])
tandg = create(ROWS["tandg"])
