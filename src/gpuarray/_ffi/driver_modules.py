"""The driver's functions for modules and kernels whose C signatures do not suit Python."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from gpuarray.errors import DriverError

from .driver_enums import FUNCTION_ATTRIBUTES
from .driver_library import error_of, library, number_of, opened
from .driver_streams import relaxed_capture
from .own_thread import in_own_thread
from .sticky_errors import KERNEL_FAULTS
from .text import encoded

__all__ = [
    "function_attribute",
    "function_get_name",
    "function_set_attribute",
    "launch_error",
    "module_get_function",
    "module_get_global",
    "module_load_data",
    "module_load_data_with_log",
    "occupancy_max_potential_block_size",
]

#: CUjit_option: the info log, the error log, and the size of each.
_LOG_OPTIONS = (3, 4, 5, 6)
_LOG_BYTES = 16384
_NOT_FOUND = 500

#: Remedies for a failed launch, by status.
_LAUNCH_REMEDIES = {
    1: "check the grid, the block, the shared memory and the arguments against the limits of the "
    "device and of the kernel (its launch bounds)",
    400: "the kernel or the stream belongs to another device, or was destroyed",
    700: "the kernel accessed memory outside any allocation",
    701: "use fewer threads in a block, or less shared memory",
    720: "a cooperative grid must fit on the device at once: use fewer blocks",
}
#: How the emulator's text begins where an earlier launch is at fault.
_EARLIER = "an earlier kernel"


def module_load_data(image: bytes) -> int:
    """Load a cubin or PTX; the module. An error has the JIT compiler's log."""
    return module_load_data_with_log(image)[0]


def module_load_data_with_log(image: bytes) -> tuple[int, str]:
    """Load a cubin or PTX; the module, and the JIT compiler's log."""
    info, errors = (ctypes.create_string_buffer(_LOG_BYTES) for _ in range(2))
    options = (ctypes.c_int * 4)(*_LOG_OPTIONS)
    values = (ctypes.c_void_p * 4)(
        ctypes.addressof(info), _LOG_BYTES, ctypes.addressof(errors), _LOG_BYTES
    )
    module = ctypes.c_uint64()
    with relaxed_capture():
        status = library.raw("module_load_data")(ctypes.byref(module), image, 4, options, values)
    if status:
        error = error_of("cuModuleLoadDataEx", status)
        text = errors.value.decode(errors="replace").strip()
        if isinstance(error, DriverError) and text and text not in error.detail:
            error.detail = f"{error.detail}\n{text}"
            error.args = (error.call, error.status, error.status_name, error.detail)
        raise error
    return module.value, info.value.decode(errors="replace").strip()


def module_get_function(module: int, name: str) -> int:
    """A kernel of a module, by its symbol."""
    try:
        return library.module_get_function(module, encoded(name, "the name of a kernel"))
    except DriverError as error:
        raise _about(error, f"no kernel {name!r} in this module") from None


def module_get_global(module: int, name: str) -> tuple[int, int]:
    """Address and size of a global variable of a module, by its symbol."""
    try:
        return library.module_get_global(module, encoded(name, "the name of a variable"))
    except DriverError as error:
        raise _about(error, f"no global variable {name!r} in this module") from None


def _about(error: DriverError, what: str) -> DriverError:
    if error.status != _NOT_FOUND:
        return error
    return DriverError(error.call, error.status, error.status_name, f"{what} ({error.detail})")


def function_attribute(attribute: str | int, function: int) -> int:
    """An attribute of a kernel, such as 'num_regs'."""
    return library.function_attribute(
        number_of(attribute, FUNCTION_ATTRIBUTES, "function attribute"), function
    )


def function_set_attribute(function: int, attribute: str | int, value: int) -> None:
    """Set an attribute of a kernel, such as 'max_dynamic_shared_size_bytes'."""
    number = number_of(attribute, FUNCTION_ATTRIBUTES, "function attribute")
    library.function_set_attribute(function, number, value)


def function_get_name(function: int) -> str:
    """The symbol of a kernel."""
    return library.function_get_name(function).decode()


#: CUoccupancyB2DSize: the dynamic shared memory that a block of so many threads needs.
_SharedOfBlock = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int)


def occupancy_max_potential_block_size(
    function: int, shared_bytes: int | Callable[[int], int] = 0, block_limit: int = 0
) -> tuple[int, int]:
    """The smallest grid and the block that fill the device.

    `shared_bytes` may be a function of the number of threads in a block; another thread calls it.
    """
    if not callable(shared_bytes):
        return library.occupancy_max_potential_block_size(function, None, shared_bytes, block_limit)
    failures: list[BaseException] = []

    def needed(block: int) -> int:
        try:
            return shared_bytes(block)
        except BaseException as error:  # C cannot pass it on
            failures.append(error)
            return 0

    callback = _SharedOfBlock(needed)
    address = ctypes.cast(callback, ctypes.c_void_p)
    context = library.context_get_current()

    def ask() -> tuple[int, int]:
        library.context_set_current(context)
        return library.occupancy_max_potential_block_size(function, address, 0, block_limit)

    result = in_own_thread(ask)
    if failures:
        raise failures[0]
    return result


def launch_error(
    status: int, kernel_name: str, grid: tuple[int, ...], block: tuple[int, ...]
) -> BaseException:
    """The exception to raise for a status that `launch` returned.

    Its attribute `kernel` is the kernel's name if the status is this launch's own.
    """
    error = error_of("cuLaunchKernelEx", status)
    if isinstance(error, DriverError):
        detail = error.detail
        # A GPU runs kernels later, so a launch never reports a fault of its own.
        if status in KERNEL_FAULTS and opened().name == "cuda":
            detail = f"{_EARLIER} of this device failed: {detail}"
        remedy = None
        if not detail.startswith(_EARLIER):
            remedy = _LAUNCH_REMEDIES.get(status)
            error.kernel = kernel_name
        error.detail = f"launching {kernel_name} with grid {grid} and block {block}: " + "; ".join(
            part for part in (detail, remedy) if part
        )
        error.args = (error.call, error.status, error.status_name, error.detail)
    return error
