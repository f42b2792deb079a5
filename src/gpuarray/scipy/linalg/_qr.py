"""QR and RQ factorisations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuarray._libraries.qr import product_call
from gpuarray._ops.creation import zeros
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import conj
from gpuarray._ops.matrix_operands import common_dtype
from gpuarray._ops.triangles import triu
from gpuarray._runtime.current_stream import current
from gpuarray.linalg import _decompositions

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["qr", "qr_multiply", "rq"]


def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: int | None = None,
    mode: str = "full",
    pivoting: bool = False,
    check_finite: bool = True,
) -> Any:
    """The QR factorisations of matrices: orthonormal columns times an upper triangle.

    Parameters
    ----------
    a : ndarray, shape (..., M, N)
        The matrices.
    overwrite_a, lwork, check_finite : optional
        Ignored.
    mode : {'full', 'r', 'economic', 'raw'}, optional
        'full' gives Q of shape (..., M, M) and R of shape (..., M, N), 'r' that R alone. With
        K = min(M, N), 'economic' gives Q of shape (..., M, K) and R of shape (..., K, N). 'raw'
        gives LAPACK's form of Q and that R.
    pivoting : bool, optional
        Only False.

    Returns
    -------
    Q : ndarray, or a tuple of two
        Not for the mode 'r'; for 'raw' the reflectors, of shape (..., M, N), and their factors, of
        shape (..., K).
    R : ndarray
        Upper triangles. For the mode 'r' it is in a tuple of one.

    Raises
    ------
    ValueError
        For an array of fewer than two dimensions, and for another mode.
    NotImplementedError
        If columns are to be permuted (`pivoting`).
    TypeError
        If the elements are no numbers, or of a precision that is neither single nor double.

    Differences from SciPy
    ----------------------
    Columns are not permuted. Nothing is checked for infinities and NaN. float16 is refused.

    Notes
    -----
    Nothing waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.array([[3.0, 1.0], [4.0, 2.0], [0.0, 1.0]])
    >>> q, r = cp.scipy.linalg.qr(a)
    >>> q.shape, r.shape, bool(cp.allclose(q @ r, a))
    ((3, 3), (3, 2), True)
    """
    if mode not in ("full", "r", "economic", "raw"):
        raise ValueError(
            f"qr: mode {mode!r}; the argument should be one of 'full', 'r', 'economic', 'raw'"
        )
    _refuse_pivoting("qr", pivoting)
    a = _matrices(a, "scipy.linalg.qr")
    *_, m, n = a._layout.shape
    if mode == "raw":
        h, tau = _decompositions.qr(a, "raw")
        packed = h.swapaxes(-1, -2)
        return (packed, tau), triu(packed[..., : min(m, n), :])
    if mode == "r":
        return (_with_rows(_decompositions.qr(a, "r"), m),)
    found = _decompositions.qr(a, "complete" if mode == "full" else "reduced")
    return found[0], found[1]


def _matrices(a: ArrayLike, name: str) -> ndarray:
    a = as_array(a, name)
    if a._layout.ndim < 2:
        raise ValueError(f"{name}: expected at least a 2-D array, got {a._layout.ndim} dimensions")
    return a


def _refuse_pivoting(name: str, pivoting: bool) -> None:
    if pivoting:
        raise NotImplementedError(
            f"{name}: pivoting=True is not supported; use scipy.linalg.{name} on the host"
        )


def _with_rows(r: Any, m: int) -> Any:
    """Upper triangles with rows of zeros below."""
    *batch, k, n = r._layout.shape
    if k == m:
        return r
    result = zeros((*batch, m, n), r._layout.dtype)
    result[..., :k, :] = r
    return result


def qr_multiply(
    a: ArrayLike,
    c: ArrayLike,
    mode: str = "right",
    pivoting: bool = False,
    conjugate: bool = False,
    overwrite_a: bool = False,
    overwrite_c: bool = False,
) -> tuple[ndarray, ndarray]:
    """The product of a matrix with Q of a QR factorisation, which is not made for it.

    Parameters
    ----------
    a : ndarray, shape (M, N)
        The matrix that is factorised. K is min(M, N).
    c : ndarray, shape (K, P) or (P, M) or one-dimensional
        The other factor. One dimension is a column on the right of Q, and a row on its left.
    mode : {'right', 'left'}, optional
        The side on which Q stands: 'left' gives ``Q @ c``, 'right' ``c @ Q``.
    pivoting : bool, optional
        Only False.
    conjugate : bool, optional
        Whether Q is conjugated.
    overwrite_a, overwrite_c : optional
        Ignored.

    Returns
    -------
    CQ : ndarray
        The product with the first K columns of Q: of shape (M, P), or (P, K).
    R : ndarray, shape (K, N)
        Upper triangles.

    Raises
    ------
    ValueError
        For other shapes or another mode.
    NotImplementedError
        If columns are to be permuted (`pivoting`).
    TypeError
        If the elements are no numbers, or of a precision that is neither single nor double.

    Differences from SciPy
    ----------------------
    Columns are not permuted. float16 is refused.

    Notes
    -----
    Nothing waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> product, r = cp.scipy.linalg.qr_multiply(cp.array([[3.0], [4.0]]), cp.array([3.0, 4.0]))
    >>> abs(product), abs(r)
    (array([5.]), array([[5.]]))
    """
    if mode not in ("left", "right"):
        raise ValueError(f"qr_multiply: mode {mode!r}; it can only be 'left' or 'right'")
    _refuse_pivoting("qr_multiply", pivoting)
    a, c = as_array(a, "scipy.linalg.qr_multiply"), as_array(c, "scipy.linalg.qr_multiply")
    if a._layout.ndim != 2 or c._layout.ndim not in (1, 2):
        raise ValueError(
            f"qr_multiply: a must be a matrix and c a matrix or a vector, not of shapes {a.shape} "
            f"and {c.shape}"
        )
    m, n = a._layout.shape
    k = min(m, n)
    left, single = mode == "left", c._layout.ndim == 1
    # The matrix whose columns are multiplied by Q or its adjoint, a row each.
    rows = c[None] if single else c.T if left else c
    if rows._layout.shape[1] != (k if left else m):
        raise ValueError(
            f"qr_multiply: Array shapes are not compatible for {'Q @ c' if left else 'c @ Q'} "
            f"operation: Q of {(m, k)} and c of {c.shape}"
        )
    dtype = common_dtype(a._layout, c._layout)
    # Q @ c, and c times the conjugate of Q, are what the library multiplies by.
    conjugated = dtype.kind == "c" and bool(conjugate) == left
    if conjugated:
        rows = conj(rows)
    if left and k < m:
        extended = zeros((rows._layout.shape[0], m), dtype)
        extended[:, :k] = rows
        rows = extended
    if a._layout.size:
        run = product_call(current.stream, a._layout, rows._layout, dtype, not left)
        r, product = run(a, rows)
    else:
        r, product = zeros((k, n), dtype), rows.astype(dtype)
    if conjugated:
        product = conj(product)
    product = product if left else product[:, :k]
    if single:
        return product[0].copy(), r
    return (product.T if left else product).copy("C"), r


def rq(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: int | None = None,
    mode: str = "full",
    check_finite: bool = True,
) -> Any:
    """The RQ factorisations of matrices: an upper triangle times orthonormal rows.

    Parameters
    ----------
    a : ndarray, shape (..., M, N)
        The matrices.
    overwrite_a, lwork, check_finite : optional
        Ignored.
    mode : {'full', 'r', 'economic'}, optional
        'full' gives R of shape (..., M, N) and Q of shape (..., N, N), 'r' that R alone. With
        K = min(M, N), 'economic' gives R of shape (..., M, K) and Q of shape (..., K, N).

    Returns
    -------
    R : ndarray
        Upper triangles, which end in the last row and column.
    Q : ndarray
        Not for the mode 'r'.

    Raises
    ------
    ValueError
        For an array of fewer than two dimensions, and for another mode.
    TypeError
        If the elements are no numbers, or of a precision that is neither single nor double.

    Differences from SciPy
    ----------------------
    Nothing is checked for infinities and NaN. float16 is refused.

    Notes
    -----
    It is the QR factorisation of the adjoint matrix with its columns in reverse order. Nothing
    waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.array([[3.0, 4.0]])
    >>> r, q = cp.scipy.linalg.rq(a, mode="economic")
    >>> abs(r), bool(cp.allclose(r @ q, a))
    (array([[5.]]), True)
    """
    if mode not in ("full", "r", "economic"):
        raise ValueError(
            f"rq: mode {mode!r}; the argument should be one of 'full', 'r', 'economic'"
        )
    a = _matrices(a, "scipy.linalg.rq")
    turned = conj(a[..., ::-1, :].swapaxes(-1, -2))
    if mode == "r":
        triangle = _with_rows(_decompositions.qr(turned, "r"), a._layout.shape[-1])
        return _turned(triangle)[..., ::-1].copy("C")
    q, triangle = _decompositions.qr(turned, "complete" if mode == "full" else "reduced")
    return _turned(triangle)[..., ::-1].copy("C"), _turned(q).copy("C")


def _turned(x: Any) -> Any:
    """The adjoint matrices with their rows in reverse order."""
    return conj(x).swapaxes(-1, -2)[..., ::-1, :]
