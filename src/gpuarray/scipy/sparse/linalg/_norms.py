"""Norms of sparse matrices, and estimates of those of operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import linalg as dense
from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import eye, ones
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import absolute
from gpuarray._ops.products import matmul
from gpuarray._ops.ranges import arange
from gpuarray._ops.selection import where
from gpuarray._ops.sorting import argsort
from gpuarray.scipy.sparse import _merging
from gpuarray.scipy.sparse._base import issparse
from gpuarray.scipy.sparse.linalg._matrix_operators import solver_operator
from gpuarray.scipy.sparse.linalg._operators import LinearOperator
from gpuarray.scipy.sparse.linalg._singular_values import svds

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike

__all__ = ["norm", "onenormest"]


def norm(x: Any, ord: float | str | None = None, axis: int | tuple[int, int] | None = None) -> Any:
    """A norm of a sparse matrix, or of its rows or columns.

    Parameters
    ----------
    x : sparse array or matrix
        The matrix, or a vector.
    ord : {None, 'fro', inf, -inf, 1, -1, 2, 0} or float, optional
        The order; the root of the sum of squares by default.
    axis : int or pair of int, optional
        The axis along which vectors lie; both are those of the matrix.

    Returns
    -------
    ndarray
        Without dimensions for a matrix, else the norms of its rows or columns.

    Raises
    ------
    TypeError
        If `x` is not sparse, or `axis` is no integer.
    ValueError
        For an order or an axis that there is not.
    NotImplementedError
        For the order -2 of a matrix.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy.sparse import csr_array
    >>> a = csr_array(cp.array([[3.0, 0.0], [-4.0, 1.0]]))
    >>> cp.scipy.sparse.linalg.norm(a, 1)
    array(7.)
    >>> cp.scipy.sparse.linalg.norm(a, axis=1).round(6)
    array([3.      , 4.123106])
    """
    if not issparse(x):
        raise TypeError(f"norm: input is not sparse but {type(x).__name__}; use gpuarray.linalg")
    if axis is None and ord in (None, "fro", "f"):
        return dense.norm(_merging.canonical(_merging.compressed(x)).data)
    axes = _axes(axis, x.ndim)
    rows = _merging.canonical(x.tocsr())
    sizes = rows._with_data(absolute(rows.data))
    if len(axes) == 2:
        return _matrix_norm(x, sizes, ord, axes)
    return _vector_norm(sizes, ord, axes[0])


def _axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes of a matrix or a vector, from 0."""
    if axis is None:
        axis = tuple(range(ndim))
    elif not isinstance(axis, tuple):
        try:
            number = int(axis)
        except TypeError:
            number = None
        if number is None or number != axis:
            raise TypeError(
                f"norm: 'axis' must be None, an integer or a tuple of integers, not {axis!r}"
            )
        axis = (number,)
    if len(axis) not in (1, 2):
        raise ValueError(f"norm: Improper number of dimensions to norm: {axis}")
    for one in axis:
        if not -ndim <= one < ndim:
            raise ValueError(f"norm: Invalid axis {axis!r} for an array of {ndim} dimensions")
    axes = tuple(one % ndim for one in axis)
    if len(set(axes)) < len(axes):
        raise ValueError("norm: Duplicate axes given.")
    return axes


def _sums(sizes: Any, axis: int) -> Any:
    """The sums of elements along an axis: products with ones, of the dtype that `sum` has."""
    if sizes.ndim == 1:
        return sizes.data.sum()
    along = sizes if axis == 1 else sizes.T
    return along.dot(ones(along.shape[1], np.zeros(0, sizes.dtype).sum().dtype))


def _matrix_norm(x: Any, sizes: Any, ord: Any, axes: tuple[int, ...]) -> Any:
    if ord == 2:
        return svds(x.tocsr(), k=1)[1][0]
    if ord == -2:
        raise NotImplementedError("norm: the order -2 of a matrix; use the dense norm")
    if ord in (None, "f", "fro"):
        return dense.norm(sizes.data)
    if ord in (1, -1):
        sums = _sums(sizes, axes[0])
    elif ord in (np.inf, -np.inf):
        sums = _sums(sizes, axes[1])
    else:
        raise ValueError(f"norm: Invalid norm order for matrices: {ord!r}")
    return sums.max() if ord > 0 else sums.min()


def _vector_norm(sizes: Any, ord: Any, axis: int) -> Any:
    if ord in (np.inf, -np.inf):
        found = sizes.max(axis=axis) if ord > 0 else sizes.min(axis=axis)
        return found.toarray().ravel() if issparse(found) else found.ravel()
    if ord == 0:
        return _sums(sizes._with_data((sizes.data != 0).astype(np.int64)), axis)
    if ord == 1:
        return _sums(sizes, axis)
    power = 2 if ord is None else ord
    try:
        power + 1
    except TypeError:
        raise ValueError(f"norm: Invalid norm order for vectors: {ord!r}") from None
    data = sizes.data if sizes.dtype.kind == "f" else sizes.data.astype(np.float64)
    return _sums(sizes._with_data(data**power), axis) ** (1 / power)


def onenormest(
    A: ArrayLike | LinearOperator | Any,
    t: int = 2,
    itmax: int = 5,
    compute_v: bool = False,
    compute_w: bool = False,
) -> Any:
    """A lower bound of the 1-norm of a matrix, by its products.

    Parameters
    ----------
    A : ndarray, sparse array or LinearOperator, shape (N, N)
        The matrix, whose transpose is multiplied, too.
    t : int, optional
        How many vectors are multiplied at once.
    itmax : int, optional
        The most iterations.
    compute_v : bool, optional
        Return a vector whose product has the norm `est` times its own.
    compute_w : bool, optional
        Return this product, too.

    Returns
    -------
    est : float
        The estimate, at most the norm; seldom less than a third of it.
    v, w : ndarray
        The vector and its product, if they are wanted.

    Raises
    ------
    ValueError
        If the matrix is not square, `t` is less than 1, or `itmax` less than 2.

    Differences from SciPy
    ----------------------
    Random signs are the same each time.

    Notes
    -----
    N. J. Higham and F. Tisseur, SIAM Journal on Matrix Analysis and Applications 21 (2000)
    1185-1201, algorithm 2.4.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.sparse.linalg.onenormest(cp.array([[1.0, 0.0], [5.0, -8.0]]))
    8.0
    """
    found = solver_operator(A)
    if found.shape[0] != found.shape[1]:
        raise ValueError(
            f"onenormest: expected the operator to act like a square matrix, not {found.shape}"
        )
    n = found.shape[1]
    if t >= n:
        products: Any = found.matmat(eye(n))
        place = int(absolute(products).sum(axis=0).argmax())
    else:
        if t < 1:
            raise ValueError(f"onenormest: at least one column is required, not t={t}")
        if itmax < 2:
            raise ValueError(f"onenormest: at least two iterations are required, not itmax={itmax}")
        place = _greatest_column(found, n, t, itmax)
    v: Any = as_array(eye(1, n, place)[0], "onenormest")
    w: Any = found.matvec(v)
    est = float(absolute(w).sum())
    result = (est, *([v] if compute_v else []), *([w] if compute_w else []))
    return result if len(result) > 1 else est


def _greatest_column(found: LinearOperator, n: int, t: int, itmax: int) -> int:
    """The number of a column that is among the greatest, likely the greatest."""
    generator = np.random.default_rng(0)
    x = np.where(generator.random((n, t)) < 0.5, -1.0, 1.0)
    x[:, 0] = 1
    y: Any = found.matmat(asarray(x / n))
    tried: list[int] = []
    used: set[int] = set()
    best, place = -1.0, 0
    signs: Any = None
    for step in range(1, itmax + 2):
        sums = asnumpy(absolute(y).sum(axis=0))
        first = int(sums.argmax())
        if step > 1:
            if sums[first] <= best:
                break
            best, place = float(sums[first]), tried[first]
        if step > itmax:
            break
        before, signs = signs, where(y == 0, 1, y / where(y == 0, 1, absolute(y)))
        if before is not None and signs.dtype.kind != "c":
            # Where each vector of signs, or its negative, was there before, nothing is new.
            parallel = asnumpy(absolute(matmul(signs.T, before)) == n)
            if parallel.any(axis=1).all():
                break
        heights: Any = absolute(found.rmatmat(signs)).max(axis=1)
        order = argsort(-heights)[: t * (step + 1)]
        highest = asnumpy(order)
        if step > 1 and int(highest[0]) == place:
            break
        if step > 1 and used.issuperset(map(int, highest[:t])):
            break
        tried = [int(i) for i in highest if int(i) not in used][:t]
        used.update(tried)
        y = found.matmat((arange(n)[:, None] == asarray(tried)).astype(np.float64))
    return place
