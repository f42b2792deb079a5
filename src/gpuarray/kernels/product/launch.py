"""Products of stacks of matrices: from layouts to a call."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _broadcasting, _calls, _dtypes, _layout
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise, product, reduction
from gpuarray.kernels.generator.expressions import Apply, Cast, Expression, Input
from gpuarray.kernels.generator.operations import operation

if TYPE_CHECKING:
    from gpuarray.kernels.generator.source import KernelSource

_NAME = "matmul"
_INT64 = np.dtype(np.int64)


def product_call(
    a: Layout,
    b: Layout,
    target: Layout,
    stream: Stream,
    given: bool = False,
    result: Layout | None = None,
    conjugate: bool = False,
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
    conjugate : bool, optional
        Whether the elements of ``a`` are conjugated, if they are complex.

    Returns
    -------
    callable
        Takes the operands, then a given target; only their addresses matter. One launch, or two
        where the inner dimension is split among blocks.

    Notes
    -----
    The same layouts give the same bits on one kind of device. Floats are summed in the order of the
    inner dimension with one rounding for each product and its addition (of complex numbers two for
    each part); where that dimension is split, the sums of its parts are added in their order.
    Vectors are summed as :mod:`gpuarray.kernels.reduction` sums.
    """
    if target.unaligned or a.unaligned or b.unaligned:
        return elementwise.launch.with_aligned_copies(
            lambda inputs, outputs: product_call(
                inputs[0],
                inputs[1],
                outputs[0],
                stream,
                given,
                None if given else result,
                conjugate,
            ),
            [a, b],
            [target],
            [given],
            stream,
        )
    conjugate = conjugate and target.dtype.kind == "c"
    a, b, numbers = [_as_numbers(x) for x in (a, b, target)]
    made = None if given else (result or target)
    if not target.size:
        return _calls.make_call(stream, "aa", [made], [])
    rows, columns, inner = a.shape[-2], b.shape[-1], a.shape[-1]
    if numbers is target and inner > 1 and 1 in (rows, columns):
        return _vector_call(a, b, made or target, stream, given, conjugate)
    if numbers is target and inner == 1 and made in (None, target):
        return _outer_call(a, b, target, stream, given, conjugate)
    steps, scratch = _steps(a, b, numbers, stream, conjugate)
    return _calls.make_call(stream, "aa", [made], steps, scratch)


def _vector_call(
    a: Layout, b: Layout, target: Layout, stream: Stream, given: bool, conjugate: bool
) -> Callable[..., Any]:
    """The call for results of one row or one column: sums of products, without tiles.

    The target may lack dimensions of length 1.
    """
    stack = _broadcasting.broadcast_shapes([a.shape[:-2], b.shape[:-2]])
    kept = [(a.shape[-2], a.strides[-2], 0), (b.shape[-1], 0, b.strides[-1])]
    while len(stack) + len(kept) > target.ndim:
        kept.pop(0 if kept[0][0] == 1 else 1)
    lengths, *kept_strides = zip(*kept, strict=True) if kept else ((), (), ())
    factors = []
    for x, strides, inner in zip((a, b), kept_strides, (a.strides[-1], b.strides[-2])):
        members = _broadcasting.broadcast_strides(x, stack + x.shape[-2:])[:-2]
        shape = (*stack, *lengths, a.shape[-1])
        factors.append(_layout.layout_of(x.dtype, shape, (*members, *strides, inner), x.access))
    make, axes = reduction.products.sum_of_products_call, [len(stack) + len(kept)]
    if not conjugate:
        return make(stream, factors, axes, target.dtype, target, given)
    # The last operand is the one that is conjugated.
    run = make(stream, factors[::-1], axes, target.dtype, target, given, conjugate=True)
    return lambda x, y, *out: run(y, x, *out)


def _outer_call(
    a: Layout, b: Layout, target: Layout, stream: Stream, given: bool, conjugate: bool
) -> Callable[..., Any]:
    """The call where there is nothing to add up: products of columns with rows."""
    code = _dtypes.code(target.dtype)
    factors: list[Expression] = []
    for i, x in enumerate((a, b)):
        factors.append(Cast(code, Input(i, _dtypes.code(x.dtype))))
    if conjugate:
        factors[0] = Apply(operation("conjugate"), (factors[0],), code)
    results = Apply(operation("multiply"), tuple(factors), code)
    return elementwise.launch.make_call(_NAME, [results], [a, b], [target], [given], stream)


def _as_numbers(layout: Layout) -> Layout:
    """The layout with times as the integers that they are."""
    if layout.dtype.kind not in "mM":
        return layout
    return _layout.layout_of(_INT64, layout.shape, layout.strides, layout.access)


def _steps(
    a: Layout, b: Layout, target: Layout, stream: Stream, conjugate: bool
) -> tuple[list[tuple[BoundLaunch, dict[str, str]]], list[int]]:
    """The launches, and the bytes of scratch memory."""
    passed = {"results": "y0", "left": "x0", "right": "x1"}
    if abs(target.strides[-2]) < abs(target.strides[-1]) and not conjugate:
        # Neighbouring threads store results of a row: (a @ b).T is b.T @ a.T.
        a, b, target = [_transposed(x) for x in (b, a, target)]
        passed |= {"left": "x1", "right": "x0"}
    stack = target.shape[:-2]
    rows, columns, inner = *target.shape[-2:], a.shape[-1]
    strides = [
        _layout.element_strides(_NAME, _broadcasting.broadcast_strides(x, stack + x.shape[-2:]), x)
        for x in (target, a, b)
    ]
    shape, members = _layout.collapse(stack, [x[:-2] for x in strides])
    (result_row, result_column), (left_row, left_inner), (right_inner, right_column) = [
        x[-2:] for x in strides
    ]
    code = _dtypes.code(target.dtype)
    sum_size = _dtypes.itemsize(product.spec.sum_dtype(code))
    tile, splits, split_length = product.variants.share(
        rows, columns, inner, math.prod(shape), sum_size, stream.device.multiprocessors
    )
    tiles = (1, 1)
    if tile is not None:
        tiles = ceil_div(rows, tile.rows), ceil_div(columns, tile.columns)
    blocks = math.prod(tiles) * math.prod(shape) * splits
    wide = _layout.needs_int64(max(target.size * splits, inner), [a, b, target])
    spec = product.spec.ProductSpec(
        dtype=code,
        left=_dtypes.code(a.dtype),
        right=_dtypes.code(b.dtype),
        tile=tile,
        left_along=tile is not None and _is_along(left_inner, left_row, inner, rows),
        right_along=tile is not None and _is_along(right_inner, right_column, inner, columns),
        split=splits > 1,
        stack=len(shape),
        index="int64" if wide else "int32",
        conjugate=conjugate,
    )
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
        "size": target.size,
        "row_tiles": tiles[0],
        "column_tiles": tiles[1],
        "tiles": blocks,
        "splits": splits,
        "split_length": split_length,
        "shape": shape,
        "strides": [stride for one in members for stride in one],
    }
    singly = ceil_div(target.size, product.spec.BLOCK)
    count = singly if tile is None else blocks
    first = _bound(spec, product.spec.render, count, dimensions, stream)
    if splits == 1:
        return [(first, passed)], []
    join_spec = product.spec.JoinSpec(code, spec.stack, spec.index)
    join = _bound(join_spec, product.spec.render_join, singly, dimensions, stream)
    steps = [(first, passed | {"results": "t0"}), (join, {"results": "y0", "sums": "t0"})]
    return steps, [splits * target.size * sum_size]


def _bound(
    spec: Any,
    render: Callable[[Any], KernelSource],
    blocks: int,
    dimensions: dict[str, Any],
    stream: Stream,
) -> BoundLaunch:
    function, source = load(spec, render, stream.device)
    constants: dict[str, Any] = {"dimensions": dimensions}
    plan = LaunchPlan(function, grid_for(blocks), (source.block, 1, 1), constants)
    return BoundLaunch(plan, stream)


def _transposed(layout: Layout) -> Layout:
    """The layout with the last two dimensions swapped."""
    return _layout.transpose(layout, [*range(layout.ndim - 2), layout.ndim - 1, layout.ndim - 2])


def _is_along(inner_stride: int, other_stride: int, inner: int, other: int) -> bool:
    """Whether elements along the inner dimension are closer than those along the other one."""
    if inner == 1 or other == 1:
        return other == 1
    return abs(inner_stride) < abs(other_stride)
