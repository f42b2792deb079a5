"""Ellipsoidal harmonics: Lamé's functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.shared_texts import sharing, texts_of
from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

if TYPE_CHECKING:
    from gpuarray._types import Operand, ndarray

__all__ = ["ellip_harm", "ellip_harm_2", "ellip_normal"]

_first = create(ROWS["_ellip_harm"])
_second = create(ROWS["_ellip_harm_2"])
_normal = create(ROWS["_ellip_normal"])


def ellip_harm(
    h2: Operand,
    k2: Operand,
    n: Operand,
    p: Operand,
    s: Operand,
    signm: Operand = 1,
    signn: Operand = 1,
) -> ndarray:
    """Ellipsoidal harmonic functions, which are Lamé's of the first kind.

    Parameters
    ----------
    h2, k2 : ndarray or scalar
        The squares of h and k, ``0 < h2 < k2``.
    n : ndarray or scalar
        Degree, up to 125.
    p : ndarray or scalar
        Order, from 1 to ``2 * n + 1``.
    s : ndarray or scalar
        Coordinate.
    signm, signn : ndarray or scalar, optional
        Signs, 1 or -1, of functions with a factor ``sqrt(abs(s**2 - h2))``, and of those with
        ``sqrt(abs(s**2 - k2))``.

    Returns
    -------
    ndarray
        NaN where a parameter is out of its range.

    Differences from SciPy
    ----------------------
    Errors are below 1e-14 up to a degree of 21, at which SciPy's are 3e-8. Degrees of 126 and more
    are NaN.

    Notes
    -----
    A polynomial whose coefficients are an eigenvector of a tridiagonal matrix (G. Romain and
    B. Jean-Pierre, 2001), times square roots. The greatest power of `s` has the factor 1.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.ellip_harm(5, 8, 2, cp.asarray([1, 2, 3]), 2.5)
    array([-0.41666667,  4.25      ,  2.79508497])
    """
    return _first(h2, k2, n, p, s, signm, signn)


@sharing(texts_of(ellip_harm))
def ellip_harm_2(h2: Operand, k2: Operand, n: Operand, p: Operand, s: Operand) -> ndarray:
    """Ellipsoidal harmonic functions of the second kind.

    Parameters
    ----------
    {h2}
    {n}
    {p}
    s : ndarray or scalar
        Coordinate, ``s**2 >= k2``.

    {Returns}

    Differences from SciPy
    ----------------------
    As of `ellip_harm`; SciPy's integrals have eight digits or more.

    Notes
    -----
    ``(2 * n + 1) * E(s)`` times the integral from `s` on of
    ``1 / (E(x)**2 * sqrt((x**2 - k2) * (x**2 - h2)))``, E being `ellip_harm` (G. Dassios,
    "Ellipsoidal Harmonics", 2012): by the trapezoidal rule after a double exponential change of
    the variable (H. Takahasi and M. Mori, 1974).

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.ellip_harm_2(5, 8, 2, 1, cp.asarray([5.0, 10.0]))
    array([0.01131469, 0.00108057])
    """
    return _second(h2, k2, n, p, s)


@sharing(texts_of(ellip_harm))
def ellip_normal(h2: Operand, k2: Operand, n: Operand, p: Operand) -> ndarray:
    """Constants that normalize ellipsoidal harmonics.

    Parameters
    ----------
    {h2}
    {n}
    {p}

    {Returns}

    Differences from SciPy
    ----------------------
    As of `ellip_harm`.

    Notes
    -----
    Eight times the integral of ``(y**2 - x**2) * (E(x) * E(y))**2`` over the root of
    ``(k2 - y**2) * (y**2 - h2) * (h2 - x**2) * (k2 - x**2)`` for ``0 < x < h < y < k``, E being
    `ellip_harm` (G. Dassios, "Ellipsoidal Harmonics", 2012): as integrals of Jacobi's elliptic
    functions over a period, of which the trapezoidal rule has all digits.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.ellip_normal(5, 8, 3, cp.asarray([6, 7]))
    array([4222.05460546, 1723.38796997])
    """
    return _normal(h2, k2, n, p)
