"""cuSOLVER: the rows of its functions for Cholesky factorisations."""

from __future__ import annotations

from ctypes import c_int

import numpy as np

from .cublas_kinds import ELEMENT_TYPES, FILL
from .cusolver_kinds import HANDLE, PARAMS, WORKSPACES, matrix
from .library_kinds import DataType, Dimension, Enum, Number
from .library_pointers import Matrix, MatrixArray, VectorPointer
from .library_table import Row

__all__ = ["ROWS"]

_INT32 = np.dtype("i4")


def _batched(letter: str, dtype: np.dtype) -> tuple[Row, Row]:
    """The functions for matrices of a type by their addresses, which have no 64-bit form."""
    return (
        Row(
            f"cusolverDn{letter}potrfBatched",
            HANDLE,
            Enum("uplo", FILL),
            Dimension("n", c_int),
            MatrixArray("Aarray", "n", "n", dtype, "lda", "batchSize", access="rw", const=False),
            Number("lda", c_int),
            VectorPointer("infoArray", "batchSize", _INT32, "w"),
            Dimension("batchSize", c_int),
        ),
        Row(
            f"cusolverDn{letter}potrsBatched",
            HANDLE,
            Enum("uplo", FILL),
            Dimension("n", c_int),
            Dimension("nrhs", c_int),
            MatrixArray("A", "n", "n", dtype, "lda", "batchSize", const=False),
            Number("lda", c_int),
            MatrixArray("B", "n", "nrhs", dtype, "ldb", "batchSize", access="rw", const=False),
            Number("ldb", c_int),
            VectorPointer("d_info", 1, _INT32, "w"),
            Dimension("batchSize", c_int),
        ),
    )


ROWS = (
    Row(
        "cusolverDnXpotrf",
        HANDLE,
        PARAMS,
        Enum("uplo", FILL),
        Dimension("n"),
        *matrix("dataTypeA", Matrix("A", "n", "n", "dataTypeA", "lda", access="rw"), "lda"),
        DataType("computeType"),
        *WORKSPACES,
        query="_bufferSize",
    ),
    Row(
        "cusolverDnXpotrs",
        HANDLE,
        PARAMS,
        Enum("uplo", FILL),
        Dimension("n"),
        Dimension("nrhs"),
        *matrix("dataTypeA", Matrix("A", "n", "n", "dataTypeA", "lda"), "lda"),
        *matrix("dataTypeB", Matrix("B", "n", "nrhs", "dataTypeB", "ldb", access="rw"), "ldb"),
        VectorPointer("info", 1, _INT32, "w"),
    ),
    *[row for letter, dtype in ELEMENT_TYPES.items() for row in _batched(letter, dtype)],
)
