"""Shortest paths."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._namespace.shared_texts import sharing, texts_of
from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import empty, full
from gpuarray._ops.creation_like import full_like, ones_like
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.ranges import arange
from gpuarray._ops.selection import where
from gpuarray.kernels.graph.launch import step
from gpuarray.scipy.sparse.csgraph._graphs import (
    NO_VERTEX,
    NOBODY,
    Edges,
    edges_of,
    repeat_until_stable,
)

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike

__all__ = [
    "NegativeCycleError", "bellman_ford", "dijkstra", "floyd_warshall", "johnson", "shortest_path",
]  # fmt: skip

#: The keys of lengths 0 and infinity, in the order of kernels.
_ZERO, _INFINITE = 0, int(np.float64(np.inf).view(np.int64))


class NegativeCycleError(Exception):
    """A graph has a cycle of negative length, so that there is no shortest path."""

    def __init__(self, message: str = "") -> None:
        Exception.__init__(self, message)


def shortest_path(
    csgraph: Any,
    method: str = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: ArrayLike | None = None,
) -> Any:
    """The lengths of the shortest paths in a graph.

    Parameters
    ----------
    csgraph : sparse array or array_like, shape (N, N)
        The lengths of edges; of a dense matrix zeros, infinities and NaN are no edges.
    method : {'auto', 'FW', 'D', 'BF', 'J'}, optional
        SciPy's algorithms; here there is one, and 'FW' is for all vertices only.
    directed : bool, optional
        Whether edges lead in one direction only.
    return_predecessors : bool, optional
        Whether to return predecessors, too.
    unweighted : bool, optional
        Take 1 for the length of each edge.
    overwrite : bool, optional
        Ignored: the graph stays as it is.
    indices : array_like of int, optional
        The vertices where paths begin; all by default.

    Returns
    -------
    dist_matrix : ndarray, shape (..., N)
        The lengths from each of these to each vertex, infinite where there is no path.
    predecessors : ndarray of int32, shape (..., N)
        The vertex before the last one of each path, -9999 where there is none.

    Raises
    ------
    NegativeCycleError
        If there is a cycle of negative length.
    ValueError
        If the matrix is not square, or a vertex or a method is none.

    Differences from SciPy
    ----------------------
    Of several shortest paths that with the fewest edges counts, and then that with the least
    predecessors.

    Notes
    -----
    R. Bellman, Quarterly of Applied Mathematics 16 (1958) 87-90, for all beginnings and edges at
    once; the host reads a number every four rounds, of which there are as many as the longest path
    has edges.

    Examples
    --------
    >>> import gpuarray as cp
    >>> graph = cp.array([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
    >>> cp.scipy.sparse.csgraph.shortest_path(graph, indices=0)
    array([0., 1., 3.])
    """
    if method not in ("auto", "FW", "D", "BF", "J"):
        raise ValueError(f"shortest_path: unrecognized method {method!r}")
    if method == "FW" and indices is not None:
        raise ValueError("shortest_path: Cannot specify indices with method == 'FW'.")
    edges = weighted_edges(csgraph, directed, unweighted)
    return paths_from(edges, indices, return_predecessors, "shortest_path")


@sharing(texts_of(shortest_path))
def dijkstra(
    csgraph: Any,
    directed: bool = True,
    indices: ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: bool = False,
) -> Any:
    """The lengths of the shortest paths in a graph without negative lengths.

    Parameters
    ----------
    {csgraph}
    {directed}
    {indices}
    {return_predecessors}
    {unweighted}
    limit : float, optional
        The longest path that is looked for.
    min_only : bool, optional
        Whether to return, for each vertex, only the shortest of the paths from all beginnings.

    Returns
    -------
    dist_matrix : ndarray
        As of `shortest_path`; with `min_only` of shape (N,).
    predecessors : ndarray of int32
        As of `shortest_path`.
    sources : ndarray of int32, shape (N,)
        With both options where each path begins, -9999 where there is none.

    Raises
    ------
    ValueError
        If the matrix is not square, there is no such vertex, or `limit` is negative.

    Warns
    -----
    UserWarning
        If there are negative lengths.

    Differences from SciPy
    ----------------------
    As for `shortest_path`, whose algorithm this is: negative lengths are no harm, and cycles of
    negative length raise `NegativeCycleError`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> graph = cp.array([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
    >>> cp.scipy.sparse.csgraph.dijkstra(graph, indices=0, limit=2.0)
    array([ 0.,  1., inf])
    """
    if limit < 0:
        raise ValueError(f"dijkstra: limit must be >= 0, not {limit}")
    edges = weighted_edges(csgraph, directed, unweighted)
    if edges.size and bool((edges.weights < 0).any()):
        warnings.warn(
            "dijkstra: Graph has negative weights: dijkstra will give inaccurate results if the "
            "graph contains negative cycles. Consider johnson or bellman_ford.",
            UserWarning,
            stacklevel=2,
        )
    return paths_from(edges, indices, return_predecessors, "dijkstra", limit, min_only)


@sharing(texts_of(shortest_path))
def bellman_ford(
    csgraph: Any,
    directed: bool = True,
    indices: ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """The lengths of the shortest paths in a graph that may have negative lengths.

    Parameters
    ----------
    {csgraph}
    {directed}
    {indices}
    {return_predecessors}
    {unweighted}

    Returns
    -------
    dist_matrix, predecessors : ndarray
        As of `shortest_path`.

    Raises
    ------
    NegativeCycleError
        If there is a cycle of negative length.
    ValueError
        If the matrix is not square, or there is no such vertex.

    Differences from SciPy
    ----------------------
    As for `shortest_path`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> graph = cp.array([[0.0, 1.0, 5.0], [0.0, 0.0, -2.0], [0.0, 0.0, 0.0]])
    >>> cp.scipy.sparse.csgraph.bellman_ford(graph, indices=0)
    array([ 0.,  1., -1.])
    """
    edges = weighted_edges(csgraph, directed, unweighted)
    return paths_from(edges, indices, return_predecessors, "bellman_ford")


@sharing(texts_of(shortest_path))
def johnson(
    csgraph: Any,
    directed: bool = True,
    indices: ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """The lengths of the shortest paths in a graph that may have negative lengths.

    Parameters
    ----------
    {csgraph}
    {directed}
    {indices}
    {return_predecessors}
    {unweighted}

    Returns
    -------
    dist_matrix, predecessors : ndarray
        As of `shortest_path`.

    Raises
    ------
    NegativeCycleError
        If there is a cycle of negative length.
    ValueError
        If the matrix is not square, or there is no such vertex.

    Differences from SciPy
    ----------------------
    As for `shortest_path`, whose algorithm this is.

    Examples
    --------
    >>> import gpuarray as cp
    >>> graph = cp.array([[0.0, 1.0, 5.0], [0.0, 0.0, -2.0], [0.0, 0.0, 0.0]])
    >>> cp.scipy.sparse.csgraph.johnson(graph, indices=[0, 1])
    array([[ 0.,  1., -1.],
           [inf,  0., -2.]])
    """
    edges = weighted_edges(csgraph, directed, unweighted)
    return paths_from(edges, indices, return_predecessors, "johnson")


@sharing(texts_of(shortest_path))
def floyd_warshall(
    csgraph: Any,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
) -> Any:
    """The lengths of the shortest paths between all vertices.

    Parameters
    ----------
    {csgraph}
    {directed}
    {return_predecessors}
    {unweighted}
    {overwrite}

    Returns
    -------
    dist_matrix, predecessors : ndarray, shape (N, N)
        As of `shortest_path`.

    Raises
    ------
    NegativeCycleError
        If there is a cycle of negative length.
    ValueError
        If the matrix is not square.

    Differences from SciPy
    ----------------------
    As for `shortest_path`, whose algorithm this is.

    Examples
    --------
    >>> import gpuarray as cp
    >>> graph = cp.array([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
    >>> cp.scipy.sparse.csgraph.floyd_warshall(graph)
    array([[ 0.,  1.,  3.],
           [inf,  0.,  2.],
           [inf, inf,  0.]])
    """
    edges = weighted_edges(csgraph, directed, unweighted)
    return paths_from(edges, None, return_predecessors, "floyd_warshall")


def weighted_edges(csgraph: Any, directed: bool, unweighted: bool) -> Edges:
    edges = edges_of(csgraph, directed)
    return edges._replace(weights=ones_like(edges.weights)) if unweighted else edges


def _sources(indices: Any, count: int, name: str) -> tuple[np.ndarray, tuple[int, ...]]:
    """The vertices where paths begin, and the shape of their array."""
    if indices is None:
        return np.arange(count), (count,)
    found = np.asarray(asnumpy(indices))
    if found.size and found.dtype.kind not in "iu":
        raise ValueError(f"{name}: indices are integers, not {found.dtype}")
    sources = np.atleast_1d(found).astype(np.int64).reshape(-1)
    sources = np.where(sources < 0, sources + count, sources)
    if ((sources < 0) | (sources >= count)).any():
        raise ValueError(f"{name}: indices out of range 0...N, N = {count}: {found}")
    return sources, found.shape


def paths_from(
    edges: Edges,
    indices: Any,
    predecessors: bool,
    name: str,
    limit: float = np.inf,
    shortest: bool = False,
) -> Any:
    """Lengths, predecessors if they are wanted, and sources with the shortest of all paths."""
    count, size, index = edges.vertices, edges.size, edges.dtype
    sources, shape = _sources(indices, count, name)
    rows = np.zeros(len(sources), np.int64) if shortest else np.arange(len(sources))
    height = 1 if shortest else len(sources)
    starts = asarray(rows), asarray(sources)
    given = (edges.begin, edges.end, edges.weights)
    keys = full((height, count), _INFINITE, np.int64)
    keys[starts] = _ZERO
    work = height * size

    def relax(changed: Any) -> None:
        step("relax", *given, keys, changed, limit, size, count, work, index=index)

    if not repeat_until_stable(relax, count + 1):
        raise NegativeCycleError(f"{name}: Negative cycle detected; there are no shortest paths")
    lengths = empty(keys.shape)
    step("lengths", keys, lengths, lengths.size)
    shape = (count,) if shortest else (*shape, count)
    if not predecessors:
        return lengths.reshape(shape)
    steps = full_like(lengths, NOBODY, np.int32)
    steps[starts] = 0

    def count_steps(changed: Any) -> None:
        step("steps", *given, lengths, steps, changed, size, count, work, index=index)

    repeat_until_stable(count_steps, count + 1)
    before = full_like(steps, NOBODY)
    step("before", *given, lengths, steps, before, size, count, work, index=index)
    before = where(before == NOBODY, np.int32(NO_VERTEX), before)
    found = lengths.reshape(shape), before.reshape(shape)
    return (*found, _origins(found[1], found[0])) if shortest else found


def _origins(before: Any, lengths: Any) -> Any:
    """The vertices where the paths to each vertex begin: jumps of doubling length."""
    own = arange(before.size, dtype=np.int32)
    found = where(before < 0, own, before)
    for _ in range(before.size.bit_length()):
        found = found[found]
    return where(lengths < np.inf, found, np.int32(NO_VERTEX))
