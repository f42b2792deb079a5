"""Objects that are not arrays of ours: scalars, host arrays, and arrays of other libraries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _dtypes, _layout
from gpuarray._runtime.device import Device, current
from gpuarray._runtime.memory import UnownedMemory
from gpuarray._runtime.stream import ExternalStream
from gpuarray.errors import HostArrayError

if TYPE_CHECKING:
    from gpuarray._types import ndarray

#: Python's numbers take on the dtype of the arrays beside them (NEP 50).
WEAK = {bool: np.dtype(bool), int: int, float: float, complex: complex}
_SCALARS = tuple(WEAK)
_LONG = 128


def as_operand(x: Any, name: str, others: Sequence[Any] = ()) -> Any:
    """An operand as an array or a scalar; host data is refused.

    Parameters
    ----------
    x : object
        What the user passed.
    name : str
        The operation, for error messages.
    others : sequence of object
        What else was passed, for the same.
    """
    if isinstance(x, _array.ArrayBase):
        return x
    kind = type(x)
    if kind in _SCALARS:
        return x
    if isinstance(x, np.ndarray):
        if x.ndim:
            raise HostArrayError(
                f"{name}: one operand is a numpy.ndarray of shape {x.shape} in host memory, "
                f"{_beside(others)}; move one with gpuarray.asarray(...) or gpuarray.asnumpy(...)"
            )
        x = x[()]  # NumPy's scalars turn themselves into such arrays to compare
    if isinstance(x, np.generic):
        _dtypes.canonical(x.dtype)
        return bool(x) if isinstance(x, np.bool) else x
    if hasattr(x, "__cuda_array_interface__"):
        return from_interface(x)
    for base in _SCALARS:  # subclasses of Python's numbers, such as enum.IntEnum
        if isinstance(x, base):
            return base(x)  # type: ignore[arg-type]  # x is of a subclass of base
    if isinstance(x, list | tuple):
        raise HostArrayError(
            f"{name}: one operand is a {kind.__name__} in host memory; convert it with "
            "gpuarray.asarray(...)"
        )
    raise TypeError(
        f"{name}: unsupported operand type {kind.__name__!r}; pass a gpuarray array, a NumPy "
        "scalar or a Python number"
    )


def shown(value: Any) -> str:
    """A number for a message; a very long integer by its length."""
    if isinstance(value, int) and value.bit_length() > _LONG:
        return f"an integer of {value.bit_length()} bits"
    return str(value)


def symbol_among(args: Sequence[Any]) -> Any:
    """The first argument that stands for an array while a function is fused, or ``None``."""
    for x in args:
        if hasattr(type(x), "fused_call"):
            return x
    return None


def _beside(others: Sequence[Any]) -> str:
    for x in others:
        if isinstance(x, _array.ArrayBase):
            return f"another a gpuarray array of shape {x._layout.shape} in device memory"
    return "but gpuarray arrays are in device memory"


def defers(x: Any) -> bool:
    """Whether an operator should leave the work to the other operand's class."""
    if isinstance(x, np.ndarray | np.generic | list | tuple | bool | int | float | complex):
        return False
    if hasattr(x, "__array_ufunc__"):
        return x.__array_ufunc__ is None
    return not hasattr(x, "__cuda_array_interface__")


def scalar_array(value: Any, dtype: np.dtype) -> ndarray:
    """A new array without dimensions that holds a value."""
    return _array.from_host(np.array(value, dtype), _layout.contiguous(dtype, ()))


def from_interface(x: Any) -> ndarray:
    """An array over the memory of another library's array, without a copy.

    The ``__cuda_array_interface__`` protocol, versions 0 to 3: a stream that it names is waited
    for, and the exporter is kept alive.
    """
    interface = x.__cuda_array_interface__
    if interface.get("mask") is not None:
        raise ValueError("asarray: a masked __cuda_array_interface__ is not supported; fill it")
    dtype = _dtypes.canonical(np.dtype(interface["typestr"]))
    shape = tuple(interface["shape"])
    strides = interface.get("strides")
    if strides is None:
        strides = _layout.contiguous_strides(shape, dtype.itemsize)
    layout = _layout.layout_of(dtype, shape, tuple(strides))
    pointer = interface["data"][0]
    if not layout.size:
        return _array.empty(_layout.contiguous(dtype, shape))
    start = pointer + layout.low
    memory = UnownedMemory(start, layout.high - layout.low, x)
    producer = interface.get("stream")
    if producer is not None and producer != current.stream.handle:
        # 1 and 2 stand for the legacy and the per-thread default stream.
        handle = 0 if producer == 1 else producer
        with memory.device:
            event = ExternalStream(handle).record()
        current.stream.wait_event(event)
    return _array.wrap(memory, pointer, layout)


def to_device(array: Any, device: Device) -> ndarray:
    """A gapless array on a device, copied there if it lives on another."""
    if array._memory.device is device or not array._layout.nbytes:
        return array
    with device:
        moved = _array.empty(array._layout)
        _array.copy_bytes(moved, array)
    return moved
