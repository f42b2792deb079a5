"""Derivatives of Bessel functions by their argument, of any order."""

from __future__ import annotations

import math
import operator
from functools import cache
from typing import TYPE_CHECKING, Any

from gpuarray._fusion import fuse
from gpuarray._ops.stored_values import as_values
from gpuarray.scipy.special._bessel import hankel1, hankel2, iv, jv, kv, yv

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["h1vp", "h2vp", "ivp", "jvp", "kvp", "yvp"]

#: The function, the sign between its neighbours, and the sign of each derivative.
_FUNCTIONS = {
    "jvp": (jv, -1, 1), "yvp": (yv, -1, 1), "h1vp": (hankel1, -1, 1), "h2vp": (hankel2, -1, 1),
    "ivp": (iv, 1, 1), "kvp": (kv, 1, -1),
}  # fmt: skip


@cache
def _derivative(name: str, n: int) -> Any:
    """DLMF 10.6.7 and 10.29.5: a sum of functions of n + 1 orders, in one kernel."""
    function, between, sign = _FUNCTIONS[name]
    weights = [sign**n * between**k * math.comb(n, k) / 2.0**n for k in range(n + 1)]

    @fuse(kernel_name=f"gpuarray_{name}")
    def total(v: Any, z: Any) -> Any:
        terms = [w * function(v - (n - 2 * k), z) for k, w in enumerate(weights)]
        return sum(terms[1:], terms[0])

    return total


def _bessel_derivative(name: str, v: ArrayLike, z: ArrayLike, n: int) -> ndarray:
    try:
        count = operator.index(n)
    except TypeError:
        raise TypeError(f"{name}: n must be a non-negative integer, not {n!r}") from None
    if count < 0:
        raise ValueError(f"{name}: n must be a non-negative integer, not {count}")
    order, argument = as_values(v, name), as_values(z, name)
    found: ndarray
    if count == 0:
        found = _FUNCTIONS[name][0](order, argument)
    else:
        found = _derivative(name, count)(order, argument)
    return found


def jvp(v: ArrayLike, z: ArrayLike, n: int = 1) -> ndarray:
    """A derivative of the Bessel function of the first kind.

    Parameters
    ----------
    v : array_like
        Orders, real.
    z : array_like
        Where the derivative is wanted, real or complex.
    n : int, optional
        Which derivative; the function itself for 0.

    Returns
    -------
    ndarray
        Of the operands' broadcast shape.

    Raises
    ------
    TypeError, ValueError
        If `n` is no integer; if it is negative.

    Notes
    -----
    One launch. The sum of DLMF 10.6.7.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.jvp(0.0, cp.asarray([1.0, 2.0]))
    array([-0.44005059, -0.57672481])
    """
    return _bessel_derivative("jvp", v, z, n)


def yvp(v: ArrayLike, z: ArrayLike, n: int = 1) -> ndarray:
    """A derivative of the Bessel function of the second kind.

    Parameters
    ----------
    v : array_like
        Orders, real.
    z : array_like
        Where the derivative is wanted, real or complex.
    n : int, optional
        Which derivative; the function itself for 0.

    Returns
    -------
    ndarray
        Of the operands' broadcast shape.

    Raises
    ------
    TypeError, ValueError
        If `n` is no integer; if it is negative.

    Notes
    -----
    One launch. The sum of DLMF 10.6.7.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.yvp(0.0, cp.asarray([1.0, 2.0]))
    array([0.78121282, 0.10703243])
    """
    return _bessel_derivative("yvp", v, z, n)


def ivp(v: ArrayLike, z: ArrayLike, n: int = 1) -> ndarray:
    """A derivative of the modified Bessel function of the first kind.

    Parameters
    ----------
    v : array_like
        Orders, real.
    z : array_like
        Where the derivative is wanted, real or complex.
    n : int, optional
        Which derivative; the function itself for 0.

    Returns
    -------
    ndarray
        Of the operands' broadcast shape.

    Raises
    ------
    TypeError, ValueError
        If `n` is no integer; if it is negative.

    Notes
    -----
    One launch. The sum of DLMF 10.29.5.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.ivp(0.0, cp.asarray([1.0, 2.0]))
    array([0.5651591 , 1.59063685])
    """
    return _bessel_derivative("ivp", v, z, n)


def kvp(v: ArrayLike, z: ArrayLike, n: int = 1) -> ndarray:
    """A derivative of the modified Bessel function of the second kind.

    Parameters
    ----------
    v : array_like
        Orders, real.
    z : array_like
        Where the derivative is wanted, real or complex.
    n : int, optional
        Which derivative; the function itself for 0.

    Returns
    -------
    ndarray
        Of the operands' broadcast shape.

    Raises
    ------
    TypeError, ValueError
        If `n` is no integer; if it is negative.

    Notes
    -----
    One launch. The sum of DLMF 10.29.5.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.kvp(0.0, cp.asarray([1.0, 2.0]))
    array([-0.60190723, -0.13986588])
    """
    return _bessel_derivative("kvp", v, z, n)


def h1vp(v: ArrayLike, z: ArrayLike, n: int = 1) -> ndarray:
    """A derivative of the Hankel function of the first kind.

    Parameters
    ----------
    v : array_like
        Orders, real.
    z : array_like
        Where the derivative is wanted, real or complex.
    n : int, optional
        Which derivative; the function itself for 0.

    Returns
    -------
    ndarray
        Of the operands' broadcast shape.

    Raises
    ------
    TypeError, ValueError
        If `n` is no integer; if it is negative.

    Notes
    -----
    One launch. The sum of DLMF 10.6.7.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.h1vp(0.0, cp.asarray([1.0, 2.0]))
    array([-0.44005059+0.78121282j, -0.57672481+0.10703243j])
    """
    return _bessel_derivative("h1vp", v, z, n)


def h2vp(v: ArrayLike, z: ArrayLike, n: int = 1) -> ndarray:
    """A derivative of the Hankel function of the second kind.

    Parameters
    ----------
    v : array_like
        Orders, real.
    z : array_like
        Where the derivative is wanted, real or complex.
    n : int, optional
        Which derivative; the function itself for 0.

    Returns
    -------
    ndarray
        Of the operands' broadcast shape.

    Raises
    ------
    TypeError, ValueError
        If `n` is no integer; if it is negative.

    Notes
    -----
    One launch. The sum of DLMF 10.6.7.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.h2vp(0.0, cp.asarray([1.0, 2.0]))
    array([-0.44005059-0.78121282j, -0.57672481-0.10703243j])
    """
    return _bessel_derivative("h2vp", v, z, n)
