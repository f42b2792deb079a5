"""Names of Python as names of C++."""

from __future__ import annotations

import re
from collections.abc import Container

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
#: Names that the translator makes itself.
_GENERATED = re.compile(r"(t|shared|counter)\d+$|numpy_|_0_")


def identifier(name: str, taken: Container[str] = ()) -> str:
    """A C++ name for a Python one."""
    found = "".join([c if c.isascii() else f"_{ord(c):x}_" for c in name])
    found = found.replace("__", "_0_")  # C++ keeps two underscores to itself
    if _GENERATED.match(found):
        found = f"py_{found}"
    while found in RESERVED or found in taken:
        found = f"{found}1" if found.endswith("_") else f"{found}_"
    return found
