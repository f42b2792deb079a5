"""Cholesky factorisations, of the section of decompositions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gpuarray import _layout, linalg
from gpuarray._layout import Layout
from gpuarray._libraries.triangular import Triangle, triangular_call
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.matrix_operands import check_square, common_dtype
from gpuarray._ops.small_matrices import on_small
from gpuarray._runtime.device import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import small_matrix
from gpuarray.linalg._checked_plans import of_columns

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["cho_factor", "cho_solve", "cholesky"]


def cholesky(
    a: ArrayLike, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> ndarray:
    """The Cholesky factors of positive definite matrices.

    Parameters
    ----------
    a : array_like, shape (..., M, M)
        A symmetric matrix, or a Hermitian one, or stacked ones. One triangle is read.
    lower : bool, optional
        The lower triangle is read, and the result is L of ``a = L @ L.conj().T``; else the upper
        one, and it is U of ``a = U.conj().T @ U``.
    overwrite_a, check_finite : bool, optional
        Ignored: `a` stays as it is, and is not looked through.

    Returns
    -------
    ndarray, shape (..., M, M)
        The factors, with zeros in the other triangle.

    Raises
    ------
    LinAlgError
        If a matrix is not square, or not positive definite; see `gpuarray.linalg.cholesky`.

    Notes
    -----
    Differences from SciPy: of infinities and NaN there is no error but that of a matrix that is not
    positive definite.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.cholesky(cp.array([[4.0, 2.0], [2.0, 5.0]]))
    array([[2., 1.],
           [0., 2.]])
    """
    return linalg.cholesky(a, upper=not lower)


def cho_factor(
    a: ArrayLike, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[ndarray, bool]:
    """The Cholesky factors of positive definite matrices, for `cho_solve`.

    Parameters
    ----------
    a, lower, overwrite_a, check_finite
        As of `cholesky`.

    Returns
    -------
    c : ndarray, shape (..., M, M)
        The factors.
    lower : bool
        Which triangle they are in.

    Raises
    ------
    LinAlgError
        If a matrix is not square, or not positive definite.

    Notes
    -----
    Differences from SciPy: there are zeros in the other triangle.

    Examples
    --------
    >>> import gpuarray as cp
    >>> factors = cp.scipy.linalg.cho_factor(cp.array([[4.0, 2.0], [2.0, 5.0]]))
    >>> cp.scipy.linalg.cho_solve(factors, cp.array([8.0, 8.0]))
    array([1.5, 1. ])
    """
    return linalg.cholesky(a, upper=not lower), bool(lower)


def cho_solve(
    c_and_lower: tuple[ArrayLike, bool],
    b: ArrayLike,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> ndarray:
    """The solutions of linear equations by the factors of `cho_factor`.

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
    >>> factors = cp.scipy.linalg.cho_factor(cp.array([[4.0, 2.0], [2.0, 5.0]]), lower=True)
    >>> cp.scipy.linalg.cho_solve(factors, cp.array([8.0, 8.0]))
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
