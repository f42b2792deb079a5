"""Trigonometric and hyperbolic functions of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _layout
from gpuarray._ops.manipulation import as_array, reshape
from gpuarray._ops.math import multiply
from gpuarray.kernels.elementwise import copies
from gpuarray.scipy.linalg._exponential import (
    expm,
    function_dtype,
)
from gpuarray.scipy.linalg._matrix_arithmetic import (
    checked_solution,
    combination,
    stacked,
)

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["coshm", "cosm", "sinhm", "sinm", "tanhm", "tanm"]


def square_matrices(A: Any, name: str, message: str = "expected square array_like input") -> Any:
    """An argument that has to be square matrices."""
    a = as_array(A, name)
    shape = a._layout.shape
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise ValueError(message)
    return a


def _exponentials(a: Any, *factors: complex) -> list[Any]:
    """The exponentials of multiples of matrices, as a stack each."""
    dtype = function_dtype(a._layout.dtype)
    if any(isinstance(x, complex) for x in factors):
        dtype = np.result_type(dtype, np.complex64)
    matrices = stacked(a, dtype)
    return [expm(matrices if x == 1 else multiply(matrices, x)) for x in factors]


def _in_shape(found: Any, a: Any) -> Any:
    """A stack in the shape of the argument."""
    return reshape(found, a._layout.shape)


def _cosine_and_sine(a: Any) -> tuple[Any, Any]:
    if a._layout.dtype.kind == "c":
        forward, backward = _exponentials(a, 1j, -1j)
        cosine = combination([forward, backward], [0.5, 0.5])
        return cosine, combination([forward, backward], [-0.5j, 0.5j])
    [found] = _exponentials(a, 1j)
    return copies.copy(found.real, "C"), copies.copy(found.imag, "C")


def _hyperbolic(a: Any) -> tuple[Any, Any]:
    """The hyperbolic cosine and sine."""
    both = _exponentials(a, 1, -1)
    return combination(both, [0.5, 0.5]), combination(both, [0.5, -0.5])


def _empty(a: Any) -> Any:
    return _array.empty(_layout.contiguous(function_dtype(a._layout.dtype), a._layout.shape))


def cosm(A: ArrayLike) -> ndarray:
    """The cosine of matrices.

    Parameters
    ----------
    A : array_like, shape (..., n, n)
        The matrices.

    Returns
    -------
    ndarray, shape (..., n, n)
        Real for real matrices.

    Raises
    ------
    ValueError
        If the array is neither a square matrix nor a stack of them.

    Notes
    -----
    The real part of the exponential of ``1j * A``, or two exponentials of complex matrices; it
    waits for the device as `expm` does.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.cosm(cp.zeros((2, 2)))
    array([[1., 0.],
           [0., 1.]])
    """
    a = square_matrices(A, "cosm")
    return _in_shape(_cosine_and_sine(a)[0], a) if a._layout.size else _empty(a)


def sinm(A: ArrayLike) -> ndarray:
    """The sine of matrices.

    Parameters
    ----------
    A : array_like, shape (..., n, n)
        The matrices.

    Returns
    -------
    ndarray, shape (..., n, n)
        Real for real matrices.

    Raises
    ------
    ValueError
        If the array is neither a square matrix nor a stack of them.

    Notes
    -----
    The imaginary part of the exponential of ``1j * A``, or two exponentials of complex matrices; it
    waits for the device as `expm` does.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.sinm(cp.array([[0.0, 1.0], [0.0, 0.0]]))
    array([[0., 1.],
           [0., 0.]])
    """
    a = square_matrices(A, "sinm")
    return _in_shape(_cosine_and_sine(a)[1], a) if a._layout.size else _empty(a)


def tanm(A: ArrayLike) -> ndarray:
    """The tangent of matrices.

    Parameters
    ----------
    A : array_like, shape (..., n, n)
        The matrices.

    Returns
    -------
    ndarray, shape (..., n, n)
        Real for real matrices.

    Raises
    ------
    ValueError
        If the array is neither a square matrix nor a stack of them.
    LinAlgError
        If a cosine is singular, as ``errstate(linalg=)`` says.

    Notes
    -----
    The solution X of ``cosm(A) @ X == sinm(A)``; it waits for the device as `expm` does.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.tanm(cp.array([[0.0, 1.0], [0.0, 0.0]]))
    array([[0., 1.],
           [0., 0.]])
    """
    a = square_matrices(A, "tanm")
    return _in_shape(checked_solution(*_cosine_and_sine(a)), a) if a._layout.size else _empty(a)


def coshm(A: ArrayLike) -> ndarray:
    """The hyperbolic cosine of matrices.

    Parameters
    ----------
    A : array_like, shape (..., n, n)
        The matrices.

    Returns
    -------
    ndarray, shape (..., n, n)
        Real for real matrices.

    Raises
    ------
    ValueError
        If the array is neither a square matrix nor a stack of them.

    Notes
    -----
    The mean of two exponentials; it waits for the device as `expm` does.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.coshm(cp.zeros((2, 2)))
    array([[1., 0.],
           [0., 1.]])
    """
    a = square_matrices(A, "coshm")
    return _in_shape(_hyperbolic(a)[0], a) if a._layout.size else _empty(a)


def sinhm(A: ArrayLike) -> ndarray:
    """The hyperbolic sine of matrices.

    Parameters
    ----------
    A : array_like, shape (..., n, n)
        The matrices.

    Returns
    -------
    ndarray, shape (..., n, n)
        Real for real matrices.

    Raises
    ------
    ValueError
        If the array is neither a square matrix nor a stack of them.

    Notes
    -----
    Half the difference of two exponentials; it waits for the device as `expm` does.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.sinhm(cp.array([[0.0, 1.0], [0.0, 0.0]]))
    array([[0., 1.],
           [0., 0.]])
    """
    a = square_matrices(A, "sinhm")
    return _in_shape(_hyperbolic(a)[1], a) if a._layout.size else _empty(a)


def tanhm(A: ArrayLike) -> ndarray:
    """The hyperbolic tangent of matrices.

    Parameters
    ----------
    A : array_like, shape (..., n, n)
        The matrices.

    Returns
    -------
    ndarray, shape (..., n, n)
        Real for real matrices.

    Raises
    ------
    ValueError
        If the array is neither a square matrix nor a stack of them.
    LinAlgError
        If a hyperbolic cosine is singular, as ``errstate(linalg=)`` says.

    Notes
    -----
    The solution X of ``coshm(A) @ X == sinhm(A)``; it waits for the device as `expm` does.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.tanhm(cp.array([[0.0, 1.0], [0.0, 0.0]]))
    array([[0., 1.],
           [0., 0.]])
    """
    a = square_matrices(A, "tanhm")
    return _in_shape(checked_solution(*_hyperbolic(a)), a) if a._layout.size else _empty(a)
