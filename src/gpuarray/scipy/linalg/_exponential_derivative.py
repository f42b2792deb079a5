"""The derivative of the exponential of matrices, and its condition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _broadcasting, _layout
from gpuarray._ops.blocks import block
from gpuarray._ops.creation import eye
from gpuarray._ops.creation_like import zeros_like
from gpuarray._ops.dimensions import broadcast_to
from gpuarray._ops.joining import stack
from gpuarray._ops.manipulation import as_array, reshape
from gpuarray._ops.math import multiply
from gpuarray._ops.matrix_operands import real_dtype
from gpuarray._ops.selection import where
from gpuarray.kernels.elementwise import copies
from gpuarray.linalg._decompositions import svdvals
from gpuarray.linalg._norms import vector_norm
from gpuarray.scipy.linalg._exponential import (
    coefficients,
    each,
    exponential,
    function_dtype,
    halvings,
    norms,
)
from gpuarray.scipy.linalg._matrix_arithmetic import (
    combination,
    product,
    solution,
    stacked,
)

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["expm_cond", "expm_frechet"]

#: Up to which norm the derivative of the Padé approximant of degree 13 is exact to double precision
#: (A. H. Al-Mohy and N. J. Higham, Computing the Fréchet derivative of the matrix exponential, SIAM
#: J. Matrix Anal. Appl. 30, 2009).
_RADIUS = 4.74


def expm_frechet(
    A: ArrayLike,
    E: ArrayLike,
    method: str | None = None,
    compute_expm: bool = True,
    check_finite: bool = True,
) -> Any:
    """The derivative of the matrix exponential in a direction.

    Parameters
    ----------
    A : array_like, shape (..., n, n)
        Where.
    E : array_like, shape (..., n, n)
        The direction.
    method : {None, 'SPS', 'blockEnlarge'}, optional
        Scaling, Padé approximant and squaring, or the exponential of a matrix of four blocks.
    compute_expm : bool, optional
        Whether to return the exponential, too.
    check_finite : bool, optional
        Whether infinities and NaN raise.

    Returns
    -------
    expm_A : ndarray, shape (..., n, n)
        The exponential; only with `compute_expm`.
    expm_frechet_AE : ndarray, shape (..., n, n)
        The derivative.

    Raises
    ------
    ValueError
        If the matrices are not square, or of different sizes; if they are to be finite and are not.

    Notes
    -----
    It waits for the device, for norms.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.expm_frechet(cp.zeros((2, 2)), cp.eye(2), compute_expm=False)
    array([[1., 0.],
           [0., 1.]])
    """
    given = [as_array(A, "expm_frechet"), as_array(E, "expm_frechet")]
    for x, name in zip(given, "AE"):
        if x._layout.ndim < 2 or x._layout.shape[-1] != x._layout.shape[-2]:
            raise ValueError(f"expected {name} to be a square matrix")
    if given[0]._layout.shape[-1] != given[1]._layout.shape[-1]:
        raise ValueError("expected A and E to be the same shape")
    if method not in (None, "SPS", "blockEnlarge"):
        raise ValueError(f"Unknown implementation {method}")
    shape = _broadcasting.broadcast_shapes([x._layout.shape for x in given])
    dtype = np.result_type(*[function_dtype(x._layout.dtype) for x in given])
    if 0 in shape:
        found = [_array.empty(_layout.contiguous(dtype, shape)) for _ in given]
        return tuple(found) if compute_expm else found[1]
    a, direction = [stacked(broadcast_to(x, shape), dtype) for x in given]
    norm = norms(a)
    if check_finite and not (np.isfinite(norm).all() and np.isfinite(norms(direction)).all()):
        raise ValueError("array must not contain infs or NaNs")
    found = _enlarged(a, direction) if method == "blockEnlarge" else _derived(a, direction, norm)
    found = [reshape(x, shape) for x in found]
    return tuple(found) if compute_expm else found[1]


def expm_cond(A: ArrayLike, check_finite: bool = True) -> ndarray:
    """The relative condition numbers of the exponential at matrices, in the Frobenius norm.

    Parameters
    ----------
    A : array_like, shape (..., n, n)
        The matrices.
    check_finite : bool, optional
        Whether infinities and NaN raise.

    Returns
    -------
    ndarray, shape (...)
        By how much relative errors of a matrix grow in its exponential.

    Raises
    ------
    ValueError
        If the array is neither a square matrix nor a stack of them; if it is to be finite and is
        not.

    Notes
    -----
    The derivatives in all ``n * n`` directions at once, for one matrix after the other: the memory
    grows with the fourth power of `n`. It waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.expm_cond(cp.eye(2)).round(6)
    array(1.)
    """
    a = as_array(A, "expm_cond")
    shape = a._layout.shape
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise ValueError("expected a square matrix")
    dtype = function_dtype(a._layout.dtype)
    if not a._layout.size:
        raise ValueError(f"expm_cond: a matrix of shape {shape} has no condition number")
    size = shape[-1]
    directions = reshape(eye(size * size, dtype=dtype), (size * size, size, size))
    found = []
    for x in stacked(a, dtype):
        value, changes = expm_frechet(x, directions, check_finite=check_finite)
        change = svdvals(reshape(changes, (size * size, size * size)))[0]
        found.append(change * vector_norm(x) / vector_norm(value[0]))
    return reshape(stack(found), shape[:-2])


def _enlarged(a: Any, direction: Any) -> list[Any]:
    size = a._layout.shape[-1]
    found = exponential(block([[a, direction], [zeros_like(a), a]]))
    return [copies.copy(found[:, :size, part], "C") for part in (slice(size), slice(size, None))]


def _derived(a: Any, direction: Any, norm: np.ndarray) -> list[Any]:
    squarings = halvings(np.where(np.isfinite(norm), norm, 0) / _RADIUS)
    if squarings.any():
        factors = each(np.ldexp(1.0, -squarings), real_dtype(a._layout.dtype))
        a, direction = multiply(a, factors), multiply(direction, factors)
    b = coefficients(13)
    # Powers, and their derivatives.
    second = product(a, a)
    fourth = product(second, second)
    sixth = product(fourth, second)
    d_second = _derivative(a, direction, a, direction)
    d_fourth = _derivative(second, d_second, second, d_second)
    d_sixth = _derivative(fourth, d_fourth, second, d_second)
    powers, d_powers = [sixth, fourth, second], [d_sixth, d_fourth, d_second]
    parts = []
    for first in (1, 0):  # the odd part but for a factor, then the even part
        high, low = b[12 + first : 7 : -2][:3], b[6 + first : 1 : -2]
        inner = combination(powers, high)
        value = combination([product(sixth, inner), *powers], [1, *low], b[first])
        d_inner = combination(d_powers, high)
        terms = [product(sixth, d_inner), product(d_sixth, inner)]
        parts += [value, combination([*terms, *d_powers], [1, 1, *low])]
    factor, d_factor, even, d_even = parts
    odd = product(a, factor)
    d_odd = _derivative(a, direction, factor, d_factor)
    denominator = combination([even, odd], [1, -1])
    value = solution(denominator, combination([even, odd], [1, 1]))
    change = product(combination([d_odd, d_even], [1, -1]), value)
    derivative = solution(denominator, combination([d_even, d_odd, change], [1, 1, 1]))
    for count in range(1, int(squarings.max()) + 1):
        doubled = _derivative(value, derivative, value, derivative)
        squared = product(value, value)
        wanted = squarings >= count
        if not wanted.all():
            chosen = each(wanted, np.dtype(bool))
            doubled, squared = where(chosen, doubled, derivative), where(chosen, squared, value)
        value, derivative = squared, doubled
    return [value, derivative]


def _derivative(x: Any, dx: Any, y: Any, dy: Any) -> Any:
    """That of a product."""
    return combination([product(x, dy), product(dx, y)], [1, 1])
