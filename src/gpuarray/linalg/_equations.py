"""Solving equations and inverting matrices."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _array, _layout
from gpuarray._layout import Layout
from gpuarray._libraries import lu
from gpuarray._ops.manipulation import as_array, reshape
from gpuarray._ops.matrix_operands import check_square, common_dtype
from gpuarray._ops.small_matrices import on_small
from gpuarray._ops.transposing import transpose
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import small_matrix
from gpuarray.linalg._checked_plans import of_columns, result_of, without_elements

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["inv", "solve", "tensorinv", "tensorsolve"]

_SINGULAR = "Singular matrix"


def solve(a: ArrayLike, b: ArrayLike) -> ndarray:
    """The solutions of linear equations ``a @ x = b``.

    Parameters
    ----------
    a : ndarray, shape (..., n, n)
        The coefficients: a matrix or stacked ones.
    b : ndarray, shape (n,) or (..., n, k)
        The right-hand sides. Of one dimension it is one vector for all matrices; else its last two
        dimensions are those of matrices whose columns are right-hand sides, and the others
        broadcast with those of `a`.

    Returns
    -------
    ndarray, shape (..., n) or (..., n, k)
        The solutions, in float64 if all operands are integers or bools.

    Raises
    ------
    LinAlgError
        If a matrix is not square, or singular. To know that it waits for the device; see
        `gpuarray.errstate`, by which singular matrices have NaN instead.
    TypeError
        For float16, and for what is no number.
    ValueError
        If the operands do not fit together.
    CaptureError
        During the capture of a stream, except with ``errstate(linalg="ignore")``.

    Notes
    -----
    By LU factorisation with row exchanges. Matrices of up to 32 rows are solved by one kernel,
    others by cuSOLVER or, of stacks, by the batched functions of cuBLAS.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.linalg.solve(cp.array([[2.0, 0.0], [1.0, 1.0]]), cp.array([4.0, 5.0]))
    array([2., 3.])
    """
    return result_of(_plan_solve, (as_array(a, "solve"), as_array(b, "solve")), _SINGULAR)


@planned
def _plan_solve(stream: Stream, a: Layout, b: Layout, raises: bool) -> Callable[[Any, Any], Any]:
    check_square(a)
    dtype = common_dtype(a, b)

    def make(b: Layout) -> Callable[..., Any]:
        if small_matrix.launch.is_small(_layout.contiguous(dtype, a.shape)):
            kernel = small_matrix.launch.solve_call
            return on_small(kernel, stream, "solve", dtype, raises, (a, b))
        return lu.solve_call(stream, a, b, dtype, raises)

    return of_columns(stream, "solve", make, (a,), b, dtype, raises)


def inv(a: ArrayLike) -> ndarray:
    """The inverses of matrices.

    Parameters
    ----------
    a : ndarray, shape (..., n, n)
        A matrix or stacked ones.

    Returns
    -------
    ndarray, shape (..., n, n)
        The inverses, of integers and bools in float64.

    Raises
    ------
    LinAlgError
        If a matrix is not square, or singular. To know that it waits for the device; see
        `gpuarray.errstate`, by which singular matrices have NaN instead.
    TypeError
        For float16, and for what is no number.
    CaptureError
        During the capture of a stream, except with ``errstate(linalg="ignore")``.

    See Also
    --------
    solve : The product of an inverse and an array, in half the time and more exactly.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.linalg.inv(cp.array([[2.0, 0.0], [0.0, 4.0]]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    return result_of(_plan_inv, (as_array(a, "inv"),), _SINGULAR)


@planned
def _plan_inv(stream: Stream, a: Layout, raises: bool) -> Callable[[Any], Any]:
    check_square(a)
    dtype = common_dtype(a)
    target = _layout.contiguous(dtype, a.shape)
    if not target.size:
        return without_elements(stream, "a", target, raises)
    if small_matrix.launch.is_small(target):
        return on_small(small_matrix.launch.inverse_call, stream, "inv", dtype, raises, (a,))
    return lu.inverse_call(stream, a, dtype, raises)


def tensorsolve(a: ArrayLike, b: ArrayLike, axes: Iterable[int] | None = None) -> ndarray:
    """The solution of ``tensordot(a, x, x.ndim) = b``.

    Parameters
    ----------
    a : ndarray
        The coefficients: of the shape of `b`, then that of the solution; both have as many
        elements.
    b : ndarray
        The right-hand side, of any shape.
    axes : iterable of int, optional
        Axes of `a` that are moved to its end first.

    Returns
    -------
    ndarray
        Of the shape of `a` without the leading dimensions, which are those of `b`.

    Raises
    ------
    LinAlgError
        If the dimensions of `a` make no square matrix, or one that is singular.

    See Also
    --------
    solve

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = 2 * cp.eye(6).reshape(2, 3, 6)
    >>> cp.linalg.tensorsolve(a, cp.ones((2, 3)))
    array([0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
    """
    a, b = as_array(a, "tensorsolve"), as_array(b, "tensorsolve")
    ndim = a._layout.ndim
    if axes is not None:
        moved = [_arguments.check_axis(axis, ndim) for axis in axes]
        kept = [axis for axis in range(ndim) if axis not in moved]
        a = transpose(a, (*kept, *moved))
    shape = a._layout.shape[b._layout.ndim :]
    size = math.prod(shape)
    if a._layout.size != size**2:
        raise np.linalg.LinAlgError(
            "Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) == "
            f"prod(a.shape[:b.ndim]); a has the shape {a._layout.shape}, and b {b._layout.shape}"
        )
    found = solve(reshape(a, (size, size)), reshape(b, (-1,)))
    return _array.rearranged(found, _layout.contiguous(found._layout.dtype, shape))


def tensorinv(a: ArrayLike, ind: int = 2) -> ndarray:
    """The inverse of an array with respect to ``tensordot`` over its leading dimensions.

    Parameters
    ----------
    a : ndarray
        The first `ind` dimensions have as many elements as the others.
    ind : int, optional
        How many dimensions come first.

    Returns
    -------
    ndarray
        Of the shape ``a.shape[ind:] + a.shape[:ind]``.

    Raises
    ------
    LinAlgError
        If the dimensions make no square matrix, or one that is singular.
    ValueError
        If `ind` is not positive.

    See Also
    --------
    inv

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.linalg.tensorinv(cp.eye(4).reshape(4, 2, 2), ind=1).shape
    (2, 2, 4)
    """
    a = as_array(a, "tensorinv")
    ind = operator.index(ind)
    if ind <= 0:
        raise ValueError(f"tensorinv: Invalid ind argument: it must be positive; got {ind}")
    shape = a._layout.shape
    rows, columns = math.prod(shape[:ind]), math.prod(shape[ind:])
    found = inv(reshape(a, (columns, rows)))
    return _array.rearranged(
        found, _layout.contiguous(found._layout.dtype, shape[ind:] + shape[:ind])
    )
