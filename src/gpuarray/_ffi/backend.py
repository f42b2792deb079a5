"""Chooses what the driver's functions are bound to: libcuda or the emulator."""

from __future__ import annotations

import ctypes
import os
import sys
import warnings
from typing import Any, NamedTuple

from gpuarray import _fork
from gpuarray._config import config
from gpuarray.errors import BackendWarning, DriverError, ForkError, LibraryNotFoundError

from .driver_enums import STATUS_NAMES
from .library import SymbolSource

__all__ = ["Backend", "gpu_answers", "select"]

DRIVER_FILE = "libcuda.so.1"
_NO_DEVICE = 100
#: What cuInit returns in a process forked from one where anything, such as another package, had
#: initialised CUDA.
_NOT_INITIALIZED = 3
_REMEDY = (
    "check the driver with nvidia-smi and the variable CUDA_VISIBLE_DEVICES, or set "
    "GPUARRAY_BACKEND=emulator to run without a GPU"
)


#: The process in which a backend was opened, or began to be.
_process = 0
#: Memory whose first byte is 1 there, and which the system clears in children; None if it cannot.
#: To read it costs much less than a system call.
_cleared_in_children: Any = None
_MADV_WIPEONFORK = 18


_FORKED = (
    "this process cannot use a device: it was forked from one that had used a device already, and "
    "CUDA does not work after that. Start processes with multiprocessing.get_context('spawn'), or "
    "fork before the first use of a device"
)


def forked() -> bool:
    """Whether this process was forked from one that had used a device, which is lost here.

    It is True as soon as the child runs: the first that it does is to destroy what other threads
    of its parent have left, and finalizers run then, before any function of `gpuarray._fork`.
    """
    if _cleared_in_children is not None:
        return not _cleared_in_children[0]
    return _process != 0 and _process != os.getpid()


def _note_fork() -> None:
    global _cleared_in_children
    if _process not in (0, os.getpid()):  # a kernel may take the advice without following it
        _cleared_in_children = b"\0"


_fork.in_child(_note_fork)


def fork_error() -> ForkError:
    """The exception for a use of a device in such a process."""
    return ForkError(_FORKED)


class Backend(NamedTuple):
    """The library that the driver's functions are bound to."""

    name: str
    source: SymbolSource
    #: Why the emulator was chosen where the configuration did not ask for it.
    reason: str = ""
    #: Whether the fault of a kernel leaves its device unusable.
    sticky_faults: bool = True


class _NoDeviceError(Exception):
    """CUDA cannot be used: the reason, and the exception to raise where CUDA is required."""

    def __init__(self, reason: str, error: Exception) -> None:
        super().__init__(reason, error)
        self.reason = reason
        self.error = error


def select() -> Backend:
    """The backend that ``GPUARRAY_BACKEND`` names; 'auto' is CUDA if there is a device."""
    if forked():
        raise fork_error()
    if config.backend == "emulator":
        return _emulator()
    try:
        return Backend("cuda", _open_cuda())
    except _NoDeviceError as failure:
        if config.backend == "cuda":
            raise failure.error from None
        return _emulator(failure.reason)


def gpu_answers() -> bool:
    """Whether CUDA has a device, and is not ruled out by ``GPUARRAY_BACKEND``."""
    if config.backend == "emulator" or forked():
        return False
    try:
        _open_cuda()
    except _NoDeviceError:
        return False
    return True


def warn_of_fallback(backend: Backend) -> None:
    """Warn, at the line that first used a device, that the emulator replaces a missing GPU."""
    if not backend.reason:
        return
    warnings.warn(
        f"gpuarray found no GPU and runs on its emulator, which is slow: {backend.reason}. "
        "Set GPUARRAY_BACKEND=emulator to choose the emulator without this warning",
        BackendWarning,
        stacklevel=_level_of_caller(),
    )


def _level_of_caller() -> int:
    """The stacklevel, for `warn_of_fallback`, of the first frame outside this package."""
    level = 1
    frame = sys._getframe(1)
    while frame.f_back is not None:
        name = frame.f_globals.get("__name__", "")
        if name != "gpuarray" and not name.startswith("gpuarray."):
            break
        frame = frame.f_back
        level += 1
    return level


def _note_process() -> None:
    """Keep in mind that a process which is forked from now on cannot use a device."""
    global _process, _cleared_in_children
    if _process != os.getpid():
        _cleared_in_children = _memory_for_no_child()
        _process = os.getpid()


def _memory_for_no_child() -> Any:
    """Memory whose first byte is 1, and 0 in a child; None where the system has no such memory."""
    import mmap  # where a device is used, and not before

    if not sys.platform.startswith("linux"):
        return None
    memory = mmap.mmap(-1, mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    try:
        memory.madvise(_MADV_WIPEONFORK)
    except OSError:  # the kernel does not know it
        return None
    memory[0] = 1
    return memory


def _open_cuda() -> SymbolSource:
    try:
        library = ctypes.CDLL(DRIVER_FILE)
    except OSError as error:
        reason = f"the NVIDIA driver's library could not be opened ({error})"
        raise _NoDeviceError(reason, LibraryNotFoundError(f"{reason}; {_REMEDY}")) from None
    _note_process()
    status = library.cuInit(0)
    if status == _NOT_INITIALIZED:
        raise fork_error()
    if status:
        raise _refused("cuInit", status)
    count = ctypes.c_int()
    status = library.cuDeviceGetCount(ctypes.byref(count))
    if status or count.value == 0:
        raise _refused("cuDeviceGetCount", status or _NO_DEVICE)
    return library


def _refused(call: str, status: int) -> _NoDeviceError:
    name = STATUS_NAMES.get(status, "unknown status")
    reason = f"the NVIDIA driver is there, but {call} returned {name} ({status})"
    detail = f"the driver is there, but no device answers; {_REMEDY}"
    return _NoDeviceError(reason, DriverError(call, status, name, detail))


def _emulator(reason: str = "") -> Backend:
    _note_process()
    # Imported here: a process with a GPU does not need it.
    from .emulator import open_driver

    sticky = config.sticky_faults
    return Backend("emulator", open_driver(config.emulated_devices, sticky), reason, sticky)
