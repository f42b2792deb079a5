"""Binary searches: from layouts to a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _calls, _dtypes, _layout
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import search as search_kernels

_INT64 = np.dtype(np.int64)

# Blocks that share a multiprocessor where each first copies the sorted array; fewer where so many
# levels are left that the cache has to hold what they read (on an H200 526 microseconds of 579 for
# 1e7 float32 in 1e6).
_BLOCKS = 8
_BLOCKS_BELOW, _LEVELS_BELOW = 4, 3

# So many reads must be spared for each read of an element that is copied: what many searches read,
# they find in a cache.
_SPARED = 4


def search_call(
    array: Layout, values: Layout, right: bool, stream: Stream
) -> Callable[[Any, Any], Any]:
    """A call (see :mod:`gpuarray._calls`) that searches a sorted array for values.

    Parameters
    ----------
    array, values : Layout
        C-contiguous and of one dtype; ``array`` has one dimension.
    right : bool
        Whether ranks are behind equal elements.
    stream : Stream
        Where to run.

    Returns
    -------
    callable
        Takes both arrays; returns int64 ranks of the values' shape. One launch.
    """
    output = _layout.contiguous(_INT64, values.shape)
    if not values.size:
        return _calls.make_call(stream, "aa", [output], [])
    dtype = _dtypes.code(array.dtype)
    length = array.size
    room = _room(length, values.size, array.itemsize, stream.device.multiprocessors)
    blocks = ceil_div(values.size, search_kernels.spec.BLOCK * search_kernels.spec.items(dtype))
    if room:
        below = length.bit_length() - room >= _LEVELS_BELOW
        resident = _BLOCKS_BELOW if below else _BLOCKS
        blocks = min(blocks, resident * stream.device.multiprocessors)
    spec = search_kernels.spec.SearchSpec(dtype, right, room)
    function, source = load(spec, search_kernels.spec.render, stream.device)
    constants = {"length": length, "levels": length.bit_length(), "count": values.size}
    plan = LaunchPlan(function, grid_for(blocks), (source.block, 1, 1), constants)
    passed = {"sorted": "x0", "values": "x1", "ranks": "y0"}
    return _calls.make_call(stream, "aa", [output], [(BoundLaunch(plan, stream), passed)])


def _room(length: int, count: int, itemsize: int, multiprocessors: int) -> int:
    """How many levels of an array's tree each block copies to shared memory."""
    room, few = search_kernels.spec.ALL_LEVELS[itemsize], search_kernels.spec.TOP_LEVELS
    if length.bit_length() > room:
        copies = _BLOCKS * multiprocessors << room
        if copies * _SPARED > (room - few) * count:
            room = few
    # Copying has to be worth it.
    return 0 if min(length, 1 << room) > count else room
