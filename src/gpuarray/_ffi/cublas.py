"""cuBLAS: the table of its functions. Of functions with 32-bit sizes the 64-bit form is bound."""

from __future__ import annotations

from ctypes import c_size_t
from typing import Any

import numpy as np

from gpuarray.errors import CUBLASError

from . import cublas_batched
from .cublas_kinds import DIAGONAL, FILL, HANDLE, OPERATION, SIDE
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
_REFUSALS = {
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
_COMPUTE = Enumeration(
    ("cublasComputeType_t",),
    {
        "CUBLAS_COMPUTE_16F": 64,
        "CUBLAS_COMPUTE_16F_PEDANTIC": 65,
        "CUBLAS_COMPUTE_32F": 68,
        "CUBLAS_COMPUTE_32F_PEDANTIC": 69,
        "CUBLAS_COMPUTE_32F_FAST_16BF": 75,
        "CUBLAS_COMPUTE_32F_FAST_TF32": 77,
        "CUBLAS_COMPUTE_32F_EMULATED_16BFX9": 78,
        "CUBLAS_COMPUTE_64F": 70,
        "CUBLAS_COMPUTE_64F_PEDANTIC": 71,
        "CUBLAS_COMPUTE_32I": 72,
        "CUBLAS_COMPUTE_32I_PEDANTIC": 73,
    },
)
#: The math mode in which parts of a split sum are added in the compute type.
WIDE_REDUCTION = _MATH.members["CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION"]
ENUMERATIONS = (OPERATION, FILL, DIAGONAL, SIDE, _POINTER_MODE, _MATH, _ALGORITHM, _COMPUTE)

#: What each compute type takes: the dtypes of A and B, of C, and of alpha and beta.
_GEMM_TYPES = {
    "CUBLAS_COMPUTE_16F": ("f2 f2 f2",),
    "CUBLAS_COMPUTE_32F": ("f2 f2 f4", "i1 f4 f4", "f2 f4 f4", "f4 f4 f4", "c8 c8 c8"),
    "CUBLAS_COMPUTE_32F_FAST_16BF": ("f4 f4 f4", "c8 c8 c8"),
    "CUBLAS_COMPUTE_32F_FAST_TF32": ("f4 f4 f4", "c8 c8 c8"),
    "CUBLAS_COMPUTE_32F_EMULATED_16BFX9": ("f4 f4 f4", "c8 c8 c8"),
    "CUBLAS_COMPUTE_64F": ("f8 f8 f8", "c16 c16 c16"),
    "CUBLAS_COMPUTE_32I": ("i1 i4 i4",),
}
_SCALE_TYPES = {
    (_COMPUTE.members[name], *map(np.dtype, types.split()[:2])): np.dtype(types.split()[2])
    for compute, combinations in _GEMM_TYPES.items()
    for name in (compute, f"{compute}_PEDANTIC")
    if name in _COMPUTE.members
    for types in combinations
}

_FLOAT32_COMPUTE = [_COMPUTE.members[f"CUBLAS_COMPUTE_32F{end}"] for end in ("", "_PEDANTIC")]


def _scale_type(call: Any) -> np.dtype:
    """The dtype of alpha and beta, in which the product is summed as well."""
    types = [call.Atype, call.Ctype]
    if call.Atype.name == "bfloat16" and call.computeType in _FLOAT32_COMPUTE:
        # As of halves, but that no product is summed in it.
        types = [np.dtype("f2") if x == call.Atype else x for x in types]
    found = _SCALE_TYPES.get((call.computeType, *types))
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
        Enum("computeType", _COMPUTE),
        Enum("algo", _ALGORITHM),
    ),
    *cublas_batched.ROWS,
)

library = TableLibrary("cuBLAS", "cublas", _ROWS, STATUSES, _REFUSALS, CUBLASError)


def workspace_bytes(compute_capability: int) -> int:
    """The size of a handle's workspace, as NVIDIA recommends it for the architecture.

    `compute_capability` is 10 * major + minor. The emulator has no use for a workspace; it gets one
    that is small, so that handles are set up as on a GPU.
    """
    if opened().name == "emulator":
        return 4 << 10
    return 32 << 20 if compute_capability >= 90 else 4 << 20
