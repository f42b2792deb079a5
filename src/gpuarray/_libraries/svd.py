"""Singular value decompositions by cuSOLVER, as plans.

The drivers get square matrices. Of others R of a QR factorisation is decomposed, and Q multiplied
with its left singular vectors; those with fewer rows than columns are transposed before.

There are two drivers. 'gesvdp', by a polar decomposition, is the fast one of large matrices. It
may decompose a matrix that is a little away from the one it was given, if that is all but singular,
and says how far. 'gesvd', by QR iterations, is as accurate as LAPACK's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _dtypes, _layout
from gpuarray._layout import Layout
from gpuarray._libraries.checks import fill_failed
from gpuarray._libraries.qr import (
    factorize,
    multiply_by_q,
    part,
    stack_of,
)
from gpuarray._libraries.steps import Operand, Steps
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.elementwise.launch import Coordinates
from gpuarray.kernels.generator.expressions import Apply, Cast, Constant, Input
from gpuarray.kernels.generator.operations import operation

__all__ = ["left_vectors_call", "square_call", "svd_call"]

_INT32, _FLOAT64 = np.dtype(np.int32), np.dtype(np.float64)


@planned
def svd_call(
    stream: Stream, a: Layout, dtype: np.dtype, driver: str, vectors: bool, fills: bool
) -> Callable[..., Any]:
    """The call that decomposes square matrices of at least one element, in a dtype.

    Parameters
    ----------
    stream, a, dtype
        Where, the operand, and the dtype to compute in.
    driver : {'gesvd', 'gesvdp'}
        The function of the library.
    vectors : bool
        Whether singular vectors are wanted.
    fills : bool
        Whether results of matrices that failed become NaN.

    Returns
    -------
    callable
        It takes the array, and with 'gesvdp' the address of float64 numbers on the host, one for
        each matrix: how far away the decomposed matrix was. Those are there when the work is done.
        It returns ``(s, info)`` or ``(u, s, vh, info)``.
    """
    *batch, k, _ = a.shape
    steps = Steps(stream, a)
    square = _layout.contiguous(dtype, a.shape)
    values = _layout.contiguous(np.empty(0, dtype).real.dtype, (*batch, k))
    # In the order in which they are returned.
    u = steps.output(square) if vectors else None
    s = steps.output(values)
    vh = steps.output(square) if vectors else None
    info = steps.output(_layout.contiguous(_INT32, tuple(batch)))
    # Row-major memory is the transpose to the library: its left singular vectors are the rows of
    # vh, and the conjugates of its right ones the columns of u.
    given = steps.scratch(square)
    steps.copy(steps.inputs[0], given)
    if driver == "gesvd":
        _by_iterations(steps, given, vh, s, u, info)
    else:
        # Values alone are refused with econ=1.
        right = steps.scratch(square)
        _by_polar_decomposition(steps, given, vh or steps.scratch(square), s, right, info)
        if u is not None:
            steps.copy(right.seen_as(_layout.matrix_transpose(square)), u, conjugate=True)
    if fills:
        for result in (u, s, vh):
            if result is not None:
                fill_failed(steps, info, result)
    return steps.make()


def _by_iterations(
    steps: Steps,
    square: Operand,
    left: Operand | None,
    s: Operand,
    right: Operand | None,
    info: Operand,
) -> None:
    """Overwrite column-major matrices; the left vectors are columns, the right ones adjoint."""
    dtype, k = square.layout.dtype, square.layout.shape[-1]
    job = ord("N") if left is None else ord("A")
    values = {
        "jobu": job, "jobvt": job, "m": k, "n": k, "dataTypeA": dtype, "lda": k,
        "dataTypeS": s.layout.dtype, "dataTypeU": dtype, "ldu": k, "dataTypeVT": dtype, "ldvt": k,
        "computeType": dtype,
    }  # fmt: skip
    operands = {"A": square, "U": left, "S": s, "VT": right, "info": info}
    dimensions = {"A": 2, "U": 2, "S": 1, "VT": 2, "info": 0}
    each = {name: (x, dimensions[name]) for name, x in operands.items() if x is not None}
    steps.solver("cusolverDnXgesvd", values, operands, stack_of(**each))


def _by_polar_decomposition(
    steps: Steps, square: Operand, left: Operand, s: Operand, right: Operand, info: Operand
) -> None:
    """Overwrite column-major matrices; the vectors of both sides are columns."""
    dtype, k = square.layout.dtype, square.layout.shape[-1]
    values = {
        "jobz": "CUSOLVER_EIG_MODE_VECTOR", "econ": 1, "m": k, "n": k, "dataTypeA": dtype,
        "lda": k, "dataTypeS": s.layout.dtype, "dataTypeU": dtype, "ldu": k, "dataTypeV": dtype,
        "ldv": k, "computeType": dtype,
    }  # fmt: skip
    away = steps.host_memory(_layout.contiguous(_FLOAT64, info.layout.shape))
    operands = {"A": square, "U": left, "S": s, "V": right, "d_info": info, "h_err_sigma": away}
    dimensions = {"A": 2, "U": 2, "S": 1, "V": 2, "d_info": 0, "h_err_sigma": 0}
    each = {name: (x, dimensions[name]) for name, x in operands.items()}
    steps.solver("cusolverDnXgesvdp", values, operands, stack_of(**each))


def _extend(steps: Steps, square: Operand, target: Operand) -> None:
    """Make larger matrices of square ones, with ones on the diagonal where they end."""
    code, k = _dtypes.code(target.layout.dtype), square.layout.shape[-1]
    number = Coordinates(*[0] * (target.layout.ndim - 2), -1, 1)
    on_diagonal = Apply(operation("equal"), (Input(0, "i8"), Constant(0, "i8")), "b1")
    steps.kernel("eye", Cast(code, on_diagonal), [number], target)
    steps.copy(square, target.seen_as(part(target.layout, k, k)))


# ---- matrices that are not square --------------------------------------------------------------


@planned
def square_call(stream: Stream, a: Layout, dtype: np.dtype) -> Callable[[Any], Any]:
    """The call that makes square matrices of others: R of the QR factorisations.

    Those with fewer rows than columns are transposed. It returns R, and the factorised matrices by
    their columns with the factors of the reflectors.
    """
    batch, (m, n) = a.shape[:-2], a.shape[-2:]
    rows, k = max(m, n), min(m, n)
    steps = Steps(stream, a)
    r = steps.output(_layout.contiguous(dtype, (*batch, k, k)))
    columns = steps.output(_layout.contiguous(dtype, (*batch, k, rows)))
    tau = steps.output(_layout.contiguous(dtype, (*batch, k)))
    of_columns = _layout.matrix_transpose(columns.layout) if m >= n else columns.layout
    steps.copy(steps.inputs[0], columns.seen_as(of_columns))
    factorize(steps, columns, k, tau)
    steps.triangle(True, columns.seen_as(_layout.matrix_transpose(part(columns.layout, k, k))), r)
    return steps.make()


@planned
def left_vectors_call(
    stream: Stream, columns: Layout, tau: Layout, u: Layout, count: int, turned: bool
) -> Callable[..., Any]:
    """The call that makes left singular vectors of those of R.

    Parameters
    ----------
    stream, columns, tau
        Where, and what `square_call` returned.
    u : Layout
        The left singular vectors of R.
    count : int
        How many vectors are wanted.
    turned : bool
        Whether they are wanted as rows.
    """
    dtype, batch, rows = columns.dtype, columns.shape[:-2], columns.shape[-1]
    steps = Steps(stream, columns, tau, u)
    packed, factors, square = steps.inputs
    by_rows = _layout.contiguous(dtype, (*batch, count, rows))
    left = steps.output(by_rows) if turned else steps.scratch(by_rows)
    _extend(steps, square.seen_as(_layout.matrix_transpose(square.layout)), left)
    multiply_by_q(steps, packed, factors, left)
    if not turned:
        result = steps.output(_layout.contiguous(dtype, (*batch, rows, count)))
        steps.copy(left.seen_as(_layout.matrix_transpose(by_rows)), result)
    return steps.make()
