"""The algorithms behind emulated functions: LU and Cholesky factorisations, triangular systems.

NumPy has no LU factorisation, and hides the triangular systems; the matrices of tests are small.
"""

from __future__ import annotations

import numpy as np

__all__ = ["factorize_cholesky", "factorize_lu", "invert_triangle", "solve_lu", "solve_triangle"]

LOWER, UPPER = 0, 1


def factorize_lu(a: np.ndarray, pivots: np.ndarray) -> int:
    """Factorise a matrix in place, with row exchanges as LAPACK counts them, from 1.

    Returns the number of the first pivot that is zero, or 0.
    """
    info = 0
    for j in range(min(a.shape)):
        column = a[j:, j]
        k = j + int(np.argmax(abs(column.real) + abs(column.imag)))
        pivots[j] = k + 1
        if a[k, j] == 0:
            info = info or j + 1
            continue
        if k != j:
            a[[j, k]] = a[[k, j]]
        a[j + 1 :, j] /= a[j, j]
        a[j + 1 :, j + 1 :] -= np.multiply.outer(a[j + 1 :, j], a[j, j + 1 :])
    return info


def solve_lu(a: np.ndarray, pivots: np.ndarray, operation: int, b: np.ndarray) -> None:
    """Solve ``op(A) X = B`` in place, with the factors of A."""
    if not operation:
        _exchange_rows(b, pivots)
        solve_triangle(a, LOWER, 0, True, b)
        solve_triangle(a, UPPER, 0, False, b)
        return
    solve_triangle(a, UPPER, operation, False, b)
    solve_triangle(a, LOWER, operation, True, b)
    _exchange_rows(b, pivots, backwards=True)


def _exchange_rows(b: np.ndarray, pivots: np.ndarray, backwards: bool = False) -> None:
    order = range(len(pivots))
    for i in reversed(order) if backwards else order:
        k = int(pivots[i]) - 1
        if k != i:
            b[[i, k]] = b[[k, i]]


def solve_triangle(a: np.ndarray, uplo: int, operation: int, unit: bool, b: np.ndarray) -> None:
    """Solve ``op(T) X = B`` in place, T being a triangle of A; the other one is not read."""
    t = np.triu(a) if uplo == UPPER else np.tril(a)
    if operation:
        t = t.T if operation == 1 else t.conj().T
    lower = (uplo == LOWER) != bool(operation)
    order = range(len(t)) if lower else range(len(t) - 1, -1, -1)
    for i in order:
        if not unit:
            b[i] /= t[i, i]
        rest = slice(i + 1, None) if lower else slice(0, i)
        b[rest] -= np.multiply.outer(t[rest, i], b[i])


def invert_triangle(a: np.ndarray, uplo: int, unit: bool) -> int:
    """Invert a triangle of a matrix in place; the other one is neither read nor written.

    Returns the number of the first element of the diagonal that is zero, or 0.
    """
    zeros = np.flatnonzero(np.diagonal(a) == 0)
    if not unit and zeros.size:
        return int(zeros[0]) + 1
    inverse = np.eye(len(a), dtype=a.dtype)
    solve_triangle(a, uplo, 0, unit, inverse)
    chosen = np.tri(len(a), k=-int(unit), dtype=bool)
    chosen = chosen.T if uplo == UPPER else chosen
    a[chosen] = inverse[chosen]
    return 0


def factorize_cholesky(a: np.ndarray, uplo: int) -> int:
    """Factorise a positive definite matrix in place; the other triangle stays as it is.

    Returns the order of the first minor that is not positive, or 0.
    """
    work = np.tril(a) if uplo == LOWER else np.triu(a).conj().T
    info = 0
    for j in range(len(work)):
        row = work[j, :j]
        square = work[j, j].real - (row * row.conj()).sum().real
        if not square > 0:
            info = j + 1
            break
        work[j, j] = np.sqrt(square)
        work[j + 1 :, j] = (work[j + 1 :, j] - work[j + 1 :, :j] @ row.conj()) / work[j, j]
    lower = np.tri(len(work), dtype=bool)
    if uplo == LOWER:
        a[lower] = work[lower]
    else:
        a[lower.T] = work.conj().T[lower.T]
    return info
