"""Shares of rows: from a layout to a launch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpuarray import _calls, _dtypes, _layout
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.softmax import spec as specs


def row_length(layout: Layout, axes: Sequence[int]) -> int:
    """The elements of a row, or 0 where rows are not contiguous, too long, or of other dtypes.

    Parameters
    ----------
    layout : Layout
        Of the array.
    axes : sequence of int
        The axes of a row, not negative.
    """
    first = layout.ndim - len(axes)
    if sorted(axes) != [*range(first, layout.ndim)] or layout.unaligned or not layout.size:
        return 0
    code = _dtypes.code(layout.dtype)
    if code not in specs.DTYPES or not layout.c_contiguous:
        return 0
    length = 1
    for axis in axes:
        length *= layout.shape[axis]
    return length if length <= specs.longest(code) else 0


def shares_call(
    stream: Stream, layout: Layout, length: int, logarithms: bool
) -> Callable[..., Any]:
    """A call (see :mod:`gpuarray._calls`) that makes the shares of rows, or their logarithms.

    Parameters
    ----------
    stream : Stream
        Where to run.
    layout : Layout
        C-contiguous.
    length : int
        The elements of a row: see `row_length`.
    logarithms : bool
        Whether the results are the logarithms.

    Returns
    -------
    callable
        Takes the array. One launch; the same bits each time.
    """
    spec = specs.spec_for(_dtypes.code(layout.dtype), length, logarithms)
    function, source = load(spec, specs.render, stream.device)
    rows = layout.size // length
    blocks = ceil_div(rows, source.block // spec.width)
    constants = {"rows": rows, "length": length}
    plan = LaunchPlan(function, grid_for(blocks), (source.block, 1, 1), constants)
    target = _layout.contiguous(layout.dtype, layout.shape)
    passed = {"results": "y0", "elements": "x0"}
    return _calls.make_call(stream, "a", [target], [(BoundLaunch(plan, stream), passed)])
