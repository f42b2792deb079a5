"""Eigenvalues and eigenvectors of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gpuarray._ops import eigenvalues
from gpuarray._ops.manipulation import as_array

if TYPE_CHECKING:
    from typing import Literal

    from gpuarray._types import ArrayLike, ndarray

__all__ = ["eig", "eigh", "eigvals", "eigvalsh"]


class EigResult(NamedTuple):
    """What `eig` returns."""

    eigenvalues: ndarray
    eigenvectors: ndarray


class EighResult(NamedTuple):
    """What `eigh` returns."""

    eigenvalues: ndarray
    eigenvectors: ndarray


def eig(a: ArrayLike) -> EigResult:
    """The eigenvalues and right eigenvectors of square matrices.

    Parameters
    ----------
    a : (..., M, M) array_like
        The matrices. Integers are computed in float64.

    Returns
    -------
    EigResult
        A namedtuple with ``eigenvalues``, of shape (..., M), in no particular order, and
        ``eigenvectors``, of shape (..., M, M): column ``[..., :, i]`` has norm 1 and belongs to
        eigenvalue ``[..., i]``. Both are complex.

    Raises
    ------
    LinAlgError
        If a matrix is not square, has an infinity or NaN, or if the algorithm does not converge.

    See Also
    --------
    eigh : Of symmetric and Hermitian matrices, in less time.

    Notes
    -----
    By ``cusolverDnXgeev``, which cuSOLVER has from CUDA 12.6.2 on, one matrix after another. A part
    of its work is the host's, so the call waits for the device. It takes matrices of less than
    2**31 elements.

    With ``errstate(linalg="ignore")`` results are NaN where a matrix has an infinity or NaN, or
    where the algorithm does not converge.

    Differences from NumPy
    ----------------------
    The order of the eigenvalues may be another one. Before NumPy 2.5 its results are real where no
    eigenvalue has an imaginary part.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.array([[2.0, 1.0], [0.0, 3.0]])
    >>> w, v = cp.linalg.eig(a)
    >>> cp.sort(w)
    array([2.+0.j, 3.+0.j])
    >>> cp.allclose(a @ v, v * w)
    array(True)
    """
    return EigResult(*eigenvalues.general(as_array(a, "linalg.eig"), True))


def eigvals(a: ArrayLike) -> ndarray:
    """The eigenvalues of square matrices.

    Parameters
    ----------
    a : (..., M, M) array_like
        The matrices. Integers are computed in float64.

    Returns
    -------
    ndarray, of shape (..., M)
        Complex, in no particular order.

    Raises
    ------
    LinAlgError
        If a matrix is not square, has an infinity or NaN, or if the algorithm does not converge.

    See Also
    --------
    eig : The eigenvectors as well; its notes hold here.
    eigvalsh : Of symmetric and Hermitian matrices, in less time.

    Examples
    --------
    >>> import gpuarray as cp
    >>> w = cp.linalg.eigvals(cp.array([[0.0, 1.0], [-1.0, 0.0]]))
    >>> cp.sort(w.imag)
    array([-1.,  1.])
    """
    return eigenvalues.general(as_array(a, "linalg.eigvals"), False)


def eigh(a: ArrayLike, UPLO: Literal["L", "U", "l", "u"] = "L") -> EighResult:
    """The eigenvalues and eigenvectors of symmetric or Hermitian matrices.

    Parameters
    ----------
    a : (..., M, M) array_like
        The matrices. Integers are computed in float64.
    UPLO : {'L', 'U'}, optional
        The triangle that is read, with the diagonal: the lower or the upper one. The other one
        follows from it, and the diagonal's imaginary parts are taken for zero.

    Returns
    -------
    EighResult
        A namedtuple with ``eigenvalues``, of shape (..., M), real, in ascending order, and
        ``eigenvectors``, of shape (..., M, M) and `a`'s dtype: the columns ``[..., :, i]`` are
        orthonormal, and belong to eigenvalues ``[..., i]``.

    Raises
    ------
    LinAlgError
        If a matrix is not square, or if the algorithm does not converge.

    See Also
    --------
    eig : Of other matrices.

    Notes
    -----
    Matrices of up to 32 rows by Jacobi's method, a warp each, in one launch. Greater ones by
    cuSOLVER: ``Xsyevd``, of stacked matrices ``XsyevBatched`` (from CUDA 12.6.2 on; before,
    ``Xsyevd`` for one after another), which cannot be captured into a graph. With an infinity or
    NaN in a matrix its results are NaN, or the algorithm does not converge.

    The call waits for the device, to see whether it converged. With ``errstate(linalg="ignore")``
    it does not, and results are NaN where it did not.

    Differences from NumPy
    ----------------------
    The eigenvectors may have other phases, or signs, and those of an eigenvalue that repeats may be
    another basis.

    Examples
    --------
    >>> import gpuarray as cp
    >>> w, v = cp.linalg.eigh(cp.array([[1.0, 0.0], [2.0, 1.0]]))
    >>> w
    array([-1.,  3.])
    >>> cp.abs(v).round(6)
    array([[0.707107, 0.707107],
           [0.707107, 0.707107]])
    """
    return EighResult(*eigenvalues.hermitian(as_array(a, "linalg.eigh"), _is_lower(UPLO), True))


def eigvalsh(a: ArrayLike, UPLO: Literal["L", "U", "l", "u"] = "L") -> ndarray:
    """The eigenvalues of symmetric or Hermitian matrices.

    Parameters
    ----------
    a : (..., M, M) array_like
        The matrices. Integers are computed in float64.
    UPLO : {'L', 'U'}, optional
        The triangle that is read, with the diagonal: the lower or the upper one.

    Returns
    -------
    ndarray, of shape (..., M)
        Real, in ascending order.

    Raises
    ------
    LinAlgError
        If a matrix is not square, or if the algorithm does not converge.

    See Also
    --------
    eigh : The eigenvectors as well; its notes hold here.
    eigvals : Of other matrices.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.linalg.eigvalsh(cp.array([[1.0, 0.0], [2.0, 1.0]]))
    array([-1.,  3.])
    """
    return eigenvalues.hermitian(as_array(a, "linalg.eigvalsh"), _is_lower(UPLO), False)


def _is_lower(uplo: str) -> bool:
    triangle = uplo.upper() if isinstance(uplo, str) else uplo
    if triangle not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return triangle == "L"
