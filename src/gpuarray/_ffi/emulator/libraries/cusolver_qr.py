"""The emulated functions of cuSOLVER for QR factorisations."""

from __future__ import annotations

import numpy as np

from .cusolver_kinds import check_types
from .decoding import LibraryCall


def cusolverDnXgeqrf_bufferSize(c: LibraryCall) -> tuple[int, int]:
    check_types(c, (), "dataTypeTau")
    return 32 * max(1, c.n) * c.dataTypeA.itemsize, 0


def cusolverDnXgeqrf(c: LibraryCall) -> None:
    factors, tau = np.linalg.qr(c.A, mode="raw")
    c.A[...], c.tau[...] = factors.T, tau
    c.info[0] = 0
