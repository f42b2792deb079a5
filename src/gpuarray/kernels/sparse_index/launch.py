"""Elements of compressed matrices at index arrays: from operands to a launch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _array, _calls, _layout
from gpuarray._integers import ceil_div
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.sparse_index import spec as specs


def spread(places: Any, begins: Any, total: int) -> tuple[Any, Any]:
    """Count through segments of lengths of their own. One launch.

    Parameters
    ----------
    places : ndarray, shape (n,)
        Where each segment begins.
    begins : ndarray, shape (n + 1,)
        How many elements are before each segment, and how many there are; of the same dtype, int32
        or int64.
    total : int
        The last of these.

    Returns
    -------
    segments, places : ndarray, shape (total,)
        Of each element its segment and where it is.
    """
    index = begins._layout.dtype
    if not total:
        empty = _layout.contiguous(index, (0,))
        return _array.empty(empty), _array.empty(empty)
    return _plan_spread(current.stream, index.name, begins._layout.size - 1, total)(places, begins)


@planned
def _plan_spread(stream: Stream, index: str, count: int, total: int) -> Callable[..., Any]:
    function, source = load(specs.IndexSpec("spread", index), specs.render, stream.device)
    constants = {"count": count, "total": total}
    grid = grid_for(ceil_div(total, source.block))
    plan = LaunchPlan(function, grid, (source.block, 1, 1), constants)
    output = _layout.contiguous(np.dtype(index), (total,))
    passed = {"places": "x0", "begins": "x1", "segments": "y0", "result": "y1"}
    return _calls.make_call(stream, "aa", [output, output], [(BoundLaunch(plan, stream), passed)])


def find(indptr: Any, indices: Any, rows: Any, columns: Any) -> Any:
    """Where a canonical matrix has the elements of rows and columns. One launch.

    Parameters
    ----------
    indptr, indices : ndarray
        The matrix's structure.
    rows, columns : ndarray, shape (n,)
        In bounds and not negative; all four contiguous and of one dtype, int32 or int64.

    Returns
    -------
    ndarray, shape (n,)
        Places in `indices`, -1 where there is none.
    """
    index, count = indptr._layout.dtype, rows._layout.size
    if not count:
        return _array.empty(_layout.contiguous(index, (0,)))
    return _plan_find(current.stream, index.name, count)(indptr, indices, rows, columns)


@planned
def _plan_find(stream: Stream, index: str, count: int) -> Callable[..., Any]:
    function, source = load(specs.IndexSpec("find", index), specs.render, stream.device)
    grid = grid_for(ceil_div(count, source.block))
    plan = LaunchPlan(function, grid, (source.block, 1, 1), {"count": count})
    output = _layout.contiguous(np.dtype(index), (count,))
    names = ("indptr", "indices", "rows", "columns")
    passed = {name: f"x{i}" for i, name in enumerate(names)} | {"result": "y0"}
    return _calls.make_call(stream, "aaaa", [output], [(BoundLaunch(plan, stream), passed)])
