"""Zeros of Bessel functions of whole order and of their derivatives."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

import gpuarray as cp
from gpuarray.scipy.special._bessel import jv, yv
from gpuarray.scipy.special._zeros import airy_zeros_near, number_of_zeros, refined, stretched

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = [
    "jn_zeros", "jnjnp_zeros", "jnp_zeros", "jnyn_zeros", "y0_zeros", "y1_zeros", "y1p_zeros",
    "yn_zeros", "ynp_zeros",
]  # fmt: skip


def _order(n: Any, name: str) -> int:
    if np.ndim(n) or n != math.floor(n):
        raise ValueError(f"{name}: the order must be a whole number, not {n!r}")
    return abs(int(n))


def _wave_j(x: Any, n: Any) -> tuple[Any, Any]:
    value = jv(n, x)
    return value, n / x * value - jv(n + 1, x)


def _wave_y(x: Any, n: Any) -> tuple[Any, Any]:
    value = yv(n, x)
    return value, n / x * value - yv(n + 1, x)


def _slope_j(x: Any, n: Any) -> tuple[Any, Any]:
    value = jv(n, x)
    slope = n / x * value - jv(n + 1, x)
    return slope, (n * n / (x * x) - 1) * value - slope / x


def _slope_y(x: Any, n: Any) -> tuple[Any, Any]:
    value = yv(n, x)
    slope = n / x * value - yv(n + 1, x)
    return slope, (n * n / (x * x) - 1) * value - slope / x


#: The function and its slope, and which zeros of Airy functions theirs lie near.
_KINDS = {
    "j": (_wave_j, 1, False), "y": (_wave_y, 3, False),
    "slope of j": (_slope_j, 3, True), "slope of y": (_slope_y, 1, True),
}  # fmt: skip


def _zeros_of(kind: str, n: Any, nt: int) -> ndarray:
    """Zeros of one of the functions, of one order or of a column of orders from 1."""
    if np.ndim(n) == 0 and n == 0:
        if kind.startswith("slope"):
            return _zeros_of(kind[-1], 1, nt)
        turns = np.pi * (np.arange(1, nt + 1) - (0.25 if kind == "j" else 0.75))
        guess = turns + 0.125 / (turns + 0.2)
    else:
        _, shift, of_slope = _KINDS[kind]
        guess = stretched(n, airy_zeros_near(nt, shift, of_slope))
    return refined(_KINDS[kind][0], guess, np.asarray(n, float))


def jn_zeros(n: int, nt: int) -> ndarray:
    """The first positive zeros of the Bessel function of the first kind.

    Parameters
    ----------
    n : int
        The order; its sign counts for nothing.
    nt : int
        How many zeros.

    Returns
    -------
    ndarray
        Of float64 and length `nt`.

    Raises
    ------
    ValueError
        If an argument is no whole number, or `nt` is not positive.

    Notes
    -----
    Starting values by DLMF 10.21(vi) and (viii), made on the host; Newton's method on the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.jn_zeros(1, 3)
    array([ 3.83170597,  7.01558667, 10.17346814])
    """
    order, count = _order(n, "jn_zeros"), number_of_zeros(nt, "jn_zeros")
    return _zeros_of("j", order, count)


def jnp_zeros(n: int, nt: int) -> ndarray:
    """The first positive zeros of the derivative of the Bessel function of the first kind.

    Parameters
    ----------
    n : int
        The order; its sign counts for nothing.
    nt : int
        How many zeros.

    Returns
    -------
    ndarray
        Of float64 and length `nt`.

    Raises
    ------
    ValueError
        If an argument is no whole number, or `nt` is not positive.

    Notes
    -----
    Starting values by DLMF 10.21(vi) and (viii), made on the host; Newton's method on the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.jnp_zeros(1, 3)
    array([1.84118378, 5.33144277, 8.53631637])
    """
    order, count = _order(n, "jnp_zeros"), number_of_zeros(nt, "jnp_zeros")
    return _zeros_of("slope of j", order, count)


def yn_zeros(n: int, nt: int) -> ndarray:
    """The first positive zeros of the Bessel function of the second kind.

    Parameters
    ----------
    n : int
        The order; its sign counts for nothing.
    nt : int
        How many zeros.

    Returns
    -------
    ndarray
        Of float64 and length `nt`.

    Raises
    ------
    ValueError
        If an argument is no whole number, or `nt` is not positive.

    Notes
    -----
    Starting values by DLMF 10.21(vi) and (viii), made on the host; Newton's method on the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.yn_zeros(1, 3)
    array([2.19714133, 5.42968104, 8.59600587])
    """
    order, count = _order(n, "yn_zeros"), number_of_zeros(nt, "yn_zeros")
    return _zeros_of("y", order, count)


def ynp_zeros(n: int, nt: int) -> ndarray:
    """The first positive zeros of the derivative of the Bessel function of the second kind.

    Parameters
    ----------
    n : int
        The order; its sign counts for nothing.
    nt : int
        How many zeros.

    Returns
    -------
    ndarray
        Of float64 and length `nt`.

    Raises
    ------
    ValueError
        If an argument is no whole number, or `nt` is not positive.

    Notes
    -----
    Starting values by DLMF 10.21(vi) and (viii), made on the host; Newton's method on the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.ynp_zeros(1, 3)
    array([ 3.68302286,  6.94149995, 10.12340466])
    """
    order, count = _order(n, "ynp_zeros"), number_of_zeros(nt, "ynp_zeros")
    return _zeros_of("slope of y", order, count)


def jnyn_zeros(n: int, nt: int) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """The first positive zeros of J_n, its derivative, Y_n and its derivative.

    Parameters
    ----------
    n : int
        The order; its sign counts for nothing.
    nt : int
        How many zeros.

    Returns
    -------
    tuple of ndarray
        Four arrays of float64 and length `nt`.

    Raises
    ------
    ValueError
        If an argument is no whole number, or `nt` is not positive.

    Notes
    -----
    Starting values by DLMF 10.21(vi) and (viii), made on the host; Newton's method on the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.jnyn_zeros(1, 3)[2]
    array([2.19714133, 5.42968104, 8.59600587])
    """
    return jn_zeros(n, nt), jnp_zeros(n, nt), yn_zeros(n, nt), ynp_zeros(n, nt)


def jnjnp_zeros(nt: int) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """The first zeros of the Bessel functions of the first kind and of their derivatives.

    Parameters
    ----------
    nt : int
        How many zeros, at most 1200.

    Returns
    -------
    zo : ndarray
        The zeros in ascending order, the first at 0.
    n, m, t : ndarray
        Of int32: the order of the function of each zero, which of its zeros it is, and 1 for
        zeros of the derivative.

    Raises
    ------
    ValueError
        If `nt` is no whole number from 1 to 1200.

    Notes
    -----
    A dozen launches for all orders. The zeros are sorted on the host.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.jnjnp_zeros(4)[0]
    array([0.        , 1.84118378, 2.40482556, 3.05423693])
    """
    count = number_of_zeros(nt, "jnjnp_zeros")
    if count > 1200:
        raise ValueError(f"jnjnp_zeros: nt must be at most 1200, not {count}")
    # There are about z^2 / pi zeros below z: of each order those, and orders up to z.
    limit = math.sqrt(math.pi * count) + 4
    several = math.ceil(limit / math.pi) + 1
    orders = np.arange(1, int(limit) + 1)[:, None]
    found = [(0.0, 0, 0, 1)]
    for slope, kind in enumerate(("j", "slope of j")):
        rows = [_zeros_of(kind, 0, several).tolist(), *_zeros_of(kind, orders, several).tolist()]
        found += [(x, n, k + 1, slope) for n, row in enumerate(rows) for k, x in enumerate(row)]
    # Zeros of J_1 are those of the slope of J_0, too, which come first.
    found.sort(key=lambda zero: (round(zero[0], 9), -zero[1]))
    columns = list(zip(*found[:count], strict=True))
    integers = [cp.asarray(np.array(x, np.int32)) for x in columns[1:]]
    return cp.asarray(np.array(columns[0])), integers[0], integers[1], integers[2]


def y0_zeros(nt: int, complex: bool = False) -> tuple[ndarray, ndarray]:
    """Zeros of the Bessel function of the second kind of order 0.

    Parameters
    ----------
    nt : int
        How many zeros.
    complex : bool, optional
        Those with a real part below zero and a positive imaginary part instead of the real ones.

    Returns
    -------
    tuple of ndarray
        The zeros, and the derivative there, of complex128.

    Raises
    ------
    ValueError
        If `nt` is no whole number, or `nt` is not positive.

    Differences from SciPy
    ----------------------
    The derivatives have the sign of derivatives; SciPy's are those of ``y1``.

    Notes
    -----
    Newton's method on the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.y0_zeros(2)[0]
    array([0.89357697+0.j, 3.95767842+0.j])
    """
    count = number_of_zeros(nt, "y0_zeros")
    if complex:
        zeros = refined(_complex_y0, _left(count, 0.25))
    else:
        zeros = yn_zeros(0, count).astype(np.complex128)
    return zeros, -yv(1, zeros)


def y1_zeros(nt: int, complex: bool = False) -> tuple[ndarray, ndarray]:
    """Zeros of the Bessel function of the second kind of order 1.

    Parameters
    ----------
    nt : int
        How many zeros.
    complex : bool, optional
        Those with a real part below zero and a positive imaginary part instead of the real ones.

    Returns
    -------
    tuple of ndarray
        The zeros, and the derivative there, of complex128.

    Raises
    ------
    ValueError
        If `nt` is no whole number, or `nt` is not positive.

    Notes
    -----
    Newton's method on the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.y1_zeros(2)[0]
    array([2.19714133+0.j, 5.42968104+0.j])
    """
    count = number_of_zeros(nt, "y1_zeros")
    if complex:
        guess = _left(count, -0.25 + 1)
        guess[0] = -0.5 + 0.8j
        zeros = refined(_complex_y1, guess)
    else:
        zeros = yn_zeros(1, count).astype(np.complex128)
    return zeros, yv(0, zeros) - yv(1, zeros) / zeros


def y1p_zeros(nt: int, complex: bool = False) -> tuple[ndarray, ndarray]:
    """Zeros of the derivative of the Bessel function of the second kind of order 1.

    Parameters
    ----------
    nt : int
        How many zeros.
    complex : bool, optional
        Those with a real part below 1 and a positive imaginary part instead of the real ones.

    Returns
    -------
    tuple of ndarray
        The zeros, and the function there, of complex128.

    Raises
    ------
    ValueError
        If `nt` is no whole number, or `nt` is not positive.

    Notes
    -----
    Newton's method on the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.y1p_zeros(2)[0]
    array([3.68302286+0.j, 6.94149995+0.j])
    """
    count = number_of_zeros(nt, "y1p_zeros")
    if complex:
        guess = _left(count, 1.25)
        guess[0] = 0.58 + 0.9j
        zeros = refined(_complex_slope, guess)
    else:
        zeros = ynp_zeros(1, count).astype(np.complex128)
    return zeros, yv(1, zeros)


def _complex_y0(z: Any) -> tuple[Any, Any]:
    return yv(0, z), -yv(1, z)


def _complex_y1(z: Any) -> tuple[Any, Any]:
    return yv(1, z), yv(0, z) - yv(1, z) / z


def _complex_slope(z: Any) -> tuple[Any, Any]:
    slope = yv(0, z) - yv(1, z) / z
    return slope, (1 / (z * z) - 1) * yv(1, z) - slope / z


def _left(count: int, turns: float) -> np.ndarray:
    """Complex zeros lie above the negative axis, in the distance log(3) / 2."""
    found: np.ndarray = -np.pi * (np.arange(1, count + 1) - turns) + 0.5493061443340549j
    return found
