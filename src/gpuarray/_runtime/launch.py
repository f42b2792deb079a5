"""Loaded kernels, and everything about a launch that can be decided before it."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuarray._config import config
from gpuarray._ffi import driver
from gpuarray._runtime import debugging, launch_history
from gpuarray._runtime.device import Device
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import compiler

GRID_LIMIT = 2**31 - 1  # blocks in the first dimension


class Function:
    """A kernel loaded on a device."""

    __slots__ = ("argument", "device", "handle", "module", "name", "parameters", "source")

    def __init__(self, device: Device, module: int, source: Any):
        self.device = device
        self.module = module
        self.source = source
        self.name = source.name
        self.parameters: tuple[int, ...] = source.parameters
        self.handle = driver.module_get_function(module, source.name)
        self.argument = driver.function_argument(self.handle)

    def code(self) -> launch_history.Code:
        """What the kernel was compiled from."""
        source = self.source
        return launch_history.Code(
            self.name, self.name, source.source, source.headers, source.options
        )


def load(spec: Any, render: Callable[[Any], Any], device: Device) -> tuple[Function, Any]:
    """The kernel of a spec on a device, rendered, compiled and loaded at its first use.

    Returns
    -------
    Function, KernelSource
    """
    found = device.functions.get(spec)
    if found is None:
        source = render(spec)
        image = compiler.compilation.compile(
            source.source,
            name=source.name,
            headers=source.headers,
            options=source.options,
            architecture=device.architecture,
            kind=driver.image_kind,
        )
        with device:
            module = driver.module_load_data(image.data)
        function = Function(device, module, source)
        found = device.functions.setdefault(spec, (function, source))
    return found


class LaunchPlan:
    """A launch of one kernel with everything but the addresses decided.

    Parameters
    ----------
    function : Function
        The kernel.
    grid, block : tuple of int
        Blocks and threads in x, y and z.
    constants : dict of int to bytes
        Values of the parameters that are the same at every launch.
    shared_bytes : int
        Dynamic shared memory.
    """

    __slots__ = ("block", "constants", "function", "grid", "shared_bytes", "sizes")

    def __init__(
        self,
        function: Function,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        constants: dict[int, bytes],
        shared_bytes: int = 0,
    ):
        self.function = function
        self.grid = grid
        self.block = block
        self.constants = constants
        self.shared_bytes = shared_bytes
        self.sizes = function.parameters


class BoundLaunch:
    """A launch plan made ready for one stream.

    ``launch(config, function, params, None)`` is one foreign call whose arguments all exist
    beforehand. ``params`` belongs to an argument buffer: threads must not share one, so each
    call takes a buffer from ``spare`` (or makes one) and puts it back.

    A buffer is the tuple ``(words, params, *slots)``: addresses are stored to ``words``, which
    shows the buffer as 8-byte words (``word_of`` says where a parameter is), and values to
    ``slots[i][0]``, one for each parameter that is a scalar.
    """

    __slots__ = (
        "config", "function", "launch", "names", "plan", "scalars", "spare", "stream", "trace",
        "word_of",
    )  # fmt: skip

    #: Which lines :mod:`gpuarray._calls` writes for it.
    kind = "launch"

    def __init__(
        self, plan: LaunchPlan, stream: Stream, scalars: Sequence[tuple[int, np.dtype]] = ()
    ):
        self.plan = plan
        self.stream = stream
        self.scalars = scalars
        self.config = driver.launch_config(plan.grid, plan.block, plan.shared_bytes, stream.handle)
        self.function = plan.function.argument
        buffer = driver.ArgumentBuffer(plan.sizes)
        self.word_of = [offset // 8 for offset in buffer.offsets]
        self.spare: list[tuple] = []
        #: What the leading parameters are called; see :func:`gpuarray._calls.make_call`.
        self.names: Sequence[str] = ()
        self.trace = launch_history.Trace(
            plan.function.name,
            plan.grid,
            plan.block,
            plan.shared_bytes,
            stream.device.id,
            stream.handle,
            plan.sizes,
            self.spare,
            0,
            plan.function.code,
        )
        self.launch = debugging.launch_of(self.trace, stream) if config.debug else driver.launch

    def make_buffer(self, *arguments: Any) -> tuple:
        """A new argument buffer with the constants filled in, for a launch with these arguments.

        What it notes of them for reports holds for all launches, but for addresses and numbers.
        """
        scalars = dict(self.scalars)
        self.trace.parameters = tuple(
            [
                (name, scalars.get(i) or getattr(argument, "_layout", None))
                for i, (name, argument) in enumerate(zip(self.names, arguments))
            ]
        )
        buffer = driver.ArgumentBuffer(self.plan.sizes)
        for position, value in self.plan.constants.items():
            offset = buffer.offsets[position]
            buffer.bytes[offset : offset + len(value)] = value
        slots = [scalar_slot(buffer, position, dtype) for position, dtype in self.scalars]
        return buffer.words, buffer.params, *slots

    def constants(self) -> dict[str, Any]:
        """What the lines of a call name of this launch."""
        return {
            "launch": self.launch,
            "config": self.config,
            "function": self.function,
            "take": self.spare.pop,
            "give": self.spare.append,
            "make": self.make_buffer,
            "failed": self.failed,
            "trace": self.trace,
        }

    def failed(self, status: int) -> BaseException:
        """The exception for a launch that the driver refused."""
        return launch_history.failed(self.trace, status)


def scalar_slot(buffer: Any, position: int, dtype: np.dtype) -> Any:
    """What stores a scalar argument: ``slot[0] = value``."""
    if dtype.char in "?bBhHiIlLqQfd":
        return buffer.view(position, dtype.char)
    return _PackedSlot(buffer, position, dtype)


class _PackedSlot:
    """Stores values that a memoryview has no format for: float16 and complex."""

    __slots__ = ("dtype", "start", "storage", "stop")

    def __init__(self, buffer: Any, position: int, dtype: np.dtype):
        self.storage = buffer.bytes
        self.start = buffer.offsets[position]
        self.stop = self.start + dtype.itemsize
        self.dtype = dtype

    def __setitem__(self, index: int, value: Any) -> None:
        with np.errstate(over="ignore"):  # a float beyond float16's range becomes infinite
            self.storage[self.start : self.stop] = np.array(value, self.dtype).tobytes()


def pack_integers(values: Sequence[int], index: str) -> bytes:
    """Integers as an array of the kernel's index type (``'int32'`` or ``'int64'``)."""
    return struct.pack(f"={len(values)}{'i' if index == 'int32' else 'q'}", *values)


def grid_for(blocks: int) -> tuple[int, int, int]:
    """A one-dimensional grid; kernels loop where there are more blocks than a grid can have."""
    return (min(max(blocks, 1), GRID_LIMIT), 1, 1)
