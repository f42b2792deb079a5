"""The Lanczos process with full reorthogonalisation and thick restarts.

K. Wu and H. Simon, SIAM Journal on Matrix Analysis and Applications 22 (2000) 602-616. A restart
keeps the best approximations of eigenvectors, and the vector that the process has come to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import empty
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.joining import concatenate
from gpuarray._ops.products import matmul, vdot
from gpuarray.scipy.sparse.linalg._krylov import Process

__all__ = ["Found", "lanczos"]


class Found(NamedTuple):
    """What the process has found, in the order of the wish."""

    values: np.ndarray
    vectors: Any  # rows on the device
    residuals: np.ndarray
    converged: np.ndarray


#: Which values to take first: keys to sort them by.
_WISHES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "LM": lambda values: -np.abs(values),
    "SM": np.abs,
    "LA": lambda values: -values,
    "SA": lambda values: values,
}


def order(values: np.ndarray, which: str) -> np.ndarray:
    """The indices of values, those that are wished first."""
    if which != "BE":
        return np.argsort(_WISHES[which](values), kind="stable")
    ends = np.argsort(values, kind="stable")
    found = np.empty_like(ends)  # the greatest, the least, the second greatest, ...
    found[::2] = ends[::-1][: len(ends[::2])]
    found[1::2] = ends[: len(ends) // 2]
    return found


class _Lanczos(Process):
    """The basis and the projected matrix.

    Parameters
    ----------
    product : callable
        Applies the operator to a vector.
    inner : callable or None
        Applies the matrix of the inner product, in which the operator is symmetric.
    start : ndarray
        The first vector.
    size : int
        How many vectors are kept at most.
    """

    def __init__(
        self,
        product: Callable[[Any], Any],
        inner: Callable[[Any], Any] | None,
        start: Any,
        size: int,
    ):
        super().__init__(start.dtype, size, inner)
        self._product = product
        self.basis = empty((size + 1, len(start)), self.dtype)
        self._store(self.basis, 0, start, self._square(start))
        self.replaced = False  # whether nothing was left of a vector

    def _square(self, w: Any) -> Any:
        return vdot(w, w if self._inner is None else self._inner(w))

    def _run(self, begin: int) -> int:
        columns = []
        for j in range(begin, self.size):
            w = self._product(self.basis[j])
            before = self._square(w)
            w, column, after = self._orthogonal(self.basis[: j + 1], w)
            self._store(self.basis, j + 1, w, after)
            columns += [column, before.reshape(1), after.reshape(1)]
        numbers = asnumpy(concatenate(columns))
        at = 0
        for j in range(begin, self.size):
            column = numbers[at : at + j + 1]
            before, after = np.sqrt(np.abs(numbers[at + j + 1 : at + j + 3]))
            at += j + 3
            self.matrix[: j + 1, j] = column
            self.matrix[j, : j + 1] = column.conj()
            self.last = float(after)
            scale = max(float(before), float(np.abs(self.matrix[: j + 1, : j + 1]).max()))
            if self._is_nothing(after, scale):  # the ones before span an invariant space
                self.last, self.replaced = 0.0, True
                self._replace(self.basis, j + 1)
                return j + 1
        return self.size

    def restart(self, values: np.ndarray, rows: np.ndarray) -> None:
        """Keep approximations: their values, and their coefficients as rows."""
        self._restart(values, (self.basis, rows))
        self.basis[len(values)] = self.basis[self.size]


def lanczos(
    product: Callable[[Any], Any],
    inner: Callable[[Any], Any] | None,
    start: Any,
    k: int,
    which: str,
    ncv: int,
    tolerance: float,
    restarts: int,
) -> Found | None:
    """Eigenvalues of a symmetric operator; None where NaN or infinity came out of it.

    Parameters
    ----------
    product : callable
        Applies the operator to a vector.
    inner : callable or None
        Applies the matrix of the inner product, in which the operator is symmetric.
    start : ndarray
        The first vector.
    k : int
        How many eigenvalues are wanted.
    which : {'LM', 'SM', 'LA', 'SA', 'BE'}
        Which ones.
    ncv : int
        How many vectors are kept at most; more than `k`, or all.
    tolerance : float
        Of the residual, relative to the eigenvalue.
    restarts : int
        How many cycles there are at most.
    """
    process = _Lanczos(product, inner, start, ncv)
    epsilon = float(np.finfo(process.dtype).eps)
    begin, cycle = 0, 0
    previous: np.ndarray | None = None
    while True:
        process.replaced = False
        process.fill(begin)
        cycle += 1
        if not process.is_finite:
            return None
        values, columns = np.linalg.eigh(process.matrix)
        places = order(values, which)
        residuals = process.last * np.abs(columns[-1])
        if ncv == len(start):  # the basis is complete
            residuals[:] = 0
        # The host's coefficients are no more accurate than that of the greatest value.
        limits = max(tolerance, epsilon) * np.maximum(epsilon ** (2 / 3), np.abs(values))
        limits = np.maximum(limits, epsilon * np.abs(values).max())
        converged = residuals <= limits
        done = int(converged[places[:k]].sum())
        wanted = np.sort(values[places[:k]])
        # Where a space is invariant, another vector may find more copies of its eigenvalues.
        settled = not process.replaced or (
            previous is not None and bool((np.abs(wanted - previous) <= 100 * limits.max()).all())
        )
        previous = wanted
        if (done == k and (settled or ncv == len(start))) or cycle >= restarts:
            break
        # More than are wanted are kept, so that the others do not have to be found again.
        # Not of values inside of the spectrum, most of which are no approximations yet.
        more = done if which == "SM" else max(done, (ncv - k) // 2)
        keep = min(max(k + min(more, (ncv - k) // 2), 2), ncv - 1)
        kept = places[:keep]
        process.restart(values[kept], columns.T[kept])
        begin = keep
    places = places[:k]
    vectors = matmul(asarray(columns.T[places]), process.basis[:ncv])
    return Found(values[places], vectors, residuals[places], converged[places])
