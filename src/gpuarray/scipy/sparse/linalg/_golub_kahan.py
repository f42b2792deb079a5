"""Singular values by the process of Golub and Kahan with thick restarts.

J. Baglama and L. Reichel, SIAM Journal on Scientific Computing 27 (2005) 19-42. Both bases are
fully reorthogonalised. Nothing is squared, so that errors are of the size of the greatest singular
value times the dtype's epsilon, also of small ones.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import empty
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.joining import concatenate
from gpuarray._ops.math import sqrt
from gpuarray._ops.products import matmul, vdot
from gpuarray.scipy.sparse.linalg._krylov import Process
from gpuarray.scipy.sparse.linalg._operators import LinearOperator

__all__ = ["Triplets", "singular_triplets"]


class Triplets(NamedTuple):
    """Singular values on the host, the greatest first, and their vectors as rows on the device."""

    values: np.ndarray
    left: Any
    right: Any
    converged: np.ndarray


class _GolubKahan(Process):
    """Two orthonormal bases, and the matrix between them.

    ``operator @ right[:size].T == left.T @ matrix``, and what its adjoint leaves of the left
    vectors lies in the right vector behind the others.

    Parameters
    ----------
    operator : LinearOperator, shape (M, N)
        With ``M >= N``.
    start : ndarray, shape (N,)
        The first right vector, of any length; a random one takes the place of zeros.
    size : int
        How many vectors of each kind are kept; N at most.
    """

    def __init__(self, operator: LinearOperator, start: Any, size: int):
        super().__init__(start.dtype, size)
        rows, columns = operator.shape
        self._operator = operator
        self.left = empty((size, rows), self.dtype)
        self.right = empty((size + 1, columns), self.dtype)
        self.steps = 0
        square = vdot(start, start)
        self._store(self.right, 0, start, square)
        if not float(square.real) > 0:
            self._replace(self.right, 0)

    def _run(self, begin: int) -> int:
        numbers = []
        for j in range(begin, self.size):
            w = self._operator.matvec(self.right[j])
            w, column, square = self._orthogonal(self.left[:j], w)
            self._store(self.left, j, w, square)
            numbers += [column, square.reshape(1)]
            w = self._operator.rmatvec(self.left[j])
            w, _, square = self._orthogonal(self.right[: j + 1], w)
            self._store(self.right, j + 1, w, square)
            numbers.append(square.reshape(1))
        found = asnumpy(concatenate(numbers))
        at = 0
        for j in range(begin, self.size):
            self.steps += 1
            alpha, beta = np.sqrt(np.abs(found[at + j : at + j + 2]))
            self.matrix[:j, j] = found[at : at + j]
            at += j + 2
            if not np.isfinite(alpha):
                self.matrix[j, j] = alpha
                return self.size
            scale = max(float(np.abs(self.matrix[:j, : j + 1]).max(initial=0.0)), float(alpha))
            if self._is_nothing(alpha, scale):  # beta is NaN where nothing was left at all
                self.matrix[j, j] = 0
                self._replace(self.left, j)
                return self._continue(j)
            self.matrix[j, j] = alpha if np.isfinite(beta) else beta
            self.last = float(beta)
            if not np.isfinite(beta):
                return self.size
            if self._is_nothing(beta, scale):
                self.last = 0.0
                self._replace(self.right, j + 1)
                return j + 1
        return self.size

    def _continue(self, j: int) -> int:
        """The right vector behind a left one that was replaced."""
        w, _, square = self._orthogonal(self.right[: j + 1], self._operator.rmatvec(self.left[j]))
        self._store(self.right, j + 1, w, square)
        self.last = float(sqrt(square.real))
        if self._is_nothing(self.last, float(np.abs(self.matrix).max())):
            self.last = 0.0
            self._replace(self.right, j + 1)
        return j + 1

    def restart(self, values: np.ndarray, left: np.ndarray, right: np.ndarray) -> None:
        """Keep approximations: their values, and their coefficients as rows."""
        self._restart(values, (self.left, left), (self.right, right))
        self.right[len(values)] = self.right[self.size]


def singular_triplets(
    operator: LinearOperator,
    start: Any,
    k: int,
    least: bool,
    size: int,
    tolerance: float,
    steps: int,
) -> Triplets:
    """Singular values and vectors of an operator with at least as many rows as columns.

    Parameters
    ----------
    operator : LinearOperator, shape (M, N)
        The matrix.
    start : ndarray, shape (N,)
        The first right vector.
    k : int
        How many are wanted.
    least : bool
        Whether those are the least ones.
    size : int
        How many vectors of each kind are kept; from `k` to N, more than `k` unless it is N.
    tolerance : float
        Of the residual, relative to the singular value.
    steps : int
        After how many products no other cycle begins.
    """
    process = _GolubKahan(operator, start, size)
    epsilon = float(np.finfo(process.dtype).eps)
    begin = 0
    while True:
        process.fill(begin)
        if not process.is_finite:
            raise np.linalg.LinAlgError(
                "svds: NaN or infinity came out of products; look for them in A and v0"
            )
        left, values, right = np.linalg.svd(process.matrix)
        places = np.arange(size)[::-1] if least else np.arange(size)
        residuals = process.last * np.abs(left[-1])
        if size == operator.shape[1]:  # the basis is complete
            residuals[:] = 0
        limits = np.maximum(max(tolerance, epsilon) * values, epsilon * values.max(initial=0.0))
        converged = residuals <= limits
        done = int(converged[places[:k]].sum())
        if done == k or process.steps >= steps:
            break
        keep = min(k + max(done, (size - k) // 2 if not least else 0), size - 1)
        kept = places[:keep]
        process.restart(values[kept], left.T[kept], right[kept].conj())
        begin = keep
    places = np.sort(places[:k])
    return Triplets(
        values[places],
        matmul(asarray(left.T[places]), process.left),
        matmul(asarray(right[places].conj()), process.right[:size]),
        converged[places],
    )
