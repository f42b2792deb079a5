"""Histograms: from layouts to a call."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _array, _calls, _dtypes, _layout, kernels
from gpuarray._device import current
from gpuarray._launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._layout import Layout
from gpuarray._stream import Stream

_BLOCKS = 2  # for each multiprocessor: each block adds its bins to the result


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
    return _count("value", elements, None, bins, weights, 0.0)


def count_between(elements: Any, edges: Any, weights: Any = None, width: float = 0.0) -> Any:
    """How many elements are between neighbouring edges, or the sums of their weights.

    Parameters
    ----------
    elements : ndarray
        C-contiguous numbers.
    edges : ndarray
        Increasing float32, float64 or integers, C-contiguous: elements are compared in its dtype.
    weights : ndarray of float64, optional
        C-contiguous, one for each element.
    width : float, optional
        From the first to the last edge, if edges are equally far from one another.

    Returns
    -------
    ndarray of int64, or of float64 with weights
        One launch, and one to clear the result.
    """
    bins = edges._layout.size - 1
    mode = "width" if width else "edges"
    return _count(mode, elements, edges, bins, weights, bins / width if width else 0.0)


def _count(mode: str, elements: Any, edges: Any, bins: int, weights: Any, scale: float) -> Any:
    dtype = np.dtype(np.int64 if weights is None else np.float64)
    result = _array.empty(_layout.contiguous(dtype, (bins,)))
    _array.fill_zero(result)
    layout = elements._layout
    if not layout.size or not bins:
        return result
    stream = current.stream
    edge = None if edges is None else edges._layout.dtype
    key = (_count, mode, layout, edge, bins, weights is not None)
    run = stream.plans.get(key)
    if run is None:
        run = _plan(mode, layout, edge, bins, weights is not None, stream)
        stream.remember(key, run)
    operands = [x for x in (elements, weights, edges) if x is not None]
    if mode == "width":
        operands.append(scale)
    run(*operands, result)
    return result


def _plan(
    mode: str, layout: Layout, edge: np.dtype | None, bins: int, weighted: bool, stream: Stream
) -> Callable[..., Any]:
    sizes = kernels.counting.SHARED_WEIGHTS if weighted else kernels.counting.SHARED_BINS
    shared = next((size for size in sizes if bins <= size), 0)
    code = "" if edge is None else _dtypes.code(edge)
    spec = kernels.counting.CountSpec(mode, _dtypes.code(layout.dtype), code, weighted, shared)
    function, source = load(spec, kernels.counting.render, stream.device)
    blocks = -(-layout.size // (kernels.counting.BLOCK * kernels.counting.UNROLL))
    blocks = min(blocks, stream.device.multiprocessors * (_BLOCKS if shared else 8))
    arrays = 1 + weighted + (edge is not None)
    names = [*[f"x{i}" for i in range(arrays)], "y0"]
    inputs = "a" * arrays
    scalars = []
    if mode == "width":
        scalars.append((len(names), np.dtype(np.float64)))
        names.append(f"x{arrays}")
        inputs += "s"
    constants = {
        len(names): struct.pack("<Q", layout.size),
        len(names) + 1: struct.pack("<Q", bins),
    }
    plan = LaunchPlan(function, grid_for(blocks), (source.block, 1, 1), constants)
    bound = BoundLaunch(plan, stream, scalars)
    return _calls.make_call(stream, inputs, [None], [(bound, names)])
