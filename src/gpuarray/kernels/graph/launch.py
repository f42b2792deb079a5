"""Steps of algorithms on graphs: from arrays to launches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _calls
from gpuarray._integers import ceil_div
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import graph

_INT64, _FLOAT64 = np.dtype(np.int64), np.dtype(np.float64)

#: Blocks for each multiprocessor of a launch that has more to do.
_RESIDENT_BLOCKS = 16

_INDEX = np.dtype(np.int32)


def step(operation: str, *operands: Any, index: np.dtype = _INDEX) -> None:
    """Launch one step.

    Parameters
    ----------
    operation : str
        A key of `graph.spec.OPERATIONS`.
    *operands : ndarray or number
        Its contiguous arrays, then its numbers, the last of which counts what is to be done.
    index : dtype, optional
        Of the edges' vertices.
    """
    count = operands[-1]
    if count > 0:
        blocks = ceil_div(count, graph.spec.BLOCK)
        stream = current.stream
        most = _RESIDENT_BLOCKS * stream.device.multiprocessors
        # A power of two, so that the fronts of a search share their plans.
        blocks = min(1 << (blocks - 1).bit_length(), most)
        _plan(stream, operation, index.name, blocks)(*operands)


@planned
def _plan(stream: Stream, operation: str, index: str, blocks: int) -> Callable[..., Any]:
    spec = graph.spec.GraphSpec(operation, index)
    function, source = load(spec, graph.spec.render, stream.device)
    arrays, numbers = graph.spec.arrays(spec), graph.spec.numbers(spec)
    plan = LaunchPlan(function, grid_for(blocks), (source.block, 1, 1), {})
    dtypes = {name: _FLOAT64 if name == "limit" else _INT64 for name in numbers}
    bound = BoundLaunch(plan, stream, dtypes, f"graph {operation}")
    passed = {name: f"x{i}" for i, name in enumerate([*arrays, *numbers])}
    letters = "a" * len(arrays) + "s" * len(numbers)
    return _calls.make_call(stream, letters, [], [(bound, passed)])
