"""cuBLAS: the table of its functions. Of functions with 32-bit sizes the 64-bit form is bound."""

from __future__ import annotations

from ctypes import c_size_t
from typing import Any

import numpy as np

from gpuarray.errors import CUBLASError

from . import cublas_batched
from .cublas_kinds import COMPUTE, DIAGONAL, FILL, HANDLE, OPERATION, SCALE_TYPES, SIDE
from .driver_library import opened
from .library_kinds import (
    LIBRARY_PROPERTY,
    DataType,
    Dimension,
    Enum,
    Enumeration,
    EnumResult,
    New,
    Number,
    Refusal,
    Result,
    StreamHandle,
    StreamResult,
)
from .library_pointers import Matrix, Pointer, ScalarPointer
from .library_table import Row, TableLibrary

__all__ = [
    "ENUMERATIONS",
    "REFUSALS",
    "STATUSES",
    "STATUS_TYPE",
    "WIDE_REDUCTION",
    "library",
    "workspace_bytes",
]

STATUS_TYPE = "cublasStatus_t"
STATUSES = {
    0: "CUBLAS_STATUS_SUCCESS",
    1: "CUBLAS_STATUS_NOT_INITIALIZED",
    3: "CUBLAS_STATUS_ALLOC_FAILED",
    7: "CUBLAS_STATUS_INVALID_VALUE",
    8: "CUBLAS_STATUS_ARCH_MISMATCH",
    11: "CUBLAS_STATUS_MAPPING_ERROR",
    13: "CUBLAS_STATUS_EXECUTION_FAILED",
    14: "CUBLAS_STATUS_INTERNAL_ERROR",
    15: "CUBLAS_STATUS_NOT_SUPPORTED",
    16: "CUBLAS_STATUS_LICENSE_ERROR",
}
REFUSALS = {
    "handle": 1,
    "memory": 3,
    "value": 7,
    "failed": 13,
    "internal": 14,
    "unsupported": 15,
}

_POINTER_MODE = Enumeration(
    ("cublasPointerMode_t",), {"CUBLAS_POINTER_MODE_HOST": 0, "CUBLAS_POINTER_MODE_DEVICE": 1}
)
_MATH = Enumeration(
    ("cublasMath_t",),
    {
        "CUBLAS_DEFAULT_MATH": 0,
        "CUBLAS_PEDANTIC_MATH": 2,
        "CUBLAS_TF32_TENSOR_OP_MATH": 3,
        "CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION": 16,
    },
)
_ALGORITHM = Enumeration(("cublasGemmAlgo_t",), {"CUBLAS_GEMM_DEFAULT": -1})
#: The math mode in which parts of a split sum are added in the compute type.
WIDE_REDUCTION = _MATH.members["CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION"]
ENUMERATIONS = (OPERATION, FILL, DIAGONAL, SIDE, _POINTER_MODE, _MATH, _ALGORITHM, COMPUTE)

_FLOAT32_COMPUTE = [COMPUTE.members[f"CUBLAS_COMPUTE_32F{end}"] for end in ("", "_PEDANTIC")]


def _scale_type(call: Any) -> np.dtype:
    """The dtype of alpha and beta, in which the product is summed as well."""
    types = [call.Atype, call.Ctype]
    if call.Atype.name == "bfloat16" and call.computeType in _FLOAT32_COMPUTE:
        # As of halves, but that no product is summed in it.
        types = [np.dtype("f2") if x == call.Atype else x for x in types]
    found = SCALE_TYPES.get((call.computeType, *types))
    if found == "i4" and (call.lda | call.ldb | call.A | call.B) % 4:
        raise Refusal(
            "unsupported", "int8: A, B and their leading dimensions must be multiples of 4"
        )
    if found == "i4" and call.transb and call.ldc % 4:
        # On Hopper, with CUDA 13, whatever A's operation is.
        raise Refusal("unsupported", "int8: if B is transposed, ldc must be a multiple of 4")
    if found is None or call.Atype != call.Btype:
        raise Refusal(
            "unsupported",
            f"computeType {call.computeType} for A of {call.Atype}, B of {call.Btype} and C of "
            f"{call.Ctype}",
        )
    return found


_ROWS = (
    Row("cublasCreate_v2", New("handle", "cublasHandle_t")),
    Row("cublasDestroy_v2", HANDLE),
    Row("cublasGetVersion_v2", HANDLE, Result("version")),
    Row("cublasGetProperty", Enum("type", LIBRARY_PROPERTY), Result("value"), on_host=True),
    Row("cublasSetStream_v2", HANDLE, StreamHandle("streamId")),
    Row("cublasGetStream_v2", HANDLE, StreamResult("streamId")),
    Row(
        "cublasSetWorkspace_v2",
        HANDLE,
        Pointer("workspace"),
        Dimension("workspaceSizeInBytes", c_size_t),
    ),
    Row("cublasSetPointerMode_v2", HANDLE, Enum("mode", _POINTER_MODE)),
    Row("cublasGetPointerMode_v2", HANDLE, EnumResult("mode", _POINTER_MODE)),
    Row("cublasSetMathMode", HANDLE, Enum("mode", _MATH)),
    Row("cublasGetMathMode", HANDLE, EnumResult("mode", _MATH)),
    Row(
        "cublasGemmStridedBatchedEx_64",
        HANDLE,
        Enum("transa", OPERATION),
        Enum("transb", OPERATION),
        Dimension("m"),
        Dimension("n"),
        Dimension("k"),
        ScalarPointer("alpha", _scale_type),
        Matrix("A", "m", "k", "Atype", "lda", op="transa", stride="strideA", count="batchCount"),
        DataType("Atype"),
        Number("lda"),
        Number("strideA"),
        Matrix("B", "k", "n", "Btype", "ldb", op="transb", stride="strideB", count="batchCount"),
        DataType("Btype"),
        Number("ldb"),
        Number("strideB"),
        ScalarPointer("beta", _scale_type),
        Matrix(
            "C",
            "m",
            "n",
            "Ctype",
            "ldc",
            stride="strideC",
            count="batchCount",
            access="rw",
            scaled_by="beta",
        ),
        DataType("Ctype"),
        Number("ldc"),
        Number("strideC"),
        Dimension("batchCount"),
        Enum("computeType", COMPUTE),
        Enum("algo", _ALGORITHM),
    ),
    *cublas_batched.ROWS,
)

library = TableLibrary("cuBLAS", "cublas", _ROWS, STATUSES, REFUSALS, CUBLASError)


def workspace_bytes(compute_capability: int) -> int:
    """The size of a handle's workspace, as NVIDIA recommends it for the architecture.

    `compute_capability` is 10 * major + minor. The emulator has no use for a workspace; it gets one
    that is small, so that handles are set up as on a GPU.
    """
    if opened().name == "emulator":
        return 4 << 10
    return 32 << 20 if compute_capability >= 90 else 4 << 20
