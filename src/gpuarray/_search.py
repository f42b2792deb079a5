"""Binary searches: from layouts to a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _calls, _dtypes, _layout, kernels
from gpuarray._launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._layout import Layout
from gpuarray._stream import Stream

_INT64 = np.dtype(np.int64)

# Blocks that share a multiprocessor where each first copies the sorted array.
_BLOCKS = 8


def search_call(
    array: Layout, values: Layout, right: bool, stream: Stream
) -> Callable[[Any, Any], Any]:
    """A call (see :mod:`gpuarray._calls`) that searches a sorted array for values.

    Parameters
    ----------
    array, values : Layout
        C-contiguous and of one dtype; ``array`` has one dimension.
    right : bool
        Whether the place is behind equal elements.
    stream : Stream
        Where to run.

    Returns
    -------
    callable
        Takes both arrays; returns int64 places of the values' shape. One launch.
    """
    output = _layout.contiguous(_INT64, values.shape)
    if not values.size:
        return _calls.make_call(stream, "aa", [output], [])
    length = array.size
    limit = kernels.searching.SHARED_BYTES // array.itemsize
    blocks = -(-values.size // (kernels.searching.BLOCK * kernels.searching.ITEMS))
    # Copying the array has to be worth it.
    shared = limit if length <= limit and length <= values.size else 0
    if shared:
        blocks = min(blocks, _BLOCKS * stream.device.multiprocessors)
    spec = kernels.searching.SearchSpec(_dtypes.code(array.dtype), right, shared)
    function, source = load(spec, kernels.searching.render, stream.device)
    top = 1 << (length.bit_length() - 1) if length else 0
    constants = {
        3 + i: value.to_bytes(8, "little") for i, value in enumerate((length, top, values.size))
    }
    plan = LaunchPlan(function, grid_for(blocks), (source.block, 1, 1), constants)
    launch = BoundLaunch(plan, stream)
    return _calls.make_call(stream, "aa", [output], [(launch, ["x0", "x1", "y0"])])
