"""What rows of cuBLAS's functions have in common: the handle and enumerations."""

from __future__ import annotations

import numpy as np

from .library_kinds import Enumeration, Handle

__all__ = [
    "COMPUTE", "DIAGONAL", "ELEMENT_TYPES", "FILL", "HANDLE", "OPERATION", "SCALE_TYPES", "SIDE",
]  # fmt: skip

OPERATION = Enumeration(
    ("cublasOperation_t",), {"CUBLAS_OP_N": 0, "CUBLAS_OP_T": 1, "CUBLAS_OP_C": 2}
)
#: The triangle of a matrix that is read, or stored.
FILL = Enumeration(
    ("cublasFillMode_t",), {"CUBLAS_FILL_MODE_LOWER": 0, "CUBLAS_FILL_MODE_UPPER": 1}
)
#: Whether the diagonal is taken for ones, without a look at it.
DIAGONAL = Enumeration(("cublasDiagType_t",), {"CUBLAS_DIAG_NON_UNIT": 0, "CUBLAS_DIAG_UNIT": 1})
SIDE = Enumeration(("cublasSideMode_t",), {"CUBLAS_SIDE_LEFT": 0, "CUBLAS_SIDE_RIGHT": 1})

HANDLE = Handle("handle", "cublasHandle_t")

#: The letters of functions for one type of elements, and their dtypes.
ELEMENT_TYPES: dict[str, np.dtype] = {
    "S": np.dtype("f4"),
    "D": np.dtype("f8"),
    "C": np.dtype("c8"),
    "Z": np.dtype("c16"),
}

COMPUTE = Enumeration(
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
#: By compute type and the dtypes of A, or B, and C: that of alpha and beta.
SCALE_TYPES = {
    (COMPUTE.members[name], *map(np.dtype, types.split()[:2])): np.dtype(types.split()[2])
    for compute, combinations in _GEMM_TYPES.items()
    for name in (compute, f"{compute}_PEDANTIC")
    if name in COMPUTE.members
    for types in combinations
}
