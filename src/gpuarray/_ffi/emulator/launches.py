"""The emulated launch of a kernel. It runs at once, and its status is the kernel's."""

from __future__ import annotations

import ctypes
import struct
from dataclasses import dataclass
from typing import Any

from ..structs import (
    LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
    LAUNCH_ATTRIBUTE_COOPERATIVE,
    CUlaunchAttribute,
    CUlaunchConfig,
)
from . import attributes as limits
from .capture import refuse_implicit
from .faults import DeviceFault
from .graph import KERNEL, StreamOperation
from .machine import Machine
from .modules import EmulatedFunction, active_blocks
from .statuses import (
    COOPERATIVE_LAUNCH_TOO_LARGE,
    INVALID_CLUSTER_SIZE,
    INVALID_HANDLE,
    INVALID_VALUE,
    NOT_SUPPORTED,
    Failure,
)
from .stream import stream_of

__all__ = ["KernelLaunch", "LaunchCalls", "checked_launch"]

#: CUlaunchConfig, read as one tuple, which is quicker than reading ten fields.
_CONFIG = struct.Struct("=7I4xQQI4x")
assert _CONFIG.size == ctypes.sizeof(CUlaunchConfig)
#: The elements of `extra`: CU_LAUNCH_PARAM_END, _BUFFER_POINTER and _BUFFER_SIZE.
_END, _BUFFER, _BUFFER_SIZE = 0, 1, 2

_Dim3 = tuple[int, int, int]


@dataclass(slots=True)
class KernelLaunch(StreamOperation):
    """A launch whose shape was checked and whose parameters were copied."""

    kind = KERNEL
    function: EmulatedFunction
    grid: _Dim3
    block: _Dim3
    shared: int
    data: bytes
    cooperative: bool = False

    @property
    def noun(self) -> str:
        return f"kernel {self.function.kernel.name}"

    def run(self, machine: Machine) -> None:
        """Run the kernel."""
        launch = _simt_launch or _load_simt()
        context = self.function.context
        if context.fault is not None:
            raise context.fault.with_traceback(None)
        try:
            launch(
                self.function.kernel,
                self.grid,
                self.block,
                self.data,
                self.shared,
                cooperative=self.cooperative,
                stack_bytes=context.limits.get(0, limits.STACK_BYTES),  # CU_LIMIT_STACK_SIZE
            )
        except DeviceFault as fault:
            machine.note_fault(context.device, fault)
            raise

    def can_be_updated_to(self, other: StreamOperation) -> bool:
        return isinstance(other, KernelLaunch) and self.function.context is other.function.context


#: The SIMT machine's entry; imported at the first launch.
_simt_launch: Any = None


def _load_simt() -> Any:
    global _simt_launch
    from .simt import launch

    _simt_launch = launch
    return launch


class LaunchCalls:
    """Launches; the methods have the names of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def launch_kernel_ex(
        self, config: int | None, function: int, parameters: int | None, extra: int | None
    ) -> None:
        if not config:
            raise Failure(INVALID_VALUE, "the launch configuration is null")
        gx, gy, gz, bx, by, bz, shared, stream, attributes, count = _CONFIG.unpack(
            ctypes.string_at(config, _CONFIG.size)
        )
        cooperative = bool(count) and _is_cooperative(attributes, count, (gx, gy, gz))
        self._launch(
            function, (gx, gy, gz), (bx, by, bz), shared, stream, parameters, extra, cooperative
        )

    def launch_kernel(self, function: int, *args: Any) -> None:
        gx, gy, gz, bx, by, bz, shared, stream, parameters, extra = args
        self._launch(function, (gx, gy, gz), (bx, by, bz), shared, stream, parameters, extra)

    def launch_cooperative_kernel(self, function: int, *args: Any) -> None:
        gx, gy, gz, bx, by, bz, shared, stream, parameters = args
        self._launch(function, (gx, gy, gz), (bx, by, bz), shared, stream, parameters, None, True)

    def _launch(
        self,
        function: int,
        grid: _Dim3,
        block: _Dim3,
        shared: int,
        stream: int,
        parameters: int | None,
        extra: int | None,
        cooperative: bool = False,
    ) -> None:
        machine = self._machine
        target = stream_of(machine, stream)
        entry = machine.get(function, EmulatedFunction)
        if entry.context is not target.context:
            raise Failure(
                INVALID_HANDLE,
                f"the kernel was loaded on device {entry.device.ordinal}, in another context",
            )
        launch = checked_launch(entry, grid, block, shared, parameters, extra, cooperative)
        # The same as `submit`, without the cost of a call.
        if machine.captures:
            if target.capture is not None:
                target.capture.record(target, launch)
                return
            refuse_implicit(machine, target)
        checker = machine.arena.checker
        if checker is not None:
            checker.begin(target, launch.noun, is_kernel=True)
        launch.run(machine)
        if checker is not None:
            checker.ended()


def checked_launch(
    function: EmulatedFunction,
    grid: _Dim3,
    block: _Dim3,
    shared: int,
    parameters: int | None,
    extra: int | None,
    cooperative: bool = False,
) -> KernelLaunch:
    """A launch with its shape checked and its parameters copied."""
    bx, by, bz = block
    gx, gy, gz = grid
    threads = bx * by * bz
    if (
        not 0 < threads <= function.max_threads
        or shared > function.dynamic_shared_limit
        or by > limits.BLOCK_LIMITS[1]
        or bz > limits.BLOCK_LIMITS[2]
        or not gx * gy * gz
        or gx > limits.GRID_LIMITS[0]
        or gy > limits.GRID_LIMITS[1]
        or gz > limits.GRID_LIMITS[2]
    ):
        raise _shape_failure(function, grid, block, shared)
    if function.cluster_blocks != 1:
        raise Failure(
            NOT_SUPPORTED,
            f"the kernel was compiled for clusters of {function.cluster_blocks} blocks: the "
            "emulator has no thread block clusters",
        )
    if cooperative:
        resident = active_blocks(function, threads, shared) * limits.MULTIPROCESSORS
        if gx * gy * gz > resident:
            raise Failure(
                COOPERATIVE_LAUNCH_TOO_LARGE,
                f"a cooperative grid of {gx * gy * gz} blocks: {resident} fit at once",
            )
    data = _gather_parameters(function, parameters, extra)
    return KernelLaunch(function, grid, block, shared, data, cooperative)


def _gather_parameters(
    function: EmulatedFunction, pointers: int | None, extra: int | None
) -> bytes:
    """The kernel's parameters as one block of memory, copied from a ``void**``."""
    layout = function.parameters
    if not layout:
        return b""
    if not pointers:
        if extra:
            return _parameters_from_buffer(function, extra)
        raise Failure(INVALID_VALUE, f"the kernel takes {len(layout)} parameters and got none")
    data = bytearray(function.parameter_bytes)
    read = ctypes.string_at
    for (offset, size), address in zip(
        layout, function.pointers_type.from_address(pointers), strict=True
    ):
        if not address:
            raise Failure(INVALID_VALUE, f"the pointer to the parameter at {offset} is null")
        data[offset : offset + size] = read(address, size)
    return bytes(data)


def _parameters_from_buffer(function: EmulatedFunction, extra: int) -> bytes:
    """The parameters from the buffer that `extra` points to."""
    buffer = nbytes = 0
    while (key := ctypes.c_uint64.from_address(extra).value) != _END:
        value = ctypes.c_uint64.from_address(extra + 8).value
        extra += 16
        if key == _BUFFER:
            buffer = value
        elif key == _BUFFER_SIZE and value:
            nbytes = ctypes.c_size_t.from_address(value).value
        else:
            raise Failure(INVALID_VALUE, f"extra launch parameter {key} means nothing")
    if not buffer or nbytes < function.parameter_bytes:
        raise Failure(
            INVALID_VALUE,
            f"{nbytes} bytes of parameters: the kernel takes {function.parameter_bytes}",
        )
    return ctypes.string_at(buffer, function.parameter_bytes)


def _is_cooperative(address: int, count: int, grid: _Dim3) -> bool:
    if not address:
        raise Failure(INVALID_VALUE, "the launch attributes are null")
    cooperative = False
    for attribute in (CUlaunchAttribute * count).from_address(address):
        if attribute.id == LAUNCH_ATTRIBUTE_COOPERATIVE:
            cooperative = bool(attribute.value.cooperative)
        elif attribute.id == LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
            _check_cluster(tuple(attribute.value.clusterDim), grid)
    return cooperative


def _check_cluster(cluster: tuple[int, ...], grid: _Dim3) -> None:
    """Refuse clusters of more than one block."""
    if 0 in cluster or any(size % part for size, part in zip(grid, cluster, strict=True)):
        raise Failure(
            INVALID_CLUSTER_SIZE, f"a grid of {grid} cannot be divided into clusters of {cluster}"
        )
    if cluster != (1, 1, 1):
        raise Failure(
            NOT_SUPPORTED,
            f"clusters of {cluster} blocks: the emulator has no thread block clusters",
        )


def _shape_failure(function: EmulatedFunction, grid: _Dim3, block: _Dim3, shared: int) -> Failure:
    """The failure of a launch whose grid, block or shared memory exceeds the limits."""
    threads = block[0] * block[1] * block[2]
    if shared > function.dynamic_shared_limit:
        return Failure(
            INVALID_VALUE,
            f"{shared} bytes of dynamic shared memory asked for, {function.dynamic_shared_limit} "
            "allowed; max_dynamic_shared_size_bytes of the kernel raises it",
        )
    if not 0 < threads <= limits.THREADS_PER_BLOCK or any(
        size > limit for size, limit in zip(block, limits.BLOCK_LIMITS, strict=True)
    ):
        return Failure(
            INVALID_VALUE,
            f"a block of {block}: at least 1 and at most {limits.BLOCK_LIMITS} threads, and "
            f"{limits.THREADS_PER_BLOCK} together",
        )
    if threads > function.max_threads:
        return Failure(
            INVALID_VALUE,
            f"a block of {threads} threads: the kernel was compiled for {function.max_threads}",
        )
    return Failure(
        INVALID_VALUE, f"a grid of {grid}: at least 1 and at most {limits.GRID_LIMITS} blocks"
    )
