"""Kinds of arguments that are pointers: to numbers, arrays and matrices, on the device or the host.

Sizes and dtypes are those of other arguments, which are referred to by name; a size may also be an
integer, and both may be functions of the call.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import c_void_p
from typing import Any

import numpy as np

from .library_kinds import Declaration, Kind, Refusal

__all__ = [
    "ElementWorkspace", "HostArray", "HostResult", "Matrix", "MatrixArray", "Pointer",
    "ScalarPointer", "VectorPointer", "Workspace",
]  # fmt: skip

#: A size: a number, the name of the argument that has it, or a function of the call.
Size = int | str | Callable[[Any], int]
#: A dtype, or the name of the argument that says it, or a function of the call.
ElementType = np.dtype | str | Callable[[Any], np.dtype]

#: What C calls the types of elements, by dtype.
_C_ELEMENTS = {
    "u1": ("void",),
    "i4": ("int",),
    "i8": ("int64_t", "long long", "long long int"),
    "f4": ("float",),
    "f8": ("double",),
    "c8": ("cuComplex", "cufftComplex"),
    "c16": ("cuDoubleComplex", "cufftDoubleComplex"),
}


class _PointerToHost(c_void_p):
    """The address of memory of the host, which lives as long as the pointer."""

    storage: Any

    @classmethod
    def of(cls, number: np.generic) -> _PointerToHost:
        storage = ctypes.create_string_buffer(number.tobytes())
        pointer = cls(ctypes.addressof(storage))
        pointer.storage = storage
        return pointer


class Pointer(Kind):
    """A pointer that the function interprets itself, or only keeps.

    A prebuilt argument is made of an address, of None, or of a NumPy scalar, which is copied.
    """

    #: Whether a function that asks for the workspace promises not to write there.
    const_in_query = True

    def __init__(
        self, name: str, types: tuple[str, ...] = ("void",), *, const: bool = False
    ) -> None:
        super().__init__(name, c_void_p)
        self.types = types
        self.const = const

    @property
    def declaration(self) -> Declaration:
        return Declaration(self.types, 1, self.const)

    def prebuilt(self, value: Any) -> Any:
        if isinstance(value, np.generic):
            return _PointerToHost.of(value)
        return c_void_p(value)

    def read(self, raw: int | None, call: Any) -> int:
        return raw or 0

    def for_query(self) -> Kind:
        return Pointer(self.name, self.types, const=self.const_in_query)


class _Typed(Pointer):
    """A pointer to elements of a type that is fixed, or that the call says."""

    def __init__(self, name: str, dtype: ElementType, *, const: bool) -> None:
        types = _C_ELEMENTS[dtype.str[1:]] if isinstance(dtype, np.dtype) else ("void",)
        super().__init__(name, types, const=const)
        self.dtype = dtype


class ScalarPointer(_Typed):
    """A number behind a pointer: on the host, or on the device if the handle's mode says so."""

    def __init__(self, name: str, dtype: ElementType) -> None:
        super().__init__(name, dtype, const=True)

    def settle(self, value: int, call: Any) -> Any:
        if not value:  # cuBLAS on a GPU crashes here
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


class HostResult(_Typed):
    """A number that the function stores in the host's memory, as work on the stream is done.

    Its value is an array of one element.
    """

    def __init__(self, name: str, dtype: np.dtype) -> None:
        super().__init__(name, dtype, const=False)

    def settle(self, value: int, call: Any) -> int:
        if not value:
            raise Refusal("value", f"{self.name} is null")
        return value

    def view(self, value: int, call: Any) -> Any:
        dtype = call.dtype(self.dtype)
        memory = (ctypes.c_uint8 * dtype.itemsize).from_address(value)
        return np.ndarray((1,), dtype, memory)


class VectorPointer(_Typed):
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
    stride, count : str, int or callable, optional
        The distance of matrices in elements and their number.
    access : str
        'r', 'w' or 'rw': what the function does to it.
    scaled_by : str, optional
        The scalar that it is multiplied by: it is not read if that is zero.
    const_in_query : bool
        Whether the function that asks for the workspace promises not to write it.
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
        stride: Size | None = None,
        count: Size | None = None,
        access: str = "r",
        scaled_by: str | None = None,
        const_in_query: bool = True,
    ) -> None:
        super().__init__(name, dtype, const=access == "r")
        self.const_in_query = const_in_query
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


class MatrixArray(_Typed):
    """An array in device memory of the addresses of column-major matrices there.

    Its value is a list of arrays of shape (rows, columns).

    Parameters
    ----------
    name : str
        The argument.
    rows, columns : str, int or callable
        The shape of each.
    dtype : dtype
        Of the elements.
    ld : str
        The argument with the leading dimension, in elements.
    count : str
        The argument with the number of matrices.
    access : str
        'r', 'w' or 'rw': what the function does to the matrices.
    const : bool
        Whether the header says const, be it of the elements or of the addresses.
    """

    def __init__(
        self,
        name: str,
        rows: Size,
        columns: Size,
        dtype: np.dtype,
        ld: str,
        count: str,
        *,
        access: str = "r",
        const: bool = True,
    ) -> None:
        super().__init__(name, dtype, const=const)
        self.rows, self.columns, self.ld, self.count = rows, columns, ld, count
        self.access = access

    @property
    def declaration(self) -> Declaration:
        return Declaration(self.types, 2, self.const)

    def settle(self, value: int, call: Any) -> int:
        rows, ld = call.number(self.rows), call.number(self.ld)
        if ld < max(1, rows):
            raise Refusal("value", f"{self.ld} is {ld}, and {self.name} has {rows} rows")
        return value

    def view(self, value: int, call: Any) -> list[Any]:
        count = (call.number(self.count),)
        addresses = call.view(self.name, value, np.dtype("u8"), count, (1,), "r")
        shape = (call.number(self.rows), call.number(self.columns))
        steps = (1, call.number(self.ld))
        dtype = call.dtype(self.dtype)
        return [
            call.view(f"{self.name}[{i}]", int(address), dtype, shape, steps, self.access)
            for i, address in enumerate(addresses)
        ]


class Workspace(Pointer):
    """Memory for the function's own use, of at least the bytes that its query says.

    Parameters
    ----------
    name : str
        The argument.
    size : str, optional
        The argument with its size in bytes; without it the caller is trusted, as by cuSPARSE.
    query_name : str, optional
        What the query calls its size, where that is another name.
    on_host : bool
        Whether it is the host's memory.
    """

    #: What the query stores the size as, and the bytes that the size counts by.
    size_type: Any = ctypes.c_size_t
    itemsize = 1

    def __init__(
        self,
        name: str,
        size: str | None = None,
        query_name: str | None = None,
        on_host: bool = False,
    ) -> None:
        super().__init__(name)
        self.size = size
        self.query_name = query_name or size or "bufferSize"
        self.on_host = on_host

    def settle(self, value: int, call: Any) -> int:
        needed = call.workspace_bytes(self)
        if self.size is not None and call.number(self.size) < needed:
            raise Refusal(
                "value",
                f"{self.name} has {call.number(self.size)} {self._units}, and {needed} are needed",
            )
        if needed and not value:
            raise Refusal("value", f"{self.name} is null, and {needed} {self._units} are needed")
        return value

    @property
    def _units(self) -> str:
        return "bytes" if self.itemsize == 1 else f"elements of {self.itemsize} bytes"

    def view(self, value: int, call: Any) -> Any:
        if self.on_host:
            return value
        needed = call.workspace_bytes(self) * self.itemsize
        return call.view(self.name, value, np.dtype("u1"), (needed,), (1,), "")


class ElementWorkspace(Workspace):
    """A workspace on the device whose size counts elements of a dtype, in an int.

    Parameters
    ----------
    name, size : str
        As of `Workspace`.
    dtype : dtype
        Of the elements.
    """

    size_type = ctypes.c_int

    def __init__(self, name: str, size: str, dtype: np.dtype) -> None:
        super().__init__(name, size)
        self.size: str = size
        self.types = _C_ELEMENTS[dtype.str[1:]]
        self.itemsize = dtype.itemsize
