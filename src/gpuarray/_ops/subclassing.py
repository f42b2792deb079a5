"""Classes that are derived from ndarray: their views and results are of the class, too.

Arrays of ndarray itself pay nothing for it. A derived class gets methods of its own, each of which
calls ndarray's and then makes what it returns an array of the class.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gpuarray import _array
from gpuarray._array import ArrayBase
from gpuarray._ffi import driver
from gpuarray._ops.conversion import array
from gpuarray._ops.host_copies import asnumpy
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.device import Device

if TYPE_CHECKING:
    import numpy as np

    from gpuarray._types import DTypeLike, ndarray

_new = object.__new__

#: Methods whose results stay as they are: objects of the host, arrays of indices, the array itself.
_AS_THEY_ARE = frozenset([
    "dump", "dumps", "fill", "get", "item", "nonzero", "partition", "put", "resize", "scatter_add",
    "scatter_max", "scatter_min", "set", "setflags", "sort", "toDlpack", "tobytes", "tofile",
    "tolist", "view",
])  # fmt: skip

#: Methods for Python's operators and protocols that return arrays, without the operators in place.
_SPECIAL = frozenset(
    [f"__{reflected}{name}__"
     for name in ("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "lshift",
                  "rshift", "and", "or", "xor", "divmod")
     for reflected in ("", "r")]
    + [f"__{name}__" for name in ("lt", "le", "eq", "ne", "gt", "ge", "neg", "pos", "abs", "invert",
                                  "getitem", "copy", "deepcopy", "round")]
)  # fmt: skip


def derive(cls: type, plain: type) -> None:
    """Give a class that is derived from ``plain``, the array class, methods of its own."""
    for name, member in vars(plain).items():
        if inspect.getattr_static(cls, name) is not member:
            continue  # the class, or another that it is derived from, has one of its own
        if name.startswith("_"):
            if name in _SPECIAL:
                setattr(cls, name, _of_the_class(member))
        elif name in _AS_THEY_ARE:
            continue
        elif isinstance(member, property):
            if name in ("T", "mT", "real", "imag"):
                assert member.fget is not None
                setattr(cls, name, property(_of_the_class(member.fget), member.fset))
        elif inspect.isfunction(member):
            setattr(cls, name, _of_the_class(member))
    if inspect.getattr_static(cls, "view") is vars(plain)["view"]:
        cls.view = _view_of(vars(plain)["view"])  # type: ignore[attr-defined]


def _of_the_class(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = function(self, *args, **kwargs)
        if type(result) is tuple:
            return tuple([adopted(x, self) for x in result])
        return adopted(result, self)

    return method


def _view_of(view: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(view)
    def method(self: Any, dtype: DTypeLike | None = None, type: type | None = None) -> Any:
        if type is None and not is_array_class(dtype):
            type = self.__class__
        return view(self, dtype, type)

    return method


def adopted(result: Any, source: Any) -> Any:
    """A result as an array of the class of the array that it was made of."""
    if type(result) is not _array.array_class:
        return result
    return as_class(result, type(source), source)


def as_class(result: Any, cls: type, source: Any) -> Any:
    """An array of a class that is derived from ndarray, over the memory of one of ndarray itself.

    ``__array_finalize__`` is called with the array that it was made of, or None.
    """
    made: Any = _new(cls)
    _array.replace(made, result)
    made.__array_finalize__(source)
    return made


def is_array_class(cls: object) -> bool:
    """Whether something is the array class, or one that is derived from it."""
    return isinstance(cls, type) and issubclass(cls, ArrayBase)


def array_finalize(self: ndarray, obj: object, /) -> None:
    """Called for each new array of a derived class; for classes to define (``obj`` may be None)."""


def array_wrap(
    self: ndarray, array: ndarray, context: Any = None, return_scalar: bool = False, /
) -> ndarray:
    """An array as one of this array's class (``ndarray.__array_wrap__``)."""
    return adopted(array, self) if type(self) is not _array.array_class else array


def reduce(self: ndarray) -> tuple[Any, ...]:
    """Pickle an array by its values and its device, and one of a derived class with attributes."""
    host = asnumpy(self, order="K")
    device = self._memory.device.id
    if type(self) is _array.array_class:
        return _unpickled, (host, device)
    return _restored, (type(self), host, device), getattr(self, "__dict__", None)


def _unpickled(host: np.ndarray, device: int) -> Any:
    """An array on the device of a number; on the current one where there is none of that number."""
    if device == current.stream.device.id or device >= driver.device_count():
        return array(host)
    with Device(device):
        return array(host)


def _restored(cls: type, host: np.ndarray, device: int = 0) -> Any:
    return as_class(_unpickled(host, device), cls, None)
