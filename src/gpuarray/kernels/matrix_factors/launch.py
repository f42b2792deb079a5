"""Kernels around factorisations: from layouts to launches, which are steps of plans."""

from __future__ import annotations

import numpy as np

from gpuarray import _dtypes
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import matrix_factors

__all__ = ["addresses", "determinants", "row_orders"]


def addresses(count: int, distance: int, stream: Stream) -> BoundLaunch:
    """The addresses of matrices ``distance`` bytes apart.

    It takes ``first``, the first matrix, and ``addresses``, int64 or uint64.
    """
    spec = matrix_factors.spec.AddressesSpec()
    return _bound(spec, count, {"distance": distance, "count": count}, stream)


def determinants(factors: Layout, pivots: np.dtype, logarithm: bool, stream: Stream) -> BoundLaunch:
    """The determinants of stacked matrices, of their LU factors.

    It takes ``factors``, gapless matrices, ``pivots``, ``result``, and ``logarithm``, which is any
    address where the determinants themselves are wanted.
    """
    code = _dtypes.code(factors.dtype)
    spec = matrix_factors.spec.DeterminantSpec(code, _dtypes.code(pivots), logarithm)
    n = factors.shape[-1]
    # A block for each matrix.
    threads = factors.size // (n * n) * matrix_factors.spec.BLOCK
    return _bound(spec, threads, {"n": n}, stream)


def row_orders(pivots: Layout, rows: int, stream: Stream) -> BoundLaunch:
    """The order of the rows of stacked matrices after exchanges.

    It takes ``pivots``, and ``order`` for int64 numbers of rows.
    """
    spec = matrix_factors.spec.RowOrderSpec(_dtypes.code(pivots.dtype))
    exchanges = pivots.shape[-1]
    count = pivots.size // exchanges
    return _bound(spec, count, {"exchanges": exchanges, "rows": rows, "count": count}, stream)


def _bound(
    spec: matrix_factors.spec.AddressesSpec
    | matrix_factors.spec.DeterminantSpec
    | matrix_factors.spec.RowOrderSpec,
    threads: int,
    constants: dict[str, int],
    stream: Stream,
) -> BoundLaunch:
    function, source = load(spec, matrix_factors.spec.render, stream.device)
    grid = grid_for(ceil_div(threads, source.block))
    return BoundLaunch(LaunchPlan(function, grid, (source.block, 1, 1), constants), stream)
