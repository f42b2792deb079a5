"""cuSOLVER: the table of its functions for dense matrices, those with 64-bit sizes."""

from __future__ import annotations

from ctypes import c_byte, c_size_t
from typing import Any

import numpy as np

from gpuarray.errors import CUSOLVERError

from .library_kinds import (
    LIBRARY_PROPERTY,
    DataType,
    Dimension,
    Enum,
    Enumeration,
    Handle,
    Kind,
    New,
    Number,
    Result,
    StreamHandle,
    StreamResult,
)
from .library_pointers import Matrix, VectorPointer, Workspace
from .library_table import Row, TableLibrary

__all__ = [
    "DETERMINISTIC",
    "ENUMERATIONS",
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

_EIG_MODE = Enumeration(
    ("cusolverEigMode_t",), {"CUSOLVER_EIG_MODE_NOVECTOR": 0, "CUSOLVER_EIG_MODE_VECTOR": 1}
)
_DETERMINISTIC = Enumeration(
    ("cusolverDeterministicMode_t",),
    {"CUSOLVER_DETERMINISTIC_RESULTS": 1, "CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS": 2},
)
#: The mode in which a function gives the same bits each time.
DETERMINISTIC = _DETERMINISTIC.members["CUSOLVER_DETERMINISTIC_RESULTS"]
ENUMERATIONS = (_EIG_MODE, _DETERMINISTIC)

_HANDLE = Handle("handle", "cusolverDnHandle_t")
_SPARSE_HANDLE = Handle("handle", "cusolverSpHandle_t")
_PARAMS = Handle("params", "cusolverDnParams_t", optional=True)


def _job(name: str) -> Number:
    """A letter that says which vectors are wanted: all, some, none."""
    return Number(name, c_byte)


def _vectors(job: str, size: str, job_of_all: Any = None) -> Any:
    """The number of rows or columns of a matrix of vectors, which is 0 where none are wanted."""

    def count(call: Any) -> int:
        wanted = getattr(call, job)
        if wanted in (0, ord("N")):
            return 0
        if job_of_all is not None and wanted == ord("S"):
            return job_of_all(call)
        return getattr(call, size)

    return count


def _smaller(call: Any) -> int:
    return min(call.m, call.n)


_WORKSPACES = (
    Workspace("bufferOnDevice", "workspaceInBytesOnDevice"),
    Dimension("workspaceInBytesOnDevice", c_size_t),
    Workspace("bufferOnHost", "workspaceInBytesOnHost", on_host=True),
    Dimension("workspaceInBytesOnHost", c_size_t),
    VectorPointer("info", 1, np.dtype("i4"), "w"),
)


def _matrix(type_: str, matrix: Matrix, ld: str) -> tuple[Kind, ...]:
    """A data type, the matrix of it, and its leading dimension."""
    return DataType(type_), matrix, Number(ld)


_ROWS = (
    Row("cusolverGetVersion", Result("version"), on_host=True),
    Row("cusolverGetProperty", Enum("type", LIBRARY_PROPERTY), Result("value"), on_host=True),
    Row("cusolverDnCreate", New("handle", "cusolverDnHandle_t")),
    Row("cusolverDnDestroy", _HANDLE),
    Row("cusolverDnSetStream", _HANDLE, StreamHandle("streamId")),
    Row("cusolverDnGetStream", _HANDLE, StreamResult("streamId")),
    Row("cusolverSpCreate", New("handle", "cusolverSpHandle_t")),
    Row("cusolverSpDestroy", _SPARSE_HANDLE),
    Row("cusolverSpSetStream", _SPARSE_HANDLE, StreamHandle("streamId")),
    Row("cusolverSpGetStream", _SPARSE_HANDLE, StreamResult("streamId")),
    Row("cusolverDnSetDeterministicMode", _HANDLE, Enum("mode", _DETERMINISTIC)),
    Row("cusolverDnCreateParams", New("params", "cusolverDnParams_t")),
    Row("cusolverDnDestroyParams", Handle("params", "cusolverDnParams_t")),
    Row(
        "cusolverDnXgeqrf",
        _HANDLE,
        _PARAMS,
        Dimension("m"),
        Dimension("n"),
        *_matrix("dataTypeA", Matrix("A", "m", "n", "dataTypeA", "lda", access="rw"), "lda"),
        DataType("dataTypeTau"),
        VectorPointer("tau", _smaller, "dataTypeTau", "w"),
        DataType("computeType"),
        *_WORKSPACES,
        query="_bufferSize",
    ),
    Row(
        "cusolverDnXgesvd",
        _HANDLE,
        _PARAMS,
        _job("jobu"),
        _job("jobvt"),
        Dimension("m"),
        Dimension("n"),
        *_matrix("dataTypeA", Matrix("A", "m", "n", "dataTypeA", "lda", access="rw"), "lda"),
        DataType("dataTypeS"),
        VectorPointer("S", _smaller, "dataTypeS", "w"),
        *_matrix(
            "dataTypeU",
            Matrix(
                "U", _vectors("jobu", "m"), _vectors("jobu", "m", _smaller), "dataTypeU", "ldu",
                access="w",
            ),
            "ldu",
        ),
        *_matrix(
            "dataTypeVT",
            Matrix(
                "VT", _vectors("jobvt", "n", _smaller), _vectors("jobvt", "n"), "dataTypeVT",
                "ldvt", access="w",
            ),
            "ldvt",
        ),
        DataType("computeType"),
        *_WORKSPACES,
        query="_bufferSize",
    ),
    Row(
        "cusolverDnXgeev",
        _HANDLE,
        _PARAMS,
        Enum("jobvl", _EIG_MODE),
        Enum("jobvr", _EIG_MODE),
        Dimension("n"),
        *_matrix("dataTypeA", Matrix("A", "n", "n", "dataTypeA", "lda", access="rw"), "lda"),
        DataType("dataTypeW"),
        VectorPointer("W", "n", "dataTypeW", "w"),
        *_matrix(
            "dataTypeVL",
            Matrix(
                "VL", _vectors("jobvl", "n"), _vectors("jobvl", "n"), "dataTypeVL", "ldvl",
                access="w",
            ),
            "ldvl",
        ),
        *_matrix(
            "dataTypeVR",
            Matrix(
                "VR", _vectors("jobvr", "n"), _vectors("jobvr", "n"), "dataTypeVR", "ldvr",
                access="w",
            ),
            "ldvr",
        ),
        DataType("computeType"),
        *_WORKSPACES,
        query="_bufferSize",
    ),
)  # fmt: skip

library = TableLibrary(
    "cuSOLVER", "cusolver", _ROWS, STATUSES, _REFUSALS, CUSOLVERError, capturable=False
)
