"""NumPy's rules for ``reduce`` and ``accumulate`` of functions that are not associative, and for
``reduceat`` of all functions.

How they are launched is :mod:`gpuarray.kernels.fold.launch`'s business.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuarray import _arguments, _array, _calls, _dtypes, _layout, _memory_order, _transfers
from gpuarray._layout import Layout
from gpuarray._namespace.called_name import called_name
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import find, static
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import fold, reduction
from gpuarray.kernels.fold.launch import FoldOp
from gpuarray.kernels.generator.expressions import Apply, Cast, Input
from gpuarray.kernels.generator.operations import OPERATIONS, Operation
from gpuarray.kernels.reduction.arguments import axes_of, keep_from_output, operand, output
from gpuarray.kernels.reduction.rules import Reduction
from gpuarray.kernels.scan.rules import Accumulation

_INT64 = np.dtype("int64")


def _computation(
    row: Operation, source: np.dtype, loop: Sequence[np.dtype], initial: str | None = None
) -> FoldOp:
    """A fold in a loop's dtypes: that of the value so far, and that of elements."""
    value, element = _dtypes.code(loop[0]), _dtypes.code(loop[1])
    if row.associative:
        # As reductions combine: float16 in float32, narrow integers in registers.
        value = element = reduction.tables.accumulator(value, row.name)
    read = Input(0, _dtypes.code(source))
    return FoldOp(
        row.name,
        Cast(value, Cast(_dtypes.code(loop[0]), read)),
        Cast(element, Cast(_dtypes.code(loop[1]), read)),
        Apply(row, (Input(0, value), Input(1, element)), value),
        Cast(_dtypes.code(loop[0]), Input(0, value)),
        initial,
        row.associative,
    )


def _loop(
    row: Operation, source: np.dtype, dtype: Any, out: np.dtype | None, one_dtype: bool = True
) -> list[np.dtype]:
    """The dtypes of the loop: of the value so far, of elements, of the result.

    NumPy has them all alike where it stores values in between.
    """
    signature = {}
    if dtype is not None:
        signature = {"signature": (_dtypes.canonical(dtype), None, None)}
    found = row.resolve_dtypes((out, source, None), casting="unsafe", reduction=True, **signature)
    loop = [_dtypes.canonical(x) for x in found]
    if loop[0] != loop[2] or (one_dtype and loop[0] != loop[1]):
        raise TypeError(
            f"{called_name(row.name)}: the loop from {loop[0]} and {loop[1]} to {loop[2]} does "
            "not take its results for operands; pass another dtype"
        )
    return loop


class OrderedReduction(Reduction):
    """The reduction of a function that is not associative, in the order of the elements."""

    __slots__ = ()

    def _plan(self, layouts: Sequence[Layout], axis: Any, *rest: Any) -> Callable:
        if len(axes_of(axis, layouts[0].ndim)) > 1:
            raise ValueError(
                f"reduction operation {self.name!r} is not reorderable, so at most one axis may "
                "be specified"
            )
        return super()._plan(layouts, axis, *rest)

    def _make_call(
        self,
        layouts: Sequence[Layout],
        axes: Sequence[int],
        target: Layout,
        given: bool,
        loop: np.dtype,
        result: np.dtype,
        initial: str | None,
        source: Any,
        stream: Stream,
    ) -> Callable:
        dtype = layouts[0].dtype
        loops = _loop(self.row, dtype, loop, None, False)
        return fold.launch.make_call(
            _computation(self.row, dtype, loops, initial), layouts[0],
            axes[0] if axes else None, target, given, stream, "reduce",
            layouts[1] if len(layouts) == 2 else None,
        )  # fmt: skip


class OrderedAccumulation(Accumulation):
    """The accumulation of a function that is not associative, in the order of the elements."""

    __slots__ = ()

    def _make_call(
        self,
        layout: Layout,
        axis: int,
        target: Layout,
        given: bool,
        loop: np.dtype,
        source: Any,
    ) -> Callable:
        loops = _loop(self.row, layout.dtype, loop, None)
        return fold.launch.make_call(
            _computation(self.row, layout.dtype, loops), layout, axis, target, given,
            current.stream, "accumulate",
        )  # fmt: skip


class SegmentReduction:
    """``ufunc.reduceat``: reductions of segments that begin at indices."""

    __slots__ = ("name", "row")

    def __init__(self, name: str):
        self.name = name
        self.row = OPERATIONS[name]

    def __repr__(self) -> str:
        return f"SegmentReduction({self.name!r})"

    def __call__(
        self, a: Any, indices: Any, axis: Any = 0, dtype: Any = None, out: Any = None
    ) -> Any:
        if type(a) is type(indices) is _array.array_class and type(axis) is int:
            if dtype is None and out is None:
                # The key that is made below, of an axis that counts from the front.
                run = current.stream.plans.get((self, a._layout, indices._layout, axis, None, None))
                if run is not None:
                    return run(a, indices)
        a = operand(a, self.name)
        layout = a._layout
        axis = self._axis(axis, layout.ndim)
        out = output(out, self.name)
        starts = self._starts(indices, layout.shape[axis])
        operands = [a, starts]
        keep_from_output(operands, out)
        a, starts = operands
        target = None if out is None else out._layout
        key = (self, a._layout, starts._layout, axis, static(dtype), target)
        run = find(current.stream, key, self._plan, a._layout, starts._layout, axis, dtype, target)
        if out is None:
            return run(a, starts)
        run(a, starts, out)
        return out

    def _axis(self, axis: Any, ndim: int) -> int:
        name = f"{called_name(self.name)}.reduceat"
        if isinstance(axis, tuple) and len(axis) == 1:
            (axis,) = axis
        if isinstance(axis, tuple) or (axis is None and ndim > 1):
            raise ValueError(f"{name}: reduceat does not allow multiple axes, got axis={axis}")
        if not ndim:
            raise TypeError(f"{name}: cannot reduceat on a scalar; pass an array with an axis")
        axis = 0 if axis is None else operator.index(axis)
        return _arguments.check_axis(axis, ndim)

    def _starts(self, indices: Any, length: int) -> Any:
        """The indices in device memory; those from the host are checked there."""
        name = f"{called_name(self.name)}.reduceat"
        if isinstance(indices, _array.ArrayBase):
            found: Any = indices._layout
            host = None
        else:
            # Lists of floats are truncated, as NumPy truncates them.
            host = np.asarray(indices, _INT64 if isinstance(indices, list | tuple) else None)
            found = host
        if not np.can_cast(found.dtype, _INT64, "safe"):
            raise TypeError(
                f"{name}: Cannot cast array data from {found.dtype!r} to {_INT64!r} according to "
                "the rule 'safe'; indices are integers"
            )
        if found.ndim != 1:
            raise ValueError(f"{name}: indices have one dimension, got {found.ndim}")
        if host is None:
            if not length and found.size:
                raise IndexError(f"{name}: an index is out of bounds for an axis with size 0")
            return indices
        wrong = host[(host < 0) | (host >= length)]
        if wrong.size:
            raise IndexError(f"{name}: index {wrong[0]} out-of-bounds in [0, {length})")
        host = np.ascontiguousarray(host, _INT64)
        return _transfers.from_host(host, _layout.contiguous(_INT64, host.shape))

    def _plan(
        self, layout: Layout, starts: Layout, axis: int, dtype: Any, out: Layout | None
    ) -> Callable:
        loop = _loop(self.row, layout.dtype, dtype, None if out is None else out.dtype)
        shape = layout.shape[:axis] + starts.shape + layout.shape[axis + 1 :]
        target = out
        if target is None:
            # As NumPy's iterator, for which operands do not move along the axis.
            strides = (*layout.strides[:axis], 0, *layout.strides[axis + 1 :])
            like = _layout.layout_of(layout.dtype, shape, strides)
            target = _memory_order.like_order(loop[2], shape, [like])
        elif target.shape != shape:
            raise ValueError(
                f"{called_name(self.name)}.reduceat: out has shape {target.shape}, but the result "
                f"has shape {shape}"
            )
        _layout.check_writable(target, self.name)
        run = fold.launch.make_call(
            _computation(self.row, layout.dtype, loop), layout, axis, target, out is not None,
            current.stream, "segments", starts,
        )  # fmt: skip
        casts = (layout.dtype, loop[0]), (loop[2], target.dtype)
        if any(_calls.discards_imaginary(one, other) for one, other in casts):
            run = _calls.with_complex_warning(run)
        return run


class _ByName(dict[str, Any]):
    """What is made of a ufunc's name when it is first asked for."""

    def __init__(self, make: Callable[[str], Any]):
        super().__init__()
        self._make = make

    def __missing__(self, name: str) -> Any:
        return self.setdefault(name, self._make(name))


#: The reductions and accumulations of functions that are not associative, by NumPy's names.
REDUCTIONS = _ByName(OrderedReduction)
ACCUMULATIONS = _ByName(OrderedAccumulation)

#: ``reduceat`` by NumPy's names of functions.
SEGMENT_REDUCTIONS = _ByName(SegmentReduction)
