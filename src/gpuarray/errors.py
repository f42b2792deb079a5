"""Every exception and warning that gpuarray defines.

CuPy's names for some of them are aliases in the public packages.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = [
    "BackendWarning",
    "CUDAError",
    "CheckError",
    "CompileError",
    "DriverError",
    "ForkError",
    "HostArrayError",
    "LibraryError",
    "LibraryNotFoundError",
    "LinkError",
    "MixedCUDAError",
    "NVRTCError",
    "OutOfMemoryError",
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

    def __str__(self) -> str:
        text = f"{self.call} failed with {self.status_name} ({self.status})"
        return f"{text}: {self.detail}" if self.detail else text


class DriverError(StatusError):
    """A call of the CUDA driver failed.

    Attributes
    ----------
    kernel : str
        The kernel at fault, where it is known.
    launches : tuple of gpuarray.debug.Launch
        After the fault of a kernel: the launches that were not known to have ended, newest first,
        or the very launch where it is known.
    report : str
        What the message says of them.
    """

    kernel: str = ""
    launches: tuple[Any, ...] = ()
    report: str = ""

    def __str__(self) -> str:
        text = super().__str__()
        return f"{text}\n{self.report}" if self.report else text


class ForkError(CUDAError):
    """A process that was forked used what only its parent can use, such as the device."""


class NVRTCError(StatusError):
    """A call of NVRTC failed for a reason other than the source it compiled."""


class LibraryError(StatusError):
    """A call of a CUDA library (cuBLAS, cuSOLVER, ...) failed."""


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
        What was being compiled.
    """

    _DOING = "compiling"
    #: Lines at fault that are shown at most.
    _MOST_FAULTS = 8

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
        excerpts, rest = self._excerpts()
        parts.extend(excerpts)
        if rest.strip():
            parts.append(rest.strip("\n"))
        if self.options:
            parts.append("options: " + " ".join(self.options))
        return "\n\n".join(parts)

    def _excerpts(self) -> tuple[list[str], str]:
        """The source around each fault with its message, and what the log says besides."""
        excerpts: list[str] = []
        rest: list[str] = []
        shown: tuple[str, int] | None = None
        left_out = 0
        lines = iter(self.log.splitlines())
        for line in lines:
            match = _FAULT.match(line)
            file_name, number = (
                (match[1] or match[3], int(match[2] or match[4])) if match else ("", 0)
            )
            text = self._text_of(file_name)
            again = shown == (file_name, number)
            if text is None:
                rest.append(line)
                continue
            if len(excerpts) == self._MOST_FAULTS and not again:
                left_out += 1
                for _ in itertools.takewhile(str.strip, lines):
                    pass  # the message's other lines, which templates make long
                continue
            # NVRTC repeats the line and points into it; the caret is kept, below our own line.
            message, caret = [line], ""
            for more in itertools.takewhile(str.strip, lines) if match and match[1] else ():
                if more.strip() == "^":
                    caret = more[2:]
                    message.pop()
                else:
                    message.append(more)
            if again:  # one fault makes several messages: the line is shown once
                head, _, excerpt = excerpts.pop().rpartition("\n\0")
                excerpts.append("\n".join([head, *message]) + f"\n\0{excerpt}")
            else:
                excerpts.append("\n".join(message) + f"\n\0{_excerpt(text, number, caret)}")
            shown = file_name, number
        if left_out:
            rest.insert(0, f"({left_out} more: the error's log has them)\n")
        return [excerpt.replace("\0", "") for excerpt in excerpts], "\n".join(rest)

    def _text_of(self, file_name: str) -> str | None:
        if file_name and file_name == self.file_name:
            return self.source
        return self.headers.get(file_name)


#: A message of NVRTC's front end, or of the assembler that gets the PTX of it.
_FAULT = re.compile(
    r"(.+?)\((\d+)\): (?:catastrophic |fatal )?error\b"
    r"|ptxas (application ptx input), line (\d+); (?:error|fatal)\b"
)
#: Under which name `CompileError.headers` has that PTX.
ASSEMBLY = "application ptx input"
#: Lines shown before and after a fault.
_AROUND = 3


def _excerpt(text: str, number: int, caret: str) -> str:
    """The lines around one, numbered as the compiler does: ``#line`` sets the number."""
    lines = text.split("\n")
    numbers: list[int] = []
    following = 1
    for line in lines:
        numbers.append(following)
        directive = re.match(r"\s*#\s*line\s+(\d+)", line)
        following = int(directive[1]) if directive else following + 1
    # After a directive a number comes a second time: then the later line is the user's.
    places = [place for place, its_number in enumerate(numbers) if its_number == number]
    at = places[-1] if places else len(lines) - 1
    if lines[-1] == "":
        lines.pop()
    around = range(max(0, at - _AROUND), min(len(lines), at + _AROUND + 1))
    width = max((len(str(numbers[place])) for place in around), default=1)
    shown = []
    for place in around:
        mark = ">" if place == at else " "
        line = lines[place].rstrip("\r")
        shown.append(f"{mark} {numbers[place]:{width}d} | {line}")
        if place == at and caret:
            shown.append(f"  {'':{width}} | {caret}")
    return "\n".join(shown)


class LinkError(CompileError):
    """Compiled device code could not be linked."""

    _DOING = "linking"


class OutOfMemoryError(MemoryError):
    """Device memory ran out.

    Attributes
    ----------
    requested, total, limit, free : int
        Bytes asked for, held by the pool, allowed to the pool (0: no limit), free on the device.
    """

    def __init__(self, requested: int, total: int = 0, limit: int = 0, free: int = 0) -> None:
        super().__init__(requested, total, limit, free)
        self.requested = requested
        self.total = total
        self.limit = limit
        self.free = free

    def __str__(self) -> str:
        text = f"out of device memory allocating {self.requested:,} bytes"
        text += f" (the pool holds {self.total:,} bytes"
        if self.limit:
            text += f" of its limit of {self.limit:,}"
        text += f"; {self.free:,} are free on the device)"
        if self.limit and self.total + self.requested > self.limit:
            return text + "; raise the pool's limit with set_limit() or free some arrays"
        return text + "; delete arrays, or call free_all_blocks() on the memory pool"


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
