"""The emulated functions of cuSOLVER for LU factorisations and triangular matrices."""

from __future__ import annotations

import numpy as np

from . import factorisations
from .cusolver_kinds import check_element_types, check_types
from .decoding import LibraryCall


def cusolverDnXgetrf_bufferSize(c: LibraryCall) -> tuple[int, int]:
    check_types(c, ())
    return 32 * max(1, c.n) * c.dataTypeA.itemsize, 0


def cusolverDnXgetrf(c: LibraryCall) -> None:
    c.A[np.isnan(c.A)] = 0  # CUDA 13's finds numbers for a matrix with NaN on an H200
    c.info[0] = factorisations.factorize_lu(c.A, c.ipiv)


def cusolverDnXgetrs(c: LibraryCall) -> None:
    check_element_types(c, "dataTypeB")
    factorisations.solve_lu(c.A, c.ipiv, c.trans, c.B)
    c.info[0] = 0


def cusolverDnXtrtri_bufferSize(c: LibraryCall) -> tuple[int, int]:
    check_element_types(c)
    return 16 * max(1, c.n) * c.dataTypeA.itemsize, 0


def cusolverDnXtrtri(c: LibraryCall) -> None:
    c.devInfo[0] = factorisations.invert_triangle(c.A, c.uplo, bool(c.diag))
