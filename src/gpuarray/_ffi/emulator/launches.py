"""The emulated launch of a kernel. It runs at once, and its status is the kernel's."""

from __future__ import annotations

import ctypes
import struct
from typing import Any

from ..structs import LAUNCH_ATTRIBUTE_COOPERATIVE, CUlaunchAttribute, CUlaunchConfig
from . import attributes as limits
from .machine import Machine
from .modules import Function, active_blocks
from .statuses import (
    COOPERATIVE_LAUNCH_TOO_LARGE,
    INVALID_HANDLE,
    INVALID_VALUE,
    LAUNCH_OUT_OF_RESOURCES,
    Failure,
)
from .streams import check_stream

__all__ = ["LaunchCalls"]

#: CUlaunchConfig, read as one tuple: it is quicker than ten fields.
_CONFIG = struct.Struct("=7I4xQQI4x")
assert _CONFIG.size == ctypes.sizeof(CUlaunchConfig)


class LaunchCalls:
    """Launches; the method has the name of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._launch: Any = None

    def launch_kernel_ex(
        self, config: int | None, function: int, parameters: int | None, extra: int | None
    ) -> None:
        if not config:
            raise Failure(INVALID_VALUE, "the launch configuration is null")
        gx, gy, gz, bx, by, bz, shared, stream, attributes, count = _CONFIG.unpack(
            ctypes.string_at(config, _CONFIG.size)
        )
        known = self._machine.get(function, Function)
        if known.device is not check_stream(self._machine, stream):
            raise Failure(INVALID_HANDLE, f"the kernel was loaded on device {known.device.ordinal}")
        grid, block = (gx, gy, gz), (bx, by, bz)
        threads = bx * by * bz
        if (
            not 0 < threads <= known.max_threads
            or shared > known.dynamic_shared_limit
            or by > limits.BLOCK_LIMITS[1]
            or bz > limits.BLOCK_LIMITS[2]
            or not gx * gy * gz
            or gx > limits.GRID_LIMITS[0]
            or gy > limits.GRID_LIMITS[1]
            or gz > limits.GRID_LIMITS[2]
        ):
            raise _refusal(known, grid, block, shared)
        if count and _is_cooperative(attributes, count):
            room = active_blocks(known, threads, shared) * limits.MULTIPROCESSORS
            if gx * gy * gz > room:
                raise Failure(
                    COOPERATIVE_LAUNCH_TOO_LARGE,
                    f"a cooperative grid of {gx * gy * gz} blocks: {room} fit at once",
                )
        data = _parameters(known, parameters)
        launch = self._launch
        if launch is None:
            from .simt import launch

            self._launch = launch
        launch(known.kernel, grid, block, data, shared)


def _parameters(function: Function, pointers: int | None) -> bytes:
    """The kernel's parameters as one block of memory, gathered from ``void**``."""
    wanted = function.parameters
    if not wanted:
        return b""
    if not pointers:
        raise Failure(INVALID_VALUE, f"the kernel takes {len(wanted)} parameters and got none")
    data = bytearray(function.parameter_bytes)
    read = ctypes.string_at
    for (offset, size), address in zip(
        wanted, function.pointers_type.from_address(pointers), strict=True
    ):
        if not address:
            raise Failure(INVALID_VALUE, f"the pointer to the parameter at {offset} is null")
        data[offset : offset + size] = read(address, size)
    return bytes(data)


def _is_cooperative(address: int, count: int) -> bool:
    if not address:
        raise Failure(INVALID_VALUE, "the launch attributes are null")
    return any(
        attribute.id == LAUNCH_ATTRIBUTE_COOPERATIVE and attribute.value.cooperative
        for attribute in (CUlaunchAttribute * count).from_address(address)
    )


def _refusal(
    function: Function, grid: tuple[int, int, int], block: tuple[int, int, int], shared: int
) -> Failure:
    """Why a launch of this shape is not possible."""
    threads = block[0] * block[1] * block[2]
    if shared > function.dynamic_shared_limit:
        return Failure(
            INVALID_VALUE,
            f"{shared} bytes of dynamic shared memory asked for, {function.dynamic_shared_limit} "
            "allowed; max_dynamic_shared_size_bytes of the kernel raises it",
        )
    if not 0 < threads <= limits.THREADS_PER_BLOCK or any(
        size > most for size, most in zip(block, limits.BLOCK_LIMITS, strict=True)
    ):
        return Failure(
            INVALID_VALUE,
            f"a block of {block}: at least 1 and at most {limits.BLOCK_LIMITS} threads, and "
            f"{limits.THREADS_PER_BLOCK} together",
        )
    if threads > function.max_threads:
        return Failure(
            LAUNCH_OUT_OF_RESOURCES,
            f"a block of {threads} threads: the kernel was compiled for {function.max_threads}",
        )
    return Failure(
        INVALID_VALUE, f"a grid of {grid}: at least 1 and at most {limits.GRID_LIMITS} blocks"
    )
