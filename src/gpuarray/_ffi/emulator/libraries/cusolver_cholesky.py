"""The emulated functions of cuSOLVER for Cholesky factorisations."""

from __future__ import annotations

import numpy as np

from ...library_kinds import Refusal
from . import factorisations
from .cusolver_kinds import check_element_types, check_types
from .decoding import LibraryCall


def cusolverDnXpotrf_bufferSize(c: LibraryCall) -> tuple[int, int]:
    check_types(c, ())
    return 32 * max(1, c.n) * c.dataTypeA.itemsize, 0


def cusolverDnXpotrf(c: LibraryCall) -> None:
    c.info[0] = factorisations.factorize_cholesky(c.A, c.uplo)


def cusolverDnXpotrs(c: LibraryCall) -> None:
    check_element_types(c, "dataTypeB")
    _solve(c.A, c.uplo, c.B)
    c.info[0] = 0


def cusolverDnDpotrfBatched(c: LibraryCall) -> None:
    for i, a in enumerate(c.Aarray):
        c.infoArray[i] = factorisations.factorize_cholesky(a, c.uplo)
        if c.uplo == factorisations.UPPER:  # both triangles are stored, on an H200 with CUDA 13
            below = np.tri(c.n, k=-1, dtype=bool)
            a[below] = a.conj().T[below]


def cusolverDnDpotrsBatched(c: LibraryCall) -> None:
    if c.nrhs != 1:
        raise Refusal("value", f"nrhs is {c.nrhs}: there is one right-hand side for each matrix")
    for a, b in zip(c.A, c.B, strict=True):
        _solve(a, c.uplo, b)
    c.d_info[0] = 0


cusolverDnSpotrfBatched = cusolverDnCpotrfBatched = cusolverDnDpotrfBatched
cusolverDnZpotrfBatched = cusolverDnDpotrfBatched
cusolverDnSpotrsBatched = cusolverDnCpotrsBatched = cusolverDnDpotrsBatched
cusolverDnZpotrsBatched = cusolverDnDpotrsBatched


def _solve(a: np.ndarray, uplo: int, b: np.ndarray) -> None:
    """Solve a system by the Cholesky factor in a triangle."""
    first, second = (2, 0) if uplo == factorisations.UPPER else (0, 2)
    factorisations.solve_triangle(a, uplo, first, False, b)
    factorisations.solve_triangle(a, uplo, second, False, b)
