"""cuSOLVER: the rows of its functions for singular value decompositions."""

from __future__ import annotations

from .cusolver_kinds import HANDLE, PARAMS, WORKSPACES, job, matrix, smaller, vectors
from .library_kinds import DataType, Dimension
from .library_pointers import Matrix, VectorPointer
from .library_table import Row

__all__ = ["ROWS"]

ROWS = (
    Row(
        "cusolverDnXgesvd",
        HANDLE,
        PARAMS,
        job("jobu"),
        job("jobvt"),
        Dimension("m"),
        Dimension("n"),
        *matrix("dataTypeA", Matrix("A", "m", "n", "dataTypeA", "lda", access="rw"), "lda"),
        DataType("dataTypeS"),
        VectorPointer("S", smaller, "dataTypeS", "w"),
        *matrix(
            "dataTypeU",
            Matrix(
                "U", vectors("jobu", "m"), vectors("jobu", "m", smaller), "dataTypeU", "ldu",
                access="w",
            ),
            "ldu",
        ),
        *matrix(
            "dataTypeVT",
            Matrix(
                "VT", vectors("jobvt", "n", smaller), vectors("jobvt", "n"), "dataTypeVT",
                "ldvt", access="w",
            ),
            "ldvt",
        ),
        DataType("computeType"),
        *WORKSPACES,
        query="_bufferSize",
    ),
)  # fmt: skip
