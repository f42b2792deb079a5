"""The emulated functions of cuSOLVER for QR factorisations."""

from __future__ import annotations

import numpy as np

from ...library_kinds import Refusal
from .cusolver_kinds import check_types
from .decoding import LibraryCall


def cusolverDnXgeqrf_bufferSize(c: LibraryCall) -> tuple[int, int]:
    check_types(c, (), "dataTypeTau")
    return 32 * max(1, c.n) * c.dataTypeA.itemsize, 0


def cusolverDnXgeqrf(c: LibraryCall) -> None:
    factors, tau = np.linalg.qr(c.A, mode="raw")
    c.A[...], c.tau[...] = factors.T, tau
    c.info[0] = 0


def _form_q_size(c: LibraryCall) -> int:
    if not c.k <= c.n <= c.m:
        raise Refusal("value", f"m is {c.m}, n is {c.n} and k is {c.k}: k <= n <= m must hold")
    return 32 * max(1, c.n)


def _form_q(c: LibraryCall) -> None:
    q = np.eye(c.m, c.n, dtype=c.A.dtype)
    _apply_reflectors(c.A[:, : c.k], c.tau, q, range(c.k)[::-1])
    c.A[...] = q
    c.info[0] = 0


def _multiply_by_q_size(c: LibraryCall) -> int:
    order = c.n if c.side else c.m
    if c.k > order:
        raise Refusal("value", f"k is {c.k}, and Q has {order} rows")
    if c.trans == 1 and c.row.name[len("cusolverDn")] in "CZ":
        raise Refusal("value", "trans is CUBLAS_OP_T, which a complex Q does not have")
    return 32 * max(1, c.n, c.m)


def _multiply_by_q(c: LibraryCall) -> None:
    # On the right, of the conjugate transposes: (C Q)^H is Q^H C^H.
    forward = bool(c.trans) != bool(c.side)
    target = c.C.conj().T.copy() if c.side else c.C
    steps = range(c.k) if forward else range(c.k)[::-1]
    _apply_reflectors(c.A, c.tau.conj() if forward else c.tau, target, steps)
    if c.side:
        c.C[...] = target.conj().T
    c.devInfo[0] = 0


def _apply_reflectors(
    vectors: np.ndarray, tau: np.ndarray, target: np.ndarray, steps: range
) -> None:
    """Multiply a matrix from the left by reflectors I - tau v v^H, one after another.

    A vector has zeros above its diagonal element, which is 1, and stands below it.
    """
    for i in steps:
        v = np.concatenate([np.ones(1, vectors.dtype), vectors[i + 1 :, i]])
        target[i:] -= tau[i] * np.outer(v, v.conj() @ target[i:])


cusolverDnSorgqr = cusolverDnDorgqr = cusolverDnCungqr = cusolverDnZungqr = _form_q
cusolverDnSorgqr_bufferSize = cusolverDnDorgqr_bufferSize = _form_q_size
cusolverDnCungqr_bufferSize = cusolverDnZungqr_bufferSize = _form_q_size
cusolverDnSormqr = cusolverDnDormqr = cusolverDnCunmqr = cusolverDnZunmqr = _multiply_by_q
cusolverDnSormqr_bufferSize = cusolverDnDormqr_bufferSize = _multiply_by_q_size
cusolverDnCunmqr_bufferSize = cusolverDnZunmqr_bufferSize = _multiply_by_q_size
