"""Histograms: from layouts to a call."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _calls, _dtypes, _layout, _transfers
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import histogram as histogram_kernels

if TYPE_CHECKING:
    from gpuarray.kernels.histogram.spec import HistogramSpec

_INT64, _UINT64 = np.dtype(np.int64), np.dtype(np.uint64)
_ONE = _layout.contiguous(_UINT64, (1,))
_ENDS = _layout.contiguous(_UINT64, (3,))
_LAST = 2**64 - 1

#: Bytes of elements up to which one block makes a whole histogram between the ends.
ALONE_BYTES = 1 << 17

# Blocks for each multiprocessor: each adds its bins to the result.
_BLOCKS, _UNSHARED_BLOCKS = 4, 8

# Bins of a table of values of which the greatest is not known.
_GUESS = 2048


def count_elements(elements: Any, bins: int, weights: Any = None) -> Any:
    """How many elements have each of the values from 0 on, or the sums of their weights.

    Parameters
    ----------
    elements : ndarray
        C-contiguous integers or bools; those that are no bin are not counted.
    bins : int
        The number of bins.
    weights : ndarray of float64, optional
        C-contiguous, one for each element.

    Returns
    -------
    ndarray of int64, or of float64 with weights
        One launch, and one to clear the result.
    """
    return _count("value", elements, None, bins, weights)


def count_values(elements: Any, least: int) -> Any:
    """How many elements have each of the values from 0 to the greatest, but for `least` bins.

    They are counted while the greatest is looked for, which is all if it is less than 2048; the
    host waits for it. Else all are read once more.

    Parameters
    ----------
    elements : ndarray
        C-contiguous integers or bools, at least one.
    least : int
        The least number of bins.

    Returns
    -------
    ndarray of int64

    Raises
    ------
    ValueError
        If an element is negative.
    """
    layout = elements._layout
    stream = current.stream
    run, room, table_layout = _values_plan(stream, layout)
    table = _array.empty(table_layout)
    _transfers.fill_zero(table)
    run(elements, table)
    greatest = np.empty(1, _UINT64)
    _transfers.download(_array.view(table, _ONE, 8 * room), greatest, None, True)
    if int(greatest[0]) >> 63:
        raise ValueError("'list' argument must have no negative elements")
    bins = max(int(greatest[0]) + 1, least)
    if bins > room:
        return count_elements(elements, bins)
    result = _array.view(table, _layout.contiguous(_INT64, (bins,)))
    if 4 * bins >= room:
        return result
    # Not to keep the table for a few bins.
    copy = _array.empty(result._layout)
    _transfers.copy_bytes(copy, result)
    return copy


@planned
def _values_plan(stream: Stream, layout: Layout) -> tuple[Callable[..., Any], int, Layout]:
    """The call for a layout of elements, the values it has room for, and the table's layout."""
    room = 256 if layout.itemsize == 1 else _GUESS
    spec = histogram_kernels.spec.HistogramSpec(
        "value", _dtypes.code(layout.dtype), shared=room, greatest=True
    )
    run = _call(spec, layout, room, stream)
    return run, room, _layout.contiguous(_INT64, (room + 1,))


def count_between(elements: Any, edges: Any, weights: Any = None, uniform: bool = False) -> Any:
    """How many elements are between neighbouring edges, or the sums of their weights.

    Parameters
    ----------
    elements : ndarray
        C-contiguous numbers.
    edges : ndarray
        Increasing float32, float64 or integers, C-contiguous: elements are compared in its dtype.
    weights : ndarray of float64, optional
        C-contiguous, one for each element.
    uniform : bool, optional
        Whether edges, which are floats then, are equally far from one another but for the
        rounding of their dtype.

    Returns
    -------
    ndarray of int64, or of float64 with weights
        One launch, and one to clear the result.
    """
    mode = "width" if uniform else "edges"
    # One edge has no bin beside it, and neither has none.
    return _count(mode, elements, edges, max(edges._layout.size - 1, 0), weights)


def count_between_ends(elements: Any, bins: int) -> tuple[Any, Any] | None:
    """How many elements are in bins of one width between the least and the greatest element.

    Parameters
    ----------
    elements : ndarray
        C-contiguous integers, float32 or float64, at least one.
    bins : int
        The number of bins, from 1 on.

    Returns
    -------
    counts : ndarray of int64
    edges : ndarray of float32 or float64
        As NumPy computes them. One launch for few elements; else two, and one to clear. The host
        waits for their end. ``None`` if the ends are not finite or edges do not increase, or there
        are too many bins for shared memory.
    """
    if bins > histogram_kernels.spec.STAGED_BINS:
        return None
    run, cleared, table_layout, counts, ends_layout, infinity = _between_ends_plan(
        current.stream, elements._layout, bins
    )
    table = _array.empty(table_layout)
    if cleared:
        _transfers.fill_zero(table)
    edges = run(elements, table)[1]
    ends = np.empty(3, _UINT64)
    _transfers.download(_array.view(table, ends_layout, counts.nbytes), ends, None, True)
    last, first, wrong = ends.tolist()
    # Keys of floats (``sort_keys.cuh``) of which none is finite, or a NaN.
    if wrong or (infinity and not (_LAST - first > infinity[0] and last < infinity[1])):
        return None
    return _array.view(table, counts), edges


@planned
def _between_ends_plan(stream: Stream, layout: Layout, bins: int) -> tuple:
    """What a call with a layout of elements runs, and the layouts of what it makes."""
    floats = _dtypes.kind(layout.dtype) == "f"
    dtype = layout.dtype if floats else np.dtype(np.float64)
    code, edge = _dtypes.code(layout.dtype), _dtypes.code(dtype)
    room = next(n for n in histogram_kernels.spec.SHARED_BINS if bins <= n)
    alone = layout.nbytes <= ALONE_BYTES
    count = histogram_kernels.spec.HistogramSpec("ends", code, edge, shared=room, alone=alone)
    bound = _bound(count, histogram_kernels.spec.render, layout, bins, stream)
    launches = [(bound, {"elements": "x0", "edges": "y1", "totals": "y0"})]
    if not alone:
        find = histogram_kernels.spec.EndsSpec(code)
        bound = _bound(find, histogram_kernels.spec.render_ends, layout, bins, stream)
        launches.insert(0, (bound, {"elements": "x0", "totals": "y0"}))
    edges = _layout.contiguous(dtype, (bins + 1,))
    infinity = None
    if floats:
        top = 1 << (8 * dtype.itemsize - 1)
        bits = int(np.array(math.inf, dtype).view(f"u{dtype.itemsize}"))
        # The keys of both.
        infinity = 2 * top - 1 - (bits | top), bits | top
    # The ends lie behind the counts, so that one launch clears both.
    return (
        _calls.make_call(stream, "a", [None, edges], launches),
        not alone,
        _layout.contiguous(_INT64, (bins + 3,)),
        _layout.contiguous(_INT64, (bins,)),
        _ENDS,
        infinity,
    )


def _count(mode: str, elements: Any, edges: Any, bins: int, weights: Any) -> Any:
    dtype = np.dtype(np.int64 if weights is None else np.float64)
    result = _array.empty(_layout.contiguous(dtype, (bins,)))
    _transfers.fill_zero(result)
    layout = elements._layout
    if not layout.size or not bins:
        return result
    edge = None if edges is None else edges._layout.dtype
    run = _count_call(current.stream, mode, layout, edge, bins, weights is not None)
    run(*[x for x in (elements, weights, edges) if x is not None], result)
    return result


@planned
def _count_call(
    stream: Stream, mode: str, layout: Layout, edge: np.dtype | None, bins: int, weighted: bool
) -> Callable[..., Any]:
    spec = histogram_kernels.spec
    sizes = spec.SHARED_WEIGHTS if weighted else spec.SHARED_BINS
    shared = next((size for size in sizes if bins <= size), 0)
    code = "" if edge is None else _dtypes.code(edge)
    count = spec.HistogramSpec(mode, _dtypes.code(layout.dtype), code, weighted, shared)
    return _call(count, layout, bins, stream)


def _call(spec: HistogramSpec, layout: Layout, bins: int, stream: Stream) -> Callable[..., Any]:
    """A call that takes the elements, the weights and edges that there are, and the result."""
    names = ["elements"]
    names += ["weights"] if spec.weighted else []
    names += ["edges"] if spec.edges else []
    passed = {name: f"x{i}" for i, name in enumerate(names)} | {"totals": "y0"}
    bound = _bound(spec, histogram_kernels.spec.render, layout, bins, stream)
    return _calls.make_call(stream, "a" * len(names), [None], [(bound, passed)])


def _bound(
    spec: Any, render: Callable[[Any], Any], layout: Layout, bins: int, stream: Stream
) -> BoundLaunch:
    """A launch over elements; their number and that of bins are constant."""
    function, source = load(spec, render, stream.device)
    most = _BLOCKS if getattr(spec, "shared", True) else _UNSHARED_BLOCKS
    blocks = _blocks(layout.size, layout.itemsize, most * stream.device.multiprocessors)
    grid = grid_for(1 if getattr(spec, "alone", False) else blocks)
    constants = {"size": layout.size, "bins": bins}
    return BoundLaunch(LaunchPlan(function, grid, (source.block, 1, 1), constants), stream)


def _blocks(size: int, itemsize: int, most: int) -> int:
    """Blocks for so many elements: what each counts in shared memory is 32 bits wide."""
    blocks = ceil_div(
        size, histogram_kernels.spec.BLOCK * (histogram_kernels.spec.BYTES // itemsize)
    )
    return max(min(blocks, most), size >> 31, 1)
