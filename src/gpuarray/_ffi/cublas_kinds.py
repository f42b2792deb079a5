"""What rows of cuBLAS's functions have in common: the handle and enumerations."""

from __future__ import annotations

import numpy as np

from .library_kinds import Enumeration, Handle

__all__ = ["DIAGONAL", "ELEMENT_TYPES", "FILL", "HANDLE", "OPERATION", "SIDE"]

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
