"""Histograms of several dimensions: from layouts to CUDA C++ (`histogram_grid.cuh`) and a call."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuarray import _array, _calls, _dtypes, _layout
from gpuarray._dtypes import cpp_name
from gpuarray._layout import Layout
from gpuarray._runtime.device import current
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.parameters import declared, number, pointer
from gpuarray.kernels.generator.source import KernelSource
from gpuarray.kernels.histogram.spec import BLOCK, SHARED_BINS, SHARED_WEIGHTS

#: Points that a thread counts where there are many, so that few blocks add their bins.
_POINTS = 16

#: The axes of the grid: the elements' dtype, that in which they are compared with edges, and
#: whether these are equally far from one another but for the rounding of their dtype.
Axis = tuple[str, str, bool]


@dataclass(frozen=True, slots=True)
class GridSpec:
    """A histogram of several dimensions."""

    axes: tuple[Axis, ...]
    weighted: bool = False  # by float64 weights
    shared: int = 0  # bins that shared memory has room for; 0: all are counted in the result


_SOURCE = """\
#include "gpuarray/histogram_grid.cuh"
#include "gpuarray/float16.cuh"

namespace gpuarray {{

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    count_grid<{block}, {shared}>({weights}, totals, size, bins,
        {axes});
}}

}}  // namespace gpuarray
"""


def render(spec: GridSpec) -> KernelSource:
    """Return the CUDA C++ of a histogram of several dimensions."""
    points, edges, numbers, axes = [], [], [], []
    for i, (element, edge, uniform) in enumerate(spec.axes):
        kind = "ByWidth" if uniform else "ByEdges"
        one, other = cpp_name(element), cpp_name(edge)
        points.append(pointer(f"points{i}", f"const Stored<{one}>::type"))
        edges.append(pointer(f"edges{i}", f"const {other}"))
        numbers += [number(f"bins{i}", "uint64_t"), number(f"step{i}", "int64_t")]
        functor = f"{kind}<{one}, {other}, int64_t>"
        axes.append(
            f"GridAxis<{one}, {functor}>{{{functor}{{bins{i}, edges{i}}}, points{i}, step{i}}}"
        )
    weights = [pointer("weights", "const double")] if spec.weighted else []
    parameters = (
        *points, *edges, *weights, pointer("totals", "double" if spec.weighted else "uint64_t"),
        number("size", "uint64_t"), number("bins", "uint64_t"), *numbers,
    )  # fmt: skip
    symbol = "gpuarray_histogram_grid__" + "__".join(
        [f"{element}_{edge}{'_uniform' if uniform else ''}" for element, edge, uniform in spec.axes]
    )
    symbol += ("_weighted" if spec.weighted else "") + f"_{spec.shared}"
    source = _SOURCE.format(
        block=BLOCK,
        symbol=symbol,
        parameters=declared(parameters),
        shared=spec.shared,
        weights="weights" if spec.weighted else "static_cast<const uint32_t*>(nullptr)",
        axes=",\n        ".join(axes),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, 1, BLOCK)


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
    _array.fill_zero(result)
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
    sizes = SHARED_WEIGHTS if weighted else SHARED_BINS
    axes = tuple(
        [
            (_dtypes.code(x.dtype), _dtypes.code(e.dtype), one)
            for x, e, one in zip(columns, edges, uniform, strict=True)
        ]
    )
    spec = GridSpec(axes, weighted, next((n for n in sizes if bins <= n), 0))
    function, source = load(spec, render, stream.device)
    most = 4 * stream.device.multiprocessors
    # What each block counts in shared memory is 32 bits wide.
    blocks = max(min(-(-size // (BLOCK * _POINTS)), most), size >> 31, 1)
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
