"""Solutions in the sense of least squares, and pseudo-inverses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _layout
from gpuarray._libraries.blas import gemm
from gpuarray._ops.creation import zeros
from gpuarray._ops.least_squares import adjoint, least_squares, sums_of_squares
from gpuarray._ops.logic import greater
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import divide, multiply
from gpuarray._ops.matrix_operands import check_stacked, common_dtype, real_dtype
from gpuarray._ops.selection import where
from gpuarray._ops.singular_values import decompose
from gpuarray._ops.statistics import amax
from gpuarray.kernels.reduction.arguments import NO_VALUE
from gpuarray.linalg._decompositions import svd

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["lstsq", "pinv"]


def lstsq(
    a: ArrayLike, b: ArrayLike, rcond: float | None = None
) -> tuple[ndarray, ndarray, int, ndarray]:
    """Solve equations in the sense of least squares.

    Parameters
    ----------
    a : ndarray, shape (M, N)
        The coefficients.
    b : ndarray, shape (M,) or (M, K)
        The right-hand sides.
    rcond : float, optional
        Singular values up to this times the greatest count as zero; by default the precision of
        the dtype times max(M, N), and for a negative one the precision.

    Returns
    -------
    x : ndarray, shape (N,) or (N, K)
        The solution; of several the one of least norm.
    residuals : ndarray, shape (K,) or (1,) or (0,)
        The squared norms of ``b - a @ x``; empty if `a` has a rank less than N, or M <= N.
    rank : int
        The rank of `a`.
    s : ndarray, shape (min(M, N),)
        The singular values of `a`.

    Raises
    ------
    numpy.linalg.LinAlgError
        For operands of other numbers of dimensions or other lengths, and if `a` has a NaN.
    TypeError
        If the elements are no numbers, or of a precision that is neither single nor double.

    Differences from NumPy
    ----------------------
    float32 and complex64 are computed in their own precision, and `rcond` is by default a multiple
    of that. The residuals are rounded as sums of squares of what is left over.

    Notes
    -----
    It waits for the device, which says what the rank is.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    >>> x, residuals, rank, s = cp.linalg.lstsq(a, cp.array([1.0, 3.0, 5.0]))
    >>> x.round(6), rank
    (array([2., 1.]), 2)
    """
    a, b = as_array(a, "linalg.lstsq"), as_array(b, "linalg.lstsq")
    single = b._layout.ndim == 1
    right = b[None] if single else b.T
    for x in (a, right):
        if x._layout.ndim != 2:
            raise np.linalg.LinAlgError(
                f"{x._layout.ndim}-dimensional array given. Array must be two-dimensional"
            )
    m, n = a._layout.shape
    if m != right._layout.shape[1]:
        raise np.linalg.LinAlgError(
            f"Incompatible dimensions: a has {m} rows and b {right._layout.shape[1]}"
        )
    dtype = common_dtype(a._layout, b._layout)
    eps = float(np.finfo(dtype).eps)
    limit = eps * max(m, n) if rcond is None else float(rcond)
    if not a._layout.size:
        x, residuals, s = _without_coefficients(right, n, dtype)
        rank = 0
    else:
        found = least_squares(a.T, right, eps if limit < 0 else limit, "linalg.lstsq")
        x, residuals, rank, s = found[:4]
    return x[:, 0].copy() if single else x, residuals, rank, s


def _without_coefficients(right: Any, n: int, dtype: np.dtype) -> tuple[Any, Any, Any]:
    """The solution of no equations, or of those without unknowns."""
    sides, m = right._layout.shape
    real = real_dtype(dtype)
    x, s = zeros((n, sides), dtype), zeros(0, real)
    if n or not m:
        return x, zeros(0, real), s
    return x, sums_of_squares(right.astype(dtype)), s


def pinv(
    a: ArrayLike, rcond: Any = None, hermitian: bool = False, *, rtol: Any = NO_VALUE
) -> ndarray:
    """The Moore-Penrose pseudo-inverses of matrices.

    Parameters
    ----------
    a : ndarray, shape (..., M, N)
        The matrices.
    rcond : float or ndarray, optional
        Singular values up to this times the greatest of their matrix count as zero; 1e-15 by
        default. One for all matrices or, an array, one for each.
    hermitian : bool, optional
        Whether the matrices are Hermitian, which is faster.
    rtol : float or ndarray, optional
        The same as `rcond`, but for None, which is the precision of the dtype times max(M, N).

    Returns
    -------
    ndarray, shape (..., N, M)
        The pseudo-inverses.

    Raises
    ------
    numpy.linalg.LinAlgError, TypeError
        As of `svd`.
    ValueError
        If both `rcond` and `rtol` are given.

    Differences from NumPy
    ----------------------
    As those of `svd`.

    Notes
    -----
    It waits for the device, as `svd` does.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.linalg.pinv(cp.array([[2.0, 0.0], [0.0, 0.0]]))
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    a = as_array(a, "linalg.pinv")
    layout = a._layout
    if rcond is not None and rtol is not NO_VALUE:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    check_stacked(layout)
    *batch, m, n = layout.shape
    dtype = common_dtype(layout)
    if not layout.size:
        kept_dtype = dtype if m and n else layout.dtype  # as NumPy's
        return _array.empty(_layout.contiguous(kept_dtype, (*batch, n, m)))
    limit = rcond if rtol is NO_VALUE else rtol
    if limit is None:
        precise = rtol is None
        limit = max(m, n) * float(np.finfo(dtype).eps) if precise else 1e-15
    if hermitian:
        u, s, vh = svd(a, hermitian=True)
    else:
        u, s, vh = decompose(a, True, False, "linalg.pinv")
    if not isinstance(limit, int | float):
        limit = as_array(limit, "linalg.pinv")[..., None]
    kept = greater(s, multiply(amax(s, axis=-1, keepdims=True), limit))
    factors = where(kept, divide(1, s), 0).astype(s._layout.dtype)
    scaled = multiply(vh, factors[..., None])
    if len(batch) > 1:
        count = math.prod(batch)
        scaled, u = [x.reshape(count, *x.shape[-2:]) for x in (scaled, u)]
    return gemm(adjoint(scaled), adjoint(u)).reshape(*batch, n, m)
