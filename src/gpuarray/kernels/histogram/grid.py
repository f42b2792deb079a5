"""Histograms of several dimensions: from layouts to a call."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuarray import _array, _calls, _dtypes, _layout, _transfers
from gpuarray._layout import Layout
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import histogram as histogram_kernels

#: Points that a thread counts where there are many, so that few blocks add their bins.
_POINTS = 16


def count_grid(
    columns: Sequence[Any], edges: Sequence[Any], uniform: Sequence[bool], weights: Any = None
) -> Any:
    """How many points are in each bin of a grid, or the sums of their weights.

    Parameters
    ----------
    columns : sequence of ndarray, 1-D
        The points' coordinates along each axis.
    edges : sequence of ndarray, 1-D
        The edges along each axis, C-contiguous, increasing, of float32, float64 or integers:
        coordinates are compared in their dtype.
    uniform : sequence of bool
        Which edges, of floats, are equally far from one another.
    weights : ndarray of float64, optional
        C-contiguous, one for each point.

    Returns
    -------
    ndarray of int64, or of float64 with weights
        One launch, and one to clear the result.
    """
    dtype = np.dtype(np.int64 if weights is None else np.float64)
    shape = tuple([max(one._layout.size - 1, 0) for one in edges])
    result = _array.empty(_layout.contiguous(dtype, shape))
    _transfers.fill_zero(result)
    if not result._layout.size or not columns[0]._layout.size:
        return result
    run = _grid_call(
        current.stream,
        tuple([x._layout for x in columns]),
        tuple([x._layout for x in edges]),
        tuple(uniform),
        weights is not None,
    )
    run(*columns, *edges, *([] if weights is None else [weights]), result)
    return result


@planned
def _grid_call(
    stream: Stream,
    columns: tuple[Layout, ...],
    edges: tuple[Layout, ...],
    uniform: tuple[bool, ...],
    weighted: bool,
) -> Callable[..., Any]:
    count, size = len(columns), columns[0].size
    lengths = [x.size - 1 for x in edges]
    bins = math.prod(lengths)
    specs = histogram_kernels.spec
    sizes = specs.SHARED_WEIGHTS if weighted else specs.SHARED_BINS
    axes = tuple(
        [
            (_dtypes.code(x.dtype), _dtypes.code(e.dtype), one)
            for x, e, one in zip(columns, edges, uniform, strict=True)
        ]
    )
    spec = specs.GridSpec(axes, weighted, next((n for n in sizes if bins <= n), 0))
    function, source = load(spec, specs.render_grid, stream.device)
    most = 4 * stream.device.multiprocessors
    # What each block counts in shared memory is 32 bits wide.
    blocks = max(min(-(-size // (source.block * _POINTS)), most), size >> 31, 1)
    constants = {"size": size, "bins": bins}
    for i, (column, length) in enumerate(zip(columns, lengths, strict=True)):
        [step] = _layout.element_strides("histogramdd", column.strides, column)
        constants |= {f"bins{i}": length, f"step{i}": step}
    plan = LaunchPlan(function, grid_for(blocks), (source.block, 1, 1), constants)
    passed = {f"points{i}": f"x{i}" for i in range(count)}
    passed |= {f"edges{i}": f"x{count + i}" for i in range(count)}
    passed |= {"weights": f"x{2 * count}"} if weighted else {}
    passed |= {"totals": "y0"}
    inputs = "a" * (2 * count + weighted)
    return _calls.make_call(stream, inputs, [None], [(BoundLaunch(plan, stream), passed)])
