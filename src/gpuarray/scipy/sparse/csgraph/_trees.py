"""Spanning trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuarray._ops.creation import empty, full, zeros
from gpuarray._ops.creation_like import empty_like
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.ranges import arange
from gpuarray._ops.sorting import argsort
from gpuarray.kernels.graph.launch import step
from gpuarray.scipy.sparse.csgraph._graphs import edges_of, graph_of

__all__ = ["minimum_spanning_tree"]


def minimum_spanning_tree(csgraph: Any, overwrite: bool = False) -> Any:
    """The spanning tree of least length of a graph without directions.

    Parameters
    ----------
    csgraph : sparse array or array_like, shape (N, N)
        The graph: an entry for each edge; of a dense matrix zeros are no edges. Of edges in both
        directions the shorter one counts.
    overwrite : bool, optional
        Ignored: the graph stays as it is.

    Returns
    -------
    csr_array or csr_matrix, shape (N, N)
        The edges of the tree, or of one for each component; those of length 0 are not stored.

    Raises
    ------
    ValueError
        If the matrix is not square.

    Differences from SciPy
    ----------------------
    Of edges of the same length the first ones, in the order of rows, are taken.

    Notes
    -----
    O. Boruvka, Prace Moravske prirodovedecke spolecnosti 3 (1926) 37-58: each component joins the
    one across its shortest edge. The host reads a number each time, at most log2(N) times.

    Examples
    --------
    >>> import gpuarray as cp
    >>> graph = cp.array([[0, 8, 0, 3], [0, 0, 2, 5], [0, 0, 0, 6], [0, 0, 0, 0]])
    >>> cp.scipy.sparse.csgraph.minimum_spanning_tree(graph).toarray()
    array([[0., 0., 0., 3.],
           [0., 0., 2., 5.],
           [0., 0., 0., 0.],
           [0., 0., 0., 0.]])
    """
    graph = graph_of(csgraph)
    edges = edges_of(graph, True)
    size, count, index = edges.size, edges.vertices, edges.dtype
    order = argsort(edges.weights, stable=True)
    ranks = empty(size, np.int64)
    ranks[order] = arange(size)
    labels = arange(count, dtype=np.int32)
    chosen = zeros(size, bool)
    while True:
        nearest = full(count, size, np.int64)
        joined, changed = empty_like(labels), zeros(1, np.int32)
        given = (edges.begin, edges.end)
        step("nearest", *given, ranks, labels, nearest, size, index=index)
        step(
            "join",
            *given,
            order,
            nearest,
            labels,
            joined,
            chosen,
            changed,
            size,
            count,
            index=index,
        )
        step("jump", joined, count)
        labels = joined
        if not count or not asnumpy(changed)[0]:
            break
    chosen = chosen & (edges.weights != 0)
    entries = (edges.weights[chosen], (edges.begin[chosen], edges.end[chosen]))
    return graph._class_of("csr")(entries, shape=graph.shape)
