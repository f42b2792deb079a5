"""Folds over arrays: from an axis and layouts to a call of one launch."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gpuarray import _calls, _dtypes, _layout
from gpuarray._integers import ceil_div, power_of_two_from
from gpuarray._layout import Layout
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import fold
from gpuarray.kernels.generator.expressions import Expression

#: Segments so long, or longer, have a block each; of shorter ones part of a warp is enough.
_LONG_SEGMENT = 2048


#: Shorter lines have a thread each.
_LEAST_ROW = 32


class FoldOp(NamedTuple):
    """What is computed, whatever the layouts: see FoldSpec."""

    name: str
    first: Expression
    mapped: Expression
    combined: Expression
    finished: Expression
    initial: str | None = None
    commutative: bool = False  # elements may be combined in any order


def make_call(
    op: FoldOp,
    operand: Layout,
    axis: int | None,
    output: Layout,
    given: bool,
    stream: Stream,
    kind: str,
    other: Layout | None = None,
) -> Callable[..., Any]:
    """A call (see :mod:`gpuarray._calls`) of a fold.

    Parameters
    ----------
    op : FoldOp
        The maps, the combination and the result.
    operand : Layout
        The input.
    axis : int or None
        The axis to walk; None for lines of one element.
    output : Layout
        The result's layout: that of a reduction has the kept dimensions, with or without one of
        length 1 for the axis. The result of an accumulation may be exactly the operand's memory.
    given : bool
        Whether the caller passes the output.
    stream : Stream
        Where to run.
    kind : {'reduce', 'accumulate', 'segments'}
        What is computed.
    other : Layout, optional
        Of a reduction's mask, in the operand's shape, or of the indices where segments start.

    Returns
    -------
    callable
        Takes the operand, the mask or the indices, ``initial`` if there is one, then a given
        output.
    """
    inputs = "a" + ("a" if other is not None else "") + ("s" if op.initial is not None else "")
    new = [None if given else output]
    if output.size == 0:
        return _calls.make_call(stream, inputs, new, [])
    plan = _plan(op, operand, axis, output, stream, kind, other)
    passed = {"input": "x0", "output": "y0"}
    if other is not None:
        passed["indices" if kind == "segments" else "mask"] = "x1"
    scalars = {}
    if op.initial is not None:
        passed["initial"] = f"x{len(inputs) - 1}"
        scalars["initial"] = _dtypes.dtype_of(op.initial)
    return _calls.make_call(stream, inputs, new, [(BoundLaunch(plan, stream, scalars), passed)])


def _plan(
    op: FoldOp,
    operand: Layout,
    axis: int | None,
    output: Layout,
    stream: Stream,
    kind: str,
    other: Layout | None,
) -> LaunchPlan:
    shape = operand.shape
    others = [i for i in range(len(shape)) if i != axis]
    mask = other if kind == "reduce" else None
    whole = output.ndim == len(shape)
    written = [output.strides[i] for i in others] if whole else list(output.strides)
    read = [[x.strides[i] for i in others] if x is not None else [0] * len(others)
            for x in (operand, mask)]  # fmt: skip
    dims, (stored, *loaded) = _layout.collapse([shape[i] for i in others], [written, *read])
    length = 1 if axis is None else shape[axis]
    lines = math.prod(dims)

    def along(layout: Layout | None) -> int:
        return 0 if layout is None or axis is None else layout.strides[axis]

    steps_in = _layout.element_strides(op.name, [along(operand), *loaded[0]], operand)
    steps_mask = [along(mask), *loaded[1]]  # of bytes
    along_output = 0 if kind == "reduce" else along(output)
    steps_out = _layout.element_strides(op.name, [along_output, *stored], output)
    spec = fold.spec.FoldSpec(
        name=op.name,
        first=op.first,
        mapped=op.mapped,
        combined=op.combined,
        finished=op.finished,
        input_dtype=_dtypes.code(operand.dtype),
        output_dtype=_dtypes.code(output.dtype),
        kind=kind,
        rows=_along_rows(steps_in, lines, length) and kind != "segments",
        masked=mask is not None,
        initial=op.initial,
        kept=len(dims),
        index="int64" if _layout.needs_int64(output.size, [operand, output]) else "int32",
    )
    dimensions = {
        "lines": lines,
        "length": length,
        "segments": 1,
        "input_stride": steps_in[0],
        "mask_stride": steps_mask[0],
        "output_stride": steps_out[0],
        "index_stride": 0,
        "kept": dims,
        "input_strides": steps_in[1:],
        "mask_strides": steps_mask[1:],
        "output_strides": steps_out[1:],
    }
    threads = lines * (32 if spec.rows else 1)
    if kind == "segments":
        assert other is not None
        count = other.shape[0]
        spec = _segments(spec, op, other, length, lines, steps_in)
        dimensions["segments"] = count
        (dimensions["index_stride"],) = _layout.element_strides(op.name, other.strides, other)
        threads = lines * count * spec.width
    function, source = load(spec, fold.spec.render, stream.device)
    blocks = ceil_div(threads, source.block)
    return LaunchPlan(function, grid_for(blocks), (source.block, 1, 1), {"dimensions": dimensions})


def _along_rows(steps: Sequence[int], lines: int, length: int) -> bool:
    """Whether warps walk lines: neighbouring elements belong to one, and there are enough."""
    return length >= _LEAST_ROW and (lines == 1 or abs(steps[0]) < abs(steps[-1]))


def _segments(
    spec: fold.spec.FoldSpec,
    op: FoldOp,
    indices: Layout,
    length: int,
    lines: int,
    steps: Sequence[int],
) -> fold.spec.FoldSpec:
    """The threads of a segment: by its mean length, and by how neighbours lie in memory."""
    across = lines > 1 and abs(steps[-1]) < abs(steps[0])
    width = 1
    mean = ceil_div(length, indices.shape[0])
    if op.commutative and not (across and lines >= 32):
        block = fold.spec.BLOCKS["segments"]
        width = block if mean >= _LONG_SEGMENT else min(32, power_of_two_from(ceil_div(mean, 4)))
    changes = {"indices": _dtypes.code(indices.dtype), "width": width, "lines_first": across}
    values = {name: getattr(spec, name) for name in spec.__slots__} | changes
    return fold.spec.FoldSpec(**values)
