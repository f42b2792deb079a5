"""Array creation routines: conversions of arrays, host arrays and sequences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _array, _dtypes, _interchange, _layout, _memory_order, _transfers
from gpuarray._array import ArrayBase
from gpuarray._integers import shortened
from gpuarray._ops.placement import given_device
from gpuarray._runtime.current_stream import current
from gpuarray.errors import HostArrayError
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.join.rules import stack

if TYPE_CHECKING:
    from gpuarray._runtime.device import Device
    from gpuarray._types import DTypeLike, ndarray

__all__ = ["array", "asanyarray", "asarray", "ascontiguousarray", "asfortranarray", "copy"]


def array(
    obj: object,
    dtype: DTypeLike | None = None,
    copy: bool | None = True,
    order: str = "K",
    subok: bool = False,
    ndmin: int = 0,
    *,
    blocking: bool = False,
    like: object = None,
) -> ndarray:
    """An array on the current device.

    Parameters
    ----------
    obj : array_like
        A device array, a NumPy array, an object with ``__cuda_array_interface__``, a number, or
        nested sequences of these.
    dtype : dtype, optional
        Dtype of the result; that of `obj` by default.
    copy : bool or None, optional
        True copies always; None only where it is needed; False raises ValueError where it is.
    order : {'K', 'A', 'C', 'F'}, optional
        Memory order of the result.
    subok : bool, optional
        Ignored: there are no subclasses.
    ndmin : int, optional
        Dimensions of length 1 are put in front up to this number.
    blocking : bool, optional
        Wait until the copy from the host is done. Without it a NumPy array in page-locked memory
        is copied later, when its turn comes on the current stream, and must not be changed before;
        every other object may be.
    like : object, optional
        Ignored: results are arrays of this package.

    Returns
    -------
    ndarray
        The array.

    Raises
    ------
    UnsupportedDTypeError
        If there is no device type for the dtype.

    Differences from NumPy
    ----------------------
    ``copy=False`` with data in host memory always raises, since it has to be copied. Data in the
    other byte order is swapped, and a dtype such as ``'>f4'`` stands for the native one.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.array([[1, 2], [3, 4]], dtype=cp.float32)
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    order = _arguments.check_order(order)
    if isinstance(copy, str):
        raise ValueError(
            f"array: strings are not allowed for 'copy' keyword (got {copy!r}); use True, False or "
            "None"
        )
    if dtype is not None:
        dtype = _dtypes.canonical(dtype)
    if not isinstance(obj, ArrayBase) and hasattr(obj, "__cuda_array_interface__"):
        obj = _interchange.from_interface(obj)
    if isinstance(obj, ArrayBase):
        result = _from_device(obj, dtype, copy, order)
    else:
        result = _from_host(obj, dtype, copy, order)
    if blocking:
        current.stream.synchronize()
    layout = result._layout
    if type(ndmin) is not int or ndmin < 0:
        ndmin = np.array((), ndmin=ndmin).ndim  # as NumPy converts and refuses it
    if ndmin > layout.ndim:
        shape = (1,) * (ndmin - layout.ndim) + layout.shape
        target = _layout.reshape_view(layout, shape)
        assert target is not None  # dimensions of length 1 never need a copy
        result = _array.view(result, target)
    return result


def is_so(layout: _layout.Layout, dtype: np.dtype | None, order: str) -> bool:
    """Whether a layout has a dtype, unless that is None, and a memory order already."""
    return (dtype is None or dtype is layout.dtype) and (
        order in ("K", "A")
        or (order == "C" and layout.c_contiguous)
        or (order == "F" and layout.f_contiguous)
    )


def _from_device(obj: Any, dtype: np.dtype | None, copy: bool | None, order: str) -> Any:
    layout = obj._layout
    if layout.nbytes and obj._memory.device is not current.stream.device:
        if copy is False:
            raise ValueError(
                f"array: an array on {obj._memory.device} has to be copied to "
                f"{current.stream.device}, but copy=False; use copy=None"
            )
        if not layout.contiguous:
            with obj._memory.device:
                obj = copies.copy(obj)
        obj = _interchange.to_device(obj, current.stream.device)
        layout, copy = obj._layout, None
    if not copy and is_so(layout, dtype, order):
        return obj
    if copy is False:
        raise ValueError(
            f"array: dtype {dtype or layout.dtype} in order {order!r} needs a copy, but copy=False;"
            " use copy=None"
        )
    return copies.copy(obj, order, None if dtype is layout.dtype else dtype)


def uploaded(value: object) -> ndarray:
    """A new array with the elements of a host array or a list, which may be changed at once."""
    return _from_host(value, None, True, "K", asynchronous=False)


def _from_host(
    obj: Any,
    dtype: np.dtype | None,
    copy: bool | None,
    order: str,
    *,
    asynchronous: bool = True,
) -> Any:
    if copy is False:
        raise ValueError(
            f"array: a {type(obj).__name__} in host memory has to be copied to the device, but "
            "copy=False; use copy=None"
        )
    try:
        if dtype is not None and isinstance(obj, np.ndarray | np.generic) and obj.dtype != dtype:
            host = _interchange.cast_on_host(np.asarray(obj), dtype)
        else:
            host = np.asarray(obj, dtype)
        if not host.dtype.isnative or host.dtype.names is not None:
            host = _native(host)
    except HostArrayError:  # from __array__ of a device array within a sequence
        return _from_nested(obj, dtype, order)
    if host.dtype == object:
        _refuse_great_integers(host)
    found = _dtypes.canonical(host.dtype)
    layout = _layout.layout_of(found, host.shape, host.strides)
    target = _memory_order.like_prototype(found, host.shape, layout, order)
    same_order = (layout.c_contiguous and target.c_contiguous) or (
        layout.f_contiguous and target.f_contiguous
    )
    if not same_order:
        staged = np.ndarray(host.shape, found, np.empty(target.nbytes, "u1"), 0, target.strides)
        staged[...] = host
        host = staged
    return _transfers.from_host(host, target, asynchronous=asynchronous)


def _native(host: np.ndarray) -> np.ndarray:
    """A host array in the machine's byte order, which is the device's."""
    found = _dtypes.canonical(host.dtype)
    return host if host.dtype == found else host.astype(found)


def _refuse_great_integers(host: np.ndarray) -> None:
    """Raise OverflowError for integers that NumPy keeps as objects because no dtype holds them."""
    for x in host.flat:
        if isinstance(x, int) and not -(2**63) <= x < 2**64:
            raise OverflowError(
                f"array: Python integer {shortened(x)} out of bounds for int64 and uint64; convert "
                "it with float(...) first"
            )


def _from_nested(obj: Any, dtype: np.dtype | None, order: str) -> Any:
    """An array from nested sequences with device arrays among their items."""
    if not isinstance(obj, list | tuple):
        raise TypeError(
            f"array: a {type(obj).__name__} that holds device arrays cannot be converted; pass "
            "nested lists or tuples"
        )
    if dtype is None:
        dtype = _dtypes.canonical(np.result_type(*_item_dtypes(obj)))
    # Numbers are converted to this dtype, not cast, so that none is stored that does not fit.
    joined = stack([array(x, dtype, copy=None) for x in obj], 0)
    return joined if order != "F" else copies.copy(joined, "F")


def _item_dtypes(obj: Any) -> Iterator[np.dtype]:
    """The dtypes of what nested sequences hold, each as of an array of its own."""
    if isinstance(obj, list | tuple):
        for x in obj:
            yield from _item_dtypes(x)
    elif hasattr(obj, "__cuda_array_interface__"):
        yield np.dtype(obj.__cuda_array_interface__["typestr"])
    else:
        yield np.asarray(obj).dtype


def asarray(
    a: object,
    dtype: DTypeLike | None = None,
    order: str | None = None,
    *,
    device: Device | None = None,
    copy: bool | None = None,
    blocking: bool = False,
    like: object = None,
) -> ndarray:
    """An array on the current device, copied only where that is needed.

    Parameters
    ----------
    a : array_like
        As for `array`. Arrays of other libraries with ``__cuda_array_interface__`` share their
        memory with the result.
    dtype : dtype, optional
        Dtype of the result.
    order : {'K', 'A', 'C', 'F'}, optional
        Memory order of the result.
    device : Device, optional
        Where the array will be; the current device by default.
    copy : bool or None, optional
        As for `array`.
    blocking : bool, optional
        Wait until a copy from the host is done; see `array`.
    like : object, optional
        Ignored: results are arrays of this package.

    Returns
    -------
    ndarray
        `a` itself if it is an array on the current device with this dtype and order.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.arange(3)
    >>> cp.asarray(x) is x
    True
    """
    if dtype is None and order is None and isinstance(a, ArrayBase) and device is None:
        # Before everything else, since there is nothing to do.
        if not copy and not blocking and a._memory.device is current.stream.device:
            return a  # type: ignore[return-value]  # arrays are of the registered class
    if device is not None:
        with given_device(device, "asarray"):
            return asarray(a, dtype, order, copy=copy, blocking=blocking)
    return array(a, dtype, copy, "K" if order is None else order, blocking=blocking)


asanyarray = asarray


def ascontiguousarray(a: object, dtype: DTypeLike | None = None, *, like: object = None) -> ndarray:
    """An array of at least one dimension in C order.

    Parameters
    ----------
    a : array_like
        As for `array`.
    dtype : dtype, optional
        Dtype of the result.
    like : object, optional
        Ignored: results are arrays of this package.

    Returns
    -------
    ndarray
        `a` itself where possible.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.ascontiguousarray(cp.ones((2, 3)).T).strides
    (16, 8)
    """
    if dtype is None and isinstance(a, ArrayBase):
        layout = a._layout
        if layout.c_contiguous and layout.ndim and a._memory.device is current.stream.device:
            return a  # type: ignore[return-value]  # arrays are of the registered class
    return array(a, dtype, None, "C", ndmin=1)


def asfortranarray(a: object, dtype: DTypeLike | None = None, *, like: object = None) -> ndarray:
    """An array of at least one dimension in Fortran order.

    Parameters
    ----------
    a : array_like
        As for `array`.
    dtype : dtype, optional
        Dtype of the result.
    like : object, optional
        Ignored: results are arrays of this package.

    Returns
    -------
    ndarray
        `a` itself where possible.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.asfortranarray(cp.ones((2, 3))).strides
    (8, 16)
    """
    return array(a, dtype, None, "F", ndmin=1)


def copy(a: object, order: str = "K", subok: bool = False) -> ndarray:
    """A copy of an array.

    Parameters
    ----------
    a : array_like
        As for `array`.
    order : {'K', 'A', 'C', 'F'}, optional
        Memory order of the copy.
    subok : bool, optional
        Ignored: there are no subclasses.

    Returns
    -------
    ndarray
        With memory of its own, on the same device. `array` copies to the current device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.arange(3)
    >>> y = cp.copy(x)
    >>> y[0] = 9
    >>> x
    array([0, 1, 2])
    """
    if isinstance(a, ArrayBase):
        return copies.copy_there(a, "K" if order is None else order)
    return array(a, order=order)


_interchange.of_sequence = array
