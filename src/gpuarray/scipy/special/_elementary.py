"""Exponentials, logarithms and powers: SciPy's convenience functions, and Box and Cox's."""

from __future__ import annotations

from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

__all__ = [
    "boxcox", "boxcox1p", "cbrt", "cosm1", "exp10", "exp2", "expit", "expm1", "exprel",
    "inv_boxcox", "inv_boxcox1p", "log1p", "log_expit", "logit", "xlog1py", "xlogy",
]  # fmt: skip

boxcox = create(ROWS["boxcox"])
boxcox1p = create(ROWS["boxcox1p"])
cbrt = create(ROWS["cbrt"])
cosm1 = create(ROWS["cosm1"])
exp2 = create(ROWS["exp2"])
exp10 = create(ROWS["exp10"])
expit = create(ROWS["expit"])
expm1 = create(ROWS["expm1"])
exprel = create(ROWS["exprel"])
inv_boxcox = create(ROWS["inv_boxcox"])
inv_boxcox1p = create(ROWS["inv_boxcox1p"])
log1p = create(ROWS["log1p"])
log_expit = create(ROWS["log_expit"])
logit = create(ROWS["logit"])
xlog1py = create(ROWS["xlog1py"])
xlogy = create(ROWS["xlogy"])
