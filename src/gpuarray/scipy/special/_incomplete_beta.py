"""The incomplete beta function and its distributions."""

from __future__ import annotations

from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

__all__ = [
    "bdtr", "bdtrc", "bdtri", "bdtrik", "bdtrin", "betainc", "betaincc", "betainccinv",
    "betaincinv", "btdtr", "btdtri", "btdtria", "btdtrib", "fdtr", "fdtrc", "fdtri", "fdtridfd",
    "nbdtr", "nbdtrc", "nbdtri", "nbdtrik", "nbdtrin", "stdtr", "stdtridf", "stdtrit",
]  # fmt: skip

betainc = create(ROWS["betainc"])
betaincc = create(ROWS["betaincc"])
betaincinv = create(ROWS["betaincinv"])
betainccinv = create(ROWS["betainccinv"])
btdtr = betainc
btdtri = betaincinv
bdtr = create(ROWS["bdtr"])
bdtrc = create(ROWS["bdtrc"])
bdtri = create(ROWS["bdtri"])
bdtrik = create(ROWS["bdtrik"])
bdtrin = create(ROWS["bdtrin"])
btdtria = create(ROWS["btdtria"])
btdtrib = create(ROWS["btdtrib"])
fdtr = create(ROWS["fdtr"])
fdtrc = create(ROWS["fdtrc"])
fdtri = create(ROWS["fdtri"])
fdtridfd = create(ROWS["fdtridfd"])
nbdtr = create(ROWS["nbdtr"])
nbdtrc = create(ROWS["nbdtrc"])
nbdtri = create(ROWS["nbdtri"])
nbdtrik = create(ROWS["nbdtrik"])
nbdtrin = create(ROWS["nbdtrin"])
stdtr = create(ROWS["stdtr"])
stdtrit = create(ROWS["stdtrit"])
stdtridf = create(ROWS["stdtridf"])
