"""Histograms of several dimensions (of the page on statistics)."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpuarray import _array, _dtypes, _layout
from gpuarray._array import ArrayBase
from gpuarray._ops import statistics
from gpuarray._ops.conversion import asarray
from gpuarray._ops.dimensions import atleast_2d
from gpuarray._ops.host_copies import asnumpy, on_host
from gpuarray._ops.joining import concatenate
from gpuarray._ops.logic import greater
from gpuarray._ops.manipulation import as_array, in_one_dimension, reshape
from gpuarray._ops.math import divide, subtract
from gpuarray._ops.sums import sum
from gpuarray._ops.transposing import transpose
from gpuarray._ops.truth import any
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels import histogram as histogram_kernels
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.elementwise.launch import Coordinates
from gpuarray.kernels.generator.expressions import Apply, Cast, Constant, Expression, Input, Scalar
from gpuarray.kernels.generator.operations import operation

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

    Raises
    ------
    ValueError
        If bins, ranges or weights do not fit the points.

    Notes
    -----
    One launch counts, one clears and one converts. Without ``range`` there are three more for each
    dimension, and the call waits for the device once, at its end, since a range that is not finite
    is an error; for edges in device memory there is one more, and it waits likewise. With weights,
    the order of additions differs from run to run, and with it the last bits of the sums. No
    temporary memory but for the grid.

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
    dtype = np.result_type(*[x._layout.dtype for x in columns])
    made = [_edges(columns[i], all_bins[i], range[i], i, dtype) for i in builtins.range(count)]
    if weights is not None:
        weights = copies.copy(in_one_dimension(as_array(weights, "histogramdd")), "C", _FLOAT64)
        if weights._layout.size != columns[0]._layout.size:
            raise ValueError("The weights and list don't have the same length.")
    axes = [_compared(column, one) for column, one in zip(columns, made, strict=True)]
    hist = histogram_kernels.grid.count_grid(
        [column for column, _ in axes],
        [edges for _, edges in axes],
        [one.uniform and one.edges is edges for one, (_, edges) in zip(made, axes, strict=True)],
        weights,
    )
    _check(made)
    if weights is None:
        hist = copies.copy(hist, "C", _FLOAT64)
    if density:
        total = sum(hist)
        for i, one in enumerate(made):
            widths = subtract(one.edges[1:], one.edges[:-1])
            hist = divide(hist, reshape(widths, (-1,) + (1,) * (count - 1 - i)))
        hist = divide(hist, total)
    return hist, [one.edges for one in made]


class Edges(NamedTuple):
    """The edges along one axis, in device memory."""

    edges: Any
    #: Whether bins have one width.
    uniform: bool
    #: What is to be fetched to see whether they can be, and the error if they cannot.
    check: Any = None
    error: Callable[[np.ndarray], Exception | None] = lambda found: None


def _compared(column: Any, made: Edges) -> tuple[Any, Any]:
    """Coordinates and edges in dtypes that the kernel compares."""
    edges = made.edges
    dtype = np.promote_types(column._layout.dtype, edges._layout.dtype)
    if dtype.kind == "c":
        raise TypeError("histogramdd: bins of complex numbers are not defined; take .real or abs")
    if dtype == np.float16:
        dtype = np.dtype(np.float32)
    elif dtype.kind == "b":
        dtype = np.dtype(np.uint8)
    if dtype != edges._layout.dtype or not edges._layout.c_contiguous:
        edges = copies.copy(edges, "C", dtype)
    return column, edges


def _check(made: Sequence[Edges]) -> None:
    """Fetch what decides whether edges can be, and raise if they cannot: one wait for all."""
    checks = [one for one in made if one.check is not None]
    if not checks:
        return
    parts = [copies.copy(one.check, "C", _FLOAT64) for one in checks]
    found = asnumpy(concatenate(parts))
    start = 0
    for one, part in zip(checks, parts, strict=True):
        error = one.error(found[start : start + part._layout.size])
        start += part._layout.size
        if error is not None:
            raise error


def _length(bins: Any) -> int | None:
    """The number of items; None for a single number."""
    try:
        return len(bins)
    except TypeError:
        return None


def _edges(column: Any, bins: Any, range: Any, dimension: int, dtype: np.dtype) -> Edges:
    """The edges along a dimension."""
    if (bins._layout.ndim if isinstance(bins, ArrayBase) else np.ndim(bins)) == 0:
        number = on_host(bins)
        if number < 1:
            raise ValueError(f"`bins[{dimension}]` must be positive, when an integer")
        try:
            number = operator.index(number)
        except TypeError as error:
            raise TypeError(f"`bins[{dimension}]` must be an integer, when a scalar") from error
        if range is None and column._layout.size:
            return _between_ends(column, number, dtype)
        ends = np.histogram_bin_edges(np.empty(0), 1, range)
        return Edges(asarray(np.linspace(ends[0], ends[-1], number + 1)), True)
    message = f"`bins[{dimension}]` must be monotonically increasing, when an array"
    if isinstance(bins, ArrayBase):
        if bins._layout.ndim == 1:
            given: Any = bins
            falls = any(greater(given[:-1], given[1:]))
            return Edges(
                copies.copy(given, "C"),
                False,
                reshape(falls, (1,)),
                lambda found: ValueError(message) if found[0] else None,
            )
        edges = np.empty(bins._layout.shape)
    else:
        edges = np.asarray(bins)
    if edges.ndim != 1:
        raise ValueError(f"`bins[{dimension}]` must be a scalar or 1d array")
    if np.any(edges[:-1] > edges[1:]):
        raise ValueError(message)
    return Edges(asarray(edges), False)


def _between_ends(column: Any, number: int, dtype: np.dtype) -> Edges:
    """Edges at equal distances between the least and the greatest coordinate.

    `dtype` is that of all coordinates, which NumPy has in one array.
    """
    kind = np.linspace(np.zeros((), dtype), 1, 2).dtype if dtype.kind == "f" else _FLOAT64
    ends = _array.empty(_layout.contiguous(kind, (2,)))
    single = _layout.contiguous(kind, ())
    statistics.min(column, out=_array.view(ends, single))
    statistics.max(column, out=_array.view(ends, single, kind.itemsize))
    edges = _linspace_call(current.stream, kind, number)(ends)

    def error(found: np.ndarray) -> Exception | None:
        if np.isfinite(found).all():
            return None
        return ValueError(f"autodetected range of [{found[0]}, {found[1]}] is not finite")

    return Edges(edges, True, ends if dtype.kind == "f" else None, error)


@planned
def _linspace_call(stream: Stream, dtype: np.dtype, number: int) -> Any:
    """Edges from both ends, by NumPy's steps; equal ends are moved apart by one."""
    code = _dtypes.code(dtype)
    layout = _layout.contiguous(dtype, (number + 1,))
    repeated = _layout.layout_of(dtype, (number + 1,), (0,))

    def apply(name: str, *operands: Expression) -> Expression:
        return Apply(operation(name), operands, code)

    first, last = Input(0, code), Input(1, code)
    half = Constant(0.5, code)
    equal = Apply(operation("equal"), (first, last), "b1")
    low = apply("where", equal, apply("subtract", first, half), first)
    high = apply("where", equal, apply("add", last, half), last)
    delta = apply("subtract", high, low)
    count = Scalar(3, code)
    step = apply("divide", delta, count)
    index = Cast(code, Input(2, "i8"))
    vanished = Apply(operation("equal"), (step, Constant(0, code)), "b1")
    way = apply(
        "where",
        vanished,
        apply("multiply", apply("divide", index, count), delta),
        apply("multiply", index, step),
    )
    is_last = Apply(operation("equal"), (Input(2, "i8"), Scalar(4, "i8")), "b1")
    value = apply("where", is_last, high, apply("add", way, low))
    inputs: list[Any] = [repeated, repeated, Coordinates(1), dtype, np.dtype(np.int64)]
    run = elementwise.launch.make_call("linspace", [value], inputs, [layout], [False], stream)
    return lambda ends: run(
        _array.view(ends, repeated), _array.view(ends, repeated, dtype.itemsize), number, number
    )


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

    Raises
    ------
    ValueError
        If `x` and `y` have not one dimension and one length.

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
