"""Parameters of ElementwiseKernel and ReductionKernel: what is declared, and what it stands for."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gpuarray import _array, _dtypes, _interchange
from gpuarray._integers import shortened
from gpuarray._layout import Layout
from gpuarray.errors import HostArrayError, UnsupportedDTypeError
from gpuarray.kernels import compiler, generator

_NAME = re.compile(r"[A-Za-z_]\w*$", re.ASCII)
_QUALIFIERS = ("raw", "_non_const")


class Parameter(NamedTuple):
    """A parameter as declared: ``raw float32 x`` or ``T y``.

    Either `dtype` or `letter` says its type.
    """

    name: str
    dtype: np.dtype | None
    letter: str
    raw: bool
    is_const: bool

    def __str__(self) -> str:
        return f"{self.letter or self.dtype} {self.name}"


def _check_type(kernel: str, dtype: np.dtype) -> None:
    """Refuse dtypes that have no type in code of the user's own."""
    if dtype.kind in "mMV":
        raise UnsupportedDTypeError(
            f"{kernel}: code of your own has no type for {dtype}; pass times as x.view('int64'), "
            "bfloat16 as x.astype('float32'), and a structure's fields"
        )


def included(options: tuple[str, ...], *code: str) -> Hashable:
    """What stands in a kernel's specification for the contents of the headers in user code."""
    return compiler.compilation.content("\n".join(code), options=options)


def parse(text: str, kernel: str, output: bool) -> tuple[Parameter, ...]:
    """The parameters in a declaration such as ``'T x, raw float32 y'``."""
    if not isinstance(text, str):
        raise TypeError(f"{kernel}: parameters are declared in a string, not {text!r}")
    if not text.strip():
        return ()
    return tuple([_parse_one(one, kernel, output) for one in text.split(",")])


def _parse_one(text: str, kernel: str, output: bool) -> Parameter:
    words = text.split()
    if len(words) < 2:
        raise ValueError(
            f"{kernel}: syntax error in the parameter {text.strip()!r}: a type and a name are "
            "needed, as in 'float32 x'"
        )
    *qualifiers, type_name, name = words
    for word in qualifiers:
        if word not in _QUALIFIERS:
            raise ValueError(
                f"{kernel}: unknown keyword {word!r} in the parameter {text.strip()!r}; there is "
                "only 'raw'"
            )
    if not _NAME.match(name):
        raise ValueError(f"{kernel}: {name!r} is no name of a parameter in C++")
    if name == "i":
        raise ValueError(
            f"{kernel}: a parameter cannot be called 'i', which is the number of the element"
        )
    if name == "_ind" or name.startswith(("_raw_", "_type_", "gpuarray_")):
        raise ValueError(
            f"{kernel}: the name {name!r} is reserved; names with a leading underscore are for "
            "the package itself"
        )
    dtype: np.dtype | None = None
    letter = ""
    if len(type_name) == 1:
        letter = type_name
        if not letter.isalpha():
            raise ValueError(f"{kernel}: {letter!r} is no letter that could stand for a type")
    else:
        try:
            dtype = _dtypes.canonical(type_name)
        except UnsupportedDTypeError:
            raise
        except TypeError:
            raise TypeError(
                f"{kernel}: {type_name!r} in the parameter {text.strip()!r} is no dtype; use a "
                "name such as 'float32', or one letter for a type that the arguments decide"
            ) from None
        _check_type(kernel, dtype)
    constant = not output and "_non_const" not in qualifiers
    return Parameter(name, dtype, letter, "raw" in qualifiers, constant)


def check(
    name: str, parameters: Sequence[Parameter], options: Any, **texts: Any
) -> tuple[str, ...]:
    """Refuse what no kernel can be made from; returns the options as a tuple."""
    if not isinstance(name, str) or not _NAME.match(name):
        raise ValueError(f"Invalid kernel name: {name!r}; a name of a function in C++ is needed")
    seen: set[str] = set()
    for parameter in parameters:
        if parameter.name in seen:
            raise ValueError(f"{name}: two parameters are called {parameter.name!r}")
        seen.add(parameter.name)
    for what, text in texts.items():
        if not isinstance(text, str):
            raise TypeError(f"{name}: {what} is C++ in a string, not {text!r}")
    if isinstance(options, str) or not all(isinstance(one, str) for one in options):
        raise TypeError(f"{name}: options are a tuple of strings, not {options!r}")
    return tuple(options)


def operands(
    args: Sequence[Any], ins: Sequence[Parameter], outs: Sequence[Parameter], kernel: str
) -> list[Any]:
    """The arguments as arrays and numbers."""
    nin, nargs = len(ins), len(ins) + len(outs)
    if len(args) != nin and len(args) != nargs:
        raise TypeError(
            f"Wrong number of arguments for {kernel}: it takes {nin}, or {nargs} with outputs, "
            f"but {len(args)} were given"
        )
    for parameter, x in zip(ins, args):
        if isinstance(x, list | tuple):
            raise HostArrayError(
                f"{kernel}: a {type(x).__name__} is given for {parameter}; a kernel takes arrays "
                "and numbers: convert it with gpuarray.asarray(...)"
            )
    try:
        found = [_interchange.as_operand(x, kernel, args) for x in args[:nin]]
    except TypeError:
        if not any(map(_is_object, args[:nin])):
            raise
        handles = [x.argument() if _is_object(x) else x for x in args]
        return operands(handles, ins, outs, kernel)
    for parameter, x in zip(outs, args[nin:]):
        if isinstance(x, np.ndarray):
            raise HostArrayError(
                f"{kernel}: the output {parameter.name} is a numpy.ndarray of shape {x.shape}, "
                "but results are stored in device memory; pass a gpuarray array"
            )
        if not isinstance(x, _array.ArrayBase):
            if hasattr(x, "__cuda_array_interface__"):
                x = _interchange.from_interface(x)
            else:
                raise TypeError(
                    f"{kernel}: the output {parameter.name} is a {type(x).__name__}; output "
                    "arguments are arrays"
                )
        found.append(x)
    return found


def _is_object(x: Any) -> bool:
    """Whether it is a texture or surface object, of whose class few programs need the module."""
    return hasattr(type(x), "parameter_type")


class Types(NamedTuple):
    """What letters stand for, and the dtypes of the parameters in their order."""

    letters: Mapping[str, np.dtype]
    inputs: tuple[np.dtype, ...]
    outputs: tuple[np.dtype, ...]


def resolve(
    kernel: str,
    ins: Sequence[Parameter],
    outs: Sequence[Parameter],
    arguments: Sequence[Any],
) -> Types:
    """The types of the parameters.

    Letters stand for the dtypes of arrays; numbers follow them, and decide only for letters that
    no array has: as NumPy would, which takes Python's numbers as int64, float64 and complex128.

    Raises
    ------
    TypeError
        If arguments and declarations disagree.
    """
    letters: dict[str, np.dtype] = {}
    first: dict[str, str] = {}
    order = [*zip(outs, arguments[len(ins) :]), *zip(ins, arguments)]
    for parameter, x in order:
        if not isinstance(x, _array.ArrayBase):
            continue
        given = x._layout.dtype
        if parameter.dtype is not None:
            if given != parameter.dtype:
                raise TypeError(
                    f"Type is mismatched: {kernel} declares {parameter}, but the array given for "
                    f"it is {given}; convert it with astype({parameter.dtype.name!r})"
                )
        elif letters.setdefault(parameter.letter, given) != given:
            letter = parameter.letter
            raise TypeError(
                f"Type is mismatched: {kernel} declares {first[letter]!r} and {parameter.name!r} "
                f"to be of one type {letter}, but {letters[letter]} and {given} were given; "
                "convert one with astype, or declare another letter"
            )
        else:
            first.setdefault(parameter.letter, parameter.name)
    numbers: dict[str, list[np.dtype]] = {}
    for parameter, x in zip(ins, arguments):
        if parameter.letter and parameter.letter not in letters:
            dtype = x.dtype if isinstance(x, np.generic) else np.dtype(type(x))
            numbers.setdefault(parameter.letter, []).append(dtype)
    for letter, dtypes in numbers.items():
        letters[letter] = _dtypes.canonical(np.result_type(*dtypes))
    for dtype in letters.values():
        _check_type(kernel, dtype)
    for parameter, x in zip(ins, arguments):
        if not isinstance(x, _array.ArrayBase):
            _check_kind(x, parameter, parameter.dtype or letters[parameter.letter], kernel)
    for parameter in outs:
        if parameter.letter and parameter.letter not in letters:
            raise TypeError(
                f"{kernel}: no argument says what the type {parameter.letter} of the output "
                f"{parameter.name} is; pass the output, or declare its dtype"
            )
    return Types(
        letters,
        tuple([x.dtype or letters[x.letter] for x in ins]),
        tuple([x.dtype or letters[x.letter] for x in outs]),
    )


def _check_kind(x: Any, parameter: Parameter, dtype: np.dtype, kernel: str) -> None:
    """Refuse a complex number for a real parameter, and a float for a bool."""
    given = x.dtype if isinstance(x, np.generic) else np.dtype(type(x))
    if (given.kind == "c" and dtype.kind != "c") or (given.kind in "fc" and dtype.kind == "b"):
        raise _misfit(TypeError, x, parameter, dtype, kernel)


def converted(
    kernel: str, ins: Sequence[Parameter], types: Types, arguments: Sequence[Any]
) -> list[Any]:
    """Arguments with whole floats as integers, where a parameter is an integer.

    Raises
    ------
    OverflowError
        An integer is beyond its parameter's dtype.
    TypeError
        A float that is not whole is given for an integer.
    """
    found = list(arguments)
    for i, (parameter, dtype, x) in enumerate(zip(ins, types.inputs, arguments)):
        if isinstance(x, _array.ArrayBase | complex | np.complexfloating):
            continue
        if isinstance(x, float | np.floating) and dtype.kind in "iu":
            if not float(x).is_integer():
                raise _misfit(TypeError, x, parameter, dtype, kernel)
            found[i] = int(x)
        if isinstance(found[i], int | np.integer) and not _dtypes.holds(dtype, int(found[i])):
            raise _misfit(OverflowError, x, parameter, dtype, kernel)
    return found


def _misfit(
    error: type[Exception], x: Any, parameter: Parameter, dtype: np.dtype, kernel: str
) -> Exception:
    return error(
        f"{kernel}: {shortened(x)} is given for {parameter}, which is {dtype} and cannot "
        "hold it; convert it, or declare another type"
    )


def code_types(types: Types) -> tuple[tuple[str, str], ...]:
    """The letters and dtype codes for the kernel's source."""
    return tuple(sorted([(letter, _dtypes.code(x)) for letter, x in types.letters.items()]))


def raw_argument(parameter: Parameter, layout: Layout, output: bool) -> Any:
    """How a raw array appears in the kernel's source."""
    return generator.user_code.UserParameter(
        parameter.name,
        _dtypes.code(layout.dtype),
        "raw",
        output,
        parameter.is_const,
        layout.ndim,
        layout.c_contiguous,
    )
