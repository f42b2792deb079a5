"""Zeta functions and the derivatives of digamma that are made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._ops.conversion import asarray
from gpuarray._ops.selection import where
from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS
from gpuarray.scipy.special._gamma_functions import gamma, psi

if TYPE_CHECKING:
    from gpuarray._types import Operand, ndarray

__all__ = ["polygamma", "zeta"]

_riemann_zeta = create(ROWS["_riemann_zeta"])
_hurwitz_zeta = create(ROWS["_zeta"])


def zeta(x: Operand, q: Operand | None = None, out: ndarray | None = None) -> ndarray:
    """Zeta function of Riemann, or of Hurwitz.

    Parameters
    ----------
    x : ndarray or scalar
        Where the sum of ``(k + q) ** -x`` is wanted.
    q : ndarray or scalar, optional
        Where the sum begins, real. Without it Riemann's function, which is continued below 1.
    out : ndarray, optional
        Where results are stored.

    Returns
    -------
    ndarray

    Differences from SciPy
    ----------------------
    Hurwitz's function of complex `x` has values for all ``q > 0``; SciPy's are NaN. It is NaN where
    its sum has more than a million terms: of imaginary parts beyond 1.8e6 and real parts below 4.
    Riemann's has values up to an imaginary part of 1e12, SciPy's up to 1e9.

    Notes
    -----
    By an alternating sum (P. Borwein, 1995), reflection, Euler's and Maclaurin's formula
    (DLMF 25.11.5), and far from the real axis by Riemann's and Siegel's formula, whose integral is
    computed by the trapezoidal rule (W. F. Galway, 2001).

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.zeta(cp.asarray([2.0, 4.0]), 1)
    array([1.64493407, 1.08232323])
    """
    if q is None:
        return _riemann_zeta(x, out=out)
    return _hurwitz_zeta(x, q, out=out)


def polygamma(n: Operand, x: Operand) -> ndarray:
    """Derivatives of the digamma function.

    Parameters
    ----------
    n : ndarray or scalar
        Which derivative, not negative; 0 is digamma itself.
    x : ndarray or scalar
        Arguments, real.

    Returns
    -------
    ndarray

    Notes
    -----
    DLMF 5.15.1: ``(-1)**(n + 1) n! zeta(n + 1, x)``.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.polygamma(1, cp.asarray([1.0, 2.0]))
    array([1.64493407, 0.64493407])
    """
    n, x = asarray(n), asarray(x)
    order = n + 1.0
    sign = where(n % 2 == 0, -1.0, 1.0)
    return where(n == 0, psi(x), sign * gamma(order) * _hurwitz_zeta(order, x))
