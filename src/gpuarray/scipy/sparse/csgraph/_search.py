"""Breadth-first searches."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import empty, full
from gpuarray._ops.cumulative import cumsum
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.joining import concatenate
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.ranges import arange
from gpuarray._ops.searching import searchsorted
from gpuarray._ops.selection import where
from gpuarray._ops.sorting import argsort
from gpuarray.kernels.graph.launch import step
from gpuarray.scipy.sparse.csgraph._graphs import (
    NO_VERTEX,
    NOBODY,
    edges_of,
    graph_of,
    shortest_edges,
)

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = ["breadth_first_order", "breadth_first_tree", "reconstruct_path"]


def breadth_first_order(
    csgraph: Any, i_start: int, directed: bool = True, return_predecessors: bool = True
) -> Any:
    """The vertices that are reached from one, in the order of a breadth-first search.

    Parameters
    ----------
    csgraph : sparse array or array_like, shape (N, N)
        The graph: an entry for each edge; of a dense matrix zeros are no edges.
    i_start : int
        The vertex to begin with.
    directed : bool, optional
        Whether edges lead in one direction only.
    return_predecessors : bool, optional
        Whether to return predecessors, too.

    Returns
    -------
    node_array : ndarray of int32
        The vertices.
    predecessors : ndarray of int32, shape (N,)
        The vertex from which each was found, -9999 for the first one and for those that are not
        reached.

    Raises
    ------
    ValueError
        If the matrix is not square, or there is no such vertex.
    TypeError
        If `i_start` is no integer.

    Differences from SciPy
    ----------------------
    The order of neighbours is that of csr in all formats: SciPy's of csc begins with the columns,
    unless the graph is directed.

    Notes
    -----
    The host reads two numbers for each distance from the first vertex. Which vertex finds another
    is decided by the order of a search by one thread.

    Examples
    --------
    >>> import gpuarray as cp
    >>> graph = cp.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]])
    >>> cp.scipy.sparse.csgraph.breadth_first_order(graph, 0)
    (array([0, 1, 2], dtype=int32), array([-9999,     0,     0], dtype=int32))
    """
    indptr, to, count = _rows(csgraph, directed)
    try:
        i_start = operator.index(i_start)
    except TypeError:
        raise TypeError(f"breadth_first_order: i_start is an integer, not {i_start!r}") from None
    if not 0 <= i_start < count:
        raise ValueError(
            f"breadth_first_order: i_start={i_start} is no vertex of a graph of {count} vertices"
        )
    index = to.dtype
    before = full(count, NOBODY, np.int32)
    before[i_start] = i_start
    claims = full(count, np.iinfo(np.int64).max, np.int64)
    degrees = (indptr[1:] - indptr[:-1]).astype(np.int64, copy=False)
    front = asarray(np.array([i_start], np.int32))
    order = [front]
    while front.size:
        ends = cumsum(degrees[front])
        edges = int(asnumpy(ends[-1:])[0])
        found, is_found = empty(edges, np.int32), empty(edges, bool)
        given = (indptr, to, front, ends, before, claims)
        step("claim", *given, front.size, edges, index=index)
        step("find", *given, found, is_found, front.size, edges, index=index)
        front = found[is_found]
        order.append(front)
    nodes = concatenate(order)
    if not return_predecessors:
        return nodes
    before[i_start] = NOBODY
    return nodes, where(before == NOBODY, np.int32(NO_VERTEX), before)


def _rows(csgraph: Any, directed: bool) -> tuple[Any, Any, int]:
    """Pointers and vertices of a graph's rows; edges against their direction follow the others."""
    graph = graph_of(csgraph)
    if directed:
        return graph.indptr, graph.indices, graph.shape[0]
    edges = edges_of(graph, False)
    order = argsort(edges.begin, stable=True)
    pointers = searchsorted(edges.begin[order], arange(edges.vertices + 1, dtype=edges.dtype))
    return pointers.astype(edges.dtype), edges.end[order], edges.vertices


def breadth_first_tree(csgraph: Any, i_start: int, directed: bool = True) -> Any:
    """The tree of a breadth-first search.

    Parameters
    ----------
    csgraph : sparse array or array_like, shape (N, N)
        The graph: an entry for each edge; of a dense matrix zeros are no edges.
    i_start : int
        The vertex to begin with.
    directed : bool, optional
        Whether edges lead in one direction only.

    Returns
    -------
    csr_array or csr_matrix, shape (N, N)
        The edges by which vertices were found, with their lengths.

    Raises
    ------
    ValueError
        If the matrix is not square, or there is no such vertex.

    Examples
    --------
    >>> import gpuarray as cp
    >>> graph = cp.array([[0, 1, 2], [0, 0, 3], [0, 0, 0]])
    >>> cp.scipy.sparse.csgraph.breadth_first_tree(graph, 0).toarray()
    array([[0., 1., 2.],
           [0., 0., 0.],
           [0., 0., 0.]])
    """
    _, predecessors = breadth_first_order(csgraph, i_start, directed)
    return reconstruct_path(csgraph, predecessors, directed)


def reconstruct_path(csgraph: Any, predecessors: ndarray, directed: bool = True) -> Any:
    """The tree that predecessors make.

    Parameters
    ----------
    csgraph : sparse array or array_like, shape (N, N)
        The graph.
    predecessors : ndarray of int, shape (N,)
        The vertex before each, negative for none.
    directed : bool, optional
        Whether edges lead in one direction only; else the shorter one of both directions counts.

    Returns
    -------
    csr_array or csr_matrix, shape (N, N)
        An edge from each predecessor, with its length.

    Raises
    ------
    ValueError
        If the shapes do not fit together.

    Examples
    --------
    >>> import gpuarray as cp
    >>> graph = cp.array([[0, 1, 2], [0, 0, 3], [0, 0, 0]])
    >>> tree = cp.scipy.sparse.csgraph.reconstruct_path(graph, cp.array([-9999, 0, 1]))
    >>> tree.toarray()
    array([[0., 1., 0.],
           [0., 0., 3.],
           [0., 0., 0.]])
    """
    graph = graph_of(csgraph)
    count = graph.shape[0]
    before = as_array(predecessors, "reconstruct_path")
    if before.shape != (count,):
        raise ValueError(
            f"reconstruct_path: {count} vertices have as many predecessors, not an array of shape "
            f"{before.shape}"
        )
    there = before >= 0
    vertices = arange(count)[there]
    begin = before[there].astype(np.int64)
    lengths = shortest_edges(edges_of(graph, directed), begin, vertices)
    return graph._class_of("csr")((lengths, (begin, vertices)), shape=graph.shape)
