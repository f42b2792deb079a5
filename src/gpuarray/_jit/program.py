"""A kernel with the device functions that it calls, as one source of CUDA C++."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpuarray._jit.operations import Arithmetic
from gpuarray._jit.translation import Line
from gpuarray._jit.values import Number

if TYPE_CHECKING:
    from gpuarray._jit.kernel import Kernel

_DYNAMIC = "dynamic_shared_memory"

#: Names that C++, CUDA or the generated code use.
RESERVED = frozenset(
    {
        "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
        "case", "catch", "char", "char8_t", "char16_t", "char32_t", "class", "compl", "concept",
        "const", "consteval", "constexpr", "constinit", "const_cast", "continue", "co_await",
        "co_return", "co_yield", "decltype", "default", "delete", "do", "double", "dynamic_cast",
        "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto",
        "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq",
        "nullptr", "operator", "or", "or_eq", "private", "protected", "public", "register",
        "reinterpret_cast", "requires", "return", "short", "signed", "sizeof", "static",
        "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local",
        "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using",
        "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq", "threadIdx", "blockIdx",
        "blockDim", "gridDim", "warpSize", "dim3", "assert", "printf", "M_PI", "INFINITY", "NAN",
        "NULL", "Array", "Shared", "as", "jit", "gpuarray", "float16", "complex", "memcpy",
        "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
        "ptrdiff_t", "size_t", "dynamic_shared_memory",
    }
)  # fmt: skip
_OWN = re.compile(r"(t|shared|counter)\d+$|numpy_|_0_")


def identifier(name: str, taken: Any = ()) -> str:
    """A C++ name for a Python one."""
    found = "".join([c if c.isascii() else f"_{ord(c):x}_" for c in name])
    found = found.replace("__", "_0_")  # C++ keeps two underscores to itself
    if _OWN.match(found):
        found = f"py_{found}"
    while found in RESERVED or found in taken:
        found = f"{found}1" if found.endswith("_") else f"{found}_"
    return found


@dataclass(slots=True)
class Compiled:
    """A device function for certain types of arguments."""

    name: str
    result: Number | tuple[Number, ...] | None
    effect: int


class Program:
    """One translation.

    Parameters
    ----------
    mode : {'numpy', 'cuda'}
        How dtypes promote.
    elements : bool
        Whether it is for elements, and not for threads that know of each other.
    """

    def __init__(self, mode: str, elements: bool = False):
        self.math = Arithmetic(mode)
        self.elements = elements
        #: Whether it may also run on numbers that nobody asked for: it ends, without effects.
        self.anywhere = True
        self._functions: dict[tuple[Any, ...], Compiled] = {}
        self._active: list[tuple[Any, ...]] = []
        self._names: set[str] = set()
        #: Of the finished functions, with the file that they come from.
        self._parts: list[tuple[str, list[Line]]] = []
        self._dynamic = False

    def dynamic(self) -> str:
        """The name of dynamic shared memory, which is declared."""
        self._dynamic = True
        return _DYNAMIC

    def name(self, wanted: str) -> str:
        """A function's name that no other has."""
        found = identifier(wanted, self._names)
        self._names.add(found)
        return found

    def add(self, file: str, lines: list[Line]) -> None:
        """Add a finished function."""
        self._parts.append((file, lines))

    def function(self, kernel: Kernel, types: tuple[Any, ...]) -> Compiled:
        """A device function for these types of arguments."""
        from gpuarray._jit.statements import FunctionTranslator

        key = (kernel, types)
        found = self._functions.get(key)
        if found is None:
            if any(active[0] is kernel for active in self._active):
                raise RecursionError(
                    f"{kernel.__name__} calls itself, which kernels do not support; write a loop"
                )
            self._active.append(key)
            try:
                found = FunctionTranslator(self, kernel.source, types, False).translate()
            finally:
                self._active.pop()
            self._functions[key] = found
        return found

    def render(self, lines: str = "comments") -> str:
        """The source.

        Parameters
        ----------
        lines : {'comments', 'directives', ''}
            How lines of Python are named: for readers, by ``#line``, which compilers, debuggers
            and checkers follow, or not at all.
        """
        headers = sorted(self.math.headers | {"gpuarray/jit.cuh"})
        text = [f'#include "{header}"' for header in headers]
        text += ["", "namespace gpuarray {", "namespace translated {", "using namespace jit;", ""]
        if self._dynamic:
            text += [f"extern __shared__ __align__(16) unsigned char {_DYNAMIC}[];", ""]
        if self.math.functions:
            text += [*self.math.functions, ""]
        for file, part in self._parts:
            if lines == "comments":
                text += [f"// {file}", *_with_comments(part)]
            elif lines == "directives":
                text += _with_directives(file, part)
            else:
                text += ["    " * line.depth + line.text for line in part]
            text.append("")
        text += ["}  // namespace translated", "}  // namespace gpuarray", ""]
        return "\n".join(text)


def _with_directives(file: str, lines: list[Line]) -> list[str]:
    quoted = file.replace("\\", "\\\\").replace('"', '\\"')
    text: list[str] = []
    for line in lines:
        if line.number:
            text.append(f'#line {line.number} "{quoted}"')
        text.append("    " * line.depth + line.text)
    return text


def _with_comments(lines: list[Line]) -> list[str]:
    text: list[str] = []
    for line in lines:
        indent = "    " * line.depth
        if line.comment:
            text.append(f"{indent}// {line.number}: {line.comment}")
        text.append(indent + line.text)
    return text
