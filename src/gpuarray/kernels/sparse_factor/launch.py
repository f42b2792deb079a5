"""Sparse triangles and factors: from arrays to launches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _calls, _dtypes, _layout
from gpuarray._integers import ceil_div, power_of_two_from
from gpuarray._layout import Layout
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.sparse_factor import spec as specs

_INT64 = np.dtype(np.int64)


def solve_triangle(
    indptr: Any, indices: Any, data: Any, right: Any, upper: bool = False, unit: bool = False
) -> Any:
    """Solve triangular systems, in one launch.

    Parameters
    ----------
    indptr, indices : ndarray
        Of a square matrix in the format csr: contiguous, of one dtype, int32 or int64. No place
        may be there twice, but those of a row may have any order.
    data : ndarray, shape (nnz,)
        Contiguous floats. What is on the other side of the diagonal is not looked at.
    right : ndarray, shape (rows,) or (rows, columns)
        Contiguous, of the dtype of `data`.
    upper, unit : bool, optional
        Which triangle, and whether ones are taken for its diagonal.

    Returns
    -------
    ndarray
        The solutions, of the shape and dtype of `right`.
    """
    layout = right._layout
    rows, columns = layout.shape[0], layout.size // max(layout.shape[0], 1)
    usual = min(indices._layout.size // max(rows, 1), ceil_div(32, max(columns, 1)))
    lanes = min(power_of_two_from(max(usual, 1)), 32)
    spec = specs.TriangleSpec(
        _dtypes.code(data._layout.dtype), indptr._layout.dtype.name, lanes, upper, unit
    )
    if not layout.size:
        return right.copy()
    results, _ = _triangle_plan(current.stream, spec, layout)(indptr, indices, data, right)
    return results


@planned
def _triangle_plan(stream: Stream, spec: specs.TriangleSpec, right: Layout) -> Callable[..., Any]:
    function, source = load(spec, specs.render, stream.device)
    rows, columns = right.shape[0], right.size // right.shape[0]
    grid = grid_for(ceil_div(right.size * spec.lanes, source.block))
    constants = {"rows": rows, "columns": columns}
    plan = LaunchPlan(function, grid, (source.block, 1, 1), constants)
    state = specs.state_bytes(right.size, spec.dtype)
    passed = {
        "indptr": "x0", "indices": "x1", "data": "x2", "right": "x3", "results": "y0", "state": "y1"
    }  # fmt: skip
    # The results are cleared, too, which takes less time than what would spare them.
    outputs = [right, _layout.contiguous(np.dtype("u8"), (state // 8,))]
    return _calls.make_call(
        stream, "aaaa", outputs, [(BoundLaunch(plan, stream), passed)], cleared=True
    )


def factorize(indptr: Any, indices: Any, data: Any, failed: Any) -> None:
    """Replace the elements of a matrix by its LU factors in the same places, in one launch.

    Parameters
    ----------
    indptr, indices : ndarray
        Of a square matrix in the format csr: contiguous, of one dtype, int32 or int64. The indices
        of a row rise.
    data : ndarray, shape (nnz,)
        Contiguous floats, which become L, without its diagonal of ones, and U.
    failed : ndarray of int64, shape (1,)
        At least the number of rows; becomes the first row whose pivot is zero or missing, if there
        is one. All rows behind it are without meaning then.
    """
    rows = indptr._layout.size - 1
    if rows > 0:
        spec = specs.FactorSpec(_dtypes.code(data._layout.dtype), indptr._layout.dtype.name)
        _factor_plan(current.stream, spec, rows)(data, indptr, indices, failed)


@planned
def _factor_plan(stream: Stream, spec: specs.FactorSpec, rows: int) -> Callable[..., Any]:
    function, source = load(spec, specs.render, stream.device)
    grid = grid_for(ceil_div(rows * 32, source.block))
    plan = LaunchPlan(function, grid, (source.block, 1, 1), {"rows": rows})
    passed = {"data": "x0", "indptr": "x1", "indices": "x2", "failed": "x3", "state": "y0"}
    state = _layout.contiguous(np.dtype("u8"), (specs.state_bytes(rows) // 8,))
    return _calls.make_call(
        stream, "aaaa", [state], [(BoundLaunch(plan, stream), passed)], cleared=True
    )
