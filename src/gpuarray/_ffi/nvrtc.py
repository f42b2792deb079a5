"""NVRTC: CUDA C++ source to PTX or cubin."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping, Sequence
from ctypes import c_char_p, c_int, c_size_t, c_uint64, c_void_p
from functools import cache
from typing import Any

from gpuarray import _fork
from gpuarray._compiler_log import ASSEMBLY
from gpuarray.errors import CompileError, NVRTCError

from . import locate
from .library import LocatedLibrary, Out, Prototypes
from .text import encoded

__all__ = [
    "add_name_expression", "build", "compile", "compile_program", "create_program",
    "destroy_program", "error_of", "lowered_name", "output", "supported_architectures", "version",
]  # fmt: skip

_PROTOTYPES: Prototypes = {
    "version": ("nvrtcVersion", (Out(c_int), Out(c_int))),
    "number_of_architectures": ("nvrtcGetNumSupportedArchs", (Out(c_int),)),
    "architectures": ("nvrtcGetSupportedArchs", (c_void_p,)),
    "create_program": (
        "nvrtcCreateProgram",
        (Out(c_uint64), c_char_p, c_char_p, c_int, c_void_p, c_void_p),
    ),
    "destroy_program": ("nvrtcDestroyProgram", (c_void_p,)),
    "add_name_expression": ("nvrtcAddNameExpression", (c_uint64, c_char_p)),
    "compile_program": ("nvrtcCompileProgram", (c_uint64, c_int, c_void_p)),
    "log_size": ("nvrtcGetProgramLogSize", (c_uint64, Out(c_size_t))),
    "log": ("nvrtcGetProgramLog", (c_uint64, c_void_p)),
    "ptx_size": ("nvrtcGetPTXSize", (c_uint64, Out(c_size_t))),
    "ptx": ("nvrtcGetPTX", (c_uint64, c_void_p)),
    "cubin_size": ("nvrtcGetCUBINSize", (c_uint64, Out(c_size_t))),
    "cubin": ("nvrtcGetCUBIN", (c_uint64, c_void_p)),
    "lto_size": ("nvrtcGetLTOIRSize", (c_uint64, Out(c_size_t))),
    "lto": ("nvrtcGetLTOIR", (c_uint64, c_void_p)),
    "lowered_name": ("nvrtcGetLoweredName", (c_uint64, c_char_p, Out(c_char_p))),
}

_KINDS = ("ptx", "cubin", "lto")
#: Statuses that are faults of what was passed in, and so of the source.
_FAULTS_OF_THE_SOURCE = {5: "invalid option", 6: "compilation", 8: "no name expressions"}


_library = LocatedLibrary("NVRTC", "nvrtc", _PROTOTYPES, "nvrtcGetErrorString", NVRTCError)
_fork.in_child(_library.lose_if_busy)


@cache
def version() -> tuple[int, int]:
    """NVRTC's version, (major, minor). It opens the library."""
    return _library.version()


@cache
def build() -> str:
    """What tells this build of NVRTC from others, for the key of a cache.

    Made from the names and sizes of the library's files, the minor version being part of one's
    name, so that a process that finds every kernel in the cache need not open 100 MB of compiler.
    """
    path = locate.library("nvrtc")
    folder = os.path.dirname(os.path.realpath(path))
    parts = [
        f"{entry.name}:{entry.stat().st_size}"
        for entry in os.scandir(folder)
        if entry.name.startswith("libnvrtc") and ".alt." not in entry.name and entry.is_file()
    ]
    return ",".join(sorted(parts))


@cache
def supported_architectures() -> tuple[int, ...]:
    """Compute capabilities that NVRTC compiles for, as 10 * major + minor, ascending."""
    count = _library.number_of_architectures()
    numbers = (c_int * count)()
    _library.architectures(numbers)
    return tuple(numbers)


@_library.long_call()
def compile(
    source: str,
    name: str,
    headers: Mapping[str, str] | None = None,
    options: Sequence[str] = (),
    name_expressions: Sequence[str] = (),
    kind: str = "ptx",
) -> tuple[bytes, str, dict[str, str]]:
    """Compile CUDA C++.

    Parameters
    ----------
    source : str
        The source.
    name : str
        What it is called in messages; without a suffix it gets ``.cu``.
    headers : mapping, optional
        Texts of headers by the name that the source includes them by.
    options : sequence of str
        NVRTC's options, the architecture among them.
    name_expressions : sequence of str
        C++ names whose symbols are wanted, such as ``scale<float>``.
    kind : {'ptx', 'cubin', 'lto'}
        What to make; 'cubin' needs a real architecture (``sm_90``) in the options, 'lto' (LTO-IR
        for nvJitLink) ``-dlto``.

    Returns
    -------
    image : bytes
        The PTX, cubin or LTO-IR.
    log : str
        The compiler's log.
    lowered : dict
        The symbol of each name expression.

    Raises
    ------
    CompileError
        The source does not compile, or an option or a name expression is wrong.
    """
    if kind not in _KINDS:
        raise ValueError(f"kind={kind!r} is not something NVRTC makes: use one of {_KINDS}")
    headers = {} if headers is None else headers
    file_name = name if "." in name else f"{name}.cu"
    program = create_program(
        encoded(source, f"the source of {name!r}"),
        encoded(file_name, "the name of a kernel"),
        [encoded(text, f"the header {header!r}") for header, text in headers.items()],
        [encoded(header, "the name of a header") for header in headers],
    )
    try:
        call, status = _run(program, options, name_expressions)
        log = _text(program, "log")
        if status and "ptx input, line" in log:
            # The assembler's lines are those of the PTX, which is there all the same.
            headers = {**headers, ASSEMBLY: _text(program, "ptx")}
        if status == 0:
            lowered = {}
            for expression in name_expressions:
                lowered[expression] = lowered_name(program, expression)
            return output(program, kind), log, lowered
    finally:
        destroy_program(program)
    error = _library.error(call, status)
    if status not in _FAULTS_OF_THE_SOURCE:
        raise error
    raise CompileError(
        log or str(error),
        source=source,
        options=options,
        kernel_name=name,
        file_name=file_name,
        headers=headers,
    )


#: Options without a value that are the same when they are given twice.
_SWITCHES = frozenset(
    {
        "-lineinfo",
        "--generate-line-info",
        "-rdc=true",
        "--relocatable-device-code=true",
        "-dlto",
        "--dlink-time-opt",
        "-G",
        "--device-debug",
        "-default-device",
        "--device-as-default-execution-space",
    }
)


def _run(program: int, options: Sequence[str], name_expressions: Sequence[str]) -> tuple[str, int]:
    """Compile; the last call made and its status."""
    for expression in name_expressions:
        text = encoded(expression, "a name expression")
        status = _library.raw("add_name_expression")(program, text)
        if status:
            return f"nvrtcAddNameExpression({expression!r})", status
    # Versions before 12.6 refuse a switch that is given twice, by the user and by this package.
    given = [x for i, x in enumerate(options) if x not in _SWITCHES or x not in options[:i]]
    texts = (c_char_p * len(given))(*(encoded(option, "an option") for option in given))
    status = _library.raw("compile_program")(program, len(given), texts)
    return "nvrtcCompileProgram", status


def create_program(
    source: bytes, name: bytes, headers: Sequence[bytes], include_names: Sequence[bytes]
) -> int:
    """A program of a source and its headers; `destroy_program` frees it."""
    count = len(headers)
    texts, names = (c_char_p * count)(*headers), (c_char_p * count)(*include_names)
    return _library.create_program(source, name, count, texts, names)


def destroy_program(program: int) -> None:
    """Free a program."""
    _library.destroy_program(ctypes.byref(c_uint64(program)))


def add_name_expression(program: int, expression: str) -> None:
    """Ask for the symbol of a C++ name, before a program is compiled."""
    _library.add_name_expression(program, encoded(expression, "a name expression"))


@_library.long_call()
def compile_program(program: int, options: Sequence[str]) -> None:
    """Compile a program."""
    call, status = _run(program, options, ())
    if status:
        raise _library.error(call, status)


def lowered_name(program: int, expression: str) -> str:
    """The symbol of a name expression, once its program is compiled."""
    return _library.lowered_name(program, encoded(expression, "a name expression")).decode()


def output(program: int, what: str) -> bytes:
    """What a program became: 'ptx', 'cubin', 'lto', and the 'log'."""
    size: int = getattr(_library, f"{what}_size")(program)
    buffer: Any = ctypes.create_string_buffer(size)
    getattr(_library, what)(program, buffer)
    # PTX and logs end in a NUL that is part of the size; the others are binary.
    return buffer.raw if what in ("cubin", "lto") else buffer.raw.rstrip(b"\0")


def error_of(call: str, status: int) -> BaseException:
    """The exception for a status that a function returned."""
    return _library.error(call, status)


def _text(program: int, what: str) -> str:
    return output(program, what).decode(errors="replace")
