"""The emulated functions of cuSOLVER."""

from __future__ import annotations

import numpy as np

from ...library_kinds import Refusal
from ..capture import refuse_unsafe
from .decoding import LibraryCall, LibraryObject

#: 11.7.5, as 1000 * major + 100 * minor + patch.
_VERSION = 11705
#: Device memory that a handle takes; on a GPU it is several times as much.
_HANDLE_BYTES = 1 << 20
#: Bytes of the workspace on the host, where a function wants any.
_HOST_BYTES = 64


def cusolverGetVersion(c: LibraryCall) -> int:
    return _VERSION


def cusolverGetProperty(c: LibraryCall) -> int:
    return (_VERSION // 1000, _VERSION // 100 % 10, _VERSION % 100)[c.type]


def cusolverDnCreate(c: LibraryCall) -> LibraryObject:
    refuse_unsafe(c.machine, "creating a handle of cuSOLVER")
    return LibraryObject(c.context, "cusolverDnHandle_t", _HANDLE_BYTES, stream=0)


def cusolverDnDestroy(c: LibraryCall) -> None:
    c.machine.forget(c.handle.number)


def cusolverDnSetStream(c: LibraryCall) -> None:
    c.handle.stream = c.streamId


def cusolverDnGetStream(c: LibraryCall) -> int:
    return c.handle.stream


def cusolverSpCreate(c: LibraryCall) -> LibraryObject:
    refuse_unsafe(c.machine, "creating a handle of cuSOLVER")
    return LibraryObject(c.context, "cusolverSpHandle_t", _HANDLE_BYTES, stream=0)


cusolverSpDestroy = cusolverDnDestroy
cusolverSpSetStream = cusolverDnSetStream
cusolverSpGetStream = cusolverDnGetStream


def cusolverDnSetDeterministicMode(c: LibraryCall) -> None:
    c.handle.mode = c.mode


def cusolverDnCreateParams(c: LibraryCall) -> LibraryObject:
    return LibraryObject(c.context, "cusolverDnParams_t")


def cusolverDnDestroyParams(c: LibraryCall) -> None:
    c.machine.forget(c.params.number)


def _check_types(c: LibraryCall, real: tuple[str, ...], *same: str) -> None:
    """Refuse data types that do not go with that of A."""
    dtype = c.dataTypeA
    if dtype.kind not in "fc" or dtype.itemsize < 4 or c.computeType != dtype:
        raise Refusal("unsupported", f"dataTypeA {dtype} with computeType {c.computeType}")
    for name in same:
        if getattr(c, name) != dtype:
            raise Refusal("unsupported", f"dataTypeA {dtype} with {name} {getattr(c, name)}")
    for name in real:
        if getattr(c, name) != dtype.type(0).real.dtype:
            raise Refusal("unsupported", f"dataTypeA {dtype} with {name} {getattr(c, name)}")


def cusolverDnXgeqrf_bufferSize(c: LibraryCall) -> tuple[int, int]:
    _check_types(c, (), "dataTypeTau")
    return 32 * max(1, c.n) * c.dataTypeA.itemsize, 0


def cusolverDnXgeqrf(c: LibraryCall) -> None:
    factors, tau = np.linalg.qr(c.A, mode="raw")
    c.A[...], c.tau[...] = factors.T, tau
    c.info[0] = 0


def cusolverDnXgesvd_bufferSize(c: LibraryCall) -> tuple[int, int]:
    _check_types(c, ("dataTypeS",), "dataTypeU", "dataTypeVT")
    if c.m < c.n:
        raise Refusal("value", f"m is {c.m} and n is {c.n}: m must not be less than n")
    for name in ("jobu", "jobvt"):
        if getattr(c, name) not in b"ASN":
            raise Refusal("value", f"{name} is {getattr(c, name)}, not 'A', 'S' or 'N'")
    return 32 * (c.m + c.n) * c.dataTypeA.itemsize, _HOST_BYTES


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


def cusolverDnXgeev_bufferSize(c: LibraryCall) -> tuple[int, int]:
    _check_types(c, (), "dataTypeVL", "dataTypeVR")
    if c.dataTypeW != np.result_type(c.dataTypeA, np.complex64):
        raise Refusal("unsupported", f"dataTypeA {c.dataTypeA} with dataTypeW {c.dataTypeW}")
    if c.jobvl:
        raise Refusal("value", "jobvl is CUSOLVER_EIG_MODE_VECTOR: there are right vectors only")
    return 32 * max(1, c.n) * c.dataTypeA.itemsize, _HOST_BYTES


def cusolverDnXgeev(c: LibraryCall) -> None:
    try:
        values, vectors = np.linalg.eig(c.A)
    except np.linalg.LinAlgError:
        c.info[0] = 1
        return
    c.W[...] = values
    if c.VR.size and c.dataTypeVR.kind == "f":
        # The real and the imaginary part of a conjugate pair's first vector are two columns.
        first = values.imag > 0
        c.VR[...] = vectors.real
        c.VR[:, 1:][:, first[:-1]] = vectors.imag[:, first] if c.n > 1 else 0
    elif c.VR.size:
        c.VR[...] = vectors
    c.info[0] = 0
