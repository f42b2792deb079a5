"""Linear operators: what is known of a matrix by its products with vectors."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np

from gpuarray import _dtypes
from gpuarray._array import ArrayBase
from gpuarray._ops.creation import zeros
from gpuarray._ops.joining import hstack
from gpuarray._ops.manipulation import as_array
from gpuarray.scipy.sparse._base import issparse

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, ndarray

__all__ = [
    "LinearOperator",
    "is_length",
    "is_number",
    "refuse_host_matrix",
]

_Products = Callable[[Any], Any]


def refuse_host_matrix(A: Any, name: str) -> None:
    """Raise TypeError for another library's sparse matrix: a copy to the device is to be seen."""
    if not issparse(A) and hasattr(A, "tocsr") and hasattr(A, "nnz"):
        raise TypeError(
            f"{name}: a sparse matrix of {type(A).__module__.partition('.')[0]}; "
            "gpuarray.scipy.sparse.csr_array(A) copies it to the device"
        )


def is_number(x: Any) -> bool:
    """Whether an operand of an operator is a scalar."""
    return isinstance(x, (bool, int, float, complex, np.generic))


def _operand(x: Any, name: str) -> Any:
    return x if isinstance(x, ArrayBase) or issparse(x) else as_array(x, name)


class LinearOperator:
    """A matrix that is known by its products with vectors.

    Made from functions, or a subclass that has at least one of ``_matvec`` and ``_matmat``.

    Parameters
    ----------
    shape : tuple of int
        (M, N).
    matvec : callable
        Takes an array of shape (N,) or (N, 1); returns the product, of M elements.
    rmatvec : callable, optional
        The product with the conjugate transpose: M elements to N.
    matmat : callable, optional
        The product with a matrix of shape (N, K).
    dtype : dtype, optional
        Of the matrix. By default that of the product with zeros of int8.
    rmatmat : callable, optional
        The product of the conjugate transpose with a matrix of shape (M, K).

    Attributes
    ----------
    shape : tuple of int
        (M, N).
    dtype : numpy.dtype
        Of the matrix.
    ndim : int
        2.
    args : tuple
        What a sum, a product, or another operator of operators is made of.

    Raises
    ------
    ValueError
        If the shape is not that of a matrix.

    Differences from SciPy
    ----------------------
    Vectors and matrices are device arrays.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy.sparse.linalg import LinearOperator
    >>> double = LinearOperator((2, 2), matvec=lambda x: 2 * x)
    >>> double @ cp.ones(2)
    array([2., 2.])
    >>> (double + double).matvec(cp.ones(2))
    array([4., 4.])
    >>> from gpuarray.scipy.sparse.linalg import aslinearoperator
    >>> a = aslinearoperator(cp.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> x = cp.ones(2)
    >>> a.dot(x), a.rmatvec(x), a.transpose().matvec(x), a.adjoint().matvec(x)
    (array([3., 7.]), array([4., 6.]), array([4., 6.]), array([4., 6.]))
    >>> a.matmat(cp.ones((2, 1))).shape, a.rmatmat(cp.ones((2, 1))).shape
    ((2, 1), (2, 1))
    """

    ndim = 2
    # Arrays leave their products with an operator to it.
    __array_ufunc__ = None
    __array_priority__ = 1000

    args: tuple[Any, ...]
    _shape: tuple[int, int]
    _dtype: np.dtype | None = None

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """An operator of functions, or an object of a subclass."""
        if cls is LinearOperator:
            return super().__new__(_kinds().FunctionOperator)  # type: ignore[return-value]
        made = super().__new__(cls)
        if cls._matvec is LinearOperator._matvec and cls._matmat is LinearOperator._matmat:
            warnings.warn(
                f"{cls.__name__}: a LinearOperator subclass should implement at least one of "
                "_matvec and _matmat.",
                RuntimeWarning,
                stacklevel=2,
            )
        return made

    @overload
    def __init__(self, dtype: Any, shape: Any) -> None: ...

    @overload
    def __init__(
        self,
        shape: Any,
        matvec: _Products,
        rmatvec: _Products | None = None,
        matmat: _Products | None = None,
        dtype: DTypeLike | None = None,
        rmatmat: _Products | None = None,
    ) -> None: ...

    def __init__(self, dtype: Any, shape: Any) -> None:  # type: ignore[misc]
        shape = tuple(shape)
        if len(shape) != 2 or not all(is_length(x) for x in shape):
            raise ValueError(f"LinearOperator: invalid shape {shape!r} (must be 2-d)")
        self._dtype = None if dtype is None else _dtypes.parsed(dtype)
        self._shape = (int(shape[0]), int(shape[1]))
        self.args = ()

    @property
    def shape(self) -> tuple[int, int]:
        """(M, N)."""
        return self._shape

    @shape.setter
    def shape(self, shape: tuple[int, int]) -> None:
        self._shape = shape

    @property
    def dtype(self) -> Any:
        """Of the matrix: a `numpy.dtype`, or None where nobody has said it."""
        return self._dtype

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        self._dtype = dtype

    def _init_dtype(self) -> None:
        """Find the dtype from a product, if it was not given."""
        if self.dtype is None:
            try:
                self.dtype = self.matvec(zeros(self.shape[1], np.int8)).dtype
            except OverflowError:  # a number of the function's does not fit int8
                self.dtype = np.dtype(int)

    # What subclasses define, each by default in terms of another.

    def _matvec(self, x: Any) -> Any:
        return self.matmat(x.reshape(-1, 1))

    def _matmat(self, X: Any) -> Any:
        return hstack([self.matvec(X[:, i : i + 1]) for i in range(X.shape[1])])

    def _rmatvec(self, x: Any) -> Any:
        cls = type(self)
        if cls._adjoint is not LinearOperator._adjoint:
            return self.H.matvec(x)
        if cls._rmatmat is not LinearOperator._rmatmat:
            return self._rmatmat(x.reshape(-1, 1)).reshape(-1)
        raise NotImplementedError(
            f"{cls.__name__}: no product with the adjoint is known; define _rmatvec or _adjoint"
        )

    def _rmatmat(self, X: Any) -> Any:
        if type(self)._adjoint is not LinearOperator._adjoint:
            return self.H.matmat(X)
        return hstack([self.rmatvec(X[:, i : i + 1]) for i in range(X.shape[1])])

    def _adjoint(self) -> LinearOperator:
        return _algebra().Adjoint(self)

    def _transpose(self) -> LinearOperator:
        return _algebra().Transpose(self)

    # Products.

    def matvec(self, x: ArrayLike) -> ndarray:
        """The product with a vector.

        Parameters
        ----------
        x : ndarray, shape (N,) or (N, 1)
            The vector.

        Returns
        -------
        ndarray, shape (M,) or (M, 1)
            The product.

        Raises
        ------
        ValueError
            If the shapes do not fit together.
        """
        return self._vector_product(x, "matvec", self._matvec, *self.shape)

    def rmatvec(self, x: ArrayLike) -> ndarray:
        """The product of the conjugate transpose with a vector.

        Parameters
        ----------
        x : ndarray, shape (M,) or (M, 1)
            The vector.

        Returns
        -------
        ndarray, shape (N,) or (N, 1)
            The product.

        Raises
        ------
        ValueError
            If the shapes do not fit together.
        NotImplementedError
            If the operator does not know its conjugate transpose.
        """
        return self._vector_product(x, "rmatvec", self._rmatvec, *self.shape[::-1])

    def _vector_product(
        self, x: Any, name: str, product: _Products, rows: int, columns: int
    ) -> Any:
        x = as_array(x, name)
        if x.shape != (columns,) and x.shape != (columns, 1):
            raise ValueError(
                f"{name}: dimension mismatch: an operator of shape {self.shape} and a vector of "
                f"shape {x.shape}"
            )
        y = as_array(product(x), name)
        shape = (rows,) if x.ndim == 1 else (rows, 1)
        return y if y.shape == shape else y.reshape(shape)

    def matmat(self, X: ArrayLike) -> ndarray:
        """The product with a matrix.

        Parameters
        ----------
        X : ndarray, shape (N, K)
            The matrix.

        Returns
        -------
        ndarray, shape (M, K)
            The product.

        Raises
        ------
        ValueError
            If the shapes do not fit together.
        """
        return self._matrix_product(X, "matmat", self._matmat, self.shape[1])

    def rmatmat(self, X: ArrayLike) -> ndarray:
        """The product of the conjugate transpose with a matrix.

        Parameters
        ----------
        X : ndarray, shape (M, K)
            The matrix.

        Returns
        -------
        ndarray, shape (N, K)
            The product.

        Raises
        ------
        ValueError
            If the shapes do not fit together.
        """
        return self._matrix_product(X, "rmatmat", self._rmatmat, self.shape[0])

    def _matrix_product(self, X: Any, name: str, product: _Products, length: int) -> Any:
        X = _operand(X, name)
        if X.ndim != 2:
            raise ValueError(f"{name}: expected a 2-d array, not {X.ndim}-d")
        if X.shape[0] != length:
            raise ValueError(f"{name}: dimension mismatch: {self.shape}, {X.shape}")
        try:
            return product(X)
        except Exception as error:
            if issparse(X):
                raise TypeError(
                    f"{name}: Unable to multiply a LinearOperator with a sparse matrix. Wrap the "
                    "matrix in aslinearoperator first."
                ) from error
            raise

    def dot(self, x: Any) -> Any:
        """The product with a vector, a matrix, a number or another operator.

        Parameters
        ----------
        x : ndarray, number or LinearOperator
            What the operator is multiplied by.

        Returns
        -------
        ndarray or LinearOperator
            Of a vector or matrix their product; else an operator.

        Raises
        ------
        ValueError
            If the shapes do not fit together.
        """
        if isinstance(x, LinearOperator):
            return _algebra().Product(self, x)
        if is_number(x):
            return _algebra().Scaled(self, x)
        x = _operand(x, "dot")
        if x.ndim == 1 or (x.ndim == 2 and x.shape[1] == 1):
            return self.matvec(x)
        if x.ndim == 2:
            return self.matmat(x)
        raise ValueError(f"dot: expected a 1-d or 2-d array, got one of shape {x.shape}")

    def _rdot(self, x: Any) -> Any:
        """The product with what stands on the left."""
        if isinstance(x, LinearOperator):
            return _algebra().Product(x, self)
        if is_number(x):
            return _algebra().Scaled(self, x)
        x = _operand(x, "dot")
        if x.ndim == 1 or (x.ndim == 2 and x.shape[0] == 1):
            return self.T.matvec(x.T).T
        if x.ndim == 2:
            return self.T.matmat(x.T).T
        raise ValueError(f"dot: expected a 1-d or 2-d array, got one of shape {x.shape}")

    def adjoint(self) -> LinearOperator:
        """The conjugate transpose, also called `H`.

        Returns
        -------
        LinearOperator
            Of shape (N, M).
        """
        return self._adjoint()

    def transpose(self) -> LinearOperator:
        """The transpose, also called `T`.

        Returns
        -------
        LinearOperator
            Of shape (N, M).
        """
        return self._transpose()

    @property
    def H(self) -> LinearOperator:
        """The conjugate transpose."""
        return self._adjoint()

    @property
    def T(self) -> LinearOperator:
        """The transpose."""
        return self._transpose()

    def __call__(self, x: Any) -> Any:
        """The product with something, as by ``@``."""
        return self @ x

    def __mul__(self, x: Any) -> Any:
        return self.dot(x)

    def __rmul__(self, x: Any) -> Any:
        return _algebra().Scaled(self, x) if is_number(x) else self._rdot(x)

    def __matmul__(self, other: Any) -> Any:
        _check_no_number(other)
        return self.dot(other)

    def __rmatmul__(self, other: Any) -> Any:
        _check_no_number(other)
        return self._rdot(other)

    def __truediv__(self, other: Any) -> Any:
        if not is_number(other):
            raise ValueError(
                f"LinearOperator: can only divide a linear operator by a scalar, not by {other!r}"
            )
        return _algebra().Scaled(self, 1.0 / other)

    def __pow__(self, p: Any) -> Any:
        return _algebra().Power(self, p) if is_number(p) else NotImplemented

    def __add__(self, x: Any) -> Any:
        return _algebra().Sum(self, x) if isinstance(x, LinearOperator) else NotImplemented

    def __neg__(self) -> Any:
        return _algebra().Scaled(self, -1)

    def __sub__(self, x: Any) -> Any:
        return self.__add__(-x)

    def __repr__(self) -> str:
        dtype = "unspecified dtype" if self.dtype is None else f"dtype={self.dtype}"
        return f"<{self.shape[0]}x{self.shape[1]} {type(self).__name__} with {dtype}>"


def is_length(x: Any) -> bool:
    """Whether a number counts rows or columns."""
    try:
        return int(x) == x and int(x) >= 0
    except (TypeError, ValueError):
        return False


def _algebra() -> ModuleType:
    """The operators that are made of others; not at import, since they need this module."""
    from gpuarray.scipy.sparse.linalg import _operator_algebra

    return _operator_algebra


def _kinds() -> Any:
    """The operators of functions and matrices; not at import, since they need this module."""
    from gpuarray.scipy.sparse.linalg import _matrix_operators

    return _matrix_operators


def _check_no_number(x: Any) -> None:
    if is_number(x):
        raise ValueError("LinearOperator: scalar operands are not allowed, use '*' instead")
