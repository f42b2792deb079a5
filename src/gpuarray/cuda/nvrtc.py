"""NVRTC's functions, by CuPy's names.

`gpuarray.cuda.compiler` compiles with a cache and with messages that show the source.

Examples
--------
>>> import gpuarray as cp
>>> nvrtc = cp.cuda.nvrtc
>>> source = 'extern "C" __global__ void f() {}'
>>> program = nvrtc.createProgram(source, "f.cu", [], [])
>>> nvrtc.compileProgram(program, ["-arch=compute_90"])
>>> b".entry f" in nvrtc.getPTX(program) or ".entry f" in str(nvrtc.getPTX(program))
True
>>> nvrtc.destroyProgram(program)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpuarray._ffi import nvrtc
from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray.errors import NVRTCError

__all__ = [
    "NVRTCError", "addNameExpression", "check_status", "compileProgram", "createProgram",
    "destroyProgram", "getCUBIN", "getLTOIR", "getLoweredName", "getPTX", "getProgramLog",
    "getSupportedArchs", "getVersion",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)


def check_status(status: int) -> None:
    """Raise the error for a status of NVRTC; 0 is none.

    Parameters
    ----------
    status : int
        A status.

    Raises
    ------
    NVRTCError
        The status is not 0.
    """
    if status:
        raise nvrtc.error_of("a call of NVRTC", status)


def getVersion() -> tuple[int, int]:
    """The version of NVRTC.

    Returns
    -------
    tuple of int
        The major and the minor version.

    Examples
    --------
    >>> from gpuarray.cuda import nvrtc
    >>> nvrtc.getVersion() >= (12, 0)
    True
    """
    return nvrtc.version()


def getSupportedArchs() -> tuple[int, ...]:
    """The compute capabilities that NVRTC compiles for.

    Returns
    -------
    tuple of int
        10 times the major plus the minor number of each.
    """
    return nvrtc.supported_architectures()


def createProgram(
    src: str, name: str, headers: Sequence[bytes], include_names: Sequence[bytes]
) -> int:
    """Make a program of a source.

    Parameters
    ----------
    src : str
        CUDA C++.
    name : str
        What it is called in messages.
    headers : sequence of bytes
        Texts of headers.
    include_names : sequence of bytes
        By which names the source includes them.

    Returns
    -------
    int
        A handle; `destroyProgram` frees it.

    Raises
    ------
    ValueError
        If there are not as many names as headers.

    Examples
    --------
    >>> from gpuarray.cuda import nvrtc
    >>> program = nvrtc.createProgram('extern "C" __global__ void f() {}', "f.cu", (), ())
    >>> nvrtc.compileProgram(program, ("-arch=compute_80",))
    >>> b".entry f()" in nvrtc.getPTX(program)
    True
    >>> nvrtc.destroyProgram(program)
    """
    if len(headers) != len(include_names):
        raise ValueError(
            f"createProgram: {len(headers)} headers have {len(include_names)} include names"
        )
    called = name.encode() or b"default_program"
    return nvrtc.create_program(src.encode(), called, headers, include_names)


def destroyProgram(prog: int) -> None:
    """Free a program.

    Parameters
    ----------
    prog : int
        A handle of `createProgram`.
    """
    nvrtc.destroy_program(prog)


def addNameExpression(prog: int, name: str) -> None:
    """Ask for the symbol of a C++ name, before the program is compiled.

    Parameters
    ----------
    prog : int
        A handle of `createProgram`.
    name : str
        A C++ name, such as ``scale<float>``.
    """
    nvrtc.add_name_expression(prog, name)


def compileProgram(prog: int, options: Sequence[str]) -> None:
    """Compile a program.

    Parameters
    ----------
    prog : int
        A handle of `createProgram`.
    options : sequence of str
        Options of NVRTC.

    Raises
    ------
    NVRTCError
        It does not compile; `getProgramLog` says why.
    """
    nvrtc.compile_program(prog, options)


def getPTX(prog: int) -> bytes:
    """The PTX of a compiled program.

    Parameters
    ----------
    prog : int
        A handle of `createProgram`.

    Returns
    -------
    bytes
        PTX.
    """
    return nvrtc.output(prog, "ptx")


def getCUBIN(prog: int) -> bytes:
    """The cubin of a program that was compiled for a real architecture, such as ``sm_80``.

    Parameters
    ----------
    prog : int
        A handle of `createProgram`.

    Returns
    -------
    bytes
        The cubin.

    Raises
    ------
    RuntimeError
        If the program was compiled for a virtual architecture.
    """
    image = nvrtc.output(prog, "cubin")
    if not image:
        raise RuntimeError("getCUBIN: compile the program with -arch=sm_.. for a cubin")
    return image


def getLTOIR(prog: int) -> bytes:
    """The LTO-IR of a program that was compiled with ``-dlto``.

    Parameters
    ----------
    prog : int
        A handle of `createProgram`.

    Returns
    -------
    bytes
        LTO-IR.

    Raises
    ------
    RuntimeError
        If the program was compiled without ``-dlto``.
    """
    image = nvrtc.output(prog, "lto")
    if not image:
        raise RuntimeError("getLTOIR: compile the program with -dlto for LTO-IR")
    return image


def getProgramLog(prog: int) -> str:
    """What the compiler said of a program.

    Parameters
    ----------
    prog : int
        A handle of `createProgram`.

    Returns
    -------
    str
        Its log.
    """
    return nvrtc.output(prog, "log").decode(errors="replace")


def getLoweredName(prog: int, name: str) -> str:
    """The symbol of a name expression of a compiled program.

    Parameters
    ----------
    prog : int
        A handle of `createProgram`.
    name : str
        What `addNameExpression` was given.

    Returns
    -------
    str
        The symbol.
    """
    return nvrtc.lowered_name(prog, name)


without_annotations(globals())
