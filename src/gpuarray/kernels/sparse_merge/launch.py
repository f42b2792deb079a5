"""Merges of sparse matrices: from operands to launches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _array, _calls, _dtypes, _layout, _transfers
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import scan
from gpuarray.kernels.scan.launch import LookBackPlan, look_back_state
from gpuarray.kernels.sparse_merge import spec as specs

_UINT32 = np.dtype(np.uint32)


def merge(
    operation: str, a: tuple[Any, Any, Any], b: tuple[Any, Any, Any], loop: np.dtype
) -> tuple[Any, Any, Any]:
    """Apply an operation to the elements that one of two matrices has, and keep what is not zero.

    Parameters
    ----------
    operation : str
        One of the specification's.
    a, b : tuple of ndarray (indptr, indices, data)
        Canonical compressed matrices of the same shape: contiguous arrays, all indices of one
        dtype, int32 or int64, that has room for the elements of both and a tile more.
    loop : dtype
        What elements are converted to before.

    Returns
    -------
    indptr, indices, data : ndarray
        A canonical matrix without zeros, its indices of the operands' dtype.

    Notes
    -----
    Two launches, then the number of elements is read.
    """
    indptr, indices, _ = a
    index = indptr._layout.dtype
    rows = indptr._layout.size - 1
    total = indices._layout.size + b[1]._layout.size
    spec = specs.MergeSpec(
        operation,
        _dtypes.code(a[2]._layout.dtype),
        _dtypes.code(b[2]._layout.dtype),
        _dtypes.code(loop),
        index.name,
    )
    if not rows or not total:
        starts, columns = (_empty(index, rows + 1), _empty(index, 0))
        _transfers.fill_zero(starts)
        return starts, columns, _empty(_dtypes.dtype_of(spec.result), 0)
    run = _plan(current.stream, spec, rows, total)
    columns, values, _, _, starts = run(*a[:2], *b[:2], a[2], b[2])
    count = np.empty((), index)
    one = _layout.contiguous(index, ())
    _transfers.download(_array.view(starts, one, index.itemsize * rows), count, None, True)
    return starts, _first(columns, int(count)), _first(values, int(count))


@planned
def _plan(stream: Stream, spec: specs.MergeSpec, rows: int, total: int) -> Callable[..., Any]:
    index = np.dtype(spec.index)
    function, source = load(spec, specs.render, stream.device)
    tiles = ceil_div(total, specs.TILE)
    constants: dict[str, Any] = {"rows": rows}
    merging = LookBackPlan(function, grid_for(tiles), (source.block, 1, 1), constants)
    merging.state = look_back_state(stream, 8 * scan.spec.look_back_words("i8", 1, tiles))
    constants["lookback"] = merging.state[1]
    function, source = load(specs.RowsSpec(spec.index), specs.render_rows, stream.device)
    places = tiles * specs.TILE
    blocks = ceil_div(rows + 1, source.block)
    constants = {"rows": rows, "places": places}
    counting = LaunchPlan(function, grid_for(blocks), (source.block, 1, 1), constants)
    outputs = [
        _layout.contiguous(index, (total,)),
        _layout.contiguous(_dtypes.dtype_of(spec.result), (total,)),
        _layout.contiguous(_UINT32, (places // 32,)),
        _layout.contiguous(index, (places // 32,)),
        _layout.contiguous(index, (rows + 1,)),
    ]
    structure = {"a_indptr": "x0", "b_indptr": "x2"}
    found = {"bits": "y2", "ranks": "y3"}
    merged = structure | found | {"a_indices": "x1", "b_indices": "x3", "a_data": "x4"}
    merged |= {"b_data": "x5", "indices": "y0", "data": "y1"}
    steps = [
        (BoundLaunch(merging, stream), merged),
        (BoundLaunch(counting, stream), structure | found | {"indptr": "y4"}),
    ]
    return _calls.make_call(stream, "aaaaaa", outputs, steps)


def _first(values: Any, count: int) -> Any:
    """The first elements of an array, in memory of their own where most of it is not theirs."""
    layout: Layout = values._layout
    if count == layout.size:
        return values
    part = _array.view(values, _layout.contiguous(layout.dtype, (count,)))
    if 2 * count >= layout.size:
        return part
    result = _empty(layout.dtype, count)
    _transfers.copy_bytes(result, part)
    return result


def _empty(dtype: np.dtype, count: int) -> Any:
    return _array.empty(_layout.contiguous(dtype, (count,)))
