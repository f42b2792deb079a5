"""Launches under ``GPUARRAY_DEBUG=1``: waited for, with what is needed to run them again.

After a fault a GPU's memory cannot be read any more, so the memory that a launch is given is
copied to the host before it, up to ``GPUARRAY_DEBUG_BYTES``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gpuarray._config import config
from gpuarray._ffi import driver
from gpuarray._runtime import launch_history
from gpuarray._runtime.launch_history import Launch, LaunchTrace, Line
from gpuarray._runtime.stream import Stream
from gpuarray.errors import DriverError


class SavedMemory(NamedTuple):
    """A run of device memory, as it was before a launch; `data` is None where it was not kept."""

    address: int
    size: int
    data: np.ndarray | None


class Fault(NamedTuple):
    """A launch that failed.

    Attributes
    ----------
    launch : Launch
        The kernel, its shape and its arguments.
    line : Line or None
        Where the program launched it.
    error : str
        What was raised.
    code, sizes, parameters, pointers, memory, attributes
        What a replay needs of it.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.debug.last_fault() is None  # doctest: +SKIP
    True
    """

    launch: Launch
    line: Line | None
    error: str
    code: Callable[[], launch_history.KernelCode]
    sizes: tuple[int, ...]  # of the parameters, in bytes
    parameters: bytes  # as an ArgumentBuffer has them
    pointers: tuple[int, ...]  # the parameters that are addresses
    memory: tuple[SavedMemory, ...]
    attributes: dict[str, Any]

    @property
    def missing(self) -> int:
        """Bytes of memory that were not kept."""
        return sum([block.size for block in self.memory if block.data is None])


#: The last launch that failed.
last_fault: Fault | None = None


def launch_of(trace: LaunchTrace, stream: Stream) -> Callable[..., int]:
    """A launch that waits for its kernel, and keeps what it was given if that fails.

    In place of ``extra`` it takes the argument buffer's words and the arguments themselves.
    """

    def launch(launch_config: Any, function: Any, params: Any, given: tuple) -> int:
        global last_fault
        words, *arguments = given
        if driver.stream_is_capturing(stream.handle):
            return driver.launch(launch_config, function, params, None)
        stream.synchronize()
        pointers, memory = _keep(trace, words, arguments)
        layouts = tuple([x._layout for x in arguments if hasattr(x, "_layout")])
        status = driver.launch(launch_config, function, params, None)
        if status:
            stream.drop_plans()  # as BoundLaunch.failed does
            error: Any = launch_history.failed(trace, status, layouts)
        else:
            try:
                stream.synchronize()
                return 0
            except DriverError as waited:
                error = waited
                error.kernel = trace.kernel
                error.detail = f"kernel {trace.kernel}: {error.detail}"
                error.args = (error.call, error.status, error.status_name, error.detail)
        if not isinstance(error, DriverError) or not error.kernel:
            raise error
        if error.status not in driver.KERNEL_FAULTS:
            raise error
        rest = iter(layouts)
        known = [(name, next(rest) if w == "array" else w) for name, w in trace.parameters]
        described = trace.describe(known, words)
        line = launch_history.users_line()
        launch_history.blame(error, described, f"Launched at {line}:", trace.code)
        last_fault = Fault(
            described,
            line,
            error.summary,
            trace.code,
            trace.sizes,
            bytes(words),
            pointers,
            memory,
            dict(trace.attributes),
        )
        raise error

    return launch


def call_of(
    function: Callable[..., int],
    trace: LaunchTrace,
    stream: Stream,
    failed: Callable[[int], BaseException],
) -> Callable[..., int]:
    """A call of a library's function that waits for what it queued, and names it if that fails.

    It takes the words of the prebuilt arguments before the arguments.
    """

    def call(words: memoryview, *arguments: Any) -> int:
        if driver.stream_is_capturing(stream.handle):
            return function(*arguments)
        stream.synchronize()
        try:
            status = function(*arguments)
            if status:
                raise failed(status)
            stream.synchronize()
        except DriverError as error:
            if error.status in driver.KERNEL_FAULTS:
                line = launch_history.users_line()
                described = trace.describe(trace.parameters, words)
                launch_history.blame(error, described, f"Called at {line}:")
            raise
        return 0

    return call


def _keep(
    trace: LaunchTrace, words: memoryview, arguments: Sequence[Any]
) -> tuple[tuple[int, ...], tuple[SavedMemory, ...]]:
    """Which parameters are addresses, and the memory that they point into."""
    pointers = []
    found: dict[int, int] = {}
    offsets = driver.ArgumentBuffer(trace.sizes).offsets
    for number, (offset, size) in enumerate(zip(offsets, trace.sizes)):
        argument = arguments[number] if number < len(arguments) else None
        memory = getattr(argument, "_memory", None)  # of an array
        # An array may be a structure, which its address leads.
        address = words[offset // 8] if size == 8 or memory is not None else 0
        if not address or isinstance(argument, (bool, int, float, complex, np.generic)):
            continue
        if memory is None:
            memory = getattr(argument, "mem", argument)  # of a pointer; scratch is memory itself
        start, nbytes = getattr(memory, "pointer", 0), getattr(memory, "size", 0)
        if not start <= address < start + nbytes:
            # Somebody else's array, or an address among the constants: the driver may know it.
            try:
                start, nbytes = driver.mem_get_address_range(address)
            except DriverError:
                continue
        pointers.append(number)
        found[start] = max(nbytes, found.get(start, 0))
    room = config.debug_bytes
    blocks = []
    for start, nbytes in found.items():
        data = None
        if nbytes <= room:
            room -= nbytes
            data = np.empty(nbytes, np.uint8)
            driver.memcpy_dtoh(data.ctypes.data, start, nbytes)
        blocks.append(SavedMemory(start, nbytes, data))
    return tuple(pointers), tuple(blocks)
