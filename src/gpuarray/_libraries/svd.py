"""Singular value decompositions by cuSOLVER, as plans.

A drivers' own matrix is square: of a matrix with more rows than columns, or of the transpose of one
with fewer, R of a QR factorisation is decomposed, and Q multiplied with its left singular vectors.
Nothing is transposed but where a result has to be: the row-major memory of a wide matrix is the
column-major one of its transpose, whose right singular vectors are the conjugates of its left ones.

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
    factorise,
    multiply_by_q,
    part,
    stack_of,
    transposed,
    triangle,
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
    stream: Stream,
    a: Layout,
    dtype: np.dtype,
    driver: str,
    vectors: bool,
    full: bool,
    fills: bool,
) -> Callable[..., Any]:
    """The call that decomposes matrices of at least one element, in a dtype.

    Parameters
    ----------
    stream, a, dtype
        Where, the operand, and the dtype to compute in.
    driver : {'gesvd', 'gesvdp'}
        The function of the library.
    vectors, full : bool
        Whether singular vectors are wanted, and all of them.
    fills : bool
        Whether results of matrices that failed become NaN.

    Returns
    -------
    callable
        It takes the array, and with 'gesvdp' the address of float64 numbers on the host, one for
        each matrix: how far away the decomposed matrix was. Those are there when the work is done.
        It returns ``(s, info)`` or ``(u, s, vh, info)``.
    """
    batch, (m, n) = a.shape[:-2], a.shape[-2:]
    rows, k = max(m, n), min(m, n)
    steps = Steps(stream, a)

    def matrices(make: Callable[[Layout], Operand], *shape: int) -> Operand:
        return make(_layout.contiguous(dtype, (*batch, *shape)))

    # In the order in which they are returned.
    if vectors:
        u = matrices(steps.output, m, m if full else k)
    s = steps.output(_layout.contiguous(np.empty(0, dtype).real.dtype, (*batch, k)))
    if vectors:
        vh = matrices(steps.output, n if full else k, n)
    info = steps.output(_layout.contiguous(_INT32, batch))

    columns = matrices(steps.scratch, k, rows)
    of_columns = transposed(columns.layout) if m >= n else columns.layout
    steps.copy(steps.inputs[0], columns.seen_as(of_columns))
    square, tau = columns, None
    if rows > k:
        tau = matrices(steps.scratch, k)
        factorise(steps, columns, k, tau)
        square = matrices(steps.scratch, k, k)
        triangle(steps, "tril", columns.seen_as(part(columns.layout, k, k)), square)
    # The left singular vectors of the square matrix, as columns, and what the driver says of the
    # right ones: their conjugates as rows of a matrix by columns, or themselves as columns.
    left = right = None
    if vectors or driver == "gesvdp":
        # Where they are results as they are, they are stored there.
        wide = vectors and m < n
        left = vh if wide and tau is None else matrices(steps.scratch, k, k)
        right = matrices(steps.scratch, k, k)
        if wide and driver == "gesvd":
            right = u
        elif vectors and not wide and driver == "gesvdp" and dtype.kind == "f":
            right = vh
    _decompose(steps, driver, square, left, s, right, info)
    if left is not None and right is not None and vectors:
        count = rows if full else k
        if tau is not None:
            square_left, left = left, vh if m < n else matrices(steps.scratch, count, rows)
            _extend(steps, square_left, left)
            multiply_by_q(steps, columns, tau, left)
        if m >= n:
            steps.copy(left.seen_as(transposed(left.layout)), u)
        if right not in (u, vh):
            turned = (driver == "gesvdp") == (m < n)
            source = right.seen_as(transposed(right.layout)) if turned else right
            steps.copy(source, u if m < n else vh, conjugate=driver == "gesvdp")
    if fills:
        for result in (u, s, vh) if vectors else (s,):
            fill_failed(steps, info, result)
    return steps.make()


def _decompose(
    steps: Steps,
    driver: str,
    square: Operand,
    left: Operand | None,
    s: Operand,
    right: Operand | None,
    info: Operand,
) -> None:
    """Decompose square matrices, given by their columns, which are overwritten."""
    dtype, k = square.layout.dtype, square.layout.shape[-1]
    real = s.layout.dtype
    values: dict[str, Any] = {
        "m": k, "n": k, "dataTypeA": dtype, "lda": k, "dataTypeS": real,
        "dataTypeU": dtype, "ldu": k, "computeType": dtype,
    }  # fmt: skip
    operands: dict[str, Operand | None] = {"A": square, "U": left, "S": s}
    each = {"A": (square, 2), "S": (s, 1)}
    if left is not None:
        each["U"] = (left, 2)
    if driver == "gesvd":
        job = ord("N") if left is None else ord("A")
        values |= {"jobu": job, "jobvt": job, "dataTypeVT": dtype, "ldvt": k}
        operands |= {"VT": right, "info": info}
        each["info"] = (info, 0)
        if right is not None:
            each["VT"] = (right, 2)
    else:
        # Values alone it refuses with econ=1, and all is the same of a square matrix.
        assert right is not None
        values |= {
            "jobz": "CUSOLVER_EIG_MODE_VECTOR", "econ": 1, "dataTypeV": dtype, "ldv": k,
        }  # fmt: skip
        away = steps.host_memory(_layout.contiguous(_FLOAT64, info.layout.shape))
        operands |= {"V": right, "d_info": info, "h_err_sigma": away}
        each |= {"V": (right, 2), "d_info": (info, 0), "h_err_sigma": (away, 0)}
    steps.solver(f"cusolverDnX{driver}", values, operands, stack_of(**each))


def _extend(steps: Steps, square: Operand, target: Operand) -> None:
    """Make larger matrices of square ones, with ones on the diagonal where they end."""
    code, k = _dtypes.code(target.layout.dtype), square.layout.shape[-1]
    number = Coordinates(*[0] * (target.layout.ndim - 2), -1, 1)
    on_diagonal = Apply(operation("equal"), (Input(0, "i8"), Constant(0, "i8")), "b1")
    steps.kernel("eye", Cast(code, on_diagonal), [number], target)
    steps.copy(square, target.seen_as(part(target.layout, k, k)))


# ---- the steps before and behind a decomposition of R by others --------------------------------


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
    of_columns = transposed(columns.layout) if m >= n else columns.layout
    steps.copy(steps.inputs[0], columns.seen_as(of_columns))
    factorise(steps, columns, k, tau)
    triangle(steps, "triu", columns.seen_as(transposed(part(columns.layout, k, k))), r)
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
    _extend(steps, square.seen_as(transposed(square.layout)), left)
    multiply_by_q(steps, packed, factors, left)
    if not turned:
        result = steps.output(_layout.contiguous(dtype, (*batch, rows, count)))
        steps.copy(left.seen_as(transposed(by_rows)), result)
    return steps.make()
