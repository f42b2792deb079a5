"""cuSOLVER: the rows of its functions for QR factorisations.

There are no functions with 64-bit sizes that make Q, or multiply with it.
"""

from __future__ import annotations

from ctypes import c_int

import numpy as np

from .cublas_kinds import OPERATION, SIDE
from .cusolver_kinds import HANDLE, PARAMS, WORKSPACES, matrix, smaller
from .library_kinds import DataType, Dimension, Enum, Number
from .library_pointers import ElementWorkspace, Matrix, VectorPointer
from .library_table import Row

__all__ = ["FORM_Q", "MULTIPLY_BY_Q", "ROWS"]

#: By dtype, the function that makes Q of the reflectors.
FORM_Q: dict[np.dtype, str] = {
    np.dtype("f4"): "cusolverDnSorgqr",
    np.dtype("f8"): "cusolverDnDorgqr",
    np.dtype("c8"): "cusolverDnCungqr",
    np.dtype("c16"): "cusolverDnZungqr",
}
#: By dtype, the function that multiplies a matrix by Q, or by its conjugate transpose.
MULTIPLY_BY_Q: dict[np.dtype, str] = {
    np.dtype("f4"): "cusolverDnSormqr",
    np.dtype("f8"): "cusolverDnDormqr",
    np.dtype("c8"): "cusolverDnCunmqr",
    np.dtype("c16"): "cusolverDnZunmqr",
}

_INT32 = np.dtype("i4")


def _form_q(name: str, dtype: np.dtype) -> Row:
    return Row(
        name,
        HANDLE,
        Dimension("m", c_int),
        Dimension("n", c_int),
        Dimension("k", c_int),
        Matrix("A", "m", "n", dtype, "lda", access="rw"),
        Number("lda", c_int),
        VectorPointer("tau", "k", dtype),
        ElementWorkspace("work", "lwork", dtype),
        Number("lwork", c_int),
        VectorPointer("info", 1, _INT32, "w"),
        query="_bufferSize",
    )


def _multiply_by_q(name: str, dtype: np.dtype) -> Row:
    # The reflectors have as many rows as C on the left, and as C has columns on the right.
    return Row(
        name,
        HANDLE,
        Enum("side", SIDE),
        Enum("trans", OPERATION),
        Dimension("m", c_int),
        Dimension("n", c_int),
        Dimension("k", c_int),
        Matrix("A", lambda call: call.n if call.side else call.m, "k", dtype, "lda"),
        Number("lda", c_int),
        VectorPointer("tau", "k", dtype),
        Matrix("C", "m", "n", dtype, "ldc", access="rw"),
        Number("ldc", c_int),
        ElementWorkspace("work", "lwork", dtype),
        Number("lwork", c_int),
        VectorPointer("devInfo", 1, _INT32, "w"),
        query="_bufferSize",
    )


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
    *[_form_q(name, dtype) for dtype, name in FORM_Q.items()],
    *[_multiply_by_q(name, dtype) for dtype, name in MULTIPLY_BY_Q.items()],
)  # fmt: skip
