"""Order statistics that pass over NaN (of the page on statistics).

Rows are sorted, with NaN last; how many numbers a row has, and so where its statistic is, is
known to the device only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gpuarray._arguments import check_axes
from gpuarray._ops.along_axis import take_along_axis
from gpuarray._ops.averages import nanmean
from gpuarray._ops.casts import store_result
from gpuarray._ops.conversion import array
from gpuarray._ops.joining import stack
from gpuarray._ops.logic import greater_equal, isnan, less, logical_not
from gpuarray._ops.manipulation import as_array, reshape
from gpuarray._ops.math import add, floor, floor_divide, maximum, minimum, multiply, subtract
from gpuarray._ops.order_statistics import median, quantile_of
from gpuarray._ops.quantile_methods import (
    INTEGER_INDICES,
    METHODS,
    Probabilities,
    checked_elements,
    interpolation_weight,
    probabilities_of,
    rows_of,
    weighted_quantiles,
)
from gpuarray._ops.selection import where
from gpuarray._ops.sorting import sort
from gpuarray._ops.statistics import mean
from gpuarray._ops.sums import sum
from gpuarray._ops.transposing import moveaxis
from gpuarray._ops.weighting import weights_of
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["nanmedian", "nanpercentile", "nanquantile"]


def nanmedian(
    a: ArrayLike,
    axis: int | Sequence[int] | None = None,
    out: ndarray | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> ndarray:
    """The middle element of the sorted ones, or the mean of the two in the middle, without NaN.

    Parameters
    ----------
    a : ndarray
        The elements.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    out : ndarray, optional
        Where the result is stored, with any cast.
    overwrite_input : bool, optional
        Has no influence.
    keepdims : bool, optional
        Keep the axes as axes of length 1.

    Returns
    -------
    ndarray
        NaN where there is nothing but NaN. Unlike NumPy's, results are not checked on the host
        to warn of it.

    Notes
    -----
    A sorted copy of the elements, with the launches and the memory of `sort`, and a few launches
    over the result.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.nanmedian(cp.asarray([[10.0, cp.nan, 4], [3, 2, 1]]), axis=1)
    array([7., 2.])
    """
    a = as_array(a, "nanmedian")
    if a._layout.dtype.kind not in "fc" or not a._layout.size:
        return median(a, axis, out, overwrite_input, keepdims)
    rows, numbers, shape = _sorted_rows(a, axis, keepdims)
    last = maximum(subtract(numbers, 1), 0)
    middle = stack([floor_divide(last, 2), minimum(floor_divide(numbers, 2), last)], -1)
    result = mean(take_along_axis(rows, middle, -1), -1)
    return store_result(reshape(result, shape), out, "nanmedian", "unsafe")


def nanquantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: int | Sequence[int] | None = None,
    out: ndarray | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> ndarray:
    """Values that a part of the elements does not exceed, passing over NaN.

    Parameters
    ----------
    a : ndarray
        Real elements.
    q : float or sequence of float or ndarray
        Probabilities, between 0 and 1.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    out : ndarray, optional
        Where the result is stored, with any cast.
    overwrite_input : bool, optional
        Has no influence.
    method : str, optional
        How to choose or interpolate between neighbours; see `quantile`.
    keepdims : bool, optional
        Keep the axes as axes of length 1.
    weights : ndarray, optional
        The weight of each element; see `quantile`.

    Returns
    -------
    ndarray
        The dimensions of ``q``, then those of ``a`` that remain. NaN where there is nothing but
        NaN; unlike NumPy's, results are not checked on the host to warn of it.

    See Also
    --------
    nanmedian : For launches and memory.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.nanquantile(cp.asarray([[10.0, cp.nan, 4], [3, 2, 1]]), 0.5, axis=1)
    array([7., 2.])
    """
    return _nanquantile(a, probabilities_of(q, "quantile"), axis, out, method, keepdims, weights)


def nanpercentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: int | Sequence[int] | None = None,
    out: ndarray | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> ndarray:
    """Values that so many percent of the elements do not exceed, passing over NaN.

    Parameters
    ----------
    a : ndarray
        Real elements.
    q : float or sequence of float or ndarray
        Percentages, between 0 and 100.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    out : ndarray, optional
        Where the result is stored, with any cast.
    overwrite_input : bool, optional
        Has no influence.
    method : str, optional
        How to choose or interpolate between neighbours; see `quantile`.
    keepdims : bool, optional
        Keep the axes as axes of length 1.
    weights : ndarray, optional
        The weight of each element; see `quantile`.

    Returns
    -------
    ndarray
        The dimensions of ``q``, then those of ``a`` that remain; see `nanquantile`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.nanpercentile(cp.asarray([[10.0, cp.nan, 4], [3, 2, 1]]), 50, axis=1)
    array([7., 2.])
    """
    return _nanquantile(a, probabilities_of(q, "percentile"), axis, out, method, keepdims, weights)


def _nanquantile(
    a: ArrayLike,
    asked: Probabilities,
    axis: int | Sequence[int] | None,
    out: ndarray | None,
    method: str,
    keepdims: bool,
    weights: ArrayLike | None,
) -> ndarray:
    a = checked_elements(a, asked, method, weights)
    q, dtype = asked.values, a._layout.dtype
    if not a._layout.size:
        # NumPy's quantiles of nothing are its means, whatever the probabilities.
        axes = None if axis is None else check_axes(axis, a._layout.ndim)
        return nanmean(a, axes, out=out, keepdims=keepdims)
    if dtype.kind != "f":
        result = quantile_of(a, asked, axis, None, method, keepdims, weights)
        return store_result(result, out, asked.name, "unsafe")
    if weights is not None:
        weights = where(isnan(a), 0, weights_of(weights, a, axis, asked.name))
        result = weighted_quantiles(a, weights, q, axis, keepdims, nan=True)
        return store_result(result, out, asked.name, "unsafe")
    rows, numbers, shape = _sorted_rows(a, axis, keepdims)
    probabilities = array(q.reshape((-1,) + (1,) * numbers._layout.ndim))
    count = copies.copy(numbers, "C", q.dtype) if q.dtype.kind == "f" else numbers
    indices = METHODS[method](count, probabilities)
    last = maximum(subtract(numbers, 1), 0)
    if indices._layout.dtype.kind == "i" and method in INTEGER_INDICES:
        result = _select(rows, maximum(minimum(indices, last), 0))
    else:
        end = greater_equal(indices, subtract(numbers, 1))
        below = floor(indices)
        # NumPy's index of the last element is -1, so its distance to the index is more than 1.
        nearest = where(end, -1, where(less(indices, 0), 0, below))
        weight = interpolation_weight(method, indices, nearest)
        weight = copies.copy(weight, "C", dtype if asked.weak else indices._layout.dtype)
        low, high = [
            _select(rows, copies.copy(maximum(minimum(x, last), 0), "C", np.dtype(np.int64)))
            for x in (below, add(below, 1))
        ]
        result = _interpolate(low, high, weight)
    return store_result(reshape(result, q.shape + shape), out, asked.name, "unsafe")


def _sorted_rows(
    a: ndarray, axis: int | Sequence[int] | None, keepdims: bool
) -> tuple[ndarray, ndarray, tuple[int, ...]]:
    """Sorted rows, the number of elements in each that are not NaN, and the result's shape."""
    rows, shape = rows_of(a, axis, keepdims)
    rows = sort(rows, -1)
    return rows, sum(logical_not(isnan(rows)), -1), shape


def _select(rows: ndarray, indices: ndarray) -> ndarray:
    """Elements of each row; the dimension of the probabilities is the first."""
    return moveaxis(take_along_axis(rows, moveaxis(indices, 0, -1), -1), -1, 0)


def _interpolate(below: ndarray, above: ndarray, weight: ndarray) -> ndarray:
    """NumPy's interpolation: from the nearer end, so that both ends are exact."""
    distance = subtract(above, below)
    from_above = subtract(above, multiply(distance, subtract(1, weight)))
    from_below = add(below, multiply(distance, weight))
    return where(greater_equal(weight, 0.5), from_above, from_below)
