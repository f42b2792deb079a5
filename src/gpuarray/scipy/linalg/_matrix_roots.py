"""Square roots, logarithms, fractional powers and signs of matrices.

Hermitian matrices are decomposed into eigenvectors. SciPy takes the Schur decomposition of others,
which no library has on the device; here they have the product form of the iteration of Denman and
Beavers (S. H. Cheng, N. J. Higham, C. S. Kenney and A. J. Laub, Approximating the logarithm of a
matrix to specified accuracy, SIAM J. Matrix Anal. Appl. 22, 2001). Everything is computed in double
precision, and checked.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _layout
from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import eye
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.manipulation import as_array, reshape
from gpuarray._ops.math import conj, log, multiply, power, sqrt
from gpuarray.linalg._eigenvalues import eigh, eigvals
from gpuarray.linalg._norms import vector_norm
from gpuarray.linalg._products import matrix_power
from gpuarray.scipy.linalg._exponential import each, expm, exponential, function_dtype, norms
from gpuarray.scipy.linalg._matrix_arithmetic import combination, product, solution, stacked
from gpuarray.scipy.linalg._matrix_functions import square_matrices
from gpuarray.scipy.linalg._structure import ishermitian
from gpuarray.scipy.linalg._warnings import LinAlgWarning

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["fractional_matrix_power", "logm", "signm", "sqrtm"]

_EPSILON = float(np.finfo(np.float64).eps)
_DOUBLE, _COMPLEX = np.dtype("f8"), np.dtype("c16")

#: Iterations converge quadratically: after this error one more is exact.
_ALMOST = 1e-8
_MOST_ITERATIONS = 60

#: Up to which 1-norm of E the Padé approximant of degree 7 of log(I + E) is exact.
_LOGARITHM_RADIUS = 0.264

#: Residuals, divided by the precision and the size, that count as inaccurate.
_INACCURATE = 1000

#: Eigenvalues so near to the negative real axis count as on it, where roots have an angle of 90
#: degrees; and angles from it that iterations converge well with.
_ON_AXIS, _FAR = 1e-8, 0.1


def sqrtm(A: ArrayLike) -> ndarray:
    """The principal square roots of matrices.

    Parameters
    ----------
    A : array_like, shape (..., n, n)
        The matrices.

    Returns
    -------
    ndarray, shape (..., n, n)
        Real for real matrices without negative eigenvalues. In single precision for matrices in
        single precision.

    Raises
    ------
    LinAlgError
        If the array is neither a square matrix nor a stack of them, or has infinities or NaN.

    Warns
    -----
    LinAlgWarning
        If a matrix is singular, or the square of what was found is not close to it.

    Differences from SciPy
    ----------------------
    There is no Schur decomposition on the device. Errors of matrices that are not Hermitian are
    about the square root of their condition number times the precision; singular ones have no
    result but NaN. Eigenvalues of Hermitian matrices that are negative by no more than rounding are
    taken for 0.

    Notes
    -----
    It waits for the device, at each step of an iteration.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.sqrtm(cp.array([[5.0, 4.0], [4.0, 5.0]]))
    array([[2., 1.],
           [1., 2.]])
    """
    a = as_array(A, "sqrtm")
    layout = a._layout
    if layout.ndim < 2:
        raise np.linalg.LinAlgError("The input array must be at least two-dimensional")
    if layout.shape[-1] != layout.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    dtype = function_dtype(layout.dtype)
    if not layout.size:
        return _array.empty(_layout.contiguous(dtype, layout.shape))
    found = _roots(stacked(a, np.result_type(dtype, _DOUBLE)))
    if dtype != np.result_type(dtype, _DOUBLE):
        found = found.astype(np.complex64 if found.dtype.kind == "c" else np.float32)
    return reshape(found, layout.shape)


def _roots(a: Any) -> Any:
    """The square roots of a stack, checked."""
    singular = np.zeros(len(a), bool)
    if asnumpy(ishermitian(a)).all():
        found = _of_eigenvalues(a, _root_of_eigenvalues)
    else:
        values = asnumpy(eigvals(a)).astype(np.complex128)
        magnitudes = np.abs(values)
        least = _EPSILON * values.shape[1] * magnitudes.max(axis=1)
        singular = magnitudes.min(axis=1) <= least
        if singular.any():
            _warn("Matrix is singular.")
            a = multiply(a, each(np.where(singular, np.nan, 1), _DOUBLE))
            if singular.all():
                return a
        found = _principal_roots(a, values)
    residual = _relative(combination([product(found, found), _as(a, found)], [1, -1]), a)
    if not (residual <= _INACCURATE * _EPSILON * a.shape[-1]).all() and not singular.any():
        _warn("Matrix is ill-conditioned.")
    return found


def _warn(reason: str) -> None:
    warnings.warn(
        f"{reason} The result might be inaccurate or the array might not have a square root.",
        LinAlgWarning,
        stacklevel=4,
    )


def _as(a: Any, like: Any) -> Any:
    return a if a.dtype == like.dtype else a.astype(like.dtype)


def _lengths(a: Any) -> Any:
    """The Frobenius norms of stacked matrices, as an array that broadcasts to them."""
    return vector_norm(a, axis=(-2, -1), keepdims=True)


def _relative(difference: Any, a: Any) -> np.ndarray:
    """Frobenius norms in relation to another matrix's, on the host."""
    found, whole = [asnumpy(_lengths(x)).ravel() for x in (difference, a)]
    return found / np.where(whole == 0, 1, whole)


def _of_eigenvalues(a: Any, function: Any) -> Any:
    """A function of Hermitian matrices, by their eigenvalues."""
    values, vectors = eigh(a)
    found = function(values)
    scaled = multiply(vectors, found[:, None, :])
    return product(scaled, _as(conj(vectors).mT.copy(), scaled))


def _root_of_eigenvalues(values: Any) -> Any:
    host = asnumpy(values)
    least = -_EPSILON * host.shape[1] * np.abs(host).max(axis=1, keepdims=True)
    known = np.where((host < 0) & (host >= least), 0, host)
    return asarray(np.sqrt(known if (known >= 0).all() else known.astype(complex)))


def _principal_roots(a: Any, values: np.ndarray) -> Any:
    """Square roots of matrices with given eigenvalues, none of which is 0."""
    angles = np.angle(values)
    angles = np.where(angles < _ON_AXIS - math.pi, math.pi, angles)
    near = math.pi - np.abs(angles).max(axis=1)
    if a.dtype.kind == "f":
        # Eigenvalues beside the axis come in pairs, so that a matrix with none on it has a real
        # root. The others are complex, and so is the whole array.
        if (near > 0).all():
            return _iterated(a)
        a = a.astype(_COMPLEX)
    # With the axis turned into the gap behind the eigenvalues on it, none is near to it.
    gap = angles.min(axis=1) + math.pi
    turn = np.where(near < _FAR, gap / 2, 0)
    if not turn.any():
        return _iterated(a)
    found = _iterated(multiply(a, each(np.exp(-1j * turn), _COMPLEX)))
    return multiply(found, each(np.exp(0.5j * turn), _COMPLEX))


def _iterated(a: Any) -> Any:
    """Square roots of matrices without eigenvalues on the negative real axis."""
    identity = eye(a.shape[-1], dtype=a.dtype)
    m, x = a, a
    scaled = True
    for _ in range(_MOST_ITERATIONS):
        inverse = solution(m, identity)
        if scaled:
            factor = sqrt(_lengths(inverse) / _lengths(m))
            m, inverse = multiply(m, factor), inverse / factor
            x = multiply(x, sqrt(factor))
        m_next = combination([m, inverse], [0.25, 0.25], 0.5)
        x = product(x, combination([inverse], [0.5], 0.5))
        errors = asnumpy(_lengths(combination([m_next], [1], -1)))
        errors = errors[np.isfinite(errors)]  # the others are NaN, and stay so
        m = m_next
        if not errors.size or errors.max() <= _ALMOST:
            return product(x, combination([solution(m, identity)], [0.5], 0.5))
        scaled = errors.max() > 0.01
    return multiply(x, np.nan)


def logm(A: ArrayLike) -> ndarray:
    """The principal logarithms of matrices.

    Parameters
    ----------
    A : array_like, shape (..., n, n)
        The matrices, without eigenvalues of 0.

    Returns
    -------
    ndarray, shape (..., n, n)
        In double precision; real for real matrices without negative eigenvalues.

    Raises
    ------
    ValueError
        If the array is neither a square matrix nor a stack of them.
    LinAlgError
        If it has infinities or NaN.

    Warns
    -----
    RuntimeWarning
        If the exponential of what was found is not close to the matrix.

    Differences from SciPy
    ----------------------
    There is no Schur decomposition on the device. Errors of matrices that are not Hermitian are
    about the square root of their condition number times the precision; singular ones have no
    result but NaN.

    Notes
    -----
    Square roots until a matrix is near to the identity, then a Padé approximant. It waits for the
    device, at each step of an iteration.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.logm(cp.eye(2))
    array([[0., 0.],
           [0., 0.]])
    """
    a = square_matrices(A, "logm", "expected a square matrix")
    dtype = np.result_type(function_dtype(a._layout.dtype), _DOUBLE)
    if not a._layout.size:
        return _array.empty(_layout.contiguous(dtype, a._layout.shape))
    matrices = stacked(a, dtype)
    found = _logarithms(matrices)
    back = exponential(found)
    error = norms(combination([back, _as(matrices, back)], [1, -1])) / norms(matrices)
    if not (error < _INACCURATE * _EPSILON).all():
        warnings.warn(
            f"logm result may be inaccurate, approximate err = {error.max()}",
            RuntimeWarning,
            stacklevel=2,
        )
    return reshape(found, a._layout.shape)


def _logarithms(a: Any) -> Any:
    if asnumpy(ishermitian(a)).all():
        return _of_eigenvalues(a, _logarithm_of_eigenvalues)
    values = asnumpy(eigvals(a)).astype(np.complex128)
    singular = ~(np.abs(values).min(axis=1) > 0)
    if singular.any():
        a = multiply(a, each(np.where(singular, np.nan, 1), _DOUBLE))
    count = 0
    root = a
    while (norms(combination([root], [1], -1)) > _LOGARITHM_RADIUS).any():
        root = _principal_roots(root, values) if not count else _iterated(root)
        count += 1
    difference = combination([root], [1], -1)
    nodes, weights = np.polynomial.legendre.leggauss(7)
    terms = [solution(combination([difference], [(1 + node) / 2], 1), difference) for node in nodes]
    return combination(terms, [2.0**count * weight / 2 for weight in weights])


def _logarithm_of_eigenvalues(values: Any) -> Any:
    host = asnumpy(values)
    return log(values if (host > 0).all() else values.astype(_COMPLEX))


def fractional_matrix_power(A: ArrayLike, t: float) -> ndarray:
    """Real powers of matrices.

    Parameters
    ----------
    A : array_like, shape (..., n, n)
        The matrices.
    t : float
        The power.

    Returns
    -------
    ndarray, shape (..., n, n)
        The power; in double precision unless `t` is an integer.

    Raises
    ------
    ValueError
        If the array is neither a square matrix nor a stack of them.

    Differences from SciPy
    ----------------------
    There is no Schur decomposition on the device. Hermitian matrices have powers of their
    eigenvalues, others ``expm(f * logm(A))`` times an integer power, for the nearest integer and
    what is left; singular ones have no result but NaN, with the warning of `logm`.

    Notes
    -----
    It waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.fractional_matrix_power(cp.array([[5.0, 4.0], [4.0, 5.0]]), 0.5)
    array([[2., 1.],
           [1., 2.]])
    """
    a = square_matrices(A, "fractional_matrix_power")
    t = float(t)
    if t == int(t):
        return matrix_power(a, int(t))
    dtype = np.result_type(function_dtype(a._layout.dtype), _DOUBLE)
    if not a._layout.size:
        return _array.empty(_layout.contiguous(dtype, a._layout.shape))
    matrices = stacked(a, dtype)
    if asnumpy(ishermitian(matrices)).all():
        found = _of_eigenvalues(matrices, lambda values: _power_of_eigenvalues(values, t))
    else:
        whole = round(t)
        found = expm(multiply(logm(matrices), t - whole))
        if whole:
            found = product(found, matrix_power(_as(matrices, found), whole))
    return reshape(found, a._layout.shape)


def _power_of_eigenvalues(values: Any, t: float) -> Any:
    host = asnumpy(values)
    return power(values if (host >= 0).all() else values.astype(_COMPLEX), t)


def signm(A: ArrayLike) -> ndarray:
    """The signs of matrices: their eigenvalues become 1 and -1, by the signs of their real parts.

    Parameters
    ----------
    A : array_like, shape (..., n, n)
        The matrices, without eigenvalues on the imaginary axis.

    Returns
    -------
    ndarray, shape (..., n, n)
        The matrices' signs.

    Raises
    ------
    ValueError
        If the array is neither a square matrix nor a stack of them.

    Warns
    -----
    LinAlgWarning
        If the square of what was found is not close to the identity.

    Differences from SciPy
    ----------------------
    There is no Schur decomposition on the device: Newton's iteration finds the sign, and
    eigenvalues of 0 have none.

    Notes
    -----
    It waits for the device, at each step of the iteration.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.signm(cp.array([[2.0, 0.0], [0.0, -3.0]]))
    array([[ 1.,  0.],
           [ 0., -1.]])
    """
    a = square_matrices(A, "signm")
    dtype = function_dtype(a._layout.dtype)
    if not a._layout.size:
        return _array.empty(_layout.contiguous(dtype, a._layout.shape))
    x = stacked(a, np.result_type(dtype, _DOUBLE))
    identity = eye(x.shape[-1], dtype=x.dtype)
    scaled = True
    for _ in range(_MOST_ITERATIONS):
        inverse = solution(x, identity)
        factor = sqrt(_lengths(inverse) / _lengths(x)) if scaled else None
        if factor is not None:
            x_scaled, inverse = multiply(x, factor), inverse / factor
        else:
            x_scaled = x
        next_x = combination([x_scaled, inverse], [0.5, 0.5])
        change = _relative(combination([next_x, x], [1, -1]), next_x).max()
        x = next_x
        if (not scaled and change <= _ALMOST) or not math.isfinite(change):
            break
        scaled = change > 0.01
    error = float(asnumpy(_lengths(combination([product(x, x)], [1], -1)).max()))
    if not error <= _INACCURATE * _EPSILON * a.shape[-1]:
        warnings.warn(
            f"signm result may be inaccurate, approximate err = {error}",
            LinAlgWarning,
            stacklevel=2,
        )
    return reshape(x if x.dtype == dtype else x.astype(dtype), a._layout.shape)
