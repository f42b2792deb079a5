"""The parameters of a kernel: their names, C++ types and bytes, and how values are packed.

A specification declares them once. The kernel's parameter list, the argument buffers of its
launches and the bytes of its constant arguments all follow from the declaration.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from gpuarray._dtypes import cpp_name, itemsize

#: The struct formats of the types that constant arguments have.
_FORMATS = {
    "uint8_t": "B",
    "int32_t": "i",
    "uint32_t": "I",
    "int64_t": "q",
    "uint64_t": "Q",
    "ptrdiff_t": "q",
}


class Field(NamedTuple):
    """A member of a struct that is passed by value.

    Attributes
    ----------
    name : str
        As in the struct's declaration.
    type : str
        An integer type of C.
    length : int or None
        The elements of an array, of all its dimensions; None for a single number.
    """

    name: str
    type: str
    length: int | None = None

    @property
    def format(self) -> str:
        """Its struct format."""
        return f"{1 if self.length is None else self.length}{_FORMATS[self.type]}"


class KernelParameter(NamedTuple):
    """A parameter of a kernel.

    Attributes
    ----------
    name : str
        Its name in the kernel.
    type : str
        Its C++ type, as the kernel declares it.
    nbytes : int
        The size of that type.
    kind : {'pointer', 'scalar', 'struct'}
        What is passed: an address, a number, or a struct.
    fields : tuple of Field
        The members of a struct, in order and without padding between them.
    format : str
        The struct format that packs a constant argument.
    """

    name: str
    type: str
    nbytes: int
    kind: str
    fields: tuple[Field, ...] = ()
    format: str = ""

    @property
    def declaration(self) -> str:
        """The parameter in C++."""
        return f"{self.type} {self.name}"

    def pack(self, value: Any) -> bytes:
        """The bytes of a constant argument.

        Parameters
        ----------
        value : int or mapping of str to int or sequence of int
            The number or the address; of a struct its fields.
        """
        if self.kind == "struct":
            return self._pack_fields(value)
        return struct.pack(self.format, value)

    def _pack_fields(self, values: Mapping[str, Any]) -> bytes:
        numbers: list[int] = []
        for field in self.fields:
            given = values[field.name]
            if field.length is None:
                numbers.append(given)
            elif len(given) == field.length:
                numbers += given
            else:
                raise ValueError(
                    f"{self.name}.{field.name} has {field.length} elements, not {len(given)}"
                )
        if len(values) != len(self.fields):
            unknown = ", ".join(values.keys() - {field.name for field in self.fields})
            raise ValueError(f"{self.name} of type {self.type} has no field {unknown}")
        return struct.pack(self.format, *numbers)


def pointer(name: str, target: str) -> KernelParameter:
    """A pointer to elements of a C++ type: ``pointer("input", "const float")``."""
    return KernelParameter(name, f"{target}*", 8, "pointer", format="=Q")


def number(name: str, type_: str) -> KernelParameter:
    """An integer of a fixed width: ``number("length", "uint64_t")``."""
    format_ = f"={_FORMATS[type_]}"
    return KernelParameter(name, type_, struct.calcsize(format_), "scalar", format=format_)


def scalar(name: str, dtype: str) -> KernelParameter:
    """A value of a dtype."""
    return KernelParameter(name, cpp_name(dtype), itemsize(dtype), "scalar")


def structure(name: str, type_: str, fields: Sequence[Field]) -> KernelParameter:
    """A struct that is passed by value."""
    format_ = f"={''.join([field.format for field in fields])}"
    return KernelParameter(name, type_, struct.calcsize(format_), "struct", tuple(fields), format_)


def declared(parameters: Iterable[KernelParameter]) -> str:
    """A kernel's parameter list in C++, a parameter on each line."""
    return ",\n    ".join([parameter.declaration for parameter in parameters])


def names(parameters: Iterable[KernelParameter]) -> str:
    """The names of parameters as arguments of a call in C++."""
    return ", ".join([parameter.name for parameter in parameters])
