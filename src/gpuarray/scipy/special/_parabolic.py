"""Parabolic cylinder functions."""

from __future__ import annotations

from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

__all__ = [
    "pbdv", "pbvv", "pbwa",
]  # fmt: skip

pbdv = create(ROWS["pbdv"], 2)
pbvv = create(ROWS["pbvv"], 2)
pbwa = create(ROWS["pbwa"], 2)
