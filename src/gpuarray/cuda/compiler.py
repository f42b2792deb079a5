"""CUDA C++ source to PTX or a cubin, through the same cache as every other kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpuarray import kernels
from gpuarray._device import current
from gpuarray.errors import CompileError

__all__ = ["CompileException", "compile_to_cubin", "compile_to_ptx"]

#: CuPy's name of `gpuarray.errors.CompileError`.
CompileException = CompileError


def compile_to_ptx(
    source: str,
    options: Sequence[str] = (),
    *,
    name: str = "kernel",
    headers: Mapping[str, str] | None = None,
    architecture: str | None = None,
) -> bytes:
    """Compile CUDA C++ to PTX.

    Parameters
    ----------
    source : str
        CUDA C++.
    options : sequence of str, optional
        Options of NVRTC.
    name : str, optional
        What is compiled, for messages.
    headers : mapping of str to str, optional
        In-memory headers: include name to text.
    architecture : str, optional
        The target, such as ``sm_90``; the current device's by default.

    Returns
    -------
    bytes
        PTX text, which a `RawModule` loads from a file.

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
    return _compile(source, options, name, headers, architecture, "ptx").data


def compile_to_cubin(
    source: str,
    options: Sequence[str] = (),
    *,
    name: str = "kernel",
    headers: Mapping[str, str] | None = None,
    architecture: str | None = None,
) -> bytes:
    """Compile CUDA C++ to a cubin for one architecture.

    Parameters
    ----------
    source : str
        CUDA C++.
    options : sequence of str, optional
        Options of NVRTC.
    name : str, optional
        What is compiled, for messages.
    headers : mapping of str to str, optional
        In-memory headers: include name to text.
    architecture : str, optional
        The target, such as ``sm_90``; the current device's by default.

    Returns
    -------
    bytes
        An ELF file.

    Raises
    ------
    CompileError
        With the log and the numbered source lines around each fault.
    """
    return _compile(source, options, name, headers, architecture, "cubin").data


def _compile(
    source: str,
    options: Sequence[str],
    name: str,
    headers: Mapping[str, str] | None,
    architecture: str | None,
    kind: str,
) -> kernels.compiler.Image:
    return kernels.compiler.compile(
        source,
        name=name,
        headers=headers,
        options=options,
        architecture=architecture or current.stream.device.architecture,
        kind=kind,
    )
