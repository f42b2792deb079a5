"""Zeros of Airy functions, of the error function and of Fresnel integrals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import gpuarray as cp
from gpuarray.scipy.special._airy import airy
from gpuarray.scipy.special._error_functions import erf, fresnel
from gpuarray.scipy.special._zeros import airy_zeros_near, number_of_zeros, refined

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = ["ai_zeros", "bi_zeros", "erf_zeros", "fresnel_zeros", "fresnelc_zeros", "fresnels_zeros"]


def _ai(x: Any) -> tuple[Any, Any]:
    value, slope, _, _ = airy(x)
    return value, slope


def _slope_of_ai(x: Any) -> tuple[Any, Any]:
    value, slope, _, _ = airy(x)
    return slope, x * value


def _bi(x: Any) -> tuple[Any, Any]:
    _, _, value, slope = airy(x)
    return value, slope


def _slope_of_bi(x: Any) -> tuple[Any, Any]:
    _, _, value, slope = airy(x)
    return slope, x * value


def _erf(z: Any) -> tuple[Any, Any]:
    return erf(z), 1.1283791670955126 * cp.exp(-z * z)  # 2 / sqrt(pi)


def _fresnel_c(z: Any) -> tuple[Any, Any]:
    return fresnel(z)[1], cp.cos(z * z * (np.pi / 2))


def _fresnel_s(z: Any) -> tuple[Any, Any]:
    return fresnel(z)[0], cp.sin(z * z * (np.pi / 2))


def ai_zeros(nt: int) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """The first negative zeros of Ai and of its derivative, and values there.

    Parameters
    ----------
    nt : int
        How many zeros.

    Returns
    -------
    tuple of ndarray
        Zeros of Ai, zeros of its derivative, Ai at the latter, the derivative at the former.

    Raises
    ------
    ValueError
        If `nt` is no whole number, or `nt` is not positive.

    Notes
    -----
    Starting values by DLMF 9.9.6 and 9.9.8, made on the host; Newton's method on the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.ai_zeros(2)[0]
    array([-2.33810741, -4.08794944])
    """
    count = number_of_zeros(nt, "ai_zeros")
    zeros = refined(_ai, airy_zeros_near(count, 1, False))
    slopes = refined(_slope_of_ai, airy_zeros_near(count, 3, True))
    return zeros, slopes, airy(slopes)[0], airy(zeros)[1]


def bi_zeros(nt: int) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """The first negative zeros of Bi and of its derivative, and values there.

    Parameters
    ----------
    nt : int
        How many zeros.

    Returns
    -------
    tuple of ndarray
        Zeros of Bi, zeros of its derivative, Bi at the latter, the derivative at the former.

    Raises
    ------
    ValueError
        If `nt` is no whole number, or `nt` is not positive.

    Notes
    -----
    Starting values by DLMF 9.9.6 and 9.9.8, made on the host; Newton's method on the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.bi_zeros(2)[0]
    array([-1.17371322, -3.2710933 ])
    """
    count = number_of_zeros(nt, "bi_zeros")
    zeros = refined(_bi, airy_zeros_near(count, 3, False))
    slopes = refined(_slope_of_bi, airy_zeros_near(count, 1, True))
    return zeros, slopes, airy(slopes)[2], airy(zeros)[3]


def erf_zeros(nt: int) -> ndarray:
    """The first zeros of the error function in the first quadrant.

    Parameters
    ----------
    nt : int
        How many zeros.

    Returns
    -------
    ndarray
        Of complex128 and length `nt`.

    Raises
    ------
    ValueError
        If `nt` is no whole number, or `nt` is not positive.

    Notes
    -----
    Starting values by DLMF 7.13.3 and 7.13.4, made on the host; Newton's method on the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.erf_zeros(2)
    array([1.45061616+1.880943j  , 2.24465927+2.61657514j])
    """
    root = np.sqrt((np.arange(1, number_of_zeros(nt, "erf_zeros") + 1) - 0.125) * np.pi)
    part = np.log(root * np.sqrt(2 * np.pi)) / (4 * root)
    return refined(_erf, (root - part) + 1j * (root + part))


def fresnelc_zeros(nt: int) -> ndarray:
    """The first zeros of the cosine Fresnel integral in the first quadrant.

    Parameters
    ----------
    nt : int
        How many zeros.

    Returns
    -------
    ndarray
        Of complex128 and length `nt`.

    Raises
    ------
    ValueError
        If `nt` is no whole number, or `nt` is not positive.

    Notes
    -----
    Starting values by DLMF 7.13(iii), made on the host; Newton's method on the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.fresnelc_zeros(2)
    array([1.74366749+0.30573506j, 2.6514596 +0.25290396j])
    """
    root = np.sqrt(4.0 * np.arange(1, number_of_zeros(nt, "fresnelc_zeros") + 1) - 1)
    return refined(_fresnel_c, root + 1j * np.log(np.pi * root) / (np.pi * root))


def fresnels_zeros(nt: int) -> ndarray:
    """The first zeros of the sine Fresnel integral in the first quadrant.

    Parameters
    ----------
    nt : int
        How many zeros.

    Returns
    -------
    ndarray
        Of complex128 and length `nt`.

    Raises
    ------
    ValueError
        If `nt` is no whole number, or `nt` is not positive.

    Notes
    -----
    Starting values by DLMF 7.13(iii), made on the host; Newton's method on the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.fresnels_zeros(2)
    array([2.00925701+0.2885479j , 2.83347723+0.24428524j])
    """
    root = 2 * np.sqrt(np.arange(1.0, number_of_zeros(nt, "fresnels_zeros") + 1))
    return refined(_fresnel_s, root + 1j * np.log(np.pi * root) / (np.pi * root))


def fresnel_zeros(nt: int) -> tuple[ndarray, ndarray]:
    """The first zeros of both Fresnel integrals in the first quadrant.

    Parameters
    ----------
    nt : int
        How many zeros.

    Returns
    -------
    tuple of ndarray
        Those of the sine integral, those of the cosine integral, of complex128.

    Raises
    ------
    ValueError
        If `nt` is no whole number, or `nt` is not positive.

    Notes
    -----
    Starting values by DLMF 7.13(iii), made on the host; Newton's method on the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.fresnel_zeros(2)[0]
    array([2.00925701+0.2885479j , 2.83347723+0.24428524j])
    """
    return fresnels_zeros(nt), fresnelc_zeros(nt)
