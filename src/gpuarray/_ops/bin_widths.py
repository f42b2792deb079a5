"""Estimates of the number of bins from the elements (of the page on statistics)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from gpuarray import _array, _layout
from gpuarray._ops import statistics
from gpuarray._ops.averages import std
from gpuarray._ops.conversion import asarray
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.logic import greater_equal, less_equal, logical_and
from gpuarray._ops.math import divide, subtract
from gpuarray._ops.order_statistics import percentile
from gpuarray.kernels.histogram.launch import count_between


class Sample:
    """What estimates ask of the elements. Each is computed on the device, and fetched, once."""

    def __init__(self, a: Any, first: Any, last: Any) -> None:
        self.a = a
        self.size = a._layout.size
        #: The outer edges of the bins.
        self.first, self.last = first, last

    @cached_property
    def range(self) -> Any:
        """The distance of the least and the greatest element."""
        return distance(*ends_of(self.a))

    def counts(self, bins: int) -> np.ndarray:
        """How many elements are in each of some bins."""
        dtype = np.result_type(self.first, self.last, self.a._layout.dtype, np.float32)
        edges = np.linspace(self.first, self.last, bins + 1, dtype=dtype)
        return asnumpy(count_between(self.a, asarray(edges), uniform=True))

    @cached_property
    def deviation(self) -> Any:
        """The standard deviation."""
        return asnumpy(std(self.a))[()]

    @cached_property
    def quartiles(self) -> Any:
        """The distance of the quartiles."""
        found = asnumpy(percentile(self.a, [75, 25]))
        return found[0] - found[1]

    @cached_property
    def skewness(self) -> Any:
        """The mean cube of the distances from the mean, in standard deviations."""
        scaled = divide(subtract(self.a, statistics.mean(self.a)), self.deviation)
        return asnumpy(statistics.mean(scaled**3))[()]


def _doane(x: Sample) -> Any:
    if x.size <= 2 or not x.deviation > 0:
        return 0.0
    n = x.size
    spread = np.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)))
    return x.range / (1.0 + np.log2(n) + np.log2(1.0 + np.absolute(x.skewness) / spread))


def _stone(x: Sample) -> Any:
    if x.size <= 1 or x.range == 0:
        return 0
    n = x.size
    most = max(100, int(np.sqrt(n)))

    def loss(bins: int) -> float:
        shares = x.counts(bins) / n
        return (2 - (n + 1) * shares.dot(shares)) * bins / x.range

    bins = min(range(1, most + 1), key=loss)
    if bins == most:
        warnings.warn(
            "histogram: more bins than were tried may fit better; give a number",
            RuntimeWarning,
            stacklevel=5,
        )
    return x.range / bins


def _freedman(x: Sample) -> Any:
    return 2.0 * x.quartiles * x.size ** (-1.0 / 3.0)


def _sturges(x: Sample) -> Any:
    return x.range / (np.log2(x.size) + 1.0)


def _sqrt(x: Sample) -> Any:
    return x.range / np.sqrt(x.size)


#: By name: the width of bins.
ESTIMATES: dict[str, Callable[[Sample], Any]] = {
    "auto": lambda x: min(max(_freedman(x), _sqrt(x) / 2), _sturges(x)),
    "doane": _doane,
    "fd": _freedman,
    "rice": lambda x: x.range / (2.0 * x.size ** (1.0 / 3)),
    "scott": lambda x: (24.0 * np.pi**0.5 / x.size) ** (1.0 / 3.0) * x.deviation,
    "sqrt": _sqrt,
    "stone": _stone,
    "sturges": _sturges,
}


def estimated_bins(a: Any, name: str, range: Any, weights: Any) -> int:
    """The number of bins that an estimate gives for elements in one dimension."""
    if name not in ESTIMATES:
        raise ValueError(
            f"histogram: no estimate is called {name!r}; use one of {', '.join(ESTIMATES)}"
        )
    if weights is not None:
        raise TypeError("histogram: the number of bins is not estimated with weights; give bins")
    if range is not None:
        np.histogram_bin_edges(np.empty(0), 1, range)  # which refuses what is no range
        first, last = range
        inside = logical_and(greater_equal(a, first), less_equal(a, last))
        a = a[inside]
    elif a._layout.size:
        first, last = ends_of(a)
        np.histogram_bin_edges(np.array([first, last]), 1)
    if not a._layout.size:
        return 1
    if first == last:
        first, last = first - 0.5, last + 0.5
    width = ESTIMATES[name](Sample(a, first, last))
    if not width:
        return 1
    if a._layout.dtype.kind in "iu" and width < 1:
        width = 1
    return int(np.ceil(distance(first, last) / width))


def ends_of(a: Any) -> tuple[Any, Any]:
    """The least and the greatest element, on the host: it waits for the device once."""
    dtype = a._layout.dtype
    both = _array.empty(_layout.contiguous(dtype, (2,)))
    single = _layout.contiguous(dtype, ())
    statistics.min(a, out=_array.view(both, single))
    statistics.max(a, out=_array.view(both, single, dtype.itemsize))
    low, high = asnumpy(both)
    return low, high


def distance(low: Any, high: Any) -> Any:
    """How far two numbers are apart: of signed integers in the unsigned dtype that holds it."""
    dtype = np.result_type(low, high)
    if dtype.kind != "i":
        return np.subtract(high, low, dtype=dtype)
    ends = np.asarray(high, dtype), np.asarray(low, dtype)
    return np.subtract(*ends, dtype=f"u{dtype.itemsize}", casting="unsafe")
