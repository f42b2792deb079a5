"""Array creation routines: a number of values between two ends."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeGuard, overload

import numpy as np

from gpuarray import _broadcasting, _dtypes, _layout
from gpuarray._arguments import check_axis
from gpuarray._layout import Layout
from gpuarray._ops.conversion import asarray
from gpuarray._ops.manipulation import ndim, reshape
from gpuarray._ops.math import divide, log10, sign, subtract
from gpuarray._ops.placement import given_device
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise.launch import ELEMENT_INDEX, Coordinates
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
    from gpuarray._types import ArrayLike, DTypeLike, ndarray

__all__ = ["geomspace", "linspace", "logspace"]


@overload
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: Literal[False] = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: Device | None = None,
) -> ndarray: ...


@overload
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    *,
    retstep: Literal[True],
    dtype: DTypeLike | None = None,
    axis: int = 0,
    device: Device | None = None,
) -> tuple[ndarray, Any]: ...


def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: Device | None = None,
) -> ndarray | tuple[ndarray, Any]:
    """Evenly spaced values over an interval.

    Parameters
    ----------
    start, stop : number or array_like
        First value, and last one (or, without `endpoint`, the one behind the last).
    num : int, optional
        How many values.
    endpoint : bool, optional
        Whether `stop` is the last value.
    retstep : bool, optional
        Also return the spacing.
    dtype : dtype, optional
        Dtype of the values; an integer dtype rounds them down.
    axis : int, optional
        Where the values lie in the result, if `start` or `stop` is an array.
    device : Device, optional
        Where the array will be; the current device by default.

    Returns
    -------
    samples : ndarray
        The values.
    step : float or ndarray
        Only with `retstep`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.linspace(0, 1, 5)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    if device is not None:
        with given_device(device, "linspace"):
            # The two declarations differ by whether `retstep` is a literal.
            made: Any = linspace
            return made(start, stop, num, endpoint, retstep, dtype, axis)
    num = _number_of_samples(num, "linspace")
    if not (_is_scalar(start) and _is_scalar(stop)):
        samples, given = _between_arrays("linspace", (start, stop), num, endpoint, dtype, axis)
        divisor = num - 1 if endpoint else num
        return (samples, _spacing(given[0], given[1], divisor)) if retstep else samples
    computed = _dtypes.canonical(np.linspace(start, stop, 0).dtype)
    found = computed if dtype is None else _dtypes.canonical(dtype)
    how, ends, values, step = _first_and_step(start, stop, num, endpoint, computed)
    layout = _layout.contiguous(found, (num,))
    stream = current.stream
    run = stream.plans.get((_plan_linspace, layout, computed, how, ends))  # as in `arange`
    if run is None:
        run = _plan_linspace(stream, layout, computed, how, ends)
    samples = run(*values)
    return (samples, step) if retstep else samples


def _first_and_step(
    start: Any, stop: Any, num: int, endpoint: bool, computed: np.dtype
) -> tuple[str, str, list[Any], Any]:
    """How the values between two numbers are computed, the numbers for that, and the spacing."""
    divisor = num - 1 if endpoint else num
    kind = computed.type
    with np.errstate(all="ignore"):
        delta = np.subtract(stop, start, dtype=computed)
        step = delta / kind(divisor) if divisor > 0 else float("nan")
    # A step that underflows would lose everything: NumPy divides the numbers first.
    how = "step" if divisor > 0 and step != 0 else "divided" if divisor > 0 else "delta"
    last = bool(endpoint) and num > 1
    values = [kind(start).item(), kind(step if how == "step" else delta).item()]
    if how == "divided":
        values.append(kind(divisor).item())
    if last:
        values.append(kind(stop).item())
    return how, "both" if last else "first", values, step


def _is_scalar(x: Any) -> TypeGuard[Any]:
    return isinstance(x, bool | int | float | complex | np.generic) or (
        isinstance(x, np.ndarray) and x.ndim == 0
    )


def _spacing(start: Any, stop: Any, divisor: int) -> Any:
    """The steps between the values of `linspace` between arrays."""
    if divisor <= 0:
        return float("nan")
    computed = np.result_type(start.dtype, stop.dtype, float(divisor))
    return subtract(stop, start, dtype=computed) / divisor


def _between_arrays(
    name: str, given: Sequence[Any], num: int, endpoint: bool, dtype: Any, axis: int
) -> tuple[Any, list[Any]]:
    """The values between ends of which some are arrays, and the ends as arrays.

    What is given are two ends; of 'logspace' also the base; of 'geomspace' the logarithms of the
    ends, the ends, and the sign of the values.
    """
    # A Python number takes the dtype of the other end, as in NumPy.
    ends = [x if _is_scalar(x) else asarray(x) for x in given]
    kinds = [getattr(x, "dtype", x) for x in ends]
    computed = _dtypes.canonical(np.result_type(*kinds[:2], float(num)))
    ends = [asarray(x) for x in ends]
    result = computed
    if name == "logspace":
        result = _dtypes.canonical(np.result_type(kinds[2], computed))
    found = result if dtype is None else _dtypes.canonical(dtype)
    layouts = tuple([x._layout for x in ends])
    run = _plan_between(
        current.stream, name, layouts, num, bool(endpoint), computed, result, found, axis
    )
    return run(*ends), ends


@planned
def _plan_between(
    stream: Stream,
    name: str,
    layouts: tuple[Layout, ...],
    num: int,
    endpoint: bool,
    computed: np.dtype,
    result: np.dtype,
    found: np.dtype,
    axis: int,
) -> Any:
    shape = _broadcasting.broadcast_shapes([x.shape for x in layouts])
    axis = check_axis(axis, len(shape) + 1)
    # NumPy computes along the first axis, and moves that.
    moved = _layout.contiguous(found, (num, *shape))
    order = [*range(1, axis + 1), 0, *range(axis + 1, len(shape) + 1)]
    target = _layout.transpose(moved, order)
    inputs: list[Any] = []
    values: list[Expression] = []
    for k, layout in enumerate(layouts):
        steps = _broadcasting.broadcast_strides(layout, shape)
        steps = (*steps[:axis], 0, *steps[axis:])
        inputs.append(_layout.layout_of(layout.dtype, target.shape, steps, layout.access))
        # Ends are converted to the dtype that values are computed in, a base to that of the powers.
        to = _dtypes.code(result if name == "logspace" and k == 2 else computed)
        value: Expression = Input(k, _dtypes.code(layout.dtype))
        values.append(cast(to, value))
    inputs.append(Coordinates(*[int(i == axis) for i in range(target.ndim)]))
    number = Input(len(layouts), "i8")
    code = _dtypes.code(computed)
    step, divisor = Cast(code, number), num - 1 if endpoint else num
    delta = apply("subtract", code, values[1], values[0])
    if divisor > 0:
        # A step that underflows would lose everything: NumPy divides the numbers first.
        each = Constant(divisor, code)
        spacing = apply("divide", code, delta, each)
        lost = apply("equal", "b1", spacing, Constant(0, code))
        first = apply("multiply", code, apply("divide", code, step, each), delta)
        sample = apply("where", code, lost, first, apply("multiply", code, step, spacing))
    else:
        sample = apply("multiply", code, step, delta)
    sample = apply("add", code, sample, values[0])
    is_last = apply("equal", "b1", number, Constant(num - 1, "i8"))
    if endpoint and num > 1:
        sample = apply("where", code, is_last, values[1], sample)
    if name == "logspace":
        to = _dtypes.code(result)
        sample = apply("power", to, values[2], cast(to, sample))
        code = to
    if name == "geomspace":
        sample = apply("power", code, Constant(10, code), sample)
        is_first = apply("equal", "b1", number, Constant(0, "i8"))
        sample = apply("where", code, is_first, values[2], sample)
        if endpoint and num > 1:
            sample = apply("where", code, is_last, values[3], sample)
        sample = apply("multiply", code, sample, values[4])
    if _dtypes.code(found) != code:
        if name == "linspace" and found.kind in "iu" and computed.kind == "f":
            sample = apply("floor", code, sample)
        sample = Cast(_dtypes.code(found), sample)
    return elementwise.launch.make_call(name, [sample], inputs, [target], [False], stream)


@planned
def _plan_linspace(
    stream: Stream,
    layout: Layout,
    computed: np.dtype,
    how: str,
    ends: str,
    powers: np.dtype | None = None,
) -> Any:
    code = _dtypes.code(computed)
    count = 2 + (how == "divided") + (ends == "both") + (powers is not None)
    number = Input(count, "i8")
    inputs: list = [computed, computed]
    values: Expression = Cast(code, number)
    if how == "divided":
        inputs.append(computed)
        values = apply("divide", code, values, Scalar(2, code))
    values = apply("multiply", code, values, Scalar(1, code))
    values = apply("add", code, values, Scalar(0, code))
    if ends == "both":
        is_last = apply("equal", "b1", number, Constant(layout.size - 1, "i8"))
        values = apply("where", code, is_last, Scalar(len(inputs), code), values)
        inputs.append(computed)
    if powers is not None:
        to = _dtypes.code(powers)
        values = cast(to, values)
        values = apply("power", to, Scalar(len(inputs), to), values)
        inputs.append(powers)
        code = to
    elif layout.dtype.kind in "iu" and computed.kind == "f":
        values = apply("floor", code, values)
    if _dtypes.code(layout.dtype) != code:
        values = Cast(_dtypes.code(layout.dtype), values)
    name = "linspace" if powers is None else "logspace"
    inputs.append(ELEMENT_INDEX)
    return elementwise.launch.recorded_call(name, values, inputs, layout, False, stream)


def logspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    base: ArrayLike = 10.0,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> ndarray:
    """Values spaced evenly on a logarithmic scale: powers of a base.

    Parameters
    ----------
    start, stop : number or array_like
        The first exponent, and the last one (or, without `endpoint`, the one behind the last).
    num : int, optional
        How many values.
    endpoint : bool, optional
        Whether `stop` is the last exponent.
    base : number or array_like, optional
        The base; an array broadcasts with the ends.
    dtype : dtype, optional
        Dtype of the values.
    axis : int, optional
        Where the values lie in the result, if `start`, `stop` or `base` is an array.

    Returns
    -------
    ndarray
        The values.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.logspace(0, 3, 4)
    array([   1.,   10.,  100., 1000.])
    """
    num = _number_of_samples(num, "logspace")
    ends: Any = (start, stop, base)
    if not all(map(_is_scalar, ends)):
        if not _is_scalar(base) and ndim(base):  # NumPy aligns the axis with all of them
            ends = _of_one_rank([asarray(x) for x in ends])
        return _between_arrays("logspace", ends, num, endpoint, dtype, axis)[0]
    low, high, number = ends
    computed = _dtypes.canonical(np.linspace(low, high, 0).dtype)
    powers = _dtypes.canonical(np.power(number, np.empty(0, computed)).dtype)
    layout = _layout.contiguous(powers if dtype is None else _dtypes.canonical(dtype), (num,))
    how, kind, values, _ = _first_and_step(start, stop, num, endpoint, computed)
    run = _plan_linspace(current.stream, layout, computed, how, kind, powers)
    return run(*values, powers.type(number).item())


def _number_of_samples(num: Any, name: str) -> int:
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"{name}: num is {num}; give 0 or more")
    return num


def _of_one_rank(arrays: Sequence[Any]) -> tuple[Any, ...]:
    """Arrays with as many dimensions as the one of the most, new ones in front."""
    most = max([x.ndim for x in arrays])
    return tuple([reshape(x, (1,) * (most - x.ndim) + x.shape) for x in arrays])


def geomspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> ndarray:
    """Values of a geometric sequence: each is the one before times a constant.

    Parameters
    ----------
    start, stop : number or array_like
        First value, and last one (or, without `endpoint`, the one behind the last).
    num : int, optional
        How many values.
    endpoint : bool, optional
        Whether `stop` is the last value.
    dtype : dtype, optional
        Dtype of the values.
    axis : int, optional
        Where the values lie in the result, if `start` or `stop` is an array.

    Returns
    -------
    ndarray
        The values.

    Raises
    ------
    ValueError
        If an end is zero. Arrays on the device are waited for to see that.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.geomspace(1, 1000, 4)
    array([   1.,   10.,  100., 1000.])
    """
    num = _number_of_samples(num, "geomspace")
    scalars = _is_scalar(start) and _is_scalar(stop)
    ends: Any = [np.asarray(x) if scalars else asarray(x) for x in (start, stop)]
    if any((x == 0).any() for x in ends):
        raise ValueError("geomspace: no factor leads to zero or from it; give other ends")
    computed = np.result_type(*[x.dtype for x in ends], float(num), np.zeros((), dtype))
    if dtype is None:
        dtype = computed
    first, last = ends[0].astype(computed), ends[1]
    # Values are computed from a positive first one on, and turned back.
    if scalars:
        with np.errstate(all="ignore"):
            turn = np.sign(first)
            first, last = first / turn, last / turn
            logarithms = np.log10(first), np.log10(last)
    else:
        turn = sign(first)
        first, last = divide(first, turn), divide(last, turn)
        logarithms = log10(first), log10(last)
    given = (*logarithms, first, last, turn)
    return _between_arrays("geomspace", given, num, endpoint, dtype, axis)[0]
