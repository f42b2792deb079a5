"""Every exception and warning that gpuarray defines.

CuPy's names for some of them are aliases in the public packages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from gpuarray._compiler_log import excerpts
from gpuarray._runtime_statuses import runtime_status_name

__all__ = [
    "BackendWarning",
    "CUBLASError",
    "CUDAError",
    "CUDARuntimeError",
    "CURANDError",
    "CUSOLVERError",
    "CaptureError",
    "CheckError",
    "CompileError",
    "CuDSSError",
    "CuFFTError",
    "CuSparseError",
    "DriverError",
    "ForkError",
    "HostArrayError",
    "InvalidCopyKindError",
    "InvalidDeviceError",
    "LibraryError",
    "LibraryNotFoundError",
    "LinkError",
    "MixedCUDAError",
    "NVRTCError",
    "NcclError",
    "OutOfMemoryError",
    "OutOfPinnedMemoryError",
    "UnsupportedDTypeError",
]


class CUDAError(RuntimeError):
    """Base of the errors that come from CUDA."""


class StatusError(CUDAError):
    """A call of a CUDA library returned an error status.

    Attributes
    ----------
    status : int
        The status as the library returned it.
    status_name : str
        Its name, such as ``CUDA_ERROR_INVALID_VALUE``.
    call : str
        The C function that returned it.
    detail : str
        What the library says about the status, or about this very failure.
    """

    def __init__(self, call: str, status: int, status_name: str, detail: str = "") -> None:
        super().__init__(call, status, status_name, detail)
        self.call = call
        self.status = status
        self.status_name = status_name
        self.detail = detail

    @property
    def summary(self) -> str:
        """The message without what is known of launches."""
        return _call_and_status(self)

    def __str__(self) -> str:
        return self.summary


def _call_and_status(error: StatusError) -> str:
    text = f"{error.call} failed with {error.status_name} ({error.status})"
    return f"{text}: {error.detail}" if error.detail else text


class CUDARuntimeError(StatusError):
    """A function of `gpuarray.cuda.runtime` failed, under CUDA's runtime's name of the status.

    Every `DriverError` is one, too: what CuPy does by the runtime is done by the driver here.

    Parameters
    ----------
    status : int
        The runtime's status.
    call : str, optional
        The C function that returned it.
    detail : str, optional
        What is known of this failure.

    Attributes
    ----------
    status : int
        The runtime's status, such as 2. The driver has the same numbers.
    status_name : str
        Its name, such as ``cudaErrorMemoryAllocation``.
    kernel : str
        The kernel at fault, where it is known.
    launches : tuple of gpuarray.debug.Launch
        After the fault of a kernel: the launches that were not known to have ended, newest first,
        or the very launch where it is known.
    report : str
        What the message says of them.

    Examples
    --------
    >>> print(gpuarray.errors.CUDARuntimeError(2))
    cudaErrorMemoryAllocation: memory allocation
    """

    kernel: str = ""
    launches: tuple[Any, ...] = ()
    report: str = ""

    def __init__(self, status: int, call: str = "", detail: str = "") -> None:
        name = runtime_status_name(status)
        # By default the words of the name: "memory allocation" of cudaErrorMemoryAllocation.
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]+", name.removeprefix("cudaError"))
        super().__init__(call, status, name, detail or " ".join(words).lower())
        self.args = (status, call, detail)

    @property
    def summary(self) -> str:
        """The message without what is known of launches."""
        return f"{self.status_name}: {self.detail}"

    def __str__(self) -> str:
        return f"{self.summary}\n{self.report}" if self.report else self.summary


class DriverError(CUDARuntimeError):
    """A call of the CUDA driver failed.

    Attributes
    ----------
    status : int
        The driver's status.
    status_name : str
        Its name, such as ``CUDA_ERROR_OUT_OF_MEMORY``.
    call : str
        The C function that returned it.
    detail : str
        What the driver says about the status, or about this very failure.
    kernel : str
        The kernel at fault, where it is known.
    launches : tuple of gpuarray.debug.Launch
        After the fault of a kernel: the launches that were not known to have ended, newest first,
        or the very launch where it is known.
    report : str
        What the message says of them.
    """

    def __init__(self, call: str, status: int, status_name: str, detail: str = "") -> None:
        StatusError.__init__(self, call, status, status_name, detail)

    @property
    def summary(self) -> str:
        """The message without what is known of launches."""
        return _call_and_status(self)


class InvalidDeviceError(CUDARuntimeError, ValueError):
    """There is no device of the number that was given.

    Parameters
    ----------
    detail : str
        The number, and what devices there are.
    """

    def __init__(self, detail: str) -> None:
        super().__init__(101, "", detail)
        self.args = (detail,)


class InvalidCopyKindError(CUDARuntimeError, ValueError):
    """There is no kind of copies of the number that was given.

    Parameters
    ----------
    detail : str
        The function, the number, and what kinds there are.
    """

    def __init__(self, detail: str) -> None:
        super().__init__(21, "", detail)
        self.args = (detail,)


class ForkError(CUDAError):
    """A process that was forked used what only its parent can use, such as the device."""


class NVRTCError(StatusError):
    """A call of NVRTC failed for a reason other than the source it compiled."""


class LibraryError(StatusError):
    """A call of a CUDA library (cuBLAS, cuSOLVER, ...) failed."""


class CUBLASError(LibraryError):
    """A call of cuBLAS failed."""


class CUSOLVERError(LibraryError):
    """A call of cuSOLVER failed."""


class CuSparseError(LibraryError):
    """A call of cuSPARSE failed."""


class CuDSSError(LibraryError):
    """A call of cuDSS failed."""


class CURANDError(LibraryError):
    """A call of cuRAND failed."""


class CuFFTError(LibraryError):
    """A call of cuFFT failed; `result` is CuPy's name of the status."""

    @property
    def result(self) -> int:
        """The status as the library returned it."""
        return self.status


class NcclError(LibraryError):
    """A call of NCCL failed; the message begins with CuPy's name of the status."""

    def __str__(self) -> str:
        words = re.findall(r"[A-Z][a-z]+", self.status_name)
        return "_".join(["NCCL_ERROR", *[word.upper() for word in words]]) + f": {self.summary}"


class CaptureError(CUDARuntimeError):
    """What was asked for cannot be done while a stream is being captured, or gave no graph.

    Parameters
    ----------
    message : str
        What, and what to do instead.
    status : int, optional
        The runtime's status, ``cudaErrorStreamCaptureUnsupported`` by default.
    """

    def __init__(self, message: str, status: int = 900) -> None:
        super().__init__(status, detail=message)
        self.args = (message, status)

    def __str__(self) -> str:
        return self.detail


class CheckError(CUDAError):
    """The checkers of the emulator found faults in kernels.

    Attributes
    ----------
    findings : list
        Each distinct finding, with its kind, kernel, block, thread, address and source line.
    """

    def __init__(self, findings: Sequence[Any]) -> None:
        self.findings = list(findings)
        count = len(self.findings)
        texts = "\n".join(str(finding) for finding in self.findings)
        super().__init__(f"{count} finding{'s' if count != 1 else ''}\n{texts}")


class CompileError(CUDAError):
    """CUDA C++ source did not compile.

    The message shows the numbered source lines around each fault that the log names.

    Attributes
    ----------
    source : str
        The source that was compiled.
    log : str
        The compiler's log.
    options : tuple of str
        The options it was compiled with.
    kernel_name : str
        What was being compiled; `name` is CuPy's name for it.
    backend : str
        The compiler: 'nvrtc', or 'nvcc' of `gpuarray.cuda.compiler.compile_using_nvcc`.
    """

    _DOING = "compiling"
    backend = "nvrtc"

    def __init__(
        self,
        log: str,
        *,
        source: str = "",
        options: Sequence[str] = (),
        kernel_name: str = "",
        file_name: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(log)
        self.log = log
        self.source = source
        self.options = tuple(options)
        self.kernel_name = kernel_name
        self.file_name = file_name or kernel_name
        self.headers = dict(headers or {})

    def __reduce__(self) -> tuple[Any, ...]:
        # RuntimeError's own way of unpickling knows nothing of keyword arguments.
        return type(self), (self.log,), self.__dict__.copy()

    def __str__(self) -> str:
        parts = [f"{self._DOING} {self.kernel_name or 'a kernel'} failed"]
        faults, rest = excerpts(self.log, self._text_of)
        parts.extend(faults)
        if rest.strip():
            parts.append(rest.strip("\n"))
        if self.options:
            parts.append("options: " + " ".join(self.options))
        return "\n\n".join(parts)

    @property
    def name(self) -> str:
        """What was being compiled."""
        return self.kernel_name

    def get_message(self) -> str:
        """The message, as CuPy calls it."""
        return str(self)

    def dump(self, f: Any) -> None:
        """Write the message and the whole source with the numbers of its lines.

        Parameters
        ----------
        f : file
            Where to.
        """
        lines = self.source.split("\n")
        width = len(str(len(lines)))
        numbered = [f"{number:{width}d} | {line}" for number, line in enumerate(lines, 1)]
        f.write("\n".join([f"{self}\n", f"source of {self.name or 'a kernel'}:", *numbered, ""]))
        f.flush()

    def _text_of(self, file_name: str) -> str | None:
        if file_name and file_name == self.file_name:
            return self.source
        return self.headers.get(file_name)


class LinkError(CompileError):
    """Compiled device code could not be linked."""

    _DOING = "linking"


class OutOfMemoryError(MemoryError):
    """Device memory ran out.

    Attributes
    ----------
    requested, total, limit, free : int
        Bytes asked for, held by the pool, allowed to the pool (0: no limit), free on the device.
    used : int or None
        Bytes of the pool that are in use, if that is known; the others are cached.
    holders : tuple of str
        The largest memory in use: its size, the arrays over it, and where it was allocated if
        `tracemalloc` traces that.
    """

    def __init__(
        self,
        requested: int,
        total: int = 0,
        limit: int = 0,
        free: int = 0,
        used: int | None = None,
        holders: tuple[str, ...] = (),
    ) -> None:
        super().__init__(requested, total, limit, free, used, holders)
        self.requested = requested
        self.total = total
        self.limit = limit
        self.free = free
        self.used = used
        self.holders = holders

    def __str__(self) -> str:
        text = f"out of device memory allocating {self.requested:,} bytes"
        text += f" (the pool holds {self.total:,} bytes"
        if self.limit:
            text += f" of its limit of {self.limit:,}"
        if self.used is not None:
            text += f": {self.used:,} in use and {self.total - self.used:,} cached"
        text += f"; {self.free:,} are free on the device)"
        if self.limit and self.total + self.requested > self.limit:
            text += "; raise the pool's limit with set_limit() or free some arrays"
        else:
            text += "; delete arrays, or call free_all_blocks() on the memory pool"
        return "\n  ".join([text, *(f"in use: {holder}" for holder in self.holders)])


class OutOfPinnedMemoryError(OutOfMemoryError):
    """The system has no more host memory that it could page-lock."""

    def __str__(self) -> str:
        return (
            f"out of page-locked host memory allocating {self.requested:,} bytes; delete arrays "
            "over such memory, call free_all_blocks() on other pools of it, or use NumPy's own "
            "memory, which copies need not be page-locked for"
        )


class LibraryNotFoundError(ImportError):
    """A CUDA library could not be found or opened."""


class MixedCUDAError(CUDAError):
    """CUDA libraries of different major versions would have to be used together."""


class HostArrayError(TypeError):
    """A host array was mixed with device arrays."""


class UnsupportedDTypeError(TypeError):
    """There is no device type for a NumPy dtype."""


class BackendWarning(UserWarning):
    """No GPU answered, so work runs on the emulator."""
