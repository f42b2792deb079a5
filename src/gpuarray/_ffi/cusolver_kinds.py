"""What rows of cuSOLVER's functions have in common: enumerations, handles, workspaces, matrices."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import c_byte, c_size_t
from typing import Any

import numpy as np

from .library_kinds import DataType, Dimension, Enumeration, Handle, Kind, Number
from .library_pointers import Matrix, VectorPointer, Workspace

__all__ = [
    "ALGORITHM",
    "DETERMINISTIC_MODE",
    "EIG_MODE",
    "ENUMERATIONS",
    "FUNCTION",
    "HANDLE",
    "PARAMS",
    "WORKSPACES",
    "job",
    "matrix",
    "smaller",
    "vectors",
]

EIG_MODE = Enumeration(
    ("cusolverEigMode_t",), {"CUSOLVER_EIG_MODE_NOVECTOR": 0, "CUSOLVER_EIG_MODE_VECTOR": 1}
)
DETERMINISTIC_MODE = Enumeration(
    ("cusolverDeterministicMode_t",),
    {"CUSOLVER_DETERMINISTIC_RESULTS": 1, "CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS": 2},
)
#: The functions that have several algorithms, and these.
FUNCTION = Enumeration(("cusolverDnFunction_t",), {"CUSOLVERDN_GETRF": 0, "CUSOLVERDN_POTRF": 1})
ALGORITHM = Enumeration(
    ("cusolverAlgMode_t",), {"CUSOLVER_ALG_0": 0, "CUSOLVER_ALG_1": 1, "CUSOLVER_ALG_2": 2}
)
#: Those that cuSOLVER's own headers declare.
ENUMERATIONS = (EIG_MODE, DETERMINISTIC_MODE, FUNCTION, ALGORITHM)

HANDLE = Handle("handle", "cusolverDnHandle_t")
PARAMS = Handle("params", "cusolverDnParams_t", optional=True)

#: The last arguments of functions with 64-bit sizes.
WORKSPACES = (
    Workspace("bufferOnDevice", "workspaceInBytesOnDevice"),
    Dimension("workspaceInBytesOnDevice", c_size_t),
    Workspace("bufferOnHost", "workspaceInBytesOnHost", on_host=True),
    Dimension("workspaceInBytesOnHost", c_size_t),
    VectorPointer("info", 1, np.dtype("i4"), "w"),
)


def job(name: str) -> Number:
    """A letter that says which vectors are wanted: all, some, none."""
    return Number(name, c_byte)


def vectors(
    job: str, size: str, size_of_some: Callable[[Any], int] | None = None
) -> Callable[[Any], int]:
    """The number of rows or columns of a matrix of vectors, which is 0 where none are wanted."""

    def count(call: Any) -> int:
        wanted = getattr(call, job)
        if wanted in (0, ord("N")):
            return 0
        if size_of_some is not None and wanted == ord("S"):
            return size_of_some(call)
        return getattr(call, size)

    return count


def smaller(call: Any) -> int:
    return min(call.m, call.n)


def matrix(type_: str, matrix: Matrix, ld: str) -> tuple[Kind, ...]:
    """A data type, the matrix of it, and its leading dimension."""
    return DataType(type_), matrix, Number(ld)
