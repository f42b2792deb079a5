"""Linear equations of sparse triangular matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.linalg import LinAlgError

from gpuarray._ops.conversion import ascontiguousarray
from gpuarray.kernels.sparse_factor import launch
from gpuarray.scipy.sparse._arguments import operand
from gpuarray.scipy.sparse._base import issparse
from gpuarray.scipy.sparse._csc import csc_array
from gpuarray.scipy.sparse._warnings import SparseEfficiencyWarning, warn
from gpuarray.scipy.sparse.linalg._operators import refuse_host_matrix
from gpuarray.scipy.sparse.linalg._systems import floating

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["canonical_rows", "solve_rows", "spsolve_triangular"]


def canonical_rows(A: Any, dtype: np.dtype | None = None) -> Any:
    """A matrix in csr, of a dtype, whose indices rise and are there once; `A` stays as it is."""
    rows = A.tocsr() if dtype is None else A.tocsr().astype(dtype, copy=False)
    if not rows.has_canonical_format:
        rows = rows.copy() if rows is A or rows.indices is A.indices else rows
        rows.sum_duplicates()
    return rows


def solve_rows(rows: Any, right: Any, upper: bool = False, unit: bool = False) -> ndarray:
    """The solution for a triangle of a matrix in csr, of the dtype of the right-hand sides."""
    found: ndarray = launch.solve_triangle(
        rows.indptr, rows.indices, rows.data, ascontiguousarray(right), upper, unit
    )
    return found


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
    All rows are in one launch, in which each waits for those that it needs, and adds up its
    elements in a fixed order: results are the same each time. It takes as long as the longest chain
    of rows that need one another. The format csr is the fastest one; csc is converted first.

    Differences from SciPy
    ----------------------
    Of a matrix that is not triangular only half is looked at; what SciPy returns depends on the
    other half, too.

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
    right = operand(b, "spsolve_triangular", "b")
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
    # SciPy divides by the diagonal, which makes float64 of bools and integers.
    own = A.dtype if unit_diagonal else floating(A.dtype)
    dtype = np.promote_types(np.promote_types(own, np.float32), right.dtype)
    rows = canonical_rows(A, dtype)
    return solve_rows(rows, right.astype(dtype, copy=False), not lower, bool(unit_diagonal))
