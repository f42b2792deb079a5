"""cuSOLVER: the rows of its functions for LU factorisations and triangular matrices."""

from __future__ import annotations

import numpy as np

from .cublas_kinds import DIAGONAL, FILL, OPERATION
from .cusolver_kinds import HANDLE, PARAMS, WORKSPACES, matrix, smaller
from .library_kinds import DataType, Dimension, Enum
from .library_pointers import Matrix, VectorPointer
from .library_table import Row

__all__ = ["ROWS"]

_INT64 = np.dtype("i8")

ROWS = (
    Row(
        "cusolverDnXgetrf",
        HANDLE,
        PARAMS,
        Dimension("m"),
        Dimension("n"),
        *matrix("dataTypeA", Matrix("A", "m", "n", "dataTypeA", "lda", access="rw"), "lda"),
        VectorPointer("ipiv", smaller, _INT64, "w"),
        DataType("computeType"),
        *WORKSPACES,
        query="_bufferSize",
        query_omits=["ipiv"],
    ),
    Row(
        "cusolverDnXgetrs",
        HANDLE,
        PARAMS,
        Enum("trans", OPERATION),
        Dimension("n"),
        Dimension("nrhs"),
        *matrix("dataTypeA", Matrix("A", "n", "n", "dataTypeA", "lda"), "lda"),
        VectorPointer("ipiv", "n", _INT64),
        *matrix("dataTypeB", Matrix("B", "n", "nrhs", "dataTypeB", "ldb", access="rw"), "ldb"),
        VectorPointer("info", 1, np.dtype("i4"), "w"),
    ),
    Row(
        "cusolverDnXtrtri",
        HANDLE,
        Enum("uplo", FILL),
        Enum("diag", DIAGONAL),
        Dimension("n"),
        *matrix(
            "dataTypeA",
            Matrix("A", "n", "n", "dataTypeA", "lda", access="rw", const_in_query=False),
            "lda",
        ),
        *WORKSPACES[:-1],
        VectorPointer("devInfo", 1, np.dtype("i4"), "w"),
        query="_bufferSize",
    ),
)
