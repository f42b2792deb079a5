"""The types that public signatures name.

A stub without a module: type checkers read it, and nothing can import it at run time. So it may
refer to the array class, although that lies above all that uses it.
"""

from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import DTypeLike
from typing_extensions import TypeAliasType

from gpuarray._ndarray import ndarray

__all__ = [
    "ArrayLike",
    "Attribute",
    "DTypeLike",
    "NDArray",
    "Number",
    "Operand",
    "WritableAttribute",
    "ndarray",
]

_Value = TypeVar("_Value", covariant=True)
_Assigned = TypeVar("_Assigned", contravariant=True)

class DeviceArray(Protocol):
    """An array of any library that shares its device memory."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

#: Python's and NumPy's numbers.
Number: TypeAlias = bool | int | float | complex | np.number | np.bool

#: What ufuncs and reductions take: arrays in device memory, and numbers.
Operand: TypeAlias = ndarray | DeviceArray | Number

#: What most functions take: operands, and nested lists of numbers, which are copied to the device.
ArrayLike: TypeAlias = Operand | list[Any] | tuple[Any, ...]

_Scalar = TypeVar("_Scalar", bound=np.generic)

#: An array; type checkers do not know what its elements are.
NDArray = TypeAliasType("NDArray", ndarray, type_params=(_Scalar,))

class Attribute(Protocol[_Value]):
    """A property made by a call of `property`, whose type checkers know nothing of its value."""

    def __get__(self, instance: Any, owner: Any = None, /) -> _Value: ...

class WritableAttribute(Protocol[_Value, _Assigned]):
    """The same with a setter."""

    def __get__(self, instance: Any, owner: Any = None, /) -> _Value: ...
    def __set__(self, instance: Any, value: _Assigned, /) -> None: ...
