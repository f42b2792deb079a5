"""CUDA C++ source to PTX, a cubin or LTO-IR; linking them; recording and compiling beforehand.

All of it goes through the cache of compiled kernels.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TextIO

from gpuarray._config import config
from gpuarray._ffi import driver
from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime.current_stream import current
from gpuarray.cuda._toolkit import NVCCException, compile_using_nvcc
from gpuarray.errors import CompileError, LinkError
from gpuarray.kernels import compiler
from gpuarray.kernels.compiler.entry import Image
from gpuarray.kernels.compiler.recording import record

if TYPE_CHECKING:
    from gpuarray.kernels.compiler.warmup import WarmupReport

__all__ = [
    "CompileException",
    "Image",
    "LinkError",
    "NVCCException",
    "compile",
    "compile_to_cubin",
    "compile_to_ptx",
    "compile_using_nvcc",
    "compile_using_nvrtc",
    "is_valid_kernel_name",
    "link",
    "record",
    "warmup",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)

#: CuPy's name of `gpuarray.errors.CompileError`.
CompileException = CompileError


def compile(
    source: str,
    *,
    kind: str | None = None,
    options: Sequence[str] = (),
    name_expressions: Sequence[str] = (),
    headers: Mapping[str, str] | None = None,
    name: str = "kernel",
    architecture: str | None = None,
) -> Image:
    """Compile CUDA C++.

    Parameters
    ----------
    source : str
        CUDA C++.
    kind : {'cubin', 'ptx', 'lto'}, optional
        What to make: code for one architecture, NVIDIA's portable assembly, or LTO-IR for `link`.
        By default what the current device loads (a cubin; PTX on the emulated device, and on a
        device that is newer than NVRTC).
    options : sequence of str, optional
        Options of NVRTC, such as ``-DN=3``, ``-I/folder`` or ``--use_fast_math``. To call or
        define functions across files, PTX and cubins need ``-rdc=true``; LTO-IR is made that way.
    name_expressions : sequence of str, optional
        C++ names, such as ``scale<float>``, whose symbols are wanted.
    headers : mapping of str to str, optional
        In-memory headers: include name to text.
    name : str, optional
        What is compiled, for messages and the list of the cache.
    architecture : str, optional
        The target, such as ``sm_90``; the current device's by default.

    Returns
    -------
    Image
        ``image.data`` are the bytes (so is ``bytes(image)``), ``image.lowered_names`` the symbols
        of the name expressions. A `gpuarray.RawModule` takes an image, with its name expressions,
        in place of source.

    Raises
    ------
    CompileError
        With the log and the numbered source lines around each fault.

    Examples
    --------
    >>> from gpuarray.cuda import compiler
    >>> image = compiler.compile('extern "C" __global__ void f(int* x) { *x = 1; }', kind="ptx")
    >>> b".entry f(" in image.data
    True
    """
    if not isinstance(source, str):
        raise TypeError(f"compile: source must be a str, got {type(source).__name__}")
    image = compiler.compilation.compile(
        source,
        name=name,
        headers=headers,
        options=options,
        architecture=architecture or current.stream.device.architecture,
        kind=kind or driver.image_kind,
        name_expressions=name_expressions,
    )
    if kind is not None and image.kind != kind:
        raise CompileError(
            f"NVRTC does not know {architecture or 'the device'}, so it makes no {kind} for it: "
            "ask for kind='ptx' and an older architecture",
            options=options,
            kernel_name=name,
        )
    return image


def compile_to_ptx(source: str, options: Sequence[str] = ()) -> bytes:
    """Compile CUDA C++ to the text of PTX: `compile` with ``kind="ptx"``, for the bytes alone.

    Parameters
    ----------
    source : str
        CUDA C++.
    options : sequence of str, optional
        Options of NVRTC.

    Returns
    -------
    bytes
        PTX for the current device's architecture, which a `RawModule` loads from a file.

    Raises
    ------
    CompileError
        With the log and the numbered source lines around each fault.

    Examples
    --------
    >>> from gpuarray.cuda import compiler
    >>> ptx = compiler.compile_to_ptx('extern "C" __global__ void f(int* x) { *x = 1; }')
    >>> b".entry f(" in ptx
    True
    """
    return compile(source, kind="ptx", options=options).data


def compile_to_cubin(source: str, options: Sequence[str] = ()) -> bytes:
    """Compile CUDA C++ to a cubin: `compile` with ``kind="cubin"``, for the bytes alone.

    Parameters
    ----------
    source : str
        CUDA C++.
    options : sequence of str, optional
        Options of NVRTC.

    Returns
    -------
    bytes
        An ELF file for the current device's architecture.

    Raises
    ------
    CompileError
        With the log and the numbered source lines around each fault.

    Examples
    --------
    >>> from gpuarray.cuda import compiler
    >>> compiler.compile_to_cubin('extern "C" __global__ void f(int* x) { *x = 1; }')[1:4]
    b'ELF'
    """
    return compile(source, kind="cubin", options=options).data


def compile_using_nvrtc(
    source: str,
    options: Sequence[str] = (),
    arch: str | None = None,
    filename: str = "kern.cu",
    name_expressions: Sequence[str] | None = None,
    log_stream: TextIO | None = None,
    cache_in_memory: bool = False,
    jitify: bool | None = None,
    method: str | None = None,
) -> tuple[bytes, dict[str, str] | None]:
    """Compile CUDA C++, by CuPy's arguments; see `compile`.

    Parameters
    ----------
    source : str
        CUDA C++.
    options : sequence of str, optional
        Options of NVRTC.
    arch : str, optional
        The compute capability, such as ``'90'``; the current device's by default.
    filename : str, optional
        What the source is called in messages.
    name_expressions : sequence of str, optional
        C++ names whose symbols are wanted.
    log_stream : file, optional
        Gets the compiler's log where compiling fails.
    cache_in_memory, jitify : bool, optional
        Accepted for CuPy's sake.
    method : {'cubin', 'ptx', 'lto'}, optional
        What to make; by default what the current device loads.

    Returns
    -------
    image : bytes
        The compiled code.
    mapping : dict or None
        Symbols of the name expressions, if there are any.

    Raises
    ------
    CompileError
        With the log and the numbered source lines around each fault.

    Examples
    --------
    >>> from gpuarray.cuda import compiler
    >>> source = "template <class T> __global__ void f(T* x) { *x = 1; }"
    >>> compiler.compile_using_nvrtc(source, name_expressions=["f<int>"])[1]
    {'f<int>': '_Z1fIiEvPT_'}
    """
    try:
        image = compile(
            source,
            kind=method,
            options=options,
            name_expressions=name_expressions or (),
            name=filename,
            architecture=None if arch is None else f"sm_{arch}",
        )
    except CompileError as error:
        if log_stream is not None:
            log_stream.write(error.log)
        raise
    return image.data, dict(image.lowered_names) if name_expressions else None


def is_valid_kernel_name(name: str) -> bool:
    """Whether a text can be the name of a kernel in C.

    Parameters
    ----------
    name : str
        The text.

    Returns
    -------
    bool
        Whether.

    Raises
    ------
    TypeError
        If the name is no text.

    Examples
    --------
    >>> from gpuarray.cuda import compiler
    >>> compiler.is_valid_kernel_name("scale2"), compiler.is_valid_kernel_name("scale<int>")
    (True, False)
    """
    if not isinstance(name, str):
        raise TypeError(f"is_valid_kernel_name: name must be a str, got {type(name).__name__}")
    return name.isascii() and name.isidentifier()


def link(
    inputs: Sequence[Image | bytes | str | os.PathLike[str]],
    *,
    kind: str | None = None,
    options: Sequence[str] = (),
    name: str = "linked",
    architecture: str | None = None,
) -> Image:
    """Link compiled device code to one image, with nvJitLink.

    Parameters
    ----------
    inputs : sequence of Image, bytes or path
        PTX, cubins, LTO-IR, fatbins, host objects and libraries with device code, in any mixture.
        Pieces that need each other's functions are compiled with ``-rdc=true`` or as
        ``kind="lto"``; the latter are optimised together.
    kind : {'cubin', 'ptx'}, optional
        What to make; by default what the current device loads. PTX can be made of LTO-IR only,
        and the emulated device loads nothing else.
    options : sequence of str, optional
        Options of nvJitLink, such as ``-lineinfo``, ``-maxrregcount=64`` or ``-kernels-used=f``.
    name : str, optional
        What the result is called, for messages and the list of the cache.
    architecture : str, optional
        The target, such as ``sm_90``; the current device's by default.

    Returns
    -------
    Image
        What `gpuarray.RawModule` takes in place of source.

    Raises
    ------
    LinkError
        With the linker's log: functions that nobody defines, or several define, a broken input.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.cuda import compiler
    >>> square = compiler.compile("__device__ int square(int x) { return x * x; }", kind="lto")
    >>> caller = compiler.compile('''
    ... __device__ int square(int);
    ... extern "C" __global__ void f(int* x) { x[threadIdx.x] = square(x[threadIdx.x]); }
    ... ''', kind="lto")
    >>> module = cp.RawModule(code=compiler.link([caller, square]))
    >>> x = cp.arange(4, dtype="i4")
    >>> module.get_function("f")((1,), (4,), (x,))
    >>> x
    array([0, 1, 4, 9], dtype=int32)
    """
    return compiler.linker.link(
        inputs,
        name=name,
        options=options,
        architecture=architecture or current.stream.device.architecture,
        kind=kind or driver.image_kind,
    )


def warmup(
    recording: str | os.PathLike[str] | None = None,
    *,
    threads: int | None = None,
    architecture: str | None = None,
) -> WarmupReport:
    """Compile the kernels of a recording that are not in the cache, several at a time.

    A recording is made by running a program with ``GPUARRAY_RECORD=FILE``, or by
    `gpuarray.cuda.compiler.record`. It holds sources and options, not what they were compiled
    for, so that one made on one GPU, or on the emulated device, serves another.

    Parameters
    ----------
    recording : path, optional
        The file; by default that of ``GPUARRAY_RECORD``.
    threads : int, optional
        How many kernels are compiled at once; by default the number of processors.
    architecture : str, optional
        Compile cubins for this architecture, such as ``sm_90``. No GPU is needed, so an image of
        a container can be built with its kernels. By default what the current device loads.

    Returns
    -------
    WarmupReport
        How many kernels were ``compiled``, were ``found`` in the cache, or are ``outdated`` (of
        another version of this package: record again); ``failed``, the name and the first line
        of the error of those that do not compile; and the ``seconds`` it took.

    Raises
    ------
    ValueError
        There is no recording, or a line of the file is not one of a recording.

    Examples
    --------
    >>> import os, tempfile
    >>> import gpuarray as cp
    >>> path = os.path.join(tempfile.mkdtemp(), "kernels.jsonl")
    >>> with cp.cuda.compiler.record(path):
    ...     _ = cp.cuda.compiler.compile("__global__ void k() {}", name="k")
    >>> report = cp.warmup(path)
    >>> report.compiled, report.found, report.failed
    (0, 1, ())
    """
    path = config.record if recording is None else recording
    if path is None:
        raise ValueError("warmup: name a recording, or set GPUARRAY_RECORD to one")
    if threads is not None and threads < 1:
        raise ValueError(f"warmup: threads={threads} is not a number of threads: 1 or more")
    if architecture is None:
        target, kind = current.stream.device.architecture, driver.image_kind
    else:
        target, kind = architecture, "cubin"
    return compiler.warmup.warm(path, target, kind, threads)


without_annotations(globals())
