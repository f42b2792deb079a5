"""Decompositions of matrices: QR and singular values."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np

from gpuarray import _array, _layout
from gpuarray._layout import Layout
from gpuarray._libraries.qr import qr_call
from gpuarray._ops import eigenvalues
from gpuarray._ops.along_axis import take_along_axis
from gpuarray._ops.floating import copysign
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import absolute, conj, multiply
from gpuarray._ops.matrix_operands import check_stacked, common_dtype
from gpuarray._ops.singular_values import decompose, identities
from gpuarray._ops.small_matrices import on_small
from gpuarray._ops.sorting import argsort
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import small_matrix

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["qr", "svd", "svdvals"]


class QRResult(NamedTuple):
    """What `qr` returns."""

    Q: ndarray
    R: ndarray


class SVDResult(NamedTuple):
    """What `svd` returns."""

    U: ndarray
    S: ndarray
    Vh: ndarray


@overload
def qr(a: ArrayLike, mode: Literal["reduced", "complete"] = "reduced") -> QRResult: ...
@overload
def qr(a: ArrayLike, mode: Literal["r"]) -> ndarray: ...
@overload
def qr(a: ArrayLike, mode: Literal["raw"]) -> tuple[ndarray, ndarray]: ...


def qr(a: ArrayLike, mode: str = "reduced") -> Any:
    """The QR factorisations of matrices: orthonormal columns times an upper triangle.

    Parameters
    ----------
    a : ndarray, shape (..., M, N)
        The matrices.
    mode : {'reduced', 'complete', 'r', 'raw'}, optional
        With K = min(M, N), 'reduced' gives Q of shape (..., M, K) and R of shape (..., K, N),
        'complete' gives Q of shape (..., M, M) and R of shape (..., M, N). 'r' gives R alone, of
        shape (..., K, N). 'raw' gives LAPACK's form: ``h`` of shape (..., N, M), the transposed
        matrices of R and the reflectors below it, and their factors ``tau`` of shape (..., K).

    Returns
    -------
    QRResult
        A named tuple with the attributes Q and R; for the modes 'r' and 'raw' see there.

    Raises
    ------
    numpy.linalg.LinAlgError
        For an array of fewer than two dimensions.
    ValueError
        If `mode` is another one; if Q of stacked matrices, or of less than 512 columns, had 2**31
        elements or more.
    TypeError
        If the elements are no numbers, or of a precision that is neither single nor double.

    Differences from NumPy
    ----------------------
    float32 and complex64 are computed in their own precision. The modes 'full', 'economic' and
    their letters, which NumPy has deprecated, are 'reduced' and an error.

    Notes
    -----
    Nothing waits for the device. Matrices of up to 32 rows and columns take one launch; others
    cannot be captured into a graph.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.array([[3.0, 1.0], [4.0, 2.0]])
    >>> q, r = cp.linalg.qr(a)
    >>> cp.allclose(q @ r, a)
    array(True)
    >>> abs(r.round(4))
    array([[5. , 2.2],
           [0. , 0.4]])
    """
    a = as_array(a, "linalg.qr")
    if mode not in ("reduced", "complete", "r", "raw"):
        mode = _older_mode(mode)
    found = _factors_call(current.stream, a._layout, mode)(a)
    return QRResult(*found) if mode in ("reduced", "complete") else found


@planned
def _factors_call(stream: Stream, a: Layout, mode: str) -> Callable[[Any], Any]:
    check_stacked(a)
    dtype = common_dtype(a)
    if not a.size:
        return lambda x: _factors_of_nothing(a, dtype, mode)
    if small_matrix.launch.is_small(_layout.contiguous(dtype, a.shape)):
        return on_small(small_matrix.launch.qr_call, stream, "qr", dtype, None, (a,), mode)
    return qr_call(stream, a, dtype, mode)


def _older_mode(mode: object) -> str:
    if mode not in ("f", "full"):
        raise ValueError(f"Unrecognized mode {mode!r}: give 'reduced', 'complete', 'r' or 'raw'")
    warnings.warn(
        "linalg.qr: NumPy has deprecated the mode 'full'; it is called 'reduced'",
        DeprecationWarning,
        stacklevel=3,
    )
    return "reduced"


def _factors_of_nothing(layout: Layout, dtype: np.dtype, mode: str) -> Any:
    *batch, m, n = layout.shape
    k = min(m, n)
    if mode == "raw":
        shapes = (*batch, n, m), (*batch, k)
        return tuple([_array.empty(_layout.contiguous(dtype, shape)) for shape in shapes])
    rows = m if mode == "complete" else k
    r = _array.empty(_layout.contiguous(dtype, (*batch, rows, n)))
    return r if mode == "r" else (identities(tuple(batch), m, rows, dtype), r)


@overload
def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: Literal[True] = True,
    hermitian: bool = False,
) -> SVDResult: ...
@overload
def svd(
    a: ArrayLike, full_matrices: bool = True, *, compute_uv: Literal[False], hermitian: bool = False
) -> ndarray: ...


def svd(
    a: ArrayLike, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """The singular value decompositions of matrices: ``U @ diag(S) @ Vh``.

    Parameters
    ----------
    a : ndarray, shape (..., M, N)
        The matrices.
    full_matrices : bool, optional
        Whether U is of shape (..., M, M) and Vh of shape (..., N, N). Else they are of the shapes
        (..., M, K) and (..., K, N) with K = min(M, N).
    compute_uv : bool, optional
        Whether the singular vectors are wanted, besides the singular values.
    hermitian : bool, optional
        Whether the matrices are Hermitian, which is faster. The triangle above the diagonal is not
        read then.

    Returns
    -------
    SVDResult or ndarray
        A named tuple with the attributes U, S and Vh. S has the shape (..., K) and a real dtype,
        and the singular values in descending order. Without vectors it is S alone.

    Raises
    ------
    numpy.linalg.LinAlgError
        If a matrix has a NaN, or the algorithm does not converge; with
        ``errstate(linalg="ignore")`` the results of that matrix are NaN instead. For an array of
        fewer than two dimensions.
    TypeError
        If the elements are no numbers, or of a precision that is neither single nor double.

    Differences from NumPy
    ----------------------
    float32 and complex64 are computed in their own precision. All results of a matrix with an
    infinity are NaN.

    Notes
    -----
    It waits for the device. Matrices of up to 32 rows and columns take one launch, by Jacobi's
    method, which finds small singular values of scaled columns to their own precision, too; with
    ``errstate(linalg="ignore")`` that can be captured into a graph. Matrices with more than 32 rows
    and columns are decomposed by a polar decomposition, and once more by QR iterations if that is
    not accurate to the precision of the dtype, as of singular ones. Of long matrices with few rows
    or few columns R of a QR factorisation is decomposed as small matrices are.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.array([[3.0, 0.0], [4.0, 5.0], [0.0, 0.0]])
    >>> u, s, vh = cp.linalg.svd(a, full_matrices=False)
    >>> s.round(4)
    array([6.7082, 2.2361])
    >>> u.shape, vh.shape
    ((3, 2), (2, 2))
    """
    a = as_array(a, "linalg.svd")
    if hermitian:
        return _of_hermitian(a, compute_uv)
    found = decompose(a, bool(compute_uv), bool(full_matrices), "linalg.svd")
    return SVDResult(*found) if compute_uv else found[0]


def _of_hermitian(a: ndarray, vectors: bool) -> Any:
    """Singular values are the moduli of eigenvalues; one side's vectors get their signs."""
    found = eigenvalues.hermitian(a, True, vectors)
    values, v = found if vectors else (found, None)
    s = absolute(values)
    order = argsort(s)[..., ::-1]
    s = take_along_axis(s, order, axis=-1)
    if v is None:
        return s
    signs = take_along_axis(copysign(1, values), order, axis=-1)
    u = take_along_axis(v, order[..., None, :], axis=-1)
    signed = conj(multiply(u, signs[..., None, :]))
    return SVDResult(u, s, signed.swapaxes(-1, -2).copy())


def svdvals(x: ArrayLike, /) -> ndarray:
    """The singular values of matrices.

    Parameters
    ----------
    x : ndarray, shape (..., M, N)
        The matrices.

    Returns
    -------
    ndarray, shape (..., K)
        The K = min(M, N) singular values in descending order, in a real dtype.

    Raises
    ------
    numpy.linalg.LinAlgError, TypeError
        As of `svd`.

    Notes
    -----
    It waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.linalg.svdvals(cp.array([[0.0, 2.0], [3.0, 0.0]]))
    array([3., 2.])
    """
    return decompose(as_array(x, "linalg.svdvals"), False, False, "linalg.svdvals")[0]
