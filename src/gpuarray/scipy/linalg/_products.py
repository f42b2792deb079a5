"""Products of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._ops.manipulation import as_array, reshape
from gpuarray._ops.math import multiply

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["khatri_rao"]


def khatri_rao(a: ArrayLike, b: ArrayLike) -> ndarray:
    """The Khatri-Rao product: the Kronecker product of each column with that of another matrix.

    Parameters
    ----------
    a : array_like, shape (..., M, K)
        The first matrix.
    b : array_like, shape (..., N, K)
        The second one.

    Returns
    -------
    ndarray, shape (..., M * N, K)
        The product.

    Raises
    ------
    ValueError
        If an operand has fewer than two dimensions, or they have different numbers of columns.

    Notes
    -----
    One launch, and a copy if an operand is not C-contiguous.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.khatri_rao([[1, 2]], [[3, 4], [5, 6]])
    array([[ 3,  8],
           [ 5, 12]])
    """
    x, y = as_array(a, "khatri_rao"), as_array(b, "khatri_rao")
    if x._layout.ndim < 2 or y._layout.ndim < 2:
        raise ValueError("The both arrays should be 2-dimensional.")
    columns = x._layout.shape[-1]
    if columns != y._layout.shape[-1]:
        raise ValueError("The number of columns for both arrays should be equal.")
    products = multiply(x[..., :, None, :], y[..., None, :, :])
    shape = products._layout.shape
    return reshape(products, (*shape[:-3], shape[-3] * shape[-2], columns))
