"""Polynomials by roots, roots of polynomials and fits (of NumPy's older page on polynomials)."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._libraries.blas import gemm
from gpuarray._ops import series, series_fits
from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import zeros
from gpuarray._ops.eigenvalues import general
from gpuarray._ops.joining import concatenate
from gpuarray._ops.least_squares import adjoint
from gpuarray._ops.logic import equal
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import conj, divide, multiply, sqrt
from gpuarray._ops.series_values import basis_values
from gpuarray._ops.sorting import sort
from gpuarray._ops.truth import all
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["poly", "polyfit", "roots"]


def poly(seq_of_zeros: ArrayLike) -> ndarray:
    """The coefficients of the polynomial with given roots.

    Parameters
    ----------
    seq_of_zeros : array_like
        Roots, or a square matrix, whose eigenvalues they are.

    Returns
    -------
    ndarray, 1-D
        Coefficients from the highest power to the lowest; the first is 1. They are real where
        the roots are real or pairs of conjugates, for which the call waits for the device if the
        roots are complex.

    Raises
    ------
    ValueError
        If the zeros have not one dimension, and are no square matrix.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.poly([2.0, 3.0])
    array([ 1., -5.,  6.])
    """
    zeros_ = as_array(seq_of_zeros, "poly")
    zeros_ = zeros_ if zeros_._layout.ndim else zeros_.reshape(1)
    shape, dtype = zeros_._layout.shape, zeros_._layout.dtype
    if len(shape) == 2 and shape[0] == shape[1] and shape[0]:
        zeros_ = general(zeros_, False, True)
    elif len(shape) != 1:
        raise ValueError(f"poly: zeros of shape {shape}; give one dimension, or a square matrix")
    elif dtype.char not in "fdFD":
        zeros_ = copies.copy(zeros_, "C", np.dtype(np.float64))
    if not zeros_._layout.size:
        return asarray(1.0)
    found = series.from_roots("power", zeros_, "poly", ordered=False)[::-1]
    if found._layout.dtype.kind == "c":
        if bool(all(equal(sort(zeros_), sort(conj(zeros_))))):
            return copies.copy(found.real, "C")
    return copies.copy(found, "C")


def _float(dtype: np.dtype) -> np.dtype:
    return dtype if dtype.char in "fdFD" else np.dtype(np.float64)


def roots(p: ArrayLike) -> ndarray:
    """The roots of a polynomial.

    Parameters
    ----------
    p : array_like, 1-D, or poly1d
        Coefficients from the highest power to the lowest.

    Returns
    -------
    ndarray, 1-D
        In no particular order; complex unless all are real.

    Raises
    ------
    LinAlgError
        If a coefficient is infinite or NaN.

    Notes
    -----
    The eigenvalues of the companion matrix, by cuSOLVER, which has them from CUDA 12.6.2 on. The
    call waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.sort(cp.roots([1.0, -5.0, 6.0])).round(8)
    array([2., 3.])
    """
    c = as_array(getattr(p, "coeffs", p), "roots")
    c = c if c._layout.ndim else c.reshape(1)
    if c._layout.ndim != 1:
        raise ValueError(
            f"roots: coefficients of shape {c._layout.shape}; give them in one dimension"
        )
    size, dtype = c._layout.size, c._layout.dtype
    none = asarray(np.array([], dtype if dtype.kind in "fc" else np.float64))
    if not size:
        return asarray(np.array([]))
    # The number of coefficients up to the last that is not zero, from either end.
    upto, since = series.lengths(c, c[::-1])
    first = size - since
    if first >= upto:
        # One coefficient is left, or all are zero: then there is none.
        first = upto - 1
    c = copies.copy(c[first:upto], "C", _float(dtype) if dtype.kind not in "fc" else dtype)
    if c._layout.size > 1:
        matrix = series_fits.companion_matrix("power", copies.copy(c[::-1], "C"))
        found = general(matrix, False, True)
    else:
        if series.is_zero(c):
            return asarray(np.array([]))
        found = none
    if upto == size:
        return found
    return concatenate([found, zeros(size - upto, found._layout.dtype)])


def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: int,
    rcond: float | None = None,
    full: bool = False,
    w: ArrayLike | None = None,
    cov: bool | str = False,
) -> Any:
    """The polynomial that fits points best, by least squares.

    Parameters
    ----------
    x : array_like, 1-D
        The points.
    y : array_like
        The values at the points; columns of two dimensions are fitted one by one.
    deg : int
        The degree.
    rcond : float, optional
        Singular values that are smaller in relation to the greatest are taken for zero; by default
        the number of points times the precision.
    full : bool, optional
        Return how well it fits, too.
    w : array_like, 1-D, optional
        What the residual of each point is multiplied by.
    cov : bool or 'unscaled', optional
        Return the covariance matrix of the coefficients, too: scaled by the residuals, or not.

    Returns
    -------
    p : ndarray
        Coefficients from the highest power to the lowest.
    residuals, rank, singular_values, rcond
        Only with ``full``.
    V : ndarray
        Only with ``cov``.

    Warns
    -----
    RankWarning
        If the rank is too low, unless ``full`` is true.

    Raises
    ------
    LinAlgError
        If the fit does not converge, as with NaN, or if the covariance matrix is asked for and the
        rank is too low.

    Notes
    -----
    A QR factorisation of the points' matrix and the singular values of R, by cuSOLVER. The call
    waits for the device.

    Differences from NumPy
    ----------------------
    The covariance matrix for complex points is that of the conjugate products.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.arange(5.0)
    >>> cp.polyfit(x, x**2 + 1, 2).round(8) + 0.0
    array([1., 0., 1.])
    """
    order = int(deg) + 1
    points, values = series_fits.floats(x, "polyfit"), series_fits.floats(y, "polyfit")
    series_fits.check_fit(points, values, int(deg), "polyfit")
    size = points._layout.size
    if rcond is None:
        rcond = size * float(np.finfo(points._layout.dtype).eps)
    rows = basis_values("power", points, order - 1, "polyfit").T
    weights = None
    if w is not None:
        weights = series_fits.floats(w, "polyfit")
        if weights._layout.ndim != 1:
            raise TypeError(f"polyfit: w of shape {weights._layout.shape}; give it one dimension")
        if weights._layout.size != values._layout.shape[0]:
            raise TypeError(
                f"polyfit: {weights._layout.size} weights for {size} values; give one each"
            )
        rows = multiply(rows, weights)
    norms = sqrt(series_fits.sum_of_squares(rows))
    found = series_fits.solve(rows, values, weights, norms, rcond, "polyfit")
    c = copies.copy(found.solution[::-1], "C")
    if values._layout.ndim == 1:
        c = c.reshape(-1)
    if found.rank != order and not full:
        warnings.warn(
            f"polyfit: the fit is poorly conditioned, of rank {found.rank}; a lower degree may do",
            np.exceptions.RankWarning,
            stacklevel=2,
        )
    if full:
        return c, found.residuals, found.rank, found.singular_values, rcond
    if not cov:
        return c
    if size < order or not found.singular_values[-1]:
        raise np.linalg.LinAlgError("polyfit: Singular matrix")
    inverse = _covariance(found.vectors, found.singular_values, norms)
    if isinstance(cov, str) and cov == "unscaled":
        return c, inverse if values._layout.ndim == 1 else inverse[:, :, None]
    if size <= order:
        raise ValueError(
            f"polyfit: {size} points scale no covariance of {order} coefficients; give more, "
            "or cov='unscaled'"
        )
    factor = divide(found.residuals, size - order)
    if values._layout.ndim == 1:
        return c, multiply(inverse, factor)
    return c, multiply(inverse[:, :, None], factor)


def _covariance(vectors: Any, values: Any, norms: Any) -> Any:
    """The inverse of the matrix of the sums of products of powers, from the highest."""
    scaled = divide(adjoint(vectors), values)
    both = gemm(scaled, copies.copy(conj(scaled).T, "C"))
    both = divide(both, multiply(norms[:, None], norms))
    return copies.copy(both[::-1, ::-1], "C")
