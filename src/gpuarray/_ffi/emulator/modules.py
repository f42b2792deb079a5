"""Emulated functions for modules, kernels and their occupancy."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any

from gpuarray._integers import round_up

from ..driver_enums import FUNCTION_ATTRIBUTES
from . import attributes as limits
from .capture import refuse_unsafe
from .machine import ContextObject, Machine
from .statuses import (
    INVALID_PTX,
    INVALID_VALUE,
    NO_BINARY_FOR_GPU,
    NOT_FOUND,
    Failure,
)

__all__ = ["EmulatedFunction", "EmulatedModule", "ModuleCalls"]

#: The first bytes of images that only a GPU can run.
_BINARIES = {b"\x7fELF": "cubin", b"\x50\xed\x55\xba": "fatbin"}
#: CUjit_option: each log is followed by its size.
_JIT_INFO_LOG, _JIT_ERROR_LOG, _JIT_WALL_TIME = 3, 5, 2
#: CUfunc_cache, and the highest CUoccupancy_flags.
_CACHE_CONFIGURATIONS = range(4)
_OCCUPANCY_FLAGS = 1
#: PTX does not tell how many registers a kernel takes, so registers never limit occupancy.
_REGISTERS = 32


@dataclass(eq=False)
class EmulatedModule(ContextObject):
    """A loaded program and the handles of its kernels."""

    noun = "module"
    program: Any
    functions: dict[str, int] = field(default_factory=dict)

    def close(self) -> None:
        self.program.unload()


@dataclass(eq=False)
class EmulatedFunction(ContextObject):
    """A kernel, with what a launch of it needs."""

    noun = "function"
    module: EmulatedModule
    name: bytes
    kernel: Any
    parameters: list[tuple[int, int]]
    parameter_bytes: int
    max_threads: int
    static_shared_bytes: int
    #: Dynamic shared memory that a launch may ask for, unless more was allowed.
    dynamic_shared_limit: int
    carveout: int = -1
    #: Blocks of the clusters that it was compiled for.
    cluster_blocks: int = 1
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
        from .simt import PTXError, PTXProgram, UnsupportedInstruction

        context = self._machine.current()
        jit_options = _JitOptions(count, options, values)
        if not image:
            raise Failure(INVALID_VALUE, "the image is null")
        binary = _BINARIES.get(ctypes.string_at(image, 4))
        if binary is not None:
            raise Failure(NO_BINARY_FOR_GPU, f"the emulator takes PTX, and was given a {binary}")
        text = ctypes.string_at(image).decode(errors="replace")
        try:
            program = PTXProgram(text, self._machine.space.window(context))
            try:
                program.check(limits.SHARED_BYTES)
            except BaseException:
                program.unload()
                raise
        except (PTXError, UnsupportedInstruction) as error:
            jit_options.write_log(_JIT_ERROR_LOG, str(error))
            jit_options.write_log(_JIT_INFO_LOG, "")
            raise Failure(INVALID_PTX, str(error)) from None
        kernels = ", ".join(program.kernel_names) or "none"
        jit_options.write_log(_JIT_INFO_LOG, f"emulator: loaded PTX; kernels: {kernels}")
        jit_options.write_log(_JIT_ERROR_LOG, "")
        return self._machine.add(EmulatedModule(context, program))

    def module_unload(self, module: int) -> None:
        self._machine.current()
        self._machine.get(module, EmulatedModule)
        refuse_unsafe(self._machine, "unloading a module")
        unloaded = self._machine.remove(module, EmulatedModule)
        for handle in unloaded.functions.values():
            self._machine.forget(handle)
        unloaded.close()

    def module_get_function(self, module: int, name: bytes | None) -> int:
        loaded = self._machine.get(module, EmulatedModule)
        text = _text(name)
        handle = loaded.functions.get(text)
        if handle is None:
            try:
                kernel = loaded.program.kernel(text)
            except KeyError:
                names = ", ".join(loaded.program.kernel_names) or "none"
                raise Failure(NOT_FOUND, f"its kernels: {names}") from None
            handle = self._machine.add(_new_function(loaded, kernel, text))
            loaded.functions[text] = handle
        return handle

    def module_get_global(self, module: int, name: bytes | None) -> tuple[int, int]:
        loaded = self._machine.get(module, EmulatedModule)
        try:
            return loaded.program.global_symbol(_text(name))
        except KeyError:
            raise Failure(NOT_FOUND, f"no global variable {_text(name)!r}") from None

    def function_attribute(self, attribute: int, function: int) -> int:
        entry = self._machine.get(function, EmulatedFunction)
        version = limits.COMPUTE_CAPABILITY[0] * 10 + limits.COMPUTE_CAPABILITY[1]
        values = {
            FUNCTION_ATTRIBUTES["max_threads_per_block"]: entry.max_threads,
            FUNCTION_ATTRIBUTES["shared_size_bytes"]: entry.static_shared_bytes,
            FUNCTION_ATTRIBUTES["const_size_bytes"]: 0,
            FUNCTION_ATTRIBUTES["local_size_bytes"]: round_up(entry.kernel.local_bytes, 16),
            FUNCTION_ATTRIBUTES["num_regs"]: _REGISTERS,
            FUNCTION_ATTRIBUTES["ptx_version"]: version,
            FUNCTION_ATTRIBUTES["binary_version"]: version,
            FUNCTION_ATTRIBUTES["max_dynamic_shared_size_bytes"]: entry.dynamic_shared_limit,
            FUNCTION_ATTRIBUTES["preferred_shared_memory_carveout"]: entry.carveout,
        }
        if attribute not in FUNCTION_ATTRIBUTES.values():
            raise Failure(INVALID_VALUE, f"there is no function attribute {attribute}")
        return values.get(attribute, 0)

    def function_set_attribute(self, function: int, attribute: int, value: int) -> None:
        entry = self._machine.get(function, EmulatedFunction)
        if attribute == FUNCTION_ATTRIBUTES["max_dynamic_shared_size_bytes"]:
            max_bytes = limits.SHARED_BYTES_OPT_IN - entry.static_shared_bytes
            if not 0 <= value <= max_bytes:
                raise Failure(
                    INVALID_VALUE,
                    f"{value} bytes of dynamic shared memory: "
                    f"this kernel can have {max_bytes} at most",
                )
            entry.dynamic_shared_limit = value
        elif (
            attribute == FUNCTION_ATTRIBUTES["preferred_shared_memory_carveout"]
            and -1 <= value <= 100
        ):
            entry.carveout = value
        else:
            raise Failure(INVALID_VALUE, f"function attribute {attribute} cannot be {value}")

    def function_set_cache_config(self, function: int, configuration: int) -> None:
        self._machine.get(function, EmulatedFunction)
        if configuration not in _CACHE_CONFIGURATIONS:
            raise Failure(INVALID_VALUE, f"there is no cache configuration {configuration}")

    def function_get_module(self, function: int) -> int:
        module = self._machine.get(function, EmulatedFunction).module
        (handle,) = self._machine.handles_of(lambda obj: obj is module)
        return handle

    def function_get_name(self, function: int) -> bytes:
        return self._machine.get(function, EmulatedFunction).name

    def function_param_info(self, function: int, index: int) -> tuple[int, int]:
        parameters = self._machine.get(function, EmulatedFunction).parameters
        if index >= len(parameters):
            raise Failure(INVALID_VALUE, f"the kernel has {len(parameters)} parameters")
        return parameters[index]

    # --- occupancy

    def occupancy_max_active_blocks(self, function: int, block: int, dynamic: int) -> int:
        entry = self._machine.get(function, EmulatedFunction)
        if block < 1:
            raise Failure(INVALID_VALUE, f"a block of {block} threads")
        return active_blocks(entry, block, dynamic)

    def occupancy_max_active_blocks_with_flags(
        self, function: int, block: int, dynamic: int, flags: int
    ) -> int:
        if flags & ~_OCCUPANCY_FLAGS:
            raise Failure(INVALID_VALUE, f"occupancy has no flags {flags}")
        return self.occupancy_max_active_blocks(function, block, dynamic)

    def occupancy_available_dynamic_shared(self, function: int, blocks: int, block: int) -> int:
        entry = self._machine.get(function, EmulatedFunction)
        if blocks < 1 or active_blocks(entry, block, 0) < blocks:
            raise Failure(INVALID_VALUE, f"{blocks} blocks of {block} threads do not fit at once")
        # Like the driver of a GPU, without subtracting what it reserves in each block.
        room = limits.SHARED_BYTES_PER_MULTIPROCESSOR // blocks // 128 * 128
        return min(room - entry.static_shared_bytes, entry.dynamic_shared_limit)

    def occupancy_max_potential_block_size(
        self, function: int, shared_of_block: int | None, dynamic: int, limit: int
    ) -> tuple[int, int]:
        entry = self._machine.get(function, EmulatedFunction)
        needs = _SharedOfBlock(shared_of_block) if shared_of_block else lambda block: dynamic
        max_block = min(entry.max_threads, limit or entry.max_threads)
        best, best_blocks = 0, 0
        for multiple in range(round_up(max_block, 32), 0, -32):
            block = min(multiple, max_block)
            blocks = active_blocks(entry, block, needs(block))
            if blocks * block > best_blocks * best:
                best, best_blocks = block, blocks
        return best_blocks * limits.MULTIPROCESSORS, best


def active_blocks(function: EmulatedFunction, block: int, dynamic: int) -> int:
    """How many blocks of a kernel run on one multiprocessor at once."""
    if not 0 < block <= limits.THREADS_PER_BLOCK:
        return 0
    if dynamic > function.dynamic_shared_limit:
        return 0
    # Shared memory is allocated in units of 128 bytes.
    shared = round_up(function.static_shared_bytes + dynamic, 128)
    by_threads = limits.THREADS_PER_MULTIPROCESSOR // round_up(block, 32)
    by_shared = limits.SHARED_BYTES_PER_MULTIPROCESSOR // (shared + limits.RESERVED_SHARED_BYTES)
    return min(by_threads, by_shared, limits.BLOCKS_PER_MULTIPROCESSOR)


#: CUoccupancyB2DSize: the dynamic shared memory that a block of so many threads needs.
_SharedOfBlock = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int)


def _new_function(module: EmulatedModule, kernel: Any, name: str) -> EmulatedFunction:
    shared = kernel.static_shared_bytes
    return EmulatedFunction(
        context=module.context,
        module=module,
        name=name.encode(),
        kernel=kernel,
        parameters=list(kernel.parameters),
        parameter_bytes=kernel.parameter_bytes,
        max_threads=min(kernel.max_threads or limits.THREADS_PER_BLOCK, limits.THREADS_PER_BLOCK),
        static_shared_bytes=shared,
        dynamic_shared_limit=max(0, limits.SHARED_BYTES - shared),
        pointers_type=ctypes.c_uint64 * len(kernel.parameters),
        cluster_blocks=kernel.cluster_blocks,
    )


def _text(name: bytes | None) -> str:
    if name is None:
        raise Failure(INVALID_VALUE, "the name is null")
    return name.decode(errors="replace")


class _JitOptions:
    """The options of a load: CUjit_option to the value, or the address, given for it."""

    def __init__(self, count: int, options: int | None, values: int | None) -> None:
        self._given: dict[int, Any] = {}
        if count and options and values:
            names = (ctypes.c_int * count).from_address(options)
            self._given = {
                name: ctypes.c_uint64.from_address(values + 8 * index)
                for index, name in enumerate(names)
            }
        if _JIT_WALL_TIME in self._given:
            ctypes.c_float.from_buffer(self._given[_JIT_WALL_TIME]).value = 0.0

    def write_log(self, log: int, text: str) -> None:
        """Write a text to the buffer that the caller gave for this log, and its length."""
        address, size = self._given.get(log), self._given.get(log + 1)
        if address is None or size is None or not address.value:
            return
        room = size.value & 0xFFFFFFFF
        if room:
            data = text.encode(errors="replace")[: room - 1] + b"\0"
            ctypes.memmove(address.value, data, len(data))
            ctypes.c_uint.from_buffer(size).value = len(data)
