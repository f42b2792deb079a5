"""Order statistics: median, quantiles and ranges (of the page on statistics)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _layout
from gpuarray._array import ArrayBase
from gpuarray._layout import check_axes
from gpuarray._ops import statistics
from gpuarray._ops.casts import copyto
from gpuarray._ops.conversion import array, asnumpy
from gpuarray._ops.cumulative import cumsum
from gpuarray._ops.indexing import take_along_axis
from gpuarray._ops.logic import equal, isnan, less, logical_or
from gpuarray._ops.manipulation import as_array, reshape
from gpuarray._ops.math import add, divide, minimum, multiply, subtract
from gpuarray._ops.searching import count_nonzero
from gpuarray._ops.sorting import argsort
from gpuarray._ops.transposing import moveaxis
from gpuarray._ops.weighting import weights_of
from gpuarray.kernels.elementwise import copies
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
        The axes to go through; all by default.
    out : ndarray, optional
        Where the result is stored.
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
    one for each 11 bits of an element and one before, with scratch memory of at most a tenth of the
    elements; then their mean. Complex numbers are sorted. Where the axes are not the last in
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
    return finished(reshape(result, shape), out, "median")


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
        Parts, between 0 and 1.
    axis : int or tuple of int, optional
        The axes to go through; all by default.
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
        How often each element counts, of the shape of ``a`` or of the lengths of the axes; with
        the method 'inverted_cdf' only. Unlike NumPy's, they are not looked at on the host: they
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
    parts, weak = parts_of(q, "quantile")
    return quantile_of(a, parts, axis, out, method, keepdims, weights, weak, "Quantiles", "[0, 1]")


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
        The axes to go through; all by default.
    out : ndarray, optional
        Where the result is stored.
    overwrite_input : bool, optional
        Has no influence.
    method : str, optional
        How to choose or interpolate between neighbours; see `quantile`.
    keepdims : bool, optional
        Keep the axes as axes of length 1.
    weights : ndarray, optional
        How often each element counts, of the shape of ``a`` or of the lengths of the axes; with
        the method 'inverted_cdf' only. Unlike NumPy's, they are not looked at on the host: they
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
    parts, weak = parts_of(q, "percentile")
    parts = np.asarray(np.true_divide(parts, 100))
    return quantile_of(
        a, parts, axis, out, method, keepdims, weights, weak, "Percentiles", "[0, 100]"
    )


def parts_of(q: Any, name: str) -> tuple[np.ndarray, bool]:
    """The parts on the host, and whether they take on the elements' dtype."""
    if isinstance(q, ArrayBase):
        q = asnumpy(q)
    return np.asanyarray(q), type(q) in (int, float)


def quantile_of(
    a: Any,
    q: np.ndarray,
    axis: Any,
    out: Any,
    method: str,
    keepdims: bool,
    weights: Any,
    weak: bool,
    what: str,
    bounds: str,
) -> Any:
    """Quantiles for parts on the host; ``what`` and ``bounds`` are for errors."""
    name = what.lower()[:-1]
    a = checked(a, q, method, weights, name, bounds)
    index_of = METHODS[method]
    if weights is not None:
        result = weighted(a, weights_of(weights, a, axis, name), q, axis, keepdims)
        return finished(result, out, name)
    rows, shape = rows_of(a, axis, keepdims)
    length = rows._layout.shape[-1]
    if not length:
        raise IndexError("cannot do a non-empty take from an empty axes.")
    places = np.asanyarray(index_of(length, q))
    if places.dtype.kind == "i" and method in WHOLE:
        result = _picked(rows, places)
    else:
        below = np.floor(places)
        above = below + 1
        last, first = places >= length - 1, places < 0
        below = np.where(last, length - 1, np.where(first, 0, below))
        above = np.where(last, length - 1, np.where(first, 0, above))
        # NumPy's index of the last element is -1, so what lies between is more than a step.
        weight = np.asarray(fraction(method, places, np.where(last, -1, below)), places.dtype)
        both = _picked(rows, np.stack([below, above]).astype(np.intp))
        result = _between(both[0], both[1], weight, weak)
    return finished(reshape(result, q.shape + shape), out, what.lower()[:-1])


def checked(a: Any, q: np.ndarray, method: str, weights: Any, name: str, bounds: str) -> Any:
    """The elements of a quantile as an array, and the other arguments checked."""
    a = as_array(a, name)
    if a._layout.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    if not np.all((q >= 0) & (q <= 1)):
        raise ValueError(f"{name.capitalize()}s must be in the range {bounds}")
    if method not in METHODS:
        raise ValueError(f"{method!r} is not a valid method. Use one of: {', '.join(METHODS)}")
    if weights is not None and method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    return a


def weighted(
    a: Any,
    weights: Any,
    q: np.ndarray,
    axis: Any,
    keepdims: bool,
    nan: bool = False,
) -> Any:
    """The first elements in sorted order whose weights, summed up to there, reach the parts.

    With ``nan``, NaN is an element like others, which comes last.
    """
    rows, shape = rows_of(a, axis, keepdims)
    order = argsort(rows, axis=-1)
    rows = take_along_axis(rows, order, -1)
    sums = cumsum(take_along_axis(rows_of(weights, axis, keepdims)[0], order, -1), -1, np.float64)
    shares = divide(sums, sums[..., -1:])
    if q.dtype.kind == "f":
        shares = copies.copy(shares, "C", q.dtype)
    # Elements of no weight before all others are never reached.
    parts = array(q.reshape((-1,) + (1,) * shares._layout.ndim))
    before = logical_or(less(shares, parts), equal(shares, 0))
    places = count_nonzero(before, -1)
    result = moveaxis(
        take_along_axis(rows, moveaxis(minimum(places, rows._layout.shape[-1] - 1), 0, -1), -1),
        -1,
        0,
    )
    if rows._layout.dtype.kind == "f" and not nan:
        last = rows[..., -1]
        copyto(result, last, where=isnan(last))
    return reshape(result, q.shape + shape)


def _picked(rows: Any, places: np.ndarray) -> Any:
    """Elements at places of the sorted rows: the dimensions of the places come first."""
    places = places.astype(np.intp) % rows._layout.shape[-1]
    picked = select_rows(rows, places.reshape(-1).tolist())
    return reshape(picked, places.shape + rows._layout.shape[:-1])


def _between(below: Any, above: Any, weight: np.ndarray, weak: bool) -> Any:
    """NumPy's interpolation: from the nearer end, so that both ends are exact."""
    distance = subtract(above, below)
    if weak:
        one = float(weight)
        if one >= 0.5:
            return subtract(above, multiply(distance, 1 - one))
        return add(below, multiply(distance, one))
    share = weight.reshape(weight.shape + (1,) * (below._layout.ndim - weight.ndim))
    result = add(below, multiply(distance, array(share)))
    beyond = np.asarray(share >= 0.5)
    if beyond.any():
        mirrored = subtract(above, multiply(distance, array(1 - share)))
        copyto(result, mirrored, casting="unsafe", where=array(beyond))
    return result


def rows_of(a: Any, axis: Any, keepdims: bool) -> tuple[Any, tuple[int, ...]]:
    """The elements with some axes made one and the last, without gaps; the result's shape."""
    shape = a._layout.shape
    axes = check_axes(axis, len(shape), duplicates="repeated axis")
    others = [i for i in range(len(shape)) if i not in axes]
    moved = _array.view(a, _layout.transpose(a._layout, (*others, *sorted(axes))))
    kept = tuple([shape[i] for i in others])
    length = math.prod([shape[i] for i in axes])
    target = _layout.contiguous(a._layout.dtype, (*kept, length))
    if _layout.reshape_view(moved._layout, target.shape) is not target:
        moved = copies.copy(moved, "C")
    if keepdims:
        kept = tuple([1 if i in axes else n for i, n in enumerate(shape)])
    return _array.view(moved, target), kept


def finished(result: ndarray, out: ndarray | None, name: str) -> ndarray:
    """The result, stored in ``out`` if that is given."""
    if out is None:
        return result
    if not isinstance(out, ArrayBase) or out._layout.shape != result._layout.shape:
        raise ValueError(f"{name}: out must be an array of shape {result._layout.shape}")
    copyto(out, result, casting="same_kind")
    return out


# ---- NumPy's methods --------------------------------------------------------------------------


def _discrete(index: np.ndarray, stays: Callable) -> np.ndarray:
    below = np.floor(index)
    places = np.where(stays(index - below, below), below, below + 1).astype(np.intp)
    return np.maximum(places, 0)


def _continuous(alpha: float, beta: float) -> Callable:
    return lambda n, q: n * q + (alpha + q * (1 - alpha - beta)) - 1


#: From the number of elements and the parts to places in sorted order: integers, or where to
#: interpolate.
METHODS: dict[str, Callable[[Any, Any], Any]] = {
    "inverted_cdf": lambda n, q: _discrete(n * q - 1, lambda share, _: share == 0),
    "averaged_inverted_cdf": lambda n, q: n * q - 1,
    "closest_observation": lambda n, q: _discrete(
        n * q - 1 - 0.5, lambda share, below: (share == 0) & (below % 2 == 1)
    ),
    "interpolated_inverted_cdf": _continuous(0, 1),
    "hazen": _continuous(0.5, 0.5),
    "weibull": _continuous(0, 0),
    "linear": lambda n, q: (n - 1) * q,
    "median_unbiased": _continuous(1 / 3.0, 1 / 3.0),
    "normal_unbiased": _continuous(3 / 8.0, 3 / 8.0),
    "lower": lambda n, q: np.floor((n - 1) * q).astype(np.intp),
    "higher": lambda n, q: np.ceil((n - 1) * q).astype(np.intp),
    "midpoint": lambda n, q: 0.5 * (np.floor((n - 1) * q) + np.ceil((n - 1) * q)),
    "nearest": lambda n, q: np.around((n - 1) * q).astype(np.intp),
}

#: Those whose integers are places, and not parts given as integers.
WHOLE = {"inverted_cdf", "closest_observation", "lower", "higher", "nearest", "linear"}


def fraction(method: str, places: Any, below: Any) -> Any:
    """How far from the neighbour below to that above."""
    share = places - below
    if method == "averaged_inverted_cdf":
        return np.where(share == 0, 0.5, 1.0)
    if method == "midpoint":
        return np.where(places % 1 == 0, 0.0, 0.5)
    return share
