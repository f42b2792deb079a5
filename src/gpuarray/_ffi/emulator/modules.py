"""Emulated functions for modules, kernels and their occupancy."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any

from ..driver_enums import FUNCTION_ATTRIBUTES
from . import attributes as limits
from .machine import Machine, Owned
from .statuses import (
    INVALID_PTX,
    INVALID_VALUE,
    NO_BINARY_FOR_GPU,
    NOT_FOUND,
    NOT_SUPPORTED,
    Failure,
)

__all__ = ["Function", "Module", "ModuleCalls"]

_JIT_ERROR_LOG, _JIT_ERROR_LOG_BYTES = 5, 6
_NUMBERS = FUNCTION_ATTRIBUTES
#: PTX does not tell how many registers a kernel takes, so that registers never limit occupancy.
_REGISTERS = 32


@dataclass(eq=False)
class Module(Owned):
    """A loaded program and the handles of its kernels."""

    program: Any
    functions: dict[str, int] = field(default_factory=dict)

    def close(self) -> None:
        self.program.unload()


@dataclass(eq=False)
class Function(Owned):
    """A kernel, with what a launch of it needs."""

    module: Module
    kernel: Any
    parameters: list[tuple[int, int]]
    parameter_bytes: int
    max_threads: int
    static_shared_bytes: int
    #: Dynamic shared memory that a launch may ask for, unless more was allowed.
    dynamic_shared_limit: int
    carveout: int = -1
    #: The array type of the ``void**`` that a launch gets.
    pointers_type: Any = None


class ModuleCalls:
    """Modules and functions; the methods have the names of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def module_load_data(
        self, image: int | None, count: int, options: int | None, values: int | None
    ) -> int:
        # Imported here: a process that only copies memory needs no SIMT machine.
        from .simt import Program, PTXError, UnsupportedInstruction

        device = self._machine.current()
        if not image:
            raise Failure(INVALID_VALUE, "the image is null")
        if ctypes.string_at(image, 4) == b"\x7fELF":
            raise Failure(NO_BINARY_FOR_GPU, "the emulator takes PTX, and was given a cubin")
        text = ctypes.string_at(image).decode(errors="replace")
        try:
            program = Program(text, self._machine.arena)
        except (PTXError, UnsupportedInstruction) as error:
            _write_log(str(error), count, options, values)
            raise Failure(INVALID_PTX, str(error)) from None
        return self._machine.add(Module(device, program))

    def module_unload(self, module: int) -> None:
        self._machine.current()
        unloaded = self._machine.remove(module, Module)
        for handle in unloaded.functions.values():
            self._machine.forget(handle)
        unloaded.close()

    def module_get_function(self, module: int, name: bytes | None) -> int:
        loaded = self._machine.get(module, Module)
        text = _text(name)
        handle = loaded.functions.get(text)
        if handle is None:
            try:
                kernel = loaded.program.kernel(text)
            except KeyError:
                known = ", ".join(loaded.program.kernel_names) or "none"
                raise Failure(NOT_FOUND, f"its kernels: {known}") from None
            handle = self._machine.add(_function(loaded, kernel))
            loaded.functions[text] = handle
        return handle

    def module_get_global(self, module: int, name: bytes | None) -> tuple[int, int]:
        loaded = self._machine.get(module, Module)
        try:
            return loaded.program.global_symbol(_text(name))
        except KeyError:
            raise Failure(NOT_FOUND, f"no global variable {_text(name)!r}") from None

    def function_attribute(self, attribute: int, function: int) -> int:
        known = self._machine.get(function, Function)
        version = limits.COMPUTE_CAPABILITY[0] * 10 + limits.COMPUTE_CAPABILITY[1]
        values = {
            _NUMBERS["max_threads_per_block"]: known.max_threads,
            _NUMBERS["shared_size_bytes"]: known.static_shared_bytes,
            _NUMBERS["const_size_bytes"]: 0,
            _NUMBERS["local_size_bytes"]: known.kernel.local_bytes,
            _NUMBERS["num_regs"]: _REGISTERS,
            _NUMBERS["ptx_version"]: version,
            _NUMBERS["binary_version"]: version,
            _NUMBERS["max_dynamic_shared_size_bytes"]: known.dynamic_shared_limit,
            _NUMBERS["preferred_shared_memory_carveout"]: known.carveout,
        }
        if attribute not in _NUMBERS.values():
            raise Failure(INVALID_VALUE, f"there is no function attribute {attribute}")
        return values.get(attribute, 0)

    def function_set_attribute(self, function: int, attribute: int, value: int) -> None:
        known = self._machine.get(function, Function)
        if attribute == _NUMBERS["max_dynamic_shared_size_bytes"]:
            most = limits.SHARED_BYTES_OPT_IN - known.static_shared_bytes
            if not 0 <= value <= most:
                raise Failure(
                    INVALID_VALUE,
                    f"{value} bytes of dynamic shared memory: this kernel can have {most} at most",
                )
            known.dynamic_shared_limit = value
        elif attribute == _NUMBERS["preferred_shared_memory_carveout"] and -1 <= value <= 100:
            known.carveout = value
        else:
            raise Failure(INVALID_VALUE, f"function attribute {attribute} cannot be {value}")

    # --- occupancy

    def occupancy_max_active_blocks(self, function: int, block: int, dynamic: int) -> int:
        return active_blocks(self._machine.get(function, Function), block, dynamic)

    def occupancy_max_potential_block_size(
        self, function: int, shared_of_block: int | None, dynamic: int, limit: int
    ) -> tuple[int, int]:
        known = self._machine.get(function, Function)
        if shared_of_block:
            raise Failure(NOT_SUPPORTED, "shared memory by block size is not emulated")
        most = min(known.max_threads, limit or known.max_threads)
        best, best_threads = 0, 0
        for block in range(-(-most // 32) * 32, 0, -32):
            threads = active_blocks(known, min(block, most), dynamic) * min(block, most)
            if threads > best_threads:
                best, best_threads = min(block, most), threads
        return active_blocks(known, best, dynamic) * limits.MULTIPROCESSORS, best


def active_blocks(function: Function, block: int, dynamic: int) -> int:
    """How many blocks of a kernel run on one multiprocessor at once."""
    if not 0 < block <= limits.THREADS_PER_BLOCK:
        return 0
    shared = function.static_shared_bytes + dynamic
    if shared > limits.SHARED_BYTES_OPT_IN:
        return 0
    by_threads = limits.THREADS_PER_MULTIPROCESSOR // (-(-block // 32) * 32)
    by_shared = limits.SHARED_BYTES_PER_MULTIPROCESSOR // (shared + limits.RESERVED_SHARED_BYTES)
    return min(by_threads, by_shared, limits.BLOCKS_PER_MULTIPROCESSOR)


def _function(module: Module, kernel: Any) -> Function:
    shared = kernel.static_shared_bytes
    return Function(
        device=module.device,
        module=module,
        kernel=kernel,
        parameters=list(kernel.parameters),
        parameter_bytes=kernel.parameter_bytes,
        max_threads=min(kernel.max_threads or limits.THREADS_PER_BLOCK, limits.THREADS_PER_BLOCK),
        static_shared_bytes=shared,
        dynamic_shared_limit=max(0, limits.SHARED_BYTES - shared),
        pointers_type=ctypes.c_uint64 * len(kernel.parameters),
    )


def _text(name: bytes | None) -> str:
    if name is None:
        raise Failure(INVALID_VALUE, "the name is null")
    return name.decode(errors="replace")


def _write_log(text: str, count: int, options: int | None, values: int | None) -> None:
    """Put the text where the caller asked for the JIT compiler's error log."""
    if not (count and options and values):
        return
    given = dict(
        zip(
            (ctypes.c_int * count).from_address(options),
            (ctypes.c_uint64 * count).from_address(values),
            strict=True,
        )
    )
    address, room = given.get(_JIT_ERROR_LOG), given.get(_JIT_ERROR_LOG_BYTES, 0) & 0xFFFFFFFF
    if address and room:
        data = text.encode(errors="replace")[: room - 1] + b"\0"
        ctypes.memmove(address, data, len(data))
