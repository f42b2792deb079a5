"""Matrix products of sparse arrays as operators and methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _interchange
from gpuarray._array import ArrayBase
from gpuarray._ops.creation import ones, zeros
from gpuarray._ops.manipulation import reshape
from gpuarray._ops.ranges import arange
from gpuarray.errors import HostArrayError
from gpuarray.scipy.sparse import _products, _tensor_products
from gpuarray.scipy.sparse._matrix_products import sparse_product

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray
    from gpuarray.scipy.sparse._base import SparseBase, sparray
    from gpuarray.scipy.sparse._matrix import spmatrix

__all__ = ["MatrixProducts", "Products", "matrix_power"]

_PREFIX = "matmul: dimension mismatch with signature"


class Products:
    """The products of all sparse arrays."""

    def __matmul__(self, other: Any) -> SparseBase | ndarray:
        """The matrix product with a sparse array, a vector or a dense matrix."""
        _refuse_scalar(other)
        found: SparseBase | ndarray = product(self, other)
        return found

    def __rmatmul__(self, other: ArrayLike) -> ndarray:
        """The matrix product of a vector or a dense matrix with the sparse array."""
        _refuse_scalar(other)
        found: ndarray = reflected_product(self, other)
        return found

    def dot(self, other: Any) -> SparseBase | ndarray:
        """The matrix product, ``self @ other``; with a number that multiple.

        Parameters
        ----------
        other : sparse array, array_like or number
            The right operand: a sparse array of shape (n, k) or (n,), a vector of shape (n,), or a
            dense matrix of shape (n, k) with any strides.

        Returns
        -------
        sparse array or ndarray
            Sparse if the operand is, in the format of this array (csc, bsr, of two of diagonals
            dia), else csr: sorted, without duplicates and without zeros. Else a dense array,
            C-contiguous, of the dtype that both operands have in common.

        Raises
        ------
        ValueError
            If the shapes do not fit.
        HostArrayError
            If the operand is in host memory.

        Notes
        -----
        Results are the same bits each time. The formats csr, dia and bsr are multiplied as they
        are, others are sorted by rows first: for several products, use ``tocsr()`` once. Products
        of two sparse arrays wait for the device, to know how many elements there are.

        Differences from SciPy
        ----------------------
        Indices of a sparse result are sorted. Diagonals and blocks of a result that are all zero
        are not stored.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_array(cp.array([[1, 2, 0], [0, 0, 3], [4, 0, 5]]))
        >>> a.dot(cp.array([1, 0, -1]))
        array([ 1, -3, -1])
        """
        found: SparseBase | ndarray = _multiple(self, other) if _is_scalar(other) else self @ other
        return found


class MatrixProducts:
    """The operators that are products of matrices, but element-wise ones of arrays."""

    def __mul__(self, other: Any) -> Any:
        """The matrix product; with a number that multiple."""
        return _multiple(self, other) if _is_scalar(other) else product(self, other)

    def __rmul__(self, other: Any) -> Any:
        """The matrix product with the matrix on the right; with a number that multiple."""
        return _multiple(self, other) if _is_scalar(other) else reflected_product(self, other)

    def __pow__(self, power: int) -> Any:
        """The matrix to a power; see `matrix_power`."""
        return matrix_power(self, power)


def matrix_power(A: Any, power: int) -> sparray | spmatrix:
    """A square sparse array multiplied with itself.

    Parameters
    ----------
    A : sparse array, shape (n, n)
        The array.
    power : int
        How many factors there are; with 0 the result is the identity.

    Returns
    -------
    sparse array, shape (n, n)

    Raises
    ------
    TypeError
        If it is not square.
    ValueError
        If the power is negative or no integer.

    Notes
    -----
    About 2 log2(power) products at most.

    Differences from SciPy
    ----------------------
    The identity has the array's format; SciPy's is an array of diagonals.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> a = sparse.csr_matrix(cp.array([[0, 1], [2, 0]]))
    >>> (a**3).toarray()
    array([[0, 2],
           [4, 0]])
    """
    if not hasattr(A, "tocsr"):
        raise TypeError(f"matrix_power: A is no sparse array but {type(A).__name__}")
    if A.shape != A.shape[::-1] or len(A.shape) != 2:
        raise TypeError(f"sparse matrix is not square, but of shape {A.shape}")
    try:
        exponent: int | None = int(power)
    except (TypeError, ValueError, OverflowError):
        exponent = None
    if exponent is None or exponent != power:
        raise ValueError(f"exponent must be an integer, not {power!r}")
    if exponent < 0:
        raise ValueError(f"exponent must be >= 0, not {exponent}")
    found: sparray | spmatrix
    if exponent == 0:
        found = _identity(A)
    elif exponent == 1:
        found = A.copy()
    else:
        half = matrix_power(A, exponent // 2)
        found = half @ half
        found = A @ found if exponent % 2 else found
    return found


def _identity(a: Any) -> Any:
    size, index = a.shape[0], np.dtype(np.int64 if a.shape[0] >= 1 << 31 else np.int32)
    data, indices = ones(size, a.dtype), arange(size, dtype=index)
    made = a._class_of("csr")._from_parts(
        data, indices, arange(size + 1, dtype=index), a.shape, sorted=True, canonical=True
    )
    return made.asformat(a.format)


# ---- operands ------------------------------------------------------------------------------------


def _is_scalar(x: Any) -> bool:
    if isinstance(x, ArrayBase):
        return x._layout.ndim == 0
    return bool(np.isscalar(x)) or (isinstance(x, np.ndarray) and x.ndim == 0)


def _refuse_scalar(x: Any) -> None:
    if _is_scalar(x):
        raise ValueError(f"Scalar operands are not allowed, use '*' instead of '@' for {x!r}")


def _multiple(a: Any, number: Any) -> Any:
    return a._with_data(a.data * number)


def _is_sparse(x: Any) -> bool:
    return hasattr(type(x), "_class_of")


def _dense_operand(a: Any, x: Any) -> Any:
    """A dense operand as an array on the device; None of an object that is no operand."""
    if isinstance(x, ArrayBase):
        return x
    if hasattr(x, "tocsr") and hasattr(x, "nnz"):
        raise HostArrayError(
            f"matmul: one operand is a {type(x).__module__}.{type(x).__name__} of shape {x.shape}, "
            "another a sparse array in device memory; make it one with "
            "gpuarray.scipy.sparse.csr_array(...)"
        )
    known = isinstance(x, np.ndarray | list | tuple | range)
    if not known and not hasattr(x, "__cuda_array_interface__"):
        return None
    return _interchange.as_operand(x, "matmul", (a.data,))


# ---- products ------------------------------------------------------------------------------------


def _takes_many(a: Any) -> bool:
    """Whether an operand of more than two dimensions can be beside an array."""
    return a.format == "coo" and not isinstance(a, MatrixProducts)


def product(a: Any, other: Any) -> Any:
    """The matrix product with an operand that is no number, or NotImplemented."""
    inner = a.shape[-1]
    if _is_sparse(other):
        if a.ndim > 2 or (other.ndim > 2 and _takes_many(a)):
            return _tensor_products.matmul(a, other, True)
        if other.shape[0] != inner:
            columns = "" if other.ndim == 1 else ",m"
            raise ValueError(f"{_PREFIX} (n,k={inner}),(k={other.shape[0]}{columns})->(n,m)")
        return _sparse(a, other)
    x = _dense_operand(a, other)
    if x is None:
        return NotImplemented
    shape = x._layout.shape
    if a.ndim > 2 or (len(shape) > 2 and _takes_many(a)):
        return _tensor_products.matmul(a, x, False)
    if len(shape) not in (1, 2):
        raise ValueError(
            f"could not interpret dimensions: an operand of shape {shape} is neither a vector nor "
            "a matrix"
        )
    if shape[0] != inner:
        end = "1?)->(n,1?)" if shape[1:] in ((), (1,)) else "m)->(n,m)"
        raise ValueError(f"{_PREFIX} (n,k={inner}),(k={shape[0]},{end}")
    if shape[1:] == (1,):
        vector = reshape(x, inner)
        return reshape(_DENSE[a.format](a, vector), (*a.shape[:-1], 1))
    found = _DENSE[a.format](a, x)
    if a.ndim == 1:
        return reshape(found, shape[1:])
    row = a.shape[0] == 1 and len(shape) == 1
    if row and a.format == "coo" and not isinstance(a, MatrixProducts):
        return reshape(found, ())  # as SciPy's
    return found


def reflected_product(a: Any, other: Any) -> Any:
    """The product ``other @ a`` with a dense operand, or NotImplemented."""
    if _is_sparse(other):
        return product(other, a)
    x = _dense_operand(a, other)
    if x is None:
        return NotImplemented
    if a.ndim > 2 or (x._layout.ndim > 2 and _takes_many(a)):
        return _tensor_products.reflected_matmul(a, x)
    found = product(a.transpose(), x.transpose())
    return found.transpose()


def _compressed_rows(a: Any, x: Any) -> Any:
    return (_products.matvec if x._layout.ndim == 1 else _products.matmat)(a, x)


def _compressed_columns(a: Any, x: Any) -> Any:
    make = _products.transposed_matvec if x._layout.ndim == 1 else _products.transposed_matmat
    return make(_Transposed(a), x)


def _coordinates(a: Any, x: Any) -> Any:
    if a.ndim == 1:
        return _compressed_rows(a.tocsr(), x)
    return _products.coo_matmat(a, x)


class _Transposed:
    """A matrix in csc as its transpose in csr, and the other way round."""

    __slots__ = ("data", "indices", "indptr", "shape")

    def __init__(self, a: Any):
        self.data, self.indices, self.indptr, self.shape = (
            a.data,
            a.indices,
            a.indptr,
            a.shape[::-1],
        )


#: How formats are multiplied with vectors and dense matrices.
_DENSE = {
    "csr": _compressed_rows,
    "csc": _compressed_columns,
    "coo": _coordinates,
    "dia": _products.dia_matmat,
    "bsr": _products.bsr_matmat,
}


def _sparse(a: Any, b: Any) -> Any:
    """The product of two sparse arrays whose shapes fit."""
    if b.ndim > 2:
        raise ValueError(f"matmul: the format {a.format} has no product with shape {b.shape}")
    if a.format == "csc" and b.ndim == 2:
        other = b.tocsc()
        indptr, indices, data = sparse_product(_Transposed(other), _Transposed(a))
        return a._from_parts(
            data, indices, indptr, (a.shape[0], b.shape[1]), sorted=True, canonical=True
        )
    left, right = a.tocsr(), _as_rows(b)
    rows, columns = left._shape_2d[0], right.shape[1]
    indptr, indices, data = sparse_product(_Rows(left, (rows, a.shape[-1])), right)
    shape = (*a.shape[:-1], *b.shape[1:])
    if not shape:
        return reshape(data, ()) if data.size else zeros((), data.dtype)
    made = left._from_parts(data, indices, indptr, (rows, columns), sorted=True, canonical=True)
    if shape != (rows, columns):
        return made.tocoo().reshape(shape)  # as SciPy: what loses a dimension is in coordinates
    if a.format == "bsr" and 0 not in shape:
        width = b.blocksize[1] if b.format == "bsr" else 1
        return made.tobsr(blocksize=(a.blocksize[0], width))
    return made.todia() if a.format == b.format == "dia" else made


class _Rows:
    """A compressed matrix under another shape."""

    __slots__ = ("data", "indices", "indptr", "shape")

    def __init__(self, a: Any, shape: tuple[int, int]):
        self.data, self.indices, self.indptr, self.shape = a.data, a.indices, a.indptr, shape


def _as_rows(b: Any) -> Any:
    """An operand on the right in csr; a vector is a column."""
    if b.ndim == 2:
        return b.tocsr()
    return b.reshape((b.shape[0], 1)).tocsr()
