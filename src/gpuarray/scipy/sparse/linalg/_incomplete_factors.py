"""Incomplete LU factors of sparse matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ops.creation import full, ones, zeros
from gpuarray._ops.differences import diff
from gpuarray._ops.logic import isnan
from gpuarray._ops.math import absolute
from gpuarray._ops.ranges import arange
from gpuarray._ops.searching import searchsorted
from gpuarray.kernels.sparse_factor import launch
from gpuarray.scipy.sparse._arguments import real
from gpuarray.scipy.sparse._csr import csr_array
from gpuarray.scipy.sparse._diagonals import eye_array
from gpuarray.scipy.sparse.linalg._dense_factors import Parts
from gpuarray.scipy.sparse.linalg._factor_options import check_options
from gpuarray.scipy.sparse.linalg._factors import SuperLU, splu, square_csc
from gpuarray.scipy.sparse.linalg._systems import least_floating
from gpuarray.scipy.sparse.linalg._triangles import canonical_rows, solve_rows

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = ["spilu"]

#: SciPy's defaults.
_DROP_TOL, _FILL_FACTOR = 1e-4, 10.0

#: The greatest power of a matrix whose places are kept, and the products of two elements, by the
#: elements that there may be, up to which the next power is looked at.
_MOST_POWER, _MOST_PRODUCTS = 8, 32


class IncompleteFactors:
    """Sparse factors without exchanges of rows: L has ones on its diagonal, which are not stored.

    Parameters
    ----------
    lower, upper : sparse array
        The factors, in csr.
    """

    singular = False

    def __init__(self, lower: Any, upper: Any) -> None:
        self._lower, self._upper = lower, upper
        self._turned: tuple[Any, Any] | None = None
        self.shape: tuple[int, int] = upper.shape
        self.dtype: np.dtype = upper.dtype

    def solve(self, right: Any, trans: str = "N") -> ndarray:
        """The solutions for right-hand sides of the factors' dtype, by two triangles."""
        if trans == "N":
            return solve_rows(self._upper, solve_rows(self._lower, right, unit=True), upper=True)
        if trans == "H" and self.dtype.kind == "c":
            return self.solve(right.conj(), "T").conj()
        turned = self._turned
        if turned is None:
            turned = self._turned = (self._upper.T.tocsr(), self._lower.T.tocsr())
        first, second = turned
        return solve_rows(second, solve_rows(first, right), upper=True, unit=True)

    def parts(self) -> Parts:
        """The factors in csc, and where rows and columns go: they stay."""
        places = arange(self.shape[0], dtype=np.int32)
        ones = eye_array(self.shape[0], dtype=self.dtype, format="csr")
        return (self._lower + ones).tocsc(), self._upper.tocsc(), places, places


def spilu(
    A: Any,
    drop_tol: float | None = None,
    fill_factor: float | None = None,
    drop_rule: str | None = None,
    permc_spec: str | None = None,
    diag_pivot_thresh: float | None = None,
    relax: int | None = None,
    panel_size: int | None = None,
    options: dict[str, Any] | None = None,
) -> SuperLU:
    """Incomplete LU factors of a sparse matrix, for a preconditioner.

    Parameters
    ----------
    A : sparse array or matrix, shape (N, N)
        In the format csc; others are converted, with a warning.
    drop_tol : float, optional
        Elements of U that are less than this times the greatest element of their row of `A`, and
        elements of L that are less than this, are dropped when the factors are there; 1e-4 by
        default.
    fill_factor : float, optional
        The factors have no more elements than this times those of `A`; 10 by default, at least 1.
    drop_rule, permc_spec, diag_pivot_thresh, relax, panel_size, options : optional
        Checked as by SciPy, and not used: they are about SuperLU's algorithm.

    Returns
    -------
    SuperLU
        The factors, which solve equations.

    Raises
    ------
    RuntimeError
        If the matrix is singular, or has NaN.
    ValueError
        If it is not square, or an argument is out of range.
    TypeError
        If an argument has no such type, or SuperLU no such option.

    Notes
    -----
    Factors have elements where ``(abs(A) + I)**k`` has some, with the greatest k for which
    `fill_factor` allows it (at most 8); what elimination makes in other places is dropped. With
    ``fill_factor=1`` these are the places of `A` and the diagonal: the factors are ILU(0) [1]_.
    They are made in one launch, in which a row waits for those that it needs; a solution is a
    launch for each factor. Results are the same each time.

    The device is waited for: for the number of elements of each power, and for whether all went
    well.

    Differences from SciPy
    ----------------------
    SuperLU chooses the elements while it eliminates, and exchanges rows and columns; here the
    places are chosen before, small elements are dropped afterwards, and nothing is exchanged
    (`perm_r` and `perm_c` count up). Where a pivot is zero or missing, which SuperLU would avoid by
    an exchange, the factors are the complete ones of `splu`. `drop_rule` and what it has in common
    with `splu` is checked, but nothing depends on it. A `fill_factor` below 1 and a negative
    `drop_tol` are refused.

    References
    ----------
    .. [1] Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd edition, SIAM 2003, section
       10.3.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy.sparse import csc_array
    >>> factors = cp.scipy.sparse.linalg.spilu(csc_array(cp.array([[4.0, 1.0], [1.0, 3.0]])))
    >>> factors.solve(cp.array([6.0, 7.0]))
    array([1., 2.])
    """
    A = square_csc(A, "spilu")
    check_options(
        "spilu",
        options,
        ILU_DropRule=drop_rule,
        ColPerm=permc_spec,
        DiagPivotThresh=diag_pivot_thresh,
        Relax=relax,
        PanelSize=panel_size,
    )
    tolerance = _DROP_TOL if drop_tol is None else real("spilu", "drop_tol", drop_tol)
    if not tolerance >= 0:
        raise ValueError(f"spilu: drop_tol is at least 0, not {drop_tol!r}")
    factor = _FILL_FACTOR if fill_factor is None else real("spilu", "fill_factor", fill_factor)
    if not factor >= 1:
        raise ValueError(f"spilu: fill_factor is at least 1, not {fill_factor!r}")
    rows = canonical_rows(A, least_floating(A.dtype))
    if rows.shape[0] == 0:
        return SuperLU._of(IncompleteFactors(rows, rows))
    filled = _filled(rows, factor)
    failed = full(1, rows.shape[0], np.int64)
    launch.factorize(filled.indptr, filled.indices, filled.data, failed)
    if bool(isnan(rows.data).any()):
        raise RuntimeError("spilu: the matrix has NaN, which makes it singular; remove it")
    if int(failed[0]) < rows.shape[0]:
        return splu(A)
    greatest = abs(rows).max(axis=1).toarray().reshape(-1)
    return SuperLU._of(_kept(filled, tolerance, greatest))


def _pattern(rows: Any, factor: float) -> Any:
    """Where the factors may have elements, as a matrix of positive numbers in csr."""
    data = ones(len(rows.indices), np.float32)
    first: Any = csr_array((data, rows.indices, rows.indptr), shape=rows.shape)
    pattern: Any = first + eye_array(rows.shape[0], dtype=np.float32, format="csr")
    first = pattern
    if factor <= 1:
        return first
    most, lengths = factor * first.nnz, diff(first.indptr).astype(np.float64)
    for _ in range(_MOST_POWER - 1):
        # A row of the product has a term for each element of the rows that are added.
        taken = lengths[pattern.indices.astype(np.int64)].sum()
        if float(taken) > _MOST_PRODUCTS * most:
            break
        found = pattern @ first
        if found.nnz > most or found.nnz == pattern.nnz:
            break
        found.data.fill(1)  # powers grow
        pattern = found
    return pattern


def _filled(rows: Any, factor: float) -> Any:
    """A new matrix in csr with the elements of another one, and zeros in other places."""
    pattern = _pattern(rows, factor)
    data = zeros(pattern.nnz, rows.dtype)
    keys, wanted = (
        x.row.astype(np.int64) * rows.shape[1] + x.col for x in (pattern.tocoo(), rows.tocoo())
    )
    data[searchsorted(keys, wanted)] = rows.data
    return csr_array((data, pattern.indices, pattern.indptr), shape=rows.shape)


def _kept(filled: Any, tolerance: float, greatest: ndarray) -> IncompleteFactors:
    """The two factors, without small elements."""
    found = filled.tocoo()
    row, column, data = found.row, found.col, found.data
    size = absolute(data)
    factors = []
    for keep in (
        (row > column) & (size >= tolerance),
        (row == column) | ((row < column) & (size >= tolerance * greatest[row])),
    ):
        entries = (data[keep], (row[keep], column[keep]))
        factors.append(csr_array(entries, shape=filled.shape))
    return IncompleteFactors(*factors)
