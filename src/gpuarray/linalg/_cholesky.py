"""Cholesky factorisations, of the section of decompositions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gpuarray import _layout
from gpuarray._layout import Layout
from gpuarray._libraries.cholesky import cholesky_call
from gpuarray._libraries.triangular import Triangle, triangular_call
from gpuarray._ops.creation import eye
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.matrix_operands import check_square, common_dtype
from gpuarray._ops.small_matrices import on_small
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import small_matrix
from gpuarray.linalg._checked_plans import of_columns, result_of, without_elements

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["cho_solve", "cholesky", "invh"]


def cholesky(a: ArrayLike, /, *, upper: bool = False) -> ndarray:
    """The Cholesky factors of positive definite matrices.

    Parameters
    ----------
    a : ndarray, shape (..., n, n)
        A symmetric matrix, or a Hermitian one, or stacked ones. One triangle is read.
    upper : bool, optional
        The upper triangle is read, and the result is U of ``a = U.conj().T @ U``; else the lower
        one, and it is L of ``a = L @ L.conj().T``.

    Returns
    -------
    ndarray, shape (..., n, n)
        The factors, with zeros in the other triangle; of integers and bools in float64.

    Raises
    ------
    LinAlgError
        If a matrix is not square, or not positive definite. To know that it waits for the device;
        see `gpuarray.errstate`, by which such matrices have NaN instead.
    TypeError
        For float16, and for what is no number.
    CaptureError
        During the capture of a stream, except for matrices of up to 32 rows with
        ``errstate(linalg="ignore")``.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.linalg.cholesky(cp.array([[4.0, 2.0], [2.0, 5.0]]))
    array([[2., 0.],
           [1., 2.]])
    """
    message = "Matrix is not positive definite"
    return result_of(_plan_cholesky, (as_array(a, "cholesky"),), message, bool(upper))


@planned
def _plan_cholesky(stream: Stream, a: Layout, upper: bool, raises: bool) -> Callable[[Any], Any]:
    check_square(a)
    dtype = common_dtype(a)
    target = _layout.contiguous(dtype, a.shape)
    if not target.size:
        return without_elements(stream, "a", target, raises)
    if small_matrix.launch.is_small(target):
        make = small_matrix.launch.cholesky_call
        return on_small(make, stream, "cholesky", dtype, raises, (a,), upper)
    return cholesky_call(stream, a, dtype, upper, raises)


def cho_solve(
    c_and_lower: tuple[ArrayLike, bool],
    b: ArrayLike,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> ndarray:
    """The solutions of linear equations by Cholesky factors.

    Parameters
    ----------
    c_and_lower : tuple
        The factors, (..., M, M), of which one triangle is read, and whether it is the lower one.
    b : array_like, shape (M,) or (..., M, K)
        The right-hand sides.
    overwrite_b, check_finite : bool, optional
        Ignored: `b` stays as it is, and nothing is looked through.

    Returns
    -------
    ndarray
        The solutions.

    Raises
    ------
    LinAlgError
        If a matrix is not square.
    ValueError
        If the shapes do not fit together.

    Examples
    --------
    >>> import gpuarray as cp
    >>> factors = cp.linalg.cholesky(cp.array([[4.0, 2.0], [2.0, 5.0]])), True
    >>> cp.linalg.cho_solve(factors, cp.array([8.0, 8.0]))
    array([1.5, 1. ])
    """
    factor, lower = c_and_lower
    factor, b = as_array(factor, "cho_solve"), as_array(b, "cho_solve")
    return _plan_cho_solve(current.stream, factor._layout, b._layout, bool(lower))(factor, b)


@planned
def _plan_cho_solve(
    stream: Stream, factor: Layout, b: Layout, lower: bool
) -> Callable[[Any, Any], Any]:
    check_square(factor)
    dtype = common_dtype(factor, b)

    def make(b: Layout) -> Callable[..., Any]:
        if small_matrix.launch.is_small(_layout.contiguous(dtype, factor.shape)):
            kernel = small_matrix.launch.cholesky_solve_call
            return on_small(kernel, stream, "cho_solve", dtype, None, (factor, b), not lower)
        plain, conjugate = Triangle(lower), Triangle(lower, "C" if dtype.kind == "c" else "T")
        triangles = (plain, conjugate) if lower else (conjugate, plain)
        return triangular_call(stream, factor, b, dtype, triangles)

    return of_columns(stream, "cho_solve", make, (factor,), b, dtype)


def invh(a: ArrayLike) -> ndarray:
    """The inverses of positive definite matrices.

    Parameters
    ----------
    a : ndarray, shape (..., M, M)
        A symmetric matrix, or a Hermitian one, or stacked ones. The lower triangle is read.

    Returns
    -------
    ndarray, shape (..., M, M)
        The inverses, of integers and bools in float64.

    Raises
    ------
    LinAlgError
        If a matrix is not square, or not positive definite; see `cholesky`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.linalg.invh(cp.array([[2.0, 0.0], [0.0, 4.0]]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    factor = cholesky(a)
    layout = factor._layout
    return cho_solve((factor, True), eye(layout.shape[-1], dtype=layout.dtype))
