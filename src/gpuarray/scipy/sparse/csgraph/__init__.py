"""Algorithms on graphs: SciPy's ``scipy.sparse.csgraph``, on the device.

A graph is a square matrix, sparse or dense, whose entries are the lengths of edges: that of row i
and column j leads from vertex i to vertex j.

Examples
--------
>>> import gpuarray as cp
>>> graph = cp.array([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
>>> cp.scipy.sparse.csgraph.shortest_path(graph, indices=0)
array([0., 1., 3.])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray.scipy.sparse.csgraph._components import connected_components
from gpuarray.scipy.sparse.csgraph._graphs import csgraph_from_dense, csgraph_to_dense
from gpuarray.scipy.sparse.csgraph._laplacian import laplacian
from gpuarray.scipy.sparse.csgraph._loopless_paths import yen
from gpuarray.scipy.sparse.csgraph._paths import (
    NegativeCycleError,
    bellman_ford,
    dijkstra,
    floyd_warshall,
    johnson,
    shortest_path,
)
from gpuarray.scipy.sparse.csgraph._search import (
    breadth_first_order,
    breadth_first_tree,
    reconstruct_path,
)
from gpuarray.scipy.sparse.csgraph._trees import minimum_spanning_tree

# A line for each file.
__all__ = [
    "connected_components",
    "csgraph_from_dense", "csgraph_to_dense",
    "laplacian",
    "NegativeCycleError", "bellman_ford", "dijkstra", "floyd_warshall", "johnson", "shortest_path",
    "yen",
    "breadth_first_order", "breadth_first_tree", "reconstruct_path",
    "minimum_spanning_tree",
]  # fmt: skip

without_annotations(globals())

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)
