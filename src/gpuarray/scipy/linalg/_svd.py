"""Singular value decompositions, and what is made of them: bases, polar decompositions, angles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _layout
from gpuarray._ops.creation import zeros
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.least_squares import adjoint
from gpuarray._ops.logic import greater_equal
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import arccos, arcsin, minimum, multiply, square, subtract
from gpuarray._ops.matrix_operands import common_dtype, real_dtype
from gpuarray._ops.selection import where
from gpuarray._ops.sums import sum
from gpuarray.linalg import _decompositions
from gpuarray.linalg._products import matmul

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = [
    "diagsvd", "null_space", "orth", "orthogonal_procrustes", "polar", "subspace_angles", "svd",
    "svdvals",
]  # fmt: skip


def matrices(a: ArrayLike, name: str) -> ndarray:
    """An operand of a function, of at least two dimensions."""
    a = as_array(a, f"scipy.linalg.{name}")
    if a._layout.ndim < 2:
        raise ValueError(f"{name}: expected a matrix, got an array of {a._layout.ndim} dimensions")
    return a


def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: bool = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> Any:
    """The singular value decompositions of matrices: ``U @ diag(s) @ Vh``.

    Parameters
    ----------
    a : ndarray, shape (..., M, N)
        The matrices.
    full_matrices : bool, optional
        Whether U is of shape (..., M, M) and Vh of shape (..., N, N). Else they are of the shapes
        (..., M, K) and (..., K, N) with K = min(M, N).
    compute_uv : bool, optional
        Whether the singular vectors are wanted, besides the singular values.
    overwrite_a, check_finite : optional
        Ignored.
    lapack_driver : {'gesdd', 'gesvd'}, optional
        Ignored: `gpuarray.linalg.svd` says which algorithm is used.

    Returns
    -------
    U, s, Vh : ndarray
        The vectors, and the singular values in descending order; without vectors s alone.

    Raises
    ------
    ValueError
        For an array of fewer than two dimensions, and for another driver.
    numpy.linalg.LinAlgError
        If a matrix has a NaN, or the algorithm does not converge.
    TypeError
        If the elements are no numbers, or of a precision that is neither single nor double.

    Differences from SciPy
    ----------------------
    All results of a matrix with an infinity are NaN. float16 is refused.

    Notes
    -----
    It waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> u, s, vh = cp.scipy.linalg.svd(cp.array([[0.0, 2.0], [3.0, 0.0]]))
    >>> s
    array([3., 2.])
    """
    if lapack_driver not in ("gesdd", "gesvd"):
        raise ValueError(f"svd: lapack_driver {lapack_driver!r}; it must be 'gesdd' or 'gesvd'")
    a = matrices(a, "svd")
    if not compute_uv:
        return _decompositions.svdvals(a)
    found = _decompositions.svd(a, full_matrices)
    return found[0], found[1], found[2]


def svdvals(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True) -> ndarray:
    """The singular values of matrices.

    Parameters
    ----------
    a : ndarray, shape (..., M, N)
        The matrices.
    overwrite_a, check_finite : optional
        Ignored.

    Returns
    -------
    ndarray, shape (..., min(M, N))
        The singular values in descending order.

    Raises
    ------
    ValueError, numpy.linalg.LinAlgError, TypeError
        As of `svd`.

    Differences from SciPy
    ----------------------
    As those of `svd`.

    Notes
    -----
    It waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.svdvals(cp.array([[0.0, 2.0], [3.0, 0.0]]))
    array([3., 2.])
    """
    return _decompositions.svdvals(matrices(a, "svdvals"))


def diagsvd(s: ArrayLike, M: int, N: int) -> ndarray:
    """The matrix of singular values, for products with U and Vh.

    Parameters
    ----------
    s : ndarray, shape (M,) or (N,)
        The singular values.
    M, N : int
        The shape of the matrix.

    Returns
    -------
    ndarray, shape (M, N)
        The singular values on the diagonal, and zeros elsewhere.

    Raises
    ------
    ValueError
        If there are neither M nor N singular values, or more than the diagonal has.

    Notes
    -----
    Two launches.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.diagsvd(cp.array([3.0, 2.0]), 2, 3)
    array([[3., 0., 0.],
           [0., 2., 0.]])
    """
    s = as_array(s, "scipy.linalg.diagsvd")
    if s._layout.ndim != 1 or s._layout.size not in (M, N) or s._layout.size > min(M, N):
        raise ValueError(f"diagsvd: {s.shape} singular values; their number must be M or N")
    result = zeros((M, N), s._layout.dtype)
    step = result._layout.itemsize * (N + 1)
    diagonal = _layout.layout_of(s._layout.dtype, (s._layout.size,), (step,))
    _array.view(result, diagonal)[...] = s
    return result


def _of_matrix(a: ArrayLike, name: str) -> ndarray:
    a = as_array(a, f"scipy.linalg.{name}")
    if a._layout.ndim != 2:
        raise ValueError(f"{name}: expected a 2-D array, got shape {a.shape}")
    return a


def _rank(s: Any, shape: tuple[int, ...], rcond: float | None) -> int:
    """How many singular values are above a multiple of the greatest."""
    found = asnumpy(s)
    limit = max(shape) * float(np.finfo(found.dtype).eps) if rcond is None else rcond
    return int((found > limit * found.max(initial=0)).sum())


def orth(A: ArrayLike, rcond: float | None = None) -> ndarray:
    """An orthonormal basis of the space that the columns of a matrix span.

    Parameters
    ----------
    A : ndarray, shape (M, N)
        The matrix.
    rcond : float, optional
        Singular values up to this times the greatest count as zero; by default the precision of
        the dtype times max(M, N).

    Returns
    -------
    ndarray, shape (M, K)
        The basis; K is the rank.

    Raises
    ------
    ValueError, numpy.linalg.LinAlgError, TypeError
        As of `svd`.

    Differences from SciPy
    ----------------------
    As those of `svd`. Stacks of matrices are refused.

    Notes
    -----
    It waits for the device, which says what the rank is.

    Examples
    --------
    >>> import gpuarray as cp
    >>> abs(cp.scipy.linalg.orth(cp.array([[2.0, 0.0], [0.0, 0.0]])))
    array([[1.],
           [0.]])
    """
    a = _of_matrix(A, "orth")
    u, s, _ = _decompositions.svd(a, full_matrices=False)
    return u[:, : _rank(s, a._layout.shape, rcond)].copy("C")


def null_space(
    A: ArrayLike,
    rcond: float | None = None,
    *,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> ndarray:
    """An orthonormal basis of the vectors that a matrix maps to zero.

    Parameters
    ----------
    A : ndarray, shape (M, N)
        The matrix.
    rcond : float, optional
        As of `orth`.
    overwrite_a, check_finite, lapack_driver : optional
        Ignored.

    Returns
    -------
    ndarray, shape (N, N - K)
        The basis; K is the rank.

    Raises
    ------
    ValueError, numpy.linalg.LinAlgError, TypeError
        As of `svd`.

    Differences from SciPy
    ----------------------
    As those of `svd`. Stacks of matrices are refused.

    Notes
    -----
    It waits for the device, which says what the rank is.

    Examples
    --------
    >>> import gpuarray as cp
    >>> abs(cp.scipy.linalg.null_space(cp.array([[2.0, 0.0], [0.0, 0.0]])))
    array([[0.],
           [1.]])
    """
    a = _of_matrix(A, "null_space")
    _, s, vh = _decompositions.svd(a, full_matrices=True)
    return adjoint(vh[_rank(s, a._layout.shape, rcond) :]).copy("C")


def polar(a: ArrayLike, side: str = "right") -> tuple[ndarray, ndarray]:
    """The polar decompositions of matrices: ``u @ p``, or ``p @ u``.

    Parameters
    ----------
    a : ndarray, shape (..., M, N)
        The matrices.
    side : {'right', 'left'}, optional
        The side on which p stands.

    Returns
    -------
    u : ndarray, shape (..., M, N)
        Matrices with orthonormal columns, or rows if M < N.
    p : ndarray, shape (..., N, N) or (..., M, M)
        Hermitian matrices without negative eigenvalues; of shape (..., M, M) for 'left'.

    Raises
    ------
    ValueError
        For an array of fewer than two dimensions, and for another side.
    numpy.linalg.LinAlgError, TypeError
        As of `svd`.

    Differences from SciPy
    ----------------------
    As those of `svd`.

    Notes
    -----
    It waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> u, p = cp.scipy.linalg.polar(cp.array([[0.0, -2.0], [3.0, 0.0]]))
    >>> bool(cp.allclose(u, cp.array([[0, -1], [1, 0]]))), bool(cp.allclose(p, cp.diag([3, 2])))
    (True, True)
    """
    if side not in ("right", "left"):
        raise ValueError(f"polar: side {side!r}; it must be either 'right' or 'left'")
    w, s, vh = _decompositions.svd(matrices(a, "polar"), full_matrices=False)
    if side == "right":
        return matmul(w, vh), matmul(adjoint(multiply(vh, s[..., None])), vh)
    return matmul(w, vh), matmul(multiply(w, s[..., None, :]), adjoint(w))


def orthogonal_procrustes(
    A: ArrayLike, B: ArrayLike, check_finite: bool = True
) -> tuple[ndarray, ndarray]:
    """The orthogonal matrix that maps one matrix most closely to another.

    Parameters
    ----------
    A, B : ndarray, shape (M, N)
        The matrices.
    check_finite : optional
        Ignored.

    Returns
    -------
    R : ndarray, shape (N, N)
        The matrix for which the Frobenius norm of ``A @ R - B`` is least.
    scale : ndarray
        The sum of the singular values of ``A.conj().T @ B``.

    Raises
    ------
    ValueError
        If the operands are no matrices of one shape.
    numpy.linalg.LinAlgError, TypeError
        As of `svd`.

    Differences from SciPy
    ----------------------
    As those of `svd`.

    Notes
    -----
    It waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.array([[2.0, 0.0], [0.0, 1.0]])
    >>> r, scale = cp.scipy.linalg.orthogonal_procrustes(a, a[:, ::-1])
    >>> abs(r.round(6)), scale.round(6)
    (array([[0., 1.],
           [1., 0.]]), array(5.))
    """
    a, b = [as_array(x, "scipy.linalg.orthogonal_procrustes") for x in (A, B)]
    for x in (a, b):
        if x._layout.ndim != 2:
            raise ValueError(
                f"orthogonal_procrustes: expected ndim to be 2, but observed {x._layout.ndim}"
            )
    if a._layout.shape != b._layout.shape:
        raise ValueError(
            f"orthogonal_procrustes: the shapes of A and B differ ({a.shape} vs {b.shape})"
        )
    u, s, vh = _decompositions.svd(matmul(adjoint(a), b))
    return matmul(u, vh), sum(s)


def subspace_angles(A: ArrayLike, B: ArrayLike) -> ndarray:
    """The angles between the spaces that the columns of two matrices span.

    Parameters
    ----------
    A, B : ndarray, shape (M, N) and (M, K)
        The matrices.

    Returns
    -------
    ndarray
        As many angles as the smaller space has dimensions, in descending order.

    Raises
    ------
    ValueError
        If the operands are no matrices, or have different numbers of rows.
    numpy.linalg.LinAlgError, TypeError
        As of `svd`.

    Differences from SciPy
    ----------------------
    As those of `svd`.

    Notes
    -----
    Small angles are computed by their sines, others by their cosines (A. V. Knyazev and M. E.
    Argentati, Principal angles between subspaces in an A-based scalar product, SIAM J. Sci. Comput.
    23, 2002). It waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a, b = cp.array([[1.0], [0.0]]), cp.array([[1.0], [1.0]])
    >>> cp.rad2deg(cp.scipy.linalg.subspace_angles(a, b)).round(6)
    array([45.])
    """
    a, b = _of_matrix(A, "subspace_angles"), _of_matrix(B, "subspace_angles")
    if a._layout.shape[0] != b._layout.shape[0]:
        raise ValueError(
            "subspace_angles: A and B must have the same number of rows, got "
            f"{a._layout.shape[0]} and {b._layout.shape[0]}"
        )
    dtype = common_dtype(a._layout, b._layout)
    first, second = sorted((orth(a.astype(dtype)), orth(b.astype(dtype))), key=_columns)[::-1]
    if not second._layout.shape[1]:
        return zeros(0, real_dtype(dtype))
    inner = matmul(adjoint(first), second)
    cosines = minimum(_decompositions.svdvals(inner), 1)[::-1]
    rest = subtract(second, matmul(first, inner))
    sines = minimum(_decompositions.svdvals(rest), 1)
    return where(greater_equal(square(cosines), 0.5), arcsin(sines), arccos(cosines))


def _columns(x: Any) -> int:
    return x._layout.shape[1]
