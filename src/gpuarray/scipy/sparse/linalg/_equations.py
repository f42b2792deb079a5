"""Linear equations of sparse matrices, solved directly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.linalg import LinAlgError

from gpuarray._ops.creation import full
from gpuarray._ops.manipulation import as_array
from gpuarray.scipy.linalg._basics import solve_triangular
from gpuarray.scipy.linalg._lu import lu_solve
from gpuarray.scipy.sparse._base import issparse
from gpuarray.scipy.sparse._csc import csc_array
from gpuarray.scipy.sparse._warnings import SparseEfficiencyWarning, warn
from gpuarray.scipy.sparse.linalg._factors import dense_of, factorize
from gpuarray.scipy.sparse.linalg._operators import refuse_host_matrix
from gpuarray.scipy.sparse.linalg._systems import floating

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["MatrixRankWarning", "inv", "spsolve", "spsolve_triangular"]


#: Rows up to which a triangle is solved as a dense matrix.
_DENSE_TRIANGLE = 8192

#: Sweeps between tests whether the last one has changed anything.
_SWEEPS = 8


class MatrixRankWarning(UserWarning):
    """A matrix is singular, and the solution is NaN."""


def spsolve(A: Any, b: Any, permc_spec: str | None = None, use_umfpack: bool = True) -> Any:
    """Solve linear equations of a sparse matrix.

    Parameters
    ----------
    A : sparse array or matrix, shape (N, N)
        In the format csc or csr; others are converted, with a warning.
    b : array_like or sparse array, shape (N,) or (N, K)
        The right-hand sides.
    permc_spec, use_umfpack : optional
        Ignored: they are about other libraries.

    Returns
    -------
    ndarray or sparse array
        The solutions, of one dimension if `b` is one column; sparse if `b` has several and is
        sparse. NaN if the matrix is singular.

    Raises
    ------
    ValueError
        If the shapes do not fit together.
    RuntimeError
        If the matrix is singular and `b` sparse, with several columns.
    OutOfMemoryError
        If there is no room for N times N elements, twice.

    Warns
    -----
    MatrixRankWarning
        If the matrix is singular.

    Differences from SciPy
    ----------------------
    The matrix is factorised as a dense one; see `splu`.

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
        b = as_array(b, "spsolve")
    rows, columns = A.shape
    if rows != columns:
        raise ValueError(f"spsolve: matrix must be square (has shape {A.shape})")
    if b.ndim not in (1, 2) or b.shape[0] != rows:
        raise ValueError(f"spsolve: matrix - rhs dimension mismatch ({A.shape} - {b.shape})")
    single = b.ndim == 1 or b.shape[1] == 1
    dtype = floating(np.result_type(floating(A.dtype), b.dtype))
    factors, pivots, singular = factorize(A, "spsolve", dtype)
    right = (b.toarray() if sparse else b).astype(dtype, copy=False)
    if sparse and not single:
        if singular:
            raise RuntimeError("spsolve: Factor is exactly singular")
        if b.format != "csc":
            warn(
                "spsolve is more efficient when sparse b is in the CSC matrix format",
                SparseEfficiencyWarning,
            )
        return type(A)(lu_solve((factors, pivots), right))
    if single:
        right = right.reshape(rows)
    if singular:
        warn("Matrix is exactly singular", MatrixRankWarning)
        return full(right.shape, np.nan, dtype)
    return lu_solve((factors, pivots), right)


def inv(A: Any) -> Any:
    """The inverse of a sparse matrix.

    Parameters
    ----------
    A : sparse array or matrix, shape (N, N)
        The matrix.

    Returns
    -------
    sparse array or matrix
        The inverse, of the kind and format of `A`; it seldom has many zeros.

    Raises
    ------
    TypeError
        If `A` is not sparse.
    RuntimeError
        If it is singular.

    Differences from SciPy
    ----------------------
    As for `spsolve`.

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
    factors, pivots, singular = factorize(A, "inv")
    if singular:
        raise RuntimeError("inv: Factor is exactly singular")
    found = lu_solve((factors, pivots), eye(len(factors), dtype=factors.dtype))
    return type(A)(found)


def spsolve_triangular(
    A: Any,
    b: ArrayLike,
    lower: bool = True,
    overwrite_A: bool = False,
    overwrite_b: bool = False,
    unit_diagonal: bool = False,
) -> ndarray:
    """Solve linear equations of a sparse triangular matrix.

    Parameters
    ----------
    A : sparse array or matrix, shape (N, N)
        Lower or upper triangular; what is on the other side of the diagonal is not looked at.
    b : array_like, shape (N,) or (N, K)
        The right-hand sides.
    lower : bool, optional
        Whether `A` is lower triangular.
    overwrite_A, overwrite_b : bool, optional
        Ignored: both stay as they are.
    unit_diagonal : bool, optional
        Take ones for the diagonal.

    Returns
    -------
    ndarray
        The solutions, of the shape of `b`.

    Raises
    ------
    LinAlgError
        If there is a zero on the diagonal.
    ValueError
        If the shapes do not fit together.

    Notes
    -----
    Up to 8192 rows the matrix is solved as a dense one. Larger ones take as many products with `b`
    as the longest chain of rows that need one another has.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy.sparse import csr_array
    >>> a = csr_array(cp.array([[2.0, 0.0], [1.0, 3.0]]))
    >>> cp.scipy.sparse.linalg.spsolve_triangular(a, cp.array([2.0, 7.0]))
    array([1., 2.])
    """
    refuse_host_matrix(A, "spsolve_triangular")
    if not (issparse(A) and A.format in ("csc", "csr")):
        warn(
            "CSC or CSR matrix format is required. Converting to CSC matrix.",
            SparseEfficiencyWarning,
        )
        A = A.tocsc() if issparse(A) else csc_array(A)
    if A.shape[0] != A.shape[1]:
        raise ValueError(
            f"spsolve_triangular: A must be a square matrix but its shape is {A.shape}."
        )
    right = as_array(b, "spsolve_triangular")
    if right.ndim not in (1, 2):
        raise ValueError(
            f"spsolve_triangular: b must have 1 or 2 dims but its shape is {right.shape}."
        )
    if right.shape[0] != A.shape[0]:
        raise ValueError(
            "spsolve_triangular: The size of the dimensions of A must be equal to the size of the "
            f"first dimension of b but the shape of A is {A.shape} and the shape of b is "
            f"{right.shape}."
        )
    if not unit_diagonal and A.shape[0] and bool((A.diagonal() == 0).any()):
        raise LinAlgError("spsolve_triangular: A is singular: zero entry on diagonal.")
    dtype = floating(np.result_type(A.dtype, np.float32, right.dtype))
    right = right.astype(dtype, copy=False)
    if A.shape[0] > _DENSE_TRIANGLE:
        return _by_sweeps(A, right, lower, unit_diagonal)
    dense = dense_of(A, "spsolve_triangular", dtype)
    return solve_triangular(dense, right, lower=lower, unit_diagonal=unit_diagonal)


def _by_sweeps(A: Any, right: Any, lower: bool, unit_diagonal: bool) -> Any:
    """The solution by sweeps over all rows at once, until nothing changes.

    After a sweep those rows are final whose others were. So there are as many sweeps as the longest
    chain of rows has, each of which is a product with a vector; the result is that of the last one.
    """
    entries = A.tocoo()
    there = entries.row > entries.col if lower else entries.row < entries.col
    parts = (entries.data[there], (entries.row[there], entries.col[there]))
    others = A._class_of("csr")(parts, shape=A.shape).astype(right.dtype)
    diagonal: Any = 1
    if not unit_diagonal:
        diagonal = A.diagonal().astype(right.dtype)
        diagonal = diagonal if right.ndim == 1 else diagonal[:, None]
    x = right / diagonal
    for sweep in range(1, A.shape[0] + 1):
        before, x = x, (right - others.dot(x)) / diagonal
        # A read costs as much as a few sweeps.
        if sweep % _SWEEPS == 0 and bool(((x == before) | ((x != x) & (before != before))).all()):
            break
    return x
