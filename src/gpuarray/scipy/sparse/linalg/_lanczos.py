"""The Lanczos process with full reorthogonalisation and thick restarts.

K. Wu and H. Simon, SIAM Journal on Matrix Analysis and Applications 22 (2000) 602-616. A restart
keeps the best approximations of eigenvectors, and the vector that the process has come to. The
basis stays on the device; the projected matrix, of the number of kept vectors, is the host's, which
reads its columns once a cycle.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import empty
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.joining import concatenate
from gpuarray._ops.math import divide, sqrt
from gpuarray._ops.products import matmul, vdot
from gpuarray.random import default_rng
from gpuarray.scipy.sparse.linalg._gmres import projections

__all__ = ["Found", "generator_of", "lanczos", "orthogonal", "random_vector", "start_vector"]


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


def start_vector(v0: Any, length: int, dtype: np.dtype, rng: Any) -> Any:
    """The vector to begin with, or one of random elements, always the same without `rng`."""
    if v0 is not None:
        return v0.astype(dtype, copy=False).reshape(length)
    return random_vector(length, dtype, generator_of(rng))


def generator_of(rng: Any) -> Any:
    """What draws random numbers for an argument `rng`; without one, the same numbers each time."""
    if isinstance(rng, np.random.Generator):
        rng = int(rng.integers(2**63))
    elif isinstance(rng, np.random.RandomState):
        rng = int(rng.randint(2**31))
    return rng if hasattr(rng, "standard_normal") else default_rng(0 if rng is None else rng)


def random_vector(length: int, dtype: np.dtype, generator: Any) -> Any:
    """A vector of random elements between -1 and 1."""
    return generator.uniform(-1.0, 1.0, length).astype(dtype)


def orthogonal(
    vectors: Any, w: Any, inner: Callable[[Any], Any] | None = None
) -> tuple[Any, Any, Any]:
    """A vector without what orthonormal ones have of it, what that was, and its square.

    It is taken out twice, by which the rest is orthogonal to the accuracy of the dtype.
    """
    first = projections(vectors, w if inner is None else inner(w))
    w = w - matmul(first, vectors)
    second = projections(vectors, w if inner is None else inner(w))
    w = w - matmul(second, vectors)
    return w, first + second, vdot(w, w if inner is None else inner(w))


class _Process:
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
        self._product, self._inner = product, inner
        self.dtype = start.dtype
        self.size = size
        self.basis = empty((size + 1, len(start)), self.dtype)
        self.matrix = np.zeros((size, size), self.dtype)
        self._generator = default_rng(1)  # for vectors that replace what nothing is left of
        weighted = start if inner is None else inner(start)
        divide(start, sqrt(vdot(start, weighted).real), out=self.basis[0])
        self.last = 0.0  # the norm of what the last column leaves
        self.replaced = False  # whether nothing was left of a vector

    def _orthogonal(self, w: Any, count: int) -> tuple[Any, Any, Any]:
        return orthogonal(self.basis[:count], w, self._inner)

    def fill(self, begin: int) -> None:
        """Find the vectors behind the first ones, and the columns of the projected matrix."""
        while begin < self.size:
            begin = self._run(begin)

    def _run(self, begin: int) -> int:
        """Go on to the end, or to where nothing is left of a vector; return where to go on."""
        columns = []
        for j in range(begin, self.size):
            w = self._product(self.basis[j])
            before = vdot(w, w if self._inner is None else self._inner(w))
            w, column, after = self._orthogonal(w, j + 1)
            divide(w, sqrt(after.real), out=self.basis[j + 1])
            columns += [column, before.reshape(1), after.reshape(1)]
        numbers = asnumpy(concatenate(columns))
        at, epsilon = 0, np.finfo(self.dtype).eps
        for j in range(begin, self.size):
            column = numbers[at : at + j + 1]
            before, after = np.sqrt(np.abs(numbers[at + j + 1 : at + j + 3]))
            at += j + 3
            self.matrix[: j + 1, j] = column
            self.matrix[j, : j + 1] = column.conj()
            self.last = float(after)
            scale = max(float(before), float(np.abs(self.matrix[: j + 1, : j + 1]).max()))
            if not after > 10 * epsilon * scale:
                self.last, self.replaced = 0.0, True
                self._replace(j + 1)
                return j + 1
        return self.size

    def _replace(self, place: int) -> None:
        """Go on with a random vector, since the ones before span an invariant space."""
        if place >= self.basis.shape[1]:  # there is no other
            return
        w = random_vector(self.basis.shape[1], self.dtype, self._generator)
        w, _, _ = self._orthogonal(w, place)
        w, _, square = self._orthogonal(w, place)
        divide(w, sqrt(square.real), out=self.basis[place])

    def restart(self, values: np.ndarray, rows: np.ndarray) -> None:
        """Keep approximations: their values, and their coefficients as rows."""
        keep = len(values)
        self.basis[:keep] = matmul(asarray(rows), self.basis[: self.size])
        self.basis[keep] = self.basis[self.size]
        self.matrix[...] = 0
        self.matrix[range(keep), range(keep)] = values


def lanczos(
    product: Callable[[Any], Any],
    inner: Callable[[Any], Any] | None,
    start: Any,
    k: int,
    which: str,
    ncv: int,
    tolerance: float,
    restarts: int,
) -> Found:
    """Eigenvalues of a symmetric operator.

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
    process = _Process(product, inner, start, ncv)
    epsilon = float(np.finfo(process.dtype).eps)
    begin, cycle = 0, 0
    previous: np.ndarray | None = None
    while True:
        process.replaced = False
        process.fill(begin)
        cycle += 1
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
