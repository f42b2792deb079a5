"""Fast Hankel transforms."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._namespace.called_name import called_name
from gpuarray._ops.conversion import asarray
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import divide, multiply
from gpuarray._ops.rearranging import flip
from gpuarray.scipy.fft._real import irfft, rfft

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["fht", "fhtoffset", "ifht"]

#: Bernoulli's numbers B(2 k) / (2 k (2 k - 1)): the terms of Stirling's series (DLMF 5.11.1).
_STIRLING = (
    1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400,
)  # fmt: skip
#: From this real part on they are exact enough.
_LARGE = 12


def fht(a: ArrayLike, dln: float, mu: float, offset: float = 0.0, bias: float = 0.0) -> ndarray:
    """The discrete Hankel transform of a function at points whose logarithms are equally far apart.

    Parameters
    ----------
    a : ndarray
        Real numbers, along the last axis.
    dln : float
        The distance of the points' logarithms.
    mu : float
        The order of the Bessel function.
    offset : float, optional
        The logarithm of the product of the middle points of input and output.
    bias : float, optional
        The exponent of a power by which the function is divided before the transform.

    Returns
    -------
    ndarray
        Real numbers of the shape of `a`.

    Raises
    ------
    TypeError
        If `a` is not real.

    Notes
    -----
    FFTLog (A. J. S. Hamilton, Mon. Not. R. Astron. Soc. 312, 257-284, 2000). Its coefficients are
    computed on the host, in double precision.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> x = cp.exp(-cp.logspace(-1, 1, 5))
    >>> cp.scipy.fft.fht(x, 1.15, 0.0).shape
    (5,)
    """
    return _transform(a, dln, mu, offset, bias, "fht", False)


def ifht(A: ArrayLike, dln: float, mu: float, offset: float = 0.0, bias: float = 0.0) -> ndarray:
    """The inverse of `fht`.

    Parameters
    ----------
    A : ndarray
        Real numbers, along the last axis.
    dln : float
        The distance of the points' logarithms.
    mu : float
        The order of the Bessel function.
    offset : float, optional
        The logarithm of the product of the middle points of input and output.
    bias : float, optional
        The exponent of a power by which the function is divided before the transform.

    Returns
    -------
    ndarray
        Real numbers of the shape of `A`.

    Raises
    ------
    TypeError
        If `A` is not real.

    Notes
    -----
    As of `fht`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> x = cp.array([1.0, 2.0, 3.0])
    >>> cp.scipy.fft.ifht(cp.scipy.fft.fht(x, 0.1, 0.5), 0.1, 0.5).round(6)
    array([1., 2., 3.])
    """
    return _transform(A, dln, mu, offset, bias, "ifht", True)


def fhtoffset(dln: float, mu: float, initial: float = 0.0, bias: float = 0.0) -> float:
    """The offset closest to a given one for which `fht` rings least.

    Parameters
    ----------
    dln : float
        The distance of the points' logarithms.
    mu : float
        The order of the Bessel function.
    initial : float, optional
        The offset to begin with.
    bias : float, optional
        As of `fht`.

    Returns
    -------
    float
        The offset.

    Notes
    -----
    The low-ringing condition of FFTLog's description; see `fht`.

    Examples
    --------
    >>> import gpuarray.scipy.fft
    >>> round(gpuarray.scipy.fft.fhtoffset(0.1, 2.0, 0.5), 6)
    0.545458
    """
    plus, minus = (mu + 1 + bias) / 2, (mu + 1 - bias) / 2
    y = np.pi / (2 * dln)
    angles = _log_gamma(np.array([plus + 1j * y, minus + 1j * y])).imag
    turns = (math.log(2) - initial) / dln + float(angles.sum()) / np.pi
    return float(initial + (turns - np.round(turns)) * dln)


def _transform(
    a: Any, dln: float, mu: float, offset: float, bias: float, name: str, inverse: bool
) -> Any:
    a = as_array(a, name)
    layout = a._layout
    if layout.dtype.kind == "c":
        raise TypeError(f"{called_name(name)}: takes real numbers, got {layout.dtype}")
    if not layout.ndim or not layout.shape[-1]:
        raise ValueError(
            f"{called_name(name)}: there is no point to transform in an array of shape "
            f"{layout.shape}"
        )
    n = layout.shape[-1]
    places = (np.arange(n) - (n - 1) / 2) * dln
    if bias:
        before = np.exp(bias * (places + offset) if inverse else -bias * places)
        a = multiply(a, asarray(before))
    coefficients = _coefficients(n, dln, mu, offset, bias, inverse)
    spectrum = rfft(a)
    if inverse:
        spectrum = divide(spectrum, asarray(coefficients.conj()))
    else:
        spectrum = multiply(spectrum, asarray(coefficients))
    result = flip(irfft(spectrum, n), -1)
    if bias:
        behind = np.exp(bias * places if inverse else -bias * (places + offset))
        result = multiply(result, asarray(behind))
    return result


def _coefficients(
    n: int, dln: float, mu: float, offset: float, bias: float, inverse: bool
) -> np.ndarray:
    """The factors of the spectrum, as FFTLog's description has them."""
    plus, minus = (mu + 1 + bias) / 2, (mu + 1 - bias) / 2
    y = np.linspace(0, np.pi * (n // 2) / (n * dln), n // 2 + 1)
    upper, lower = _log_gamma(plus + 1j * y), _log_gamma(minus + 1j * y)
    real = upper.real - lower.real + math.log(2) * bias
    imaginary = upper.imag + lower.imag + 2 * (math.log(2) - offset) * y
    with np.errstate(all="ignore"):
        found = np.exp(real + 1j * imaginary)
    if n % 2 == 0:
        found[-1] = found[-1].real
    found[0] = 2.0**bias * _gamma_ratio(plus, minus)
    if np.isinf(found[0]) and not inverse:
        _warn("singular transform; consider changing the bias")
        found[0] = 0
    elif found[0] == 0 and inverse:
        _warn("singular inverse transform; consider changing the bias")
        found[0] = np.inf
    return found


def _warn(text: str) -> None:
    warnings.warn(text, stacklevel=5)


def _gamma_ratio(a: float, b: float) -> float:
    """Gamma(a) / Gamma(b) of reals, its limit where both are poles."""
    poles = [x <= 0 and x == int(x) for x in (a, b)]
    if poles == [True, True]:
        return (-1.0) ** (b - a) * _gamma_ratio(1 - b, 1 - a)
    if poles[0]:
        return math.inf
    if poles[1]:
        return 0.0
    sign = 1.0
    for x in (a, b):
        if x < 0 and math.floor(x) % 2:
            sign = -sign
    return sign * math.exp(math.lgamma(a) - math.lgamma(b))


def _log_gamma(z: np.ndarray) -> np.ndarray:
    """The logarithm of the gamma function, by recurrence and Stirling's series."""
    z = np.array(z, complex)
    shift = np.zeros_like(z)
    with np.errstate(all="ignore"):
        for _ in range(max(0, _LARGE - math.floor(z.real.min()))):
            small = z.real < _LARGE
            shift = np.where(small, shift + np.log(z), shift)
            z = np.where(small, z + 1, z)
        series = sum([term / z ** (2 * k + 1) for k, term in enumerate(_STIRLING)])
        return (z - 0.5) * np.log(z) - z + 0.5 * math.log(2 * math.pi) + series - shift
