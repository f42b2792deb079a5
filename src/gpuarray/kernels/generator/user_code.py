"""C++ that users write for ElementwiseKernel and ReductionKernel (`user_code.cuh`).

User code is a function at global scope, where it sees the CUDA maths library and CuPy's names for
types. What applies it to arrays are the templates of this package's own operations
(`elementwise.user`, `reduction.user`).
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass

from gpuarray._dtypes import category, cpp_name
from gpuarray._layout import Layout
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.operations import HEAVY, HUGE, LIGHT, MEDIUM
from gpuarray.kernels.generator.parameters import Field, KernelParameter, structure

#: The types of dtypes in user code: CuPy's spellings, which atomic functions are overloaded for.
TYPES = {
    "b1": "bool", "i1": "signed char", "i2": "short", "i4": "int", "i8": "long long",
    "u1": "unsigned char", "u2": "unsigned short", "u4": "unsigned int",
    "u8": "unsigned long long", "f2": "float16", "f4": "float", "f8": "double",
    "c8": "complex<float>", "c16": "complex<double>",
}  # fmt: skip

_HEADER = "gpuarray/user_code.cuh"
_HALF, _COMPLEX = "gpuarray/user_float16.cuh", "gpuarray/user_complex.cuh"

#: Headers that CuPy's users include in a RawKernel, and the device code that answers for them here.
#: Thrust's own wants a host's standard library.
_INCLUDED = {
    "cupy/complex.cuh": _COMPLEX,
    "thrust/complex.h": _COMPLEX,
}

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_LITERAL = re.compile(r'"(?:\\.|[^"\\])*"')
_WORD = re.compile(r"[A-Za-z_]\w*")
_LOOP = re.compile(r"\b(?:for|while|goto)\b")
_EFFECTS = re.compile(r"\b(?:do|asm|printf|assert|__trap|atomic\w*|new|delete)\b|__assertfail")
_HEAVY = re.compile(
    r"\b(?:pow|powf|[lt]gamma|lgammaf|tgammaf|erfc?inv|normcdfinv|j[01n]|y[01n]|sincos|"
    r"sin|cos|tan|sinh|cosh|asinh?|acosh?|fmod|remainder)\b"
)
_CALL = re.compile(r"\b(?!if\b|sizeof\b|static_cast\b)\w+\s*(?:<[^<>]*>)?\s*\(")
# A statement after which the rest may be skipped, or which may itself be.
_CONTROL = re.compile(r"\b(?:if|else|for|while|do|switch|return|continue|break|goto|asm|try)\b")

#: Of the grid: code with one of these needs to know that a thread has the elements CuPy gives it.
_THREAD_WORDS = re.compile(
    r"\b(?:threadIdx|blockIdx|blockDim|gridDim|warpSize|__\w+_sync|__shfl\w*|__ballot\w*|"
    r"__syncthreads\w*|__syncwarp|__shared__|_raw_\w+)\b"
)


@dataclass(frozen=True, slots=True)
class UserParameter:
    """A parameter of user code and what is passed for it."""

    name: str
    dtype: str
    kind: str  # 'array': its element; 'raw': the whole array; 'scalar': a value
    output: bool = False
    constant: bool = True
    # Of what the kernel's CArray is over: the raw array, or for the plain loop any.
    ndim: int = 0
    contiguous: bool = False

    @property
    def type(self) -> str:
        """The C++ type of an element at global scope."""
        return TYPES[self.dtype]

    @property
    def qualified(self) -> str:
        """The same, wherever it is written."""
        if category(self.dtype) == "complex":
            return f"::thrust::{self.type}"
        return f"::{self.type}" if self.dtype == "f2" else self.type

    def array(self, narrow: bool) -> str:
        """The type of the array."""
        flags = ["true" if flag else "false" for flag in (self.contiguous, narrow)]
        return f"CArray<{self.qualified}, {self.ndim}, {', '.join(flags)}>"

    def parameter(self, name: str, narrow: bool, const: str = "") -> KernelParameter:
        """The kernel's parameter for the array."""
        return array_parameter(name, f"{const}{self.array(narrow)}", self.ndim)


@dataclass(frozen=True, slots=True)
class UserCode:
    """What a user has written, with the types that its letters stand for."""

    name: str
    arguments: tuple[UserParameter, ...]
    types: tuple[tuple[str, str], ...]  # letters and dtypes
    preamble: str = ""
    options: tuple[str, ...] = ()
    #: Stands for the contents of the headers that it includes, which its text does not show.
    included: Hashable = ()

    def global_source(self, functions: str) -> str:
        """The source at global scope: types, the preamble, functions."""
        lines = []
        if "include" not in self.preamble:
            # Otherwise a header may define them, and its own way.
            lines += [f"using gpuarray::{name};" for name in _FIXED_WIDTH]
        lines += [f"typedef {TYPES[dtype]} {letter};" for letter, dtype in self.types]
        return "\n".join([*lines, self.preamble, functions, ""])

    def headers(self, texts: tuple[str, ...]) -> set[str]:
        """The headers of the types that are used."""
        dtypes = {x.dtype for x in self.arguments} | {dtype for _, dtype in self.types}
        text = " ".join((self.preamble, *texts))
        found = {_HEADER}
        if "f2" in dtypes or "float16" in text:
            found.add(_HALF)
        if any(category(x) == "complex" for x in dtypes) or re.search(r"complex|thrust", text):
            found.add(_COMPLEX)
        return found

    def compiler_options(self) -> tuple[str, ...]:
        """The user's options, but for a language older than the templates are written in."""
        old = re.compile(r"-?-std=c\+\+(?:03|11|14)$")
        return tuple([option for option in self.options if not old.match(option)])


_FIXED_WIDTH = tuple(f"{u}int{bits}_t" for u in ("", "u") for bits in (8, 16, 32, 64))


def included(source: str) -> dict[str, str]:
    """The in-memory headers of a source that is compiled as it is: those that it asks for."""
    if not any(name in source for name in (*_INCLUDED, "gpuarray/")):
        return {}
    names = {name: f'#include "{header}"\n' for name, header in _INCLUDED.items()}
    return {**cuda_headers(), **names}


# ---- what can be told from the text -----------------------------------------------------------


def plain(text: str) -> str:
    """Code without comments and without what stands in strings."""
    return _LITERAL.sub('""', _COMMENT.sub(" ", text))


def words(text: str) -> frozenset[str]:
    """The identifiers in code."""
    return frozenset(_WORD.findall(plain(text)))


def names_threads(text: str) -> bool:
    """Whether code depends on which thread it runs in."""
    return _THREAD_WORDS.search(plain(text)) is not None


def is_safe_anywhere(text: str) -> bool:
    """Whether code may also run on zeros that stand for elements beyond the end."""
    code = plain(text)
    return not (_LOOP.search(code) or _EFFECTS.search(code))


def takes_address(text: str, name: str) -> bool:
    """Whether code may hand the address of a variable to an atomic function."""
    code = plain(text)
    return "atomic" in code and re.search(rf"&\s*{name}\b", code) is not None


def always_assigned(text: str, name: str) -> bool:
    """Whether code assigns a variable whatever happens, and before it reads it.

    That the answer is no proves nothing.
    """
    code = plain(text)
    if "#" in code or "{" in code:
        return False
    for statement in code.split(";"):
        if _CONTROL.search(statement):
            return False
        match = re.match(rf"\s*{name}\s*=(?!=)(.*)", statement, re.DOTALL)
        if match:
            return not re.search(rf"\b{name}\b", match[1])
        if re.search(rf"\b{name}\b", statement):
            return False
    return False


def weight(text: str) -> int:
    """How much code an element is, roughly."""
    code = plain(text)
    if _LOOP.search(code):
        return HUGE
    if _HEAVY.search(code) or len(code) > 1000:
        return HEAVY
    return MEDIUM if _CALL.search(code) or len(code) > 200 else LIGHT


# ---- between user code and templates ----------------------------------------------------------


def as_user(x: UserParameter, value: str) -> str:
    """A value of the project's type as user code's."""
    if x.dtype == "f2" or category(x.dtype) == "complex":
        return f"as<{x.qualified}>({value})"
    return value


def store(x: UserParameter, target: str, value: str) -> str:
    """The statement that stores a value of user code's type in one of the project's."""
    if x.dtype == "f2" or category(x.dtype) == "complex":
        return f"{target} = as<{cpp_name(x.dtype)}>({value});"
    return f"{target} = {value};"


def array_parameter(name: str, type_: str, ndim: int) -> KernelParameter:
    """A kernel's parameter that is an array with its shape and strides: the struct CArray."""
    lengths = max(ndim, 1)
    fields = [
        Field("data_", "uint64_t"),
        Field("size_", "ptrdiff_t"),
        Field("shape_", "ptrdiff_t", lengths),
        Field("strides_", "ptrdiff_t", lengths),
    ]
    return structure(name, type_, fields)


def array_constant(layout: Layout) -> dict[str, object]:
    """The value of such a parameter but for the pointer, which a call fills in."""
    shape, strides = layout.shape or (0,), layout.strides or (0,)
    return {"data_": 0, "size_": layout.size, "shape_": shape, "strides_": strides}


def function(head: str, parameters: list[str], text: str) -> str:
    """A device function."""
    return f"GPUARRAY_DEVICE {head}({', '.join(parameters)}) {{\n{text}\n}}\n"
