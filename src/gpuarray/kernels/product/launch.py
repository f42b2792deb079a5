"""Products of stacks of matrices: from layouts to a call."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gpuarray import _calls, _dtypes, _layout
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise, product

_NAME = "matmul"


def product_call(
    a: Layout,
    b: Layout,
    target: Layout,
    stream: Stream,
    given: bool = False,
    result: Layout | None = None,
) -> Callable[..., Any]:
    """A call (see :mod:`gpuarray._calls`) of matrix products.

    Parameters
    ----------
    a, b : Layout
        Of shapes (..., m, k) and (..., k, n), with any strides; the dimensions of the stacks
        broadcast. Their elements are converted to the target's dtype.
    target : Layout
        Of shape (..., m, n) with the broadcast dimensions of the stacks, with any strides. Its
        dtype is that of the products: integers wrap around, bools are or-ed, times are multiplied
        as int64, halves are summed in float32. It must not overlap the operands.
    stream : Stream
        Where to run.
    given : bool, optional
        Whether the caller passes the target.
    result : Layout, optional
        The layout of the new array that is made, where that is not the target's: it may lack
        dimensions of length 1.

    Returns
    -------
    callable
        Takes the operands, then a given target; only their addresses matter. One launch. The
        same layouts give the same bits each time.
    """
    if target.unaligned or a.unaligned or b.unaligned:
        return elementwise.launch.with_aligned_copies(
            lambda inputs, outputs: product_call(
                inputs[0], inputs[1], outputs[0], stream, given, None if given else result
            ),
            [a, b],
            [target],
            [given],
            stream,
        )
    made = None if given else (result or target)
    if not target.size:
        return _calls.make_call(stream, "aa", [made], [])
    plan = _plan(a, b, target, stream)
    passed = {"results": "y0", "left": "x0", "right": "x1"}
    return _calls.make_call(stream, "aa", [made], [(BoundLaunch(plan, stream), passed)])


def _plan(a: Layout, b: Layout, target: Layout, stream: Stream) -> LaunchPlan:
    stack = target.shape[:-2]
    rows, columns, inner = *target.shape[-2:], a.shape[-1]
    strides = [
        _layout.element_strides(_NAME, _layout.broadcast_strides(x, stack + x.shape[-2:]), x)
        for x in (target, a, b)
    ]
    shape, members = _layout.collapse(stack, [x[:-2] for x in strides])
    tile = product.variants.tile_for(rows, columns, target.itemsize)
    tiles = ceil_div(rows, tile.rows), ceil_div(columns, tile.columns)
    count = math.prod(tiles) * math.prod(shape)
    # Tiles stick out beyond the ends.
    wide = _layout.needs_int64(max(count, inner), [a, b, target])
    (result_row, result_column), (left_row, left_inner), (right_inner, right_column) = [
        x[-2:] for x in strides
    ]
    spec = product.spec.ProductSpec(
        *[_number(x) for x in (target, a, b)],
        tile,
        _is_along(left_inner, left_row, inner, rows),
        _is_along(right_inner, right_column, inner, columns),
        len(shape),
        "int64" if wide else "int32",
    )
    function, source = load(spec, product.spec.render, stream.device)
    dimensions = {
        "rows": rows,
        "columns": columns,
        "inner": inner,
        "result_row": result_row,
        "result_column": result_column,
        "left_row": left_row,
        "left_inner": left_inner,
        "right_inner": right_inner,
        "right_column": right_column,
        "row_tiles": tiles[0],
        "column_tiles": tiles[1],
        "tiles": count,
        "shape": shape,
        "strides": [stride for one in members for stride in one],
    }
    constants: dict[str, Any] = {"dimensions": dimensions}
    return LaunchPlan(function, grid_for(count), (source.block, 1, 1), constants)


def _number(layout: Layout) -> str:
    """The code of the numbers that elements are computed as."""
    code = _dtypes.code(layout.dtype)
    return "i8" if _dtypes.category(code) == "time" else code


def _is_along(inner_stride: int, other_stride: int, inner: int, other: int) -> bool:
    """Whether elements along the inner dimension are closer than those along the other one."""
    if inner == 1 or other == 1:
        return other == 1
    return abs(inner_stride) < abs(other_stride)
