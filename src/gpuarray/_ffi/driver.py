"""The CUDA driver, or the emulator in its place: the one object that the rooms above call.

Functions of `driver_prototypes` are attributes of this module, bound at first use; the functions
written out here wrap those whose C form Python code would not want. Handles and device addresses
are plain integers, and 0 is the legacy default stream. Nothing is opened before first use.

Attributes
----------
backend : str
    'cuda' or 'emulator', for reports only.
image_kind : str
    What `module_load_data` is fed: 'cubin' or 'ptx'.
launch : foreign function
    ``launch(config, function, params, None) -> status``, of arguments from `launch_config`,
    `function_argument` and `ArgumentBuffer.params`. It checks nothing: a status other than 0 goes
    to `launch_error`.
"""

from __future__ import annotations

import ctypes
import threading
from typing import Any

from gpuarray.errors import DriverError

from .backend import Backend, select, warn_of_fallback
from .driver_enums import (
    DEVICE_ATTRIBUTES,
    FUNCTION_ATTRIBUTES,
    POINTER_ATTRIBUTES,
    STATUS_NAMES,
)
from .driver_prototypes import PROTOTYPES
from .host import copy_host, host_buffer
from .launch import ArgumentBuffer, function_argument, launch_config
from .library import Library, SymbolSource

__all__ = [
    "ArgumentBuffer",
    "address_of",
    "copy_host",
    "describe",
    "function_argument",
    "host_buffer",
    "launch_config",
    "launch_error",
]

_SUCCESS = 0
_NOT_READY = 600
_PEER_ACCESS_ALREADY_ENABLED = 704
_JIT_INFO_LOG, _JIT_INFO_LOG_BYTES, _JIT_ERROR_LOG, _JIT_ERROR_LOG_BYTES = 3, 4, 5, 6
_LOG_BYTES = 16384

#: What to do about a launch that failed, where the status tells.
_LAUNCH_REMEDIES = {
    1: "check the grid, the block, the shared memory and the arguments against the device's limits",
    400: "the kernel or the stream belongs to another device, or was destroyed",
    700: "the kernel accessed memory outside any allocation",
    701: "use fewer threads in a block, or less shared memory",
    720: "a cooperative grid must fit on the device at once: use fewer blocks",
}

_opening = threading.RLock()
_backend: Backend | None = None


def _open() -> Backend:
    """Choose and open the backend, once per process."""
    global _backend
    if _backend is None:
        with _opening:
            if _backend is None:
                _backend = select()
                # Last: where warnings are errors, the backend is open all the same.
                warn_of_fallback(_backend)
    return _backend


def _open_source() -> SymbolSource:
    return _open().source


def _error(call: str, status: int) -> BaseException:
    """The exception for a failed call: what interrupted the emulator, or a DriverError."""
    take_interruption = getattr(_open().source, "take_interruption", None)
    interruption = take_interruption() if take_interruption is not None else None
    if interruption is not None:
        return interruption
    return DriverError(call, status, _status_name(status), _status_detail(status))


def _status_name(status: int) -> str:
    known = STATUS_NAMES.get(status)
    if known is not None:
        return known
    try:
        return _library.get_error_name(status).decode()
    except Exception:  # an older driver does not know a newer status; the number must do
        return "unknown status"


def _status_detail(status: int) -> str:
    text = ctypes.c_char_p()
    if _library.raw("get_error_string")(status, ctypes.byref(text)) or text.value is None:
        return ""
    return text.value.decode(errors="replace")


_library = Library("the CUDA driver", PROTOTYPES, _open_source, _error)


def __getattr__(name: str) -> Any:
    value: Any
    if name == "backend":
        value = _open().name
    elif name == "image_kind":
        value = "ptx" if _open().name == "emulator" else "cubin"
    elif name == "launch":
        # Without argument types: each argument is prebuilt, so that ctypes has nothing to convert.
        value = _library.symbol("cuLaunchKernelEx")
        value.restype = ctypes.c_int
    elif name in PROTOTYPES:
        value = getattr(_library, name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value  # the next use finds it as a plain global
    return value


def describe() -> str:
    """One line about the backend, for reports."""
    backend = _open()
    version = _library.driver_version()
    count = _library.device_count()
    devices = f"{count} device{'s' if count != 1 else ''}"
    if backend.name == "cuda":
        return f"CUDA driver {version // 1000}.{version % 1000 // 10}, {devices}"
    because = f" ({backend.reason})" if backend.reason else ""
    return f"emulator of the CUDA driver, {devices}{because}"


def address_of(buffer: Any) -> int:
    """The host address of an object with the buffer interface, read-only or not."""
    import numpy as np

    return np.frombuffer(buffer, np.uint8).ctypes.data if memoryview(buffer).nbytes else 0


def launch_error(
    status: int, kernel_name: str, grid: tuple[int, ...], block: tuple[int, ...]
) -> BaseException:
    """The exception to raise for a status that `launch` returned."""
    error = _error("cuLaunchKernelEx", status)
    if isinstance(error, DriverError):
        remedy = _LAUNCH_REMEDIES.get(status)
        error.detail = f"launching {kernel_name} with grid {grid} and block {block}: " + "; ".join(
            part for part in (error.detail, remedy) if part
        )
        error.args = (error.call, error.status, error.status_name, error.detail)
    return error


# --- initialisation and devices


def init() -> None:
    """Open the backend; every other function does so too."""
    _library.init(0)


def device_name(device: int) -> str:
    """The device's name, such as 'NVIDIA H200'."""
    text = ctypes.create_string_buffer(256)
    _library.device_name(text, len(text), device)
    return text.value.decode(errors="replace")


def device_pci_bus_id(device: int) -> str:
    """The device's address on the PCI bus, such as '0000:18:00.0'."""
    text = ctypes.create_string_buffer(64)
    _library.device_pci_bus_id(text, len(text), device)
    return text.value.decode(errors="replace")


def device_get_by_pci_bus_id(bus_id: str) -> int:
    """The device at an address on the PCI bus."""
    return _library.device_get_by_pci_bus_id(bus_id.encode())


def device_attribute(attribute: str | int, device: int) -> int:
    """A device attribute by cuda.h's name without prefix in lower case, or by number."""
    return _library.device_attribute(_number(attribute, DEVICE_ATTRIBUTES, "device"), device)


def device_can_access_peer(device: int, peer: int) -> bool:
    """Whether kernels on `device` can be given access to the memory of `peer`."""
    return bool(_library.device_can_access_peer(device, peer))


def context_enable_peer_access(context: int, flags: int = 0) -> None:
    """Let the current context use the memory of `context`; harmless where it already may."""
    status = _library.raw("context_enable_peer_access")(context, flags)
    if status not in (_SUCCESS, _PEER_ACCESS_ALREADY_ENABLED):
        _library.fail("context_enable_peer_access", status)


def _number(attribute: str | int, names: dict[str, int], what: str) -> int:
    if not isinstance(attribute, str):
        return attribute
    try:
        return names[attribute]
    except KeyError:
        raise ValueError(
            f"no {what} attribute is called {attribute!r}; cuda.h's names are taken without "
            f"prefix, in lower case, such as {next(iter(names))!r}"
        ) from None


# --- memory


def mem_host_alloc(nbytes: int, flags: int = 0) -> int:
    """Allocate page-locked host memory; the address."""
    return _library.mem_host_alloc(nbytes, flags)


def mem_alloc_managed(nbytes: int, flags: int = 1) -> int:
    """Allocate managed memory; the address."""
    return _library.mem_alloc_managed(nbytes, flags)


def pointer_attribute(attribute: str | int, pointer: int) -> int:
    """An attribute of an address, such as 'device_ordinal' or 'memory_type'."""
    number = _number(attribute, POINTER_ATTRIBUTES, "pointer")
    value = _library.pointer_attribute(number, pointer)
    if number == POINTER_ATTRIBUTES["device_ordinal"]:
        return ctypes.c_int(value & 0xFFFFFFFF).value  # an int in C, and negative for the host
    return value


# --- modules and functions


def module_load_data(image: bytes) -> int:
    """Load a cubin or PTX; the module. An error has the JIT compiler's log."""
    log = ctypes.create_string_buffer(_LOG_BYTES)
    options = (ctypes.c_int * 2)(_JIT_ERROR_LOG, _JIT_ERROR_LOG_BYTES)
    values = (ctypes.c_void_p * 2)(ctypes.addressof(log), _LOG_BYTES)
    module = ctypes.c_uint64()
    status = _library.raw("module_load_data")(ctypes.byref(module), image, 2, options, values)
    if status:
        error = _error("cuModuleLoadDataEx", status)
        text = log.value.decode(errors="replace").strip()
        if isinstance(error, DriverError) and text and text not in error.detail:
            error.detail = f"{error.detail}\n{text}"
            error.args = (error.call, error.status, error.status_name, error.detail)
        raise error
    return module.value


def module_get_function(module: int, name: str) -> int:
    """A kernel of a module, by its symbol."""
    try:
        return _library.module_get_function(module, name.encode())
    except DriverError as error:
        raise _about(error, f"no kernel {name!r} in this module") from None


def module_get_global(module: int, name: str) -> tuple[int, int]:
    """Address and size of a global variable of a module, by its symbol."""
    try:
        return _library.module_get_global(module, name.encode())
    except DriverError as error:
        raise _about(error, f"no global variable {name!r} in this module") from None


def _about(error: DriverError, what: str) -> DriverError:
    if error.status != 500:
        return error
    return DriverError(error.call, error.status, error.status_name, f"{what} ({error.detail})")


def function_attribute(attribute: str | int, function: int) -> int:
    """An attribute of a kernel, such as 'num_regs'."""
    return _library.function_attribute(
        _number(attribute, FUNCTION_ATTRIBUTES, "function"), function
    )


def function_set_attribute(function: int, attribute: str | int, value: int) -> None:
    """Set an attribute of a kernel, such as 'max_dynamic_shared_size_bytes'."""
    number = _number(attribute, FUNCTION_ATTRIBUTES, "function")
    _library.function_set_attribute(function, number, value)


def occupancy_max_potential_block_size(
    function: int, shared_bytes: int = 0, block_limit: int = 0
) -> tuple[int, int]:
    """The smallest grid and the block that fill the device."""
    return _library.occupancy_max_potential_block_size(function, None, shared_bytes, block_limit)


# --- streams and events


def stream_create(flags: int = 0, priority: int = 0) -> int:
    """Create a stream."""
    return _library.stream_create(flags, priority)


def stream_query(stream: int) -> bool:
    """Whether all work of a stream is done."""
    return _is_ready("stream_query", stream)


def stream_wait_event(stream: int, event: int, flags: int = 0) -> None:
    """Let later work of a stream wait for an event."""
    _library.stream_wait_event(stream, event, flags)


def event_create(flags: int = 0) -> int:
    """Create an event."""
    return _library.event_create(flags)


def event_query(event: int) -> bool:
    """Whether all work that an event recorded is done."""
    return _is_ready("event_query", event)


def _is_ready(name: str, handle: int) -> bool:
    status = _library.raw(name)(handle)
    if status == _NOT_READY:
        return False
    if status:
        _library.fail(name, status)
    return True
