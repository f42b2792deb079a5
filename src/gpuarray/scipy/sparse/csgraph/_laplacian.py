"""Laplacian matrices of graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ops.creation import ones
from gpuarray._ops.indexing import diagonal
from gpuarray._ops.joining import concatenate
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import conj, sqrt
from gpuarray._ops.ranges import arange
from gpuarray._ops.selection import where
from gpuarray.scipy.sparse._base import issparse
from gpuarray.scipy.sparse._index_dtype import check_dtype

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike

__all__ = ["laplacian"]


def laplacian(
    csgraph: Any,
    normed: bool = False,
    return_diag: bool = False,
    use_out_degree: bool = False,
    *,
    copy: bool = True,
    form: str = "array",
    dtype: DTypeLike | None = None,
    symmetrized: bool = False,
) -> Any:
    """The Laplacian matrix of a graph: degrees on the diagonal, less the lengths of edges.

    Parameters
    ----------
    csgraph : sparse array or array_like, shape (N, N)
        The lengths of edges.
    normed : bool, optional
        Whether to divide by the roots of the degrees, on both sides.
    return_diag : bool, optional
        Whether to return the diagonal, too.
    use_out_degree : bool, optional
        Whether degrees count the edges that leave a vertex instead of those that come to it.
    copy : bool, optional
        Ignored: the graph stays as it is.
    form : {'array', 'function', 'lo'}, optional
        Whether to return a matrix, a function that multiplies by it, or a LinearOperator.
    dtype : dtype, optional
        Of the result; that of the graph by default.
    symmetrized : bool, optional
        Whether to add the conjugate transpose of the graph to it first.

    Returns
    -------
    lap : ndarray, coo_array, coo_matrix, callable or LinearOperator
        The matrix, dense if the graph is.
    diag : ndarray, shape (N,)
        The degrees, or with `normed` their roots, and 1 for vertices without edges.

    Raises
    ------
    ValueError
        If the matrix is not square, or `form` another word.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.sparse.csgraph.laplacian(cp.array([[0, 1, 2], [1, 0, 0], [2, 0, 0]]))
    array([[ 3, -1, -2],
           [-1,  1,  0],
           [-2,  0,  2]])
    """
    sparse = issparse(csgraph)
    graph: Any = csgraph if sparse else as_array(csgraph, "laplacian")
    if graph.ndim != 2 or graph.shape[0] != graph.shape[1]:
        raise ValueError(
            f"laplacian: csgraph must be a square matrix or array, not of shape {graph.shape}"
        )
    if form not in ("array", "function", "lo"):
        raise ValueError(f"laplacian: Invalid form: {form!r}")
    if normed and graph.dtype.kind in "iu":
        graph = graph.astype(np.float64)
    dtype = graph.dtype if dtype is None else check_dtype(dtype)
    if sparse:
        graph = graph.tocsr()
    if form != "array":
        product, diag = _function(graph, normed, use_out_degree, symmetrized)
        if form == "lo":
            from gpuarray.scipy.sparse.linalg import LinearOperator

            columns = product

            def vector(x: Any) -> Any:
                return columns(x.reshape(-1, 1)).reshape(x.shape)

            product = LinearOperator(graph.shape, matvec=vector, matmat=columns, dtype=dtype)
        found: Any = product
    elif sparse:
        found, diag = _sparse(graph, normed, use_out_degree, symmetrized)
        found = found.astype(dtype)
        if csgraph.format == "dia":
            found = found.todia()
    else:
        found, diag = _dense(graph, normed, use_out_degree, symmetrized)
        found = found.astype(dtype, copy=False)
    return (found, diag.astype(dtype, copy=False)) if return_diag else found


def _roots(degrees: Any) -> tuple[Any, Any]:
    """Which vertices have no edges, and the roots of the degrees, 1 for these."""
    alone = degrees == 0
    return alone, where(alone, 1, sqrt(degrees))


def _dense(graph: Any, normed: bool, out: bool, symmetrized: bool) -> tuple[Any, Any]:
    matrix = graph + conj(graph).T if symmetrized else graph
    places = arange(len(matrix))
    on_diagonal = places[:, None] == places
    matrix = where(on_diagonal, matrix.dtype.type(0), matrix)
    degrees = matrix.sum(axis=1 if out else 0)
    if not normed:
        return where(on_diagonal, degrees, -matrix), degrees
    alone, roots = _roots(degrees)
    matrix = matrix / roots / roots[:, None]
    return where(on_diagonal, (~alone).astype(roots.dtype), -matrix), roots


def _sums(graph: Any, out: bool) -> Any:
    """The sums of rows, or of columns."""
    along = graph if out else graph.T
    return along.dot(ones(graph.shape[0], graph.dtype))


def _sparse(graph: Any, normed: bool, out: bool, symmetrized: bool) -> tuple[Any, Any]:
    if symmetrized:
        one = graph.tocoo()
        entries = concatenate((one.data, conj(one.data)))
        places = concatenate((one.row, one.col)), concatenate((one.col, one.row))
        graph = graph._class_of("coo")((entries, places), shape=graph.shape).tocsr()
    degrees = _sums(graph, out) - graph.diagonal()
    matrix = graph.tocoo()
    data, diag = matrix.data, degrees
    if normed:
        alone, diag = _roots(degrees)
        data = data / diag[matrix.row] / diag[matrix.col]
    matrix = matrix._with_data(-data)
    matrix.setdiag((~alone).astype(data.dtype) if normed else degrees)
    return matrix, diag


def _function(
    graph: Any, normed: bool, out: bool, symmetrized: bool
) -> tuple[Callable[[Any], Any], Any]:
    """What multiplies columns by the matrix, and the diagonal."""
    diagonal_of = graph.diagonal() if issparse(graph) else diagonal(graph)
    sums = (
        (lambda out: _sums(graph, out))
        if issparse(graph)
        else (lambda out: graph.sum(axis=1 if out else 0))
    )
    total = sums(out)
    degrees = total - diagonal_of
    if symmetrized:
        total = total + sums(not out)
        degrees = total - 2 * diagonal_of
    adjoint = graph.T.conj() if symmetrized else None

    def plain(v: Any) -> Any:
        found = v * total[:, None] - graph.dot(v)
        return found if adjoint is None else found - adjoint.dot(v)

    if not normed:
        return plain, degrees
    _, roots = _roots(degrees)
    factors = (1 / roots)[:, None]
    return lambda v: factors * plain(v * factors), roots
