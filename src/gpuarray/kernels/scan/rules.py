"""NumPy's rules for cumulative operations: dtypes, the axis and ``out``.

How they are launched is :mod:`gpuarray.kernels.scan.launch`'s business.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _array, _calls, _dtypes, _layout, _memory_order
from gpuarray._array import ArrayBase
from gpuarray._layout import Layout
from gpuarray._namespace.called_name import called_name
from gpuarray._runtime import recording
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import find, static
from gpuarray.kernels import elementwise, scan
from gpuarray.kernels.generator.expressions import Apply, Constant, Expression, Input
from gpuarray.kernels.generator.operations import OPERATIONS, operation
from gpuarray.kernels.reduction.arguments import operand, output

if TYPE_CHECKING:
    from gpuarray.kernels.reduction.computed import Source

_new = object.__new__


class Accumulation:
    """The accumulation of a ufunc: calling it is ``ufunc.accumulate``, ``axis=None`` for all.

    Parameters
    ----------
    name : str
        NumPy's name of the ufunc.
    ignoring_nan : bool
        Take NaN as the value that changes nothing.
    """

    __slots__ = ("ignoring_nan", "name", "row")

    def __init__(self, name: str, ignoring_nan: bool = False):
        self.name = name
        self.ignoring_nan = ignoring_nan
        self.row = operation(name)

    def __repr__(self) -> str:
        return f"Accumulation({self.name!r}{', ignoring_nan=True' if self.ignoring_nan else ''})"

    def __call__(self, a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        if dtype is None and out is None and type(a) is _array.array_class:
            # The key that is made below: only here does an int or None stand for itself unseen.
            run = current.stream.plans.get(
                (self, a._layout, axis if axis is None or type(axis) is int else static(axis))
            )
            if run is not None:
                return run(a)
        a = operand(a, self.name)
        out = output(out, self.name)
        if axis is not None and not isinstance(axis, bool):
            axis = operator.index(axis)
            # NumPy gives an array without dimensions one, so that it has the axes 0 and -1.
            if not a._layout.ndim and axis in (0, -1):
                axis = None
        if axis is None and a._layout.ndim != 1:
            a, axis = flattened(a), 0
        if out is not None and _must_be_kept(a, out):
            apart = _array.contiguous_layout(a)
            a = elementwise.launch.copy_call(a._layout, apart, False, current.stream)(a)
        layout = a._layout
        target = None if out is None else out._layout
        key: tuple = (self, layout, static(axis))
        if dtype is not None or out is not None:
            key += (static(dtype), target)
        run = find(current.stream, key, self._plan, layout, axis, dtype, target)
        if out is None:
            return run(a)
        run(a, out)
        return out

    def computed_call(self, layout: Layout, source: Source, axis: Any, dtype: Any) -> Callable:
        """What takes the arrays and numbers of a source in place of an array of a layout."""
        return self._plan(layout, axis, dtype, None, source)

    def _plan(
        self,
        layout: Layout,
        axis: Any,
        dtype: Any,
        out: Layout | None,
        source: Source | None = None,
    ) -> Callable:
        axis = _arguments.check_axis(0 if axis is None else axis, layout.ndim, bools=False)
        loop, result = self.dtypes(layout.dtype, dtype, None if out is None else out.dtype)
        if out is None:
            target = _memory_order.like_order(result, layout.shape, [layout])
        else:
            target = out
            if out.shape != layout.shape:
                raise ValueError(
                    f"{called_name(self.name)}: "
                    "provided out is the wrong size for the accumulation: it has "
                    f"shape {out.shape}, {layout.shape} is needed"
                )
            _layout.check_writable(out, self.name)
        make = partial(self._make_call, layout, axis, target, out is not None, loop, source)
        if _calls.discards_imaginary(layout.dtype, loop) or _calls.discards_imaginary(
            loop, target.dtype
        ):
            return _calls.with_complex_warning(make())
        recorder = recording.reduction_recorder
        if recorder is None or out is not None or source is not None:
            return make()
        if type(self) is not Accumulation:  # one whose function is not associative
            return make()
        return recorder(make, layout, self, target, (axis, dtype), (), current.stream)

    def _make_call(
        self,
        layout: Layout,
        axis: int,
        target: Layout,
        given: bool,
        loop: np.dtype,
        source: Source | None,
    ) -> Callable:
        return scan.launch.make_call(
            self.computation(layout.dtype, loop), layout, axis, target, given, current.stream,
            source=source,
        )  # fmt: skip

    def dtypes(
        self, source: np.dtype, dtype: Any, out: np.dtype | None
    ) -> tuple[np.dtype, np.dtype]:
        """The dtypes of the loop and of the result, where ``out`` does not say otherwise."""
        signature = {}
        if dtype is not None:
            signature = {"signature": (_dtypes.canonical(dtype), None, None)}
        loop, _, result = self.row.resolve_dtypes(
            (out, source, None), casting="unsafe", reduction=True, **signature
        )
        return _dtypes.canonical(loop), _dtypes.canonical(result)

    def computation(self, source: np.dtype, loop: np.dtype) -> scan.launch.ScanOp:
        """What the kernel computes."""
        code = _dtypes.code(source)
        mapped: Expression | None = None
        if self.ignoring_nan and _dtypes.kind(source) in "fc":
            x = Input(0, code)
            nan = Apply(operation("isnan"), (x,), "b1")
            nothing = Constant(self.row.identity, code)
            mapped = Apply(operation("where"), (nan, nothing, x), code)
        return scan.launch.accumulation(self.name, code, _dtypes.code(loop), mapped)


def _must_be_kept(a: Any, out: Any) -> bool:
    """Whether the output would overwrite elements before they are read."""
    return _array.overlap(a, out) and not _array.same_elements(a, out)


def flattened(a: Any) -> Any:
    """An array's elements in C order in one dimension: a view if it is gapless, else a copy."""
    layout = a._layout
    flat = _layout.contiguous(layout.dtype, (layout.size,))
    if not layout.c_contiguous:
        target = _array.contiguous_layout(a)
        a = elementwise.launch.copy_call(layout, target, False, current.stream)(a)
    return _array.view(a, flat)


#: The accumulations of ufuncs by NumPy's names.
ACCUMULATIONS = {x.name: Accumulation(x.name) for x in OPERATIONS.values() if x.associative}


def accumulate(
    accumulation: Accumulation, a: Any, axis: Any = 0, dtype: Any = None, out: Any = None
) -> Any:
    """``ufunc.accumulate``, which unlike ``cumsum`` walks one axis that there is.

    Raises
    ------
    TypeError
        If ``a`` has no dimensions.
    """
    name = accumulation.name
    if isinstance(axis, tuple):
        if len(axis) != 1:
            raise ValueError(f"{name}.accumulate: accumulate does not allow multiple axes: {axis}")
        (axis,) = axis
    if isinstance(a, ArrayBase):
        if a._layout.ndim == 0:
            raise TypeError(f"{name}.accumulate: cannot accumulate on a scalar")
        if axis is None and a._layout.ndim > 1:
            raise ValueError(f"{name}.accumulate: accumulate does not allow multiple axes")
    return accumulation(a, axis, dtype, out)
