"""Operators that are made of others: sums, products, powers, adjoints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray._ops.math import conj
from gpuarray.scipy.sparse.linalg._operators import LinearOperator, is_length

__all__ = ["Adjoint", "Power", "Product", "Scaled", "Sum", "Transpose"]

_Products = Callable[[Any], Any]


class Adjoint(LinearOperator):
    """The conjugate transpose of an operator."""

    def __init__(self, A: LinearOperator):
        super().__init__(A.dtype, A.shape[::-1])
        self.args = (A,)

    def _matvec(self, x: Any) -> Any:
        return self.args[0]._rmatvec(x)

    def _rmatvec(self, x: Any) -> Any:
        return self.args[0]._matvec(x)

    def _matmat(self, X: Any) -> Any:
        return self.args[0]._rmatmat(X)

    def _rmatmat(self, X: Any) -> Any:
        return self.args[0]._matmat(X)


class Transpose(LinearOperator):
    """The transpose of an operator."""

    def __init__(self, A: LinearOperator):
        super().__init__(A.dtype, A.shape[::-1])
        self.args = (A,)

    def _matvec(self, x: Any) -> Any:
        return conj(self.args[0]._rmatvec(conj(x)))

    def _rmatvec(self, x: Any) -> Any:
        return conj(self.args[0]._matvec(conj(x)))

    def _matmat(self, X: Any) -> Any:
        return conj(self.args[0]._rmatmat(conj(X)))

    def _rmatmat(self, X: Any) -> Any:
        return conj(self.args[0]._matmat(conj(X)))


def _common(*operators: LinearOperator) -> Any:
    dtypes = [x.dtype for x in operators if x.dtype is not None]
    return np.result_type(*dtypes) if dtypes else None


def _check_operators(*operators: Any) -> None:
    for x in operators:
        if not isinstance(x, LinearOperator):
            raise ValueError(f"LinearOperator: both operands have to be one, not {x!r}")


class Sum(LinearOperator):
    """The sum of two operators."""

    def __init__(self, A: Any, B: Any):
        _check_operators(A, B)
        if A.shape != B.shape:
            raise ValueError(f"LinearOperator: cannot add {A} and {B}: shape mismatch")
        super().__init__(_common(A, B), A.shape)
        self.args = (A, B)

    def _matvec(self, x: Any) -> Any:
        return self.args[0].matvec(x) + self.args[1].matvec(x)

    def _rmatvec(self, x: Any) -> Any:
        return self.args[0].rmatvec(x) + self.args[1].rmatvec(x)

    def _matmat(self, X: Any) -> Any:
        return self.args[0].matmat(X) + self.args[1].matmat(X)

    def _rmatmat(self, X: Any) -> Any:
        return self.args[0].rmatmat(X) + self.args[1].rmatmat(X)

    def _adjoint(self) -> LinearOperator:
        return Sum(self.args[0].H, self.args[1].H)


class Product(LinearOperator):
    """The product of two operators."""

    def __init__(self, A: Any, B: Any):
        _check_operators(A, B)
        if A.shape[1] != B.shape[0]:
            raise ValueError(f"LinearOperator: cannot multiply {A} and {B}: shape mismatch")
        super().__init__(_common(A, B), (A.shape[0], B.shape[1]))
        self.args = (A, B)

    def _matvec(self, x: Any) -> Any:
        return self.args[0].matvec(self.args[1].matvec(x))

    def _rmatvec(self, x: Any) -> Any:
        return self.args[1].rmatvec(self.args[0].rmatvec(x))

    def _matmat(self, X: Any) -> Any:
        return self.args[0].matmat(self.args[1].matmat(X))

    def _rmatmat(self, X: Any) -> Any:
        return self.args[1].rmatmat(self.args[0].rmatmat(X))

    def _adjoint(self) -> LinearOperator:
        return Product(self.args[1].H, self.args[0].H)


class Scaled(LinearOperator):
    """The product of an operator and a number."""

    def __init__(self, A: LinearOperator, alpha: Any):
        if isinstance(A, Scaled):
            A, alpha = A.args[0], alpha * A.args[1]
        dtypes = [type(alpha)] if A.dtype is None else [A.dtype, type(alpha)]
        super().__init__(np.result_type(*dtypes), A.shape)
        self.args = (A, alpha)

    def _matvec(self, x: Any) -> Any:
        return self.args[1] * self.args[0].matvec(x)

    def _rmatvec(self, x: Any) -> Any:
        return np.conj(self.args[1]) * self.args[0].rmatvec(x)

    def _matmat(self, X: Any) -> Any:
        return self.args[1] * self.args[0].matmat(X)

    def _rmatmat(self, X: Any) -> Any:
        return np.conj(self.args[1]) * self.args[0].rmatmat(X)

    def _adjoint(self) -> LinearOperator:
        return Scaled(self.args[0].H, np.conj(self.args[1]))


class Power(LinearOperator):
    """A power of an operator."""

    def __init__(self, A: LinearOperator, p: Any):
        if A.shape[0] != A.shape[1]:
            raise ValueError(f"LinearOperator: square LinearOperator expected, got {A!r}")
        if not is_length(p):
            raise ValueError(f"LinearOperator: non-negative integer expected as p, got {p!r}")
        super().__init__(A.dtype, A.shape)
        self.args = (A, int(p))

    def _repeated(self, product: _Products, x: Any) -> Any:
        x = x.copy()
        for _ in range(self.args[1]):
            x = product(x)
        return x

    def _matvec(self, x: Any) -> Any:
        return self._repeated(self.args[0].matvec, x)

    def _rmatvec(self, x: Any) -> Any:
        return self._repeated(self.args[0].rmatvec, x)

    def _matmat(self, X: Any) -> Any:
        return self._repeated(self.args[0].matmat, X)

    def _rmatmat(self, X: Any) -> Any:
        return self._repeated(self.args[0].rmatmat, X)

    def _adjoint(self) -> LinearOperator:
        return Power(self.args[0].H, self.args[1])
