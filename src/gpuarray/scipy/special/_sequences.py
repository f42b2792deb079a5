"""Fourier coefficients of Mathieu functions, and sequences of parabolic cylinder functions."""

from __future__ import annotations

import math
import warnings
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import gpuarray as cp
from gpuarray._namespace.shared_texts import sharing, texts_of
from gpuarray._ufunc import ufunc
from gpuarray.kernels.special import sequences
from gpuarray.scipy.special._parabolic import pbdv, pbvv

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = ["mathieu_even_coef", "mathieu_odd_coef", "pbdn_seq", "pbdv_seq", "pbvv_seq"]


@cache
def internal_ufunc(name: str) -> ufunc[Any]:
    """The ufunc of a row of sequences, which is no public one; made at its first use."""
    return ufunc(next(row for row in sequences.ROWS if row.name == name))


def _scalars(name: str, *arguments: Any) -> None:
    if any(np.ndim(x) for x in arguments):
        raise ValueError(f"{name}: arguments must be scalars")


# ---- Mathieu functions ---------------------------------------------------------------------------


def mathieu_even_coef(m: int, q: float) -> ndarray:
    """Fourier coefficients of the even Mathieu functions.

    Parameters
    ----------
    m : int
        The order.
    q : float
        The parameter, not negative.

    Returns
    -------
    ndarray
        The factors of ``cos(2 k z)`` for even `m`, of ``cos((2 k + 1) z)`` for odd ones.

    Raises
    ------
    ValueError
        If an argument is no scalar, `m` no integer, or one of them negative.

    See Also
    --------
    mathieu_cem : the functions

    Differences from SciPy
    ----------------------
    Of orders from 380 on they are NaN.

    Notes
    -----
    One launch. The number of coefficients is that of S. Zhang and J. Jin, "Computation of Special
    Functions" (1996), chapter 14; they are an eigenvector, DLMF 28.4(iii).

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.mathieu_even_coef(2, 5.0)[:4]
    array([ 0.43873717,  0.65364026, -0.42657894,  0.07588567])
    """
    return _coefficients("mathieu_even_coef", m, q, 0)


@sharing(texts_of(mathieu_even_coef))
def mathieu_odd_coef(m: int, q: float) -> ndarray:
    """Fourier coefficients of the odd Mathieu functions.

    Parameters
    ----------
    m : int
        The order, not 0.
    {q}

    Returns
    -------
    ndarray
        The factors of ``sin((2 k + 2) z)`` for even `m`, of ``sin((2 k + 1) z)`` for odd ones.

    Raises
    ------
    ValueError
        If an argument is no scalar, `m` no positive integer, or `q` negative.

    See Also
    --------
    mathieu_sem : the functions

    Differences from SciPy
    ----------------------
    Of orders from 380 on they are NaN.

    Notes
    -----
    As of `mathieu_even_coef`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.mathieu_odd_coef(3, 5.0)[:4]
    array([ 0.33737224,  0.8931139 , -0.29515873,  0.03744318])
    """
    return _coefficients("mathieu_odd_coef", m, q, 1)


def _coefficients(name: str, m: int, q: float, least: int) -> ndarray:
    """Those of even functions with 0 as the least order, of odd ones with 1."""
    _scalars(name, m, q)
    if m != math.floor(m) or m < least:
        raise ValueError(f"{name}: m must be an integer of at least {least}, not {m}")
    if not q >= 0:
        raise ValueError(f"{name}: q must not be negative, and is {q}")
    root = math.sqrt(q)
    if q <= 1:
        count = 7.5 + 56.1 * root - 134.7 * q + 90.7 * root * q
    else:
        count = 17 + 3.1 * root - 0.126 * q + 0.0037 * root * q
    wanted = int(count + 0.5 * m)
    if wanted > 251:
        warnings.warn("Too many predicted coefficients.", RuntimeWarning, stacklevel=3)
    numbers = cp.arange(float(min(wanted, 251)))
    return internal_ufunc("mathieu_coefficient")(float(m), float(q), numbers, float(least))


# ---- parabolic cylinder functions ----------------------------------------------------------------


def pbdv_seq(v: float, x: float) -> tuple[ndarray, ndarray]:
    """Parabolic cylinder functions D of all orders up to `v`, and their derivatives.

    Parameters
    ----------
    v : float
        The greatest order; the others are 1 less each, down to that below 1.
    x : float
        Where the functions are wanted.

    Returns
    -------
    tuple of ndarray
        The functions and their derivatives, two at least, of float64.

    Raises
    ------
    ValueError
        If an argument is no scalar.

    See Also
    --------
    pbdv : of any order, elementwise

    Differences from SciPy
    ----------------------
    The derivative of the second function is right for a negative `v` that is no integer.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.pbdv_seq(2.5, 1.5)[0]
    array([0.72789465, 0.88220603, 0.23146707])
    """
    found: tuple[ndarray, ndarray] = pbdv(_orders("pbdv_seq", v, x), float(x))
    return found


@sharing(texts_of(pbdv_seq))
def pbvv_seq(v: float, x: float) -> tuple[ndarray, ndarray]:
    """Parabolic cylinder functions V of all orders up to `v`, and their derivatives.

    {Parameters}

    {Returns}

    {Raises}

    See Also
    --------
    pbvv : of any order, elementwise

    Differences from SciPy
    ----------------------
    The derivative of the second function is right for a negative `v` that is no integer.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.pbvv_seq(2.5, 1.5)[0]
    array([ 0.65198383, -0.2039677 , -0.38317415])
    """
    found: tuple[ndarray, ndarray] = pbvv(_orders("pbvv_seq", v, x), float(x))
    return found


def _orders(name: str, v: float, x: float) -> ndarray:
    _scalars(name, v, x)
    count = max(int(v), 1)
    greatest = count + float(v) - int(v)
    return cp.arange(count + 1) + (greatest - int(greatest))


def pbdn_seq(n: int, z: complex) -> tuple[ndarray, ndarray]:
    """Parabolic cylinder functions D of all whole orders up to `n`, and their derivatives.

    Parameters
    ----------
    n : int
        The last order: orders are 0, 1, ..., n, or 0, -1, ..., n.
    z : complex
        Where the functions are wanted.

    Returns
    -------
    tuple of ndarray
        The functions and their derivatives, two at least, of complex128.

    Raises
    ------
    ValueError
        If an argument is no scalar, or `n` no integer.

    Differences from SciPy
    ----------------------
    SciPy takes the magnitude of `z` for `z` in the functions of positive orders, and leaves off
    the last of negative ones.

    Notes
    -----
    One launch. Each element climbs by itself (DLMF 12.8.1) from a Gaussian or the complement of an
    error function.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.pbdn_seq(2, 1.5)[0]
    array([0.56978282+0.j, 0.85467424+0.j, 0.71222853+0.j])
    """
    _scalars("pbdn_seq", n, z)
    if n != math.floor(n):
        raise ValueError(f"pbdn_seq: n must be an integer, not {n}")
    count = max(abs(int(n)), 1)
    orders = cp.arange(count + 1) * (-1 if n < 0 else 1)
    found: tuple[ndarray, ndarray] = internal_ufunc("pbdn")(orders, complex(z))
    return found
