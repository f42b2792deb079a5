"""Products along any dimensions, which arrays in coordinates alone have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpuarray.scipy.sparse import _matmul, _tensor_products

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray
    from gpuarray.scipy.sparse._base import SparseBase
    from gpuarray.scipy.sparse._coo import coo_array

__all__ = ["CoordinateProducts"]


class CoordinateProducts(_matmul.Products):
    """The products of arrays in coordinates."""

    if not TYPE_CHECKING:  # to a type checker they are those of arrays and of matrices

        def dot(self, other: Any) -> SparseBase | ndarray:
            """The sums of products along this array's last dimension and the other's last but one.

            Of two dimensions at most it is ``self @ other``; with a number that multiple.

            Parameters
            ----------
            other : sparse array, array_like or number
                The right operand, of any dimensions. Of one dimension, that is added along.

            Returns
            -------
            coo_array or ndarray
                Dense if the operand is. Its dimensions are those of this array but the last one,
                then the others of the operand. The same call always gives the same bits.

            Raises
            ------
            ValueError
                If the lengths differ.
            HostArrayError
                If the operand is in host memory.
            TypeError
                If the operand is none.

            Examples
            --------
            >>> import gpuarray as cp
            >>> from gpuarray.scipy import sparse
            >>> a = sparse.coo_array(cp.arange(8).reshape(2, 2, 2))
            >>> a.dot(a).shape
            (2, 2, 2, 2)
            """
            if _matmul._is_scalar(other):
                return _matmul._multiple(self, other)
            x, sparse = _operand(self, other, "dot argument")
            along = max(x.ndim - 2, 0)
            if self.shape[-1] != x.shape[along]:
                raise ValueError(f"shapes {self.shape} and {x.shape} are not aligned for n-D dot")
            if self.ndim < 3 and x.ndim < 3:
                return self @ x
            return _tensor_products.tensordot(self, x, [self.ndim - 1], [along], sparse)

    def tensordot(
        self: Any,
        other: SparseBase | ArrayLike,
        axes: int | Sequence[Sequence[int]] = 2,
    ) -> coo_array | ndarray:
        """The sums of products along dimensions of both arrays.

        Parameters
        ----------
        other : sparse array or array_like
            The right operand, of any dimensions.
        axes : int, or (sequence of int, sequence of int), optional
            How many dimensions are added along, the last ones of this array and the first ones of
            the operand; or which ones, of each.

        Returns
        -------
        coo_array or ndarray
            Dense if the operand is, or if nothing is left but a number. Its dimensions are those
            of this array that are left, then those of the operand. It is a product of two
            matrices, so that the same call always gives the same bits. Of two sparse arrays it
            waits for the device, to know how many entries there are.

        Raises
        ------
        ValueError
            If there are no such dimensions, or their lengths differ.
        HostArrayError
            If the operand is in host memory.
        TypeError
            If the operand is none, or `axes` is neither a number nor two sequences.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.coo_array(cp.arange(8).reshape(2, 2, 2))
        >>> a.tensordot(a, axes=2).toarray()
        array([[28, 34],
               [76, 98]])
        """
        x, sparse = _operand(self, other, "tensordot arg")
        pair = _tensor_products.axes_of(axes, self.ndim, x.ndim)
        found: coo_array | ndarray = _tensor_products.tensordot(self, x, *pair, sparse)
        return found


def _operand(a: Any, other: Any, name: str) -> tuple[Any, bool]:
    """An operand on the device, and whether it is sparse."""
    if _matmul._is_sparse(other):
        return other, True
    x = _matmul._dense_operand(a, other)
    if x is None:
        raise TypeError(f"{name} not supported type: {type(other)}")
    return x, False
