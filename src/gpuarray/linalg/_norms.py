"""Norms and other numbers."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _dtypes
from gpuarray._arguments import check_axes
from gpuarray._array import ArrayBase
from gpuarray._layout import Layout
from gpuarray._ops import dimensions, logic, searching, transposing, truth
from gpuarray._ops.error_states import errstate
from gpuarray._ops.math import divide, multiply
from gpuarray._ops.matrix_operands import check_square, common_dtype, real_dtype
from gpuarray._ops.selection import where
from gpuarray._ops.stored_values import as_values
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.reduction.norms import norm_call, norm_layout
from gpuarray.linalg import _decompositions, _equations

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["cond", "matrix_norm", "matrix_rank", "norm", "vector_norm"]

#: The types of numbers that an order may be.
_REAL = (int, float, np.integer, np.floating)


def norm(
    x: ArrayLike,
    ord: float | str | None = None,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
) -> ndarray:
    """The norm of vectors or matrices.

    Parameters
    ----------
    x : ndarray
        Numbers. Without `axis` and `ord` it may have any dimensions, and counts as one vector.
    ord : float, {'fro', 'nuc'} or None, optional
        The order. Of vectors any number: infinity gives the greatest and minus infinity the least
        absolute value, 0 the number of elements that are not zero, 2 and None the Euclidean norm.
        Of matrices 1 or infinity for the greatest sum of a column's or a row's absolute values, -1
        or minus infinity for the least; 2 or -2 for the greatest or least singular value, ``'nuc'``
        for their sum; ``'fro'`` and None for the Frobenius norm.
    axis : int or tuple of int, optional
        The axis of the vectors, or the two axes of the matrices.
    keepdims : bool, optional
        Keep the axes with length 1.

    Returns
    -------
    ndarray
        Without the axes; in the real dtype of `x`, of integers and bools in float64.

    Raises
    ------
    ValueError
        If there is no norm of that order; if there is no element and the norm is the least of none.
    TypeError
        If `axis` is no integer; if the elements are no numbers.

    Differences from NumPy
    ----------------------
    Norms of float16 are summed in float32 and rounded once.

    Notes
    -----
    One launch; two for sums of rows and columns; singular values for the orders 2, -2 and 'nuc' of
    matrices. Squares are summed as they are, so that they overflow where NumPy's do.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.array([[3.0, 0.0], [4.0, 1.0]])
    >>> cp.linalg.norm(x, axis=0)
    array([5., 1.])
    >>> cp.linalg.norm(x, 1)
    array(7.)
    """
    array = x if isinstance(x, ArrayBase) else as_values(x, "norm")
    return _plan_norm(current.stream, array._layout, ord, axis, keepdims)(array)


def matrix_norm(
    x: ArrayLike, /, *, keepdims: bool = False, ord: float | str | None = "fro"
) -> ndarray:
    """The norms of matrices.

    Parameters
    ----------
    x : ndarray, shape (..., M, N)
        The matrices.
    keepdims : bool, optional
        Keep the last two axes with length 1.
    ord : {1, -1, 2, -2, inf, -inf, 'fro', 'nuc'} or None, optional
        The order, as for `norm`.

    Returns
    -------
    ndarray, shape (...)
        The norms, in the real dtype of `x`.

    See Also
    --------
    norm : For errors, launches and differences.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.array([[[3.0, 4.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 1.0]]])
    >>> cp.linalg.matrix_norm(x)
    array([5., 2.])
    """
    array = x if isinstance(x, ArrayBase) else as_values(x, "matrix_norm")
    return _plan_norm(current.stream, array._layout, ord, (-2, -1), keepdims)(array)


def vector_norm(
    x: ArrayLike,
    /,
    *,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    ord: float | None = 2,
) -> ndarray:
    """The norms of vectors.

    Parameters
    ----------
    x : ndarray
        Numbers.
    axis : int or tuple of int, optional
        The axes whose elements make a vector; all by default.
    keepdims : bool, optional
        Keep the axes with length 1.
    ord : float, optional
        The order, as for `norm`.

    Returns
    -------
    ndarray
        Without the axes, in the real dtype of `x`.

    See Also
    --------
    norm : For errors and differences.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.linalg.vector_norm(cp.array([[1.0, 2.0], [2.0, 4.0]]))
    array(5.)
    """
    array = x if isinstance(x, ArrayBase) else as_values(x, "vector_norm")
    return _plan_vector_norm(current.stream, array._layout, ord, axis, keepdims)(array)


def cond(x: ArrayLike, p: float | str | None = None) -> ndarray:
    """The condition numbers of matrices: how much equations with them magnify errors.

    Parameters
    ----------
    x : ndarray, shape (..., M, N)
        The matrices; square ones, except for the orders None, 2 and -2.
    p : {None, 1, -1, 2, -2, inf, -inf, 'fro', 'nuc'}, optional
        The order of the norms of the matrix and of its inverse that are multiplied, as for
        `norm`; by default 2, the greatest singular value over the least.

    Returns
    -------
    ndarray, shape (...)
        The condition numbers, in the real dtype of `x`; infinity for a singular matrix.

    Raises
    ------
    LinAlgError
        If a matrix has no elements, or is not square; if the singular values are not found.
    ValueError
        If there is no norm of that order.

    Notes
    -----
    For norms that are not of singular values, matrices are inverted in double precision; nothing
    waits for the device then.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.linalg.cond(cp.array([[1.0, 0.0], [0.0, 4.0]]))
    array(4.)
    """
    a = x if isinstance(x, ArrayBase) else as_values(x, "cond")
    layout = a._layout
    if not layout.size and not math.prod(layout.shape[-2:]):
        raise np.linalg.LinAlgError("cond is not defined on empty arrays")
    if p is None or (isinstance(p, _REAL) and abs(p) == 2):
        values = _decompositions.svdvals(a)
        ends = values[..., 0], values[..., -1]
        found = divide(*(ends[::-1] if p == -2 else ends))
    else:
        check_square(layout)
        wide = np.result_type(common_dtype(layout), np.float64)
        with errstate(linalg="ignore"):
            inverse = _equations.inv(a.astype(wide))
        found = multiply(matrix_norm(a, ord=p), matrix_norm(inverse, ord=p))
        found = found.astype(real_dtype(common_dtype(layout)), copy=False)
    # Where nothing was NaN before, a singular matrix has made it so.
    known = truth.any(logic.isnan(a), (-2, -1))
    return where(logic.logical_and(logic.isnan(found), ~known), math.inf, found)


def matrix_rank(
    A: ArrayLike,
    tol: ArrayLike | None = None,
    hermitian: bool = False,
    *,
    rtol: ArrayLike | None = None,
) -> ndarray:
    """The ranks of matrices: how many of their singular values are not nearly zero.

    Parameters
    ----------
    A : ndarray, shape (..., M, N)
        The matrices; fewer dimensions have the rank 1, or 0 if all elements are zero.
    tol : float or ndarray, shape (...), optional
        Singular values up to this count as zero.
    hermitian : bool, optional
        Whether matrices are Hermitian: the absolute values of their eigenvalues are used.
    rtol : float or ndarray, shape (...), optional
        The same as a multiple of the greatest singular value; by default ``max(M, N)`` times the
        precision of the dtype.

    Returns
    -------
    ndarray, shape (...)
        The ranks, int64.

    Raises
    ------
    ValueError
        If both tolerances are given.
    LinAlgError
        If the singular values are not found.

    See Also
    --------
    svdvals : For what waits, launches and memory; a few small launches more.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.linalg.matrix_rank(cp.array([[1.0, 2.0], [2.0, 4.0]]))
    array(1)
    """
    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    a = A if isinstance(A, ArrayBase) else as_values(A, "matrix_rank")
    if a._layout.ndim < 2:
        return truth.any(logic.not_equal(a, 0)).astype(np.int64)
    values = _decompositions.svd(a, compute_uv=False, hermitian=hermitian)
    if tol is None:
        greatest = vector_norm(values, axis=-1, keepdims=True, ord=math.inf)
        if rtol is None:
            least = np.finfo(values._layout.dtype).eps * max(a._layout.shape[-2:])
        else:
            least = _for_each_matrix(rtol)
        limit = multiply(greatest, least)
    else:
        limit = _for_each_matrix(tol)
    return searching.count_nonzero(logic.greater(values, limit), axis=-1)


def _for_each_matrix(tolerance: ArrayLike) -> ndarray:
    """A tolerance, or an array with one for each matrix, beside singular values."""
    found = tolerance
    if not isinstance(found, ArrayBase):
        found = as_values(found, "matrix_rank")
    return dimensions.expand_dims(found, -1)


@planned
def _plan_norm(
    stream: Stream, layout: Layout, order: Any, axis: Any, keepdims: bool
) -> Callable[[Any], Any]:
    _check_numbers(layout)
    keepdims = _arguments.check_flag(keepdims, "keepdims")
    ndim = layout.ndim
    if axis is None:
        if order is None:
            return norm_call(stream, layout, 2, range(ndim), keepdims)
        axes = tuple(range(ndim))
    else:
        axes = axis if isinstance(axis, tuple) else (_as_axis(axis),)
        if len(axes) < 3:
            axes = tuple([_arguments.check_axis(x, ndim, bools=False) for x in axes])
    if len(axes) == 1:
        return norm_call(stream, layout, _vector_order(order), axes, keepdims)
    if len(axes) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    if axes[0] == axes[1]:
        raise ValueError("Duplicate axes given.")
    return _matrix_norm_call(stream, layout, order, axes, keepdims)


@planned
def _plan_vector_norm(
    stream: Stream, layout: Layout, order: Any, axis: Any, keepdims: bool
) -> Callable[[Any], Any]:
    _check_numbers(layout)
    keepdims = _arguments.check_flag(keepdims, "keepdims")
    if axis is not None and not isinstance(axis, tuple):
        axis = (_as_axis(axis),)
    axes = check_axes(axis, layout.ndim, duplicates="repeated axis", bools=False)
    return norm_call(stream, layout, _vector_order(order), axes, keepdims)


def _check_numbers(layout: Layout) -> None:
    if _dtypes.kind(layout.dtype) not in "biufc":
        raise TypeError(f"array type {layout.dtype} is unsupported in linalg")


def _as_axis(axis: Any) -> int:
    try:
        return operator.index(axis)
    except TypeError:
        raise TypeError("'axis' must be None, an integer or a tuple of integers") from None


def _vector_order(order: Any) -> float:
    if order is None:
        return 2
    try:
        if not isinstance(order, str):
            return float(order)
    except (TypeError, ValueError):
        pass
    raise ValueError(f"Invalid norm order {order!r} for vectors")


def _matrix_norm_call(
    stream: Stream, layout: Layout, order: Any, axes: Sequence[int], keepdims: bool
) -> Callable[[Any], Any]:
    """The call of a norm of matrices, whose rows and columns are counted along two axes."""
    if order is None or (isinstance(order, str) and order in ("fro", "f")):
        return norm_call(stream, layout, 2, axes, keepdims)
    if isinstance(order, str) and order == "nuc":
        return functools.partial(_of_singular_values, 1, axes, keepdims)
    number = 0.0
    if isinstance(order, _REAL):
        number = float(order)
    if abs(number) == 2:
        number = math.copysign(math.inf, number)
        return functools.partial(_of_singular_values, number, axes, keepdims)
    if abs(number) not in (1, math.inf):
        raise ValueError("Invalid norm order for matrices.")
    rows, columns = axes
    summed = rows if abs(number) == 1 else columns
    sums = norm_call(stream, layout, 1, (summed,), True)
    # Sums of absolute values are their own absolute values.
    number = math.copysign(math.inf, number)
    compare = norm_call(stream, norm_layout(layout, (summed,), True), number, axes, keepdims)
    return lambda x: compare(sums(x))


def _of_singular_values(order: float, axes: Sequence[int], keepdims: bool, x: Any) -> Any:
    """The norm of the vectors of singular values."""
    values = _decompositions.svdvals(transposing.moveaxis(x, axes, (-2, -1)))
    result = norm(values, order, -1)
    return dimensions.expand_dims(result, axes) if keepdims else result
