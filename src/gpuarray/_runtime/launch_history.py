"""The history of launches: what is named when a kernel fails.

A GPU tells of a fault at some later call, so every launch leaves a note here. That is one
``deque.append`` of an object that exists already (10 ns), and everything else is worked out when
somebody asks: addresses and numbers are still in the launch's argument buffer.
"""

from __future__ import annotations

import linecache
import re
import sys
from collections import deque
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from gpuarray._config import config
from gpuarray._ffi import driver
from gpuarray._layout import Layout
from gpuarray.errors import DriverError

#: How many launches are kept, and how many of them a message shows.
_KEPT = 64
_SHOWN = 8
#: What a fault means for the program.
_OVER = (
    "This process can use the device no more, and no reset changes that: start the program anew."
)
#: Packages whose frames are not the user's.
_NOT_USERS = ("gpuarray", "numpy")


class Argument(NamedTuple):
    """An argument of a launch.

    Attributes
    ----------
    name : str
        The parameter: ``x0`` and so on for inputs, ``y0`` for results, ``t0`` for scratch memory
        of this package's kernels; the position for a `RawKernel`.
    dtype : numpy.dtype or None
        Of the array or the number, where it is known.
    shape : tuple of int or None
        The array's shape, where it is known; None for a number.
    address : int or None
        The array's address, where it is still known.
    value : object
        The number, where it is still known.

    Examples
    --------
    >>> import gpuarray as cp
    >>> y = cp.arange(3, dtype="f4") + 1
    >>> cp.debug.launches()[0].arguments[0].dtype
    dtype('float32')
    """

    name: str
    dtype: Any = None
    shape: tuple[int, ...] | None = None
    address: int | None = None
    value: Any = None

    def __str__(self) -> str:
        parts = [f"{self.name}:"]
        if self.dtype is not None:
            parts.append(str(self.dtype))
        if self.shape is not None:
            parts.append(str(self.shape))
        if self.address is not None:
            parts.append(f"at {self.address:#x}" if self.address else "null")
        if self.value is not None:
            parts.append(f"= {self.value}")
        return " ".join(parts)


class Launch(NamedTuple):
    """A launch, as reports name it.

    Attributes
    ----------
    kernel : str
        The kernel's name, or that of the function of a C library.
    grid, block : tuple of int
        Blocks and threads in x, y and z; zeros for a library's function.
    shared_bytes : int
        Dynamic shared memory of a block.
    device : int
        The device's number.
    stream : int
        The stream's handle.
    arguments : tuple of Argument
        The arguments. Of several launches of one kernel with arrays of the same layouts only the
        newest has addresses and numbers.

    Examples
    --------
    >>> import gpuarray as cp
    >>> y = cp.arange(3, dtype="f4") + 1
    >>> cp.debug.launches()[0].block
    (256, 1, 1)
    """

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int
    device: int
    stream: int
    arguments: tuple[Argument, ...]

    def __str__(self) -> str:
        shared = f", {self.shared_bytes} bytes of shared memory" if self.shared_bytes else ""
        shape = f", grid {self.grid}, block {self.block}{shared}" if any(self.grid) else ""
        head = f"{self.kernel}{shape}, stream {self.stream:#x} of device {self.device}"
        return "\n    ".join([head, *map(str, self.arguments)])


class KernelCode(NamedTuple):
    """Where a kernel comes from: source for the compiler, or an image."""

    symbol: str  # the kernel, or its name expression
    name: str = ""
    source: str = ""
    headers: Mapping[str, str] = {}
    options: tuple[str, ...] = ()
    name_expressions: tuple[str, ...] = ()
    image: bytes = b""


class LaunchTrace:
    """What is known of a prepared launch. It keeps no stream and no array alive.

    Parameters
    ----------
    kernel, grid, block, shared_bytes, device, stream
        As of :class:`Launch`.
    sizes : tuple of int
        The parameters' sizes in bytes.
    spare : list
        The launch's argument buffers that are not in use, each with its words first; the last one
        was used last.
    code : callable
        Returns the kernel's `KernelCode`.
    """

    __slots__ = (
        "attributes", "block", "code", "device", "grid", "kernel", "parameters", "shared_bytes",
        "sizes", "spare", "stream",
    )  # fmt: skip

    def __init__(
        self,
        kernel: str,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        shared_bytes: int,
        device: int,
        stream: int,
        sizes: tuple[int, ...],
        spare: list,
        code: Callable[[], KernelCode],
    ):
        self.kernel = kernel
        self.grid = grid
        self.block = block
        self.shared_bytes = shared_bytes
        self.device = device
        self.stream = stream
        self.sizes = sizes
        self.spare = spare
        self.code = code
        #: Cooperation and the like, by `driver.launch_config`'s names.
        self.attributes: dict[str, Any] = {}
        #: Name and layout, dtype or None of the leading parameters.
        self.parameters: tuple[tuple[str, Any], ...] = ()

    def launch(self, layouts: tuple = (), *, latest: bool = True) -> Launch:
        """The launch; layouts of arrays are those given, in order, where they may vary."""
        words = self.spare[-1][0] if latest and self.spare else None
        rest = iter(layouts)
        known = [
            (name, next(rest, None) if kind == "array" else kind) for name, kind in self.parameters
        ]
        return self.describe(known, words)

    def describe(self, known: Any, words: memoryview | None) -> Launch:
        """The launch with parameters (name and layout, dtype or None) stored as these words."""
        offsets = driver.ArgumentBuffer(self.sizes).offsets
        data = b"" if words is None else bytes(words)
        arguments = []
        for (name, kind), offset, size in zip(known, offsets, self.sizes):
            dtype, shape, address, value = None, None, None, None
            if isinstance(kind, np.dtype):
                dtype = kind
                if data:
                    value = np.frombuffer(data, dtype, 1, offset)[0]
            else:
                if isinstance(kind, Layout):
                    dtype, shape = kind.dtype, kind.shape
                # An array may be a structure, which its address leads.
                if data and (size == 8 or isinstance(kind, Layout)):
                    address = int.from_bytes(data[offset : offset + 8], "little")
            arguments.append(Argument(name, dtype, shape, address, value))
        return Launch(
            self.kernel, self.grid, self.block, self.shared_bytes, self.device, self.stream,
            tuple(arguments),
        )  # fmt: skip


class _Ended(NamedTuple):
    """Stands behind the launches of a stream, or of a device, that are known to have ended."""

    device: int
    stream: int | None


#: A `LaunchTrace`; a tuple of one and the layouts of its arrays; or an `_Ended`.
_recent: deque[Any] = deque(maxlen=_KEPT)

#: Note a launch that the driver accepted.
note = _recent.append

#: The launch at fault, where it is known, and what was reported of it: later errors say the same.
_at_fault: tuple[tuple[Launch, ...], str] | None = None


def forget() -> None:
    """Forget all launches."""
    global _at_fault
    _recent.clear()
    _at_fault = None


def end_of(device: int, stream: int | None = None) -> Any:
    """What `ended` notes for a stream, or for a whole device."""
    return _Ended(device, stream)


def ended(mark: Any) -> None:
    """Note that everything queued on a stream, or on a whole device, has ended.

    Parameters
    ----------
    mark : object
        Of `end_of`.
    """
    if _recent and _recent[-1] is not mark:
        note(mark)


def in_flight() -> tuple[Launch, ...]:
    """The launches that are not known to have ended, newest first."""
    over: set[_Ended] = set()
    seen: set[int] = set()
    found = []
    for entry in reversed(tuple(_recent)):
        if isinstance(entry, _Ended):
            over.add(entry)
            continue
        trace, *layouts = entry if isinstance(entry, tuple) else (entry,)
        if not over.isdisjoint({_Ended(trace.device, trace.stream), _Ended(trace.device, None)}):
            continue
        # A later launch has written its own arguments over those of this one.
        found.append(trace.launch(tuple(layouts), latest=id(trace) not in seen))
        seen.add(id(trace))
    return tuple(found)


def failed(trace: LaunchTrace, status: int, layouts: tuple = ()) -> BaseException:
    """The exception for a launch for which the driver returned a status."""
    error = driver.launch_error(status, trace.kernel, trace.grid, trace.block)
    if isinstance(error, DriverError) and error.kernel and status in driver.KERNEL_FAULTS:
        blame(error, trace.launch(layouts), "The launch:", trace.code)
    if isinstance(error, DriverError) and status in _OF_ANOTHER_CONTEXT:
        _explain_context(error, trace.device)
    return error


#: CUDA_ERROR_INVALID_CONTEXT and CUDA_ERROR_INVALID_HANDLE.
_OF_ANOTHER_CONTEXT = 201, 400


def _explain_context(error: DriverError, device: int) -> None:
    """Say so if somebody else made another device current in this thread."""
    try:
        there = driver.context_get_device()
    except DriverError:
        there = None
    if there != device:
        changed = "no device" if there is None else f"device {there}"
        error.detail += (
            f"; the thread works on device {device}, but another library made {changed} current: "
            f"call gpuarray.cuda.Device({device}).use() after it did"
        )
        error.args = (*error.args[:3], error.detail)


def blame(
    error: DriverError,
    launch: Launch,
    heading: str,
    code: Callable[[], KernelCode] | None = None,
) -> None:
    """Put the launch at fault into its error, and into every later one of a lost context."""
    global _at_fault
    error.launches = (launch,)
    error.report = f"{heading}\n  {launch}"
    line = "" if code is None else _source_line(error.detail, code())
    if line:
        error.report += f"\n{line}"
    if driver.is_sticky(error.status):
        # A library's function cannot be run again on the emulator.
        error.report += f"\n{advice() if any(launch.grid) else _OVER}"
        _at_fault = error.launches, error.report


def _source_line(detail: str, code: KernelCode) -> str:
    """The line of a kernel's source that a message names, with its text."""
    number = line_number(detail, code.name)
    lines = code.source.splitlines()
    if not 0 < number <= len(lines):
        return ""
    return f"{file_name(code.name)}:{number}: {lines[number - 1].strip()}"


def file_name(name: str) -> str:
    """What the compiler calls a source in memory."""
    return name if "." in name else f"{name}.cu"


def line_number(message: str, name: str) -> int:
    """The line of a source in memory that a message names; 0 if it names none."""
    match = re.search(rf"(?<![^\s(]){re.escape(file_name(name))}:(\d+)", message)
    return int(match[1]) if match else 0


def advice() -> str:
    if config.debug:
        return (
            "gpuarray.debug.replay() runs the launch on the emulator and names the thread and the "
            f"source line. {_OVER}"
        )
    return (
        "GPUARRAY_DEBUG=1 waits for each launch, names the one at fault and its Python line, and "
        "keeps its arguments: gpuarray.debug.replay() then runs it on the emulator. "
        f"`python -m gpuarray check script.py` runs a whole script there. {_OVER}"
    )


def _explain(error: DriverError) -> None:
    """Say what was running, in an error that a kernel's fault is behind."""
    if _at_fault is not None:
        error.launches, error.report = _at_fault
        return
    error.launches = launches = in_flight()
    # A GPU tells at whatever call comes next, which the message above names.
    lines = ["An earlier kernel failed. Launches that may have been running, newest first:"]
    lines += [f"  {launch}" for launch in launches[:_SHOWN]]
    if len(launches) > _SHOWN:
        lines.append(f"  and {len(launches) - _SHOWN} before them")
    if not launches:
        lines = ["An earlier kernel failed; all launches of this package are known to have ended."]
    error.report = "\n".join([*lines, advice()])


driver.explain_faults_by(_explain)


class Line(NamedTuple):
    """A line of the user's Python program."""

    file: str
    number: int
    function: str

    def __str__(self) -> str:
        text = linecache.getline(self.file, self.number).strip()
        return f"{self.file}:{self.number}, in {self.function}" + (f": {text}" if text else "")


def users_line() -> Line | None:
    """The line of the innermost frame that is not this package's."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        package = frame.f_globals.get("__name__", "").partition(".")[0]
        if package not in _NOT_USERS:
            return Line(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
        frame = frame.f_back
    return None
