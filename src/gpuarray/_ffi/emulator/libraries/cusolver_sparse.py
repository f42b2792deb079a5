"""The emulated functions of cuSOLVER for sparse matrices, which become dense ones."""

from __future__ import annotations

import ctypes

import numpy as np

from ...library_kinds import Refusal
from ..capture import refuse_unsafe
from .decoding import LibraryCall, LibraryObject

__all__ = [
    "cusolverSpCreate", "cusolverSpCreateCsrqrInfo", "cusolverSpDestroy",
    "cusolverSpDestroyCsrqrInfo", "cusolverSpGetStream", "cusolverSpSetStream",
    "cusolverSpXcsrmetisndHost", "cusolverSpXcsrqrAnalysis",
    *[
        f"cusolverSp{letter}csrqr{name}"
        for letter in "SDCZ"
        for name in ("BufferInfo", "Setup", "Factor", "ZeroPivot", "Solve")
    ],
]  # fmt: skip

_HANDLE_BYTES = 1 << 20
#: The most rows of a matrix: it takes 2 GiB of the host, in float64.
_MOST_ROWS = 1 << 14


def cusolverSpCreate(c: LibraryCall) -> LibraryObject:
    refuse_unsafe(c.machine, "creating a handle of cuSOLVER")
    return LibraryObject(c.context, "cusolverSpHandle_t", _HANDLE_BYTES, stream=0)


def cusolverSpDestroy(c: LibraryCall) -> None:
    c.machine.forget(c.handle.number)


def cusolverSpSetStream(c: LibraryCall) -> None:
    c.handle.stream = c.streamId


def cusolverSpGetStream(c: LibraryCall) -> int:
    return c.handle.stream


def cusolverSpCreateCsrqrInfo(c: LibraryCall) -> LibraryObject:
    return LibraryObject(c.context, "csrqrInfo_t", shape=None, matrix=None, q=None, r=None)


def cusolverSpDestroyCsrqrInfo(c: LibraryCall) -> None:
    c.machine.forget(c.info.number)


def cusolverSpXcsrmetisndHost(c: LibraryCall) -> None:
    _check(c, c.n, c.csrRowPtrA, c.csrColIndA)
    order = np.arange(c.n, dtype=np.int32)[::-1].copy()  # any order is one
    ctypes.memmove(c.p, order.ctypes.data, order.nbytes)


def _check(c: LibraryCall, rows: int, begins: np.ndarray, indices: np.ndarray) -> None:
    if begins[0] != 0 or begins[-1] != c.nnzA or (np.diff(begins) < 0).any():
        raise Refusal("value", f"csrRowPtrA does not divide {c.nnzA} elements into {rows} rows")
    if len(indices) and (indices.min() < 0 or indices.max() >= rows):
        raise Refusal("value", f"csrColIndA is not within {rows}")


def cusolverSpXcsrqrAnalysis(c: LibraryCall) -> None:
    if c.m != c.n:
        raise Refusal("unsupported", "only square matrices are emulated")
    _check(c, c.m, c.csrRowPtrA, c.csrColIndA)
    if c.m > _MOST_ROWS:
        raise Refusal("memory", f"{c.m} rows: the emulated library has {_MOST_ROWS}")
    c.info.shape = (c.m, c.n, c.nnzA)


def _analysed(c: LibraryCall) -> None:
    if c.info.shape != (c.m, c.n, c.nnzA):
        raise Refusal("value", "info is of another matrix, or of none")


def _buffer_info(c: LibraryCall) -> tuple[int, int]:
    _analysed(c)
    return 64 * max(1, c.nnzA), 64 * max(1, c.m)


def _setup(c: LibraryCall) -> None:
    _analysed(c)
    dense = np.zeros((c.m, c.n), c.csrValA.dtype)
    rows = np.repeat(np.arange(c.m), np.diff(c.csrRowPtrA))
    np.add.at(dense, (rows, c.csrColIndA), c.csrValA)
    c.info.matrix = dense - dense.dtype.type(c.mu) * np.eye(c.m, dtype=dense.dtype)


def _factor(c: LibraryCall) -> None:
    _analysed(c)
    if c.info.matrix is None or not c.pBuffer:
        raise Refusal("value", "there is no setup, or no pBuffer")
    c.info.q, c.info.r = np.linalg.qr(c.info.matrix)


def _zero_pivot(c: LibraryCall) -> int:
    if c.info.r is None:
        raise Refusal("value", "the matrix is not factorised")
    small = np.flatnonzero(abs(np.diagonal(c.info.r)) < c.tol)
    return int(small[0]) if small.size else -1


def _solve(c: LibraryCall) -> None:
    if c.info.r is None or not c.pBuffer:
        raise Refusal("value", "the matrix is not factorised, or there is no pBuffer")
    c.b[...] = c.info.q.conj().T @ c.b  # nobody says that it stays
    try:
        c.x[...] = np.linalg.solve(c.info.r, c.b)
    except np.linalg.LinAlgError:
        c.x[...] = np.nan


cusolverSpScsrqrBufferInfo = cusolverSpDcsrqrBufferInfo = _buffer_info
cusolverSpCcsrqrBufferInfo = cusolverSpZcsrqrBufferInfo = _buffer_info
cusolverSpScsrqrSetup = cusolverSpDcsrqrSetup = _setup
cusolverSpCcsrqrSetup = cusolverSpZcsrqrSetup = _setup
cusolverSpScsrqrFactor = cusolverSpDcsrqrFactor = _factor
cusolverSpCcsrqrFactor = cusolverSpZcsrqrFactor = _factor
cusolverSpScsrqrZeroPivot = cusolverSpDcsrqrZeroPivot = _zero_pivot
cusolverSpCcsrqrZeroPivot = cusolverSpZcsrqrZeroPivot = _zero_pivot
cusolverSpScsrqrSolve = cusolverSpDcsrqrSolve = _solve
cusolverSpCcsrqrSolve = cusolverSpZcsrqrSolve = _solve
