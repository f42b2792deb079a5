"""Linear algebra beyond NumPy's: SciPy's ``scipy.linalg``, on the device.

A file for each section of SciPy's reference: basics, eigenvalues, decompositions, matrix functions,
Sylvester's equations, special matrices.

Examples
--------
>>> import gpuarray as cp
>>> cp.scipy.linalg.toeplitz([1, 2, 3])
array([[1, 2, 3],
       [2, 1, 2],
       [3, 2, 1]])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.linalg import LinAlgError

from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray.scipy.linalg._basics import det, inv, solve, solve_triangular
from gpuarray.scipy.linalg._binomial_matrices import invpascal, pascal
from gpuarray.scipy.linalg._cholesky import cho_factor, cho_solve, cholesky
from gpuarray.scipy.linalg._companion_matrices import companion, fiedler, fiedler_companion, leslie
from gpuarray.scipy.linalg._eigenvalues import eig, eigh, eigvals, eigvalsh
from gpuarray.scipy.linalg._exponential import expm
from gpuarray.scipy.linalg._exponential_derivative import expm_cond, expm_frechet
from gpuarray.scipy.linalg._fixed_matrices import (
    dft,
    hadamard,
    helmert,
    hilbert,
    invhilbert,
)
from gpuarray.scipy.linalg._least_squares import lstsq, pinv, pinvh
from gpuarray.scipy.linalg._lu import lu, lu_factor, lu_solve
from gpuarray.scipy.linalg._matrix_functions import (
    coshm,
    cosm,
    sinhm,
    sinm,
    tanhm,
    tanm,
)
from gpuarray.scipy.linalg._matrix_roots import fractional_matrix_power, logm, signm, sqrtm
from gpuarray.scipy.linalg._norms import norm
from gpuarray.scipy.linalg._products import khatri_rao
from gpuarray.scipy.linalg._qr import qr, qr_multiply, rq
from gpuarray.scipy.linalg._special_matrices import (
    block_diag,
    circulant,
    convolution_matrix,
    hankel,
    toeplitz,
)
from gpuarray.scipy.linalg._structure import bandwidth, ishermitian, issymmetric
from gpuarray.scipy.linalg._svd import (
    diagsvd,
    null_space,
    orth,
    orthogonal_procrustes,
    polar,
    subspace_angles,
    svd,
    svdvals,
)
from gpuarray.scipy.linalg._sylvester import (
    solve_continuous_lyapunov,
    solve_discrete_lyapunov,
    solve_lyapunov,
    solve_sylvester,
)
from gpuarray.scipy.linalg._warnings import LinAlgWarning

# A line for each file.
__all__ = [
    "LinAlgError", "LinAlgWarning",
    "expm",
    "expm_cond", "expm_frechet",
    "coshm", "cosm", "sinhm", "sinm", "tanhm", "tanm",
    "det", "inv", "solve", "solve_triangular",
    "eig", "eigh", "eigvals", "eigvalsh",
    "cho_factor", "cho_solve", "cholesky",
    "lu", "lu_factor", "lu_solve",
    "fractional_matrix_power", "logm", "signm", "sqrtm",
    "norm",
    "khatri_rao",
    "lstsq", "pinv", "pinvh",
    "qr", "qr_multiply", "rq",
    "diagsvd", "null_space", "orth", "orthogonal_procrustes", "polar", "subspace_angles", "svd",
    "svdvals",
    "bandwidth", "ishermitian", "issymmetric",
    "solve_continuous_lyapunov", "solve_discrete_lyapunov", "solve_lyapunov", "solve_sylvester",
    "dft", "hadamard", "helmert", "hilbert", "invhilbert",
    "invpascal", "pascal",
    "block_diag", "circulant", "convolution_matrix", "hankel", "toeplitz",
    "companion", "fiedler", "fiedler_companion", "leslie",
]  # fmt: skip

without_annotations(globals())

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)
