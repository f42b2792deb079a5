"""The terms that expressions are translated to, and their types."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gpuarray import _dtypes


@dataclass(frozen=True, slots=True)
class NumberType:
    """A number of a dtype. A weak one, as Python's are, takes on the other operand's dtype."""

    dtype: str
    weak: bool = False

    def __str__(self) -> str:
        name = _dtypes.dtype_of(self.dtype).name
        if not self.weak:
            return name
        return {"i": "int", "f": "float", "c": "complex"}.get(self.dtype[0], name)

    @property
    def cpp(self) -> str:
        """The C++ type."""
        return _dtypes.cpp_name(self.dtype)

    @property
    def kind(self) -> str:
        """NumPy's character for the kind of dtype."""
        return self.dtype[0]


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An array in device memory."""

    dtype: str
    ndim: int
    contiguous: bool = False
    narrow: bool = False

    def __str__(self) -> str:
        order = ", order='C'" if self.contiguous and self.ndim else ""
        wide = "" if self.narrow else ", 64-bit indices"
        name = _dtypes.dtype_of(self.dtype).name
        return f"array({name}, ndim={self.ndim}{order}{wide})"

    @property
    def cpp(self) -> str:
        """The C++ type."""
        flags = ["true" if flag else "false" for flag in (self.contiguous, self.narrow)]
        return f"Array<{_dtypes.cpp_name(self.dtype)}, {self.ndim}, {', '.join(flags)}>"


@dataclass(frozen=True, slots=True)
class SharedArrayType:
    """An array in shared memory; without a shape it is the launch's dynamic shared memory."""

    dtype: str
    shape: tuple[int, ...] | None

    def __str__(self) -> str:
        shape = "dynamic" if self.shape is None else f"shape={self.shape}"
        return f"shared_memory({_dtypes.dtype_of(self.dtype).name}, {shape})"

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return 1 if self.shape is None else len(self.shape)

    @property
    def cpp(self) -> str:
        """The C++ type."""
        lengths = ", ".join(map(str, self.shape or (0,)))
        return f"Shared<{_dtypes.cpp_name(self.dtype)}, {lengths}>"


@dataclass(frozen=True, slots=True)
class LiteralType:
    """An argument that is a constant of the translated function, as None is."""

    value: Any

    def __str__(self) -> str:
        return repr(self.value)


ValueType = NumberType | ArrayType | SharedArrayType

#: The effect of evaluating an expression: none, a read of memory, or a change.
PURE, READS, CHANGES = 0, 1, 2


@dataclass(slots=True)
class Value:
    """A C++ expression."""

    type: ValueType
    text: str
    effect: int = PURE
    #: Whether it is a name or a literal, which may be used several times.
    simple: bool = False


@dataclass(slots=True)
class PythonConstant:
    """A Python object that is known while the kernel is translated."""

    value: Any


@dataclass(slots=True)
class TupleTerm:
    """A tuple of known length."""

    items: list[Value | PythonConstant | TupleTerm] = field(default_factory=list)


@dataclass(slots=True)
class Void:
    """The result of a function that returns nothing."""


Term = Value | PythonConstant | TupleTerm | Void


def is_number(x: Any) -> bool:
    """Whether a Python object is a number that kernels know."""
    return isinstance(x, bool | int | float | complex | np.generic)


def describe(x: Term) -> str:
    """A type, for error messages."""
    match x:
        case Value():
            return str(x.type)
        case PythonConstant():
            if is_number(x.value):
                return f"the {type(x.value).__name__} {x.value!r}"
            return repr(x.value)
        case TupleTerm():
            return f"a tuple ({', '.join([describe(item) for item in x.items])})"
    return "None"


_SIMPLE = re.compile(r"[\w.]+")


def bare(text: str) -> str:
    """An expression without the parentheses around all of it."""
    if not text.startswith("("):
        return text
    depth = 0
    for i, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if not depth:
            return text[1:-1] if i == len(text) - 1 else text
    return text


def is_simple(text: str) -> bool:
    """Whether an expression is a name, a member or a literal."""
    return _SIMPLE.fullmatch(text) is not None


def leading_name(text: str) -> str:
    """The variable that an expression of an array begins with: of ``x.part(i)`` it is ``x``."""
    found = re.match(r"\w+", bare(text))
    return found[0] if found else text
