"""cuDSS: the table of its functions, and memory of ours for it.

The interface is that of version 1: before it, enumerations had other numbers.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import c_char, c_int, c_size_t, c_void_p
from typing import Any

from gpuarray.errors import CuDSSError, LibraryNotFoundError, MixedCUDAError

from . import locate
from .cudss_kinds import BASE, CONFIG, DATA, LAYOUT, MATRIX_TYPE, SOLVE_MODE, VIEW
from .driver_library import opened
from .library_kinds import (
    LIBRARY_PROPERTY,
    DataType,
    Declaration,
    Dimension,
    Enum,
    Handle,
    New,
    Number,
    Result,
    StreamHandle,
)
from .library_pointers import Pointer
from .library_table import Row, TableLibrary

__all__ = [
    "ENUMERATIONS", "STATUSES", "STATUS_TYPE", "UNSUPPORTED", "DeviceMemory", "available",
    "library",
]  # fmt: skip

STATUS_TYPE = "cudssStatus_t"
STATUSES = {
    0: "CUDSS_STATUS_SUCCESS",
    1: "CUDSS_STATUS_NOT_INITIALIZED",
    2: "CUDSS_STATUS_ALLOC_FAILED",
    3: "CUDSS_STATUS_INVALID_VALUE",
    4: "CUDSS_STATUS_NOT_SUPPORTED",
    5: "CUDSS_STATUS_EXECUTION_FAILED",
    6: "CUDSS_STATUS_INTERNAL_ERROR",
    7: "CUDSS_STATUS_IR_FAILED",
}
#: What the library may say of combinations of settings that it does not have.
UNSUPPORTED = (3, 4)

_REFUSALS = {
    "handle": 1,
    "memory": 2,
    "value": 3,
    "unsupported": 4,
    "failed": 5,
    "internal": 6,
}

ENUMERATIONS = (CONFIG, DATA, SOLVE_MODE, MATRIX_TYPE, VIEW, BASE, LAYOUT)


class _Constant(Handle):
    """A handle that is declared const."""

    @property
    def declaration(self) -> Declaration:
        return Declaration((self.declared_as,), const=True)


_HANDLE, _KEPT_HANDLE = (kind("handle", "cudssHandle_t") for kind in (Handle, _Constant))
_CONFIG, _KEPT_CONFIG = (kind("config", "cudssConfig_t") for kind in (Handle, _Constant))
_DATA, _KEPT_DATA = (kind("data", "cudssData_t") for kind in (Handle, _Constant))
_MATRIX = Handle("matrix", "cudssMatrix_t")
_NBYTES = Number("sizeInBytes", c_size_t)

_ROWS = (
    Row("cudssGetProperty", Enum("propertyType", LIBRARY_PROPERTY), Result("value"), on_host=True),
    Row("cudssCreate", New("handle", "cudssHandle_t")),
    Row("cudssDestroy", _HANDLE),
    Row("cudssSetStream", _HANDLE, StreamHandle("stream"), queued=False),
    Row(
        "cudssSetDeviceMemHandler",
        _HANDLE,
        Pointer("handler", ("cudssDeviceMemHandler_t",), const=True),
    ),
    Row("cudssConfigCreate", New("config", "cudssConfig_t")),
    Row("cudssConfigDestroy", _CONFIG),
    Row("cudssConfigSet", _CONFIG, Enum("param", CONFIG), Pointer("value", const=True), _NBYTES),
    Row("cudssDataCreate", _KEPT_HANDLE, New("data", "cudssData_t")),
    Row("cudssDataDestroy", _HANDLE, _DATA),
    Row(
        "cudssDataGet",
        _KEPT_HANDLE,
        _KEPT_DATA,
        Enum("param", DATA),
        Pointer("value"),
        _NBYTES,
        Result("sizeWritten", c_size_t),
    ),
    Row(
        "cudssMatrixCreateDn",
        New("matrix", "cudssMatrix_t"),
        Dimension("nrows"),
        Dimension("ncols"),
        Dimension("ld"),
        Pointer("values", const=True),
        DataType("valueType"),
        Enum("layout", LAYOUT),
    ),
    Row(
        "cudssMatrixCreateCsr",
        New("matrix", "cudssMatrix_t"),
        Dimension("nrows"),
        Dimension("ncols"),
        Dimension("nnz"),
        Pointer("rowStart", const=True),
        Pointer("rowEnd", const=True),
        Pointer("colIndices", const=True),
        Pointer("values", const=True),
        DataType("offsetType"),
        DataType("indexType"),
        DataType("valueType"),
        Enum("mtype", MATRIX_TYPE),
        Enum("mview", VIEW),
        Enum("indexBase", BASE),
    ),
    Row("cudssMatrixDestroy", _MATRIX),
    Row(
        "cudssExecute",
        _HANDLE,
        Number("phase", c_int),
        _KEPT_CONFIG,
        _DATA,
        _Constant("inputMatrix", "cudssMatrix_t"),
        Handle("solution", "cudssMatrix_t"),
        _Constant("rhs", "cudssMatrix_t"),
        queued=True,
    ),
)

library = TableLibrary("cuDSS", "cudss", _ROWS, STATUSES, _REFUSALS, CuDSSError, capturable=False)


def available() -> bool:
    """Whether there is a cuDSS to call: the emulated one, or the wheel's."""
    if opened().name == "emulator":
        return True
    try:
        locate.library("cudss")
    except (LibraryNotFoundError, MixedCUDAError):
        return False
    return True


_Allocate = ctypes.CFUNCTYPE(c_int, c_void_p, ctypes.POINTER(c_void_p), c_size_t, c_void_p)
_Free = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, c_void_p)


class _MemHandler(ctypes.Structure):
    """cudssDeviceMemHandler_t."""

    _fields_ = [
        ("ctx", c_void_p),
        ("device_alloc", _Allocate),
        ("device_free", _Free),
        ("name", c_char * 64),
    ]


class DeviceMemory:
    """Where a handle has its device memory from. It has to live as long as the handle.

    Parameters
    ----------
    allocate : callable
        Takes a number of bytes; returns an address. An exception of it is a failure of the call
        that needed the memory.
    free : callable
        Takes an address.
    """

    def __init__(self, allocate: Callable[[int], int], free: Callable[[int], Any]) -> None:
        #: What the last failed allocation raised.
        self.error: Exception | None = None

        def device_alloc(_: Any, pointer: Any, nbytes: int, stream: Any) -> int:
            try:
                pointer[0] = allocate(nbytes)
            except Exception as error:
                self.error = error
                return 1
            return 0

        def device_free(_: Any, pointer: int | None, nbytes: int, stream: Any) -> int:
            free(pointer or 0)
            return 0

        self._struct = _MemHandler(None, _Allocate(device_alloc), _Free(device_free), b"gpuarray")
        self.address = ctypes.addressof(self._struct)
