"""Singular values by the process of Golub and Kahan with thick restarts.

J. Baglama and L. Reichel, SIAM Journal on Scientific Computing 27 (2005) 19-42. Both bases stay on
the device and are fully reorthogonalised; the projected matrix is the host's, which reads its
columns once a cycle. Nothing is squared, so that errors are of the size of the greatest singular
value times the dtype's epsilon, also of small ones.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import empty
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.joining import concatenate
from gpuarray._ops.math import divide, sqrt
from gpuarray._ops.products import matmul, vdot
from gpuarray.random import default_rng
from gpuarray.scipy.sparse.linalg._lanczos import orthogonal, random_vector
from gpuarray.scipy.sparse.linalg._operators import LinearOperator

__all__ = ["Triplets", "singular_triplets"]


class Triplets(NamedTuple):
    """Singular values on the host, the greatest first, and their vectors as rows on the device."""

    values: np.ndarray
    left: Any
    right: Any
    converged: np.ndarray


class _Process:
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
        self._operator, self.size, self.dtype = operator, size, start.dtype
        rows, columns = operator.shape
        self.left = empty((size, rows), self.dtype)
        self.right = empty((size + 1, columns), self.dtype)
        self.matrix = np.zeros((size, size), self.dtype)
        self.last = 0.0  # the norm of what the last left vector leaves
        self.steps = 0
        self._generator = default_rng(1)  # for vectors that replace what nothing is left of
        square = vdot(start, start)
        self._store(self.right, 0, start, square)
        if not float(square.real) > 0:
            self._replace(self.right, 0)

    @staticmethod
    def _store(basis: Any, place: int, w: Any, square: Any) -> None:
        divide(w, sqrt(square.real), out=basis[place])

    def fill(self, begin: int) -> None:
        """Find the vectors behind the first ones, and the columns of the projected matrix."""
        while begin < self.size:
            begin = self._run(begin)

    def _run(self, begin: int) -> int:
        """Go on to the end, or to where nothing is left of a vector; return where to go on."""
        numbers = []
        for j in range(begin, self.size):
            w, column, square = orthogonal(self.left[:j], self._operator.matvec(self.right[j]))
            self._store(self.left, j, w, square)
            numbers += [column, square.reshape(1)]
            w, _, square = orthogonal(self.right[: j + 1], self._operator.rmatvec(self.left[j]))
            self._store(self.right, j + 1, w, square)
            numbers.append(square.reshape(1))
        found = asnumpy(concatenate(numbers))
        at, epsilon = 0, np.finfo(self.dtype).eps
        for j in range(begin, self.size):
            self.steps += 1
            alpha, beta = np.sqrt(np.abs(found[at + j : at + j + 2]))
            self.matrix[:j, j] = found[at : at + j]
            at += j + 2
            norms = np.abs(self.matrix[:j, : j + 1])
            scale = max(float(norms.max(initial=0.0)), float(alpha) if alpha == alpha else 0.0)
            if not alpha > 10 * epsilon * scale:  # NaN behind a vector of which nothing was left
                self.matrix[j, j] = 0
                self._replace(self.left, j)
                return self._continue(j)
            self.matrix[j, j] = alpha
            self.last = float(beta)
            if not beta > 10 * epsilon * scale:
                self.last = 0.0
                self._replace(self.right, j + 1)
                return j + 1
        return self.size

    def _continue(self, j: int) -> int:
        """The right vector behind a left one that was replaced."""
        w, _, square = orthogonal(self.right[: j + 1], self._operator.rmatvec(self.left[j]))
        self._store(self.right, j + 1, w, square)
        self.last = float(sqrt(square.real))
        if not self.last > 10 * np.finfo(self.dtype).eps * float(np.abs(self.matrix).max()):
            self.last = 0.0
            self._replace(self.right, j + 1)
        return j + 1

    def _replace(self, basis: Any, place: int) -> None:
        """Go on with a random vector, which the ones before have no part of."""
        if place >= basis.shape[1]:  # there is no other
            return
        w = random_vector(basis.shape[1], self.dtype, self._generator)
        w, _, _ = orthogonal(basis[:place], w)
        w, _, square = orthogonal(basis[:place], w)
        self._store(basis, place, w, square)

    def restart(self, values: np.ndarray, left: np.ndarray, right: np.ndarray) -> None:
        """Keep approximations: their values, and their coefficients as rows."""
        keep = len(values)
        self.left[:keep] = matmul(asarray(left), self.left)
        self.right[:keep] = matmul(asarray(right), self.right[: self.size])
        self.right[keep] = self.right[self.size]
        self.matrix[...] = 0
        self.matrix[range(keep), range(keep)] = values


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
    process = _Process(operator, start, size)
    epsilon = float(np.finfo(process.dtype).eps)
    begin = 0
    while True:
        process.fill(begin)
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
