"""Eigenvalues and eigenvectors by cuSOLVER, as steps of plans.

Matrices are given by their columns: a gapless stack of shape (count, n, n), whose element
``[i, j]`` is column j of matrix i. They are overwritten.
"""

from __future__ import annotations

import math

from gpuarray import _layout
from gpuarray._ffi import cusolver
from gpuarray._libraries.steps import Operand, Stack, Steps
from gpuarray.errors import LibraryNotFoundError
from gpuarray.kernels.matrix_factors.launch import elements

__all__ = ["GENERAL_LIMIT", "general", "hermitian"]

#: A call of the batched function takes no more matrices than this, and less than this many bytes.
_BATCH_COUNT = 32768
_BATCH_BYTES = 2**31
#: The greatest number of rows of a general matrix, which has less than 2**31 elements.
GENERAL_LIMIT = math.isqrt(2**31 - 1)

_VECTORS = {False: "CUSOLVER_EIG_MODE_NOVECTOR", True: "CUSOLVER_EIG_MODE_VECTOR"}


def hermitian(
    steps: Steps, columns: Operand, values: Operand, info: Operand, vectors: bool
) -> None:
    """Add the steps for eigenvalues, in ascending order, and eigenvectors of Hermitian matrices.

    The triangle above the diagonal is read. (Asked for the other one, cuSOLVER has given NaN for
    complex matrices.) cuSOLVER adds squares of elements, as LAPACK does, but scales no matrices for
    which these are out of range; so they are scaled here, by powers of two. Equal values
    may be out of order by rounding errors, of which one takes the greatest so far.

    Parameters
    ----------
    steps : Steps
        The plan.
    columns : Operand
        Overwritten with the eigenvectors where they are wanted: ``[i, j]`` is that of value j. The
        other triangle has zeros.
    values : Operand
        Of shape (count, n), real.
    info : Operand
        Of shape (count,).
    vectors : bool
        Whether eigenvectors are wanted.
    """
    count, n, _ = columns.layout.shape
    greatest = steps.scratch(_layout.contiguous(values.layout.dtype, (count,)))
    steps.zeros(greatest)
    measured = elements("greatest", columns.layout, n * n, steps.stream)
    steps.launch(measured, {"matrices": columns, "greatest": greatest})
    scaled = elements("scale", columns.layout, n * n, steps.stream)
    steps.launch(scaled, {"matrices": columns, "greatest": greatest})
    found = steps.scratch(values.layout)
    _decompose(steps, columns, found, info, vectors)
    ascending = elements("ascending", values.layout, n, steps.stream)
    steps.launch(ascending, {"found": found, "greatest": greatest, "values": values})


def _decompose(
    steps: Steps, columns: Operand, values: Operand, info: Operand, vectors: bool
) -> None:
    """Add the calls that decompose matrices whose squares are within range."""
    count, n, _ = columns.layout.shape
    dtype = columns.layout.dtype
    arguments = {
        "jobz": _VECTORS[vectors], "uplo": "CUBLAS_FILL_MODE_UPPER", "n": n, "lda": n,
        "dataTypeA": dtype, "dataTypeW": values.layout.dtype, "computeType": dtype,
    }  # fmt: skip
    operands = {"A": columns, "W": values, "info": info}
    sizes = {
        "A": n * n * dtype.itemsize,
        "W": n * values.layout.itemsize,
        "info": info.layout.itemsize,
    }
    chunk = min(count, _BATCH_COUNT, (_BATCH_BYTES - 1) // sizes["A"])
    if chunk < 2 or not _has("cusolverDnXsyevBatched"):
        steps.solver("cusolverDnXsyevd", arguments, operands, Stack(count, sizes))
        return
    whole, rest = divmod(count, chunk)
    function = "cusolverDnXsyevBatched"
    distances = {name: chunk * size for name, size in sizes.items()}
    steps.solver(function, {**arguments, "batchSize": chunk}, operands, Stack(whole, distances))
    if rest:
        begins = {name: whole * distance for name, distance in distances.items()}
        last = Stack(1, {}, begins)
        steps.solver(function, {**arguments, "batchSize": rest}, operands, last)


def general(
    steps: Steps,
    columns: Operand,
    values: Operand,
    info: Operand,
    vectors: Operand | None,
    page_locked: bool,
) -> Operand | None:
    """Add the steps for eigenvalues, in no order, and right eigenvectors of any matrices.

    Parameters
    ----------
    steps : Steps
        The plan.
    columns : Operand
        Overwritten with nothing of use. No matrix has more than `GENERAL_LIMIT` rows.
    values : Operand
        Of shape (count, n), complex; the values of a real matrix that are no real numbers are pairs
        of conjugates, that with the positive imaginary part first.
    info : Operand
        Of shape (count,).
    vectors : Operand or None
        Of shape (count * n + 2, n) and the matrices' dtype. Row 1 and those behind it become the
        eigenvectors; the first and the last are left alone. Of real matrices those of a pair of
        conjugates are the real and the imaginary part of the first one's vector.
    page_locked : bool
        Whether the workspace on the host is, where a part of the work is done. Copies from it may
        still run when a call returns, so this is for a single matrix, and for a caller that waits
        before it lets go of the memory.

    Returns
    -------
    Operand or None
        That workspace, if it is page-locked: the call takes its address.
    """
    count, n, _ = columns.layout.shape
    dtype = columns.layout.dtype
    arguments = {
        "jobvl": _VECTORS[False], "jobvr": _VECTORS[vectors is not None], "n": n,
        "dataTypeA": dtype, "lda": n, "dataTypeW": values.layout.dtype,
        "dataTypeVL": dtype, "ldvl": n, "dataTypeVR": dtype, "ldvr": n, "computeType": dtype,
    }  # fmt: skip
    operands = {"A": columns, "W": values, "VL": None, "VR": vectors, "info": info}
    matrix = n * n * dtype.itemsize
    sizes = {
        "A": matrix,
        "W": n * values.layout.itemsize,
        "info": info.layout.itemsize,
    }
    begins = {}
    if vectors is not None:
        sizes["VR"], begins["VR"] = matrix, n * dtype.itemsize
    stack = Stack(count, sizes, begins)
    return steps.solver("cusolverDnXgeev", arguments, operands, stack, page_locked)


def _has(function: str) -> bool:
    """Whether the library, which may be older than the function, has it."""
    try:
        cusolver.library.symbol(function)
    except LibraryNotFoundError:
        return False
    return True
