"""Interpolation (of the page on mathematical functions)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpuarray._ops.conversion import array, asarray
from gpuarray._ops.joining import concatenate
from gpuarray._ops.logic import equal, greater, isnan, less
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import add, divide, maximum, minimum, multiply, remainder, subtract
from gpuarray._ops.searching import searchsorted
from gpuarray._ops.selection import where
from gpuarray._ops.sorting import argsort
from gpuarray._ops.taking import take
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["interp"]


def interp(
    x: ArrayLike,
    xp: ArrayLike,
    fp: ArrayLike,
    left: complex | None = None,
    right: complex | None = None,
    period: float | None = None,
) -> ndarray:
    """Linear interpolation between points.

    Parameters
    ----------
    x : ndarray or scalar
        Where to evaluate.
    xp : ndarray, 1-D
        Coordinates of the points, increasing unless there is a period.
    fp : ndarray, 1-D
        Values at the points, real or complex.
    left, right : scalar, optional
        The results before the first and behind the last point: by default their values.
    period : float, optional
        The period of the coordinates: ``left`` and ``right`` are not used, and points are sorted.

    Returns
    -------
    ndarray
        float64 or complex128, of the shape of ``x``.

    Notes
    -----
    About fifteen launches; temporary memory of a few times the result. Nothing waits for the
    device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.interp(cp.asarray([0.0, 1.5, 9.0]), cp.asarray([1, 2, 3]), cp.asarray([3, 2, 0]))
    array([3. , 2.5, 0. ])
    """
    x = asarray(x)
    xp, fp = as_array(xp, "interp"), as_array(fp, "interp")
    if xp._layout.ndim != 1 or fp._layout.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if xp._layout.size != fp._layout.size:
        raise ValueError("fp and xp are not of the same length.")
    if not xp._layout.size:
        raise ValueError("array of sample points is empty")
    for operand in (x, xp):
        if operand._layout.dtype.kind == "c":
            raise TypeError(
                "Cannot cast array data from dtype('complex128') to dtype('float64') according to "
                "the rule 'safe'"
            )
    result = np.dtype(np.complex128 if fp._layout.dtype.kind == "c" else np.float64)
    x, xp = [copies.copy(v, "C", np.dtype(np.float64)) for v in (x, xp)]
    fp = copies.copy(fp, "C", result)
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        period = abs(period)
        left = right = None
        x, xp = remainder(x, period), remainder(xp, period)
        order = argsort(xp)
        xp, fp = take(xp, order), take(fp, order)
        xp = concatenate((subtract(xp[-1:], period), xp, add(xp[:1], period)))
        fp = concatenate((fp[-1:], fp, fp[:1]))
    last = xp._layout.size - 1
    index = subtract(searchsorted(xp, x, "right"), 1)
    low = minimum(maximum(index, 0), max(last - 1, 0))
    high = minimum(add(low, 1), last)
    x0, x1, y0, y1 = take(xp, low), take(xp, high), take(fp, low), take(fp, high)
    slope = divide(subtract(y1, y0), subtract(x1, x0))
    found = add(multiply(slope, subtract(x, x0)), y0)
    # Infinite values have no slope: NumPy tries from the other end, then takes equal ends.
    other = add(multiply(slope, subtract(x, x1)), y1)
    other = where(isnan(other) & equal(y0, y1), y0, other)
    found = where(isnan(found), other, found)
    found = where(equal(x, x0), y0, found)
    found = where(less(x, xp[0]), fp[0] if left is None else array(left, result), found)
    found = where(equal(x, xp[-1]), fp[-1], found)
    found = where(greater(x, xp[-1]), fp[-1] if right is None else array(right, result), found)
    if not last:
        return found  # a single point is NumPy's answer for NaN, too
    return where(isnan(x), array(x, result) if result.kind == "c" else x, found)
