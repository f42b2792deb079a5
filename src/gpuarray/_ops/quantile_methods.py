"""NumPy's definitions of quantiles, for `quantile` and `nanquantile` alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpuarray import _array, _layout
from gpuarray._arguments import check_axes
from gpuarray._array import ArrayBase
from gpuarray._ops.along_axis import take_along_axis
from gpuarray._ops.casts import copyto
from gpuarray._ops.conversion import array
from gpuarray._ops.cumulative import cumsum
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.logic import equal, isnan, less, logical_or
from gpuarray._ops.manipulation import as_array, in_shape
from gpuarray._ops.math import divide, minimum
from gpuarray._ops.searching import count_nonzero
from gpuarray._ops.sorting import argsort
from gpuarray._ops.transposing import moveaxis
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray


class Probabilities(NamedTuple):
    """For what quantiles are asked: the argument `q`."""

    values: np.ndarray  # on the host, between 0 and 1
    weak: bool  # a Python number, which takes on the elements' dtype
    name: str  # 'quantile' or 'percentile', for errors


def probabilities_of(q: ArrayLike, name: str) -> Probabilities:
    """The argument `q` of ``'quantile'``, or of ``'percentile'``, on the host."""
    host = np.asanyarray(asnumpy(q) if isinstance(q, ArrayBase) else q)
    if name == "percentile":
        host = np.asarray(np.true_divide(host, 100))
    return Probabilities(host, type(q) in (int, float), name)


def checked_elements(
    a: ArrayLike, asked: Probabilities, method: str, weights: ArrayLike | None
) -> ndarray:
    """The elements as an array, and the other arguments checked."""
    a = as_array(a, asked.name)
    if a._layout.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    if not np.all((asked.values >= 0) & (asked.values <= 1)):
        bounds = "[0, 100]" if asked.name == "percentile" else "[0, 1]"
        raise ValueError(f"{asked.name.capitalize()}s must be in the range {bounds}")
    if method not in METHODS:
        raise ValueError(f"{method!r} is not a valid method. Use one of: {', '.join(METHODS)}")
    if weights is not None and method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    return a


def rows_of(
    a: ndarray, axis: int | Sequence[int] | None, keepdims: bool
) -> tuple[ndarray, tuple[int, ...]]:
    """The elements with some axes made one and the last, without gaps; the result's shape."""
    shape = a._layout.shape
    axes = check_axes(axis, len(shape), duplicates="repeated axis")
    others = [i for i in range(len(shape)) if i not in axes]
    moved = _array.view(a, _layout.transpose(a._layout, (*others, *sorted(axes))))
    kept = tuple([shape[i] for i in others])
    length = math.prod([shape[i] for i in axes])
    target = _layout.contiguous(a._layout.dtype, (*kept, length))
    if _layout.reshape_view(_layout.own(moved._layout), target.shape) is not target:
        moved = copies.copy(moved, "C")
    if keepdims:
        kept = tuple([1 if i in axes else n for i, n in enumerate(shape)])
    return _array.view(moved, target), kept


def weighted_quantiles(
    a: ndarray,
    weights: ndarray,
    q: np.ndarray,
    axis: int | Sequence[int] | None,
    keepdims: bool,
    nan: bool = False,
) -> ndarray:
    """The first elements in sorted order whose cumulative weights reach the probabilities.

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
    probabilities = array(q.reshape((-1,) + (1,) * shares._layout.ndim))
    before = logical_or(less(shares, probabilities), equal(shares, 0))
    indices = count_nonzero(before, -1)
    result = moveaxis(
        take_along_axis(rows, moveaxis(minimum(indices, rows._layout.shape[-1] - 1), 0, -1), -1),
        -1,
        0,
    )
    if rows._layout.dtype.kind == "f" and not nan:
        last = rows[..., -1]
        copyto(result, last, where=isnan(last))
    return in_shape(result, q.shape + shape)


def _discrete(index: np.ndarray, stays: Callable) -> np.ndarray:
    below = np.floor(index)
    found = np.where(stays(index - below, below), below, below + 1).astype(np.intp)
    return np.maximum(found, 0)


def _continuous(alpha: float, beta: float) -> Callable:
    return lambda n, q: n * q + (alpha + q * (1 - alpha - beta)) - 1


#: From the number of elements and the probabilities to indices in sorted order; between those that
#: are no integers is interpolated.
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

#: Those whose integers are indices, and not probabilities that were given as integers.
INTEGER_INDICES = {"inverted_cdf", "closest_observation", "lower", "higher", "nearest", "linear"}


def interpolation_weight(method: str, indices: Any, below: Any) -> Any:
    """The weight of the neighbour above; that below has the rest."""
    share = indices - below
    if method == "averaged_inverted_cdf":
        return np.where(share == 0, 0.5, 1.0)
    if method == "midpoint":
        return np.where(indices % 1 == 0, 0.0, 0.5)
    return share
