"""Loaded kernels, and everything about a launch that can be decided before it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ffi import driver
from gpuarray._integers import shortened
from gpuarray._runtime import function_hook, launch_history, user_code
from gpuarray._runtime.device import Device
from gpuarray._runtime.stream import Stream
from gpuarray._runtime.user_code import LoadedCode
from gpuarray.kernels import compiler

if TYPE_CHECKING:
    from gpuarray.kernels.generator.parameters import KernelParameter

GRID_LIMIT = 2**31 - 1  # blocks in the first dimension

#: Kernels of a generation. A device keeps two generations: a kernel that nothing is planned with
#: while so many others are loaded is dropped, and stays loaded as long as plans have it.
FUNCTION_LIMIT = 1024


class LoadedKernel(LoadedCode):
    """A kernel loaded on a device."""

    __slots__ = ("argument", "handle", "name", "parameters", "source")

    def __init__(self, device: Device, image: bytes, source: Any):
        super().__init__(device, image)
        self.source = source
        self.name = source.name
        self.parameters: tuple[KernelParameter, ...] = source.parameters
        self.handle = driver.module_get_function(self.module, source.name)
        self.argument = driver.function_argument(self.handle)

    def code(self) -> launch_history.KernelCode:
        """What the kernel was compiled from."""
        source = self.source
        return launch_history.KernelCode(
            self.name, self.name, source.source, source.headers, source.options
        )


def load(spec: Any, render: Callable[[Any], Any], device: Device) -> tuple[LoadedKernel, Any]:
    """The kernel of a spec on a device, rendered, compiled and loaded at its first use.

    Returns
    -------
    LoadedKernel, KernelSource
    """
    # Imported here: importing the package loads no kernel generator.
    from gpuarray.kernels.generator.user_code import UserCode

    if isinstance(getattr(spec, "code", None), UserCode):
        loaded = user_code.find(device, spec, lambda: _load(render(spec), device))
        return loaded, loaded.source
    found = device.functions.get(spec)
    if found is None:
        found = device.older_functions.pop(spec, None)
        if found is None:
            function = _load(render(spec), device)
            found = function, function.source
        if len(device.functions) >= FUNCTION_LIMIT and not driver.has_captured():
            # Those that no plan has are unloaded. After a capture none is, so all are kept here.
            device.older_functions, device.functions = device.functions, {}
        found = device.functions.setdefault(spec, found)
    return found


def _load(source: Any, device: Device) -> LoadedKernel:
    image = compiler.compilation.compile(
        source.source,
        name=source.name,
        headers=source.headers,
        options=source.options,
        architecture=device.architecture,
        kind=driver.image_kind,
    )
    return LoadedKernel(device, image.data, source)


class LaunchPlan:
    """A launch of one kernel with everything but the addresses decided.

    Parameters
    ----------
    function : LoadedKernel
        The kernel.
    grid, block : tuple of int
        Blocks and threads in x, y and z.
    constants : dict of str to int or mapping
        Values of the parameters that are the same at every launch, by the parameters' names; see
        :meth:`KernelParameter.pack`.
    shared_bytes : int
        Dynamic shared memory.
    parameters : sequence of KernelParameter, optional
        The kernel's parameters, where the function itself does not know them.
    """

    __slots__ = ("block", "constants", "function", "grid", "parameters", "shared_bytes")

    def __init__(
        self,
        function: LoadedKernel,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        constants: dict[str, Any],
        shared_bytes: int = 0,
        parameters: Sequence[KernelParameter] | None = None,
    ):
        self.function = function
        self.grid = grid
        self.block = block
        self.constants = constants
        self.shared_bytes = shared_bytes
        self.parameters = function.parameters if parameters is None else parameters


class BoundLaunch:
    """A launch plan made ready for one stream.

    ``launch(config, function, params, None)`` is one foreign call whose arguments all exist
    beforehand. ``params`` belongs to an argument buffer: threads must not share one, so each
    call takes a buffer from ``spare`` (or makes one) and puts it back.

    A buffer is the tuple ``(words, params, *slots)``: addresses are stored to ``words``, which
    shows the buffer as 8-byte words, and values to ``slots[i][0]``, one for each parameter that is
    a scalar. ``scalars`` has the dtypes of those by name. ``operation`` is what errors about them
    name.
    """

    __slots__ = (
        "_constants", "_names", "_offsets", "_operation", "_scalars", "_sizes", "config",
        "function", "launch", "plan", "spare", "stream", "trace",
    )  # fmt: skip

    #: Which lines :mod:`gpuarray._calls` writes for it.
    kind = "launch"

    def __init__(
        self,
        plan: LaunchPlan,
        stream: Stream,
        scalars: Mapping[str, np.dtype] | None = None,
        operation: str = "",
    ):
        self.plan = plan
        self._operation = operation or plan.function.name
        self.stream = stream
        self.config = driver.launch_config(plan.grid, plan.block, plan.shared_bytes, stream.handle)
        self.function = plan.function.argument
        self._sizes = tuple([parameter.nbytes for parameter in plan.parameters])
        self._offsets = driver.ArgumentBuffer(self._sizes).offsets
        by_name = {parameter.name: i for i, parameter in enumerate(plan.parameters)}
        self._constants = [
            (self._offsets[by_name[name]], plan.parameters[by_name[name]].pack(value))
            for name, value in plan.constants.items()
        ]
        self._scalars = {by_name[name]: dtype for name, dtype in (scalars or {}).items()}
        #: What the leading parameters are called in reports.
        self._names: Sequence[str] = ()
        self.spare: list[tuple] = []
        self.trace = launch_history.LaunchTrace(
            plan.function.name,
            plan.grid,
            plan.block,
            plan.shared_bytes,
            stream.device.id,
            stream.handle,
            self._sizes,
            self.spare,
            plan.function.code,
        )
        self.launch = function_hook.launch_of(self.trace, stream)

    def arguments(self, passed: Mapping[str, str]) -> tuple[tuple[str, int], ...]:
        """What a call passes, as pairs of the argument and its word in a buffer.

        ``passed`` says by a parameter's name which argument of the call it gets. These parameters
        come first, and every other one is a constant.
        """
        plan = self.plan
        leading = plan.parameters[: len(passed)]
        if passed.keys() != {parameter.name for parameter in leading}:
            raise ValueError(
                f"{plan.function.name}: arguments are for {', '.join(passed)}, but the leading "
                f"parameters are {', '.join([parameter.name for parameter in leading])}"
            )
        missing = [x.name for x in plan.parameters[len(passed) :] if x.name not in plan.constants]
        if missing:
            raise ValueError(f"{plan.function.name}: no value for {', '.join(missing)}")
        self._names = [passed[parameter.name] for parameter in leading]
        return tuple([(name, offset // 8) for name, offset in zip(self._names, self._offsets)])

    def make_buffer(self, *arguments: Any) -> tuple:
        """A new argument buffer with the constants filled in, for a launch with these arguments.

        What it notes of them for reports holds for all launches, but for addresses and numbers.
        """
        self.trace.parameters = tuple(
            [
                (name, self._scalars.get(i) or getattr(argument, "_layout", None))
                for i, (name, argument) in enumerate(zip(self._names, arguments))
            ]
        )
        buffer = driver.ArgumentBuffer(self._sizes)
        for offset, value in self._constants:
            buffer.bytes[offset : offset + len(value)] = value
        slots = [scalar_slot(buffer, i, self._scalars[i]) for i in sorted(self._scalars)]
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
            "overflow": self.overflow,
            "trace": self.trace,
        }

    def overflow(self, argument: str, value: Any) -> OverflowError:
        """The exception for a number that the dtype of its parameter does not hold."""
        dtype = self._scalars[self._names.index(argument)]
        return OverflowError(
            f"{self._operation}: Python integer {shortened(value)} out of bounds for {dtype}; "
            "convert the array to a wider dtype first"
        )

    def failed(self, status: int) -> BaseException:
        """The exception for a launch that the driver refused, or that did not run to its end."""
        self.stream.drop_plans()  # a kernel that stopped halfway leaves look-back state unfinished
        return launch_history.failed(self.trace, status)


def scalar_slot(buffer: Any, number: int, dtype: np.dtype) -> Any:
    """What stores the scalar argument with that number: ``slot[0] = value``."""
    if dtype.char in "?bBhHiIlLqQfd":
        return buffer.view(number, dtype.char)
    return _PackedSlot(buffer, number, dtype)


class _PackedSlot:
    """Stores values that a memoryview has no format for: float16 and complex."""

    __slots__ = ("dtype", "start", "storage", "stop")

    def __init__(self, buffer: Any, number: int, dtype: np.dtype):
        self.storage = buffer.bytes
        self.start = buffer.offsets[number]
        self.stop = self.start + dtype.itemsize
        self.dtype = dtype

    def __setitem__(self, index: int, value: Any) -> None:
        with np.errstate(over="ignore"):  # a float beyond float16's range becomes infinite
            self.storage[self.start : self.stop] = np.array(value, self.dtype).tobytes()


def grid_for(blocks: int) -> tuple[int, int, int]:
    """A one-dimensional grid; kernels loop where there are more blocks than a grid can have."""
    return (min(max(blocks, 1), GRID_LIMIT), 1, 1)
