"""Objects that are not arrays of ours: scalars, host arrays, and arrays of other libraries."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _array, _dtypes, _layout, _transfers
from gpuarray._layout import Layout
from gpuarray._namespace.called_name import called_name
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.device import Device
from gpuarray._runtime.memory import check_device_memory
from gpuarray._runtime.ordered_memory import UnownedMemory
from gpuarray._runtime.stream_kinds import ExternalStream
from gpuarray.errors import HostArrayError

if TYPE_CHECKING:
    from gpuarray._types import ndarray

#: Python's numbers take on the dtype of the arrays beside them (NEP 50).
WEAK = {bool: np.dtype(bool), int: int, float: float, complex: complex}
_SCALARS = tuple(WEAK)

#: Python's times, which NumPy takes for its own.
_TIMES = (date, timedelta)  # a datetime is a date

#: What to do about another library's array of which this package makes no view.
COPY_THERE = "copy the array in the library that it comes from"

#: The newest version of ``__cuda_array_interface__``.
_NEWEST_VERSION = 3


#: Makes an array of nested lists. It is `gpuarray.array`, which is above this module and sets it.
of_sequence: Callable[[Any], ndarray]


def as_operand(x: Any, name: str, others: Sequence[Any] = ()) -> Any:
    """An operand as an array or a scalar; host arrays are refused, lists of numbers become arrays.

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
                f"{called_name(name)}: "
                f"one operand is a numpy.ndarray of shape {x.shape} in host memory, "
                f"{_beside(others)}; move one with gpuarray.asarray(...) or gpuarray.asnumpy(...)"
            )
        x = x[()]  # NumPy's scalars turn themselves into such arrays to compare
    if isinstance(x, np.generic):
        dtype = _dtypes.canonical(x.dtype)
        if dtype.kind in "mM" or _dtypes.is_raw(dtype):
            # Plans know scalars by their types, which do not say the unit or the fields.
            return scalar_array(x, dtype)
        return bool(x) if isinstance(x, np.bool) else x
    if hasattr(x, "__cuda_array_interface__"):
        return from_interface(x, name)
    if isinstance(x, _SCALARS):  # of a subclass, such as enum.IntEnum: not weak, as in NumPy
        number = np.asarray(x)[()]
        _dtypes.canonical(number.dtype)
        return number
    if isinstance(x, list | tuple | range):
        return of_sequence(x)  # noqa: F821 (declared above, set by the module of conversions)
    if isinstance(x, _TIMES):
        return as_operand(np.timedelta64(x) if isinstance(x, timedelta) else np.datetime64(x), name)
    raise TypeError(
        f"{called_name(name)}: "
        f"unsupported operand type {kind.__name__!r}; pass a gpuarray array, a NumPy "
        "scalar or a Python number"
    )


def as_mask(where: Any, name: str) -> Any:
    """The mask of ``where=``: an array of bools, or a bool.

    As in NumPy, numbers and lists of numbers stand for their truth, arrays of numbers are refused.
    """
    mask = as_operand(where, name)
    if not isinstance(where, _array.ArrayBase | np.ndarray):
        if not isinstance(mask, _array.ArrayBase):
            return bool(mask)
        if isinstance(where, list | tuple | range) and mask._layout.dtype != bool:
            mask = of_sequence(np.asarray(where, dtype=bool))  # noqa: F821 (see `as_operand`)
    if isinstance(mask, bool) or mask.dtype.kind == "b":
        return mask
    raise TypeError(
        f"{called_name(name)}: where must be a bool or an array of bools, got {mask.dtype}; "
        "compare or use astype(bool)"
    )


def parameter_dtype(x: Any, loop: np.dtype) -> np.dtype:
    """The dtype in which a kernel takes a scalar that it computes with in a loop's dtype.

    That of the loop, unless it is of a lesser kind: then the device casts the number, with the
    result that an array's cast has.
    """
    if loop.kind == "b" and type(x) is int:
        return np.dtype(np.int64)  # what int64 does not hold is refused, as in NumPy
    kind = _dtypes.kind(loop)
    if kind in "iuf":
        own = np.asarray(x).dtype
        if own.kind == "c" or (_dtypes.kind(own) == "f" and kind != "f"):
            return own
    return loop


def cast_on_host(host: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A host array in another dtype, with the device's results where floats are out of range.

    NumPy leaves those to the machine; see ``casts.cuh`` for the device's rule.
    """
    if _dtypes.kind(host.dtype) == "f" and host.dtype.kind != "f":
        host = host.astype(np.float32)  # bfloat16
    if host.dtype.kind not in "fc" or dtype.kind not in "iu":
        return host.astype(dtype)
    if host.dtype.kind == "c":
        host = host.astype(host.real.dtype)  # with NumPy's warning
    if dtype == np.uint64:
        positive = _saturated(host, dtype)
        return np.where(host < 0, _saturated(host, np.dtype(np.int64)).astype(dtype), positive)
    wide = np.int64 if dtype.itemsize == 8 or dtype == np.uint32 else np.int32
    return _saturated(host, np.dtype(wide)).astype(dtype)


def _saturated(host: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Floats as integers; those out of range are the nearest, as the conversion of a GPU has it."""
    info = np.iinfo(dtype)
    with np.errstate(invalid="ignore"):
        result = np.asarray(host.astype(dtype))
    result[host >= 2.0**info.bits / (2 if dtype.kind == "i" else 1)] = info.max
    result[host < info.min] = info.min
    # NaN is 0 only if both are of 32 bits or less.
    narrow = host.dtype.itemsize < 8 and info.bits < 64
    result[np.isnan(host)] = 0 if narrow else np.array(1 << (info.bits - 1), "u8").astype(dtype)
    return result


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
    if isinstance(x, np.ndarray | np.generic | list | tuple | range | bool | int | float | complex):
        return False
    if isinstance(x, _TIMES):
        return False
    if getattr(x, "__array_ufunc__", x) is None:
        return True
    return not hasattr(x, "__cuda_array_interface__")


def is_foreign(cls: type, protocol: str) -> bool:
    """Whether a class of another library answers calls of NumPy's functions itself.

    A class of arrays on the device is not: its arrays are operands here.
    """
    return (
        not issubclass(cls, _array.ArrayBase | np.ndarray | np.generic)
        and getattr(cls, protocol, None) is not None
        and not hasattr(cls, "__cuda_array_interface__")
    )


def scalar_array(value: Any, dtype: np.dtype) -> ndarray:
    """A new array without dimensions that holds a value."""
    return _transfers.from_host(np.array(value, dtype), _layout.contiguous(dtype, ()))


def from_interface(x: Any, name: str = "asarray") -> ndarray:
    """An array over the memory of another library's array, without a copy.

    The ``__cuda_array_interface__`` protocol, versions 0 to 3: a stream that it names is waited
    for, and the exporter is kept alive. What is exported as read-only is a read-only array.

    Parameters
    ----------
    x : object
        With the interface.
    name : str
        The operation, for error messages.

    Raises
    ------
    TypeError, ValueError
        If an entry is missing or has a wrong type; if the memory is not a device's, is not
        aligned, or has fewer bytes than the shape needs.
    """
    interface = x.__cuda_array_interface__
    where = _Place(name)
    layout, pointer, producer = _read_interface(interface, where)
    if not layout.size:
        array = _array.empty(_layout.contiguous(layout.dtype, layout.shape))
        return array if layout.writable else _array.lock(array)
    data = _Place(name, "['data']")
    layout = _array.aligned(data, layout, pointer, COPY_THERE)
    start = pointer + layout.low
    size = layout.high - layout.low
    memory = imported_memory(data, start, size, x, layout.writable)
    if producer is not None:
        # 1 and 2 stand for the legacy and the per-thread default stream.
        handle = 0 if producer == 1 else producer
        stream = current.stream
        if handle != stream.handle or memory.device is not stream.device:
            with memory.device:
                event = ExternalStream(handle).record()
            stream.wait_event(event)
    return _array.wrap(memory, pointer, _layout.foreign(layout))


class _Place:
    """Where something is wrong, as the text of a message, for which the stack is looked at."""

    __slots__ = ("_name", "_part")

    def __init__(self, name: str, part: str = "") -> None:
        self._name = name
        self._part = part

    def __str__(self) -> str:
        return f"{called_name(self._name)}: __cuda_array_interface__{self._part}"


def imported_memory(
    name: object, start: int, size: int, owner: object, writable: bool = True
) -> UnownedMemory:
    """Memory of another library that arrays can live in: the driver knows all of its bytes.

    ``name`` is what says where it is, for error messages.
    """
    device = check_device_memory(name, start, size)
    return UnownedMemory(start, size, owner, device, writable=writable)


def _read_interface(interface: Any, where: _Place) -> tuple[Layout, int, int | None]:
    """The layout, the address and the stream that a ``__cuda_array_interface__`` names."""
    layout = _usual_layout(interface)
    if layout is None:
        layout = _checked_layout(interface, where)
    address = _interface_address(interface["data"], where)
    if interface["data"][1]:
        layout = _layout.read_only(layout)
    return layout, address, _interface_stream(interface, where)


def _usual_layout(interface: Any) -> Layout | None:
    """The layout, if the entries are of the types that nearly all libraries write."""
    if type(interface) is not dict or interface.get("data") is None:
        return None
    shape, typestr = interface.get("shape"), interface.get("typestr")
    strides, version = interface.get("strides"), interface.get("version")
    if type(shape) is not tuple or type(typestr) is not str or type(version) is not int:
        return None
    if strides is not None and type(strides) is not tuple:
        return None
    for number in shape if strides is None else shape + strides:
        if type(number) is not int:
            return None
    if interface.get("mask") is not None:
        return None
    if "descr" in interface and interface["descr"] != [("", typestr)]:
        return None
    return _kept_layout(typestr, shape, strides, version)


@functools.lru_cache(maxsize=256)
def _kept_layout(
    typestr: str, shape: tuple[int, ...], strides: tuple[int, ...] | None, version: int
) -> Layout | None:
    """The layout of these entries, or None for some that are wrong."""
    interface = {
        "typestr": typestr, "shape": shape, "strides": strides, "version": version, "data": (),
    }  # fmt: skip
    try:
        return _checked_layout(interface, _Place("asarray"))
    except (TypeError, ValueError):
        return None


def _checked_layout(interface: Any, where: _Place) -> Layout:
    """The layout that all entries together describe."""
    if not isinstance(interface, Mapping):
        raise TypeError(f"{where} must be a dict, got {type(interface).__name__}")
    for key in ("shape", "typestr", "data"):
        if interface.get(key) is None:
            raise ValueError(f"{where} has no {key!r}, which the protocol requires")
    version = interface.get("version", 0)
    if type(version) is not int or not 0 <= version <= _NEWEST_VERSION:
        raise ValueError(
            f"{where}['version'] is {version!r}; versions 0 to {_NEWEST_VERSION} are known"
        )
    if interface.get("mask") is not None:
        raise ValueError(
            f"{where}['mask'] is not None: masked arrays are not supported; fill the masked "
            "elements in the library that the array comes from"
        )
    dtype = _interface_dtype(interface, where)
    with _naming(f"{where}['shape']"):
        shape = _arguments.check_shape(tuple(interface["shape"]))
        layout = _layout.contiguous(dtype, shape)
    strides = interface.get("strides")
    if strides is not None:
        with _naming(f"{where}['strides']"):
            layout = _layout.strided(dtype, shape, strides)
    return layout


@contextmanager
def _naming(what: str) -> Iterator[None]:
    """Put the name of what is read in front of an error's message."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise type(error)(f"{what}: {error}") from None


def _interface_dtype(interface: Mapping[str, Any], where: _Place) -> np.dtype:
    typestr = interface["typestr"]
    if not isinstance(typestr, str):
        raise TypeError(f"{where}['typestr'] must be a str such as '<f4', got {typestr!r}")
    try:
        found = np.dtype(typestr)
    except (TypeError, ValueError):
        raise TypeError(f"{where}['typestr'] is {typestr!r}, which is no dtype") from None
    _dtypes.check_native(found, f"{where}['typestr']")
    descr = interface.get("descr")
    if descr is not None and not _is_whole(descr, typestr):
        found = _structure(descr, found, f"{where}['descr']")
    with _naming(f"{where}['typestr']"):
        return _dtypes.canonical(found)


def _is_whole(descr: Any, typestr: str) -> bool:
    """Whether a list of fields says no more than the typestr."""
    if not isinstance(descr, list | tuple) or len(descr) != 1:
        return False
    return typestr[1:2] != "V" or descr[0] == ("", typestr)


def _structure(descr: Any, whole: np.dtype, where: str) -> np.dtype:
    """The dtype of structures that a list of fields describes."""
    try:
        found = np.lib.format.descr_to_dtype(descr)
    except (TypeError, ValueError, IndexError, KeyError):
        raise TypeError(f"{where} is {descr!r}, which describes no fields") from None
    if whole.kind != "V" or found.itemsize != whole.itemsize:
        raise TypeError(
            f"{where} describes structures of {found.itemsize} bytes, but 'typestr' is "
            f"{whole.str!r}; it must be '|V{found.itemsize}'"
        )
    return found


def _interface_address(data: Any, where: object) -> int:
    if not isinstance(data, tuple | list) or len(data) != 2:
        raise TypeError(
            f"{where}['data'] must be an address and whether it is read-only, got {data!r}"
        )
    try:
        address = operator.index(0 if data[0] is None else data[0])
    except TypeError:
        raise TypeError(f"{where}['data'] has the address {data[0]!r}, which is no int") from None
    if not 0 <= address < 1 << 64:
        raise ValueError(f"{where}['data'] has the address {address}, which no memory has")
    return address


def _interface_stream(interface: Mapping[str, Any], where: _Place) -> int | None:
    stream = interface.get("stream")
    if stream is None:
        return None
    if type(stream) is not int:
        raise TypeError(f"{where}['stream'] must be an int or None, got {stream!r}")
    if not 0 < stream < 1 << 64:
        raise ValueError(
            f"{where}['stream'] is {stream}, which the protocol does not allow: 1 is the legacy "
            "default stream, 2 the per-thread one, None asks for no wait"
        )
    return stream


def interface_pointer(x: Any) -> int:
    """The address alone that a ``__cuda_array_interface__`` has, for a kernel's parameter."""
    where = "__cuda_array_interface__"
    try:
        return _interface_address(x.__cuda_array_interface__["data"], where)
    except KeyError:
        raise ValueError(f"{where} has no 'data', which the protocol requires") from None


def to_device(array: Any, device: Device) -> ndarray:
    """A gapless array on a device, copied there if it lives on another."""
    if array._memory.device is device or not array._layout.nbytes:
        return array
    with device:
        moved = _array.empty(array._layout)
        _transfers.copy_bytes(moved, array)
    return moved
