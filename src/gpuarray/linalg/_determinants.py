"""Determinants, of the section of norms and other numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuarray import _layout
from gpuarray._layout import Layout
from gpuarray._libraries import lu
from gpuarray._ops.creation import ones, zeros
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.matrix_operands import check_square, common_dtype, real_dtype
from gpuarray._ops.small_matrices import on_small
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import small_matrix

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["det", "slogdet"]


class SlogdetResult(NamedTuple):
    """The sign and the logarithm of a determinant, as `slogdet` returns them."""

    sign: Any
    logabsdet: Any


def det(a: ArrayLike) -> ndarray:
    """The determinants of matrices.

    Parameters
    ----------
    a : ndarray, shape (..., n, n)
        A matrix or stacked ones.

    Returns
    -------
    ndarray, shape (...)
        The determinants, of integers and bools in float64. That of a singular matrix is 0.

    Raises
    ------
    LinAlgError
        If a matrix is not square.
    TypeError
        For float16, and for what is no number.

    See Also
    --------
    slogdet : Where the determinant would be infinite or zero.

    Differences from NumPy
    ----------------------
    The product of the pivots is formed as it is, not by logarithms.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.linalg.det(cp.array([[1, 2], [3, 4]]))
    array(-2.)
    """
    a = as_array(a, "det")
    return _plan_determinants(current.stream, a._layout, "det")(a)


def slogdet(a: ArrayLike) -> SlogdetResult:
    """The signs of determinants and the logarithms of their absolute values.

    Parameters
    ----------
    a : ndarray, shape (..., n, n)
        A matrix or stacked ones.

    Returns
    -------
    sign : ndarray, shape (...)
        1, -1 or, of a singular matrix, 0; of a complex matrix a number of absolute value 1, or 0.
    logabsdet : ndarray, shape (...)
        The logarithms, real; minus infinity of a singular matrix.

    Raises
    ------
    LinAlgError
        If a matrix is not square.
    TypeError
        For float16, and for what is no number.

    See Also
    --------
    det

    Examples
    --------
    >>> import gpuarray as cp
    >>> sign, logarithm = cp.linalg.slogdet(cp.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> sign, logarithm
    (array(-1.), array(0.))
    """
    a = as_array(a, "slogdet")
    return SlogdetResult(*_plan_determinants(current.stream, a._layout, "slogdet")(a))


@planned
def _plan_determinants(stream: Stream, a: Layout, name: str) -> Callable[[Any], Any]:
    check_square(a)
    dtype = common_dtype(a)
    logarithm = name == "slogdet"
    batch = a.shape[:-2]
    if not a.size:
        # The product of nothing is 1.
        if logarithm:
            return lambda a: (ones(batch, dtype), zeros(batch, real_dtype(dtype)))
        return lambda a: ones(batch, dtype)
    if small_matrix.launch.is_small(_layout.contiguous(dtype, a.shape)):
        kernels = small_matrix.launch
        make = kernels.log_determinant_call if logarithm else kernels.determinant_call
        return on_small(make, stream, name, dtype, None, (a,))
    return lu.determinant_call(stream, a, dtype, logarithm)
