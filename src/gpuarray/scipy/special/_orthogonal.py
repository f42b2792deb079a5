"""Orthogonal polynomials at points, and the functions that continue them to real degrees."""

from __future__ import annotations

from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

__all__ = [
    "eval_chebyc", "eval_chebys", "eval_chebyt", "eval_chebyu", "eval_gegenbauer",
    "eval_genlaguerre", "eval_hermite", "eval_hermitenorm", "eval_jacobi", "eval_laguerre",
    "eval_legendre", "eval_sh_chebyt", "eval_sh_chebyu", "eval_sh_jacobi", "eval_sh_legendre",
    "lpmv",
]  # fmt: skip

eval_chebyc = create(ROWS["eval_chebyc"])
eval_chebys = create(ROWS["eval_chebys"])
eval_chebyt = create(ROWS["eval_chebyt"])
eval_chebyu = create(ROWS["eval_chebyu"])
eval_gegenbauer = create(ROWS["eval_gegenbauer"])
eval_genlaguerre = create(ROWS["eval_genlaguerre"])
eval_hermite = create(ROWS["eval_hermite"])
eval_hermitenorm = create(ROWS["eval_hermitenorm"])
eval_jacobi = create(ROWS["eval_jacobi"])
eval_laguerre = create(ROWS["eval_laguerre"])
eval_legendre = create(ROWS["eval_legendre"])
eval_sh_chebyt = create(ROWS["eval_sh_chebyt"])
eval_sh_chebyu = create(ROWS["eval_sh_chebyu"])
eval_sh_jacobi = create(ROWS["eval_sh_jacobi"])
eval_sh_legendre = create(ROWS["eval_sh_legendre"])
lpmv = create(ROWS["lpmv"])
