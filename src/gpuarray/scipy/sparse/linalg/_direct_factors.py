"""LU factors of sparse matrices by a library's direct solver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ffi import cudss
from gpuarray._libraries.sparse_direct import SparseFactors
from gpuarray._ops.conversion import ascontiguousarray
from gpuarray._ops.joining import stack
from gpuarray._ops.math import absolute, cos
from gpuarray._ops.ranges import arange
from gpuarray.errors import CuDSSError
from gpuarray.scipy.sparse.linalg._dense_factors import DenseFactors, Parts
from gpuarray.scipy.sparse.linalg._progress import read
from gpuarray.scipy.sparse.linalg._systems import floating
from gpuarray.scipy.sparse.linalg._triangles import canonical_rows

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = ["DirectFactors", "factorize"]

#: Rows up to which dense factors are made.
_DENSE_ROWS = 1024


class DirectFactors:
    """The LU factors of a matrix by cuDSS.

    Parameters
    ----------
    A : sparse array, shape (N, N)
        The matrix.
    name : str
        The function, for messages.
    dtype : dtype
        What its elements are converted to.

    Attributes
    ----------
    is_exact : bool
        Whether no pivot was replaced, and the equations of a trial solution hold.
    """

    singular = False

    def __init__(self, A: Any, name: str, dtype: np.dtype) -> None:
        self._rows = canonical_rows(A, dtype)
        self._name = name
        self.shape: tuple[int, int] = A.shape
        self.dtype = dtype
        self._factors = _factors_of(self._rows)
        self._turned: SparseFactors | None = None
        self.is_exact = not self._factors.replaced and self._error() < np.finfo(dtype).eps ** 0.5

    @property
    def nnz(self) -> int:
        """The elements of both factors."""
        return self._factors.nnz

    def _error(self) -> float:
        """What is left of trial equations, beside the sizes of what was added up."""
        right = cos(arange(self.shape[0])).astype(self.dtype)
        x = self.solve(right)
        sums = abs(self._rows).sum(axis=1)
        sizes = [absolute(v).max() for v in (right - self._rows @ x, x, right, sums)]
        rest, found, given, norm = (float(size) for size in read(stack(sizes))[0])
        error = rest / (norm * found + given)
        return error if error == error else np.inf

    def solve(self, right: Any, trans: str = "N") -> ndarray:
        """The solutions for right-hand sides of the factors' dtype."""
        columns = right.reshape(1, -1) if right.ndim == 1 else right.T
        if not columns.size:
            return right.copy()
        found = self._solved(ascontiguousarray(columns), trans)
        return found.reshape(-1) if right.ndim == 1 else found.T

    def _solved(self, columns: Any, trans: str) -> Any:
        """The solutions for right-hand sides that are rows."""
        if self._turned is None:
            try:
                return self._factors.solve(columns, trans)
            except CuDSSError as error:
                if trans == "N" or error.status != cudss.UNSUPPORTED:
                    raise
            self._turned = _factors_of(self._rows.T.tocsr())
        if trans == "N":
            return self._factors.solve(columns)
        if trans == "H" and self.dtype.kind == "c":
            return self._turned.solve(columns.conj()).conj()
        return self._turned.solve(columns)

    def parts(self) -> Parts:
        """The factors, which the library does not show: those of a dense factorisation."""
        return DenseFactors(self._rows, self._name, self.dtype).parts()


def factorize(A: Any, name: str, dtype: Any = None) -> DenseFactors | DirectFactors:
    """The factors of a square sparse matrix: dense ones, or by the library's direct solver.

    Dense ones have exchanges of rows for the greatest pivots. They are made for small matrices,
    where there is no library, and where the library had to replace a pivot, or its factors are too
    far from the matrix.

    Raises
    ------
    OutOfMemoryError
        If there is no room for them.
    """
    dtype = floating(A.dtype) if dtype is None else dtype
    if A.shape[0] > _DENSE_ROWS and cudss.available():
        found = DirectFactors(A, name, dtype)
        if found.is_exact:
            return found
    return DenseFactors(A, name, dtype)


def _factors_of(rows: Any) -> SparseFactors:
    return SparseFactors(rows.indptr, rows.indices, rows.data)
