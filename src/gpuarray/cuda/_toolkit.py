"""What there is of a CUDA toolkit, and its compiler nvcc."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TextIO

from gpuarray._ffi.text import encoded
from gpuarray._runtime.current_stream import current
from gpuarray.errors import CompileError


class NVCCException(Exception):
    """nvcc is not there."""


def get_cuda_path() -> str | None:
    """The folder of the CUDA installation whose compiler this process uses.

    Returns
    -------
    str or None
        Its path: a toolkit's, or that of the wheel with NVRTC. None where there is no NVRTC.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.get_cuda_path() is not None
    True
    """
    from gpuarray._ffi import locate  # nothing else of gpuarray.cuda needs it

    return locate.installation()


def get_nvcc_path() -> str | None:
    """The command nvcc.

    Returns
    -------
    str or None
        Its path: in the installation of `get_cuda_path`, in another toolkit or where a shell
        finds it. None where there is none; this package does not need it.

    Examples
    --------
    >>> import gpuarray as cp
    >>> path = cp.cuda.get_nvcc_path()  # None where there is no nvcc
    """
    from gpuarray._ffi import locate

    return locate.nvcc()


def get_hipcc_path() -> None:
    """The command hipcc of ROCm, which is not supported.

    Returns
    -------
    None
        Always.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.get_hipcc_path() is None
    True
    """


def get_rocm_path() -> None:
    """The folder of ROCm, which is not supported.

    Returns
    -------
    None
        Always.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.get_rocm_path() is None
    True
    """


def get_local_runtime_version() -> int:
    """The version of the CUDA libraries that this process uses, 12090 for 12.9.

    Returns
    -------
    int
        The version of NVRTC.

    Raises
    ------
    LibraryNotFoundError
        There is no NVRTC.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.get_local_runtime_version() >= 12000
    True
    """
    from gpuarray._ffi import nvrtc

    major, minor = nvrtc.version()
    return 1000 * major + 10 * minor


def compile_using_nvcc(
    source: str,
    options: Sequence[str] = (),
    arch: str | None = None,
    filename: str = "kern.cu",
    code_type: str = "cubin",
    separate_compilation: bool = False,
    log_stream: TextIO | None = None,
) -> bytes:
    """Compile CUDA C++ with the toolkit's nvcc, without the cache of kernels.

    Parameters
    ----------
    source : str
        CUDA C++.
    options : sequence of str, optional
        Options of nvcc.
    arch : str, optional
        The compute capability, such as ``'90'``; the current device's by default.
    filename : str, optional
        What the source is called in messages.
    code_type : {'cubin', 'ptx'}, optional
        What to make.
    separate_compilation : bool, optional
        Compile relocatable code and link it, with what the toolkit's device runtime has.
    log_stream : file, optional
        Gets what nvcc prints.

    Returns
    -------
    bytes
        The cubin or PTX.

    Raises
    ------
    NVCCException
        There is no nvcc.
    CompileError
        nvcc refused the source.

    See Also
    --------
    compile : Compiles with NVRTC, which needs no toolkit.

    Examples
    --------
    >>> import gpuarray as cp
    >>> source = 'extern "C" __global__ void f() {}'
    >>> cubin = cp.cuda.compiler.compile_using_nvcc(source)  # doctest: +SKIP
    """
    import tempfile

    if code_type not in ("cubin", "ptx"):
        raise ValueError(f"compile_using_nvcc: code_type is 'cubin' or 'ptx', not {code_type!r}")
    if separate_compilation and code_type == "ptx":
        raise ValueError("compile_using_nvcc: what is linked is a cubin, not PTX")
    nvcc = get_nvcc_path()
    if nvcc is None:
        raise NVCCException(
            "compile_using_nvcc: there is no nvcc; install a CUDA toolkit, or compile with NVRTC "
            "(gpuarray.cuda.compiler.compile)"
        )
    arch = arch or current.stream.device.compute_capability
    command = [nvcc, f"-gencode=arch=compute_{arch},code=sm_{arch}"]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, os.path.basename(filename))
        result = os.path.join(folder, f"result.{code_type}")
        with open(path, "wb") as file:
            file.write(encoded(source, "the source of compile_using_nvcc"))
        if separate_compilation:
            middle = os.path.join(folder, "result.o")
            steps = [["--device-c", *options, "-o", middle, path]]
            steps += [["--device-link", "--cubin", middle, "-lcudadevrt", "-o", result]]
        else:
            steps = [[f"--{code_type}", *options, "-o", result, path]]
        for step in steps:
            _run([*command, *step], folder, source, path, options, log_stream)
        with open(result, "rb") as file:
            return file.read()


def _run(
    command: Sequence[str],
    folder: str,
    source: str,
    path: str,
    options: Sequence[str],
    log_stream: TextIO | None,
) -> None:
    import shlex
    import subprocess

    try:
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except OSError as error:
        raise NVCCException(f"{shlex.join(command)} could not be started: {error}") from None
    if log_stream is not None:
        log_stream.write(done.stdout + done.stderr)
    if done.returncode:
        refused = CompileError(
            (done.stdout + done.stderr).replace(folder + os.sep, ""),
            source=source,
            options=options,
            kernel_name=os.path.basename(path),
        )
        refused.backend = "nvcc"
        raise refused
