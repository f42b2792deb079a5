"""Characteristic values of spheroidal wave functions, and modified Fresnel integrals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import gpuarray as cp
from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = [
    "modfresnelm", "modfresnelp", "obl_ang1", "obl_ang1_cv", "obl_cv", "obl_cv_seq", "obl_rad1",
    "obl_rad1_cv", "obl_rad2", "obl_rad2_cv", "pro_ang1", "pro_ang1_cv", "pro_cv", "pro_cv_seq",
    "pro_rad1", "pro_rad1_cv", "pro_rad2", "pro_rad2_cv",
]  # fmt: skip

modfresnelm = create(ROWS["modfresnelm"], 2)
modfresnelp = create(ROWS["modfresnelp"], 2)
obl_ang1 = create(ROWS["obl_ang1"], 2)
obl_ang1_cv = create(ROWS["obl_ang1_cv"], 2)
obl_cv = create(ROWS["obl_cv"])
obl_rad1 = create(ROWS["obl_rad1"], 2)
obl_rad1_cv = create(ROWS["obl_rad1_cv"], 2)
obl_rad2 = create(ROWS["obl_rad2"], 2)
obl_rad2_cv = create(ROWS["obl_rad2_cv"], 2)
pro_ang1 = create(ROWS["pro_ang1"], 2)
pro_ang1_cv = create(ROWS["pro_ang1_cv"], 2)
pro_cv = create(ROWS["pro_cv"])
pro_rad1 = create(ROWS["pro_rad1"], 2)
pro_rad1_cv = create(ROWS["pro_rad1_cv"], 2)
pro_rad2 = create(ROWS["pro_rad2"], 2)
pro_rad2_cv = create(ROWS["pro_rad2_cv"], 2)


def pro_cv_seq(m: int, n: int, c: float) -> ndarray:
    """Characteristic values of prolate spheroidal functions of all degrees from `m` to `n`.

    Parameters
    ----------
    m, n : int
        The order, and the greatest degree.
    c : float
        The parameter.

    Returns
    -------
    ndarray
        Of ``n - m + 1`` numbers.

    Raises
    ------
    ValueError
        If a parameter is an array, `m` or `n` no such integer, or there are more than 199 degrees.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.pro_cv_seq(0, 2, 0.0)
    array([0., 2., 6.])
    """
    return pro_cv(m, _degrees(m, n, c), c)


def obl_cv_seq(m: int, n: int, c: float) -> ndarray:
    """Characteristic values of oblate spheroidal functions of all degrees from `m` to `n`.

    Parameters
    ----------
    m, n : int
        The order, and the greatest degree.
    c : float
        The parameter.

    Returns
    -------
    ndarray
        Of ``n - m + 1`` numbers.

    Raises
    ------
    ValueError
        If a parameter is an array, `m` or `n` no such integer, or there are more than 199 degrees.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.obl_cv_seq(0, 2, 0.0)
    array([0., 2., 6.])
    """
    return obl_cv(m, _degrees(m, n, c), c)


def _degrees(m: Any, n: Any, c: Any) -> ndarray:
    if np.ndim(m) or np.ndim(n) or np.ndim(c):
        raise ValueError("Arguments must be scalars.")
    if n != int(n) or m != int(m):
        raise ValueError("Modes must be integers.")
    if n - m > 199:
        raise ValueError("Difference between n and m is too large.")
    return cp.arange(int(m), int(n) + 1, dtype=np.float64)
