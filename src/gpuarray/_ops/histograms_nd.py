"""Histograms of several dimensions (of the page on statistics)."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._array import ArrayBase
from gpuarray._ops import statistics
from gpuarray._ops.conversion import asarray, asnumpy
from gpuarray._ops.dimensions import atleast_2d
from gpuarray._ops.joining import stack
from gpuarray._ops.logic import equal
from gpuarray._ops.manipulation import as_array, in_one_dimension, reshape
from gpuarray._ops.math import add, divide, multiply, subtract
from gpuarray._ops.searching import searchsorted
from gpuarray._ops.sums import sum
from gpuarray._ops.transposing import transpose
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.histogram.launch import count_elements

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["histogram2d", "histogramdd"]

_FLOAT64 = np.dtype(np.float64)


def histogramdd(
    sample: ndarray | Sequence[ArrayLike],
    bins: ArrayLike | Sequence[ArrayLike] = 10,
    range: Sequence[tuple[float, float] | None] | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[ndarray, list[ndarray]]:
    """Histogram in several dimensions: the number of points in each bin of a grid.

    Parameters
    ----------
    sample : ndarray of shape (points, dimensions), or sequence of ndarray
        The points, or the points' coordinates for each dimension.
    bins : int or sequence, optional
        The number of bins along all dimensions, or for each dimension a number or increasing
        edges.
    range : sequence of (float, float), optional
        For each dimension the first and the last edge, or None for its least and its greatest
        coordinate.
    density : bool, optional
        Divide by the number of points and by the bins' volumes.
    weights : ndarray, optional
        What each point adds to its bin, instead of one.

    Returns
    -------
    hist : ndarray of float64
        A dimension for each of the points.
    edges : list of ndarray
        The edges along each dimension.

    Notes
    -----
    Some six launches for each dimension and four more. Temporary memory: 16 bytes for each point,
    and the grid with a border. Without ``range`` the call waits for the device once for each
    dimension, and for edges in device memory as well. With weights, the order of additions differs
    from run to run, and with it the last bits of the sums.

    Examples
    --------
    >>> import gpuarray as cp
    >>> points = cp.asarray([[0.0, 0.0], [1.0, 0.5], [1.0, 1.0]])
    >>> cp.histogramdd(points, bins=2)[0]
    array([[1., 0.],
           [0., 2.]])
    """
    if isinstance(sample, ArrayBase):
        points: Any = sample if sample._layout.ndim == 2 else transpose(atleast_2d(sample))
        columns = [points[:, i] for i in builtins.range(points._layout.shape[1])]
    else:
        columns = [in_one_dimension(as_array(x, "histogramdd")) for x in sample]
        columns = columns or [asarray(np.empty(0))]
    count = len(columns)
    if not count:
        raise ValueError("histogramdd: the points have no coordinates")
    given = _length(bins)
    if given is None:
        all_bins: Any = [bins] * count
    elif given != count:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    else:
        all_bins = bins
    if range is None:
        range = (None,) * count
    elif len(range) != count:
        raise ValueError("range argument must have one entry per dimension")
    edges = [_edges(columns[i], all_bins[i], range[i], i) for i in builtins.range(count)]
    if weights is not None:
        weights = copies.copy(in_one_dimension(as_array(weights, "histogramdd")), "C", _FLOAT64)
        if weights._layout.size != columns[0]._layout.size:
            raise ValueError("The weights and list don't have the same length.")
    lengths = [len(one) + 1 for one in edges]  # with those below and above
    index: Any = 0  # of the bin, in C order
    for column, one, length in zip(columns, edges, lengths, strict=True):
        found = searchsorted(asarray(one), column, "right")
        # The last bin has its upper edge, too.
        found = subtract(found, equal(column, one[-1]))
        index = add(multiply(index, length), found)
    hist = count_elements(copies.copy(index, "C"), int(np.prod(lengths)), weights)
    hist = reshape(copies.copy(hist, "C", _FLOAT64), tuple(lengths))
    hist = hist[(slice(1, -1),) * count]
    if density:
        volumes: Any = 1.0
        for i, one in enumerate(edges):
            widths = np.diff(one).reshape((-1,) + (1,) * (count - 1 - i))
            volumes = multiply(volumes, asarray(widths))
        hist = divide(divide(hist, volumes), sum(hist))
    return copies.copy(hist, "C"), [asarray(one) for one in edges]


def _length(bins: Any) -> int | None:
    """The number of items; None for a single number."""
    try:
        return len(bins)
    except TypeError:
        return None


def _edges(column: Any, bins: Any, range: Any, dimension: int) -> np.ndarray:
    """The edges along a dimension, on the host."""
    bins = asnumpy(bins) if isinstance(bins, ArrayBase) else bins
    if np.ndim(bins) == 0:
        if bins < 1:
            raise ValueError(f"`bins[{dimension}]` must be positive, when an integer")
        try:
            number = operator.index(bins)
        except TypeError as error:
            raise TypeError(f"`bins[{dimension}]` must be an integer, when a scalar") from error
        ends = np.empty(0)
        if range is None and column._layout.size:
            ends = asnumpy(stack([statistics.min(column), statistics.max(column)]))
        found = np.histogram_bin_edges(ends, 1, range)
        return np.linspace(found[0], found[-1], number + 1)
    edges = np.asarray(bins)
    if edges.ndim != 1:
        raise ValueError(f"`bins[{dimension}]` must be a scalar or 1d array")
    if np.any(edges[:-1] > edges[1:]):
        raise ValueError(f"`bins[{dimension}]` must be monotonically increasing, when an array")
    return edges


def histogram2d(
    x: ArrayLike,
    y: ArrayLike,
    bins: ArrayLike | Sequence[ArrayLike] = 10,
    range: Sequence[tuple[float, float] | None] | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[ndarray, ndarray, ndarray]:
    """Histogram in two dimensions: the number of points in each bin.

    Parameters
    ----------
    x, y : ndarray, 1-D
        The points' coordinates.
    bins : int or sequence, optional
        The number of bins or the edges along both dimensions, or a pair of them.
    range : pair of (float, float), optional
        For each dimension the first and the last edge.
    density : bool, optional
        Divide by the number of points and by the bins' areas.
    weights : ndarray, optional
        What each point adds to its bin, instead of one.

    Returns
    -------
    hist : ndarray of float64
        The first dimension is that of ``x``.
    x_edges, y_edges : ndarray
        The edges.

    See Also
    --------
    histogramdd : For launches and memory.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x, y = cp.asarray([0.0, 1.0, 1.0]), cp.asarray([0.0, 0.5, 1.0])
    >>> cp.histogram2d(x, y, bins=2)[0]
    array([[1., 0.],
           [0., 2.]])
    """
    x, y = as_array(x, "histogram2d"), as_array(y, "histogram2d")
    if x._layout.size != y._layout.size:
        raise ValueError("x and y must have the same length.")
    if x._layout.ndim != 1 or y._layout.ndim != 1:
        raise ValueError(
            f"histogram2d: x and y must have one dimension (got shapes {x._layout.shape} and "
            f"{y._layout.shape}); use ravel"
        )
    if _length(bins) not in (None, 1, 2):
        bins = [bins, bins]
    hist, edges = histogramdd([x, y], bins, range, density, weights)
    return hist, edges[0], edges[1]
