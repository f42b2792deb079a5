"""Cholesky factorisations, of the section of decompositions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray import linalg
from gpuarray._namespace.shared_texts import sharing, texts_of
from gpuarray.linalg import cho_solve

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

    Differences from SciPy
    ----------------------
    Of infinities and NaN there is no error but that of a matrix that is not positive definite.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.cholesky(cp.array([[4.0, 2.0], [2.0, 5.0]]))
    array([[2., 1.],
           [0., 2.]])
    """
    return linalg.cholesky(a, upper=not lower)


@sharing(texts_of(cholesky))
def cho_factor(
    a: ArrayLike, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[ndarray, bool]:
    """The Cholesky factors of positive definite matrices, for `cho_solve`.

    Parameters
    ----------
    {a}
    {lower}
    {overwrite_a}

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

    Differences from SciPy
    ----------------------
    There are zeros in the other triangle.

    Examples
    --------
    >>> import gpuarray as cp
    >>> factors = cp.scipy.linalg.cho_factor(cp.array([[4.0, 2.0], [2.0, 5.0]]))
    >>> cp.scipy.linalg.cho_solve(factors, cp.array([8.0, 8.0]))
    array([1.5, 1. ])
    """
    return linalg.cholesky(a, upper=not lower), bool(lower)
