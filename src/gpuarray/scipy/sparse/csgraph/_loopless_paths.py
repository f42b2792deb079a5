"""The shortest paths between two vertices that visit no vertex twice."""

from __future__ import annotations

import heapq
import operator
from typing import Any, NamedTuple

import numpy as np

from gpuarray._ops.conversion import asarray
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.selection import where
from gpuarray._ops.taking import take
from gpuarray.scipy.sparse.csgraph._graphs import NO_VERTEX, NOBODY, Edges
from gpuarray.scipy.sparse.csgraph._paths import paths_from, weighted_edges

__all__ = ["yen"]

#: How many edges the copies of a graph have that are searched at once.
_EDGES = 1 << 26


class _Path(NamedTuple):
    """A path, by which candidates are sorted: its length, its vertices, and the lengths to them."""

    length: float
    vertices: tuple[int, ...]
    lengths: tuple[float, ...]


class _Spur(NamedTuple):
    """Where another path may leave one: behind these vertices, but not to those."""

    root: tuple[int, ...]
    lengths: tuple[float, ...]
    taken: tuple[int, ...]


def yen(
    csgraph: Any,
    source: int,
    sink: int,
    K: int,
    *,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """The K shortest paths between two vertices that visit no vertex twice.

    Parameters
    ----------
    csgraph : sparse array or array_like, shape (N, N)
        The graph: an entry for each edge; of a dense matrix zeros are no edges.
    source, sink : int
        The vertices where paths begin and end.
    K : int
        How many paths are wanted.
    directed : bool, optional
        Whether edges lead in one direction only.
    return_predecessors : bool, optional
        Whether to return predecessors, too.
    unweighted : bool, optional
        Whether every edge has the length 1.

    Returns
    -------
    dist_array : ndarray, shape (M,)
        The lengths, the shortest first, of the K paths or of as many as there are.
    predecessors : ndarray of int32, shape (M, N)
        For each path the vertex before each one, -9999 for the first and those not on it.

    Raises
    ------
    NegativeCycleError
        If there is a cycle of negative length.
    ValueError
        If the matrix is not square, there is no such vertex, or `K` is negative.

    Differences from SciPy
    ----------------------
    Of paths of the same length, those with lesser vertices are first.

    Notes
    -----
    J. Y. Yen, Management Science 17 (1971) 712-716. The paths that leave another one at any of its
    vertices are found together, in copies of the graph, so that each path after the first takes as
    long as `shortest_path` from as many vertices as there are on the one before. The host reads a
    predecessor for each vertex of the copies.

    Examples
    --------
    >>> import gpuarray as cp
    >>> graph = cp.array([[0.0, 1.0, 3.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    >>> cp.scipy.sparse.csgraph.yen(graph, source=0, sink=2, K=2)
    array([2., 3.])
    """
    edges = weighted_edges(csgraph, directed, unweighted)
    source, sink, wanted = (operator.index(x) for x in (source, sink, K))
    count = edges.vertices
    if not (0 <= source < count and 0 <= sink < count):
        raise ValueError(
            f"yen: vertices must have 0 <= source, sink < {count}, not {source} and {sink}"
        )
    if wanted < 0:
        raise ValueError(f"yen: K={K} is not a number of paths")
    found: list[_Path] = []
    candidates = _shortest(edges, source, sink)
    seen = {x.vertices for x in candidates}
    while candidates and len(found) < wanted:
        found.append(heapq.heappop(candidates))
        if len(found) < wanted:
            for path in _spur_paths(edges, _spurs(found), sink):
                if path.vertices not in seen:
                    seen.add(path.vertices)
                    heapq.heappush(candidates, path)
    lengths = asarray(np.array([x.length for x in found], np.float64))
    if not return_predecessors:
        return lengths
    before = np.full((len(found), count), NO_VERTEX, np.int32)
    for row, path in zip(before, found, strict=True):
        row[list(path.vertices[1:])] = path.vertices[:-1]
    return lengths, asarray(before)


def _shortest(edges: Edges, source: int, sink: int) -> list[_Path]:
    """The shortest path, if there is one."""
    lengths, before = paths_from(edges, source, True, "yen")
    return _traced(asnumpy(lengths), asnumpy(before), _Spur((source,), (0.0,), ()), sink)


def _spurs(found: list[_Path]) -> list[_Spur]:
    """Where paths may leave the last one, not to vertices to which earlier ones leave it."""
    vertices, lengths = found[-1].vertices, found[-1].lengths
    spurs = []
    for end in range(1, len(vertices)):
        root = vertices[:end]
        taken = {x.vertices[end] for x in found if x.vertices[:end] == root}
        spurs.append(_Spur(root, lengths[:end], tuple(sorted(taken))))
    return spurs


def _spur_paths(edges: Edges, spurs: list[_Spur], sink: int) -> list[_Path]:
    """The shortest path from each place where one may leave, to the sink."""
    count = edges.vertices
    most = max(1, min(_EDGES // max(edges.size, 1), (NOBODY - 1) // count))
    paths = []
    for first in range(0, len(spurs), most):
        part = spurs[first : first + most]
        copies, sources = _copies(edges, part)
        found = paths_from(copies, sources, True, "yen", shortest=True)
        lengths, before = (asnumpy(x).reshape(len(part), count) for x in found[:2])
        for i, spur in enumerate(part):
            own = np.where(before[i] >= 0, before[i] - i * count, NO_VERTEX)
            paths += _traced(lengths[i], own, spur, sink)
    return paths


def _copies(edges: Edges, spurs: list[_Spur]) -> tuple[Edges, np.ndarray]:
    """A copy of the graph for each spur, without what it must not use, and its first vertex."""
    count = edges.vertices
    hidden = np.zeros((len(spurs), count), bool)  # vertices that a path must not visit
    taken = np.zeros((len(spurs), count), bool)  # those that it must not visit first
    for i, spur in enumerate(spurs):
        hidden[i, list(spur.root[:-1])] = True
        taken[i, list(spur.taken)] = True
    starts = np.array([x.root[-1] for x in spurs], edges.dtype)
    base = (np.arange(len(spurs)) * count).astype(edges.dtype)
    is_hidden, is_taken = asarray(hidden), asarray(taken)
    leaves = edges.begin[None] == asarray(starts)[:, None]
    closed = take(is_hidden, edges.begin, 1) | take(is_hidden, edges.end, 1)
    closed = closed | (leaves & take(is_taken, edges.end, 1))
    shift = asarray(base)[:, None]
    copies = Edges(
        (edges.begin[None] + shift).reshape(-1),
        (edges.end[None] + shift).reshape(-1),
        where(closed, np.inf, edges.weights[None]).reshape(-1),
        count * len(spurs),
    )
    return copies, base + starts


def _traced(lengths: np.ndarray, before: np.ndarray, spur: _Spur, sink: int) -> list[_Path]:
    """The path to the sink that predecessors make, behind a spur's root, if there is one."""
    if not lengths[sink] < np.inf:
        return []
    back = [sink]
    while back[-1] != spur.root[-1]:
        back.append(int(before[back[-1]]))
    rest = back[-2::-1]
    ends = [spur.lengths[-1] + float(lengths[x]) for x in rest]
    vertices = (*spur.root, *rest)
    all_lengths = (*spur.lengths, *ends)
    return [_Path(all_lengths[-1], vertices, all_lengths)]
