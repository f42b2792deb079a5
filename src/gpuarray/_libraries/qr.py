"""QR factorisations by cuSOLVER, as steps of plans.

Matrices are column-major there, so steps take a matrix, or stacked ones, by its columns: an array
of shape (..., n, m), the transposed one. A factorised matrix has R in its upper triangle, and below
it the reflectors that Q is a product of. None of these functions can fail, so that no info is read.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _dtypes, _layout
from gpuarray._ffi.cusolver_qr import FORM_Q, MULTIPLY_BY_Q
from gpuarray._layout import Layout
from gpuarray._libraries.steps import Operand, Stack, Steps
from gpuarray._libraries.triangular_inverse import Block, invert, multiply
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import matrix_factors
from gpuarray.kernels.elementwise.launch import Coordinates
from gpuarray.kernels.generator.expressions import Apply, Cast, Constant, Input
from gpuarray.kernels.generator.operations import operation

__all__ = [
    "factorize", "form_q", "form_q_by_blocks",
    "multiply_by_q", "product_call", "qr_call", "store_reflectors", "triangular_factors",
]  # fmt: skip

_INT32 = np.dtype(np.int32)

#: The functions that make Q count elements in 32 bits.
_MOST_ELEMENTS = 2**31 - 1

#: From so many reflectors on Q is made of blocks of them, of this width.
_BLOCKS_FROM, _BLOCK = 512, 256


def part(layout: Layout, rows: int, columns: int) -> Layout:
    """The layout of the first rows and columns of matrices."""
    shape = (*layout.shape[:-2], rows, columns)
    return _layout.layout_of(layout.dtype, shape, layout.strides)


def stack_of(**operands: tuple[Operand, int]) -> Stack | None:
    """The stack that operands are, given with the dimensions of one call each, or None."""
    distances, count = {}, 1
    for name, (operand, ndim) in operands.items():
        layout = operand.layout
        count = math.prod(layout.shape[: layout.ndim - ndim])
        distances[name] = math.prod(layout.shape[layout.ndim - ndim :]) * layout.itemsize
    return Stack(count, distances) if count > 1 else None


def info_for(steps: Steps, batch: tuple[int, ...]) -> Operand:
    """The info of functions that cannot fail."""
    return steps.scratch(_layout.contiguous(_INT32, batch))


def factorize(steps: Steps, columns: Operand, n: int, tau: Operand) -> None:
    """Factorise gapless matrices, or the first `n` columns of each, in their place."""
    dtype, m = columns.layout.dtype, columns.layout.shape[-1]
    info = info_for(steps, columns.layout.shape[:-2])
    values = {
        "m": m, "n": n, "dataTypeA": dtype, "lda": m, "dataTypeTau": dtype, "computeType": dtype,
    }  # fmt: skip
    stack = stack_of(A=(columns, 2), tau=(tau, 1), info=(info, 0))
    steps.solver("cusolverDnXgeqrf", values, {"A": columns, "tau": tau, "info": info}, stack)


def form_q(steps: Steps, columns: Operand, n: int, tau: Operand) -> None:
    """Overwrite the reflectors in matrices with the first `n` columns of Q."""
    dtype, m = columns.layout.dtype, columns.layout.shape[-1]
    _check_size(m, n)
    info = info_for(steps, columns.layout.shape[:-2])
    values = {"m": m, "n": n, "k": tau.layout.shape[-1], "lda": m}
    stack = stack_of(A=(columns, 2), tau=(tau, 1), info=(info, 0))
    steps.solver(FORM_Q[dtype], values, {"A": columns, "tau": tau, "info": info}, stack)


def form_q_by_blocks(
    steps: Steps, columns: Operand, n: int, tau: Operand, q: Operand, width: int
) -> None:
    """Store the first `n` columns of Q, from reflectors that are taken together.

    A block of reflectors is ``I - V T V^H``, with a triangular T that is the inverse of the upper
    triangle of ``V^H V`` whose diagonal has been replaced by ``1 / tau`` (Joffrain, Low,
    Quintana-Orti, van de Geijn and Van Zee, Accumulating Householder transformations, revisited,
    ACM TOMS 32, 2006).

    Parameters
    ----------
    steps : Steps
        Where the steps are added.
    columns, tau : Operand
        The factorised matrix, of shape (columns, m), and the factors of its reflectors.
    n : int
        How many columns of Q are wanted.
    q : Operand
        Gapless, of shape (n, m): the columns of Q.
    width : int
        Reflectors of a block.
    """
    dtype, m = columns.layout.dtype, columns.layout.shape[-1]
    k = tau.layout.shape[-1]
    vectors = steps.scratch(_layout.contiguous(dtype, (-(-k // width) * width, m)))
    if vectors.layout.shape[0] > k:
        steps.zeros(vectors)
    store_reflectors(steps, columns, 0, k, vectors)
    t = triangular_factors(steps, vectors, tau, width)
    steps.kernel("eye", _on_diagonal(dtype), [Coordinates(1, -1)], q)
    adjoint = "CN" if dtype.kind == "c" else "TN"
    first, second = [steps.scratch(_layout.contiguous(dtype, (n, width))) for _ in range(2)]
    for begin in reversed(range(0, k, width)):
        rows, wide, count = m - begin, min(width, k - begin), n - begin
        v = Block(vectors, begin * (m + 1), m)
        rest = Block(q, begin * (m + 1), m)
        one, two = Block(first, 0, wide), Block(second, 0, wide)
        multiply(steps, (wide, count, rows), v, rest, one, operations=adjoint)
        multiply(steps, (wide, count, wide), Block(t, begin * width, width), one, two)
        multiply(steps, (rows, count, wide), v, two, rest, (-1, 1))


def _on_diagonal(dtype: np.dtype) -> Cast:
    """Ones where a number is 0, zeros elsewhere."""
    return Cast(
        _dtypes.code(dtype), Apply(operation("equal"), (Input(0, "i8"), Constant(0, "i8")), "b1")
    )


def store_reflectors(steps: Steps, columns: Operand, first: int, count: int, to: Operand) -> None:
    """Store reflectors of a factorised matrix as columns, with zeros above the diagonal."""
    bound = matrix_factors.launch.reflectors(columns.layout, first, count, steps.stream)
    steps.launch(bound, {"columns": columns, "vectors": to})


def triangular_factors(steps: Steps, vectors: Operand, tau: Operand, width: int) -> Operand:
    """The T of each block of so many reflectors: column-major matrices with zeros below."""
    dtype, (columns, m) = vectors.layout.dtype, vectors.layout.shape
    code, k, count = _dtypes.code(dtype), tau.layout.shape[-1], columns // width
    triangles = steps.scratch(_layout.contiguous(dtype, (count, width, width)))
    block, square = Block(vectors, 0, m, width * m), Block(triangles, 0, width, width * width)
    adjoint = "CN" if dtype.kind == "c" else "TN"
    multiply(steps, (width, width, m), block, block, square, operations=adjoint, count=count)
    diagonal = steps.scratch(_layout.contiguous(dtype, (count, width)))
    if columns > k:
        steps.kernel("ones", Cast(code, Constant(1, code)), [], diagonal)
    # A factor of 0 is no reflection: its column of T is to be 0.
    none = Apply(operation("equal"), (Input(0, code), Constant(0, code)), "b1")
    reciprocal = Apply(operation("divide"), (Constant(1, code), Input(0, code)), code)
    reciprocal = Apply(operation("where"), (none, Constant(np.inf, code), reciprocal), code)
    some = diagonal.seen_as(_layout.contiguous(dtype, (k,)))
    steps.kernel("reciprocals", reciprocal, [tau], some)
    strides = [x * dtype.itemsize for x in (width * width, width + 1)]
    places = _layout.layout_of(dtype, (count, width), tuple(strides))
    steps.copy(diagonal, triangles.seen_as(places))
    return invert(steps, triangles, True)


def multiply_by_q(
    steps: Steps, columns: Operand, tau: Operand, target: Operand, adjoint: bool = False
) -> None:
    """Multiply matrices by Q from the left, or by its conjugate transpose.

    They are given by their columns, too: `target` has the shape (..., number of columns, m).
    """
    dtype, m = columns.layout.dtype, columns.layout.shape[-1]
    count, k = target.layout.shape[-2], tau.layout.shape[-1]
    _check_size(m, count)
    _check_size(m, k)
    info = info_for(steps, columns.layout.shape[:-2])
    operation_ = "CUBLAS_OP_N"
    if adjoint:
        operation_ = "CUBLAS_OP_C" if dtype.kind == "c" else "CUBLAS_OP_T"
    values = {
        "side": "CUBLAS_SIDE_LEFT", "trans": operation_, "m": m, "n": count, "k": k,
        "lda": m, "ldc": m,
    }  # fmt: skip
    operands = {"A": columns, "tau": tau, "C": target, "devInfo": info}
    stack = stack_of(A=(columns, 2), tau=(tau, 1), C=(target, 2), devInfo=(info, 0))
    steps.solver(MULTIPLY_BY_Q[dtype], values, operands, stack)


def _check_size(m: int, n: int) -> None:
    if m * n > _MOST_ELEMENTS:
        raise ValueError(
            f"Q of a QR factorisation would have {m} x {n} elements, and cuSOLVER's functions take "
            f"at most {_MOST_ELEMENTS}; take R alone (mode='r'), or parts of the matrix"
        )


@planned
def qr_call(stream: Stream, a: Layout, dtype: np.dtype, mode: str) -> Callable[..., Any]:
    """The call that factorises matrices in a dtype; `mode` is one of ``numpy.linalg.qr``.

    It returns what that function does, but Q before R in one tuple.
    """
    batch, (m, n) = a.shape[:-2], a.shape[-2:]
    k = min(m, n)
    complete = mode == "complete" and m > n
    # Of a complete Q the columns that are not there yet have their place.
    width = m if complete else n
    steps = Steps(stream, a)
    make = steps.output if mode == "raw" else steps.scratch
    columns = make(_layout.contiguous(dtype, (*batch, width, m)))
    tau = make(_layout.contiguous(dtype, (*batch, k)))
    given = _layout.matrix_transpose(part(columns.layout, n, m))
    steps.copy(steps.inputs[0], columns.seen_as(given))
    factorize(steps, columns, n, tau)
    if mode == "raw":
        return steps.make()
    count = m if complete else k
    q = steps.output(_layout.contiguous(dtype, (*batch, m, count))) if mode != "r" else None
    r = steps.output(_layout.contiguous(dtype, (*batch, count, n)))
    steps.triangle(True, columns.seen_as(part(given, count, n)), r)
    if q is not None:
        found = columns.seen_as(part(columns.layout, count, m))
        if k >= _BLOCKS_FROM and math.prod(batch) == 1:
            found = steps.scratch(_layout.contiguous(dtype, (*batch, count, m)))
            matrix = found.seen_as(_layout.contiguous(dtype, (count, m)))
            form_q_by_blocks(steps, columns, count, tau, matrix, _BLOCK)
        else:
            form_q(steps, columns, count, tau)
        steps.copy(found.seen_as(_layout.matrix_transpose(found.layout)), q)
    return steps.make()


@planned
def product_call(
    stream: Stream, a: Layout, b: Layout, dtype: np.dtype, adjoint: bool
) -> Callable[..., Any]:
    """The call that multiplies by the Q of a matrix from the left, or by its conjugate transpose.

    It takes the matrix, and the columns of the other one: an array of shape (number of columns, m).
    It returns the first min(m, n) rows of R as a matrix, and the columns of the product.
    """
    m, n = a.shape
    k = min(m, n)
    steps = Steps(stream, a, b)
    columns = steps.scratch(_layout.contiguous(dtype, (n, m)))
    tau = steps.scratch(_layout.contiguous(dtype, (k,)))
    r = steps.output(_layout.contiguous(dtype, (k, n)))
    product = steps.output(_layout.contiguous(dtype, b.shape))
    steps.copy(steps.inputs[0], columns.seen_as(_layout.matrix_transpose(columns.layout)))
    factorize(steps, columns, n, tau)
    steps.triangle(True, columns.seen_as(_layout.matrix_transpose(part(columns.layout, n, k))), r)
    if b.size:
        steps.copy(steps.inputs[1], product)
        multiply_by_q(steps, columns, tau, product, adjoint)
    return steps.make()
