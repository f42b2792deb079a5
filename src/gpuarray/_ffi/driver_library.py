"""The opened driver, and its failures as exceptions."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

from gpuarray import _fork
from gpuarray.errors import DriverError

from . import sticky_errors
from .backend import DRIVER_FILE, Backend, fork_error, forked, select, warn_of_fallback
from .checkers import check_this_process
from .driver_enums import STATUS_NAMES
from .driver_prototypes import PROTOTYPES
from .library import Library, SymbolSource

__all__ = [
    "error_of", "fault_of_device", "image_options", "is_sticky", "library", "number_of", "opened",
]  # fmt: skip

#: Kernels that the emulator runs can raise an exception in the call that launched them, and their
#: faults name the line of the source.
_EMULATED_OPTIONS = ("-DGPUARRAY_RAISES", "-lineinfo")

_opening = _fork.new_rlock()
_backend: Backend | None = None


def opened() -> Backend:
    """The backend, chosen and opened once per process."""
    global _backend
    if _backend is None:
        with _opening:
            if _backend is None:
                _backend = select()
                _log_opened(_backend)
                # After the assignment: the backend is open even where warnings are errors.
                warn_of_fallback(_backend)
                check_this_process(_backend)
    return _backend


def _log_opened(backend: Backend) -> None:
    from gpuarray import _log  # the first use of a device needs it, importing the package does not

    if backend.name == "emulator":
        reason = backend.reason or "GPUARRAY_BACKEND=emulator"
        _log.log(_log.INFO, "libraries", "opened the emulator of the CUDA driver: %s", reason)
    else:
        version = library.driver_version()
        text = "opened the CUDA driver, which supports CUDA %d.%d: %s"
        _log.log(_log.INFO, "libraries", text, version // 1000, version % 1000 // 10, DRIVER_FILE)


def _open_source() -> SymbolSource:
    return opened().source


def image_options(kind: str) -> tuple[str, ...]:
    """Options of NVRTC for all images of a kind that the open backend runs; it opens none."""
    if kind == "ptx" and _backend is not None and _backend.name == "emulator":
        return _EMULATED_OPTIONS
    return ()


def error_of(call: str, status: int) -> BaseException:
    """The exception for a failed call: one that the emulator kept for it, or a DriverError."""
    take_interruption = getattr(opened().source, "take_interruption", None)
    interruption = take_interruption() if take_interruption is not None else None
    if interruption is not None:
        return interruption
    error = DriverError(call, status, _status_name(status), _status_detail(status))
    if is_sticky(status):
        sticky_errors.explain(error)
    return error


def is_sticky(status: int) -> bool:
    """Whether every later call on the device of a call with this status has the same status."""
    return status in sticky_errors.KERNEL_FAULTS and opened().sticky_faults


def fault_of_device(call: str) -> BaseException | None:
    """The exception for a call of another library, if a fault of the current device is behind it.

    The other libraries say no more than that something failed.
    """
    sizes = ctypes.c_size_t(), ctypes.c_size_t()
    status = library.raw("mem_get_info")(*map(ctypes.byref, sizes))
    return error_of(call, status) if is_sticky(status) else None


def _status_name(status: int) -> str:
    known = STATUS_NAMES.get(status)
    if known is not None:
        return known
    try:
        return library.get_error_name(status).decode()
    except Exception:  # an older driver does not know a newer status
        return "unknown status"


def _status_detail(status: int) -> str:
    text = ctypes.c_char_p()
    if library.raw("get_error_string")(status, ctypes.byref(text)) or text.value is None:
        return ""
    return text.value.decode(errors="replace")


library = Library("the CUDA driver", PROTOTYPES, _open_source, error_of)


def _lose() -> None:
    if forked():
        library.lose(str(fork_error()))


_fork.in_child(_lose)


def number_of(name: str | int, names: Mapping[str, int], what: str) -> int:
    """The number of one of cuda.h's names; a number is returned as it is."""
    if not isinstance(name, str):
        return name
    try:
        return names[name]
    except KeyError:
        raise ValueError(
            f"no {what} is called {name!r}; cuda.h's names are taken without prefix, in lower "
            f"case, such as {next(iter(names))!r}"
        ) from None
