"""Element-wise operators and methods of sparse arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._array import ArrayBase
from gpuarray._ops.dimensions import broadcast_to
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.joining import concatenate
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import divide, negative
from gpuarray.scipy.sparse import _comparing, _merging, _multiplying

if TYPE_CHECKING:
    from gpuarray._types import ndarray
    from gpuarray.scipy.sparse._base import SparseBase

__all__ = ["Elementwise"]


def is_dense(x: Any) -> bool:
    """Whether an operand is a dense array, of the device or of the host."""
    return isinstance(x, ArrayBase | np.ndarray)


def is_sparse(x: Any) -> bool:
    """Whether an operand is a sparse array."""
    return isinstance(x, Elementwise)


def is_scalar(x: Any) -> bool:
    """Whether an operand is a number, or an array without dimensions."""
    return bool(np.isscalar(x)) or (is_dense(x) and x.ndim == 0)


def on_host(x: Any) -> Any:
    """A scalar whose value matters: one that is on the device is waited for."""
    return asnumpy(x)[()] if isinstance(x, ArrayBase) else x


def as_operand(x: Any, name: str) -> Any:
    """A sparse array, a number or a dense array; lists become one. None for all else."""
    if is_sparse(x) or isinstance(x, ArrayBase) or is_scalar(x):
        return x
    if not isinstance(x, np.ndarray):
        try:
            if np.asanyarray(x).dtype == np.object_:
                return None
        except ValueError:  # a ragged list
            return None
    return as_array(x, name)


class Elementwise:
    """Sums, products, quotients, powers and comparisons, element by element."""

    def __add__(self: Any, other: Any) -> SparseBase | ndarray:
        if is_scalar(other):
            if on_host(other) == 0:
                return self.copy()
            raise NotImplementedError("adding a nonzero scalar to a sparse array is not supported")
        if is_sparse(other):
            self._check_shape(other)
            return self._merge("add", other)
        if is_dense(other):
            return self.toarray() + broadcast_to(as_array(other, "add"), self.shape)
        return NotImplemented

    def __radd__(self: Any, other: Any) -> SparseBase | ndarray:
        return self.__add__(other)

    def __sub__(self: Any, other: Any) -> SparseBase | ndarray:
        if is_scalar(other):
            if on_host(other) == 0:
                return self.copy()
            raise NotImplementedError(
                "subtracting a nonzero scalar from a sparse array is not supported"
            )
        if is_sparse(other):
            self._check_shape(other)
            return self._merge("subtract", other)
        if is_dense(other):
            return self.toarray() - broadcast_to(as_array(other, "subtract"), self.shape)
        return NotImplemented

    def __rsub__(self: Any, other: Any) -> SparseBase | ndarray:
        if is_scalar(other):
            if on_host(other) == 0:
                return -self  # type: ignore[operator]  # the formats have it
            raise NotImplementedError(
                "subtracting a sparse array from a nonzero scalar is not supported"
            )
        if is_dense(other):
            return broadcast_to(as_array(other, "subtract"), self.shape) - self.toarray()
        return NotImplemented

    def _check_shape(self: Any, other: Any) -> None:
        if other.shape != self.shape:
            raise ValueError(f"inconsistent shapes: {self.shape} and {other.shape}")

    def _merge(self: Any, operation: str, other: Any) -> Any:
        """A sum or a difference, in blocks or diagonals where SciPy keeps these."""
        if self.ndim > 2:
            # Entries behind one another, as SciPy's: whoever needs them in order adds them.
            values = other.data if operation == "add" else negative(other.data)
            coords = [concatenate(pair) for pair in zip(self.coords, other.coords, strict=True)]
            return self._from_parts(concatenate([self.data, values]), coords, self.shape)
        if operation == "add" and self.format == "dia" and other.format != "dia":
            return other._merge(operation, self)  # as SciPy: of the other's class
        result = _merging.binary(operation, self, other)
        if self.format == other.format == "dia":
            return result.todia()
        return result.tobsr(self.blocksize) if self.format == "bsr" else result

    def __mul__(self: Any, other: Any) -> SparseBase | ndarray:
        return self.multiply(other)

    def __rmul__(self: Any, other: Any) -> SparseBase | ndarray:
        return self.multiply(other)

    def multiply(self: Any, other: Any) -> SparseBase | ndarray:
        """The product with numbers or another array, element by element.

        Parameters
        ----------
        other : scalar, sparse array or ndarray
            Rows and columns are broadcast.

        Returns
        -------
        sparse array
            With a scalar of the same format; with a sparse array of the formats csr or csc, without
            zeros; with a dense one in coordinates. Two sparse arrays wait for the device to know
            how many elements are not zero.

        Raises
        ------
        ValueError
            If the shapes do not fit.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_array(cp.array([[1, 2], [0, 3]]))
        >>> a.multiply(cp.array([10, 20])).toarray()
        array([[10, 40],
               [ 0, 60]])
        """
        if is_scalar(other):
            return self._with_data(self.data * other)
        operand = as_operand(other, "multiply")
        if operand is None:
            return NotImplemented
        if is_sparse(operand):
            result = _multiplying.multiply(self, operand)
            kept = operand.shape == self.shape
        else:
            result = _multiplying.multiply_dense(self, operand)
            kept = is_sparse(result)
        if self.format == "bsr" and is_sparse(operand) and result.shape == self.shape:
            row = operand.ndim == 1 or operand.shape[0] == 1
            return result.tobsr(self.blocksize) if kept or row else result
        if kept and self.format == "dia" and self._keeps_diagonals(operand):
            return result.todia()
        return result

    def _keeps_diagonals(self: Any, operand: Any) -> bool:
        """Whether the product of diagonals with an operand has these, too, as SciPy's."""
        if is_sparse(operand):
            return bool(operand.format == "dia")
        return 0 not in self.shape and 1 not in self.shape

    def __truediv__(self: Any, other: Any) -> SparseBase | ndarray:
        operand = as_operand(other, "divide")
        if operand is None:
            return NotImplemented
        if is_scalar(operand):
            return self._divide_by_scalar(operand)
        if is_sparse(operand):
            self._check_shape(operand)
            # An element that neither operand has is 0 / 0, which is NaN: the result is dense.
            dtype = self.dtype if not np.can_cast(self.dtype, np.float64) else np.dtype(np.float64)
            return divide(self.toarray().astype(dtype), operand.toarray()).astype(dtype, copy=False)
        return self.multiply(divide(1, operand))

    def __rtruediv__(self: Any, other: Any) -> SparseBase | ndarray:
        return NotImplemented

    def _divide_by_scalar(self: Any, other: Any) -> Any:
        if np.can_cast(self.dtype, np.float64):
            return self.astype(np.float64, copy=False).multiply(1 / other)
        return self.multiply(1 / other)

    def __iadd__(self: Any, other: Any) -> Any:
        return NotImplemented

    def __isub__(self: Any, other: Any) -> Any:
        return NotImplemented

    def __imul__(self: Any, other: Any) -> Any:
        if not is_scalar(other):
            return NotImplemented
        self.data *= other
        return self

    def __itruediv__(self: Any, other: Any) -> Any:
        if not is_scalar(other):
            return NotImplemented
        self.data *= 1.0 / other
        return self

    def __pow__(self: Any, *args: Any, **kwargs: Any) -> SparseBase:
        return self.power(*args, **kwargs)

    def maximum(self: Any, other: Any) -> SparseBase | ndarray:
        """The greater of each element and another array's, or a number.

        Parameters
        ----------
        other : scalar, sparse array or ndarray
            A sparse array of the same shape; a dense one is broadcast.

        Returns
        -------
        sparse array or ndarray
            Without zeros, of the formats csr or csc; dense for a dense operand. Waits for the
            device to know how many elements are not zero.

        Raises
        ------
        ValueError
            If the shapes do not fit.

        Warns
        -----
        SparseEfficiencyWarning
            If the number is greater than zero, since then every element is stored.

        Differences from SciPy
        ----------------------
        Of two sparse arrays, the result is NaN where one is, as for dense arrays; SciPy gives the
        first operand's element.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.csr_array(cp.array([[1, -2, 0]])).maximum(0).toarray()
        array([[1, 0, 0]])
        """
        return _comparing.extreme(self, other, "maximum")

    def minimum(self: Any, other: Any) -> SparseBase | ndarray:
        """The lesser of each element and another array's, or a number.

        Parameters
        ----------
        other : scalar, sparse array or ndarray
            A sparse array of the same shape; a dense one is broadcast.

        Returns
        -------
        sparse array or ndarray
            Without zeros, of the formats csr or csc; dense for a dense operand. Waits for the
            device to know how many elements are not zero.

        Raises
        ------
        ValueError
            If the shapes do not fit.

        Warns
        -----
        SparseEfficiencyWarning
            If the number is less than zero, since then every element is stored.

        Differences from SciPy
        ----------------------
        Of two sparse arrays, the result is NaN where one is, as for dense arrays; SciPy gives the
        first operand's element.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.csr_array(cp.array([[1, -2, 0]])).minimum(0).toarray()
        array([[ 0, -2,  0]])
        """
        return _comparing.extreme(self, other, "minimum")

    def __eq__(self: Any, other: object) -> Any:
        return _comparing.compare(self, other, "equal")

    def __ne__(self: Any, other: object) -> Any:
        return _comparing.compare(self, other, "not_equal")

    def __lt__(self: Any, other: Any) -> SparseBase | ndarray:
        return _comparing.compare(self, other, "less")

    def __gt__(self: Any, other: Any) -> SparseBase | ndarray:
        return _comparing.compare(self, other, "greater")

    def __le__(self: Any, other: Any) -> SparseBase | ndarray:
        return _comparing.compare(self, other, "less_equal")

    def __ge__(self: Any, other: Any) -> SparseBase | ndarray:
        return _comparing.compare(self, other, "greater_equal")

    __hash__ = None  # type: ignore[assignment]  # equality is of elements
