"""Graphs as sparse or dense matrices, and their edges as arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpuarray._ops.creation import full, zeros
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.joining import concatenate
from gpuarray._ops.logic import isinf, isnan
from gpuarray._ops.math import minimum
from gpuarray._ops.nonzero import nonzero
from gpuarray._ops.searching import searchsorted
from gpuarray._ops.selection import where
from gpuarray._ops.sorting import argsort
from gpuarray.scipy.sparse._arguments import operand
from gpuarray.scipy.sparse._base import issparse
from gpuarray.scipy.sparse._csr import csr_array

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = [
    "NOBODY", "NO_VERTEX", "Edges", "csgraph_from_dense", "csgraph_to_dense", "edges_of",
    "graph_of", "repeat_until_stable", "shortest_edges",
]  # fmt: skip

#: What stands for no vertex, as in SciPy.
NO_VERTEX = -9999

#: What stands for it in kernels.
NOBODY = np.iinfo(np.int32).max

#: Steps whose end is looked for at once: a read costs more than a step that changes nothing.
_STEPS = 4


class Edges(NamedTuple):
    """The edges of a graph, in the order of its rows: each an array of its entries' length."""

    begin: Any
    end: Any
    weights: Any
    vertices: int  # how many

    @property
    def dtype(self) -> np.dtype:
        """The dtype of vertices."""
        return self.begin.dtype

    @property
    def size(self) -> int:
        """How many edges there are."""
        return self.begin.size


def csgraph_from_dense(
    graph: ArrayLike,
    null_value: float | None = 0,
    nan_null: bool = True,
    infinity_null: bool = True,
) -> csr_array:
    """The sparse matrix of a dense one whose elements are lengths of edges.

    Parameters
    ----------
    graph : array_like, shape (N, N)
        The lengths.
    null_value : float, optional
        What stands for no edge.
    nan_null, infinity_null : bool, optional
        Whether NaN and infinity stand for no edge, too.

    Returns
    -------
    csr_array
        With an entry for each edge, in float64.

    Raises
    ------
    ValueError
        If it is not a square matrix, has no numbers or is sparse, or `null_value` is no number.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.sparse.csgraph.csgraph_from_dense(cp.array([[0.0, 2.0], [cp.inf, 0.0]])).nnz
    1
    """
    array = operand(graph, "csgraph", "the graph").astype(np.float64, copy=False)
    _check_square(array.shape)
    is_null = zeros(array.shape, bool)
    null = None if null_value is None else float(null_value)
    if null is not None and null == null:
        is_null = array == null
    if nan_null or (null is not None and null != null):
        is_null = is_null | isnan(array)
    if infinity_null:
        is_null = is_null | isinf(array)
    rows, columns = nonzero(~is_null)
    found = csr_array((array[rows, columns], (rows, columns)), shape=array.shape)
    return found


def csgraph_to_dense(csgraph: Any, null_value: float = 0) -> ndarray:
    """The lengths of edges as a dense matrix.

    Parameters
    ----------
    csgraph : sparse array or matrix, shape (N, N)
        The graph.
    null_value : float, optional
        What stands for no edge.

    Returns
    -------
    ndarray, shape (N, N)
        In float64. Of several edges between the same vertices it has the shortest one.

    Raises
    ------
    ValueError
        If it is not a square sparse matrix.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy.sparse import csr_array
    >>> graph = csr_array(cp.array([[0.0, 2.0], [0.0, 0.0]]))
    >>> cp.scipy.sparse.csgraph.csgraph_to_dense(graph, cp.inf)
    array([[inf,  2.],
           [inf, inf]])
    """
    if not issparse(csgraph):
        raise ValueError("csgraph_to_dense: csgraph must be sparse; a dense one is what it returns")
    edges = edges_of(csgraph, True)
    lengths = full((edges.vertices, edges.vertices), np.inf)
    places = edges.begin.astype(np.int64) * edges.vertices + edges.end
    minimum.at(lengths.reshape(-1), places, edges.weights)
    there = zeros(edges.vertices * edges.vertices, bool)
    there[places] = True
    lengths[~there.reshape(lengths.shape)] = null_value
    return lengths


def _check_square(shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        raise ValueError(f"csgraph: compressed-sparse graph must be 2-D, not of shape {shape}")
    if shape[0] != shape[1]:
        raise ValueError(f"csgraph: compressed-sparse graph must be shape (N, N), not {shape}")


def graph_of(csgraph: Any) -> Any:
    """A graph as a csr array or matrix of float64; of a dense matrix zeros are no edges."""
    if issparse(csgraph):
        _check_square(csgraph.shape)
        found = csgraph.tocsr()
        found = found if found.dtype == np.float64 else found.astype(np.float64)
    else:
        found = csgraph_from_dense(csgraph)
    if found.shape[0] > NOBODY - 1:
        raise ValueError(f"csgraph: {found.shape[0]} vertices; at most {NOBODY - 1} are possible")
    return found


def edges_of(csgraph: Any, directed: bool) -> Edges:
    """The edges of a graph, in both directions unless it is directed."""
    graph = csgraph if getattr(csgraph, "format", "") == "csr" else None
    graph = graph_of(csgraph) if graph is None or graph.dtype != np.float64 else graph
    _check_square(graph.shape)
    begin, end, weights = graph._major(), graph.indices, graph.data
    begin = begin.astype(end.dtype, copy=False)
    size = int(begin.size)
    end, weights = end[:size], weights[:size]
    if not directed:
        begin, end = concatenate((begin, end)), concatenate((end, begin))
        weights = concatenate((weights, weights))
    return Edges(begin, end, weights, graph.shape[0])


def repeat_until_stable(step: Callable[[Any], None], most: int | None = None) -> bool:
    """Call a step until it changes nothing; return whether that came.

    Parameters
    ----------
    step : callable
        Takes an int32 array of one element, which it makes 1 where it changes something.
    most : int, optional
        How many steps there are at most.
    """
    done = 0
    while most is None or done < most:
        for _ in range(_STEPS):
            changed = zeros(1, np.int32)
            step(changed)
            done += 1
        if not asnumpy(changed)[0]:
            return True
    return False


def shortest_edges(edges: Edges, begin: Any, end: Any) -> Any:
    """The lengths of the shortest edges between vertices, infinite where there is none."""
    if not edges.size:
        return full(begin.shape, np.inf)
    keys = edges.begin.astype(np.int64) * edges.vertices + edges.end
    order = argsort(edges.weights, stable=True)
    order = order[argsort(keys[order], stable=True)]  # of one key the shortest edge is first
    keys = keys[order]
    wanted = begin.astype(np.int64, copy=False) * edges.vertices + end
    places = minimum(searchsorted(keys, wanted), edges.size - 1)
    return where(keys[places] == wanted, edges.weights[order][places], np.inf)
