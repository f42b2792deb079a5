"""Least squares, as far as fits of polynomials need them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gpuarray import _array, _layout
from gpuarray._libraries import solver
from gpuarray._libraries.blas import gemm
from gpuarray._ops.conversion import asnumpy
from gpuarray._ops.logic import greater
from gpuarray._ops.math import conj, divide, multiply
from gpuarray._ops.selection import where
from gpuarray._ops.triangles import tril
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.reduction.products import sum_of_products

_SUPPORTED = "fdFD"


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
        The columns of the matrix, which are not kept.
    right : ndarray of shape (right-hand sides, equations)
        Right-hand sides, of the same dtype.
    rcond : float
        Singular values up to this times the greatest count as zero.
    name : str
        The function, for messages.

    Notes
    -----
    The matrix is factorised together with the right-hand sides, so that their products with Q, and
    what remains of them, stand in R. It waits for the device, which says what the rank is.
    """
    dtype = equations._layout.dtype
    if dtype.char not in _SUPPORTED:
        raise TypeError(f"{name}: array type {dtype} is unsupported in linalg")
    unknowns, count = equations._layout.shape
    sides = right._layout.shape[0]
    remains = None
    if count >= unknowns:
        both = _array.empty(_layout.contiguous(dtype, (unknowns + sides, count)))
        both[:unknowns] = equations
        both[unknowns:] = right
        solver.qr_factors(both)
        columns = tril(both[:unknowns, :unknowns])
        products = both[unknowns:, :unknowns].T
        if count > unknowns:
            rest = tril(both[unknowns:, unknowns : unknowns + sides])
            real = np.empty(0, dtype).real.dtype
            squares = sum_of_products(rest, rest, (1,), dtype)
            remains = squares if real == dtype else copies.copy(squares.real, "C")
        u, s, v, info = solver.singular_values(columns)
        left = conj(u)
        vectors = v
    else:
        # Of the conjugate transpose, which has no fewer rows than columns.
        columns = copies.copy(conj(equations).T, "C")
        u, s, v, info = solver.singular_values(columns)
        left = v.T
        products = right.T
        vectors = conj(u)
    found = asnumpy(s)
    if int(asnumpy(info)) or np.isnan(found).any():
        raise np.linalg.LinAlgError(f"{name}: SVD did not converge in Linear Least Squares")
    rank = int((found > rcond * found[0]).sum())
    factors = where(greater(s, multiply(s[:1], rcond)), divide(1, s), 0).astype(s.dtype)
    inner = multiply(gemm(copies.copy(left, "C"), copies.copy(products, "C")), factors[:, None])
    solution = gemm(copies.copy(conj(vectors).T if count < unknowns else conj(vectors), "C"), inner)
    if remains is None or rank < unknowns:
        remains = _array.empty(_layout.contiguous(s.dtype, (0,)))
    return LeastSquares(solution, remains, rank, s, vectors)
