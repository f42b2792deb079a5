"""Interpolation (of the page on mathematical functions)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._layout import Layout
from gpuarray._ops.conversion import asarray
from gpuarray._ops.joining import concatenate
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import add, remainder, subtract
from gpuarray._ops.sorting import argsort
from gpuarray._ops.taking import take
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.search.launch import interpolation_call

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

    Raises
    ------
    ValueError
        If the points have not one dimension and one length, there are none, or the period is 0.
    TypeError
        If `x` is complex.

    Notes
    -----
    One launch, and a copy of each array that is not of the dtype it is computed in; with a period
    those of a sort, too. Nothing waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.interp(cp.asarray([0.0, 1.5, 9.0]), cp.asarray([1, 2, 3]), cp.asarray([3, 2, 0]))
    array([3. , 2.5, 0. ])
    """
    at: Any = asarray(x)
    xp, fp = as_array(xp, "interp"), as_array(fp, "interp")
    if xp._layout.ndim != 1 or fp._layout.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if xp._layout.size != fp._layout.size:
        raise ValueError("fp and xp are not of the same length.")
    if not xp._layout.size:
        raise ValueError("array of sample points is empty")
    for operand in (at, xp):
        if operand._layout.dtype.kind == "c":
            raise TypeError(
                "Cannot cast array data from dtype('complex128') to dtype('float64') according to "
                "the rule 'safe'"
            )
    result = np.dtype(np.complex128 if fp._layout.dtype.kind == "c" else np.float64)
    # float32 is searched as it is, in float64 it has the same order.
    same = at._layout.dtype == xp._layout.dtype == np.float32 and period is None
    coordinates = np.dtype(np.float32 if same else np.float64)
    at, known = _prepared(at, coordinates), _prepared(xp, coordinates)
    values = _prepared(fp, result)
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        period = abs(period)
        left = right = None
        at, known = remainder(at, period), remainder(known, period)
        order = argsort(known)
        known, values = take(known, order), take(values, order)
        before, behind = subtract(known[-1:], period), add(known[:1], period)
        known = concatenate((before, known, behind))
        values = concatenate((values[-1:], values, values[:1]))
    number: Any = result.type
    ends = [0 if end is None else number(end).item() for end in (left, right)]
    sides = (left is not None) + 2 * (right is not None)
    run = _plan_interp(current.stream, known._layout, at._layout, values._layout, sides)
    return run(known, at, values, *ends)


@planned
def _plan_interp(
    stream: Stream, array: Layout, values: Layout, points: Layout, sides: int
) -> Callable[..., Any]:
    return interpolation_call(array, values, points, sides, stream)


def _prepared(x: Any, dtype: np.dtype) -> Any:
    if x._layout.dtype == dtype and x._layout.c_contiguous:
        return x
    return copies.copy(x, "C", dtype)
