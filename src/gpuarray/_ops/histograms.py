"""Histograms (of the page on statistics)."""

from __future__ import annotations

import operator
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _layout
from gpuarray._array import ArrayBase
from gpuarray._ops import statistics
from gpuarray._ops.bin_widths import ends_of, estimated_bins
from gpuarray._ops.conversion import array, asarray
from gpuarray._ops.creation import zeros
from gpuarray._ops.cumulative import cumsum
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.joining import concatenate
from gpuarray._ops.manipulation import as_array, in_one_dimension
from gpuarray._ops.searching import searchsorted
from gpuarray._ops.sorting import argsort
from gpuarray._ops.sums import sum
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.histogram.launch import (
    count_between,
    count_between_ends,
    count_elements,
    count_values,
)

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["bincount", "digitize", "histogram", "histogram_bin_edges"]

_INT64 = np.dtype(np.int64)
_FLOAT64 = np.dtype(np.float64)

# Dtypes whose least and greatest element the device makes edges of.
_COUNTED = "bBhHiIlLqQfd"


def bincount(x: ArrayLike, /, weights: ArrayLike | None = None, minlength: int = 0) -> ndarray:
    """Number of occurrences of each non-negative integer.

    Parameters
    ----------
    x : ndarray of integers, 1-D
        The integers.
    weights : ndarray, optional
        What each element adds to its bin, instead of one.
    minlength : int, optional
        The least number of bins.

    Returns
    -------
    ndarray
        One bin for each integer up to the greatest: int64, with weights float64.

    Raises
    ------
    ValueError
        If `x` has not one dimension, an element is negative, or the weights have another length.
    TypeError
        If `x` has no integers, or the weights no cast to float64.

    Notes
    -----
    The greatest element decides the length of the result, so the call waits for the device once.
    Elements are counted while it is looked for, in two launches; if it is 2048 or more, they are
    read once more in two others. With weights there are three launches, and the order of additions
    differs from run to run, and with it the last bits of the sums. Temporary memory: up to 16 KiB.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.bincount(cp.asarray([0, 1, 1, 3, 2, 1, 7]))
    array([1, 3, 1, 1, 0, 0, 0, 1])
    """
    x = as_array(x, "bincount")
    layout = x._layout
    if layout.ndim != 1:
        raise ValueError(
            f"object {'too deep' if layout.ndim else 'of too small depth'} for desired array: "
            f"bincount takes one dimension, got {layout.ndim}"
        )
    if layout.dtype.kind not in "biu" and layout.size:
        raise TypeError(
            f"Cannot cast array data from {layout.dtype!r} to {_INT64!r} according to the rule "
            "'safe'; use astype"
        )
    if isinstance(minlength, bool):
        raise TypeError("bincount: 'minlength' is an integer, not a bool")
    minlength = operator.index(minlength)
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    if weights is not None:
        weights = as_array(weights, "bincount")
        if weights._layout.shape != layout.shape:
            raise ValueError("The weights and list don't have the same length.")
        if not np.can_cast(weights._layout.dtype, _FLOAT64, "safe"):
            raise TypeError(
                f"Cannot cast array data from {weights._layout.dtype!r} to {_FLOAT64!r} "
                "according to the rule 'safe'; use astype"
            )
        weights = _gapless(weights, _FLOAT64)
    if not layout.size:
        return count_elements(_array.empty(_layout.contiguous(_INT64, (0,))), minlength, weights)
    x = _gapless(x)
    if weights is None:
        return count_values(x, minlength)
    return count_elements(x, max(_greatest(x) + 1, minlength), weights)


def _greatest(x: Any) -> int:
    """The greatest of integers none of which may be negative. Waits for the device."""
    layout = x._layout
    if layout.dtype.kind == "i":
        # As unsigned numbers, negative ones are the greatest: one search finds either.
        unsigned = np.dtype(f"u{layout.itemsize}")
        x = _array.view(x, _layout.contiguous(unsigned, layout.shape))
    greatest = int(asnumpy(statistics.max(x)))
    if layout.dtype.kind == "i" and greatest >= 1 << (8 * layout.itemsize - 1):
        raise ValueError("'list' argument must have no negative elements")
    return greatest


def histogram_bin_edges(
    a: ArrayLike,
    bins: ArrayLike | str = 10,
    range: tuple[float, float] | None = None,
    weights: ArrayLike | None = None,
) -> ndarray:
    """The edges of the bins that `histogram` counts.

    Parameters
    ----------
    a : ndarray
        The elements.
    bins : int or sequence or ndarray or str, optional
        The number of bins of one width, or edges that increase, or which estimate gives their
        number: 'auto', 'doane', 'fd', 'rice', 'scott', 'sqrt', 'stone' or 'sturges'.
    range : tuple of float, optional
        The first and the last edge; by default the least and the greatest element.
    weights : ndarray, optional
        Of the shape of ``a``; they have no influence.

    Returns
    -------
    ndarray
        One more edge than there are bins.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.histogram_bin_edges(cp.asarray([0, 0, 1, 2, 4]), bins=2)
    array([0., 2., 4.])
    """
    a, weights = _elements(a, weights, "histogram_bin_edges")
    return asarray(_edges(a, bins, range, weights)[0])


def histogram(
    a: ArrayLike,
    bins: ArrayLike | str = 10,
    range: tuple[float, float] | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[ndarray, ndarray]:
    """Number of elements in each bin.

    Parameters
    ----------
    a : ndarray
        The elements, flattened. NaN is in no bin.
    bins : int or sequence or ndarray or str, optional
        The number of bins of one width, or edges that increase, or which estimate gives their
        number (see `histogram_bin_edges`). Each bin has its lower edge and the last one also its
        upper edge.
    range : tuple of float, optional
        The first and the last edge; by default the least and the greatest element.
    density : bool, optional
        Divide by the number of elements and by the widths of bins.
    weights : ndarray, optional
        What each element adds to its bin, instead of one.

    Returns
    -------
    hist : ndarray
        int64, or the dtype of weights; float64 if it is a density.
    bin_edges : ndarray
        One more edge than there are bins.

    Notes
    -----
    One launch for arrays of up to 128 KiB. Else three: one clears, one finds the least and the
    greatest element, and one makes the edges from them and counts. The call waits for their
    end, since a range that is not finite is an error. With ``range`` or edges there are two, and
    the call waits for edges in device memory only. With weights, the order of additions differs
    from run to run, and with it the last bits of the sums. No temporary memory, but for
    conversions of weights and of views.

    Differences from NumPy
    ----------------------
    Complex numbers are refused: bins of them are not defined.

    Examples
    --------
    >>> import gpuarray as cp
    >>> hist, edges = cp.histogram(cp.asarray([1, 2, 1]), bins=[0, 1, 2, 3])
    >>> hist
    array([0, 2, 1])
    """
    if type(bins) is int and bins > 0 and range is None and weights is None and not density:
        found = _between_ends(a, bins)
        if found is not None:
            return found
    a, weights = _elements(a, weights, "histogram")
    edges, uniform = _edges(a, bins, range, weights)
    if weights is None:
        counts = _histogram(a, edges, uniform, None)
    elif weights._layout.dtype.kind == "c":
        real, imag = weights.real, weights.imag
        counts = _histogram(a, edges, uniform, real) + 1j * _histogram(a, edges, uniform, imag)
        counts = copies.copy(counts, dtype=weights._layout.dtype)
    else:
        counts = _histogram(a, edges, uniform, weights)
        counts = copies.copy(counts, dtype=weights._layout.dtype)
    device_edges = asarray(edges)
    if density:
        widths = asarray(np.array(np.diff(edges), float))
        return counts / widths / sum(counts), device_edges
    return counts, device_edges


def _histogram(a: Any, edges: np.ndarray, uniform: bool, weights: Any) -> Any:
    compared = np.promote_types(a._layout.dtype, edges.dtype)
    if uniform:
        compared = edges.dtype
    if compared.kind == "c":
        raise TypeError("histogram: bins of complex numbers are not defined; take .real or abs")
    if compared == np.float16:
        compared = np.dtype(np.float32)
    elif compared.kind == "b":
        compared = np.dtype(np.uint8)
    if weights is not None:
        weights = _gapless(weights, _FLOAT64)
    # Edges of a narrower dtype are not equally far from one another in that of comparisons.
    uniform = uniform and edges.dtype == compared
    if edges.dtype.kind == "f" and np.isnan(edges).any():
        return _between_positions(a, asarray(edges.astype(compared)), weights)
    return count_between(a, asarray(edges.astype(compared)), weights, uniform)


def _between_positions(a: Any, edges: Any, weights: Any) -> Any:
    """Counts, or sums of weights, between the places that edges have among the sorted elements.

    This is how NumPy counts. Only where an edge is NaN is it no count of elements between edges:
    NaN comes last, so that a bin up to NaN has all that is left, and one from NaN on is negative.
    """
    order = argsort(a)
    ordered = a[order]
    places = concatenate(
        [searchsorted(ordered, edges[:-1], "left"), searchsorted(ordered, edges[-1:], "right")]
    )
    if weights is None:
        return places[1:] - places[:-1]
    totals = concatenate([zeros(1), cumsum(weights[order])])
    found = totals[places]
    return found[1:] - found[:-1]


def _between_ends(a: Any, bins: int) -> tuple[Any, Any] | None:
    a = as_array(a, "histogram")
    layout = a._layout
    if not layout.size or layout.dtype.char not in _COUNTED:
        return None
    return count_between_ends(_gapless(a), bins)


def _elements(a: ArrayLike, weights: ArrayLike | None, name: str) -> tuple[ndarray, ndarray | None]:
    a = as_array(a, name)
    if a._layout.dtype == bool:
        warnings.warn(
            f"Converting input from {a._layout.dtype} to {np.uint8} for compatibility.",
            RuntimeWarning,
            stacklevel=3,
        )
        a = _array.view(_gapless(a), _layout.contiguous(np.dtype(np.uint8), a._layout.shape))
    if weights is not None:
        weights = as_array(weights, name)
        if weights._layout.shape != a._layout.shape:
            raise ValueError("weights should have the same shape as a.")
        weights = in_one_dimension(weights)
    return _gapless(in_one_dimension(a)), weights


def _edges(a: Any, bins: Any, range: Any, weights: Any) -> tuple[np.ndarray, bool]:
    """Edges on the host, as NumPy computes them, and whether bins have one width."""
    if isinstance(bins, str):
        bins = estimated_bins(a, bins, range, weights)
    if isinstance(bins, ArrayBase):
        bins = asnumpy(bins)
    dtype = a._layout.dtype
    uniform = np.ndim(bins) == 0
    # All that NumPy asks of the elements is their dtype and their ends.
    ends = np.empty(0, dtype)
    if uniform and range is None and a._layout.size:
        ends = np.array(ends_of(a))
    return np.histogram_bin_edges(ends, bins, range), uniform


def digitize(x: ArrayLike, bins: ArrayLike, right: bool = False) -> ndarray:
    """The bin of each element.

    Parameters
    ----------
    x : ndarray
        The elements.
    bins : ndarray, 1-D
        Edges that increase or decrease.
    right : bool, optional
        Whether bins have their upper edge instead of their lower one.

    Returns
    -------
    ndarray of int64
        The number of edges before each element, of the shape of ``x``.

    Raises
    ------
    ValueError
        If `bins` has not one dimension, or goes neither up nor down.
    TypeError
        If `x` is complex.

    Notes
    -----
    Edges are fetched to see whether they increase, so the call waits for the device once. A
    search follows, with the memory of `searchsorted`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.digitize(cp.asarray([0.2, 6.4, 3.0]), cp.asarray([0.0, 1.0, 2.5, 4.0]))
    array([1, 4, 3])
    """
    x = as_array(x, "digitize")
    bins = as_array(bins, "digitize")
    if x._layout.dtype.kind == "c":
        raise TypeError("x may not be complex")
    if bins._layout.ndim != 1:
        raise ValueError(
            "object of too small depth for desired array"
            if not bins._layout.ndim
            else "object too deep for desired array"
        )
    side = "left" if right else "right"
    # Most edges increase: the device looks for elements while the host looks at the edges.
    found = searchsorted(bins, x, side)
    edges = asnumpy(bins)
    if (edges[1:] >= edges[:-1]).all():
        return found
    if not (edges[1:] <= edges[:-1]).all():
        raise ValueError("bins must be monotonically increasing or decreasing")
    found = searchsorted(array(edges[::-1].copy()), x, side)
    return len(edges) - found


def _gapless(x: Any, dtype: np.dtype | None = None) -> Any:
    """The array itself if it is C-contiguous and has the dtype, else a copy."""
    if x._layout.c_contiguous and (dtype is None or dtype == x._layout.dtype):
        return x
    return copies.copy(x, "C", dtype)
