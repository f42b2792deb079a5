"""The CUDA driver, or the emulator in its place: the one module that the rooms above call.

Functions of `driver_prototypes` are attributes of this module, bound at first use; those whose C
signature does not suit Python are wrapped in the modules `driver_contexts`, `driver_memory` and
so on, which export their functions through this one. Handles and device addresses are plain
integers, and 0 is the legacy default stream. Nothing is opened before first use.

Attributes
----------
backend : str
    'cuda' or 'emulator', for reports only.
image_kind : str
    What `module_load_data` takes: 'cubin' or 'ptx'.
launch : foreign function
    ``launch(config, function, params, None) -> status``, of arguments from `launch_config`,
    `function_argument` and `ArgumentBuffer.params`. It checks nothing: a status other than 0 goes
    to `launch_error`.
bare_... : foreign function
    A function of the table that takes arguments of `handle_argument` and returns the status, for
    calls that are to cost little. `failed` raises the error for a status.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from gpuarray import _fork

from .backend import fork_error as fork_error
from .backend import forked as forked
from .backend import gpu_answers as gpu_answers
from .driver_address_ranges import *
from .driver_callbacks import *
from .driver_checks import *
from .driver_contexts import *
from .driver_graphs import *
from .driver_library import error_of as error_of
from .driver_library import image_options as image_options
from .driver_library import is_sticky as is_sticky
from .driver_library import library, opened
from .driver_memory import *
from .driver_modules import *
from .driver_prototypes import PROTOTYPES
from .driver_streams import *
from .host import HostBuffer as HostBuffer
from .host import allocation_functions as allocation_functions
from .host import array_address as array_address
from .host import copy_host as copy_host
from .host import host_buffer as host_buffer
from .host import host_memory as host_memory
from .host import pointer_address as pointer_address
from .launch_arguments import *
from .sticky_errors import KERNEL_FAULTS as KERNEL_FAULTS
from .sticky_errors import explain_faults_by as explain_faults_by


def __getattr__(name: str) -> Any:
    value: Any
    if name == "backend":
        value = opened().name
    elif name == "image_kind":
        value = "ptx" if opened().name == "emulator" else "cubin"
    elif name == "launch":
        # Without argument types: each argument is prebuilt, so that ctypes has nothing to convert.
        value = library.symbol("cuLaunchKernelEx")
        value.restype = ctypes.c_int
        _bound.append(name)
    elif name in _QUICK:
        value = library.by_words(name)
        _bound.append(name)
    elif name in PROTOTYPES:
        value = getattr(library, name)
        _bound.append(name)
    elif name.startswith("bare_") and name[5:] in PROTOTYPES:
        value = library.bare(name[5:])
        _bound.append(name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value  # the next use finds it as a plain global
    return value


def failed(name: str, status: int) -> NoReturn:
    """Raise the error for a status that ``bare_name`` returned."""
    library.fail(name, status)


#: What is queued in about the time that ctypes takes to convert the arguments.
_QUICK = frozenset(
    (
        "graph_launch", "memcpy_async", "memcpy_dtod_async", "memcpy_dtoh_async",
        "memcpy_htod_async", "memset_d8_async",
    )
)  # fmt: skip

#: The functions of the library that are globals of this module.
_bound: list[str] = []


#: Functions in whose place `watch` has put others.
_watched: dict[str, Any] = {}


def watch(names: Iterable[str], around: Callable[..., Any]) -> None:
    """Have functions of this module called by ``around(name, function, *arguments)``.

    One watcher at a time. Without one, the functions are as they were.
    """
    for name in names:
        function = globals().get(name) or __getattr__(name)
        _watched[name] = function
        globals()[name] = functools.partial(around, name, function)


def unwatch() -> None:
    """Put back the functions that are watched."""
    while _watched:
        name, function = _watched.popitem()
        globals()[name] = function


def _lose() -> None:
    unwatch()
    if forked():
        while _bound:
            globals().pop(_bound.pop(), None)


_fork.in_child(_lose)


def describe() -> str:
    """One line about the backend, for reports."""
    backend = opened()
    version = library.driver_version()
    count = library.device_count()
    devices = f"{count} device{'s' if count != 1 else ''}"
    if backend.name == "cuda":
        return f"CUDA driver {version // 1000}.{version % 1000 // 10}, {devices}"
    because = f" ({backend.reason})" if backend.reason else ""
    return f"emulator of the CUDA driver, {devices}{because}"


def address_of(buffer: Any) -> int:
    """The host address of an object with the buffer interface, read-only or not."""
    import numpy as np

    return np.frombuffer(buffer, np.uint8).ctypes.data if memoryview(buffer).nbytes else 0
