"""Gather and scatter by index arrays: from layouts to calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpuarray import _calls, _dtypes, _layout, kernels
from gpuarray._device import current
from gpuarray._launch import BoundLaunch, LaunchPlan, grid_for, load, pack_integers
from gpuarray._layout import Layout
from gpuarray._stream import Stream


def transfer(
    dense: Layout,
    indexed: Layout,
    whole: Layout,
    indices: Sequence[tuple[Layout, int, int]],
    scatter: bool,
) -> Callable[..., Any]:
    """A call of a gather, or of a scatter.

    Parameters
    ----------
    dense : Layout
        What has an element for each element of the result.
    indexed : Layout
        The indexed array in the result's shape, with the index arrays' dimensions broadcast.
    whole : Layout
        The indexed array as it is, which bounds where elements can be.
    indices : sequence of (Layout, length, stride)
        Each index array in the result's shape, and the length and byte stride of its axis.
    scatter : bool
        Whether elements go from ``dense`` to ``indexed``.

    Returns
    -------
    callable
        Takes the array that is read, the index arrays, and the array that is written.
    """
    stream = current.stream
    key = (transfer, dense, indexed, whole, tuple(indices), scatter)
    run = stream.plans.get(key)
    if run is None:
        run = _plan_transfer(dense, indexed, whole, indices, scatter, stream)
        stream.remember(key, run)
    return run


def _plan_transfer(
    dense: Layout,
    indexed: Layout,
    whole: Layout,
    indices: Sequence[tuple[Layout, int, int]],
    scatter: bool,
    stream: Stream,
) -> Callable[..., Any]:
    name = "scatter" if scatter else "gather"
    layouts = [dense, indexed, *[index for index, _, _ in indices]]
    shape = dense.shape
    dims, strides = _layout.collapse(shape, [x.strides for x in layouts])
    index = "int64" if _layout.needs_int64(dense.size, [*layouts, whole]) else "int32"
    if any(length > _layout.INT32_MAX for _, length, _ in indices):
        index = "int64"
    spec = kernels.indexing.TransferSpec(
        scatter,
        dense.itemsize,
        tuple([_dtypes.code(one.dtype) for one, _, _ in indices]),
        len(dims),
        index,
    )
    function, source = load(spec, kernels.indexing.render_transfer, stream.device)
    struct = list(dims)
    for one, layout in zip(strides, layouts, strict=True):
        struct += _layout.element_strides(name, one, layout)
    struct += [length for _, length, _ in indices]
    struct += _layout.element_strides(name, [stride for _, _, stride in indices], indexed)
    position = len(function.parameters) - 2
    constants = {
        position: pack_integers([dense.size], index),
        position + 1: pack_integers(struct, index),
    }
    per_block = kernels.indexing.BLOCK * source.items_per_thread
    blocks = (dense.size + per_block - 1) // per_block
    plan = LaunchPlan(function, grid_for(blocks), (kernels.indexing.BLOCK, 1, 1), constants)
    read, written = ("dense", "indexed") if scatter else ("indexed", "dense")
    names = {read: "x0", written: "y0"}
    parameters = [names["dense"], names["indexed"]]
    parameters += [f"x{1 + i}" for i in range(len(indices))]
    bound = BoundLaunch(plan, stream)
    return _calls.make_call(stream, "a" * (1 + len(indices)), [None], [(bound, parameters)])
