"""Array creation routines: numerical ranges."""

from __future__ import annotations

import math
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _array, _dtypes, _layout
from gpuarray._ops.conversion import asarray
from gpuarray._ops.placement import given_device
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise.launch import ELEMENT_INDEX
from gpuarray.kernels.generator.expressions import (
    Cast,
    Constant,
    Expression,
    Input,
    Scalar,
    apply,
    cast,
)

if TYPE_CHECKING:
    from gpuarray._runtime.device import Device
    from gpuarray._types import DTypeLike, Number, ndarray

__all__ = ["arange"]

#: Up to this the quotient of integers, from which NumPy has the length, is not rounded.
_EXACT = 2**52

_INT64, _FLOAT64 = np.dtype(np.int64), np.dtype(np.float64)

#: Between which integers a dtype holds each one, so that its first values and their difference are
#: what Python computes.
_HELD = {
    dtype: (max(int(np.iinfo(dtype).min), -_EXACT), min(int(np.iinfo(dtype).max), _EXACT))
    for dtype in map(np.dtype, ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"))
}
_HELD |= {
    np.dtype("f2"): (-(2**11), 2**11),
    np.dtype("f4"): (-(2**24), 2**24),
    _FLOAT64: (-_EXACT, _EXACT),
}
_NONE_HELD = (1, 0)


def arange(
    start: Number,
    stop: Number | None = None,
    step: Number | None = 1,
    dtype: DTypeLike | None = None,
    *,
    device: Device | None = None,
    like: object = None,
) -> ndarray:
    """Evenly spaced values within a half-open interval.

    Parameters
    ----------
    start : number
        First value; with one argument, that is the end and the first value is 0.
    stop : number, optional
        End, which is not part of the range.
    step : number, optional
        Spacing.
    dtype : dtype, optional
        Dtype of the elements, by default found from the arguments.
    device : Device, optional
        Where the array will be; the current device by default.
    like : object, optional
        Ignored: results are arrays of this package.

    Returns
    -------
    ndarray, 1-D
        ``ceil((stop - start) / step)`` values, bit for bit those of ``numpy.arange``.

    Raises
    ------
    ZeroDivisionError
        If `step` is 0.

    Differences from NumPy
    ----------------------
    A range of integers beyond 64 bits, which NumPy makes of Python's objects, is refused.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.arange(3, 9, 2)
    array([3, 5, 7])
    """
    if device is not None:
        with given_device(device, "arange"):
            return arange(start, stop, step, dtype)
    if stop is None:
        start, stop = 0, start
    if step is None:
        step = 1
    if type(start) is int and type(stop) is int and type(step) is int:
        found = _INT64 if dtype is None else _dtypes.canonical(dtype)
        low, high = _HELD.get(found, _NONE_HELD)
        if (
            low <= start <= high
            and low <= step <= high
            and low <= start + step <= high
            and -_EXACT <= stop <= _EXACT
        ):
            length = len(range(start, stop, step)) if step else 1 // step
            stream = current.stream
            run = stream.plans.get((_plan_range, found, length, "exact"))  # the key of _plan_range
            if run is None:
                run = _plan_range(stream, found, length, "exact")
            return run(start, step)
    decided = _python_floats(start, stop, step, dtype)
    if decided is None:
        if _has_times(start, stop, step, dtype):
            return _range_of_times(start, stop, step, dtype)
        decided = _first_values(start, stop, step, dtype)
    found, length, how, values = decided
    if found.kind == "b":
        return asarray(values[:length], found)
    stream = current.stream
    run = stream.plans.get((_plan_range, found, length, how))
    if run is None:
        run = _plan_range(stream, found, length, how)
    return run(*values)


def _has_times(start: Any, stop: Any, step: Any, dtype: Any) -> bool:
    if dtype is not None and _dtypes.canonical(dtype).kind in "mM":
        return True
    kinds = (date, timedelta, np.datetime64, np.timedelta64)
    return any(isinstance(x, kinds) for x in (start, stop, step))


def _range_of_times(start: Any, stop: Any, step: Any, dtype: Any) -> ndarray:
    """Integers that are read as times of the finest unit among the arguments."""
    # NumPy's error for arguments that make no range.
    between: Any = None if type(step) is int and step == 1 else step
    np.arange(start, start, between, dtype=dtype)
    kind = None if dtype is None else _dtypes.canonical(dtype)
    if kind is not None and np.datetime_data(kind)[0] == "generic":
        kind = None
    given = [_as_time(x, kind) for x in (start, stop, step)]
    if kind is None:
        units = [np.dtype(f"m8[{_unit(x)}]") for x in given if x.dtype.kind in "mM"]
        letter = "M" if any(x.dtype.kind == "M" for x in given) else "m"
        kind = _dtypes.canonical(f"{letter}8[{_unit(np.empty(0, np.result_type(*units)))}]")
    first, last, spacing = [_count(x, kind) for x in given]
    if given[0].dtype.kind == "M" and given[1].dtype.kind != "M":
        last += first  # a difference from the start
    found: Any = arange(first, last, spacing, np.int64)
    return _array.view(found, _layout.contiguous(kind, found._layout.shape))


def _as_time(x: Any, dtype: np.dtype | None) -> np.ndarray:
    """An argument as a time, or as an integer that counts units."""
    if isinstance(x, str):
        return np.asarray(x, "M8" if dtype is None else dtype)
    if isinstance(x, timedelta):
        x = np.timedelta64(x)
    return np.asarray(np.datetime64(x) if isinstance(x, date) else x)


def _unit(times: np.ndarray) -> str:
    unit, count = np.datetime_data(times.dtype)
    return f"{count}{unit}"


def _count(x: np.ndarray, kind: np.dtype) -> int:
    """How many units of a dtype a time is."""
    if x.dtype.kind == "m":
        kind = np.dtype(f"m8[{_unit(np.empty(0, kind))}]")
    return int(x.astype(kind).view(np.int64)) if x.dtype.kind in "mM" else int(x)


def _python_floats(
    start: Any, stop: Any, step: Any, dtype: Any
) -> tuple[np.dtype, int, str, list[Any]] | None:
    """What `_first_values` finds for Python's numbers in float64, which computes as they do.

    None where it takes a closer look.
    """
    numbers = (start, stop, step)
    kinds = {*map(type, numbers)}
    if not kinds <= {int, float} or not all(-_EXACT <= x <= _EXACT for x in numbers):
        return None
    if float not in kinds if dtype is None else _dtypes.canonical(dtype) is not _FLOAT64:
        return None
    start, step = float(start), float(step)
    quotient = (stop - start) / step
    if not 0 < quotient <= _EXACT or (start == 0 and math.copysign(1, start) < 0):
        return None
    length = math.ceil(quotient)
    second = start + step
    delta = second - start
    if length < 2 or start + delta == second:
        return _FLOAT64, length, "exact", [start, delta]
    return _FLOAT64, length, "second stored", [start, delta, second]


def _first_values(
    start: Any, stop: Any, step: Any, dtype: Any
) -> tuple[np.dtype, int, str, list[Any]]:
    """A range's dtype and length, and what the kernel is given: NumPy's first values.

    Of bools, these are all values.
    """
    if dtype is None:
        kinds = [np.asarray(x).dtype for x in (start, stop, step)]
        found = _dtypes.canonical(np.result_type(np.int_, *kinds))
    else:
        found = _dtypes.canonical(dtype)
        if found.kind != "c" and any(np.iscomplexobj(x) for x in (start, stop, step)):
            raise TypeError(f"arange: a range of {found} must be of real numbers, not complex")
    length = _range_length(start, stop, step)
    # The dtype's own arithmetic fixes the spacing, as in NumPy.
    ends = np.zeros(2, found)
    with np.errstate(all="ignore"):
        if length:
            ends[0] = start
        if length > 1:
            ends[1] = start + step
    if found.kind == "b":
        if length > 2:
            raise TypeError(
                "arange: a range of bools has at most 2 values, got "
                f"{length}; compare a range of integers instead"
            )
        return found, length, "stored", ends.tolist()
    first, second = ends.astype(_computed(found))
    how, delta = _spacing(first, second, length)
    values = [first.item(), delta.item()]
    return found, length, how, values if how == "exact" else [*values, second.item()]


def _computed(dtype: np.dtype) -> np.dtype:
    """The dtype in which a range is computed."""
    return np.dtype(np.float32) if _dtypes.is_narrow_float(dtype) else dtype


def _spacing(first: Any, second: Any, length: int) -> tuple[str, Any]:
    """Which of the first two values the kernel has to be given, and the spacing."""
    kind = type(first)
    if length < 2:
        second = first
    with np.errstate(all="ignore"):
        delta = second - first if length > 1 else kind(0)
        computed = [first + kind(i) * delta for i in range(2)]
    # Bits, since -0.0 equals 0.0 and NaN, of which infinities come, equals nothing.
    if computed[0].tobytes() != first.tobytes():
        return "ends stored", delta
    return "exact" if computed[1].tobytes() == second.tobytes() else "second stored", delta


def _range_length(start: Any, stop: Any, step: Any) -> int:
    """How many values there are: from a rounded quotient, as in NumPy."""
    try:
        span = stop - start
        quotient = span / step
    except OverflowError:
        span, quotient = 1, math.inf
    real = not isinstance(quotient, complex | np.complexfloating)
    lengths = []
    for part in map(float, [quotient] if real else [quotient.real, quotient.imag]):
        if math.isnan(part):
            raise ValueError(f"arange: cannot compute length from {start}, {stop}, {step}")
        if not -_arguments.INT64_MAX - 1 <= part < _arguments.INT64_MAX:
            raise ValueError(
                f"arange: Maximum allowed size exceeded: from {start} to {stop} by {step}"
            )
        underflowed = real and part == 0 and span != 0 and math.copysign(1, part) > 0
        lengths.append(1 if underflowed else max(math.ceil(part), 0))
    return min(lengths)


@planned
def _plan_range(stream: Stream, dtype: np.dtype, length: int, how: str) -> Any:
    layout = _layout.contiguous(dtype, (length,))
    computed = _computed(dtype)
    code = _dtypes.code(computed)
    # The first value, the spacing, the second value, the number.
    inputs: list = [*[computed] * (2 if how == "exact" else 3), ELEMENT_INDEX]
    number = Input(len(inputs) - 1, "i8")
    values: Expression = apply(
        "add",
        code,
        Scalar(0, code),
        apply("multiply", code, cast(code, number), Scalar(1, code)),
    )
    if how != "exact":
        # NumPy stores the first two values and computes those behind them.
        is_second = apply("equal", "b1", number, Constant(1, "i8"))
        values = apply("where", code, is_second, Scalar(2, code), values)
    if how == "ends stored":
        is_first = apply("equal", "b1", number, Constant(0, "i8"))
        values = apply("where", code, is_first, Scalar(0, code), values)
    if computed != dtype:
        values = Cast(_dtypes.code(dtype), values)
    return elementwise.launch.recorded_call("arange", values, inputs, layout, False, stream)
