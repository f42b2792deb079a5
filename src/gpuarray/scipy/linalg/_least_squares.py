"""Solutions in the sense of least squares, and pseudo-inverses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ops.creation import zeros
from gpuarray._ops.least_squares import adjoint
from gpuarray._ops.logic import greater
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import add, divide, multiply
from gpuarray._ops.matrix_operands import check_square, common_dtype, real_dtype
from gpuarray._ops.searching import count_nonzero
from gpuarray._ops.selection import where
from gpuarray._ops.statistics import amax
from gpuarray.linalg import _decompositions, _least_squares
from gpuarray.linalg._products import matmul
from gpuarray.scipy.linalg._svd import matrices

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["lstsq", "pinv", "pinvh"]

_DRIVERS = (None, "gelsd", "gelsy", "gelss")


def lstsq(
    a: ArrayLike,
    b: ArrayLike,
    cond: float | None = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    lapack_driver: str | None = None,
) -> tuple[ndarray, ndarray, int, ndarray]:
    """Solve equations in the sense of least squares.

    Parameters
    ----------
    a : ndarray, shape (M, N)
        The coefficients.
    b : ndarray, shape (M,) or (M, K)
        The right-hand sides.
    cond : float, optional
        Singular values up to this times the greatest count as zero; by default the precision of
        the dtype.
    overwrite_a, overwrite_b, check_finite : optional
        Ignored.
    lapack_driver : {'gelsd', 'gelsy', 'gelss'}, optional
        Ignored: singular values are always used.

    Returns
    -------
    x : ndarray, shape (N,) or (N, K)
        The solution; of several the one of least norm.
    residues : ndarray, shape (K,) or () or (0,)
        The squared norms of ``b - a @ x``; empty if `a` has a rank less than N, or M <= N.
    rank : int
        The rank of `a`.
    s : ndarray, shape (min(M, N),)
        The singular values of `a`.

    Raises
    ------
    ValueError
        For operands of other shapes, and for another driver.
    numpy.linalg.LinAlgError
        If `a` has a NaN.
    TypeError
        If the elements are no numbers, or of a precision that is neither single nor double.

    Differences from SciPy
    ----------------------
    The singular values are there with 'gelsy', too. Stacks of matrices are refused. Nothing is
    checked for infinities. float16 is refused.

    Notes
    -----
    It waits for the device, which says what the rank is.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    >>> x, residues, rank, s = cp.scipy.linalg.lstsq(a, cp.array([1.0, 3.0, 5.0]))
    >>> x.round(6), rank
    (array([2., 1.]), 2)
    """
    if lapack_driver not in _DRIVERS:
        raise ValueError(
            f"lstsq: LAPACK driver {lapack_driver!r} is not found; give 'gelsd', 'gelsy' or 'gelss'"
        )
    a, b = as_array(a, "scipy.linalg.lstsq"), as_array(b, "scipy.linalg.lstsq")
    if a._layout.ndim != 2 or b._layout.ndim not in (1, 2):
        raise ValueError(
            "lstsq: a should be 2-D and b 1-D or 2-D, but they are of shapes "
            f"{a.shape} and {b.shape}"
        )
    if a._layout.shape[0] != b._layout.shape[0]:
        raise ValueError(
            "lstsq: Shape mismatch: a and b should have the same number of rows "
            f"({a._layout.shape[0]} != {b._layout.shape[0]})"
        )
    found = _least_squares.lstsq(a, b, -1 if cond is None else cond)
    x, residues, rank, s = found
    if b._layout.ndim == 1 and residues._layout.size:
        residues = residues[0]
    if not a._layout.size:
        s = zeros(0, s._layout.dtype)
    return x, residues, rank, s


def pinv(
    a: ArrayLike,
    *,
    atol: float | None = None,
    rtol: float | None = None,
    return_rank: bool = False,
    check_finite: bool = True,
) -> Any:
    """The Moore-Penrose pseudo-inverses of matrices.

    Parameters
    ----------
    a : ndarray, shape (..., M, N)
        The matrices.
    atol, rtol : float, optional
        Singular values up to ``atol + rtol * s.max()`` count as zero. `atol` is 0 by default,
        `rtol` the precision of the dtype times max(M, N).
    return_rank : bool, optional
        Whether the ranks are wanted.
    check_finite : optional
        Ignored.

    Returns
    -------
    ndarray, shape (..., N, M)
        The pseudo-inverses.
    rank : ndarray, shape (...), optional
        The ranks.

    Raises
    ------
    ValueError
        For an array of fewer than two dimensions, and for negative limits.
    numpy.linalg.LinAlgError, TypeError
        As of `svd`.

    Differences from SciPy
    ----------------------
    As those of `svd`. The rank is an array on the device.

    Notes
    -----
    It waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.pinv(cp.array([[2.0, 0.0], [0.0, 0.0]]))
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    a = matrices(a, "pinv")
    return _inverse(a, atol, rtol, return_rank, "pinv", hermitian=False)


def pinvh(
    a: ArrayLike,
    atol: float | None = None,
    rtol: float | None = None,
    lower: bool = True,
    return_rank: bool = False,
    check_finite: bool = True,
) -> Any:
    """The Moore-Penrose pseudo-inverses of Hermitian matrices.

    Parameters
    ----------
    a : ndarray, shape (..., N, N)
        The matrices.
    atol, rtol : float, optional
        Eigenvalues of a modulus up to ``atol + rtol * s.max()`` count as zero, where s are the
        moduli. `atol` is 0 by default, `rtol` the precision of the dtype times N.
    lower : bool, optional
        Whether the triangle below the diagonal is read; else it is that above.
    return_rank : bool, optional
        Whether the ranks are wanted.
    check_finite : optional
        Ignored.

    Returns
    -------
    ndarray, shape (..., N, N)
        The pseudo-inverses.
    rank : ndarray, shape (...), optional
        The ranks.

    Raises
    ------
    ValueError
        For an array of fewer than two dimensions, and for negative limits.
    numpy.linalg.LinAlgError
        If matrices are not square, and as of `svd`.
    TypeError
        As of `svd`.

    Differences from SciPy
    ----------------------
    As those of `svd`. The rank is an array on the device.

    Notes
    -----
    It waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.pinvh(cp.array([[2.0, 0.0], [0.0, -4.0]]))
    array([[ 0.5 ,  0.  ],
           [ 0.  , -0.25]])
    """
    a = matrices(a, "pinvh")
    check_square(a._layout)
    # The triangle above the diagonal is the conjugate of the one below it.
    return _inverse(a if lower else adjoint(a), atol, rtol, return_rank, "pinvh", hermitian=True)


def _inverse(
    a: Any, atol: float | None, rtol: float | None, return_rank: bool, name: str, *, hermitian: bool
) -> Any:
    *batch, m, n = a._layout.shape
    dtype = common_dtype(a._layout)
    if not a._layout.size:
        result = zeros((*batch, n, m), dtype)
        return (result, zeros(tuple(batch), np.int64)) if return_rank else result
    least = 0.0 if atol is None else atol
    relative = max(m, n) * float(np.finfo(dtype).eps) if rtol is None else rtol
    if least < 0 or relative < 0:
        raise ValueError(f"{name}: atol and rtol values must be positive, not {atol} and {rtol}")
    u, s, vh = _decompositions.svd(a, full_matrices=False, hermitian=hermitian)
    kept = greater(s, add(multiply(amax(s, axis=-1, keepdims=True), relative), least))
    factors = where(kept, divide(1, s), 0).astype(real_dtype(dtype))
    result = matmul(adjoint(multiply(vh, factors[..., None])), adjoint(u))
    return (result, count_nonzero(kept, axis=-1)) if return_rank else result
