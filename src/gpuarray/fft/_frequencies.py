"""The frequencies of spectra, and their order."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _dtypes, _layout
from gpuarray._namespace.called_name import called_name
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.placement import given_device
from gpuarray._ops.rearranging import roll
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import find, planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise.launch import ELEMENT_INDEX
from gpuarray.kernels.generator.expressions import (
    Cast,
    Expression,
    Input,
    Scalar,
    apply,
)

if TYPE_CHECKING:
    from gpuarray._runtime.device import Device
    from gpuarray._types import ArrayLike, DTypeLike, ndarray

__all__ = ["fftfreq", "fftshift", "ifftshift", "rfftfreq"]

_INT64, _FLOAT64 = np.dtype(np.int64), np.dtype(np.float64)


def fftfreq(
    n: int, d: float = 1.0, dtype: DTypeLike | None = None, device: Device | None = None
) -> ndarray:
    """The frequencies of the elements of a spectrum, as `fft` orders them.

    Parameters
    ----------
    n : int
        How many points were transformed.
    d : float, optional
        The distance of two points.
    dtype : dtype, optional
        A real floating dtype; float64 by default.
    device : Device, optional
        Where the array is to be; on the current device by default.

    Returns
    -------
    ndarray, shape (n,)
        ``[0, 1, ..., -2, -1] / (n d)``, the negative ones from the middle on.

    Raises
    ------
    ValueError
        If `n` is no integer, or negative.
    ZeroDivisionError
        If `n` or `d` is 0.

    Differences from NumPy
    ----------------------
    `dtype` is the array API standard's.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fft.fftfreq(5, d=0.5)
    array([ 0. ,  0.4,  0.8, -0.8, -0.4])
    """
    if dtype is None and device is None and type(n) is int and type(d) is float and n and d:
        run = current.stream.plans.get((fftfreq, n))
        if run is not None:
            return run(n, 1.0 / (n * d))
    return _frequencies(fftfreq, n, d, dtype, device)


def rfftfreq(
    n: int, d: float = 1.0, dtype: DTypeLike | None = None, device: Device | None = None
) -> ndarray:
    """The frequencies of the elements of a spectrum of real numbers, as of `rfft`.

    Parameters
    ----------
    n : int
        How many points were transformed.
    d : float, optional
        The distance of two points.
    dtype : dtype, optional
        A real floating dtype; float64 by default.
    device : Device, optional
        Where the array is to be; on the current device by default.

    Returns
    -------
    ndarray, shape (n // 2 + 1,)
        ``[0, 1, ..., n // 2] / (n d)``.

    Raises
    ------
    ValueError
        If `n` is no integer, or negative.
    ZeroDivisionError
        If `n` or `d` is 0.

    Differences from NumPy
    ----------------------
    `dtype` is the array API standard's.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fft.rfftfreq(5, d=0.5)
    array([0. , 0.4, 0.8])
    """
    if dtype is None and device is None and type(n) is int and type(d) is float and n and d:
        run = current.stream.plans.get((rfftfreq, n))
        if run is not None:
            return run(n, 1.0 / (n * d))
    return _frequencies(rfftfreq, n, d, dtype, device)


def _frequencies(function: Callable[..., Any], n: Any, d: Any, dtype: Any, device: Any) -> Any:
    name, real, given = function.__name__, function is rfftfreq, n
    if isinstance(n, bool) or not isinstance(n, int | np.integer):
        raise ValueError("n should be an integer")
    n = int(n)
    if n < 0:
        raise ValueError(f"{called_name(name)}: n must not be negative, got {n}")
    wanted = _FLOAT64 if dtype is None else _dtypes.canonical(_dtypes.parsed(dtype))
    if wanted.kind != "f":
        raise ValueError(f"{called_name(name)}: dtype must be real and floating, got {wanted}")
    try:
        step = 1.0 / (n * float(d))
    except TypeError:
        raise TypeError(f"{called_name(name)}: d is a number, got {d!r}") from None
    with contextlib.nullcontext() if device is None else given_device(device, name):
        count = n // 2 + 1 if real else n
        if not count:
            raise ZeroDivisionError("float division by zero")
        stream = current.stream
        if dtype is None and type(given) is int:  # as the function looks for it
            make = _frequencies_call
            return find(stream, (function, n), make, stream, count, real, wanted)(n, step)
        return _frequencies_call(stream, count, real, wanted)(n, step)


@planned
def _frequencies_call(
    stream: Stream, count: int, real: bool, dtype: np.dtype
) -> Callable[[int, float], Any]:
    """A call that takes the number of points and the step."""

    index: Expression = Input(0, "i8")
    points = Scalar(1, "i8")
    if not real:
        # The second half is negative: 2 i >= n.
        negative = apply("greater_equal", "b1", apply("add", "i8", index, index), points)
        index = apply("where", "i8", negative, apply("subtract", "i8", index, points), index)
    value = apply("multiply", "f8", Cast("f8", index), Scalar(2, "f8"))
    code = _dtypes.code(dtype)
    if code != "f8":
        value = Cast(code, value)
    target = _layout.contiguous(dtype, (count,))
    inputs: list[Any] = [ELEMENT_INDEX, _INT64, _FLOAT64]
    return elementwise.launch.make_call("fftfreq", [value], inputs, [target], [False], stream)


def fftshift(x: ArrayLike, axes: int | Sequence[int] | None = None) -> ndarray:
    """Move frequency 0 from the front to the middle of a spectrum.

    Parameters
    ----------
    x : ndarray
        A spectrum.
    axes : int or sequence of int, optional
        The axes along which it is moved; all by default.

    Returns
    -------
    ndarray
        A new array.

    Raises
    ------
    AxisError
        If there is no such axis.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fft.fftshift(cp.array([0, 1, 2, -2, -1]))
    array([-2, -1,  0,  1,  2])
    """
    return _shifted(x, axes, "fftshift", 1)


def ifftshift(x: ArrayLike, axes: int | Sequence[int] | None = None) -> ndarray:
    """Undo `fftshift`.

    Parameters
    ----------
    x : ndarray
        A spectrum.
    axes : int or sequence of int, optional
        The axes along which it is moved; all by default.

    Returns
    -------
    ndarray
        A new array.

    Raises
    ------
    AxisError
        If there is no such axis.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fft.ifftshift(cp.array([-2, -1, 0, 1, 2]))
    array([ 0,  1,  2, -2, -1])
    """
    return _shifted(x, axes, "ifftshift", -1)


def _shifted(x: Any, axes: Any, name: str, sign: int) -> Any:
    x = as_array(x, name)
    layout = x._layout
    if axes is None:
        axes = range(layout.ndim)
    else:
        try:
            axes = [operator.index(axes)]
        except TypeError:
            axes = [operator.index(axis) for axis in axes]
    found = [_arguments.check_axis(axis, layout.ndim) for axis in axes]
    shifts = [layout.shape[axis] // 2 if sign > 0 else -(layout.shape[axis] // 2) for axis in found]
    return roll(x, tuple(shifts), tuple(found))
