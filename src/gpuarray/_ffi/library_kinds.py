"""Kinds of arguments of C functions: what the rows of a `library_table` consist of.

A kind knows what C is given, what the header declares there, how a prebuilt argument is made of a
value, and how the emulator decodes what it was given. Decoding has three steps, since arguments
refer to others, before or behind them, and since work on a stream is done later than it is asked
for:

* `read` makes a value of one argument alone: a number, a dtype, the object of a handle;
* `settle` comes when all are read, and may refuse: leading dimensions, workspaces, numbers that
  the host keeps behind a pointer;
* `view` comes when the work is done, in stream order: device memory as a bounds-checked array.

A new kind is a class with those of the three that it needs. Arguments refer to others by name; a
size may also be an integer or a function of the call.

How the rows of the other libraries are made of these: a stream among the arguments (cublasLtMatmul)
is a `Stream`, a descriptor a `Handle` whose object keeps what it was made with, and a function that
works on descriptors (cublasLtMatmul, cusparseSpMV, cufftXtExec) takes its pointers as `Address` and
asks the call for views itself, in a row marked `queued`. cuSOLVER's two workspaces are two
`Workspace`, cuSPARSE's one without a size is a `Workspace` too. cuFFT's handles are integers
(``Handle(..., c_int)``), and its extents a `HostArray`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from ctypes import c_int, c_int64, c_uint64, c_void_p
from typing import Any, NamedTuple

import numpy as np

from .library import Out

__all__ = [
    "CUDA_DATA_TYPE",
    "Address",
    "DataType",
    "Dimension",
    "Enum",
    "Enumeration",
    "Handle",
    "HostArray",
    "Kind",
    "Matrix",
    "New",
    "Number",
    "Refusal",
    "Result",
    "Scalar",
    "Stream",
    "Vector",
    "Workspace",
]

#: A size: a number, the name of the argument that has it, or a function of the call.
Size = int | str | Callable[[Any], int]
#: A dtype, or the name of the argument that says it, or a function of the call.
ElementType = np.dtype | str | Callable[[Any], np.dtype]

#: What C calls the types of numbers.
_C_NAMES: dict[Any, tuple[str, ...]] = {
    ctypes.c_int: ("int",),
    ctypes.c_int64: ("int64_t", "long long", "long long int"),
    ctypes.c_uint64: ("unsigned long long", "uint64_t"),
    ctypes.c_size_t: ("size_t",),
    ctypes.c_float: ("float",),
    ctypes.c_double: ("double",),
}
_C_ELEMENTS = {
    "i4": ("int",),
    "i8": ("int64_t", "long long", "long long int"),
    "f4": ("float",),
    "f8": ("double",),
    "c8": ("cuComplex", "cufftComplex"),
    "c16": ("cuDoubleComplex", "cufftDoubleComplex"),
}


class Refusal(Exception):
    """An emulated library refuses a call.

    Parameters
    ----------
    reason : str
        'handle', 'value', 'unsupported', 'memory', 'failed' or 'internal': the table of the library
        says which status that is.
    detail : str
        Which argument, and why.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


class Declaration(NamedTuple):
    """What a header declares for an argument."""

    #: The names that the type may have.
    types: tuple[str, ...]
    #: How many levels of pointers, and whether what the last one points to is const.
    pointers: int = 0
    const: bool = False


class Kind:
    """An argument that C is given and an emulated function gets as it is."""

    def __init__(self, name: str, c_type: Any) -> None:
        self.name = name
        self.c_type = c_type

    @property
    def declaration(self) -> Declaration:
        return Declaration(_C_NAMES[self.c_type])

    def prebuilt(self, value: Any) -> Any:
        """The ctypes object for a value."""
        return self.c_type(value)

    def read(self, raw: Any, call: Any) -> Any:
        return raw

    def settle(self, value: Any, call: Any) -> Any:
        return value

    def view(self, value: Any, call: Any) -> Any:
        return value

    def for_query(self) -> Kind:
        """What a function that asks for the workspace takes instead."""
        return self


# --- numbers


class Number(Kind):
    """Any number: a distance of matrices, a seed, a mean."""

    def __init__(self, name: str, c_type: Any = c_int64) -> None:
        super().__init__(name, c_type)


class Dimension(Number):
    """A number that is not negative."""

    def read(self, raw: Any, call: Any) -> int:
        if raw < 0:
            raise Refusal("value", f"{self.name} is {raw}, and must not be negative")
        return raw


class Enumeration(NamedTuple):
    """An enum of a header: its type's names and its members that are used."""

    types: tuple[str, ...]
    members: Mapping[str, int]


class Enum(Kind):
    """A member of an enumeration; a value may be given by its name."""

    def __init__(self, name: str, enumeration: Enumeration) -> None:
        super().__init__(name, c_int)
        self.enumeration = enumeration

    @property
    def declaration(self) -> Declaration:
        return Declaration(self.enumeration.types)

    def prebuilt(self, value: Any) -> Any:
        return self.c_type(self.enumeration.members.get(value, value))

    def read(self, raw: int, call: Any) -> Any:
        if raw not in self.enumeration.members.values():
            raise Refusal("value", f"{self.name} is {raw}: {', '.join(self.enumeration.members)}")
        return raw


CUDA_DATA_TYPE = Enumeration(
    ("cudaDataType", "cudaDataType_t"),
    {
        "CUDA_R_32F": 0,
        "CUDA_R_64F": 1,
        "CUDA_R_16F": 2,
        "CUDA_R_8I": 3,
        "CUDA_C_32F": 4,
        "CUDA_C_64F": 5,
        "CUDA_R_8U": 8,
        "CUDA_R_32I": 10,
        "CUDA_R_64I": 24,
    },
)
_DTYPES = {
    CUDA_DATA_TYPE.members[name]: np.dtype(code)
    for name, code in {
        "CUDA_R_32F": "f4",
        "CUDA_R_64F": "f8",
        "CUDA_R_16F": "f2",
        "CUDA_R_8I": "i1",
        "CUDA_C_32F": "c8",
        "CUDA_C_64F": "c16",
        "CUDA_R_8U": "u1",
        "CUDA_R_32I": "i4",
        "CUDA_R_64I": "i8",
    }.items()
}
_DATA_TYPES = {dtype: number for number, dtype in _DTYPES.items()}


class DataType(Enum):
    """A cudaDataType; its value is a dtype."""

    def __init__(self, name: str) -> None:
        super().__init__(name, CUDA_DATA_TYPE)

    def prebuilt(self, value: Any) -> Any:
        return self.c_type(_DATA_TYPES[np.dtype(value)])

    def read(self, raw: int, call: Any) -> np.dtype:
        return _DTYPES[super().read(raw, call)]


# --- handles and streams


class Handle(Kind):
    """A handle that the library made; its value is the emulated object behind it."""

    def __init__(self, name: str, type_: str, c_type: Any = c_uint64) -> None:
        super().__init__(name, c_type)
        self.type = type_

    @property
    def declaration(self) -> Declaration:
        return Declaration((self.type,))

    def read(self, raw: int, call: Any) -> Any:
        return call.object(raw, self.type)


class Stream(Kind):
    """A CUDA stream."""

    def __init__(self, name: str) -> None:
        super().__init__(name, c_uint64)

    @property
    def declaration(self) -> Declaration:
        return Declaration(("cudaStream_t",))


# --- results for the host


class New(Kind):
    """A handle that the function makes. Its emulation returns the object behind it."""

    def __init__(self, name: str, type_: str, c_type: Any = c_uint64) -> None:
        super().__init__(name, Out(c_type))
        self.type = type_

    @property
    def declaration(self) -> Declaration:
        return Declaration((self.type,), 1)


class Result(Kind):
    """A number for the host."""

    def __init__(self, name: str, c_type: Any = c_int) -> None:
        super().__init__(name, Out(c_type))

    @property
    def declaration(self) -> Declaration:
        return Declaration(_C_NAMES[self.c_type.type], 1)


# --- pointers


class _PointerToNumber(c_void_p):
    """The address of a number on the host, which lives as long as the pointer."""

    storage: Any

    @classmethod
    def of(cls, number: np.generic) -> _PointerToNumber:
        storage = ctypes.create_string_buffer(number.tobytes())
        pointer = cls(ctypes.addressof(storage))
        pointer.storage = storage
        return pointer


class Address(Kind):
    """A pointer that the function interprets itself, or only keeps.

    A prebuilt argument is made of an address, of None, or of a NumPy scalar for the host's memory.
    """

    def __init__(self, name: str, *, const: bool = False) -> None:
        super().__init__(name, c_void_p)
        self.const = const
        self.types: tuple[str, ...] = ("void",)

    @property
    def declaration(self) -> Declaration:
        return Declaration(self.types, 1, self.const)

    def prebuilt(self, value: Any) -> Any:
        return _PointerToNumber.of(value) if isinstance(value, np.generic) else c_void_p(value)

    def read(self, raw: int | None, call: Any) -> int:
        return raw or 0

    def for_query(self) -> Kind:
        address = Address(self.name, const=True)
        address.types = self.types
        return address


class _Typed(Address):
    """A pointer to elements of a type that is fixed, or that the call says."""

    def __init__(self, name: str, dtype: ElementType, *, const: bool) -> None:
        super().__init__(name, const=const)
        self.dtype = dtype
        if isinstance(dtype, np.dtype):
            self.types = _C_ELEMENTS[dtype.str[1:]]


class Scalar(_Typed):
    """A number behind a pointer: on the host, or on the device if the handle's mode says so."""

    def __init__(self, name: str, dtype: ElementType) -> None:
        super().__init__(name, dtype, const=True)

    def settle(self, value: int, call: Any) -> Any:
        if not value:
            raise Refusal("value", f"{self.name} is null")
        if call.scalars_on_device:
            return value
        return call.host(value, call.dtype(self.dtype), 1)[0]

    def view(self, value: Any, call: Any) -> Any:
        if not call.scalars_on_device:
            return value
        return call.view(self.name, value, call.dtype(self.dtype), (1,), (1,), "r")[0]


class HostArray(_Typed):
    """An array in the host's memory, read when the call is made; None where it is null."""

    def __init__(self, name: str, size: Size, dtype: np.dtype, *, const: bool = True) -> None:
        super().__init__(name, dtype, const=const)
        self.size = size

    def settle(self, value: int, call: Any) -> Any:
        return call.host(value, self.dtype, call.number(self.size)) if value else None


class Vector(_Typed):
    """Elements behind one another in device memory.

    `access` is 'r', 'w' or 'rw': what the function does to them.
    """

    def __init__(self, name: str, size: Size, dtype: ElementType, access: str = "r") -> None:
        super().__init__(name, dtype, const=access == "r")
        self.size = size
        self.access = access

    def view(self, value: int, call: Any) -> Any:
        shape = (call.number(self.size),)
        return call.view(self.name, value, call.dtype(self.dtype), shape, (1,), self.access)


class Matrix(_Typed):
    """A column-major matrix, or several at equal distances, in device memory.

    Its value is an array of shape (rows, columns), or (count, rows, columns).

    Parameters
    ----------
    name : str
        The argument.
    rows, columns : str, int or callable
        The shape after `op`.
    dtype : str, dtype or callable
        Of the elements.
    ld : str
        The argument with the leading dimension, in elements.
    op : str, optional
        The argument that says whether it is transposed (1) or also conjugated (2).
    stride, count : str, optional
        The arguments with the distance of matrices in elements and their number.
    access : str
        'r', 'w' or 'rw': what the function does to it.
    scaled_by : str, optional
        The scalar that it is multiplied by: it is not read if that is zero.
    """

    def __init__(
        self,
        name: str,
        rows: Size,
        columns: Size,
        dtype: ElementType,
        ld: str,
        *,
        op: str | None = None,
        stride: str | None = None,
        count: str | None = None,
        access: str = "r",
        scaled_by: str | None = None,
    ) -> None:
        super().__init__(name, dtype, const=access == "r")
        self.rows, self.columns, self.ld = rows, columns, ld
        self.op, self.stride, self.count = op, stride, count
        self.access, self.scaled_by = access, scaled_by

    def settle(self, value: int, call: Any) -> int:
        rows, columns = self._stored(call)
        ld = call.number(self.ld)
        if ld < max(1, rows):
            raise Refusal("value", f"{self.ld} is {ld}, and {self.name} has {rows} rows")
        if self.count is not None and self.access != "r" and rows and columns:
            # On a GPU that is a race which the library does not look for.
            stride, extent = call.number(self.stride), (columns - 1) * ld + rows
            if call.number(self.count) > 1 and abs(stride) < extent:
                raise Refusal(
                    "value",
                    f"{self.stride} is {stride}: matrices of {extent} elements would overlap",
                )
        return value

    def view(self, value: int, call: Any) -> Any:
        shape: tuple[int, ...] = self._stored(call)
        steps: tuple[int, ...] = (1, call.number(self.ld))
        if self.count is not None:
            count = call.number(self.count)
            step = call.number(self.stride) if count > 1 else 0
            shape, steps = (count, *shape), (step, *steps)
        access = self.access
        if self.scaled_by is not None and not call.number(self.scaled_by):
            access = access.replace("r", "")
        array = call.view(self.name, value, call.dtype(self.dtype), shape, steps, access)
        op = self._op(call)
        if op:
            array = array.swapaxes(-1, -2)
        return array.conj() if op == 2 else array

    def _op(self, call: Any) -> int:
        return call.number(self.op) if self.op is not None else 0

    def _stored(self, call: Any) -> tuple[int, int]:
        """Rows and columns before `op`."""
        rows, columns = call.number(self.rows), call.number(self.columns)
        return (columns, rows) if self._op(call) else (rows, columns)


class Workspace(Address):
    """Memory for the function's own use, of at least the bytes that its query says.

    Parameters
    ----------
    name : str
        The argument.
    size : str, optional
        The argument with its size in bytes; without it the caller is trusted, as by cuSPARSE.
    asked : str, optional
        What the query calls its size, where that is another name.
    on_host : bool
        Whether it is the host's memory.
    """

    def __init__(
        self, name: str, size: str | None = None, asked: str | None = None, on_host: bool = False
    ) -> None:
        super().__init__(name)
        self.size = size
        self.asked = asked or size or "bufferSize"
        self.on_host = on_host

    def settle(self, value: int, call: Any) -> int:
        needed = call.workspace_bytes(self)
        if self.size is not None and call.number(self.size) < needed:
            raise Refusal(
                "value",
                f"{self.name} has {call.number(self.size)} bytes, and {needed} are needed",
            )
        if needed and not value:
            raise Refusal("value", f"{self.name} is null, and {needed} bytes are needed")
        return value

    def view(self, value: int, call: Any) -> Any:
        if self.on_host:
            return value
        needed = call.workspace_bytes(self)
        return call.view(self.name, value, np.dtype("u1"), (needed,), (1,), "")
