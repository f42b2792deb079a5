"""Sparse linear algebra: SciPy's ``scipy.sparse.linalg``, on the device.

Operators, solvers of linear equations and of least squares by iteration and
by factors, eigenvalues, norms. Dense arrays,
sparse arrays and functions serve as matrices.

Examples
--------
>>> import gpuarray as cp
>>> x, info = cp.scipy.sparse.linalg.cg(cp.array([[4.0, 1.0], [1.0, 3.0]]), cp.array([6.0, 7.0]))
>>> x.round(6), info
(array([1., 2.]), 0)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray.scipy.sparse._matmul import matrix_power
from gpuarray.scipy.sparse.linalg._bicgstab import bicgstab
from gpuarray.scipy.sparse.linalg._conjugate_gradients import cg, cgs
from gpuarray.scipy.sparse.linalg._eigenvalues import ArpackError, ArpackNoConvergence, eigsh
from gpuarray.scipy.sparse.linalg._equations import (
    MatrixRankWarning,
    inv,
    spsolve,
)
from gpuarray.scipy.sparse.linalg._exponential import expm, expm_multiply
from gpuarray.scipy.sparse.linalg._factors import SuperLU, factorized, splu
from gpuarray.scipy.sparse.linalg._gmres import gmres
from gpuarray.scipy.sparse.linalg._incomplete_factors import spilu
from gpuarray.scipy.sparse.linalg._lobpcg import lobpcg
from gpuarray.scipy.sparse.linalg._lsmr import lsmr
from gpuarray.scipy.sparse.linalg._lsqr import lsqr
from gpuarray.scipy.sparse.linalg._matrix_operators import aslinearoperator
from gpuarray.scipy.sparse.linalg._minres import minres
from gpuarray.scipy.sparse.linalg._norms import norm, onenormest
from gpuarray.scipy.sparse.linalg._operators import LinearOperator
from gpuarray.scipy.sparse.linalg._singular_values import svds
from gpuarray.scipy.sparse.linalg._structure import is_sptriangular, spbandwidth
from gpuarray.scipy.sparse.linalg._triangles import spsolve_triangular

# A line for each file.
__all__ = [
    "bicgstab",
    "cg", "cgs",
    "ArpackError", "ArpackNoConvergence", "eigsh",
    "MatrixRankWarning", "inv", "spsolve",
    "SuperLU", "factorized", "splu",
    "expm", "expm_multiply",
    "gmres",
    "spilu",
    "lobpcg",
    "lsmr",
    "lsqr",
    "matrix_power",
    "minres",
    "norm", "onenormest",
    "LinearOperator", "aslinearoperator",
    "svds",
    "is_sptriangular", "spbandwidth",
    "spsolve_triangular",
]  # fmt: skip

without_annotations(globals())

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)
