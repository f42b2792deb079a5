"""Operators of functions, of matrices, and the identity."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._array import ArrayBase
from gpuarray._ops.dimensions import atleast_2d
from gpuarray._ops.joining import hstack
from gpuarray.scipy.sparse._base import issparse
from gpuarray.scipy.sparse.linalg._operators import LinearOperator, refuse_host_matrix

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike

__all__ = [
    "FunctionOperator",
    "IdentityOperator",
    "MatrixLinearOperator",
    "aslinearoperator",
    "solver_operator",
]

_Products = Callable[[Any], Any]


class FunctionOperator(LinearOperator):
    """An operator of functions."""

    def __init__(
        self,
        shape: tuple[int, int],
        matvec: _Products,
        rmatvec: _Products | None = None,
        matmat: _Products | None = None,
        dtype: DTypeLike | None = None,
        rmatmat: _Products | None = None,
    ):
        super().__init__(dtype, shape)
        self._functions = (matvec, rmatvec, matmat, rmatmat)
        self._init_dtype()

    def _matvec(self, x: Any) -> Any:
        return self._functions[0](x)

    def _rmatvec(self, x: Any) -> Any:
        if self._functions[1] is None:
            raise NotImplementedError("LinearOperator: rmatvec is not defined; pass rmatvec=")
        return self._functions[1](x)

    def _matmat(self, X: Any) -> Any:
        matmat = self._functions[2]
        return super()._matmat(X) if matmat is None else matmat(X)

    def _rmatmat(self, X: Any) -> Any:
        rmatmat = self._functions[3]
        if rmatmat is not None:
            return rmatmat(X)
        return hstack([self.rmatvec(X[:, i : i + 1]) for i in range(X.shape[1])])

    def _adjoint(self) -> LinearOperator:
        matvec, rmatvec, matmat, rmatmat = self._functions
        return FunctionOperator(
            (self.shape[1], self.shape[0]),
            _undefined if rmatvec is None else rmatvec,
            matvec,
            rmatmat,
            self.dtype,
            matmat,
        )


def _undefined(x: Any) -> Any:
    raise NotImplementedError("LinearOperator: rmatvec is not defined; pass rmatvec=")


class MatrixLinearOperator(LinearOperator):
    """A dense or sparse matrix as an operator."""

    def __init__(self, A: Any):
        super().__init__(A.dtype, A.shape)
        self.A = A
        self.args = (A,)
        self._conjugate_transpose: MatrixLinearOperator | None = None

    def _matvec(self, x: Any) -> Any:
        return self.A.dot(x)

    def _matmat(self, X: Any) -> Any:
        return self.A.dot(X)

    def _adjoint(self) -> LinearOperator:
        found = self._conjugate_transpose
        if found is None:
            transposed = self.A.T
            real = np.dtype(self.dtype).kind != "c"
            found = type(self)(transposed if real else transposed.conj())
            self._conjugate_transpose = found
        return found


class _SolverMatrix(MatrixLinearOperator):
    """A sparse matrix for many products, sorted by rows once; its adjoint as well."""

    #: Formats whose products sort nothing.
    _SORTED = ("csr", "dia", "bsr")

    def __init__(self, A: Any):
        super().__init__(A if A.format in self._SORTED else A.tocsr())


class IdentityOperator(LinearOperator):
    """The operator that changes nothing."""

    def __init__(self, shape: tuple[int, int], dtype: Any = None):
        super().__init__(dtype, shape)

    def _matvec(self, x: Any) -> Any:
        return x

    def _rmatvec(self, x: Any) -> Any:
        return x

    def _matmat(self, X: Any) -> Any:
        return X

    def _rmatmat(self, X: Any) -> Any:
        return X

    def _adjoint(self) -> LinearOperator:
        return self


def aslinearoperator(A: Any) -> LinearOperator:
    """Anything that acts like a matrix as a LinearOperator.

    Parameters
    ----------
    A : ndarray, sparse array or matrix, LinearOperator, or object
        An object has the attributes ``shape`` and ``matvec``, and may have ``rmatvec``,
        ``rmatmat`` and ``dtype``.

    Returns
    -------
    LinearOperator
        `A` itself if it is one.

    Raises
    ------
    ValueError
        If an array has more than two dimensions.
    TypeError
        For anything else.

    Differences from SciPy
    ----------------------
    Arrays are device arrays.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.sparse.linalg.aslinearoperator(cp.array([[1, 2, 3], [4, 5, 6]]))
    <2x3 MatrixLinearOperator with dtype=int64>
    """
    if isinstance(A, LinearOperator):
        return A
    if isinstance(A, ArrayBase):
        array: Any = A
        if array.ndim > 2:
            raise ValueError(
                f"aslinearoperator: array must have ndim <= 2; its shape is {array.shape}"
            )
        return MatrixLinearOperator(atleast_2d(array))
    if issparse(A):
        return MatrixLinearOperator(A)
    refuse_host_matrix(A, "aslinearoperator")
    if hasattr(A, "shape") and hasattr(A, "matvec"):
        return FunctionOperator(
            A.shape,
            A.matvec,
            getattr(A, "rmatvec", None),
            None,
            getattr(A, "dtype", None),
            getattr(A, "rmatmat", None),
        )
    raise TypeError(
        f"aslinearoperator: type not understood: {type(A).__name__}; pass a device array, a sparse "
        "array or an object with shape and matvec"
    )


def solver_operator(A: Any) -> LinearOperator:
    """As `aslinearoperator`, for the many products of a solver.

    A sparse matrix in coordinates or compressed by columns would be sorted by rows in each of them.
    Here it is sorted once, so that it must not change as long as the operator is used.
    """
    operator = aslinearoperator(A)
    if type(operator) is MatrixLinearOperator and issparse(operator.A):
        return _SolverMatrix(operator.A)
    return operator
