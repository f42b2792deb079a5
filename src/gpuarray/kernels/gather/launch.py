"""Gather and scatter by index arrays: from layouts to calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuarray import _arguments, _calls, _dtypes, _layout
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import gather


def transfer(
    dense: Layout | np.dtype,
    indexed: Layout,
    whole: Layout,
    indices: Sequence[tuple[Layout, int, int]],
    scatter: bool,
    new: bool = False,
    mode: str = "raise",
) -> Callable[..., Any]:
    """A call of a gather, or of a scatter.

    Parameters
    ----------
    dense : Layout or dtype
        What has an element for each element of the result: what a gather makes, what a scatter
        reads; a dtype for a scalar that a scatter stores everywhere.
    indexed : Layout
        The indexed array in the result's shape, with the index arrays' dimensions broadcast.
    whole : Layout
        The indexed array as it is, which bounds where elements can be.
    indices : sequence of (Layout, length, stride)
        Each index array in the result's shape, and the length and byte stride of its axis.
    scatter : bool
        Whether elements go from ``dense`` to ``indexed``.
    new : bool, optional
        Whether a gather's call makes the array that it writes.
    mode : {'raise', 'wrap', 'clip', 'check'}, optional
        What becomes of indices out of bounds.

    Returns
    -------
    callable
        Takes what is read, the index arrays, and what is written unless that is new.
    """
    return _transfer_call(current.stream, dense, indexed, whole, tuple(indices), scatter, new, mode)


@planned
def _transfer_call(
    stream: Stream,
    dense: Layout | np.dtype,
    indexed: Layout,
    whole: Layout,
    indices: Sequence[tuple[Layout, int, int]],
    scatter: bool,
    new: bool,
    mode: str,
) -> Callable[..., Any]:
    name = "scatter" if scatter else "gather"
    scalar = None if isinstance(dense, Layout) else dense
    shape, size = indexed.shape, indexed.size
    if not isinstance(dense, Layout):
        dense = _layout.layout_of(dense, shape, (0,) * len(shape))
    result = dense
    operands = (dense, indexed, whole)
    if scalar is None and any(x.unaligned for x in operands):
        size = _layout.word_size(operands)
        dense, indexed, whole = [_layout.in_words(x, size) for x in operands]
        shape, size = indexed.shape, indexed.size
        indices = [
            (_layout.layout_of(x.dtype, x.shape + shape[-1:], x.strides + (0,)), length, stride)
            for x, length, stride in indices
        ]
    layouts = [dense, indexed, *[index for index, _, _ in indices]]
    dims, strides = _layout.collapse(shape, [x.strides for x in layouts])
    index = "int64" if _layout.needs_int64(size, [*layouts, whole]) else "int32"
    if any(length > _arguments.INT32_MAX for _, length, _ in indices):
        index = "int64"
    spec = gather.spec.TransferSpec(
        scatter,
        dense.itemsize,
        tuple([_dtypes.code(one.dtype) for one, _, _ in indices]),
        len(dims),
        index,
        scalar is not None,
        mode,
    )
    function, source = load(spec, gather.spec.render_transfer, stream.device)
    steps = _layout.element_strides(name, [stride for _, _, stride in indices], indexed)
    dimensions = {
        "shape": dims,
        "strides": [
            stride
            for one, layout in zip(strides, layouts, strict=True)
            for stride in _layout.element_strides(name, one, layout)
        ],
        "lengths": [length for _, length, _ in indices],
        "steps": steps,
    }
    plan = LaunchPlan(
        function,
        grid_for(ceil_div(size, source.block * source.items_per_thread)),
        (source.block, 1, 1),
        {"size": size, "dimensions": dimensions},
    )
    passed = {f"index{i}": f"x{1 + i}" for i in range(len(indices))}
    passed |= {"dense": "x0", "indexed": "y0"} if scatter else {"dense": "y0", "indexed": "x0"}
    bound = BoundLaunch(plan, stream, {} if scalar is None else {"dense": scalar})
    inputs = ("a" if scalar is None else "s") + "a" * len(indices)
    return _calls.make_call(stream, inputs, [result if new else None], [(bound, passed)])
