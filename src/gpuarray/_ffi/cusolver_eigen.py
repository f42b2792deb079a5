"""cuSOLVER: the rows of its functions for eigenvalues and eigenvectors."""

from __future__ import annotations

import numpy as np

from .cublas_kinds import FILL
from .cusolver_kinds import EIG_MODE, HANDLE, PARAMS, WORKSPACES, matrix, vectors
from .library_kinds import DataType, Dimension, Enum
from .library_pointers import Matrix, VectorPointer
from .library_table import Row

__all__ = ["ROWS"]

ROWS = (
    Row(
        "cusolverDnXsyevd",
        HANDLE,
        PARAMS,
        Enum("jobz", EIG_MODE),
        Enum("uplo", FILL),
        Dimension("n"),
        *matrix("dataTypeA", Matrix("A", "n", "n", "dataTypeA", "lda", access="rw"), "lda"),
        DataType("dataTypeW"),
        VectorPointer("W", "n", "dataTypeW", "w"),
        DataType("computeType"),
        *WORKSPACES,
        query="_bufferSize",
    ),
    Row(
        "cusolverDnXsyevBatched",
        HANDLE,
        PARAMS,
        Enum("jobz", EIG_MODE),
        Enum("uplo", FILL),
        Dimension("n"),
        *matrix(
            "dataTypeA",
            Matrix(
                "A", "n", "n", "dataTypeA", "lda", stride=lambda call: call.lda * call.n,
                count="batchSize", access="rw",
            ),
            "lda",
        ),
        DataType("dataTypeW"),
        VectorPointer("W", lambda call: call.n * call.batchSize, "dataTypeW", "w"),
        DataType("computeType"),
        *WORKSPACES[:-1],
        VectorPointer("info", "batchSize", np.dtype("i4"), "w"),
        Dimension("batchSize"),
        query="_bufferSize",
        query_adds=("batchSize",),
    ),
    Row(
        "cusolverDnXgeev",
        HANDLE,
        PARAMS,
        Enum("jobvl", EIG_MODE),
        Enum("jobvr", EIG_MODE),
        Dimension("n"),
        *matrix("dataTypeA", Matrix("A", "n", "n", "dataTypeA", "lda", access="rw"), "lda"),
        DataType("dataTypeW"),
        VectorPointer("W", "n", "dataTypeW", "w"),
        *matrix(
            "dataTypeVL",
            Matrix(
                "VL", vectors("jobvl", "n"), vectors("jobvl", "n"), "dataTypeVL", "ldvl",
                access="w",
            ),
            "ldvl",
        ),
        *matrix(
            "dataTypeVR",
            Matrix(
                "VR", vectors("jobvr", "n"), vectors("jobvr", "n"), "dataTypeVR", "ldvr",
                access="w",
            ),
            "ldvr",
        ),
        DataType("computeType"),
        *WORKSPACES,
        query="_bufferSize",
    ),
)  # fmt: skip
