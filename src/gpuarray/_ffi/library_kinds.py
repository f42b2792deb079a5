"""Kinds of arguments of C functions: what the rows of a `library_table` consist of.

A kind knows what C is given, what the header declares there, how a prebuilt argument is made of a
value, and how the emulator decodes what it was given. Decoding has three steps, since arguments
refer to others, before or behind them, and since work on a stream is done later than it is asked
for:

* `read` makes a value of one argument alone: a number, a dtype, the object of a handle;
* `settle` comes when all are read, and may refuse: leading dimensions, workspaces, numbers that
  the host keeps behind a pointer;
* `view` comes when the work is done, in stream order: device memory as a bounds-checked array.

A new kind is a class with those of the three that it needs. Kinds of pointers are in
`library_pointers`.

How the rows of the other libraries are made of these: a stream among the arguments (cublasLtMatmul)
is a `StreamHandle`, a descriptor a `Handle` whose object keeps what it was made with, and a
function that works on descriptors (cublasLtMatmul, cusparseSpMV, cufftXtExec) takes its pointers
as `Pointer` and asks the call for views itself, in a row marked `queued`. cuSOLVER's two
workspaces are two `Workspace`, cuSPARSE's one without a size is a `Workspace` too. cuFFT's handles
are integers (``Handle(..., c_int)``), and its extents a `HostArray`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from ctypes import c_int, c_int64, c_uint64
from typing import Any, NamedTuple

import numpy as np

from .library import Out

__all__ = [
    "CUDA_DATA_TYPE",
    "DataType",
    "Dimension",
    "Enum",
    "EnumResult",
    "Enumeration",
    "Handle",
    "Kind",
    "LIBRARY_PROPERTY",
    "New",
    "Number",
    "Refusal",
    "Result",
    "StreamHandle",
    "StreamResult",
]

#: What C calls the types of numbers.
_C_NAMES: dict[Any, tuple[str, ...]] = {
    ctypes.c_byte: ("signed char",),
    ctypes.c_int: ("int",),
    ctypes.c_int64: ("int64_t", "long long", "long long int"),
    ctypes.c_size_t: ("size_t", "uint64_t", "unsigned long long"),  # one type to ctypes
    ctypes.c_float: ("float",),
    ctypes.c_double: ("double",),
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


LIBRARY_PROPERTY = Enumeration(
    ("libraryPropertyType",), {"MAJOR_VERSION": 0, "MINOR_VERSION": 1, "PATCH_LEVEL": 2}
)

CUDA_DATA_TYPE = Enumeration(
    ("cudaDataType", "cudaDataType_t"),
    {
        "CUDA_R_32F": 0,
        "CUDA_R_64F": 1,
        "CUDA_R_16F": 2,
        "CUDA_R_8I": 3,
        "CUDA_C_32F": 4,
        "CUDA_C_64F": 5,
        "CUDA_C_16F": 6,
        "CUDA_R_8U": 8,
        "CUDA_R_32I": 10,
        "CUDA_R_16BF": 14,
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
#: Complex numbers in half precision, for which NumPy has no dtype of its own.
COMPLEX_HALF = np.dtype([("real", "f2"), ("imag", "f2")])
_DTYPES[CUDA_DATA_TYPE.members["CUDA_C_16F"]] = COMPLEX_HALF
_DATA_TYPES = {dtype: number for number, dtype in _DTYPES.items()}
_BFLOAT16 = CUDA_DATA_TYPE.members["CUDA_R_16BF"]


class DataType(Enum):
    """A cudaDataType; its value is a dtype."""

    def __init__(self, name: str) -> None:
        super().__init__(name, CUDA_DATA_TYPE)

    def prebuilt(self, value: Any) -> Any:
        dtype = np.dtype(value)
        if dtype.name == "bfloat16":
            return self.c_type(_BFLOAT16)
        return self.c_type(_DATA_TYPES[dtype])

    def read(self, raw: int, call: Any) -> np.dtype:
        if raw == _BFLOAT16:
            from ml_dtypes import bfloat16  # a package of the user's: who passes it has it

            return np.dtype(bfloat16)
        return _DTYPES[super().read(raw, call)]


# --- handles and streams


class Handle(Kind):
    """A handle that the library made; its value is the emulated object behind it.

    Parameters
    ----------
    name : str
        The argument.
    type_ : str
        The handle's type, as of the `New` that makes it.
    c_type : type, optional
        Integers for a library whose handles are no pointers.
    declared_as : str, optional
        What the header declares here, where that is another name, as for a constant descriptor.
    optional : bool, optional
        Whether it may be null; its value is None then.
    """

    def __init__(
        self,
        name: str,
        type_: str,
        c_type: Any = c_uint64,
        declared_as: str | None = None,
        optional: bool = False,
    ) -> None:
        super().__init__(name, c_type)
        self.type = type_
        self.declared_as = declared_as or type_
        self.optional = optional

    @property
    def declaration(self) -> Declaration:
        return Declaration((self.declared_as,))

    def read(self, raw: int, call: Any) -> Any:
        return None if self.optional and not raw else call.object(raw, self.type)


class StreamHandle(Kind):
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


class EnumResult(Result):
    """A member of an enumeration for the host."""

    def __init__(self, name: str, enumeration: Enumeration) -> None:
        super().__init__(name)
        self.enumeration = enumeration

    @property
    def declaration(self) -> Declaration:
        return Declaration(self.enumeration.types, 1)


class StreamResult(Result):
    """A CUDA stream for the host."""

    def __init__(self, name: str) -> None:
        super().__init__(name, c_uint64)

    @property
    def declaration(self) -> Declaration:
        return Declaration(("cudaStream_t",), 1)
