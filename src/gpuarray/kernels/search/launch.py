"""Binary searches: from layouts to a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _calls, _dtypes, _layout
from gpuarray._ffi import driver
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import search as search_kernels

if TYPE_CHECKING:
    from gpuarray._runtime.device import Device

_INT64, _BOOL = np.dtype(np.int64), np.dtype(bool)

# Blocks that share a multiprocessor where each first copies the sorted array; fewer where so many
# levels are left that the cache has to hold what they read (on an H200 526 microseconds of 579 for
# 1e7 float32 in 1e6).
_BLOCKS = 8
_BLOCKS_BELOW, _LEVELS_BELOW = 4, 3

# So many reads must be spared for each read of an element that is copied: what many searches read,
# they find in a cache.
_SPARED = 4


# The same for levels more in the shared memory of wide blocks: on an H200 these are faster from
# about 1e6 values on.
_COPIED_WIDELY = 2

# Their ranks are numbers of 32 bits.
_WIDE_LEVELS = 30


def search_call(
    array: Layout, values: Layout, right: bool, stream: Stream, result: str = "rank"
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
    result : {'rank', 'found', 'not found'}, optional
        What the call returns of each value: its rank, or whether the array has it. Of complex
        numbers only ranks can be had.

    Returns
    -------
    callable
        Takes both arrays; returns int64 ranks or bools of the values' shape. One launch.
    """
    output = _layout.contiguous(_INT64 if result == "rank" else _BOOL, values.shape)
    if not values.size:
        return _calls.make_call(stream, "aa", [output], [])
    plan = _plan(array, values, right, result, stream, {})
    passed = {"sorted": "x0", "values": "x1", "ranks": "y0"}
    return _calls.make_call(stream, "aa", [output], [(BoundLaunch(plan, stream), passed)])


def interpolation_call(
    array: Layout, values: Layout, points: Layout, sides: int, stream: Stream
) -> Callable[..., Any]:
    """A call that interpolates a function that is known where the elements of an array are.

    Parameters
    ----------
    array, values : Layout
        As for `search_call`, of a float dtype.
    points : Layout
        Of the function's values: contiguous float64 or complex128.
    sides : int
        Whether the function is given before (1) and behind (2) all points; else it is that of the
        first and the last.
    stream : Stream
        Where to run.

    Returns
    -------
    callable
        Takes the three arrays and what the function is before and behind all points; returns an
        array of the shape of the values. One launch.
    """
    output = _layout.contiguous(points.dtype, values.shape)
    if not values.size:
        return _calls.make_call(stream, "aaass", [output], [])
    result = "complex" if points.dtype.kind == "c" else "real"
    plan = _plan(array, values, True, result, stream, {"sides": sides})
    names = ("sorted", "values", "ranks", "points", "left", "right")
    passed = dict(zip(names, ("x0", "x1", "y0", "x2", "x3", "x4"), strict=True))
    bound = BoundLaunch(plan, stream, {"left": points.dtype, "right": points.dtype}, "interp")
    return _calls.make_call(stream, "aaass", [output], [(bound, passed)])


def _plan(
    array: Layout,
    values: Layout,
    right: bool,
    result: str,
    stream: Stream,
    constants: dict[str, Any],
) -> LaunchPlan:
    if _dtypes.is_raw(array.dtype):
        raise TypeError(
            f"searchsorted: elements of dtype {array.dtype} are not searched for; search a field, "
            "such as array['name']"
        )
    device, levels = stream.device, array.size.bit_length()
    top = _wide_levels(array, values.size, device)
    room = 0 if top else _room(array.size, values.size, array.itemsize, device.multiprocessors)
    dtype = _dtypes.code(array.dtype)
    spec = search_kernels.spec.SearchSpec(dtype, right, room, top > 0, result)
    function, source = load(spec, search_kernels.spec.render, device)
    blocks = ceil_div(values.size, source.block * source.items_per_thread)
    constants = constants | {"length": array.size, "levels": levels, "count": values.size}
    shared = 0
    if top:
        blocks = min(blocks, device.multiprocessors)
        constants["top"] = top
        shared = array.itemsize << top
        most = array.itemsize << _most_levels(array.itemsize, device)
        driver.function_set_attribute(function.handle, "max_dynamic_shared_size_bytes", most)
    elif room:
        below = levels - room >= _LEVELS_BELOW
        resident = _BLOCKS_BELOW if below else _BLOCKS
        blocks = min(blocks, resident * device.multiprocessors)
    return LaunchPlan(function, grid_for(blocks), (source.block, 1, 1), constants, shared)


def _wide_levels(array: Layout, count: int, device: Device) -> int:
    """How many levels each wide block copies to shared memory; 0 where they do not pay."""
    spec, itemsize = search_kernels.spec, array.itemsize
    levels = array.size.bit_length()
    if itemsize not in spec.MOST_LEVELS or array.dtype.kind == "c" or levels > _WIDE_LEVELS:
        return 0
    top = min(levels - spec.TAIL_LEVELS[itemsize], _most_levels(itemsize, device))
    more = top - spec.ALL_LEVELS[itemsize]
    if more <= 0:
        return 0
    copies = device.multiprocessors << top
    return top if copies <= _COPIED_WIDELY * more * count else 0


def _most_levels(itemsize: int, device: Device) -> int:
    """Levels that the shared memory of one block has room for."""
    most = device.attribute("max_shared_memory_per_block_optin") // itemsize
    return min(most.bit_length() - 1, search_kernels.spec.MOST_LEVELS[itemsize])


def _room(length: int, count: int, itemsize: int, multiprocessors: int) -> int:
    """How many levels of an array's tree each block copies to shared memory."""
    room, few = search_kernels.spec.ALL_LEVELS[itemsize], search_kernels.spec.TOP_LEVELS
    if length.bit_length() > room:
        copies = _BLOCKS * multiprocessors << room
        if copies * _SPARED > (room - few) * count:
            room = few
    # Copying has to be worth it.
    return 0 if min(length, 1 << room) > count else room
