"""How products of given sizes are shared among blocks."""

from __future__ import annotations

import math
from typing import NamedTuple

from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray.kernels.product.spec import Tile


class _Rate(NamedTuple):
    """What a tile costs: in multiplications that a multiprocessor does in the same time."""

    each: float  # for a multiplication, where there are many tiles
    alone: float  # the same where a multiprocessor has one tile


# Estimates from how many instructions a multiplication takes, and how many warps a block has.
RATES = {
    Tile(128, 128, 8, 8, 8, 2): _Rate(1, 1.3),
    Tile(64, 64, 16, 4, 4): _Rate(1.4, 2),
    Tile(32, 32, 16, 4, 4): _Rate(1.8, 6),
    Tile(128, 16, 16, 4, 4): _Rate(1.8, 3),
    Tile(16, 128, 16, 4, 4): _Rate(1.8, 3),
}

#: The largest matrices whose results are computed one by one.
_SINGLE_SIDE, _SINGLE_INNER = 8, 64

#: What a split of the inner dimension must have, and blocks for each multiprocessor.
_LEAST_SPLIT, _SPLIT_BLOCKS = 256, 2

#: Products of floats that are computed here and not by a library, whose calls take longer: matrices
#: of no longer sides, and if there are many only of sides that the library is no faster for.
_MOST_SIDE, _MOST_SIDE_OF_MANY, _MANY = 64, 16, 1 << 24


def product_wins(a: Layout, b: Layout, target: Layout) -> bool:
    """Whether a product of floats is faster here than by a library.

    Parameters
    ----------
    a, b, target : Layout
        As for `launch.product_call`.
    """
    side = max(*target.shape[-2:], a.shape[-1])
    return side <= _MOST_SIDE_OF_MANY or (side <= _MOST_SIDE and target.size * a.shape[-1] <= _MANY)


class Sharing(NamedTuple):
    """How the results are shared among blocks."""

    tile: Tile | None
    splits: int
    split_length: int


def share(
    rows: int, columns: int, inner: int, members: int, itemsize: int, multiprocessors: int
) -> Sharing:
    """Decide the tile, and among how many blocks the inner dimension is split.

    ``itemsize`` is that of the sums.
    """
    if max(rows, columns) <= _SINGLE_SIDE and inner <= _SINGLE_INNER:
        return Sharing(None, 1, inner)
    best, least, tiles = None, math.inf, 0
    for tile, rate in RATES.items():
        if itemsize > 4 and tile.tall == 8:  # more registers than a thread has
            continue
        count = ceil_div(rows, tile.rows) * ceil_div(columns, tile.columns) * members
        area = tile.rows * tile.columns
        cost = max(ceil_div(count, multiprocessors) * area * rate.each, area * rate.alone)
        if cost < least:
            best, least, tiles = tile, cost, count
    assert best is not None
    if itemsize > 4:
        best = Tile(best.rows, best.columns, best.depth // 2, best.tall, best.broad)
    splits = min(multiprocessors * _SPLIT_BLOCKS // tiles, inner // _LEAST_SPLIT)
    if splits < 2:
        return Sharing(best, 1, inner)
    step = 4 * best.depth  # whole words, and whole rounds
    split_length = ceil_div(ceil_div(inner, splits), step) * step
    return Sharing(best, ceil_div(inner, split_length), split_length)
