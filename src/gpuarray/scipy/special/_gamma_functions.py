"""The gamma function and its relatives."""

from __future__ import annotations

from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

__all__ = [
    "beta", "betaln", "binom", "digamma", "gamma", "gammaln", "gammasgn", "loggamma", "poch",
    "psi", "rgamma", "zetac",
]  # fmt: skip

gamma = create(ROWS["gamma"])
gammaln = create(ROWS["gammaln"])
loggamma = create(ROWS["loggamma"])
gammasgn = create(ROWS["gammasgn"])
rgamma = create(ROWS["rgamma"])
psi = create(ROWS["psi"])
digamma = psi
beta = create(ROWS["beta"])
betaln = create(ROWS["betaln"])
poch = create(ROWS["poch"])
binom = create(ROWS["binom"])
zetac = create(ROWS["zetac"])
