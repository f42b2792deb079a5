"""LU factorisations, of the section of decompositions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _layout
from gpuarray._layout import Layout
from gpuarray._libraries import lu as plans
from gpuarray._ops.along_axis import take_along_axis
from gpuarray._ops.creation import empty, eye
from gpuarray._ops.dimensions import broadcast_to
from gpuarray._ops.logic import equal
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import add
from gpuarray._ops.matrix_operands import check_square, check_stacked, common_dtype, real_dtype
from gpuarray._ops.ranges import arange
from gpuarray._ops.small_matrices import on_small
from gpuarray._ops.sorting import argsort
from gpuarray._ops.triangles import tril, triu
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import small_matrix
from gpuarray.kernels.elementwise import copies
from gpuarray.linalg._checked_plans import of_columns

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["lu", "lu_factor", "lu_solve"]

_INT32 = np.dtype(np.int32)


def lu_factor(
    a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[ndarray, ndarray]:
    """The LU factors of matrices in one array, for `lu_solve`.

    Parameters
    ----------
    a : array_like, shape (..., M, N)
        A matrix or stacked ones.
    overwrite_a, check_finite : bool, optional
        Ignored: `a` stays as it is, and is not looked through.

    Returns
    -------
    lu : ndarray, shape (..., M, N)
        U, and below its diagonal L, without the ones on its diagonal; of integers in float64.
    piv : ndarray of int32, shape (..., min(M, N))
        In step i row i was exchanged with row ``piv[i]``.

    Raises
    ------
    TypeError
        For float16, and for what is no number.
    LinAlgError
        If the array has fewer than two dimensions.

    Differences from SciPy
    ----------------------
    Nothing waits for the device, so there is neither a warning of a singular matrix nor an error
    for infinities and NaN.

    Examples
    --------
    >>> import gpuarray as cp
    >>> factors, pivots = cp.scipy.linalg.lu_factor(cp.array([[1.0, 2.0], [4.0, 4.0]]))
    >>> factors
    array([[4.  , 4.  ],
           [0.25, 1.  ]])
    >>> pivots
    array([1, 1], dtype=int32)
    """
    a = as_array(a, "lu_factor")
    return _plan_factors(current.stream, a._layout, "lu_factor")(a)


@planned
def _plan_factors(stream: Stream, a: Layout, name: str) -> Callable[[Any], Any]:
    check_stacked(a)
    dtype = common_dtype(a)
    if not a.size:
        least = min(a.shape[-2:])
        pivots = (*a.shape[:-2], least)
        return lambda a: (empty(a.shape, dtype), empty(pivots, _INT32))
    if small_matrix.launch.is_small(_layout.contiguous(dtype, a.shape)):
        run = on_small(small_matrix.launch.lu_call, stream, name, dtype, None, (a,))
        return lambda a: run(a)[:2]
    return plans.factors_call(stream, a, dtype)


def lu_solve(
    lu_and_piv: tuple[ArrayLike, ArrayLike],
    b: ArrayLike,
    trans: int = 0,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> ndarray:
    """The solutions of linear equations by the factors of `lu_factor`.

    Parameters
    ----------
    lu_and_piv : tuple of ndarray
        The factors and the pivots.
    b : array_like, shape (N,) or (..., N, K)
        The right-hand sides.
    trans : {0, 1, 2}, optional
        Solve ``a @ x = b``, ``a.T @ x = b`` or ``a.conj().T @ x = b``.
    overwrite_b, check_finite : bool, optional
        Ignored: `b` stays as it is, and nothing is looked through.

    Returns
    -------
    ndarray
        The solutions, infinite or NaN where the matrix was singular.

    Raises
    ------
    ValueError
        If the shapes do not fit together, or `trans` is another number.

    Examples
    --------
    >>> import gpuarray as cp
    >>> factors = cp.scipy.linalg.lu_factor(cp.array([[2.0, 0.0], [1.0, 1.0]]))
    >>> cp.scipy.linalg.lu_solve(factors, cp.array([4.0, 5.0]))
    array([2., 3.])
    """
    factors, pivots = [as_array(x, "lu_solve") for x in lu_and_piv]
    b = as_array(b, "lu_solve")
    if trans not in (0, 1, 2):
        raise ValueError(f"lu_solve: trans must be 0, 1 or 2; got {trans!r}")
    run = _plan_lu_solve(current.stream, factors._layout, pivots._layout, b._layout, "NTC"[trans])
    return run(factors, pivots, b)


@planned
def _plan_lu_solve(
    stream: Stream, factors: Layout, pivots: Layout, b: Layout, trans: str
) -> Callable[..., Any]:
    check_square(factors)
    dtype = common_dtype(factors, b)
    if pivots.shape != factors.shape[:-1] or pivots.dtype.kind not in "iu":
        raise ValueError(
            f"lu_solve: for factors of shape {factors.shape} the pivots are integers of shape "
            f"{factors.shape[:-1]}; got {pivots.dtype} of shape {pivots.shape}"
        )
    if pivots.dtype != _INT32:
        found = _plan_lu_solve(stream, factors, _layout.contiguous(_INT32, pivots.shape), b, trans)
        return lambda a, p, b: found(a, copies.copy(p, "C", _INT32), b)

    def make(b: Layout) -> Callable[..., Any]:
        return plans.solve_factorized_call(stream, factors, pivots, b, dtype, trans)

    return of_columns(stream, "lu_solve", make, (factors, pivots), b, dtype)


def lu(
    a: ArrayLike,
    permute_l: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    p_indices: bool = False,
) -> tuple[ndarray, ...]:
    """The LU factorisation of matrices: ``a = p @ l @ u``.

    Parameters
    ----------
    a : array_like, shape (..., M, N)
        A matrix or stacked ones.
    permute_l : bool, optional
        Return ``p @ l`` in place of both.
    overwrite_a, check_finite : bool, optional
        Ignored: `a` stays as it is, and is not looked through.
    p_indices : bool, optional
        Return `p` as numbers of rows: ``a = l[p] @ u``.

    Returns
    -------
    p : ndarray, shape (..., M, M) or (..., M)
        The permutation, with the elements 0 and 1 of the real dtype, or as int32 numbers; not
        there with `permute_l`.
    l : ndarray, shape (..., M, K)
        With ones on the diagonal and zeros above it, unless its rows are permuted. K is the lesser
        of M and N.
    u : ndarray, shape (..., K, N)
        With zeros below the diagonal.

    Raises
    ------
    TypeError
        For float16, and for what is no number.
    LinAlgError
        If the array has fewer than two dimensions.

    Differences from SciPy
    ----------------------
    Infinities and NaN are no error.

    Examples
    --------
    >>> import gpuarray as cp
    >>> p, l, u = cp.scipy.linalg.lu(cp.array([[1.0, 2.0], [4.0, 4.0]]))
    >>> p
    array([[0., 1.],
           [1., 0.]])
    >>> u
    array([[4., 4.],
           [0., 1.]])
    """
    a = as_array(a, "lu")
    stream = current.stream
    factors, pivots = _plan_factors(stream, a._layout, "lu")(a)
    *_, rows, columns = factors._layout.shape
    least = min(rows, columns)
    lower = add(tril(factors[..., :least], -1), eye(rows, least, dtype=factors._layout.dtype))
    upper = triu(factors[..., :least, :])
    if pivots._layout.size:
        order = _plan_row_order(stream, pivots._layout, rows)(pivots)
    else:
        order = broadcast_to(arange(rows), (*factors._layout.shape[:-2], rows))
    if permute_l or p_indices:
        indices = argsort(order, axis=-1)  # the permutation the other way round
        if permute_l:
            return take_along_axis(lower, indices[..., None], axis=-2), upper
        return indices.astype(_INT32), lower, upper
    dtype = real_dtype(factors._layout.dtype)
    return equal(order[..., None, :], arange(rows)[:, None]).astype(dtype), lower, upper


@planned
def _plan_row_order(stream: Stream, pivots: Layout, rows: int) -> Callable[[Any], Any]:
    return plans.row_order_call(stream, pivots, rows)
