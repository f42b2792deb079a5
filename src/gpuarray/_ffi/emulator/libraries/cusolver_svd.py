"""The emulated functions of cuSOLVER for singular value decompositions."""

from __future__ import annotations

import numpy as np

from ...library_kinds import Refusal
from .cusolver_kinds import HOST_BYTES, check_types
from .decoding import LibraryCall, LibraryObject


def cusolverDnXgesvd_bufferSize(c: LibraryCall) -> tuple[int, int]:
    check_types(c, ("dataTypeS",), "dataTypeU", "dataTypeVT")
    if c.m < c.n:
        raise Refusal("value", f"m is {c.m} and n is {c.n}: m must not be less than n")
    for name in ("jobu", "jobvt"):
        if getattr(c, name) not in b"ASN":
            raise Refusal("value", f"{name} is {getattr(c, name)}, not 'A', 'S' or 'N'")
    return 32 * (c.m + c.n) * c.dataTypeA.itemsize, HOST_BYTES


def cusolverDnXgesvd(c: LibraryCall) -> None:
    try:
        u, s, vt = np.linalg.svd(c.A, full_matrices=ord("A") in (c.jobu, c.jobvt))
    except np.linalg.LinAlgError:
        c.info[0] = 1
        return
    c.S[...] = s
    if c.U.size:
        c.U[...] = u[:, : c.U.shape[1]]
    if c.VT.size:
        c.VT[...] = vt[: c.VT.shape[0]]
    c.info[0] = 0


def cusolverDnXgesvdp_bufferSize(c: LibraryCall) -> tuple[int, int]:
    check_types(c, ("dataTypeS",), "dataTypeU", "dataTypeV")
    if c.econ and not c.jobz:
        raise Refusal("value", "econ is 1 and jobz is CUSOLVER_EIG_MODE_NOVECTOR")
    return 32 * (c.m + c.n) * c.dataTypeA.itemsize, HOST_BYTES


def cusolverDnXgesvdp(c: LibraryCall) -> None:
    try:
        u, s, vh = np.linalg.svd(c.A, full_matrices=not c.econ)
    except np.linalg.LinAlgError:
        c.d_info[0] = 1
        return
    # gesvdp perturbs a nearly singular matrix, and reports by how much.
    eps = np.finfo(s.dtype).eps
    c.h_err_sigma[0] = 0
    if s.size and s[-1] <= eps * s[0]:
        c.h_err_sigma[0] = 100 * eps * max(s[0], 1)
    c.S[...] = s + c.h_err_sigma[0]
    if c.jobz:
        c.U[...], c.V[...] = u, vh.conj().T
    c.d_info[0] = 0


def cusolverDnCreateGesvdjInfo(c: LibraryCall) -> LibraryObject:
    return LibraryObject(c.context, "gesvdjInfo_t")


def cusolverDnDestroyGesvdjInfo(c: LibraryCall) -> None:
    c.machine.forget(c.info.number)


def _jacobi_size(c: LibraryCall) -> int:
    return 32 * max(1, c.m + c.n)


def _jacobi(c: LibraryCall) -> None:
    try:
        u, s, vh = np.linalg.svd(c.A, full_matrices=not c.econ)
    except np.linalg.LinAlgError:
        c.info[0] = min(c.m, c.n) + 1  # as the manual has it, where sweeps have not converged
        return
    c.S[...] = s
    if c.jobz:
        c.U[...], c.V[...] = u, vh.conj().T
    c.info[0] = 0


cusolverDnSgesvdj = cusolverDnDgesvdj = cusolverDnCgesvdj = cusolverDnZgesvdj = _jacobi
cusolverDnSgesvdj_bufferSize = cusolverDnDgesvdj_bufferSize = _jacobi_size
cusolverDnCgesvdj_bufferSize = cusolverDnZgesvdj_bufferSize = _jacobi_size
