"""Orthonormal bases that grow by products with an operator, and restart from approximations.

The bases stay on the device; the matrix projected to them, of the number of kept vectors, is the
host's, which reads its columns once a cycle.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray._ops.conversion import asarray
from gpuarray._ops.math import divide, sqrt
from gpuarray._ops.products import matmul, vdot
from gpuarray.random import default_rng
from gpuarray.scipy.sparse.linalg._gmres import projections

__all__ = ["Process", "generator_of", "orthogonal", "random_vector", "start_vector"]


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


class Process:
    """What the processes of Lanczos, and of Golub and Kahan, have in common.

    Parameters
    ----------
    dtype : dtype
        Of the vectors.
    size : int
        How many vectors of each kind are kept at most.
    inner : callable, optional
        Applies the matrix of the inner product, if that is another than the usual one.
    """

    def __init__(
        self, dtype: np.dtype, size: int, inner: Callable[[Any], Any] | None = None
    ) -> None:
        self.dtype, self.size, self._inner = dtype, size, inner
        self.matrix = np.zeros((size, size), dtype)
        self.last = 0.0  # the norm of what the last column leaves
        self._generator = default_rng(1)  # for vectors that replace what nothing is left of

    def fill(self, begin: int) -> None:
        """Find the vectors behind the first ones, and the columns of the projected matrix."""
        while begin < self.size:
            begin = self._run(begin)

    def _run(self, begin: int) -> int:
        """Go on to the end, or to where nothing is left of a vector; return where to go on."""
        raise NotImplementedError

    @property
    def is_finite(self) -> bool:
        """Whether the projected matrix has neither NaN nor infinity."""
        return bool(np.isfinite(self.matrix).all())

    def _is_nothing(self, rest: float, scale: float) -> bool:
        """Whether the norm of a vector is rounding, beside those before; so is NaN."""
        return not rest > 10 * np.finfo(self.dtype).eps * scale

    def _orthogonal(self, vectors: Any, w: Any) -> tuple[Any, Any, Any]:
        return orthogonal(vectors, w, self._inner)

    @staticmethod
    def _store(basis: Any, place: int, w: Any, square: Any) -> None:
        """Make a vector, whose square is given, one of a basis."""
        divide(w, sqrt(square.real), out=basis[place])

    def _replace(self, basis: Any, place: int) -> None:
        """Go on with a random vector, which the ones before have no part of."""
        if place >= basis.shape[1]:  # there is no other
            return
        w = random_vector(basis.shape[1], self.dtype, self._generator)
        w, _, _ = self._orthogonal(basis[:place], w)
        w, _, square = self._orthogonal(basis[:place], w)
        self._store(basis, place, w, square)

    def _restart(self, values: np.ndarray, *bases: tuple[Any, np.ndarray]) -> None:
        """Keep approximations: their values, and for each basis their coefficients as rows."""
        keep = len(values)
        for basis, rows in bases:
            basis[:keep] = matmul(asarray(rows), basis[: self.size])
        self.matrix[...] = 0
        self.matrix[range(keep), range(keep)] = values
