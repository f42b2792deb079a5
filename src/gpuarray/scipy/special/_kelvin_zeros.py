"""Zeros of Kelvin functions and of their derivatives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray.scipy.special._airy import bei, beip, ber, berp, kei, keip, ker, kerp
from gpuarray.scipy.special._zeros import number_of_zeros, refined

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = [
    "bei_zeros", "beip_zeros", "ber_zeros", "berp_zeros", "kei_zeros", "keip_zeros",
    "kelvin_zeros", "ker_zeros", "kerp_zeros",
]  # fmt: skip


# The second derivatives are in the equation of x e^(i pi / 4): DLMF 10.61.3.
def _ber(x: Any) -> tuple[Any, Any]:
    return ber(x), berp(x)


def _bei(x: Any) -> tuple[Any, Any]:
    return bei(x), beip(x)


def _ker(x: Any) -> tuple[Any, Any]:
    return ker(x), kerp(x)


def _kei(x: Any) -> tuple[Any, Any]:
    return kei(x), keip(x)


def _berp(x: Any) -> tuple[Any, Any]:
    return berp(x), -bei(x) - berp(x) / x


def _beip(x: Any) -> tuple[Any, Any]:
    return beip(x), ber(x) - beip(x) / x


def _kerp(x: Any) -> tuple[Any, Any]:
    return kerp(x), -kei(x) - kerp(x) / x


def _keip(x: Any) -> tuple[Any, Any]:
    return keip(x), ker(x) - keip(x) / x


def _kelvin_zeros(name: str, function: Any, shift: float, nt: int) -> ndarray:
    """Zeros are sqrt(2) pi apart."""
    turns = np.arange(1, number_of_zeros(nt, name) + 1) + shift
    return refined(function, np.sqrt(2) * np.pi * turns)


def ber_zeros(nt: int) -> ndarray:
    """The first positive zeros of the Kelvin function ber.

    Parameters
    ----------
    nt : int
        How many zeros.

    Returns
    -------
    ndarray
        Of float64 and length `nt`.

    Raises
    ------
    ValueError
        If `nt` is no whole number, or `nt` is not positive.

    Notes
    -----
    Starting values by DLMF 10.70, made on the host; Newton's method on the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.ber_zeros(2)
    array([2.84891782, 7.23882945])
    """
    return _kelvin_zeros("ber_zeros", _ber, -0.375, nt)


def bei_zeros(nt: int) -> ndarray:
    """The first positive zeros of the Kelvin function bei.

    Parameters
    ----------
    nt : int
        How many zeros.

    Returns
    -------
    ndarray
        Of float64 and length `nt`.

    Raises
    ------
    ValueError
        If `nt` is no whole number, or `nt` is not positive.

    Notes
    -----
    Starting values by DLMF 10.70, made on the host; Newton's method on the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.bei_zeros(2)
    array([5.02622395, 9.4554063 ])
    """
    return _kelvin_zeros("bei_zeros", _bei, 0.125, nt)


def ker_zeros(nt: int) -> ndarray:
    """The first positive zeros of the Kelvin function ker.

    Parameters
    ----------
    nt : int
        How many zeros.

    Returns
    -------
    ndarray
        Of float64 and length `nt`.

    Raises
    ------
    ValueError
        If `nt` is no whole number, or `nt` is not positive.

    Notes
    -----
    Starting values by DLMF 10.70, made on the host; Newton's method on the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.ker_zeros(2)
    array([1.71854296, 6.12727913])
    """
    return _kelvin_zeros("ker_zeros", _ker, -0.625, nt)


def kei_zeros(nt: int) -> ndarray:
    """The first positive zeros of the Kelvin function kei.

    Parameters
    ----------
    nt : int
        How many zeros.

    Returns
    -------
    ndarray
        Of float64 and length `nt`.

    Raises
    ------
    ValueError
        If `nt` is no whole number, or `nt` is not positive.

    Notes
    -----
    Starting values by DLMF 10.70, made on the host; Newton's method on the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.kei_zeros(2)
    array([3.91466761, 8.34422506])
    """
    return _kelvin_zeros("kei_zeros", _kei, -0.125, nt)


def berp_zeros(nt: int) -> ndarray:
    """The first positive zeros of the derivative of the Kelvin function ber.

    Parameters
    ----------
    nt : int
        How many zeros.

    Returns
    -------
    ndarray
        Of float64 and length `nt`.

    Raises
    ------
    ValueError
        If `nt` is no whole number, or `nt` is not positive.

    Notes
    -----
    Starting values by DLMF 10.70, made on the host; Newton's method on the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.berp_zeros(2)
    array([ 6.03871081, 10.51364251])
    """
    return _kelvin_zeros("berp_zeros", _berp, 0.375, nt)


def beip_zeros(nt: int) -> ndarray:
    """The first positive zeros of the derivative of the Kelvin function bei.

    Parameters
    ----------
    nt : int
        How many zeros.

    Returns
    -------
    ndarray
        Of float64 and length `nt`.

    Raises
    ------
    ValueError
        If `nt` is no whole number, or `nt` is not positive.

    Notes
    -----
    Starting values by DLMF 10.70, made on the host; Newton's method on the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.beip_zeros(2)
    array([3.7726733 , 8.28098785])
    """
    return _kelvin_zeros("beip_zeros", _beip, -0.125, nt)


def kerp_zeros(nt: int) -> ndarray:
    """The first positive zeros of the derivative of the Kelvin function ker.

    Parameters
    ----------
    nt : int
        How many zeros.

    Returns
    -------
    ndarray
        Of float64 and length `nt`.

    Raises
    ------
    ValueError
        If `nt` is no whole number, or `nt` is not positive.

    Notes
    -----
    Starting values by DLMF 10.70, made on the host; Newton's method on the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.kerp_zeros(2)
    array([2.66583979, 7.17212212])
    """
    return _kelvin_zeros("kerp_zeros", _kerp, -0.375, nt)


def keip_zeros(nt: int) -> ndarray:
    """The first positive zeros of the derivative of the Kelvin function kei.

    Parameters
    ----------
    nt : int
        How many zeros.

    Returns
    -------
    ndarray
        Of float64 and length `nt`.

    Raises
    ------
    ValueError
        If `nt` is no whole number, or `nt` is not positive.

    Notes
    -----
    Starting values by DLMF 10.70, made on the host; Newton's method on the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.keip_zeros(2)
    array([4.93181194, 9.40405458])
    """
    return _kelvin_zeros("keip_zeros", _keip, 0.125, nt)


def kelvin_zeros(nt: int) -> tuple[ndarray, ...]:
    """The first positive zeros of the Kelvin functions and of their derivatives.

    Parameters
    ----------
    nt : int
        How many zeros.

    Returns
    -------
    tuple of ndarray
        Eight arrays: those of ber, bei, ker, kei, ber', bei', ker' and kei'.

    Raises
    ------
    ValueError
        If `nt` is no whole number, or `nt` is not positive.

    Notes
    -----
    Starting values by DLMF 10.70, made on the host; Newton's method on the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.kelvin_zeros(2)[0]
    array([2.84891782, 7.23882945])
    """
    functions = (
        ber_zeros, bei_zeros, ker_zeros, kei_zeros, berp_zeros, beip_zeros, kerp_zeros, keip_zeros,
    )  # fmt: skip
    return tuple([zeros(nt) for zeros in functions])
