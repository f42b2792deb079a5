"""Spherical Bessel functions of whole order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpuarray._ops.conversion import asarray
from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

if TYPE_CHECKING:
    from gpuarray._types import Operand, ndarray

__all__ = ["spherical_in", "spherical_jn", "spherical_kn", "spherical_yn"]

_spherical_in = create(ROWS["_spherical_in"])
_spherical_in_d = create(ROWS["_spherical_in_d"])
_spherical_jn = create(ROWS["_spherical_jn"])
_spherical_jn_d = create(ROWS["_spherical_jn_d"])
_spherical_kn = create(ROWS["_spherical_kn"])
_spherical_kn_d = create(ROWS["_spherical_kn_d"])
_spherical_yn = create(ROWS["_spherical_yn"])
_spherical_yn_d = create(ROWS["_spherical_yn_d"])


def _orders(n: Operand) -> ndarray:
    """Orders as SciPy takes them: fractions are cut off."""
    return asarray(n, dtype=np.int64)


def spherical_in(n: Operand, z: Operand, derivative: bool = False) -> ndarray:
    """Modified spherical Bessel function of the first kind, or its derivative.

    Parameters
    ----------
    n : ndarray or scalar
        Orders, whole numbers; below 0 the result is NaN.
    z : ndarray or scalar
        Arguments, real or complex.
    derivative : bool, optional
        Whether the derivative by ``z`` is wanted.

    Returns
    -------
    ndarray
        Of float64 or complex128, of single precision for arguments of such.

    Notes
    -----
    ``i_n(z) = sqrt(pi / (2 z)) I_{n + 1/2}(z)``, DLMF 10.47, and the derivatives by DLMF 10.51.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.spherical_in(1, cp.asarray([0.5, 2.0]))
    array([0.17087071, 0.97438274])
    """
    ufunc = _spherical_in_d if derivative else _spherical_in
    return ufunc(_orders(n), z)


def spherical_jn(n: Operand, z: Operand, derivative: bool = False) -> ndarray:
    """Spherical Bessel function of the first kind, or its derivative.

    Parameters
    ----------
    n : ndarray or scalar
        Orders, whole numbers; below 0 the result is NaN.
    z : ndarray or scalar
        Arguments, real or complex.
    derivative : bool, optional
        Whether the derivative by ``z`` is wanted.

    Returns
    -------
    ndarray
        Of float64 or complex128, of single precision for arguments of such.

    Notes
    -----
    ``j_n(z) = sqrt(pi / (2 z)) J_{n + 1/2}(z)``, DLMF 10.47, and the derivatives by DLMF 10.51.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.spherical_jn(1, cp.asarray([0.5, 2.0]))
    array([0.16253703, 0.43539777])
    """
    ufunc = _spherical_jn_d if derivative else _spherical_jn
    return ufunc(_orders(n), z)


def spherical_kn(n: Operand, z: Operand, derivative: bool = False) -> ndarray:
    """Modified spherical Bessel function of the second kind, or its derivative.

    Parameters
    ----------
    n : ndarray or scalar
        Orders, whole numbers; below 0 the result is NaN.
    z : ndarray or scalar
        Arguments, real or complex.
    derivative : bool, optional
        Whether the derivative by ``z`` is wanted.

    Returns
    -------
    ndarray
        Of float64 or complex128, of single precision for arguments of such.

    Notes
    -----
    ``k_n(z) = sqrt(pi / (2 z)) K_{n + 1/2}(z)``, DLMF 10.47, and the derivatives by DLMF 10.51.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.spherical_kn(1, cp.asarray([0.5, 2.0]))
    array([5.71641679, 0.15943812])
    """
    ufunc = _spherical_kn_d if derivative else _spherical_kn
    return ufunc(_orders(n), z)


def spherical_yn(n: Operand, z: Operand, derivative: bool = False) -> ndarray:
    """Spherical Bessel function of the second kind, or its derivative.

    Parameters
    ----------
    n : ndarray or scalar
        Orders, whole numbers; below 0 the result is NaN.
    z : ndarray or scalar
        Arguments, real or complex.
    derivative : bool, optional
        Whether the derivative by ``z`` is wanted.

    Returns
    -------
    ndarray
        Of float64 or complex128, of single precision for arguments of such.

    Notes
    -----
    ``y_n(z) = sqrt(pi / (2 z)) Y_{n + 1/2}(z)``, DLMF 10.47, and the derivatives by DLMF 10.51.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.spherical_yn(1, cp.asarray([0.5, 2.0]))
    array([-4.46918132, -0.350612  ])
    """
    ufunc = _spherical_yn_d if derivative else _spherical_yn
    return ufunc(_orders(n), z)
