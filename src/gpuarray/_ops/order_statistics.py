"""Order statistics: median, quantiles and ranges (of the page on statistics)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gpuarray import _array, _layout
from gpuarray._array import ArrayBase
from gpuarray._ops import statistics
from gpuarray._ops.casts import copyto, store_result
from gpuarray._ops.conversion import array
from gpuarray._ops.manipulation import as_array, in_shape, reshape
from gpuarray._ops.math import add, multiply, subtract
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
from gpuarray._ops.weighting import weights_of
from gpuarray.kernels.select.launch import select_rows

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, Operand, ndarray

__all__ = ["median", "percentile", "ptp", "quantile"]


def ptp(
    a: Operand,
    axis: int | tuple[int, ...] | None = None,
    out: ndarray | None = None,
    keepdims: bool = False,
) -> ndarray:
    """The range of values: the greatest element less the least.

    Parameters
    ----------
    a : ndarray
        The elements.
    axis : int or tuple of int, optional
        The axes that are compared; all by default.
    out : ndarray, optional
        Where the result is stored.
    keepdims : bool, optional
        Keep the compared axes as axes of length 1.

    Returns
    -------
    ndarray
        Three launches.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.ptp(cp.asarray([[4, 9, 2], [6, 1, 3]]), axis=1)
    array([7, 5])
    """
    if isinstance(a, ArrayBase) and a._layout.dtype.kind == "M":
        # The difference of times has another dtype.
        greatest = statistics.max(a, axis, None, keepdims)
        return subtract(greatest, statistics.min(a, axis, None, keepdims), out=out)
    greatest = statistics.max(a, axis, out, keepdims)
    return subtract(greatest, statistics.min(a, axis, None, keepdims), out=greatest)


def median(
    a: ArrayLike,
    axis: int | Sequence[int] | None = None,
    out: ndarray | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> ndarray:
    """The middle element of the sorted ones, or the mean of the two in the middle.

    Parameters
    ----------
    a : ndarray
        The elements. A NaN among them is the result.
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
        float64 for integers and bools.

    Notes
    -----
    The middle is found by a radix select: one launch for many rows of up to 131072 elements, else
    one for each 11 bits of an element and one before, with temporary memory of at most a tenth of
    the elements; then their mean. Complex numbers are sorted. Where the axes are not the last in
    memory, elements are copied before.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.median(cp.asarray([[10, 7, 4], [3, 2, 1]]), axis=1)
    array([7., 2.])
    """
    a = as_array(a, "median")
    rows, shape = rows_of(a, axis, keepdims)
    length = rows._layout.shape[-1]
    if not length:
        warnings.warn("Mean of empty slice", RuntimeWarning, stacklevel=2)
        kind = a._layout.dtype if a._layout.dtype.kind in "fc" else np.dtype(float)
        result = _array.empty(_layout.contiguous(kind, rows._layout.shape[:-1]))
        result[...] = np.nan
    else:
        middle = select_rows(rows, range((length - 1) // 2, length // 2 + 1))
        result = statistics.mean(middle, axis=0)
    return store_result(in_shape(result, shape), out, "median", "unsafe")


def quantile(
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
    """Values that a part of the elements does not exceed.

    Parameters
    ----------
    a : ndarray
        Real elements. A NaN among them is the result.
    q : float or sequence of float or ndarray
        Probabilities, between 0 and 1.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    out : ndarray, optional
        Where the result is stored.
    overwrite_input : bool, optional
        Has no influence.
    method : str, optional
        How to choose or interpolate between neighbours: 'linear', 'lower', 'higher', 'midpoint',
        'nearest', 'inverted_cdf', 'averaged_inverted_cdf', 'closest_observation',
        'interpolated_inverted_cdf', 'hazen', 'weibull', 'median_unbiased' or 'normal_unbiased'.
    keepdims : bool, optional
        Keep the axes as axes of length 1.
    weights : ndarray, optional
        The weight of each element, of the shape of ``a`` or of the lengths of the axes; with the
        method 'inverted_cdf' only. Unlike NumPy's, weights are not checked on the host: they
        must not be negative.

    Returns
    -------
    ndarray
        The dimensions of ``q``, then those of ``a`` that remain.

    Notes
    -----
    The elements are found by a radix select as of `median`, up to 32 at a time; for more of them
    all are sorted. A few launches over the result follow. A ``q`` in device memory is fetched.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.quantile(cp.asarray([10, 7, 4, 3, 2, 1]), 0.5)
    array(3.5)
    """
    return quantile_of(a, probabilities_of(q, "quantile"), axis, out, method, keepdims, weights)


def percentile(
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
    """Values that so many percent of the elements do not exceed.

    Parameters
    ----------
    a : ndarray
        Real elements. A NaN among them is the result.
    q : float or sequence of float or ndarray
        Percentages, between 0 and 100.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    out : ndarray, optional
        Where the result is stored.
    overwrite_input : bool, optional
        Has no influence.
    method : str, optional
        How to choose or interpolate between neighbours; see `quantile`.
    keepdims : bool, optional
        Keep the axes as axes of length 1.
    weights : ndarray, optional
        The weight of each element, of the shape of ``a`` or of the lengths of the axes; with the
        method 'inverted_cdf' only. Unlike NumPy's, weights are not checked on the host: they
        must not be negative.

    Returns
    -------
    ndarray
        The dimensions of ``q``, then those of ``a`` that remain.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.percentile(cp.asarray([[10, 7, 4], [3, 2, 1]]), [25, 50], axis=1)
    array([[5.5, 1.5],
           [7. , 2. ]])
    """
    return quantile_of(a, probabilities_of(q, "percentile"), axis, out, method, keepdims, weights)


def quantile_of(
    a: ArrayLike,
    asked: Probabilities,
    axis: int | Sequence[int] | None,
    out: ndarray | None,
    method: str,
    keepdims: bool,
    weights: ArrayLike | None,
) -> ndarray:
    """Quantiles for probabilities on the host; `weights` and `method` as for `quantile`."""
    a = checked_elements(a, asked, method, weights)
    if weights is not None:
        weights = weights_of(weights, a, axis, asked.name)
        result = weighted_quantiles(a, weights, asked.values, axis, keepdims)
        return store_result(result, out, asked.name)
    rows, shape = rows_of(a, axis, keepdims)
    length = rows._layout.shape[-1]
    if not length:
        raise IndexError("cannot do a non-empty take from an empty axes.")
    indices = np.asanyarray(METHODS[method](length, asked.values))
    if indices.dtype.kind == "i" and method in INTEGER_INDICES:
        # NumPy takes elements into the output, with any cast.
        result = in_shape(_select(rows, indices), asked.values.shape + shape)
        return store_result(result, out, asked.name, "unsafe")
    else:
        below = np.floor(indices)
        above = below + 1
        last, first = indices >= length - 1, indices < 0
        below = np.where(last, length - 1, np.where(first, 0, below))
        above = np.where(last, length - 1, np.where(first, 0, above))
        # NumPy's index of the last element is -1, so its distance to the index is more than 1.
        weight = interpolation_weight(method, indices, np.where(last, -1, below))
        both = _select(rows, np.stack([below, above]).astype(np.intp))
        result = _interpolate(both[0], both[1], np.asarray(weight, indices.dtype), asked.weak)
    return store_result(in_shape(result, asked.values.shape + shape), out, asked.name)


def _select(rows: ndarray, indices: np.ndarray) -> ndarray:
    """Elements of the rows by their indices in sorted order; the indices' dimensions are first."""
    indices = indices.astype(np.intp) % rows._layout.shape[-1]
    selected = select_rows(rows, indices.reshape(-1).tolist())
    return reshape(selected, indices.shape + rows._layout.shape[:-1])


def _interpolate(below: ndarray, above: ndarray, weight: np.ndarray, weak: bool) -> ndarray:
    """NumPy's interpolation: from the nearer end, so that both ends are exact."""
    distance = subtract(above, below)
    if weak:
        one = float(weight)
        if one >= 0.5:
            return subtract(above, multiply(distance, 1 - one))
        return add(below, multiply(distance, one))
    share = weight.reshape(weight.shape + (1,) * (below._layout.ndim - weight.ndim))
    result = add(below, multiply(distance, array(share)))
    nearer_above = np.asarray(share >= 0.5)
    if nearer_above.any():
        from_above = subtract(above, multiply(distance, array(1 - share)))
        copyto(result, from_above, casting="unsafe", where=array(nearer_above))
    return result
