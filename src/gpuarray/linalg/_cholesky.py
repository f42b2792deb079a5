"""Cholesky factorisations, of the section of decompositions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gpuarray import _layout
from gpuarray._layout import Layout
from gpuarray._libraries.cholesky import cholesky_call
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.matrix_operands import check_square, common_dtype
from gpuarray._ops.small_matrices import on_small
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import small_matrix
from gpuarray.linalg._checked_plans import result_of, without_elements

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["cholesky"]


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
