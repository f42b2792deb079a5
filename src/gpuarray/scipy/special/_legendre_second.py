"""Legendre functions of the second kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import gpuarray as cp
from gpuarray._ops.stored_values import as_values
from gpuarray.scipy.special._sequences import internal_ufunc

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["lqmn", "lqn"]


def lqn(n: int, z: ArrayLike) -> tuple[ndarray, ndarray]:
    """Legendre functions of the second kind of the degrees 0 to `n`, and their derivatives.

    Parameters
    ----------
    n : int
        The greatest degree.
    z : array_like
        Points, real or complex.

    Returns
    -------
    tuple of ndarray
        The functions and their derivatives, of shape ``(n + 1, ...)``, of float64 or complex128.

    Raises
    ------
    ValueError
        If `n` is no integer or negative.

    See Also
    --------
    lqmn : with orders

    Differences from SciPy
    ----------------------
    At -1 and 1 functions and derivatives are infinity, SciPy's 1e300.

    Notes
    -----
    One launch; each element climbs from degree 0 by itself, or has continued fractions where that
    is unstable (DLMF 14.10.3). Where the magnitude of a point is 1 or less, values are those on the
    cut of the interval from -1 to 1, elsewhere those off it.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.lqn(2, cp.array([0.5, 3.0]))[0]
    array([[ 0.54930614,  0.34657359],
           [-0.72534693,  0.03972077],
           [-0.81866327,  0.00545667]])
    """
    if n != np.floor(n) or n < 0:
        raise ValueError(f"lqn: n must be a non-negative integer, not {n}")
    value, slope = _all("lqn", 0, int(n), z)
    return value[0], slope[0]


def lqmn(m: int, n: int, z: ArrayLike) -> tuple[ndarray, ndarray]:
    """Associated Legendre functions of the second kind, and their derivatives.

    Parameters
    ----------
    m, n : int
        The greatest order and the greatest degree.
    z : array_like
        Points, real or complex.

    Returns
    -------
    tuple of ndarray
        The functions and their derivatives, of shape ``(m + 1, n + 1, ...)``, of float64 or
        complex128.

    Raises
    ------
    ValueError
        If `m` or `n` is no scalar or negative.

    See Also
    --------
    lqn : of order 0

    Differences from SciPy
    ----------------------
    At -1 and 1 functions and derivatives are infinity, SciPy's 1e300.

    Notes
    -----
    One launch. Orders climb by DLMF 14.10.1 and 14.10.6 from the function and its derivative.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.lqmn(1, 2, 0.5)[0]
    array([[ 0.54930614, -0.72534693, -0.81866327],
           [-1.15470054, -1.05306334,  0.72980606]])
    """
    for name, number in (("m", m), ("n", n)):
        if np.ndim(number) or number < 0:
            raise ValueError(f"lqmn: {name} must be a non-negative integer, not {number}")
    return _all("lqmn", int(m), int(n), z)


def _all(name: str, m: int, n: int, z: ArrayLike) -> tuple[ndarray, ndarray]:
    points = as_values(z, name)
    points = points.astype(np.result_type(points.dtype, np.float64), copy=False)
    behind = [1] * points.ndim
    orders, degrees = cp.arange(m + 1), cp.arange(n + 1)
    return internal_ufunc("legendre_q")(
        degrees.reshape(-1, *behind), orders.reshape(-1, 1, *behind), points
    )
