"""Array creation routines: arrays like another one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _array, _dtypes, _layout, _memory_order, _transfers
from gpuarray._array import ArrayBase
from gpuarray._layout import Layout
from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import as_fill_value, empty, fill, filled_call
from gpuarray._ops.placement import device_like
from gpuarray._runtime.current_stream import current
from gpuarray.errors import HostArrayError

if TYPE_CHECKING:
    from gpuarray._runtime.device import Device
    from gpuarray._types import DTypeLike, ndarray

__all__ = ["empty_like", "full_like", "ones_like", "zeros_like"]


def _like(
    prototype: Any,
    dtype: Any,
    order: str,
    shape: Any,
    device: Any,
    initialise: Callable[[Any], None] | None = None,
    value: Any = None,
) -> Any:
    """An array like another one, uninitialised or with the values that a function stores in it.

    They all are a value, where there is one.
    """
    there = device_like(prototype, device, "empty_like")
    if there is not current.stream.device:
        with there:
            return _like(prototype, dtype, order, shape, there, initialise, value)
    layout = _layout_like(prototype, dtype, order, shape)
    if value is not None and not _dtypes.is_raw(layout.dtype):
        stream = current.stream
        make = stream.plans.get((filled_call, layout))  # the key of filled_call
        if make is None:
            make = filled_call(stream, layout)
        return make(value)
    result = empty(layout.shape, layout.dtype) if layout.c_contiguous else _array.empty(layout)
    if initialise is not None:
        initialise(result)
    return result


def _fill_one(array: ndarray) -> None:
    fill(array, 1)


def _layout_like(prototype: Any, dtype: Any, order: str, shape: Any) -> Layout:
    """That of a new array like another one."""
    if isinstance(prototype, ArrayBase):
        layout = prototype._layout
    else:
        try:
            host = prototype if hasattr(prototype, "strides") else np.asarray(prototype)
        except HostArrayError:  # device arrays in a sequence
            return _layout_like(asarray(prototype), dtype, order, shape)
        layout = _layout.layout_of(
            _dtypes.canonical(host.dtype), tuple(host.shape), tuple(host.strides)
        )
    if dtype is None and shape is None and order == "K" and layout.c_contiguous:
        return _layout.contiguous(layout.dtype, layout.shape)
    dtype = layout.dtype if dtype is None else _dtypes.canonical(dtype)
    order = _arguments.check_order(order)
    if shape is not None:
        shape = _arguments.check_shape(shape)
        if len(shape) != layout.ndim:
            # Another number of dimensions: 'K' has nothing to follow.
            order = "C" if order == "K" else order
            if order == "A":
                order = "F" if layout.f_contiguous and not layout.c_contiguous else "C"
            return _layout.contiguous(dtype, shape, order)
    lengths = layout.shape if shape is None else shape
    return _layout.own(_memory_order.like_prototype(dtype, lengths, layout, order))


def empty_like(
    prototype: object,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: object = True,
    shape: int | Sequence[int] | None = None,
    *,
    device: Device | None = None,
) -> ndarray:
    """An uninitialised array with the shape, dtype and memory order of another.

    Parameters
    ----------
    prototype : ndarray or numpy.ndarray
        The array to be like.
    dtype : dtype, optional
        Another dtype.
    order : {'K', 'C', 'F', 'A'}, optional
        Memory order; 'K' is that of `prototype`.
    subok : bool, optional
        Ignored: there are no subclasses.
    shape : int or tuple of int, optional
        Another shape.
    device : Device, optional
        Where the array will be: on the device of `prototype` by default.

    Returns
    -------
    ndarray
        Uninitialised, in device memory.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.empty_like(cp.ones((2, 3), dtype="i4")).dtype
    dtype('int32')
    """
    return _like(prototype, dtype, order, shape, device)


def zeros_like(
    a: object,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: object = True,
    shape: int | Sequence[int] | None = None,
    *,
    device: Device | None = None,
) -> ndarray:
    """An array of zeros with the shape, dtype and memory order of another.

    Parameters
    ----------
    a : ndarray or numpy.ndarray
        The array to be like.
    dtype, order, subok, shape, device : optional
        As for `empty_like`.

    Returns
    -------
    ndarray
        Of zeros.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.zeros_like(cp.arange(3))
    array([0, 0, 0])
    """
    return _like(a, dtype, order, shape, device, _transfers.fill_zero, 0)


def ones_like(
    a: object,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: object = True,
    shape: int | Sequence[int] | None = None,
    *,
    device: Device | None = None,
) -> ndarray:
    """An array of ones with the shape, dtype and memory order of another.

    Parameters
    ----------
    a : ndarray or numpy.ndarray
        The array to be like.
    dtype, order, subok, shape, device : optional
        As for `empty_like`.

    Returns
    -------
    ndarray
        Of ones.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.ones_like(cp.arange(3))
    array([1, 1, 1])
    """
    return _like(a, dtype, order, shape, device, _fill_one, 1)


def full_like(
    a: object,
    fill_value: object,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: object = True,
    shape: int | Sequence[int] | None = None,
    *,
    device: Device | None = None,
) -> ndarray:
    """An array filled with a value, with the shape, dtype and memory order of another.

    Parameters
    ----------
    a : ndarray or numpy.ndarray
        The array to be like.
    fill_value : scalar or array_like
        The value.
    dtype, order, subok, shape, device : optional
        As for `empty_like`.

    Returns
    -------
    ndarray
        Filled with the value.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.full_like(cp.arange(3), 7)
    array([7, 7, 7])
    """

    def fill_it(result: ndarray) -> None:
        fill(result, as_fill_value(fill_value, result.dtype))

    number = fill_value if isinstance(fill_value, bool | int | float | complex) else None
    return _like(a, dtype, order, shape, device, fill_it, number)
