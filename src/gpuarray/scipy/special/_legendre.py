"""Legendre functions of integer degree and order, and spherical harmonics."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import gpuarray as cp
from gpuarray._ops.stored_values import as_values
from gpuarray._ufunc import ufunc
from gpuarray.kernels.special import legendre

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = [
    "assoc_legendre_p", "assoc_legendre_p_all", "legendre_p", "legendre_p_all", "sph_harm_y",
    "sph_harm_y_all", "sph_legendre_p", "sph_legendre_p_all",
]  # fmt: skip

_ROWS = {row.name: row for row in legendre.ROWS}


@cache
def _function(name: str) -> ufunc[Any]:
    """What computes one derivative."""
    return ufunc(_ROWS[name])


def legendre_p(n: ArrayLike, z: ArrayLike, *, diff_n: int = 0) -> ndarray:
    """The Legendre polynomial of a degree, and its derivatives.

    Parameters
    ----------
    n : array_like of int
        The degree.
    z : array_like
        Real points.
    diff_n : {0, 1, 2}, optional
        How many derivatives.

    Returns
    -------
    ndarray
        Of shape ``(diff_n + 1, ...)``: the polynomial, then its derivatives; 0 of negative degrees.

    Raises
    ------
    TypeError
        If degrees are no integers or points not real.
    ValueError, NotImplementedError
        If `diff_n` is negative; if it is greater than 2.

    Differences from SciPy
    ----------------------
    Of negative degrees it is 0, as `assoc_legendre_p` of both; SciPy's is `z`.

    Notes
    -----
    A launch for each derivative. The recurrence is DLMF 14.10.3.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.legendre_p(2, cp.array([0.0, 0.5, 1.0]), diff_n=1)
    array([[-0.5  , -0.125,  1.   ],
           [ 0.   ,  1.5  ,  3.   ]])
    """
    if not isinstance(diff_n, int | np.integer) or diff_n < 0:
        raise ValueError(f"diff_n must be a non-negative integer, received: {diff_n}.")
    if diff_n > 2:
        raise NotImplementedError(
            f"diff_n is currently only implemented for orders 0, 1, and 2, received: {diff_n}."
        )
    points = _real(z, "legendre_p")
    return _stacked("assoc_legendre_p_", diff_n, [_integers(n, "legendre_p"), 0, points, 2])


def legendre_p_all(n: int, z: ArrayLike, *, diff_n: int = 0) -> ndarray:
    """The Legendre polynomials of all degrees up to one, and their derivatives.

    Parameters
    ----------
    n : int
        The greatest degree.
    z : array_like
        Points, real or complex.
    diff_n : {0, 1, 2}, optional
        How many derivatives.

    Returns
    -------
    ndarray
        Of shape ``(diff_n + 1, n + 1, ...)``.

    Raises
    ------
    ValueError
        If `n` is no integer or negative; if `diff_n` is none of 0, 1 and 2.

    Notes
    -----
    A launch for each derivative. Each polynomial climbs from degree 0 by itself.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.legendre_p_all(2, cp.array([0.5, 1.0]))
    array([[[ 1.   ,  1.   ],
            [ 0.5  ,  1.   ],
            [-0.125,  1.   ]]])
    """
    diff_n, degree = _derivatives(diff_n), _count(n, "n")
    points = as_values(z, "legendre_p_all")
    degrees = _column(cp.arange(degree + 1), points.ndim)
    return _stacked("assoc_legendre_p_", diff_n, [degrees, 0, points, 2])


def assoc_legendre_p(
    n: ArrayLike,
    m: ArrayLike,
    z: ArrayLike,
    *,
    branch_cut: ArrayLike = 2,
    norm: bool = False,
    diff_n: int = 0,
) -> ndarray:
    """The associated Legendre function of the first kind, and its derivatives.

    Parameters
    ----------
    n : array_like of int
        The degree.
    m : array_like of int
        The order.
    z : array_like
        Points, real or complex.
    branch_cut : {2, 3} or array_like, optional
        2 for the functions on the interval (-1, 1), with branch cuts outside of it; 3 for those
        outside of it, with a cut from minus infinity to 1.
    norm : bool, optional
        Normalize the functions, so that the integral of the square over the interval is 1.
    diff_n : {0, 1, 2}, optional
        How many derivatives.

    Returns
    -------
    ndarray
        Of shape ``(diff_n + 1, ...)``: the function, then its derivatives; 0 where ``abs(m) > n``.

    Raises
    ------
    TypeError
        If degrees or orders are no integers.
    ValueError
        If `diff_n` is none of 0, 1 and 2.

    Differences from SciPy
    ----------------------
    Second derivatives at -1 and 1 are the limits; SciPy's are other numbers for some orders.

    Notes
    -----
    A launch for each derivative. The recurrence is DLMF 14.10.3, from the diagonal DLMF 14.7.14.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.assoc_legendre_p(2, 1, cp.array([0.0, 0.6]))
    array([[-0.  , -1.44]])
    """
    diff_n, points = _derivatives(diff_n), as_values(z, "assoc_legendre_p")
    operands = [_integers(x, "assoc_legendre_p") for x in (n, m, branch_cut)]
    return _stacked(_associated(norm), diff_n, [*operands[:2], points, operands[2]])


def assoc_legendre_p_all(
    n: int,
    m: int,
    z: ArrayLike,
    *,
    branch_cut: ArrayLike = 2,
    norm: bool = False,
    diff_n: int = 0,
) -> ndarray:
    """The associated Legendre functions of all degrees and orders up to given ones.

    Parameters
    ----------
    n, m : int
        The greatest degree and order.
    z : array_like
        Points, real or complex.
    branch_cut : {2, 3} or array_like, optional
        As of `assoc_legendre_p`.
    norm : bool, optional
        Normalize the functions.
    diff_n : {0, 1, 2}, optional
        How many derivatives.

    Returns
    -------
    ndarray
        Of shape ``(diff_n + 1, n + 1, 2 * m + 1, ...)``, the negative orders behind the others.

    Raises
    ------
    ValueError
        If `n` or `m` is no integer or negative; if `diff_n` is none of 0, 1 and 2.

    Differences from SciPy
    ----------------------
    Second derivatives at -1 and 1 are the limits; SciPy's are other numbers for some orders.

    Notes
    -----
    A launch for each derivative. Each function climbs from its own diagonal by itself.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.assoc_legendre_p_all(1, 1, cp.array(0.6))
    array([[[ 1. ,  0. ,  0. ],
            [ 0.6, -0.8,  0.4]]])
    """
    diff_n = _derivatives(diff_n)
    for value, name in ((n, "n"), (m, "m")):
        if not isinstance(value, int | np.integer) or value < 0:
            raise ValueError(f"{name} must be a non-negative integer.")
    points, cut = (
        as_values(z, "assoc_legendre_p_all"),
        _integers(branch_cut, "assoc_legendre_p_all"),
    )
    ndim = max(points.ndim, np.ndim(cut))
    degrees, orders = _grid(n, m, ndim)
    return _stacked(_associated(norm), diff_n, [degrees, orders, points, cut])


def sph_legendre_p(n: ArrayLike, m: ArrayLike, theta: ArrayLike, *, diff_n: int = 0) -> ndarray:
    """The Legendre function of a spherical harmonic, and its derivatives by the angle.

    Parameters
    ----------
    n : array_like of int
        The degree.
    m : array_like of int
        The order.
    theta : array_like
        Polar angles, real.
    diff_n : {0, 1, 2}, optional
        How many derivatives.

    Returns
    -------
    ndarray
        Of shape ``(diff_n + 1, ...)``; 0 where ``abs(m) > n``.

    Raises
    ------
    TypeError
        If degrees or orders are no integers or angles not real.
    ValueError
        If `diff_n` is none of 0, 1 and 2.

    Notes
    -----
    A launch for each derivative; DLMF 14.30.1 without the factor of the azimuth.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.sph_legendre_p(1, 1, cp.array([0.0, 1.0])).round(6)
    array([[-0.      , -0.290723]])
    """
    diff_n, angles = _derivatives(diff_n), _real(theta, "sph_legendre_p")
    degrees, orders = [_integers(x, "sph_legendre_p") for x in (n, m)]
    return _stacked("sph_legendre_p_", diff_n, [degrees, orders, angles])


def sph_legendre_p_all(n: int, m: int, theta: ArrayLike, *, diff_n: int = 0) -> ndarray:
    """`sph_legendre_p` of all degrees and orders up to given ones.

    Parameters
    ----------
    n, m : int
        The greatest degree and order.
    theta : array_like
        Polar angles, real.
    diff_n : {0, 1, 2}, optional
        How many derivatives.

    Returns
    -------
    ndarray
        Of shape ``(diff_n + 1, n + 1, 2 * abs(m) + 1, ...)``, the negative orders behind the
        others.

    Raises
    ------
    ValueError
        If `n` is no integer or negative; if `diff_n` is none of 0, 1 and 2.

    Notes
    -----
    A launch for each derivative.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.sph_legendre_p_all(1, 1, cp.array(1.0)).shape
    (1, 2, 3)
    """
    diff_n, angles = _derivatives(diff_n), _real(theta, "sph_legendre_p_all")
    degrees, orders = _grid(_degree(n), abs(operator.index(m)), angles.ndim)
    return _stacked("sph_legendre_p_", diff_n, [degrees, orders, angles])


def sph_harm_y(
    n: ArrayLike, m: ArrayLike, theta: ArrayLike, phi: ArrayLike, *, diff_n: int = 0
) -> ndarray | tuple[ndarray, ...]:
    """The spherical harmonic of a degree and an order, and its derivatives.

    Parameters
    ----------
    n : array_like of int
        The degree.
    m : array_like of int
        The order.
    theta : array_like
        Polar angles, from 0 to pi.
    phi : array_like
        Azimuths.
    diff_n : {0, 1, 2}, optional
        How many derivatives.

    Returns
    -------
    ndarray or tuple of ndarray
        The harmonic; with derivatives also the gradient by `theta` and `phi`, of shape
        ``(..., 2)``, and the Hessian, of shape ``(..., 2, 2)``.

    Raises
    ------
    TypeError
        If degrees or orders are no integers or angles not real.
    ValueError
        If `diff_n` is none of 0, 1 and 2.

    Notes
    -----
    One launch, and 2 or 5 more for derivatives; DLMF 14.30.1.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.sph_harm_y(1, 1, cp.array([1.0]), cp.array([0.5])).round(6)
    array([-0.255134-0.13938j])
    """
    diff_n = _derivatives(diff_n)
    degrees, orders = [_integers(x, "sph_harm_y") for x in (n, m)]
    angles = [_real(x, "sph_harm_y") for x in (theta, phi)]
    return _harmonics(diff_n, [degrees, orders, *angles])


def sph_harm_y_all(
    n: int, m: int, theta: ArrayLike, phi: ArrayLike, *, diff_n: int = 0
) -> ndarray | tuple[ndarray, ...]:
    """The spherical harmonics of all degrees and orders up to given ones.

    Parameters
    ----------
    n, m : int
        The greatest degree and order.
    theta : array_like
        Polar angles, from 0 to pi.
    phi : array_like
        Azimuths.
    diff_n : {0, 1, 2}, optional
        How many derivatives.

    Returns
    -------
    ndarray or tuple of ndarray
        The harmonics, of shape ``(n + 1, 2 * abs(m) + 1, ...)`` with the negative orders behind the
        others; derivatives as of `sph_harm_y`.

    Raises
    ------
    ValueError
        If `n` is no integer or negative; if `diff_n` is none of 0, 1 and 2.

    Notes
    -----
    One launch, and 2 or 5 more for derivatives.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.sph_harm_y_all(2, 1, cp.array([1.0]), cp.array([0.5])).shape
    (3, 3, 1)
    """
    diff_n = _derivatives(diff_n)
    angles = [_real(x, "sph_harm_y_all") for x in (theta, phi)]
    ndim = max(x.ndim for x in angles)
    degrees, orders = _grid(_degree(n), abs(operator.index(m)), ndim)
    return _harmonics(diff_n, [degrees, orders, *angles])


# ---- arguments -----------------------------------------------------------------------------------


def _associated(norm: bool) -> str:
    return f"assoc_legendre_p_{'normalized_' if norm else ''}"


def _derivatives(diff_n: Any) -> int:
    found = _count(diff_n, "diff_n")
    if found > 2:
        raise ValueError(
            f"diff_n is currently only implemented for orders 0, 1, and 2, received: {diff_n}."
        )
    return found


def _count(value: Any, name: str) -> int:
    """An integer that is not negative; floats that are integers count."""
    try:
        found = operator.index(value)
    except TypeError:
        if not isinstance(value, float | np.floating) or value != int(value):
            raise ValueError(f"{name} must be a non-negative integer") from None
        found = int(value)
    if found < 0:
        raise ValueError(f"{name} must be a non-negative integer")
    return found


def _degree(n: Any) -> int:
    if not isinstance(n, int | np.integer) or n < 0:
        raise ValueError("n must be a non-negative integer.")
    return int(n)


def _integers(x: ArrayLike, name: str) -> Any:
    """An operand of integers; Python's stay what they are."""
    if isinstance(x, int):
        return x
    values = as_values(x, name)
    if values.dtype.kind not in "biu" or values.dtype == np.uint64:
        raise TypeError(
            f"ufunc '{name}' not supported for the input types: degrees and orders are integers "
            f"of up to 64 bits with sign, not {values.dtype}"
        )
    return values


def _real(x: ArrayLike, name: str) -> ndarray:
    values = as_values(x, name)
    if values.dtype.kind not in "biuf":
        raise TypeError(
            f"ufunc '{name}' not supported for the input types: points are real, not {values.dtype}"
        )
    return values


def _column(x: ndarray, ndim: int) -> ndarray:
    """A vector before `ndim` other axes."""
    return x.reshape(-1, *[1] * ndim)


def _grid(n: int, m: int, ndim: int) -> tuple[ndarray, ndarray]:
    """Degrees and orders before `ndim` other axes: orders 0 to m, then -m to -1."""
    orders = cp.asarray([*range(m + 1), *range(-m, 0)])
    return _column(cp.arange(n + 1), 1 + ndim), _column(orders, ndim)


# ---- results -------------------------------------------------------------------------------------


def _stacked(prefix: str, diff_n: int, operands: Sequence[Any]) -> ndarray:
    """The derivatives up to `diff_n`, along a new first axis."""
    functions = [_function(f"{prefix}{k}") for k in range(diff_n + 1)]
    shape = np.broadcast_shapes(*[np.shape(x) if isinstance(x, int) else x.shape for x in operands])
    dtypes = [int if isinstance(x, int) else x.dtype for x in operands]
    dtype = functions[0].resolve_dtypes((*dtypes, None))[-1]
    result = cp.empty((diff_n + 1, *shape), dtype)
    for k, function in enumerate(functions):
        function(*operands, out=result[k, ...])
    return result


def _harmonics(diff_n: int, operands: Sequence[Any]) -> ndarray | tuple[ndarray, ...]:
    value: ndarray = _function("sph_harm_y_00")(*operands)
    if diff_n == 0:
        return value
    gradient = cp.empty((*value.shape, 2), value.dtype)
    for k, name in enumerate(("10", "01")):
        _function(f"sph_harm_y_{name}")(*operands, out=gradient[..., k])
    if diff_n == 1:
        return value, gradient
    hessian = cp.empty((*value.shape, 2, 2), value.dtype)
    for i, j, name in ((0, 0, "20"), (0, 1, "11"), (1, 1, "02")):
        _function(f"sph_harm_y_{name}")(*operands, out=hessian[..., i, j])
    hessian[..., 1, 0] = hessian[..., 0, 1]
    return value, gradient, hessian
