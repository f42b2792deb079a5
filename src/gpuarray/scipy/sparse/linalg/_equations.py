"""Linear equations of sparse matrices, solved directly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import numpy as np

from gpuarray._ops.creation import full
from gpuarray.scipy.sparse._arguments import operand
from gpuarray.scipy.sparse._base import issparse
from gpuarray.scipy.sparse._csc import csc_array
from gpuarray.scipy.sparse._warnings import SparseEfficiencyWarning, warn
from gpuarray.scipy.sparse.linalg._direct_factors import factorize
from gpuarray.scipy.sparse.linalg._factor_options import check_options
from gpuarray.scipy.sparse.linalg._operators import refuse_host_matrix
from gpuarray.scipy.sparse.linalg._systems import least_floating

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray
    from gpuarray.scipy.sparse._base import SparseBase, sparray
    from gpuarray.scipy.sparse._matrix import spmatrix

__all__ = ["MatrixRankWarning", "inv", "spsolve"]


class MatrixRankWarning(UserWarning):
    """A matrix is singular, and the solution is NaN."""


@overload
def spsolve(
    A: Any, b: SparseBase, permc_spec: str | None = None, use_umfpack: bool = True
) -> ndarray | sparray | spmatrix: ...


@overload
def spsolve(
    A: Any, b: ArrayLike, permc_spec: str | None = None, use_umfpack: bool = True
) -> ndarray: ...


def spsolve(A: Any, b: Any, permc_spec: str | None = None, use_umfpack: bool = True) -> Any:
    """Solve linear equations of a sparse matrix.

    Parameters
    ----------
    A : sparse array or matrix, shape (N, N)
        In the format csc or csr; others are converted, with a warning.
    b : array_like or sparse array, shape (N,) or (N, K)
        The right-hand sides.
    permc_spec, use_umfpack : optional
        Not used: they are about other libraries. `permc_spec` is checked as by `splu`.

    Returns
    -------
    ndarray or sparse array
        The solutions, of one dimension if `b` is one column; sparse if `b` has several and is
        sparse. NaN if the matrix is singular, or has NaN.

    Raises
    ------
    ValueError
        If the shapes do not fit together, `b` has no numbers, or there is no such `permc_spec`.
    RuntimeError
        If the matrix is singular and `b` sparse, with several columns.
    OutOfMemoryError
        If there is no room for the factors.

    Warns
    -----
    MatrixRankWarning
        If the matrix is singular.

    Notes
    -----
    `splu` says how the matrix is factorised. The device is waited for.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy.sparse import csr_array
    >>> a = csr_array(cp.array([[4.0, 1.0], [1.0, 3.0]]))
    >>> cp.scipy.sparse.linalg.spsolve(a, cp.array([6.0, 7.0]))
    array([1., 2.])
    """
    refuse_host_matrix(A, "spsolve")
    if not (issparse(A) and A.format in ("csc", "csr")):
        A = A.tocsc() if issparse(A) else csc_array(A)
        warn("spsolve requires A be CSC or CSR matrix format", SparseEfficiencyWarning)
    sparse = issparse(b)
    if not sparse:
        b = operand(b, "spsolve", "b")
    rows, columns = A.shape
    if rows != columns:
        raise ValueError(f"spsolve: matrix must be square (has shape {A.shape})")
    if b.ndim not in (1, 2) or b.shape[0] != rows:
        raise ValueError(f"spsolve: matrix - rhs dimension mismatch ({A.shape} - {b.shape})")
    check_options("spsolve", ColPerm=permc_spec)
    single = b.ndim == 1 or b.shape[1] == 1
    dtype = np.promote_types(least_floating(A.dtype), b.dtype)
    factors = factorize(A, "spsolve", dtype)
    right = (b.toarray() if sparse else b).astype(dtype, copy=False)
    if sparse and not single:
        if factors.singular:
            raise RuntimeError("spsolve: Factor is exactly singular")
        if b.format != "csc":
            warn(
                "spsolve is more efficient when sparse b is in the CSC matrix format",
                SparseEfficiencyWarning,
            )
        return type(A)(factors.solve(right))
    if single:
        right = right.reshape(rows)
    if factors.singular:
        warn("Matrix is exactly singular", MatrixRankWarning)
        return full(right.shape, np.nan, dtype)
    return factors.solve(right)


def inv(A: Any) -> sparray | spmatrix:
    """The inverse of a sparse matrix.

    Parameters
    ----------
    A : sparse array or matrix, shape (N, N)
        The matrix.

    Returns
    -------
    sparse array or matrix
        The inverse, an array or a matrix as `A` is: in csr if `A` is, else in csc. It seldom has
        many zeros.

    Raises
    ------
    TypeError
        If `A` is not sparse.
    RuntimeError
        If it is singular, or has NaN.

    Notes
    -----
    The matrix is factorised as by `splu`, and solved for the columns of a dense unit matrix.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy.sparse import csc_array
    >>> cp.scipy.sparse.linalg.inv(csc_array(cp.array([[2.0, 0.0], [0.0, 4.0]]))).toarray()
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    from gpuarray._ops.creation import eye

    if not issparse(A):
        raise TypeError(f"inv: Input must be a sparse matrix, not {type(A).__name__}")
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"inv: matrix must be square (has shape {A.shape})")
    factors = factorize(A, "inv")
    if factors.singular:
        raise RuntimeError("inv: Factor is exactly singular")
    made = A._class_of("csr" if A.format == "csr" else "csc")
    return made(factors.solve(eye(A.shape[0], dtype=factors.dtype)))  # type: ignore[no-any-return]
