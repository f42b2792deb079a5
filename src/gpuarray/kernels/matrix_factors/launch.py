"""Kernels around factorisations: from layouts to launches, which are steps of plans."""

from __future__ import annotations

import numpy as np

from gpuarray import _dtypes
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import matrix_factors

__all__ = [
    "addresses", "determinants", "elements", "inverse_tiles", "reflectors",
    "row_orders", "rows_in_order",
]  # fmt: skip


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
    # A block for each matrix.
    threads = pivots.size // exchanges * matrix_factors.spec.BLOCK
    return _bound(spec, threads, {"exchanges": exchanges, "rows": rows}, stream)


def inverse_tiles(matrices: Layout, upper: bool, unit: bool, stream: Stream) -> BoundLaunch:
    """The inverses of the triangles of `TILE` rows on the diagonal of matrices, zeros elsewhere.

    It takes ``matrices``, gapless column-major ones, and ``inverses``.
    """
    spec = matrix_factors.spec.InverseTilesSpec(_dtypes.code(matrices.dtype), upper, unit)
    n = matrices.shape[-1]
    tiles = ceil_div(n, matrix_factors.spec.TILE)
    blocks = matrices.size // (n * n) * tiles * tiles
    return _bound(spec, blocks * matrix_factors.spec.BLOCK, {"n": n}, stream)


def rows_in_order(matrices: Layout, back: bool, stream: Stream) -> BoundLaunch:
    """Row ``order[i]`` of matrices as row i of others, or back: row i as row ``order[i]``.

    It takes ``matrices``, gapless column-major ones of a layout (..., columns, rows), ``order``,
    int64, and ``results``.
    """
    spec = matrix_factors.spec.OrderSpec(_dtypes.code(matrices.dtype), back)
    columns, n = matrices.shape[-2:]
    threads = matrices.size // n * matrix_factors.spec.BLOCK
    return _bound(spec, threads, {"n": n, "columns": columns}, stream)


def reflectors(columns: Layout, first: int, count: int, stream: Stream) -> BoundLaunch:
    """Reflectors of a factorised matrix, with ones on the diagonal and zeros above it.

    It takes ``columns``, and ``vectors``, so many columns.
    """
    spec = matrix_factors.spec.ReflectorsSpec(_dtypes.code(columns.dtype))
    constants = {"rows": columns.shape[-1], "first": first}
    return _bound(spec, count * matrix_factors.spec.BLOCK, constants, stream)


def elements(operation: str, matrices: Layout, size: int, stream: Stream) -> BoundLaunch:
    """An operation on the elements of gapless matrices of so many elements each.

    'find_nan' takes ``matrices`` and ``flags``, int32, of which it sets those of matrices with NaN.
    'greatest' takes ``matrices`` and ``greatest``, of the real dtype, which has zeros before;
    'scale' takes these, and multiplies matrices by a power of two if squares of their elements are
    out of range; 'ascending' takes eigenvalues of scaled ones, ``found``, then ``greatest``, and
    ``values``.
    """
    spec = matrix_factors.spec.ElementsSpec(operation, _dtypes.code(matrices.dtype))
    parts = matrices.size // size * ceil_div(size, matrix_factors.spec.ELEMENTS)
    return _bound(spec, parts * matrix_factors.spec.BLOCK, {"size": size}, stream)


def _bound(
    spec: matrix_factors.spec.Spec,
    threads: int,
    constants: dict[str, int],
    stream: Stream,
) -> BoundLaunch:
    function, source = load(spec, matrix_factors.spec.render, stream.device)
    grid = grid_for(ceil_div(threads, source.block))
    return BoundLaunch(LaunchPlan(function, grid, (source.block, 1, 1), constants), stream)
