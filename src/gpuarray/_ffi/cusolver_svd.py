"""cuSOLVER: the rows of its functions for singular value decompositions."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import c_int
from typing import Any

import numpy as np

from .cusolver_kinds import EIG_MODE, HANDLE, PARAMS, WORKSPACES, job, matrix, smaller, vectors
from .library_kinds import DataType, Dimension, Enum, Handle, New, Number
from .library_pointers import ElementWorkspace, HostResult, Matrix, VectorPointer
from .library_table import Row

__all__ = ["JACOBI", "ROWS"]

#: By dtype, the function that decomposes by Jacobi's method.
JACOBI: dict[np.dtype, str] = {
    np.dtype("f4"): "cusolverDnSgesvdj",
    np.dtype("f8"): "cusolverDnDgesvdj",
    np.dtype("c8"): "cusolverDnCgesvdj",
    np.dtype("c16"): "cusolverDnZgesvdj",
}


_JACOBI_OPTIONS = Handle("params", "gesvdjInfo_t")


def _columns(size: str) -> Callable[[Any], int]:
    """The number of vectors: all, or with `econ` as many as singular values."""

    def count(call: Any) -> int:
        if not call.jobz:
            return 0
        return smaller(call) if call.econ else getattr(call, size)

    return count


def _jacobi(name: str, dtype: np.dtype) -> Row:
    real = np.empty(0, dtype).real.dtype
    return Row(
        name,
        HANDLE,
        Enum("jobz", EIG_MODE),
        Number("econ", c_int),
        Dimension("m", c_int),
        Dimension("n", c_int),
        Matrix("A", "m", "n", dtype, "lda", access="rw"),
        Number("lda", c_int),
        VectorPointer("S", smaller, real, "w"),
        Matrix("U", vectors("jobz", "m"), _columns("m"), dtype, "ldu", access="w"),
        Number("ldu", c_int),
        Matrix("V", vectors("jobz", "n"), _columns("n"), dtype, "ldv", access="w"),
        Number("ldv", c_int),
        ElementWorkspace("work", "lwork", dtype),
        Number("lwork", c_int),
        VectorPointer("info", 1, np.dtype("i4"), "w"),
        _JACOBI_OPTIONS,
        query="_bufferSize",
        query_adds=("params",),
    )


ROWS = (
    Row("cusolverDnCreateGesvdjInfo", New("info", "gesvdjInfo_t")),
    Row("cusolverDnDestroyGesvdjInfo", Handle("info", "gesvdjInfo_t")),
    *[_jacobi(name, dtype) for dtype, name in JACOBI.items()],
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
    Row(
        "cusolverDnXgesvdp",
        HANDLE,
        PARAMS,
        Enum("jobz", EIG_MODE),
        Number("econ", c_int),
        Dimension("m"),
        Dimension("n"),
        *matrix("dataTypeA", Matrix("A", "m", "n", "dataTypeA", "lda", access="rw"), "lda"),
        DataType("dataTypeS"),
        VectorPointer("S", smaller, "dataTypeS", "w"),
        *matrix(
            "dataTypeU",
            Matrix("U", vectors("jobz", "m"), _columns("m"), "dataTypeU", "ldu", access="w"),
            "ldu",
        ),
        *matrix(
            "dataTypeV",
            Matrix("V", vectors("jobz", "n"), _columns("n"), "dataTypeV", "ldv", access="w"),
            "ldv",
        ),
        DataType("computeType"),
        *WORKSPACES[:-1],
        VectorPointer("d_info", 1, np.dtype("i4"), "w"),
        HostResult("h_err_sigma", np.dtype("f8")),
        query="_bufferSize",
    ),
)  # fmt: skip
