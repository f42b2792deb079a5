"""Parameters of distributions: NumPy's exceptions for those that it refuses."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _broadcasting, _layout
from gpuarray._array import ArrayBase
from gpuarray._config import config
from gpuarray._ffi import driver
from gpuarray._ops.casts import astype
from gpuarray._ops.conversion import asarray
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.stored_values import as_values
from gpuarray.errors import HostArrayError

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike

_FLOAT64 = np.dtype(np.float64)

#: NumPy's generators, which check parameters: of `Generator`, and of `RandomState`.
GENERATOR_CHECKS: Any = np.random.Generator(np.random.PCG64(0))
LEGACY_CHECKS: Any = np.random.RandomState(0)


def checks_device_arrays() -> bool:
    """Whether values in device memory are looked at, which waits for the device."""
    return config.debug or bool(driver.image_options(driver.image_kind))


def are_numbers(parameters: Sequence[Any]) -> bool:
    """Whether all are Python's own, and tell what they are by equality: not -0.0, which is 0.0."""
    for x in parameters:
        if type(x) is not float and type(x) is not int:
            return False
        if x == 0 and math.copysign(1, x) < 0:
            return False
    return True


def check(method: str, *parameters: Any, **options: Any) -> None:
    """Raise what NumPy's method of this name raises for parameters.

    NumPy itself judges: its method is called for a result without elements. Device arrays
    are looked at where kernels can raise exceptions, which is on the emulator, and with
    ``GPUARRAY_DEBUG=1``; else nothing is asked of their values, so that nothing waits.

    Parameters
    ----------
    method : str
        A method of ``numpy.random.Generator``.
    *parameters : object
        Numbers, host or device arrays.
    **options : object
        Further arguments of the method.
    """
    if not options and are_numbers(parameters):
        _check_numbers(method, *parameters)
        return
    device = [isinstance(x, ArrayBase) for x in parameters]
    if any(device) and not checks_device_arrays():
        # Numbers beside device arrays are judged with 1 in place of these, unless parameters are
        # compared with one another.
        if all(device) or method in ("triangular", "uniform"):
            return
        host = [1.0 if there else x for there, x in zip(device, parameters)]
    else:
        host = [asnumpy(x) if there else x for there, x in zip(device, parameters)]
    shape = np.broadcast_shapes(*[np.shape(x) for x in host])
    judged(method, *host, size=(0, *shape), **options)


@functools.lru_cache(maxsize=1024, typed=True)
def _check_numbers(method: str, *numbers: float) -> None:
    """As `check` does; numbers that were good once are good."""
    judged(method, *numbers, size=0)


def judged(method: str, *arguments: Any, **options: Any) -> Any:
    """What NumPy's method of this name returns, or raises, for arguments on the host."""
    with np.errstate(all="ignore"):
        return getattr(GENERATOR_CHECKS, method)(*arguments, **options)


def shape_of(size: Any) -> tuple[int, ...] | None:
    """A ``size`` argument as a shape; None for None."""
    if size is None:
        return None
    return _arguments.check_shape(size)


def size_of_plan(size: Any) -> int | tuple[int, ...]:
    """A ``size`` argument as a plan's key: an integer, or a shape of whatever else is given."""
    return size if type(size) is int else fitted_shape(size)


def is_empty(size: Any) -> bool:
    """Whether a ``size`` argument is of no elements: NumPy looks at no bounds of integers then."""
    return size is not None and 0 in fitted_shape(size)


def result_shape(size: Any, *parameters: Any) -> tuple[int, ...]:
    """The shape of a result: ``size``, which parameters broadcast to, or what they broadcast to.

    Parameters
    ----------
    size : int, tuple of int or None
        The argument.
    *parameters : object
        Anything with a shape; numbers have none.
    """
    shapes = [
        x._layout.shape if isinstance(x, ArrayBase) else np.shape(x)
        for x in parameters
        if type(x) is not float and type(x) is not int
    ]
    return fitted_shape(size, _broadcasting.broadcast_shapes(shapes) if shapes else ())


def fitted_shape(size: Any, shape: tuple[int, ...] = ()) -> tuple[int, ...]:
    """The shape of a result that parameters of a shape broadcast to."""
    if size is None:
        return shape
    if type(size) is int and size >= 0:
        given: tuple[int, ...] = (size,)
    elif type(size) is tuple and set(map(type, size)) <= {int}:
        _arguments.check_lengths(size)
        given = size
    else:
        given = _arguments.check_shape(size)
    if shape and np.broadcast_shapes(given, shape) != given:  # which may raise, as in NumPy
        raise ValueError(
            f"Output size {given} is not compatible with broadcast dimensions of inputs {shape}."
        )
    return given


def check_out(out: Any, size: Any, dtype: np.dtype, any_order: bool = False) -> Any:
    """An ``out`` argument: contiguous, of the dtype, and of shape ``size`` if that is given."""
    if not isinstance(out, ArrayBase):
        raise TypeError(
            f"out is a device array, not {type(out).__name__}; pass gpuarray.empty(...)"
        )
    layout = out._layout
    _layout.check_writable(layout, "random")
    in_order = layout.c_contiguous or (any_order and layout.f_contiguous)
    if not in_order or layout.unaligned:
        raise ValueError(
            "Supplied output array must be contiguous, writable, aligned, and in machine "
            "byte-order."
        )
    if layout.dtype != dtype:
        raise TypeError(
            "Supplied output array has the wrong type. "
            f"Expected {dtype.name}, got {layout.dtype.name}"
        )
    shape = shape_of(size)
    if shape is not None and shape != layout.shape:
        raise ValueError("size must match out.shape when used together")
    return out


def as_parameter(value: Any, name: str, dtype: np.dtype = _FLOAT64) -> Any:
    """A parameter: a number as Python's, anything else as a device array of the dtype.

    Host arrays are refused, as they are as operands.
    """
    if type(value) is float or type(value) is int:
        return value
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        number: Any = value
        return operator.index(number) if value.dtype.kind in "iu" else float(number)
    if isinstance(value, ArrayBase):
        array: Any = value
        return array if array._layout.dtype == dtype else astype(array, dtype)
    if isinstance(value, bool):
        return int(value)
    known = host_values(value, dtype)
    return as_values(value, name, dtype) if known is None else asarray(known)


def is_number(x: Any) -> bool:
    """Whether NumPy takes it for one number: a string, too, from which ``int`` makes one."""
    if isinstance(x, np.ndarray):
        return x.ndim == 0
    return x is None or isinstance(x, int | float | complex | str | bytes | np.generic)


def host_integers(x: Any) -> np.ndarray:
    """Numbers or lists that NumPy found good as Python's integers, of any size."""
    values = np.asarray(x, object)
    return np.array([int(y) for y in values.ravel()], object).reshape(values.shape)


def host_values(x: Any, dtype: DTypeLike | None = None) -> np.ndarray | None:
    """What is in a list, as NumPy converts it; None for what is no list, or has device arrays.

    Raises
    ------
    TypeError, ValueError
        With a dtype, NumPy's: for what is no number of it, and for lengths that differ.
    """
    if not isinstance(x, list | tuple | range):
        return None
    try:
        return np.array(x, dtype)
    except HostArrayError:
        return None
    except ValueError:
        if dtype is not None:
            raise
        return None
