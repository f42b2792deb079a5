"""What a kernel's source says about its parameters, and arguments checked against it.

The driver takes addresses and bytes and knows no types, so a kernel that is given float64 where it
reads float32 computes nonsense. With ``check_arguments=True`` each launch is compared with the
declaration in the source. Types that cannot be told from the text (of a macro, or a template's)
are not compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from gpuarray import _array
from gpuarray._integers import shortened
from gpuarray._runtime.memory_pointer import MemoryPointer
from gpuarray._runtime.stream import Stream

#: C++ types by their normal form: NumPy's dtype characters that an array of it can have.
_DTYPES: dict[str, str] = {
    "bool": "?",
    "char": "bB?", "signed char": "bB?", "unsigned char": "Bb?",
    "short": "h", "unsigned short": "H",
    "int": "i", "unsigned int": "I",
    "long": "lq", "unsigned long": "LQ",
    "long long": "lq", "unsigned long long": "LQ",
    "float": "f", "double": "d",
    "int8_t": "bB?", "uint8_t": "Bb?", "int16_t": "h", "uint16_t": "H",
    "int32_t": "i", "uint32_t": "I", "int64_t": "lq", "uint64_t": "LQ",
    "size_t": "LQ", "ptrdiff_t": "lq", "ssize_t": "lq", "intptr_t": "lq", "uintptr_t": "LQ",
    "half": "e", "__half": "e", "float16": "e",
    "complex<float>": "F", "complex<double>": "D",
    "cuFloatComplex": "F", "cuComplex": "F", "cuDoubleComplex": "D",
    "float2": "Ff", "double2": "Dd",
}  # fmt: skip
#: Words of a declaration that say nothing about the type's size.
_QUALIFIERS = {"const", "volatile", "__restrict__", "__restrict", "restrict", "__grid_constant__",
               "struct", "class", "typename", "register"}  # fmt: skip
#: Words that make up an integer type in any order.
_PARTS = {"signed", "unsigned", "char", "short", "int", "long"}
_IGNORED = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
_ALIAS = re.compile(
    r"\btypedef\s+(?P<old>[\w\s:<>,]+?)\s+(?P<name>\w+)\s*;"
    r"|\busing\s+(?P<new>\w+)\s*=\s*(?P<type>[\w\s:<>,]+?)\s*;"
    r"|^[ \t]*#[ \t]*define[ \t]+(?P<macro>\w+)[ \t]+(?P<text>[\w \t:<>,]+?)[ \t]*$",
    re.MULTILINE,
)


class SourceParameter(NamedTuple):
    """A parameter as it is declared."""

    text: str
    pointer: bool
    dtypes: str  # dtype characters, empty where the type is not known


@lru_cache(maxsize=256)
def declared(source: str, name: str) -> tuple[SourceParameter, ...] | None:
    """The parameters of a kernel, or None where its declaration is not found.

    Parameters
    ----------
    source : str
        CUDA C++.
    name : str
        The kernel's name, or the name expression of a template's instance.
    """
    text = _IGNORED.sub(" ", source)
    plain, _, given = name.partition("<")
    plain = plain.rpartition("::")[2].strip()
    found: list[tuple[str, str]] = []
    end = 0
    for match in re.finditer(rf"\b{re.escape(plain)}\s*\(", text):
        if match.start() < end:
            continue  # a default value
        before = text[: match.start()]
        head = before[max(before.rfind(mark) for mark in ";}{") + 1 :]
        inside = _inside(text, match.end() - 1)
        if "__global__" in head and inside is not None:
            found.append((head, inside))
            end = match.end() + len(inside)
    types: dict[str, str] = {}
    for alias in _ALIAS.finditer(text):
        old = alias["old"] or alias["type"] or alias["text"]
        new = alias["name"] or alias["new"] or alias["macro"]
        # Of several meanings the preprocessor knows which one holds.
        types[new] = old if types.get(new, old) == old else "?"
    known = [_parameters(head, inside, given, types) for head, inside in found]
    if any([one[1:] for one in other] != [one[1:] for one in known[0]] for other in known):
        return None  # overloads, or declarations in branches of the preprocessor
    return known[0] if known else None


def _parameters(
    head: str, inside: str, given: str, types: dict[str, str]
) -> tuple[SourceParameter, ...]:
    """The parameters between a declaration's brackets."""
    types = types | _template_types(head, given.rpartition(">")[0])
    pieces = [piece for piece in _split(inside) if piece.strip() not in ("", "void")]
    return tuple([_parameter(piece, types) for piece in pieces])


def _inside(text: str, opening: int) -> str | None:
    """What is in the brackets that open there."""
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if not depth:
            return text[opening + 1 : at]
    return None


def _split(text: str) -> list[str]:
    """Text at the commas that are in no brackets."""
    pieces, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "(<[{") - (character in ")>]}")
        if character == "," and not depth:
            pieces.append(text[start:at])
            start = at + 1
    return [*pieces, text[start:]]


def _template_types(head: str, given: str) -> dict[str, str]:
    """What a template's type parameters stand for in an instance."""
    match = re.search(r"\btemplate\s*<(.*)>", head, re.DOTALL)
    if match is None:
        return {}
    types = {}
    arguments = _split(given) if given.strip() else []
    for number, parameter in enumerate(_split(match[1])):
        declaration, _, default = parameter.partition("=")
        words = declaration.split()
        if len(words) == 2 and words[0] in ("class", "typename"):
            value = arguments[number] if number < len(arguments) else default
            types[words[1]] = value.strip() or "?"
    return types


def _parameter(text: str, types: dict[str, str]) -> SourceParameter:
    text = " ".join(text.split())
    declaration = text.partition("=")[0]
    pointer = "*" in declaration or "[" in declaration
    unknown = "&" in declaration or "(" in declaration or declaration.count("*") > 1
    declaration = re.sub(r"\[.*", "", declaration).replace("*", " * ")
    words = [word for word in declaration.split() if word not in _QUALIFIERS]
    if "*" in words:
        words = words[: words.index("*")]
    elif len(words) > 1 and words[-1] not in _PARTS:
        words = words[:-1]  # the parameter's name
    kind = _normal(" ".join(words), types)
    return SourceParameter(text, pointer, "" if unknown else _DTYPES.get(kind, ""))


def _normal(type_: str, types: dict[str, str], depth: int = 8) -> str:
    """A type in the form of the table, with aliases resolved."""
    words = [word for word in type_.split() if word not in _QUALIFIERS]
    joined = "".join(words) if "<" in type_ else " ".join(words)
    joined = re.sub(r"^(?:::)?(?:cuda::)?(?:std|thrust)::", "", joined)
    if joined in types and depth:
        return _normal(types[joined], types, depth - 1)
    if words and set(words) <= _PARTS:
        sign = "unsigned " if "unsigned" in words else ""
        if "char" in words:
            return sign + "char" if sign else "signed char" if "signed" in words else "char"
        if "short" in words:
            return sign + "short"
        return sign + ("long " * words.count("long")).strip() if "long" in words else sign + "int"
    return joined


# -- checking ------------------------------------------------------------------------------------


def checked(
    run: Callable[[Sequence[Any]], None],
    parameters: tuple[SourceParameter, ...] | None,
    stream: Stream,
    kernel: str,
) -> Callable[[Sequence[Any]], None]:
    """A launcher that compares the arguments with the declaration before each launch."""

    def launch(args: Sequence[Any]) -> None:
        check(args, parameters, stream, kernel)
        run(args)

    return launch


def check(
    args: Sequence[Any],
    parameters: tuple[SourceParameter, ...] | None,
    stream: Stream,
    kernel: str,
) -> None:
    """Refuse arguments that are not what a kernel declares.

    Raises
    ------
    TypeError
        Their number, or the type of one, differs.
    ValueError
        An array is on another device or not contiguous.
    OverflowError
        A number does not fit.
    """
    if parameters is not None and len(parameters) != len(args):
        raise TypeError(
            f"{kernel} takes {len(parameters)} arguments "
            f"({', '.join([parameter.text for parameter in parameters])}), but {len(args)} were "
            "given"
        )
    for position, value in enumerate(args):
        parameter = None if parameters is None else parameters[position]
        label = f"{kernel}: argument {position}"
        if parameter is not None:
            label += f" ({parameter.text})"
        if isinstance(value, _array.ArrayBase):
            _check_array(value, parameter, stream, label)
        elif parameter is not None:
            _check_value(value, parameter, label)


def _check_array(array: Any, parameter: SourceParameter | None, stream: Stream, label: str) -> None:
    layout = array._layout
    if layout.size and array._memory.device is not stream.device:
        raise ValueError(
            f"{label} is an array on {array._memory.device}, but the kernel runs on "
            f"{stream.device}; copy it with asarray inside 'with Device({stream.device.id})'"
        )
    if not (layout.c_contiguous or layout.f_contiguous):
        raise ValueError(
            f"{label} is an array with gaps or of reversed order: shape {layout.shape}, strides "
            f"{layout.strides}; pass ascontiguousarray(it)"
        )
    if parameter is None:
        return
    if not parameter.pointer:
        if parameter.dtypes:
            raise TypeError(f"{label} is a value, but an array was given")
        return
    if parameter.dtypes and layout.dtype.char not in parameter.dtypes:
        wanted = np.dtype(parameter.dtypes[0])
        raise TypeError(
            f"{label} points to {wanted}, but the array is {layout.dtype}; convert it with "
            f"astype({wanted.name!r})"
        )


def _check_value(value: Any, parameter: SourceParameter, label: str) -> None:
    if parameter.pointer:
        # An integer may be an address.
        if isinstance(value, (bool, float, complex, np.inexact, np.bool_, np.void)):
            raise TypeError(f"{label} is a pointer, but {value!r} was given; pass an array or None")
        return
    if value is None or isinstance(value, MemoryPointer):
        if parameter.dtypes:
            raise TypeError(f"{label} is a value, but {value!r} was given")
        return
    if not parameter.dtypes:
        return
    wanted = np.dtype(parameter.dtypes[0])
    if isinstance(value, np.generic):
        if value.dtype.char not in parameter.dtypes:
            raise TypeError(
                f"{label} is {wanted}, but a NumPy scalar of {value.dtype} was given; pass "
                f"numpy.{wanted.name}({value})"
            )
    elif isinstance(value, (bool, int)) and wanted.kind in "iu":
        limits = np.iinfo(wanted)
        if not limits.min <= value <= limits.max:
            raise OverflowError(f"{label} is {wanted}, which {shortened(value)} does not fit")
    elif isinstance(value, (bool, int, float, complex)) and np.dtype(type(value)) != wanted:
        raise TypeError(
            f"{label} is {wanted}, but a Python {type(value).__name__} was given; pass "
            f"numpy.{wanted.name}({value})"
        )
