"""The emulated functions of cuSOLVER for eigenvalues."""

from __future__ import annotations

import numpy as np

from ...library_kinds import Refusal
from .cusolver_kinds import HOST_BYTES, check_types
from .decoding import LibraryCall

#: How many matrices a call takes: with more, the library refuses `batchSize`.
_GREATEST_BATCH = 32768


def cusolverDnXsyevd_bufferSize(c: LibraryCall) -> tuple[int, int]:
    check_types(c, ("dataTypeW",))
    return 32 * max(1, c.n) * c.dataTypeA.itemsize, HOST_BYTES


def cusolverDnXsyevd(c: LibraryCall) -> None:
    c.info[0] = _decompose(c, c.A, c.W)


def cusolverDnXsyevBatched_bufferSize(c: LibraryCall) -> tuple[int, int]:
    check_types(c, ("dataTypeW",))
    if c.batchSize > _GREATEST_BATCH:
        raise Refusal("value", f"batchSize is {c.batchSize}, and {_GREATEST_BATCH} the greatest")
    return 32 * max(1, c.n) * c.batchSize * c.dataTypeA.itemsize, 0


def cusolverDnXsyevBatched(c: LibraryCall) -> None:
    for i in range(c.batchSize):
        c.info[i] = _decompose(c, c.A[i], c.W[i * c.n : (i + 1) * c.n])


def _decompose(c: LibraryCall, matrix: np.ndarray, values: np.ndarray) -> int:
    """Overwrite a matrix with its eigenvectors, or with nothing of use; returns the info."""
    # Sums of squares beside the diagonal underflow: CUDA 13's function does not scale matrices.
    rest = matrix - np.diag(np.diagonal(matrix))
    with np.errstate(under="ignore", over="ignore", invalid="ignore"):
        if not (rest * rest.conj()).any():
            matrix -= rest
    try:
        values[...], vectors = np.linalg.eigh(matrix, "LU"[c.uplo])
    except np.linalg.LinAlgError:
        return 1
    # On an H200 equal values were out of order by rounding errors.
    first, second = values[: c.n // 2 * 2].reshape(-1, 2).T
    close = second - first <= np.finfo(values.dtype).eps * abs(values).max()
    first[close], second[close] = second[close].copy(), first[close].copy()
    matrix[...] = vectors if c.jobz else np.nan
    return 0


def cusolverDnXgeev_bufferSize(c: LibraryCall) -> tuple[int, int]:
    check_types(c, (), "dataTypeVL", "dataTypeVR")
    if c.dataTypeW != np.result_type(c.dataTypeA, np.complex64):
        raise Refusal("unsupported", f"dataTypeA {c.dataTypeA} with dataTypeW {c.dataTypeW}")
    if c.jobvl:
        raise Refusal("value", "jobvl is CUSOLVER_EIG_MODE_VECTOR: there are right vectors only")
    return 32 * max(1, c.n) * c.dataTypeA.itemsize, HOST_BYTES


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
