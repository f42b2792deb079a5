"""cuSOLVER: the table of its functions, for dense matrices those with 64-bit sizes."""

from __future__ import annotations

from gpuarray.errors import CUSOLVERError

from . import (
    cusolver_cholesky,
    cusolver_eigen,
    cusolver_lu,
    cusolver_qr,
    cusolver_sparse,
    cusolver_svd,
)
from .cusolver_kinds import ALGORITHM, DETERMINISTIC_MODE, ENUMERATIONS, FUNCTION, HANDLE
from .library_kinds import (
    LIBRARY_PROPERTY,
    Enum,
    Handle,
    New,
    Result,
    StreamHandle,
    StreamResult,
)
from .library_table import Row, TableLibrary

__all__ = [
    "ALGORITHM",
    "DETERMINISTIC",
    "ENUMERATIONS",
    "FUNCTION",
    "STATUSES",
    "STATUS_TYPE",
    "library",
]

STATUS_TYPE = "cusolverStatus_t"
STATUSES = {
    0: "CUSOLVER_STATUS_SUCCESS",
    1: "CUSOLVER_STATUS_NOT_INITIALIZED",
    2: "CUSOLVER_STATUS_ALLOC_FAILED",
    3: "CUSOLVER_STATUS_INVALID_VALUE",
    4: "CUSOLVER_STATUS_ARCH_MISMATCH",
    5: "CUSOLVER_STATUS_MAPPING_ERROR",
    6: "CUSOLVER_STATUS_EXECUTION_FAILED",
    7: "CUSOLVER_STATUS_INTERNAL_ERROR",
    8: "CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
    9: "CUSOLVER_STATUS_NOT_SUPPORTED",
    10: "CUSOLVER_STATUS_ZERO_PIVOT",
    11: "CUSOLVER_STATUS_INVALID_LICENSE",
    31: "CUSOLVER_STATUS_INVALID_WORKSPACE",
}
_REFUSALS = {
    "handle": 1,
    "memory": 2,
    "value": 3,
    "failed": 6,
    "internal": 7,
    "unsupported": 9,
}

#: The mode in which a function gives the same bits each time.
DETERMINISTIC = DETERMINISTIC_MODE.members["CUSOLVER_DETERMINISTIC_RESULTS"]

_ROWS = (
    Row("cusolverGetVersion", Result("version"), on_host=True),
    Row("cusolverGetProperty", Enum("type", LIBRARY_PROPERTY), Result("value"), on_host=True),
    Row("cusolverDnCreate", New("handle", "cusolverDnHandle_t")),
    Row("cusolverDnDestroy", HANDLE),
    Row("cusolverDnSetStream", HANDLE, StreamHandle("streamId")),
    Row("cusolverDnGetStream", HANDLE, StreamResult("streamId")),
    Row("cusolverDnSetDeterministicMode", HANDLE, Enum("mode", DETERMINISTIC_MODE)),
    Row("cusolverDnCreateParams", New("params", "cusolverDnParams_t")),
    Row("cusolverDnDestroyParams", Handle("params", "cusolverDnParams_t")),
    Row(
        "cusolverDnSetAdvOptions",
        Handle("params", "cusolverDnParams_t"),
        Enum("function", FUNCTION),
        Enum("algo", ALGORITHM),
    ),
    *cusolver_lu.ROWS,
    *cusolver_cholesky.ROWS,
    *cusolver_qr.ROWS,
    *cusolver_svd.ROWS,
    *cusolver_eigen.ROWS,
    *cusolver_sparse.ROWS,
)

library = TableLibrary(
    "cuSOLVER", "cusolver", _ROWS, STATUSES, _REFUSALS, CUSOLVERError, capturable=False
)
