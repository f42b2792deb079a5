"""Matrix and vector products, with what is done to matrices in the same section of the reference.

Functions that the main namespace has, too, have the signatures of the array API standard here.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from gpuarray import _arguments, _array
from gpuarray._ops import (
    contractions,
    creation,
    indexing,
    products,
    traces,
    transposing,
    vector_products,
)
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.matrix_operands import check_square
from gpuarray.linalg import _equations

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, ndarray

__all__ = [
    "cross", "diagonal", "matmul", "matrix_power", "matrix_transpose", "outer", "tensordot",
    "trace", "vecdot",
]  # fmt: skip


def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> ndarray:
    """The cross products of vectors of three components.

    Parameters
    ----------
    x1, x2 : ndarray
        The vectors; their other axes broadcast.
    axis : int, optional
        The axis of the components, in the operands and in the result.

    Returns
    -------
    ndarray
        The vectors.

    Raises
    ------
    ValueError
        If vectors have another number of components.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.linalg.cross(cp.array([1, 2, 3]), cp.array([4, 5, 6]))
    array([-3,  6, -3])
    """
    a, b = as_array(x1, "cross"), as_array(x2, "cross")
    counts = [x._layout.shape[_arguments.check_axis(axis, x._layout.ndim)] for x in (a, b)]
    if counts != [3, 3]:
        raise ValueError(
            "linalg.cross: both input arrays must be (arrays of) 3-dimensional vectors, but they "
            f"are {counts[0]} and {counts[1]} dimensional instead"
        )
    return vector_products.cross(a, b, axis=axis)


def diagonal(x: ArrayLike, /, *, offset: int = 0) -> ndarray:
    """A read-only view of the diagonals of matrices.

    Parameters
    ----------
    x : ndarray, shape (..., M, N)
        The matrices.
    offset : int, optional
        How far above the main diagonal.

    Returns
    -------
    ndarray
        A read-only view; the diagonal is the last dimension.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.linalg.diagonal(cp.arange(8).reshape(2, 2, 2))
    array([[0, 3],
           [4, 7]])
    """
    return indexing.diagonal(x, offset, -2, -1)


def matmul(x1: ArrayLike, x2: ArrayLike, /) -> ndarray:
    """Matrix products.

    Parameters
    ----------
    x1, x2 : ndarray
        Matrices, or stacks of matrices, which broadcast. An operand of one dimension is a row on
        the left, a column on the right.

    Returns
    -------
    ndarray
        Matrices without the dimensions of rows and columns that are missing.

    Raises
    ------
    ValueError
        If the shapes do not match.

    Notes
    -----
    As of `gpuarray.matmul`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.linalg.matmul(cp.array([[1, 2], [3, 4]]), cp.array([10, 1]))
    array([12, 34])
    """
    return products.matmul(as_array(x1, "matmul"), as_array(x2, "matmul"))


def matrix_power(a: ArrayLike, n: int) -> ndarray:
    """Powers of square matrices.

    Parameters
    ----------
    a : ndarray, shape (..., M, M)
        The matrices.
    n : int
        The exponent: 0 gives identity matrices, negative ones powers of the inverse.

    Returns
    -------
    ndarray, shape (..., M, M)
        The powers, in the dtype of `a`; negative ones of integers in float64. For 1 `a` itself.

    Raises
    ------
    LinAlgError
        If matrices are not square, or the exponent is negative and one is singular. To know that it
        waits for the device; see `gpuarray.errstate`.
    TypeError
        If the exponent is no integer.

    Notes
    -----
    Products of squares: at most twice as many products as the exponent has bits.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.linalg.matrix_power(cp.array([[1, 1], [1, 0]]), 10)
    array([[89, 55],
           [55, 34]])
    """
    x = as_array(a, "matrix_power")
    check_square(x._layout)
    try:
        power = operator.index(n)
    except TypeError:
        raise TypeError("exponent must be an integer") from None
    if power == 0:
        identities: Any = _array.empty(_array.contiguous_layout(x, order="K"))
        identities[...] = creation.eye(x._layout.shape[-1], dtype=x._layout.dtype)
        return identities
    if power < 0:
        x, power = _equations.inv(x), -power
    if power == 3:
        return products.matmul(products.matmul(x, x), x)
    result: Any = None
    while True:
        power, odd = divmod(power, 2)
        if odd:
            result = x if result is None else products.matmul(result, x)
        if not power:
            return result
        x = products.matmul(x, x)


def matrix_transpose(x: ArrayLike, /) -> ndarray:
    """A view with the last two axes exchanged.

    Parameters
    ----------
    x : ndarray, shape (..., M, N)
        The matrices.

    Returns
    -------
    ndarray, shape (..., N, M)
        A view.

    Raises
    ------
    ValueError
        If the array has fewer than two dimensions.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.linalg.matrix_transpose(cp.ones((4, 2, 3))).shape
    (4, 3, 2)
    """
    return transposing.matrix_transpose(x)


def outer(x1: ArrayLike, x2: ArrayLike, /) -> ndarray:
    """The products of each element of one vector with each of another.

    Parameters
    ----------
    x1 : ndarray, shape (M,)
    x2 : ndarray, shape (N,)
        The vectors.

    Returns
    -------
    ndarray, shape (M, N)
        The products.

    Raises
    ------
    ValueError
        If an operand is no vector; ``gpuarray.outer`` flattens it.

    Notes
    -----
    One launch, and one more for each operand that is not contiguous.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.linalg.outer(cp.array([1, 2]), cp.array([1, 10, 100]))
    array([[  1,  10, 100],
           [  2,  20, 200]])
    """
    a, b = as_array(x1, "outer"), as_array(x2, "outer")
    if not a._layout.ndim == b._layout.ndim == 1:
        raise ValueError(
            "linalg.outer: input arrays must be one-dimensional, but they are "
            f"x1.ndim={a._layout.ndim} and x2.ndim={b._layout.ndim}"
        )
    return vector_products.outer(a, b)


def tensordot(x1: ArrayLike, x2: ArrayLike, /, *, axes: Any = 2) -> ndarray:
    """Sums of products over axes of two arrays.

    Parameters
    ----------
    x1, x2 : ndarray
        The operands.
    axes : int or pair of axes, optional
        How many of the last axes of `x1` and of the first of `x2` are summed along; or the axes of
        `x1` and those of `x2`.

    Returns
    -------
    ndarray
        With the other axes of `x1`, then those of `x2`.

    See Also
    --------
    gpuarray.tensordot : For errors and launches.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.arange(6).reshape(2, 3)
    >>> cp.linalg.tensordot(x, x, axes=([1], [1]))
    array([[ 5, 14],
           [14, 50]])
    """
    return contractions.tensordot(x1, x2, axes)


def trace(x: ArrayLike, /, *, offset: int = 0, dtype: DTypeLike | None = None) -> ndarray:
    """The sums of the diagonals of matrices.

    Parameters
    ----------
    x : ndarray, shape (..., M, N)
        The matrices.
    offset : int, optional
        How far above the main diagonal.
    dtype : dtype, optional
        The dtype to sum in; as for `sum` by default.

    Returns
    -------
    ndarray
        Without the last two axes.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.linalg.trace(cp.arange(8).reshape(2, 2, 2))
    array([ 3, 11])
    """
    return traces.trace(x, offset, -2, -1, dtype)


def vecdot(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> ndarray:
    """Dot products of vectors, the first of which is conjugated.

    Parameters
    ----------
    x1, x2 : ndarray
        The vectors; their other axes broadcast.
    axis : int, optional
        The axis that vectors lie along.

    Returns
    -------
    ndarray
        A number for each pair of vectors.

    Raises
    ------
    ValueError
        If the vectors differ in length.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.linalg.vecdot(cp.array([1j, 2]), cp.array([1, 1]))
    array(2.-1.j)
    """
    return products.vecdot(as_array(x1, "vecdot"), as_array(x2, "vecdot"), axis=axis)
