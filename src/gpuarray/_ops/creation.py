"""Array creation routines: arrays of a shape."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _array, _broadcasting, _calls, _dtypes, _interchange, _layout
from gpuarray._array import ArrayBase
from gpuarray._layout import Layout
from gpuarray._ops.conversion import asarray
from gpuarray._ops.placement import given_device
from gpuarray._ops.stored_values import as_host_scalar
from gpuarray._runtime import recording
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import find, key_of, planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.generator.expressions import Apply, Cast, Input, Scalar
from gpuarray.kernels.generator.operations import operation

if TYPE_CHECKING:
    from gpuarray._runtime.device import Device
    from gpuarray._types import ArrayLike, DTypeLike, ndarray

__all__ = ["empty", "eye", "full", "identity", "ones", "zeros"]


def empty(
    shape: int | Sequence[int],
    dtype: DTypeLike | None = None,
    order: str = "C",
    *,
    device: Device | None = None,
    like: object = None,
) -> ndarray:
    """A new array whose elements are whatever the memory held.

    Parameters
    ----------
    shape : int or tuple of int
        Shape of the array.
    dtype : dtype, optional
        Dtype of the elements, float64 by default.
    order : {'C', 'F'}, optional
        Memory order.
    device : Device, optional
        Where the array will be; the current device by default.
    like : object, optional
        Ignored: results are arrays of this package.

    Returns
    -------
    ndarray
        Of the given shape and dtype, uninitialised.

    Raises
    ------
    OutOfMemoryError
        If the device has not enough memory.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.empty((2, 3), dtype=cp.float32).shape
    (2, 3)
    """
    if device is not None:
        with given_device(device, "empty"):
            return empty(shape, dtype, order)
    try:
        # The key that _make_empty makes, of lengths that stand for themselves: 2.0 does not.
        for length in shape if type(shape) is tuple else (shape,):
            if type(length) is not int:
                raise KeyError
        return current.stream.plans[empty, shape, dtype, order]()
    except (KeyError, TypeError):  # TypeError: a list cannot be looked up
        return _make_empty(shape, dtype, order, empty)()


def _make_empty(shape: Any, dtype: Any, order: str, function: Any) -> Any:
    stream = current.stream
    if isinstance(shape, np.ndarray):
        shape = shape.tolist()
    key = key_of(function, shape, dtype, order)
    return find(stream, key, _new_call, stream, shape, dtype, order, function)


def _new_call(stream: Stream, shape: Any, dtype: Any, order: str, function: Any) -> Any:
    lengths, order = _checked(shape, order)
    found, inner = _dtypes.with_shape(dtype)
    layout = _layout.contiguous(found, lengths + inner, order)
    if function is full:
        return filled_call(stream, layout)
    cleared = function is zeros and layout.size > 0
    make = recording.harmless(_calls.make_call(stream, "", [layout], [], cleared=cleared))
    if not cleared or recording.recorder is None or _dtypes.is_raw(found):
        return make
    value = Scalar(0, _dtypes.code(found))
    record = recording.recorder(
        lambda: lambda value: make(), layout, "fill", value, [found], False, stream
    )
    if not recording.records(record):
        return make
    zero = found.type(0).item()
    return recording.harmless(lambda: record(zero))


@planned
def filled_call(stream: Stream, layout: Layout) -> Callable[[Any], Any]:
    """What makes a new array of a number."""
    if _dtypes.is_raw(layout.dtype):

        def run(value: Any) -> Any:
            array = _array.empty(layout)
            fill(array, value)
            return array

        return run
    value = Scalar(0, _dtypes.code(layout.dtype))
    make = elementwise.launch.recorded_call("fill", value, [layout.dtype], layout, False, stream)
    return recording.alike(make, lambda value: make(as_host_scalar(value, layout.dtype, "fill")))


def _checked(shape: Any, order: str) -> tuple[tuple[int, ...], str]:
    order = _arguments.check_order(order, "C")
    if order not in ("C", "F"):
        raise ValueError(f"only 'C' or 'F' order is permitted for a new array, got {order!r}")
    return _arguments.check_shape(shape), order


def zeros(
    shape: int | Sequence[int],
    dtype: DTypeLike | None = None,
    order: str = "C",
    *,
    device: Device | None = None,
    like: object = None,
) -> ndarray:
    """A new array of zeros.

    Parameters
    ----------
    shape : int or tuple of int
        Shape of the array.
    dtype : dtype, optional
        Dtype of the elements, float64 by default.
    order : {'C', 'F'}, optional
        Memory order.
    device : Device, optional
        Where the array will be; the current device by default.
    like : object, optional
        Ignored: results are arrays of this package.

    Returns
    -------
    ndarray
        Of the given shape and dtype.

    Raises
    ------
    ValueError
        If a length is negative, or the order is unknown.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.zeros(3)
    array([0., 0., 0.])
    """
    if device is not None:
        with given_device(device, "zeros"):
            return zeros(shape, dtype, order)
    try:
        for length in shape if type(shape) is tuple else (shape,):  # as in `empty`
            if type(length) is not int:
                raise KeyError
        return current.stream.plans[zeros, shape, dtype, order]()
    except (KeyError, TypeError):
        return _make_empty(shape, dtype, order, zeros)()


def ones(
    shape: int | Sequence[int],
    dtype: DTypeLike | None = None,
    order: str = "C",
    *,
    device: Device | None = None,
    like: object = None,
) -> ndarray:
    """A new array of ones.

    Parameters
    ----------
    shape : int or tuple of int
        Shape of the array.
    dtype : dtype, optional
        Dtype of the elements, float64 by default.
    order : {'C', 'F'}, optional
        Memory order.
    device : Device, optional
        Where the array will be; the current device by default.
    like : object, optional
        Ignored: results are arrays of this package.

    Returns
    -------
    ndarray
        Of the given shape and dtype.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.ones((2, 2), dtype=int)
    array([[1, 1],
           [1, 1]])
    """
    if device is not None:
        with given_device(device, "ones"):
            return ones(shape, dtype, order)
    return _full(shape, 1, dtype, order)


def _full(shape: Any, value: Any, dtype: Any, order: str) -> Any:
    if isinstance(value, ArrayBase):
        result = empty(shape, dtype, order)
        copies.assign(result, value)
        return result
    try:
        # As in `empty`.
        for length in shape if type(shape) is tuple else (shape,):
            if type(length) is not int:
                raise KeyError
        make = current.stream.plans[full, shape, dtype, order]
    except (KeyError, TypeError):
        make = _make_empty(shape, dtype, order, full)
    return make(value)


def full(
    shape: int | Sequence[int],
    fill_value: object,
    dtype: DTypeLike | None = None,
    order: str = "C",
    *,
    device: Device | None = None,
    like: object = None,
) -> ndarray:
    """A new array filled with a value.

    Parameters
    ----------
    shape : int or tuple of int
        Shape of the array.
    fill_value : scalar or array_like
        The value, or values that broadcast to the shape.
    dtype : dtype, optional
        Dtype of the elements; that of `fill_value` by default.
    order : {'C', 'F'}, optional
        Memory order.
    device : Device, optional
        Where the array will be; the current device by default.
    like : object, optional
        Ignored: results are arrays of this package.

    Returns
    -------
    ndarray
        Of the given shape.

    Differences from NumPy
    ----------------------
    A number that does not fit the dtype, such as NaN an integer, raises as in an assignment.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.full(3, 7)
    array([7, 7, 7])
    """
    if device is not None:
        with given_device(device, "full"):
            return full(shape, fill_value, dtype, order)
    value = as_fill_value(fill_value, dtype)
    if dtype is None:
        dtype = value.dtype if hasattr(value, "dtype") else np.asarray(value).dtype
    return _full(shape, value, dtype, order)


#: What NumPy stores in arrays of times, besides its own scalars.
_TEXT_AND_TIMES = (str, date, timedelta)


def as_fill_value(value: Any, dtype: Any) -> Any:
    if isinstance(value, ArrayBase | np.generic | bool | int | float | complex):
        return value
    if isinstance(value, np.ndarray) and not value.ndim:
        return value[()]
    if isinstance(value, _TEXT_AND_TIMES):
        try:
            return value if dtype is not None else np.datetime64(value)
        except UnicodeError:
            raise ValueError(f"full: {value!r} is no number and no time") from None
    return asarray(value, dtype if isinstance(value, list | tuple) else None)


def fill(array: ndarray, value: ArrayLike) -> None:
    """Set every element of an array to a value.

    An array may have any dtype. A number is converted as in an assignment.

    Parameters
    ----------
    value : array_like
        A number, or an array of the host or the device that broadcasts.
    """
    if isinstance(value, ArrayBase):
        copies.assign(array, value)
        return
    layout = array._layout
    dtype = layout.dtype
    value = as_host_scalar(value, dtype, "fill")
    stream = current.stream
    run = stream.plans.get((fill_call, layout))  # the key of fill_call
    if run is None:
        run = fill_call(stream, layout)
    run(value, array)


@planned
def fill_call(stream: Stream, layout: Layout) -> Callable[[Any, Any], None]:
    _layout.check_writable(layout, "fill")
    if _dtypes.is_raw(layout.dtype) or layout.unaligned:
        one = _layout.contiguous(layout.dtype, ())
        store = elementwise.launch.copy_call(
            _broadcasting.broadcast_to(one, layout.shape), layout, True, stream
        )

        def run(value: Any, array: Any) -> None:
            store(_interchange.scalar_array(value, layout.dtype), array)

        return _calls.here_or(_fill_there, run, stream)
    code = _dtypes.code(layout.dtype)
    return elementwise.launch.recorded_call(
        "fill", Scalar(0, code), [layout.dtype], layout, True, stream, _fill_there
    )


def _fill_there(value: Any, array: Any) -> None:
    with array._memory.device:
        fill_call(current.stream, array._layout)(value, array)


def eye(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: DTypeLike | None = float,
    order: str = "C",
    *,
    device: Device | None = None,
    like: object = None,
) -> ndarray:
    """A matrix with ones on a diagonal and zeros elsewhere.

    Parameters
    ----------
    N : int
        Rows.
    M : int, optional
        Columns; as many as rows by default.
    k : int, optional
        The diagonal: 0 the main one, positive above it.
    dtype : dtype, optional
        Dtype of the elements.
    order : {'C', 'F'}, optional
        Memory order.
    device : Device, optional
        Where the array will be; the current device by default.
    like : object, optional
        Ignored: results are arrays of this package.

    Returns
    -------
    ndarray, shape (N, M)
        The matrix.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.eye(2, 3, k=1)
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    if device is not None:
        with given_device(device, "eye"):
            return eye(N, M, k, dtype, order)
    shape, order = _checked((N, N if M is None else M), order)
    k = max(-_FARTHEST, min(operator.index(k), _FARTHEST))
    layout = _layout.contiguous(_dtypes.canonical(dtype), shape, order)
    return _eye_call(current.stream, layout)(k)


#: No diagonal of an array is further from the main one.
_FARTHEST = 2**62


@planned
def _eye_call(stream: Stream, layout: Layout) -> Callable[[int], Any]:
    on_diagonal = Apply(operation("equal"), (Input(1, "i8"), Scalar(0, "i8")), "b1")
    value = Cast(_dtypes.code(layout.dtype), on_diagonal)
    inputs: list[Any] = [np.dtype(np.int64), elementwise.launch.Coordinates(-1, 1)]
    return elementwise.launch.recorded_call("eye", value, inputs, layout, False, stream)


def identity(n: int, dtype: DTypeLike | None = None, *, like: object = None) -> ndarray:
    """The identity matrix.

    Parameters
    ----------
    n : int
        Rows and columns.
    dtype : dtype, optional
        Dtype of the elements, float64 by default.
    like : object, optional
        Ignored: results are arrays of this package.

    Returns
    -------
    ndarray, shape (n, n)
        The matrix.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.identity(2, dtype=int)
    array([[1, 0],
           [0, 1]])
    """
    return eye(n, dtype=float if dtype is None else dtype)
