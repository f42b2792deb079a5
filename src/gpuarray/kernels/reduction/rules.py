"""NumPy's rules for reductions: dtypes, axes, empty input, ``initial``, ``where`` and ``out``.

Which loop a reduction takes is asked of the ufunc's row (``resolve_dtypes``), once for every
layout. How it is launched is :mod:`gpuarray.kernels.reduction.launch`'s business.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _array, _calls, _dtypes, _interchange, _layout
from gpuarray._layout import Layout
from gpuarray._namespace.called_name import called_name
from gpuarray._runtime import recording
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import find, static
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import reduction
from gpuarray.kernels.generator.expressions import Apply, Cast, Expression, Input, Scalar
from gpuarray.kernels.generator.operations import OPERATIONS, operation
from gpuarray.kernels.reduction.arguments import (
    NO_VALUE,
    axes_of,
    broadcast_mask,
    check_inexact,
    keep_from_output,
    operand,
    output,
    read_arguments,
    reduced_shape,
    target_of,
    with_warning,
)
from gpuarray.kernels.reduction.launch import ReductionOp

if TYPE_CHECKING:
    from gpuarray.kernels.reduction.computed import Source

_INT64 = np.dtype("int64")


class Reduction:
    """The reduction of a ufunc: calling it is ``ufunc.reduce``, with ``axis=None`` for all.

    Parameters
    ----------
    name : str
        NumPy's name of the ufunc.
    mean : bool
        Divide by the number of elements, and choose dtypes as ``numpy.mean`` does.
    nan : bool
        Pass over NaN.
    """

    __slots__ = ("mean", "name", "nan", "row")

    def __init__(self, name: str, mean: bool = False, nan: bool = False):
        self.name = name
        self.mean = mean
        self.nan = nan
        self.row = operation(name)

    def __repr__(self) -> str:
        options = f"{', mean=True' if self.mean else ''}{', nan=True' if self.nan else ''}"
        return f"Reduction({self.name!r}{options})"

    def __call__(
        self,
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = NO_VALUE,
        where: Any = True,
    ) -> Any:
        if (
            dtype is None
            and out is None
            and initial is NO_VALUE
            and where is True
            and type(a) is _array.array_class
        ):
            # The key that _call makes: only here does an int or None stand for itself unseen.
            try:
                run = current.stream.plans.get(
                    (
                        self,
                        a._layout,
                        axis if axis is None or type(axis) is int else static(axis),
                        keepdims,
                    )
                )
            except TypeError:  # keepdims without a hash, such as an array
                run = None
            if run is not None:
                return run(a)
        return self._call(a, axis, dtype, out, keepdims, initial, where)

    def _call(
        self, a: Any, axis: Any, dtype: Any, out: Any, keepdims: Any, initial: Any, where: Any
    ) -> Any:
        if _interchange.symbol_among((a,)) is not None:
            return a.fused_reduction(self, axis, dtype, out, keepdims, initial, where)
        operands, _, out = read_arguments(self.name, (a,), axis, out, where)
        keepdims = _arguments.check_flag(keepdims, "keepdims")
        start = "none" if initial is None else "given" if initial is not NO_VALUE else "identity"
        # keepdims is a bool in every key, and needs no type beside it.
        key: tuple = (self, *[x._layout for x in operands], static(axis), keepdims)
        if dtype is not None or out is not None or start != "identity":
            key += (static(dtype), None if out is None else out._layout, start)
        stream = current.stream
        run = stream.plans.get(key)
        if run is None:
            layouts = [x._layout for x in operands]
            run = find(stream, key, self._plan, layouts, axis, keepdims, dtype, out, start)
        if start == "given":
            operands.append(initial)
        return run(*operands) if out is None else run(*operands, out)

    def computed_call(
        self, layout: Layout, source: Source, axis: Any, keepdims: bool, dtype: Any
    ) -> Callable:
        """The call for an operand that is not stored; takes what its elements are computed from."""
        return self._plan([layout], axis, keepdims, dtype, None, "identity", source)

    def _plan(
        self,
        layouts: Sequence[Layout],
        axis: Any,
        keepdims: bool,
        dtype: Any,
        out: Any,
        start: str,
        source: Source | None = None,
    ) -> Callable:
        layout = layouts[0]
        masked = len(layouts) == 2
        if self.mean and self.nan:
            check_inexact(
                "nanmean", layout.dtype, dtype, None if out is None else out._layout.dtype
            )
        axes = axes_of(axis, layout.ndim, scalars=not self.mean or self.nan)
        shape = reduced_shape(layout.shape, axes, keepdims)
        loop, result = self._dtypes(layout.dtype, dtype, None if out is None else out._layout.dtype)
        target = target_of(self.name, layout, axes, shape, keepdims, result, out)
        count = math.prod([layout.shape[i] for i in axes])
        if start != "given" and (self.row.identity is None or start == "none"):
            if masked:
                raise ValueError(
                    f"reduction operation '{self.name}' does not have an identity, so to use a "
                    "where mask one has to specify 'initial'"
                )
            if count == 0:
                raise ValueError(
                    f"zero-size array to reduction operation {self.name} which has no identity"
                )
        initial = _dtypes.code(loop) if start == "given" else None
        if masked:
            layouts = [layout, broadcast_mask(self.name, layouts[1], layout.shape)]
        make = partial(
            self._make_call, layouts, axes, target, out is not None, loop,
            result if out is None else target.dtype, initial, source, current.stream,
        )  # fmt: skip
        discards = _calls.discards_imaginary(layout.dtype, loop)
        discards = discards or _calls.discards_imaginary(loop, target.dtype)
        warns = self.mean and count == 0
        recorder = recording.reduction_recorder
        if recorder is not None and source is None and start == "identity" and not masked:
            if out is None and not discards and not warns and type(self) in _RECORDED:
                options = axis, keepdims, dtype
                return recorder(make, layout, self, target, options, (), current.stream)
        run = make()
        if discards:
            run = _calls.with_complex_warning(run)
        if initial is not None:
            return _with_initial(run, len(layouts), loop)
        if warns:
            return with_warning(run, "Mean of empty slice")
        return run

    def _make_call(
        self,
        layouts: Sequence[Layout],
        axes: Sequence[int],
        target: Layout,
        given: bool,
        loop: np.dtype,
        result: np.dtype,
        initial: str | None,
        source: Source | None,
        stream: Stream,
    ) -> Callable:
        """The call for an operand, and a mask behind it where there is one."""
        masked = len(layouts) == 2
        return reduction.launch.make_call(
            self._computation(layouts[0].dtype, loop, result, initial, masked),
            layouts,
            masked,
            axes,
            target,
            given,
            stream,
            source,
        )

    def _dtypes(
        self, source: np.dtype, dtype: Any, out: np.dtype | None
    ) -> tuple[np.dtype, np.dtype]:
        """The dtypes of the loop and of the result, where ``out`` does not say otherwise."""
        narrow = None
        if dtype is not None:
            dtype = _dtypes.canonical(dtype)
        elif self.mean and source.kind in "biu":
            dtype = np.dtype("float64")
        elif self.mean and _dtypes.is_narrow_float(source):
            # Summed in float32, as NumPy does.
            dtype, narrow = np.dtype("float32"), source
        signature = {} if dtype is None else {"signature": (dtype, None, None)}
        loop, _, result = self.row.resolve_dtypes(
            (out, source, None), casting="unsafe", reduction=True, **signature
        )
        return _dtypes.canonical(loop), _dtypes.canonical(narrow or result)

    def _computation(
        self,
        source: np.dtype,
        loop: np.dtype,
        result: np.dtype,
        initial: str | None,
        masked: bool = False,
    ) -> ReductionOp:
        read = _dtypes.code(source)
        code = reduction.tables.accumulator(_dtypes.code(loop), self.name)
        nan = self.nan and _dtypes.kind(source) in "fcmM"
        counted = self.mean and (masked or nan)
        partial = None
        if not counted:
            partial = reduction.tables.partial(self.name, read, _dtypes.code(loop))
        # A narrow loop converts every element first: 300 as int8 is 44.
        mapped: Expression = Input(0, read)
        if partial is None:
            mapped = Cast(code, Cast(_dtypes.code(loop), mapped))
        finished: Expression = Input(reduction.functions.VALUE, code)
        if initial is not None:
            finished = Apply(
                operation(self.name),
                (Cast(code, Scalar(reduction.functions.INITIAL, initial)), finished),
                code,
            )
        elif self.name in reduction.tables.OF_MAGNITUDES:
            start = reduction.tables.neutral(self.name, code)
            finished = Apply(operation(self.name), (start, finished), code)
        if self.mean and loop.kind == "m":
            divided = (finished, Scalar(reduction.functions.COUNT, "i8"))
            finished = Apply(operation("divide"), divided, code)
        elif self.mean:
            # NumPy stores the sum in the result's dtype before it divides in double precision.
            stored = result
            if _dtypes.is_narrow_float(result) and loop == np.float32:
                stored = loop
            wide = "c16" if stored.kind == "c" else "f8"
            finished = Apply(
                operation("divide"),
                (
                    Cast(wide, Cast(_dtypes.code(stored), finished)),
                    Cast(wide, Scalar(reduction.functions.COUNT, "i8")),
                ),
                wide,
            )
            finished = Cast(_dtypes.code(stored), finished)
        return ReductionOp(
            ("nan" if nan else "") + ("mean" if self.mean else self.name),
            mapped,
            reduction.tables.pairwise(self.name, code),
            reduction.tables.neutral(self.name, code),
            finished,
            initial,
            "counted" if counted else "value",
            present=reduction.tables.number(read) if nan else None,
            partial=partial,
            packed=reduction.tables.packed(self.name, read, _dtypes.code(loop)),
        )


class CountReduction(Reduction):
    """How many elements are not zero: the sum of what they are as bools."""

    __slots__ = ()

    def _dtypes(
        self, source: np.dtype, dtype: Any, out: np.dtype | None
    ) -> tuple[np.dtype, np.dtype]:
        return _INT64, _INT64

    def _computation(
        self,
        source: np.dtype,
        loop: np.dtype,
        result: np.dtype,
        initial: str | None,
        masked: bool = False,
    ) -> ReductionOp:
        bools = super()._computation(np.dtype(bool), loop, result, initial, masked)
        read = _dtypes.code(source)
        return bools._replace(
            name="count_nonzero",
            mapped=Cast("b1", Input(0, read)),
            packed=bools.packed if source.itemsize == 1 else None,
        )


#: Those that fusion may record: others compute something else.
_RECORDED = (Reduction, CountReduction)

#: The reductions of ufuncs by NumPy's names.
REDUCTIONS = {x.name: Reduction(x.name) for x in OPERATIONS.values() if x.associative}


class ArgReduction:
    """``argmax`` or ``argmin``: calling it takes the arguments of NumPy's function.

    With ``nan``, any number comes before NaN.
    """

    __slots__ = ("greatest", "name", "nan")

    def __init__(self, name: str, greatest: bool, nan: bool = False):
        self.name = name
        self.greatest = greatest
        self.nan = nan

    def __repr__(self) -> str:
        return f"ArgReduction({self.name!r})"

    def __call__(self, a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        if out is None and type(a) is _array.array_class:
            try:
                run = current.stream.plans.get(
                    (
                        self,
                        a._layout,
                        axis if axis is None or type(axis) is int else static(axis),
                        keepdims,
                    )
                )
            except TypeError:  # keepdims without a hash, such as an array
                run = None
            if run is not None:
                return run(a)
        a = operand(a, self.name)
        out = output(out, self.name)
        operands = [a]
        keep_from_output(operands, out)
        keepdims = bool(keepdims)
        target = None if out is None else out._layout
        key: tuple = (self, a._layout, static(axis), keepdims)
        if out is not None:
            key += (target,)
        run = find(current.stream, key, self._plan, a._layout, axis, keepdims, target)
        return run(*operands) if out is None else run(*operands, out)

    def computed_call(self, layout: Layout, source: Source, axis: Any, keepdims: bool) -> Callable:
        """The call for an operand that is not stored; takes what its elements are computed from."""
        return self._plan(layout, axis, keepdims, None, source)

    def _plan(
        self,
        layout: Layout,
        axis: Any,
        keepdims: bool,
        out: Layout | None,
        source: Source | None = None,
    ) -> Callable:
        if isinstance(axis, tuple | list):
            raise TypeError(
                f"{called_name(self.name)}: "
                f"{type(axis).__name__!r} object cannot be interpreted as an integer; "
                "the axis is one number, or None for the index in the flattened array"
            )
        axes = axes_of(axis, layout.ndim)
        if not math.prod([layout.shape[i] for i in axes]):
            raise ValueError(f"attempt to get {self.name} of an empty sequence")
        shape = reduced_shape(layout.shape, axes, keepdims)
        if out is None:
            target = _layout.contiguous(_INT64, shape)
        else:
            _layout.check_writable(out, self.name)
            if out.shape != shape:
                raise ValueError(
                    f"output array does not match result of {self.name}: it has shape "
                    f"{out.shape}, {shape} is needed"
                )
            if not np.can_cast(out.dtype, _INT64, "safe"):
                raise TypeError(
                    f"{called_name(self.name)}: "
                    f"Cannot cast array data from {out.dtype!r} to {_INT64!r} "
                    "according to the rule 'safe'; pass an out of dtype int64"
                )
            target = out
        short, ufunc = ("fmax", "maximum") if self.greatest else ("fmin", "minimum")
        if self.nan:
            ufunc = short
        code = reduction.tables.accumulator(_dtypes.code(layout.dtype), ufunc)
        op = ReductionOp(
            self.name,
            Cast(code, Input(0, _dtypes.code(layout.dtype))),
            reduction.tables.beats(self.greatest, code, self.nan),
            reduction.tables.neutral(ufunc, code),
            Input(reduction.functions.VALUE, code),
            state="index",
            packed=reduction.tables.packed(
                ufunc, _dtypes.code(layout.dtype), _dtypes.code(layout.dtype)
            ),
        )
        make = partial(
            reduction.launch.make_call, op, [layout], False, axes, target, out is not None,
            current.stream, source,
        )  # fmt: skip
        recorder = recording.reduction_recorder
        if recorder is None or out is not None or source is not None:
            return make()
        return recorder(make, layout, self, target, (axis, keepdims), (), current.stream)


def _with_initial(run: Callable, position: int, dtype: np.dtype) -> Callable:
    """A call whose argument number ``position`` is converted to a dtype, as NumPy converts it."""

    def call(*args: Any) -> Any:
        # What NumPy refuses, wraps or truncates depends on the type of the number: it stores it.
        stored = np.empty((), dtype)
        stored[()] = args[position]
        return run(*args[:position], stored.item(), *args[position + 1 :])

    return call
