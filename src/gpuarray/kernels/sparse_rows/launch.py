"""Reductions of the rows of compressed matrices: from operands to a launch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _array, _calls, _dtypes, _layout
from gpuarray._integers import ceil_div
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.sparse_rows import spec as specs


def reduce_rows(
    name: str,
    indptr: Any,
    indices: Any,
    data: Any,
    length: int,
    loop: np.dtype,
    explicit: bool = True,
) -> Any:
    """Reduce each row of a compressed matrix. One launch.

    Parameters
    ----------
    name : str
        One of the specification's.
    indptr, indices, data : ndarray
        The matrix: contiguous arrays, both of indices of int32 or int64. For places, canonical.
    length : int
        The elements of a row, those that are not stored too.
    loop : dtype
        What elements are converted to before.
    explicit : bool, optional
        Whether only elements that are stored count.

    Returns
    -------
    ndarray
        An element for each row, 0 for an empty one: of dtype `loop`, or int64 columns.
    """
    rows = indptr._layout.size - 1
    index = indptr._layout.dtype
    usual = indices._layout.size // max(rows, 1)
    width = next((x for x in specs.WIDTHS if 4 * x >= usual), specs.BLOCK)
    code = _dtypes.code(data._layout.dtype)
    places = name in specs.PLACES
    kept = code if places else _dtypes.code(loop)
    spec = specs.RowsSpec(name, code, kept, explicit, width, index.name)
    if not rows:
        return _array.empty(_layout.contiguous(_dtypes.dtype_of(spec.result), (0,)))
    return _plan(current.stream, spec, rows, length)(indptr, indices, data)


@planned
def _plan(stream: Stream, spec: specs.RowsSpec, rows: int, length: int) -> Callable[..., Any]:
    function, source = load(spec, specs.render, stream.device)
    grid = grid_for(ceil_div(rows * spec.width, source.block))
    constants = {"rows": rows, "length": length}
    plan = LaunchPlan(function, grid, (source.block, 1, 1), constants)
    passed = {"indptr": "x0", "indices": "x1", "data": "x2", "result": "y0"}
    output = _layout.contiguous(_dtypes.dtype_of(spec.result), (rows,))
    return _calls.make_call(stream, "aaa", [output], [(BoundLaunch(plan, stream), passed)])
