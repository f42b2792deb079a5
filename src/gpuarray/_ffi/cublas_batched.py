"""cuBLAS: the rows of its functions for triangular systems, and for batches of factorisations.

The factorisations of batches have no 64-bit form. They take arrays of addresses.
"""

from __future__ import annotations

from ctypes import c_int
from typing import Any

import numpy as np

from .cublas_kinds import DIAGONAL, ELEMENT_TYPES, FILL, HANDLE, OPERATION, SIDE
from .library_kinds import Dimension, Enum, Number
from .library_pointers import HostArray, Matrix, MatrixArray, ScalarPointer, VectorPointer
from .library_table import Row

__all__ = ["ROWS"]

_INT32 = np.dtype("i4")


def _order(call: Any) -> int:
    """The rows of a triangular matrix by the side that it stands on."""
    return call.n if call.side else call.m


def _all_pivots(call: Any) -> int:
    """The rows of all matrices of a batch."""
    return call.n * call.batchSize


def _triangular(letter: str, dtype: np.dtype) -> tuple[Row, Row]:
    how = (
        Enum("side", SIDE),
        Enum("uplo", FILL),
        Enum("trans", OPERATION),
        Enum("diag", DIAGONAL),
        Dimension("m"),
        Dimension("n"),
        ScalarPointer("alpha", dtype),
    )
    return (
        Row(
            f"cublas{letter}trsm_v2_64",
            HANDLE,
            *how,
            Matrix("A", _order, _order, dtype, "lda"),
            Number("lda"),
            Matrix("B", "m", "n", dtype, "ldb", access="rw"),
            Number("ldb"),
        ),
        Row(
            f"cublas{letter}trsmBatched_64",
            HANDLE,
            *how,
            MatrixArray("A", _order, _order, dtype, "lda", "batchCount"),
            Number("lda"),
            MatrixArray("B", "m", "n", dtype, "ldb", "batchCount", access="rw"),
            Number("ldb"),
            Dimension("batchCount"),
        ),
    )


def _factorisations(letter: str, dtype: np.dtype) -> tuple[Row, ...]:
    batch = Dimension("batchSize", c_int)
    infos = VectorPointer("info", "batchSize", _INT32, "w")
    return (
        Row(
            f"cublas{letter}getrfBatched",
            HANDLE,
            Dimension("n", c_int),
            MatrixArray("A", "n", "n", dtype, "lda", "batchSize", access="rw"),
            Number("lda", c_int),
            VectorPointer("P", _all_pivots, _INT32, "w"),
            infos,
            batch,
        ),
        Row(
            f"cublas{letter}getrsBatched",
            HANDLE,
            Enum("trans", OPERATION),
            Dimension("n", c_int),
            Dimension("nrhs", c_int),
            MatrixArray("Aarray", "n", "n", dtype, "lda", "batchSize"),
            Number("lda", c_int),
            VectorPointer("devIpiv", _all_pivots, _INT32),
            MatrixArray("Barray", "n", "nrhs", dtype, "ldb", "batchSize", access="rw"),
            Number("ldb", c_int),
            HostArray("info", 1, _INT32, const=False),
            batch,
        ),
        Row(
            f"cublas{letter}getriBatched",
            HANDLE,
            Dimension("n", c_int),
            MatrixArray("A", "n", "n", dtype, "lda", "batchSize"),
            Number("lda", c_int),
            VectorPointer("P", _all_pivots, _INT32),
            MatrixArray("C", "n", "n", dtype, "ldc", "batchSize", access="w"),
            Number("ldc", c_int),
            infos,
            batch,
        ),
        Row(
            f"cublas{letter}matinvBatched",
            HANDLE,
            Dimension("n", c_int),
            MatrixArray("A", "n", "n", dtype, "lda", "batchSize"),
            Number("lda", c_int),
            MatrixArray("Ainv", "n", "n", dtype, "lda_inv", "batchSize", access="w"),
            Number("lda_inv", c_int),
            infos,
            batch,
        ),
    )


ROWS = tuple(
    [
        row
        for letter, dtype in ELEMENT_TYPES.items()
        for row in (*_triangular(letter, dtype), *_factorisations(letter, dtype))
    ]
)
