"""Variances: NumPy's rules for them, and their plans.

One launch reads the elements once (``moments.cuh``; sums of integers of up to 16 bits
and of their squares are exact: ``integer_moments.cuh``). With a given mean it is a sum
of squared differences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _array, _broadcasting, _dtypes
from gpuarray._dtypes import category
from gpuarray._layout import Layout
from gpuarray._runtime import recording
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import find, static
from gpuarray.kernels import reduction
from gpuarray.kernels.generator.expressions import (
    Apply,
    Cast,
    Constant,
    Expression,
    Input,
    Scalar,
    apply,
)
from gpuarray.kernels.generator.operations import operation
from gpuarray.kernels.reduction.arguments import (
    NO_VALUE,
    axes_of,
    broadcast_mask,
    check_inexact,
    read_arguments,
    reduced_shape,
    target_of,
    with_warning,
)
from gpuarray.kernels.reduction.launch import ReductionOp

if TYPE_CHECKING:
    from gpuarray.kernels.reduction.computed import Source

#: Integers whose sums of squares are exact in 64 bits, if there are not more of them.
_NARROW = ("b1", "i1", "u1", "i2", "u2")
_MOST_SQUARES = 2**33


class Deviation:
    """``var`` or, with ``root``, ``std``; with ``nan`` passing over NaN."""

    __slots__ = ("name", "nan", "root")

    def __init__(self, name: str, root: bool = False, nan: bool = False):
        self.name = name
        self.root = root
        self.nan = nan

    def __repr__(self) -> str:
        return f"Deviation({self.name!r})"

    def __call__(
        self,
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: Any = 0,
        keepdims: bool = False,
        where: Any = True,
        mean: Any = NO_VALUE,
        correction: Any = NO_VALUE,
    ) -> Any:
        if correction is not NO_VALUE:
            if ddof != 0:
                raise ValueError("ddof and correction can't be provided simultaneously.")
            ddof = correction
        if (
            dtype is None
            and out is None
            and where is True
            and mean is NO_VALUE
            and type(a) is _array.array_class
        ):
            # The key that _call makes: only here do ints and None stand for themselves unseen.
            try:
                run = current.stream.plans.get(
                    (
                        self,
                        a._layout,
                        axis if axis is None or type(axis) is int else static(axis),
                        keepdims,
                        ddof if type(ddof) is int else static(ddof),
                    )
                )
            except TypeError:  # keepdims without a hash, such as an array
                run = None
            if run is not None:
                return run(a, ddof)
        return self._call(a, axis, dtype, out, ddof, keepdims, where, mean)

    def _call(
        self,
        a: Any,
        axis: Any,
        dtype: Any,
        out: Any,
        ddof: Any,
        keepdims: Any,
        where: Any,
        mean: Any,
    ) -> Any:
        given = mean is not NO_VALUE and mean is not None
        arrays = (a, mean) if given else (a,)
        operands, masked, out = read_arguments(self.name, arrays, axis, out, where)
        if isinstance(ddof, _array.ArrayBase):
            raise TypeError(f"{self.name}: ddof is a number, not an array in device memory")
        keepdims = _arguments.check_flag(keepdims, "keepdims")
        layouts = [x._layout for x in operands]
        # keepdims is a bool in every key, and needs no type beside it.
        key: tuple = (self, *layouts, static(axis), keepdims, static(ddof))
        if dtype is not None or out is not None or given or masked:
            key += (static(dtype), None if out is None else out._layout, given)
        stream = current.stream
        run = stream.plans.get(key)
        if run is None:
            arguments = (layouts, given, masked, axis, keepdims, dtype, ddof, out)
            run = find(stream, key, self._plan, *arguments)
        return run(*operands, ddof) if out is None else run(*operands, ddof, out)

    def computed_call(
        self, layout: Layout, source: Source, axis: Any, keepdims: bool, ddof: Any, dtype: Any
    ) -> Callable:
        """The call for an operand that is not stored; takes what its elements are computed from."""
        return self._plan([layout], False, False, axis, keepdims, dtype, ddof, None, source)

    def _plan(
        self,
        layouts: Sequence[Layout],
        given: bool,
        masked: bool,
        axis: Any,
        keepdims: bool,
        dtype: Any,
        ddof: Any,
        out: Any,
        source: Source | None = None,
    ) -> Callable:
        layouts = list(layouts)
        layout = layouts[0]
        if self.nan:
            check_inexact(
                self.name, layout.dtype, dtype, None if out is None else out._layout.dtype
            )
        # NumPy's var and std count the elements by their axes, of which a scalar has none.
        axes = axes_of(axis, layout.ndim, scalars=self.nan)
        shape = reduced_shape(layout.shape, axes, keepdims)
        if given:
            layouts[1] = _broadcasting.broadcast_to(layouts[1], layout.shape)
        if masked:
            layouts[-1] = broadcast_mask(self.name, layouts[-1], layout.shape)
        wide, result = self._dtypes([x.dtype for x in layouts[: 1 + given]], dtype)
        target = target_of(self.name, layout, axes, shape, keepdims, result, out)
        if self.root and target.dtype.kind in "biu" and (shape or out is not None):
            # NumPy stores the roots in the array of the variances.
            raise TypeError(
                f"{self.name}: Cannot cast ufunc 'sqrt' output from {wide!r} to {target.dtype!r} "
                "with casting rule 'same_kind'; use a dtype of floats and astype"
            )
        codes = [_dtypes.code(x.dtype) for x in layouts[: 1 + given]]
        count = math.prod([layout.shape[i] for i in axes])
        make = partial(
            reduction.launch.make_call,
            self._computation(codes, _dtypes.code(wide), masked, count),
            layouts,
            masked,
            axes,
            target,
            out is not None,
            current.stream,
            source,
        )
        if count <= ddof:
            return with_warning(make(), "Degrees of freedom <= 0 for slice")
        recorder = recording.reduction_recorder
        if recorder is None or source is not None or len(layouts) > 1:
            return make()
        if out is not None or target.dtype.kind in "biu":
            return make()
        options, numbers = (axis, keepdims, ddof, dtype), (np.dtype("f8"),)
        return recorder(make, layout, self, target, options, numbers, current.stream)

    def _dtypes(self, sources: Sequence[np.dtype], dtype: Any) -> tuple[np.dtype, np.dtype]:
        """The dtypes to compute in and of the result."""
        source = np.result_type(*sources)
        if source.kind in "mM" or _dtypes.is_raw(source):
            raise TypeError(
                f"{self.name}: elements of dtype {source} have no squares; convert differences of "
                "times to numbers: (x / numpy.timedelta64(1, 's'))"
            )
        result = None if dtype is None else _dtypes.canonical(dtype)
        wide = source if result is None else np.result_type(source, result)
        if wide.kind in "biu":
            wide = np.dtype("float64")
        if result is None:
            result = np.empty(0, wide).real.dtype
        if _dtypes.is_narrow_float(wide):
            wide = np.dtype("float32")
        return _dtypes.canonical(wide), _dtypes.canonical(result)

    def _computation(
        self, codes: Sequence[str], wide: str, masked: bool, count: int
    ) -> ReductionOp:
        real = reduction.tables.real(wide)
        nan = self.nan and category(codes[0]) in ("float", "complex")
        state = "moments"
        packed = None
        mapped: Expression = Cast(wide, Input(0, codes[0]))
        if len(codes) == 1 and wide == "f8" and not masked and codes[0] in _NARROW:
            if count <= _MOST_SQUARES:
                state = "squares"
                packed = reduction.tables.packed_squares(codes[0])
                mapped = Cast("i4", Input(0, codes[0]))
                if codes[0] == "u2":  # so that squares have 30 bits: it is the same variance
                    mapped = apply("subtract", "i4", mapped, Constant(2**15, "i4"))
        elif len(codes) == 2:
            state = "counted" if masked or nan else "value"
            difference = apply("subtract", wide, mapped, Cast(wide, Input(1, codes[1])))
            mapped = apply("square", real, apply("absolute", real, difference))
            wide = real
        freedom = apply(
            "subtract",
            "f8",
            Cast("f8", Scalar(reduction.functions.COUNT, "i8")),
            Scalar(reduction.functions.INITIAL + 1, "f8"),
        )
        zero = Constant(0.0, "f8")
        freedom = apply("maximum", "f8", freedom, zero)
        squares = Cast("f8", Input(reduction.functions.VALUE, real))
        finished: Expression = apply("divide", "f8", squares, freedom)
        if nan:
            # Where too few elements are left NumPy's result is NaN, and not infinite.
            enough = Apply(operation("greater"), (freedom, zero), "b1")
            finished = apply("where", "f8", enough, finished, Constant(float("nan"), "f8"))
        if self.root:
            finished = apply("sqrt", "f8", finished)
        return ReductionOp(
            self.name,
            mapped,
            reduction.tables.pairwise("add", wide),
            reduction.tables.neutral("add", wide),
            finished,
            state=state,
            scalars=("f8",),
            present=reduction.tables.number(codes[0]) if nan else None,
            packed=packed,
        )
