"""cuSPARSE: the table of its functions."""

from __future__ import annotations

from gpuarray.errors import CuSparseError

from .library_kinds import (
    LIBRARY_PROPERTY,
    Enum,
    Enumeration,
    EnumResult,
    Handle,
    New,
    Result,
    StreamHandle,
    StreamResult,
)
from .library_table import Row, TableLibrary

__all__ = ["ENUMERATIONS", "STATUSES", "STATUS_TYPE", "library"]

STATUS_TYPE = "cusparseStatus_t"
STATUSES = {
    0: "CUSPARSE_STATUS_SUCCESS",
    1: "CUSPARSE_STATUS_NOT_INITIALIZED",
    2: "CUSPARSE_STATUS_ALLOC_FAILED",
    3: "CUSPARSE_STATUS_INVALID_VALUE",
    4: "CUSPARSE_STATUS_ARCH_MISMATCH",
    5: "CUSPARSE_STATUS_MAPPING_ERROR",
    6: "CUSPARSE_STATUS_EXECUTION_FAILED",
    7: "CUSPARSE_STATUS_INTERNAL_ERROR",
    8: "CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
    9: "CUSPARSE_STATUS_ZERO_PIVOT",
    10: "CUSPARSE_STATUS_NOT_SUPPORTED",
    11: "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES",
}
_REFUSALS = {
    "handle": 1,
    "memory": 2,
    "value": 3,
    "failed": 6,
    "internal": 7,
    "unsupported": 10,
}
_POINTER_MODE = Enumeration(
    ("cusparsePointerMode_t",),
    {"CUSPARSE_POINTER_MODE_HOST": 0, "CUSPARSE_POINTER_MODE_DEVICE": 1},
)
ENUMERATIONS = (_POINTER_MODE,)

_HANDLE = Handle("handle", "cusparseHandle_t")

_ROWS = (
    Row("cusparseGetProperty", Enum("type", LIBRARY_PROPERTY), Result("value"), on_host=True),
    Row("cusparseCreate", New("handle", "cusparseHandle_t")),
    Row("cusparseDestroy", _HANDLE),
    Row("cusparseGetVersion", _HANDLE, Result("version")),
    Row("cusparseSetStream", _HANDLE, StreamHandle("streamId")),
    Row("cusparseGetStream", _HANDLE, StreamResult("streamId")),
    Row("cusparseCreateMatDescr", New("descrA", "cusparseMatDescr_t")),
    Row("cusparseDestroyMatDescr", Handle("descrA", "cusparseMatDescr_t")),
    Row("cusparseSetPointerMode", _HANDLE, Enum("mode", _POINTER_MODE)),
    Row("cusparseGetPointerMode", _HANDLE, EnumResult("mode", _POINTER_MODE)),
)

library = TableLibrary("cuSPARSE", "cusparse", _ROWS, STATUSES, _REFUSALS, CuSparseError)
