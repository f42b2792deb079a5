"""Bessel functions of all orders up to one, in the forms of Riccati and Jahnke and Emde."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

import gpuarray as cp
from gpuarray._fusion import fuse
from gpuarray.scipy.special._bessel import jv
from gpuarray.scipy.special._gamma_functions import gammaln
from gpuarray.scipy.special._spherical import spherical_jn, spherical_yn

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = ["lmbda", "riccati_jn", "riccati_yn"]


def _scalars(name: str, *arguments: Any) -> None:
    if any(np.ndim(x) for x in arguments):
        raise ValueError(f"{name}: arguments must be scalars")


def _orders(name: str, n: Any) -> ndarray:
    try:
        count = int(n) if n == math.floor(n) else operator.index(n)
    except TypeError:
        raise ValueError(f"{name}: n must be a non-negative integer, not {n!r}") from None
    if count < 0:
        raise ValueError(f"{name}: n must be a non-negative integer, not {count}")
    return cp.arange(count + 1)


def riccati_jn(n: int, x: float) -> tuple[ndarray, ndarray]:
    """Riccati-Bessel functions of the first kind, ``x j_k(x)``, of the orders 0 to `n`.

    Parameters
    ----------
    n : int
        The greatest order.
    x : float
        Where the functions are wanted.

    Returns
    -------
    tuple of ndarray
        The functions and their derivatives, of float64.

    Raises
    ------
    ValueError
        If `n` is no whole number or negative, or an argument is no scalar.

    Notes
    -----
    DLMF 10.51. A launch for the functions and one for the derivatives.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.riccati_jn(2, 2.5)[0]
    array([0.59847214, 1.04053247, 0.65016682])
    """
    _scalars("riccati_jn", n, x)
    k, point = _orders("riccati_jn", n), float(x)
    value = spherical_jn(k, point)
    return value * point, value + point * spherical_jn(k, point, True)


def riccati_yn(n: int, x: float) -> tuple[ndarray, ndarray]:
    """Riccati-Bessel functions of the second kind, ``x y_k(x)``, of the orders 0 to `n`.

    Parameters
    ----------
    n : int
        The greatest order.
    x : float
        Where the functions are wanted.

    Returns
    -------
    tuple of ndarray
        The functions and their derivatives, of float64.

    Raises
    ------
    ValueError
        If `n` is no whole number or negative, or an argument is no scalar.

    Notes
    -----
    DLMF 10.51. A launch for the functions and one for the derivatives.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.riccati_yn(2, 2.5)[0]
    array([ 0.80114362, -0.2780147 , -1.13476125])
    """
    _scalars("riccati_yn", n, x)
    k, point = _orders("riccati_yn", n), float(x)
    value = spherical_yn(k, point)
    return value * point, value + point * spherical_yn(k, point, True)


def lmbda(v: float, x: float) -> tuple[ndarray, ndarray]:
    """Jahnke's and Emde's Lambda functions, ``gamma(v + 1) (2 / x)**v jv(v, x)``.

    Parameters
    ----------
    v : float
        The greatest order; the others are 1 less each, down to that below 1.
    x : float
        Where the functions are wanted.

    Returns
    -------
    tuple of ndarray
        The functions and their derivatives, of float64.

    Raises
    ------
    ValueError
        If `v` is negative, or an argument is no scalar.

    Differences from SciPy
    ----------------------
    At 0 all functions are 1 and their derivatives 0, as the limits are; below 0 derivatives have
    the other sign.

    Notes
    -----
    One launch. The derivative of the function of order ``v`` is ``-x / (2 (v + 1))`` times that of
    order ``v + 1``, DLMF 10.6.6.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.lmbda(2, 1.3)[0]
    array([0.62008599, 0.80311269, 0.86639857])
    """
    _scalars("lmbda", v, x)
    if v < 0:
        raise ValueError(f"lmbda: the order must not be negative, and is {v}")
    orders = cp.arange(int(v) + 2) + (float(v) - int(v))
    if x == 0:
        return cp.ones(int(v) + 1), cp.zeros(int(v) + 1)
    found = _lambda(orders, abs(float(x)))
    return found[:-1], found[1:] * (-float(x) / 2) / orders[1:]


@fuse(kernel_name="gpuarray_lmbda")
def _lambda(v: Any, x: float) -> Any:
    return cp.exp(gammaln(v + 1) - v * cp.log(x / 2)) * jv(v, x)
