"""The incomplete gamma functions and their distributions."""

from __future__ import annotations

from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

__all__ = [
    "chdtr", "chdtrc", "chdtri", "chdtriv", "gammainc", "gammaincc", "gammainccinv",
    "gammaincinv", "gdtr", "gdtrc", "gdtria", "gdtrib", "gdtrix", "pdtr", "pdtrc", "pdtri",
    "pdtrik",
]  # fmt: skip

gammainc = create(ROWS["gammainc"])
gammaincc = create(ROWS["gammaincc"])
gammaincinv = create(ROWS["gammaincinv"])
gammainccinv = create(ROWS["gammainccinv"])
chdtr = create(ROWS["chdtr"])
chdtrc = create(ROWS["chdtrc"])
chdtri = create(ROWS["chdtri"])
chdtriv = create(ROWS["chdtriv"])
gdtr = create(ROWS["gdtr"])
gdtrc = create(ROWS["gdtrc"])
gdtria = create(ROWS["gdtria"])
gdtrib = create(ROWS["gdtrib"])
gdtrix = create(ROWS["gdtrix"])
pdtr = create(ROWS["pdtr"])
pdtrc = create(ROWS["pdtrc"])
pdtri = create(ROWS["pdtri"])
pdtrik = create(ROWS["pdtrik"])
