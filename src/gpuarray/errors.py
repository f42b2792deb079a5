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
    "CUBLASError",
    "CUDAError",
    "CUDARuntimeError",
    "CURANDError",
    "CUSOLVERError",
    "CaptureError",
    "CheckError",
    "CompileError",
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
        name = _runtime_status_name(status)
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


#: cudaError, each name without that prefix.
_RUNTIME_STATUSES = """
1:InvalidValue 2:MemoryAllocation 3:InitializationError 4:CudartUnloading 5:ProfilerDisabled
6:ProfilerNotInitialized 7:ProfilerAlreadyStarted 8:ProfilerAlreadyStopped
9:InvalidConfiguration 10:VersionTranslation 12:InvalidPitchValue 13:InvalidSymbol
16:InvalidHostPointer 17:InvalidDevicePointer 18:InvalidTexture 19:InvalidTextureBinding
20:InvalidChannelDescriptor 21:InvalidMemcpyDirection 22:AddressOfConstant 23:TextureFetchFailed
24:TextureNotBound 25:SynchronizationError 26:InvalidFilterSetting 27:InvalidNormSetting
28:MixedDeviceExecution 31:NotYetImplemented 32:MemoryValueTooLarge 34:StubLibrary
35:InsufficientDriver 36:CallRequiresNewerDriver 37:InvalidSurface 43:DuplicateVariableName
44:DuplicateTextureName 45:DuplicateSurfaceName 46:DevicesUnavailable
49:IncompatibleDriverContext 52:MissingConfiguration 53:PriorLaunchFailure
65:LaunchMaxDepthExceeded 66:LaunchFileScopedTex 67:LaunchFileScopedSurf 68:SyncDepthExceeded
69:LaunchPendingCountExceeded 98:InvalidDeviceFunction 100:NoDevice 101:InvalidDevice
102:DeviceNotLicensed 103:SoftwareValidityNotEstablished 127:StartupFailure
200:InvalidKernelImage 201:DeviceUninitialized 205:MapBufferObjectFailed
206:UnmapBufferObjectFailed 207:ArrayIsMapped 208:AlreadyMapped 209:NoKernelImageForDevice
210:AlreadyAcquired 211:NotMapped 212:NotMappedAsArray 213:NotMappedAsPointer
214:ECCUncorrectable 215:UnsupportedLimit 216:DeviceAlreadyInUse 217:PeerAccessUnsupported
218:InvalidPtx 219:InvalidGraphicsContext 220:NvlinkUncorrectable 221:JitCompilerNotFound
222:UnsupportedPtxVersion 223:JitCompilationDisabled 224:UnsupportedExecAffinity
225:UnsupportedDevSideSync 226:Contained 227:InsufficientLoaderVersion 300:InvalidSource
301:FileNotFound 302:SharedObjectSymbolNotFound 303:SharedObjectInitFailed 304:OperatingSystem
400:InvalidResourceHandle 401:IllegalState 402:LossyQuery 500:SymbolNotFound 600:NotReady
700:IllegalAddress 701:LaunchOutOfResources 702:LaunchTimeout 703:LaunchIncompatibleTexturing
704:PeerAccessAlreadyEnabled 705:PeerAccessNotEnabled 708:SetOnActiveProcess
709:ContextIsDestroyed 710:Assert 711:TooManyPeers 712:HostMemoryAlreadyRegistered
713:HostMemoryNotRegistered 714:HardwareStackError 715:IllegalInstruction 716:MisalignedAddress
717:InvalidAddressSpace 718:InvalidPc 719:LaunchFailure 720:CooperativeLaunchTooLarge
721:TensorMemoryLeak 800:NotPermitted 801:NotSupported 802:SystemNotReady
803:SystemDriverMismatch 804:CompatNotSupportedOnDevice 805:MpsConnectionFailed
806:MpsRpcFailure 807:MpsServerNotReady 808:MpsMaxClientsReached 809:MpsMaxConnectionsReached
810:MpsClientTerminated 811:CdpNotSupported 812:CdpVersionMismatch 900:StreamCaptureUnsupported
901:StreamCaptureInvalidated 902:StreamCaptureMerge 903:StreamCaptureUnmatched
904:StreamCaptureUnjoined 905:StreamCaptureIsolation 906:StreamCaptureImplicit 907:CapturedEvent
908:StreamCaptureWrongThread 909:Timeout 910:GraphExecUpdateFailure 911:ExternalDevice
912:InvalidClusterSize 913:FunctionNotLoaded 914:InvalidResourceType
915:InvalidResourceConfiguration 917:StreamDetached 918:GraphRecaptureFailure 919:FabricNotReady
999:Unknown 10000:ApiFailureBase
"""


def _runtime_status_name(status: int) -> str:
    found = re.search(rf"\s{status:d}:(\w+)", _RUNTIME_STATUSES)
    return f"cudaError{found[1]}" if found else "unknown status"
