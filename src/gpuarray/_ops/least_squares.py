"""Least squares, for systems of equations and for fits of polynomials."""

from __future__ import annotations

from typing import Any, NamedTuple

from gpuarray import _array, _layout
from gpuarray._libraries.blas import gemm
from gpuarray._libraries.qr import product_call
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.logic import greater
from gpuarray._ops.math import conj, divide, multiply
from gpuarray._ops.matrix_operands import common_dtype, real_dtype
from gpuarray._ops.selection import where
from gpuarray._ops.singular_values import decompose
from gpuarray._runtime.current_stream import current
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.reduction.products import sum_of_products

#: NumPy's message.
_NOT_CONVERGED = "SVD did not converge in Linear Least Squares"


class LeastSquares(NamedTuple):
    """The solution of a least squares problem, as ``numpy.linalg.lstsq`` returns it."""

    solution: Any  # (unknowns, right-hand sides)
    residuals: Any  # empty where the rank is too low, or no equation is left over
    rank: int
    singular_values: Any
    #: What `solution` is of Q.H @ y: the conjugates of the columns of V, a row each.
    vectors: Any


def least_squares(equations: Any, right: Any, rcond: float, name: str) -> LeastSquares:
    """Solve a least squares problem by a QR factorisation and the singular values of R.

    Parameters
    ----------
    equations : ndarray of shape (unknowns, equations)
        The columns of the matrix, of which there is at least one element.
    right : ndarray of shape (right-hand sides, equations)
        Right-hand sides.
    rcond : float
        Singular values up to this times the greatest count as zero.
    name : str
        The function, for messages.

    Notes
    -----
    It waits for the device, which says what the rank is.
    """
    matrix = equations.T
    dtype = common_dtype(matrix._layout, right._layout)
    count, unknowns = matrix._layout.shape
    remains = None
    if count >= unknowns:
        stream = current.stream
        run = product_call(stream, matrix._layout, right._layout, dtype, True)
        matrix, products = run(matrix, right)
        if count > unknowns:
            remains = sums_of_squares(products[:, unknowns:])
            products = products[:, :unknowns]
    else:
        matrix, products = [
            x if x._layout.dtype == dtype else copies.copy(x, "C", dtype) for x in (matrix, right)
        ]
    u, s, vh = decompose(matrix, True, False, name, _NOT_CONVERGED)
    found = asnumpy(s)
    rank = int((found > rcond * found[0]).sum())
    factors = where(greater(s, multiply(s[:1], rcond)), divide(1, s), 0).astype(s.dtype)
    inner = multiply(gemm(adjoint(u), copies.copy(products.T, "C")), factors[:, None])
    solution = gemm(adjoint(vh), inner)
    if remains is None or rank < unknowns:
        remains = _array.empty(_layout.contiguous(s.dtype, (0,)))
    return LeastSquares(solution, remains, rank, s, vh)


def adjoint(matrices: Any) -> Any:
    """The conjugate transposes, as a view of the matrices if these are real."""
    values = conj(matrices) if matrices._layout.dtype.kind == "c" else matrices
    return values.swapaxes(-1, -2)


def sums_of_squares(rows: Any) -> Any:
    """The sum of the squared moduli of each row."""
    dtype = rows._layout.dtype
    sums = sum_of_products(rows, rows, (1,), dtype)
    return sums if real_dtype(dtype) == dtype else copies.copy(sums.real, "C")
