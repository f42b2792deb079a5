"""LU factorisations, and what is solved by them, as steps of plans.

A matrix is copied in column-major order, as the libraries have it, and factorised there with row
exchanges: ``A[order] = L U``. One matrix, and each of a few or of large ones, goes to cuSOLVER;
many go at once to cuBLAS's batched functions, which a capture can record, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gpuarray import _broadcasting, _dtypes, _layout
from gpuarray._layout import Layout
from gpuarray._libraries import triangular_inverse
from gpuarray._libraries.checks import fill_failed, find_nan, info_of, refuse_capture
from gpuarray._libraries.steps import Operand, Stack, Steps
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import matrix_factors
from gpuarray.kernels.elementwise.launch import Coordinates
from gpuarray.kernels.generator.expressions import Apply, Cast, Constant, Input
from gpuarray.kernels.generator.operations import operation

__all__ = [
    "Factors", "determinant_call", "factorize", "factors_call", "inverse_call", "invert",
    "is_batched", "letter", "row_order_call", "solve", "solve_call",
    "solve_factorized_call", "store_identity",
]  # fmt: skip

_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)

#: From this size on a matrix keeps the device busy, and from this number on a stack does.
_LARGE, _MANY = 512, 4

#: From this size on an inverse is made of that of U.
_BLOCKS_FROM = 256


class Factors(NamedTuple):
    """The LU factors of stacked matrices, in scratch memory or in outputs."""

    #: Of shape (count, n, n), each in column-major order.
    matrices: Operand
    #: Of shape (count, n), counted from 1; int32 of batched functions, else int64.
    pivots: Operand
    #: The addresses of the matrices, if the functions are batched.
    addresses: Operand | None


def is_batched(n: int, count: int, stream: Stream) -> bool:
    """Whether stacked matrices are for cuBLAS's batched functions."""
    if stream.ongoing_capture is not None:
        return True  # cuSOLVER cannot be captured
    return count >= _MANY and n < _LARGE


def letter(dtype: np.dtype) -> str:
    """The letter in the names of functions for elements of a dtype."""
    return dtype.char.translate({ord("f"): "S", ord("d"): "D", ord("F"): "C", ord("D"): "Z"})


def factorize(steps: Steps, matrices: Operand, pivots: Operand, info: Operand) -> Factors:
    """Factorise column-major matrices in place.

    Parameters
    ----------
    steps : Steps
        Where the calls are added.
    matrices : Operand
        Gapless, of shape (count, columns, rows): each in column-major order.
    pivots : Operand
        Of shape (count, smaller side): int32 for batched functions, which are for square matrices,
        else int64.
    info : Operand
        Of shape (count,).
    """
    count, n, m = matrices.layout.shape
    dtype = matrices.layout.dtype
    if pivots.layout.dtype == _INT32:
        addresses = steps.addresses(matrices)
        steps.blas(
            f"cublas{letter(dtype)}getrfBatched",
            {"n": n, "lda": n, "batchSize": count},
            {"A": addresses, "P": pivots, "info": info},
        )
        return Factors(matrices, pivots, addresses)
    steps.solver(
        "cusolverDnXgetrf",
        {"m": m, "n": n, "dataTypeA": dtype, "lda": m, "computeType": dtype},
        {"A": matrices, "ipiv": pivots, "info": info},
        Stack(count, {"A": m * n * dtype.itemsize, "ipiv": min(m, n) * 8, "info": 4}),
    )
    return Factors(matrices, pivots, None)


def _factors_of(
    steps: Steps, a: Operand, dtype: np.dtype, checked: bool = False
) -> tuple[Factors, Operand, Operand]:
    """The factors of stacked matrices in any layout, which are copied, and the info.

    The info, of shape (count,), is an output if it is checked. The third is like an info, for the
    matrices with NaN.
    """
    n = a.layout.shape[-1]
    count = math.prod(a.layout.shape[:-2])
    matrices = steps.scratch(_layout.contiguous(dtype, a.layout.shape))
    steps.copy(a.seen_as(_layout.matrix_transpose(a.layout)), matrices)
    kind = _INT32 if is_batched(n, count, steps.stream) else _INT64
    pivots = steps.scratch(_layout.contiguous(kind, (count, n)))
    info = info_of(steps, (count,), checked)
    stacked = matrices.seen_as(_layout.contiguous(dtype, (count, n, n)))
    nan = find_nan(steps, stacked)
    return factorize(steps, stacked, pivots, info), info, nan


def solve(steps: Steps, factors: Factors, right: Operand, operation: str = "CUBLAS_OP_N") -> None:
    """Solve ``op(A) X = B`` in place, with a column-major B for each matrix.

    Parameters
    ----------
    steps : Steps
        Where the calls are added.
    factors : Factors
        Those of A.
    right : Operand
        Gapless, of shape (count, right-hand sides, n): the columns of B.
    operation : str, optional
        The operation of cuBLAS that A is applied with.
    """
    count, n, _ = factors.matrices.layout.shape
    sides = right.layout.shape[-2]
    dtype = right.layout.dtype
    if factors.addresses is not None:
        steps.blas(
            f"cublas{letter(dtype)}getrsBatched",
            {
                "trans": operation, "n": n, "nrhs": sides, "lda": n, "ldb": n,
                "info": np.int32(0), "batchSize": count,
            },
            {
                "Aarray": factors.addresses,
                "devIpiv": factors.pivots,
                "Barray": steps.addresses(right),
            },
        )  # fmt: skip
        return
    if operation == "CUBLAS_OP_N":
        _solve_by_triangles(steps, factors, right)
        return
    info = steps.scratch(_layout.contiguous(_INT32, ()))  # of the arguments, which are right
    itemsize = dtype.itemsize
    steps.solver(
        "cusolverDnXgetrs",
        {
            "trans": operation, "n": n, "nrhs": sides, "dataTypeA": dtype, "lda": n,
            "dataTypeB": dtype, "ldb": n,
        },
        {"A": factors.matrices, "ipiv": factors.pivots, "B": right, "info": info},
        Stack(count, {"A": n * n * itemsize, "ipiv": n * 8, "B": n * sides * itemsize}),
    )  # fmt: skip


def _row_order(steps: Steps, pivots: Operand, rows: int) -> Operand:
    """The order of rows that pivots leave, int64."""
    order = steps.scratch(_layout.contiguous(_INT64, (*pivots.layout.shape[:-1], rows)))
    bound = matrix_factors.launch.row_orders(pivots.layout, rows, steps.stream)
    steps.launch(bound, {"pivots": pivots, "order": order})
    return order


def _solve_by_triangles(steps: Steps, factors: Factors, right: Operand) -> None:
    """Solve ``A X = B`` in place by both triangles, with a column-major B for each matrix.

    For several right-hand sides cuBLAS takes a transposed triangle twice as fast.
    """
    count, n, _ = factors.matrices.layout.shape
    sides = right.layout.shape[-2]
    dtype = right.layout.dtype
    bound = matrix_factors.launch.rows_in_order(right.layout, False, steps.stream)
    ordered = steps.scratch(right.layout)
    order = _row_order(steps, factors.pivots, n)
    steps.launch(bound, {"matrices": right, "order": order, "results": ordered})
    matrices, operation, fills = factors.matrices, "N", ("LOWER", "UPPER")
    if sides > 1:
        operation, fills = "T", ("UPPER", "LOWER")
        matrices = steps.scratch(matrices.layout)
        transposed = _layout.matrix_transpose(matrices.layout)
        steps.copy(factors.matrices.seen_as(transposed), matrices)
    nbytes = n * dtype.itemsize
    for fill, diagonal in zip(fills, ("UNIT", "NON_UNIT"), strict=True):
        values = {
            "side": "CUBLAS_SIDE_LEFT", "uplo": f"CUBLAS_FILL_MODE_{fill}",
            "trans": f"CUBLAS_OP_{operation}", "diag": f"CUBLAS_DIAG_{diagonal}",
            "m": n, "n": sides, "alpha": dtype.type(1), "lda": n, "ldb": n,
        }  # fmt: skip
        function = f"cublas{letter(dtype)}trsm_v2_64"
        stack = Stack(count, {"A": n * nbytes, "B": sides * nbytes})
        steps.blas(function, values, {"A": matrices, "B": ordered}, stack)
    steps.copy(ordered, right)


def solve_call(
    stream: Stream, a: Layout, b: Layout, dtype: np.dtype, raises: bool
) -> Callable[..., object]:
    """A call that solves ``A X = B`` for stacked matrices; if it raises, with the info.

    The shapes, (..., n, n) and (..., n, right-hand sides), are those of a result that has elements;
    what stands before the last two lengths broadcasts.
    """
    if raises:
        refuse_capture(stream, "solve")
    batch = _broadcasting.broadcast_shapes([a.shape[:-2], b.shape[:-2]])
    n, sides = b.shape[-2:]
    if math.prod(a.shape[:-2]) > 1:
        a = _broadcasting.broadcast_to(a, (*batch, n, n))
    b = _broadcasting.broadcast_to(b, (*batch, n, sides))
    steps = Steps(stream, a, b)
    result = steps.output(_layout.contiguous(dtype, b.shape))
    factors, info, nan = _factors_of(steps, steps.inputs[0], dtype, raises)
    columns = _layout.contiguous(dtype, (*batch, sides, n))
    # A single right-hand side has the same order of elements either way.
    right = result.seen_as(columns) if sides == 1 else steps.scratch(columns)
    steps.copy(steps.inputs[1].seen_as(_layout.matrix_transpose(steps.inputs[1].layout)), right)
    # All right-hand sides of one matrix are contiguous, whatever the number of batch axes.
    count = info.layout.size
    grouped = (count, math.prod(columns.shape) // (count * n), n)
    solve(steps, factors, right.seen_as(_layout.contiguous(dtype, grouped)))
    if sides > 1:
        steps.copy(right.seen_as(_layout.matrix_transpose(columns)), result)
    for failed in (nan,) if raises else (nan, info):
        infos = a.shape[:-2] if count > 1 else ()
        fill_failed(steps, failed.seen_as(_layout.contiguous(_INT32, infos)), result)
    return steps.make()


def store_identity(steps: Steps, target: Operand) -> None:
    """Store identity matrices."""
    code = _dtypes.code(target.layout.dtype)
    ones = Apply(operation("equal"), (Input(0, "i8"), Constant(0, "i8")), "b1")
    coordinates = Coordinates(*[0] * (target.layout.ndim - 2), -1, 1)
    steps.kernel("identity", Cast(code, ones), [coordinates], target)


def invert(steps: Steps, factors: Factors, result: Operand) -> None:
    """Store row-major inverses X of matrices that are not batched.

    That of U is made of products of its blocks, and ``X L = inv(U)`` solved for it (Higham,
    Accuracy and Stability of Numerical Algorithms, 2nd edition, section 14.3.2). All is done with
    the transposes, of which the result has the columns.
    """
    stacked = factors.matrices.layout
    count, n, _ = stacked.shape
    dtype = stacked.dtype
    transposed = steps.scratch(stacked)
    steps.copy(factors.matrices.seen_as(_layout.matrix_transpose(stacked)), transposed)
    found = triangular_inverse.invert(steps, transposed, False)
    values = {
        "side": "CUBLAS_SIDE_LEFT", "uplo": "CUBLAS_FILL_MODE_LOWER", "trans": "CUBLAS_OP_T",
        "diag": "CUBLAS_DIAG_UNIT", "m": n, "n": n, "alpha": dtype.type(1), "lda": n, "ldb": n,
    }  # fmt: skip
    distances = dict.fromkeys("AB", n * n * dtype.itemsize)
    operands = {"A": factors.matrices, "B": found}
    steps.blas(f"cublas{letter(dtype)}trsm_v2_64", values, operands, Stack(count, distances))
    order = _row_order(steps, factors.pivots, n)
    bound = matrix_factors.launch.rows_in_order(stacked, True, steps.stream)
    steps.launch(bound, {"matrices": found, "order": order, "results": result})


def inverse_call(stream: Stream, a: Layout, dtype: np.dtype, raises: bool) -> Callable[..., object]:
    """A call that inverts stacked matrices with elements; if it raises, with the info."""
    if raises:
        refuse_capture(stream, "inv")
    steps = Steps(stream, a)
    result = steps.output(_layout.contiguous(dtype, a.shape))
    factors, info, nan = _factors_of(steps, steps.inputs[0], dtype, raises)
    stacked = result.seen_as(factors.matrices.layout)
    if factors.addresses is None and a.shape[-1] >= _BLOCKS_FROM:
        invert(steps, factors, stacked)
    else:
        store_identity(steps, result)
        # The inverse of the transpose, in column-major order, is the inverse in row-major order.
        solve(steps, factors, stacked, "CUBLAS_OP_T")
    for failed in (nan,) if raises else (nan, info):
        fill_failed(steps, failed.seen_as(_layout.contiguous(_INT32, a.shape[:-2])), result)
    return steps.make()


def determinant_call(
    stream: Stream, a: Layout, dtype: np.dtype, logarithm: bool
) -> Callable[..., object]:
    """A call for the determinants of stacked matrices, or their signs and logarithms."""
    steps = Steps(stream, a)
    batch = a.shape[:-2]
    result = steps.output(_layout.contiguous(dtype, batch))
    size = result
    if logarithm:
        size = steps.output(_layout.contiguous(np.empty(0, dtype).real.dtype, batch))
    factors, _, nan = _factors_of(steps, steps.inputs[0], dtype)
    bound = matrix_factors.launch.determinants(
        factors.matrices.layout, factors.pivots.layout.dtype, logarithm, stream
    )
    steps.launch(
        bound,
        {
            "factors": factors.matrices,
            "pivots": factors.pivots,
            "result": result,
            "logarithm": size,
        },
    )
    for found in (result, size) if logarithm else (result,):
        fill_failed(steps, nan.seen_as(_layout.contiguous(_INT32, batch)), found)
    return steps.make()


def factors_call(stream: Stream, a: Layout, dtype: np.dtype) -> Callable[..., object]:
    """A call for LU factors in one array, and pivots.

    Of stacked matrices with elements, (..., m, n). In step i row i was exchanged with row
    ``pivots[i]``, which is int32.
    """
    steps = Steps(stream, a)
    *batch, m, n = a.shape
    count, least = math.prod(batch), min(m, n)
    result = steps.output(_layout.contiguous(dtype, a.shape))
    exchanges = steps.output(_layout.contiguous(_INT32, (*batch, least)))
    columns = _layout.contiguous(dtype, (*batch, n, m))
    matrices = steps.scratch(columns)
    steps.copy(steps.inputs[0].seen_as(_layout.matrix_transpose(steps.inputs[0].layout)), matrices)
    batched = m == n and is_batched(n, count, stream)
    pivots = steps.scratch(_layout.contiguous(_INT32 if batched else _INT64, (count, least)))
    info = steps.scratch(_layout.contiguous(_INT32, (count,)))
    factorize(steps, matrices.seen_as(_layout.contiguous(dtype, (count, n, m))), pivots, info)
    steps.copy(matrices.seen_as(_layout.matrix_transpose(columns)), result)
    _count_pivots(steps, pivots, exchanges.seen_as(_layout.contiguous(_INT32, (count, least))), -1)
    return steps.make()


def _count_pivots(steps: Steps, pivots: Operand, target: Operand, begin: int) -> None:
    """Copy pivots that are counted from another number on."""
    code, wanted = _dtypes.code(pivots.layout.dtype), _dtypes.code(target.layout.dtype)
    counted = Apply(operation("add"), (Input(0, code), Constant(begin, code)), code)
    steps.kernel("pivots", Cast(wanted, counted) if code != wanted else counted, [pivots], target)


def solve_factorized_call(
    stream: Stream, factors: Layout, pivots: Layout, b: Layout, dtype: np.dtype, operation: str
) -> Callable[..., object]:
    """A call that solves ``op(A) X = B`` with what `factors_call` gives for A.

    The stacks, of which all have elements, broadcast.
    """
    n, sides = b.shape[-2:]
    batch = _broadcasting.broadcast_shapes([factors.shape[:-2], pivots.shape[:-1], b.shape[:-2]])
    count = math.prod(batch)
    factors = _broadcasting.broadcast_to(factors, (*batch, n, n))
    pivots = _broadcasting.broadcast_to(pivots, (*batch, n))
    b = _broadcasting.broadcast_to(b, (*batch, n, sides))
    steps = Steps(stream, factors, pivots, b)
    result = steps.output(_layout.contiguous(dtype, b.shape))
    a, exchanges, right = steps.inputs
    matrices = steps.scratch(_layout.contiguous(dtype, factors.shape))
    steps.copy(a.seen_as(_layout.matrix_transpose(a.layout)), matrices)
    kind = _INT32 if is_batched(n, count, stream) else _INT64
    counted = steps.scratch(_layout.contiguous(kind, (*batch, n)))
    _count_pivots(steps, exchanges, counted, 1)
    stacked = matrices.seen_as(_layout.contiguous(dtype, (count, n, n)))
    counted = counted.seen_as(_layout.contiguous(kind, (count, n)))
    addresses = steps.addresses(stacked) if kind == _INT32 else None
    columns = _layout.contiguous(dtype, (*batch, sides, n))
    # A single right-hand side has the same order of elements either way.
    found = result.seen_as(columns) if sides == 1 else steps.scratch(columns)
    steps.copy(right.seen_as(_layout.matrix_transpose(right.layout)), found)
    grouped = found.seen_as(_layout.contiguous(dtype, (count, sides, n)))
    solve(steps, Factors(stacked, counted, addresses), grouped, f"CUBLAS_OP_{operation}")
    if sides > 1:
        steps.copy(found.seen_as(_layout.matrix_transpose(columns)), result)
    return steps.make()


def row_order_call(stream: Stream, pivots: Layout, rows: int) -> Callable[..., object]:
    """A call for the order of rows, int64, that gapless pivots of stacked matrices leave."""
    steps = Steps(stream, pivots)
    order = steps.output(_layout.contiguous(_INT64, (*pivots.shape[:-1], rows)))
    # They are counted from 1 in the kernel.
    counted = steps.scratch(_layout.contiguous(_INT32, pivots.shape))
    _count_pivots(steps, steps.inputs[0], counted, 1)
    bound = matrix_factors.launch.row_orders(counted.layout, rows, stream)
    steps.launch(bound, {"pivots": counted, "order": order})
    return steps.make()
