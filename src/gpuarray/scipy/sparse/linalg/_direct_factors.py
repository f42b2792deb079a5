"""LU or QR factors of sparse matrices by a library's direct solver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ffi import cudss
from gpuarray._libraries.sparse_direct import SparseFactors
from gpuarray._libraries.sparse_qr import SparseQR, nested_dissection
from gpuarray._ops.conversion import array, ascontiguousarray
from gpuarray._ops.creation_like import empty_like
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.joining import stack
from gpuarray._ops.logic import isnan
from gpuarray._ops.math import absolute, cos
from gpuarray._ops.ranges import arange
from gpuarray.errors import CuDSSError, OutOfMemoryError
from gpuarray.scipy.sparse._csr import csr_array
from gpuarray.scipy.sparse.linalg._dense_factors import DenseFactors, Parts, room_for, with_remedy
from gpuarray.scipy.sparse.linalg._progress import read
from gpuarray.scipy.sparse.linalg._systems import least_floating
from gpuarray.scipy.sparse.linalg._triangles import canonical_rows

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = ["DirectFactors", "factorize"]

#: Rows up to which dense factors are made where there is cuDSS (estimated), and where there is
#: none. Those of 22,500 rows of a Laplacian take 258 ms on an H200 and QR factors 906, but dense
#: ones need 4 to 16 bytes for each pair of rows.
_DENSE_ROWS, _DENSE_WITHOUT = 1024, 20000

#: Steps by which a solution of cuDSS is refined.
_REFINEMENTS = 1


class OrderedQR:
    """QR factors by cuSOLVER of a matrix whose rows and columns have another order.

    Parameters
    ----------
    rows : sparse array in csr
        The matrix. Its places are copied to the host, which finds the order.
    """

    def __init__(self, rows: Any) -> None:
        places = (asnumpy(x).astype(np.int32, copy=False) for x in (rows.indptr, rows.indices))
        self._order = array(nested_dissection(*places).astype(np.int64))
        position = empty_like(self._order)
        position[self._order] = arange(rows.shape[0])
        entries = rows.tocoo()
        coordinates = (position[entries.row], position[entries.col])
        found: Any = csr_array((entries.data, coordinates), shape=rows.shape)
        indptr, indices = (x.astype(np.int32, copy=False) for x in (found.indptr, found.indices))
        self._factors = SparseQR(indptr, indices, found.data)
        self.replaced = int(self._factors.failed)
        self.nnz = self._factors.nnz

    def solve(self, right: Any) -> Any:
        """The solutions for right-hand sides that are rows."""
        found = empty_like(right)
        found[:, self._order] = self._factors.solve(right[:, self._order])
        return found


class DirectFactors:
    """The factors of a matrix by cuDSS, or by cuSOLVER.

    Parameters
    ----------
    A : sparse array, shape (N, N)
        The matrix.
    name : str
        The function, for messages.
    dtype : dtype
        What its elements are converted to.
    kind : type
        `SparseFactors` or `OrderedQR`.

    Attributes
    ----------
    singular : bool
        Whether a pivot is zero, where the library exchanges what it has to, or an element NaN.
    is_exact : bool
        Whether no pivot was replaced, and the equations of a trial solution hold.
    """

    def __init__(
        self, A: Any, name: str, dtype: np.dtype, kind: type[SparseFactors] | type[OrderedQR]
    ) -> None:
        self._rows = canonical_rows(A, dtype)
        self._name = name
        self._kind = kind
        self.shape: tuple[int, int] = A.shape
        self.dtype = dtype
        self._factors = self._factors_of(self._rows)
        self._turned: SparseFactors | OrderedQR | None = None
        self._matrices = {"N": self._rows}
        replaced = bool(self._factors.replaced)
        self.singular = kind is OrderedQR and (replaced or bool(isnan(self._rows.data).any()))
        self.is_exact = not replaced and self._error() < np.finfo(dtype).eps ** 0.5

    def _factors_of(self, rows: Any) -> SparseFactors | OrderedQR:
        if self._kind is OrderedQR:
            return OrderedQR(rows)
        return SparseFactors(rows.indptr, rows.indices, rows.data)

    @property
    def nnz(self) -> int:
        """The elements of the factors."""
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
            copy: ndarray = right.copy()
            return copy
        found: ndarray = self._solved(ascontiguousarray(columns), trans)
        return found.reshape(-1) if right.ndim == 1 else found.T

    def _solved(self, columns: Any, trans: str) -> Any:
        """The solutions for right-hand sides that are rows."""
        found = self._solved_once(columns, trans)
        if self._kind is OrderedQR:
            return found
        matrix = self._matrix(trans)
        for _ in range(_REFINEMENTS):
            product = (matrix @ found[0])[None] if len(found) == 1 else (matrix @ found.T).T
            found = found + self._solved_once(ascontiguousarray(columns - product), trans)
        return found

    def _matrix(self, trans: str) -> Any:
        """The matrix as it is, transposed, or also conjugated."""
        if trans not in self._matrices:
            turned = self._rows.T.tocsr()
            self._matrices[trans] = turned.conj() if trans == "H" else turned
        return self._matrices[trans]

    def _solved_once(self, columns: Any, trans: str) -> Any:
        if trans == "N":
            return self._factors.solve(columns)
        if self._turned is None and isinstance(self._factors, SparseFactors):
            try:
                return self._factors.solve(columns, trans)
            except CuDSSError as error:
                if error.status not in cudss.UNSUPPORTED:
                    raise
        turned = self._turned
        if turned is None:
            turned = self._turned = self._factors_of(self._matrix("T"))
        if trans == "H" and self.dtype.kind == "c":
            return turned.solve(columns.conj()).conj()
        return turned.solve(columns)

    def parts(self) -> Parts:
        """The factors, which the library does not show: those of a dense factorisation."""
        return DenseFactors(self._rows, self._name, self.dtype).parts()


def factorize(A: Any, name: str, dtype: Any = None) -> DenseFactors | DirectFactors:
    """The factors of a square sparse matrix: dense ones, or by a library's direct solver.

    Dense ones have exchanges of rows for the greatest pivots. They are made of small matrices, and
    where cuDSS had to replace a pivot, or its factors are too far from the matrix. Where dense
    ones are too large, or have no room, they are by cuSOLVER.

    Raises
    ------
    OutOfMemoryError
        If there is no room for any.
    """
    dtype = least_floating(A.dtype) if dtype is None else np.dtype(dtype)
    rows, with_library = A.shape[0], cudss.available()
    try:
        if rows > _DENSE_ROWS and with_library:
            found = DirectFactors(A, name, dtype, SparseFactors)
            if found.is_exact:
                return found
        if rows > _DENSE_WITHOUT and not (with_library and room_for(rows, dtype)):
            return DirectFactors(A, name, dtype, OrderedQR)
    except OutOfMemoryError as error:
        raise with_remedy(error, name, A.shape) from None
    return DenseFactors(A, name, dtype)
