"""The emulated functions of cuBLAS for triangular systems and batches of factorisations."""

from __future__ import annotations

import numpy as np

from ...library_kinds import Refusal
from . import factorisations
from .decoding import LibraryCall

#: The greatest matrices that `matinvBatched` takes.
_SMALL = 32


def cublasDtrsm_v2_64(c: LibraryCall) -> None:
    _solve(c, c.A, c.B)


def cublasDtrsmBatched_64(c: LibraryCall) -> None:
    for a, b in zip(c.A, c.B, strict=True):
        _solve(c, a, b)


def _solve(c: LibraryCall, a: np.ndarray, b: np.ndarray) -> None:
    b *= c.alpha
    if not c.side:
        factorisations.solve_triangle(a, c.uplo, c.trans, bool(c.diag), b)
        return
    # X op(A) = B is op(A).T X.T = B.T.
    if c.trans == 2:
        b[...] = b.conj()  # of conjugates
        factorisations.solve_triangle(a, c.uplo, 0, bool(c.diag), b.T)
        b[...] = b.conj()
    else:
        factorisations.solve_triangle(a, c.uplo, 1 - c.trans, bool(c.diag), b.T)


def cublasDgetrfBatched(c: LibraryCall) -> None:
    for i, (a, pivots) in enumerate(zip(c.A, c.P.reshape(-1, c.n), strict=True)):
        c.info[i] = factorisations.factorize_lu(a, pivots)


def cublasDgetrsBatched(c: LibraryCall) -> None:
    for a, pivots, b in zip(c.Aarray, c.devIpiv.reshape(-1, c.n), c.Barray, strict=True):
        factorisations.solve_lu(a, pivots, c.trans, b)


def cublasDgetriBatched(c: LibraryCall) -> None:
    for i, (a, pivots, inverse) in enumerate(zip(c.A, c.P.reshape(-1, c.n), c.C, strict=True)):
        if np.shares_memory(a, inverse):
            raise Refusal("value", f"C[{i}] overlaps A[{i}]")
        zeros = np.flatnonzero(np.diagonal(a) == 0)
        c.info[i] = zeros[0] + 1 if zeros.size else 0
        inverse[...] = np.eye(c.n)
        factorisations.solve_lu(a, pivots, 0, inverse)


def cublasDmatinvBatched(c: LibraryCall) -> None:
    if c.n > _SMALL:
        raise Refusal("unsupported", f"n is {c.n}, and at most {_SMALL} are supported")
    pivots = np.empty(c.n, "i4")
    for i, (a, inverse) in enumerate(zip(c.A, c.Ainv, strict=True)):
        factors = a.copy()
        c.info[i] = factorisations.factorize_lu(factors, pivots)
        inverse[...] = np.eye(c.n)
        factorisations.solve_lu(factors, pivots, 0, inverse)


for _name in (
    "trsm_v2_64",
    "trsmBatched_64",
    "getrfBatched",
    "getrsBatched",
    "getriBatched",
    "matinvBatched",
):
    for _letter in "SCZ":
        globals()[f"cublas{_letter}{_name}"] = globals()[f"cublasD{_name}"]
