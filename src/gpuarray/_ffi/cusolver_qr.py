"""cuSOLVER: the rows of its functions for QR factorisations."""

from __future__ import annotations

from .cusolver_kinds import HANDLE, PARAMS, WORKSPACES, matrix, smaller
from .library_kinds import DataType, Dimension
from .library_pointers import Matrix, VectorPointer
from .library_table import Row

__all__ = ["ROWS"]

ROWS = (
    Row(
        "cusolverDnXgeqrf",
        HANDLE,
        PARAMS,
        Dimension("m"),
        Dimension("n"),
        *matrix("dataTypeA", Matrix("A", "m", "n", "dataTypeA", "lda", access="rw"), "lda"),
        DataType("dataTypeTau"),
        VectorPointer("tau", smaller, "dataTypeTau", "w"),
        DataType("computeType"),
        *WORKSPACES,
        query="_bufferSize",
    ),
)  # fmt: skip
