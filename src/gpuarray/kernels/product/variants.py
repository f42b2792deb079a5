"""How products of given sizes are shared among blocks."""

from __future__ import annotations

import math
from typing import NamedTuple

from gpuarray import _dtypes
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray.kernels.product.spec import BLOCK, Tile


class Rate(NamedTuple):
    """What a tile costs: in multiplications that a multiprocessor does in the same time."""

    each: float  # for a multiplication, where there are many tiles
    alone: float  # the same where a multiprocessor has one tile
    resident: int  # tiles that a multiprocessor computes at a time


#: Estimates from how many instructions a multiplication takes, and how many warps a block has.
RATES = {
    Tile(128, 128, 8, 8, 8, 2): Rate(1, 1.3, 2),
    Tile(64, 64, 16, 4, 4): Rate(1.4, 2, 4),
    Tile(32, 32, 16, 4, 4): Rate(1.8, 6, 16),
    Tile(128, 16, 16, 4, 4): Rate(1.8, 3, 8),
    Tile(16, 128, 16, 4, 4): Rate(1.8, 3, 8),
}

#: The same for results that are computed one by one, and for how long an inner dimension.
_SINGLE, _SINGLE_INNER = Rate(5, 20, 8), 64

#: A split of the inner dimension has at least so many elements.
_LEAST_SPLIT = 256

#: What the launch costs that adds up the sums of splits; in it the next sum of each result, and
#: each of the sums.
_JOIN, _NEXT_SUM, _JOINED_SUM = 200_000, 5_000, 20


class Limit(NamedTuple):
    """Up to where products of floats are computed here, and not by a library."""

    always: int  # sides of any number of matrices
    side: int  # sides of few matrices
    work: int  # multiplications of few matrices


#: By dtype. A library's call takes the host 6 µs more than a launch: a kernel here may take so much
#: longer on the device. Many matrices go where the device is faster. Half precision has tensor
#: cores there, and so has float64.
LIMITS = {
    "f4": Limit(16, 256, 1 << 26),
    "f8": Limit(8, 64, 1 << 25),
    "c8": Limit(16, 64, 1 << 25),
    "c16": Limit(16, 48, 1 << 24),
    "f2": Limit(16, 64, 1 << 25),
    "bf2": Limit(16, 64, 1 << 25),
}


def product_wins(a: Layout, b: Layout, target: Layout) -> bool:
    """Whether a product of floats is faster here than by a library.

    Parameters
    ----------
    a, b, target : Layout
        As for `launch.product_call`.
    """
    side = max(*target.shape[-2:], a.shape[-1])
    limit = LIMITS[_dtypes.code(target.dtype)]
    return side <= limit.always or (side <= limit.side and target.size * a.shape[-1] <= limit.work)


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
    results, least = rows * columns * members, math.inf
    best: Sharing | None = None
    for tile, rate in RATES.items():
        if itemsize > 4 and tile.tall == 8:  # more registers than a thread has
            continue
        count = ceil_div(rows, tile.rows) * ceil_div(columns, tile.columns) * members
        most = min(multiprocessors * rate.resident // count, inner // _LEAST_SPLIT)
        for wanted in (1, most // 16, most // 4, most):
            if wanted < 1:
                continue
            splits, length = _split(inner, wanted, 4 * tile.depth)
            area = tile.rows * tile.columns
            cost = length * _cost(rate, area, count * splits, multiprocessors)
            if splits > 1:
                cost += _JOIN + splits * (_NEXT_SUM + _JOINED_SUM * results / multiprocessors)
            if cost < least:
                best, least = Sharing(tile, splits, length), cost
    if inner <= _SINGLE_INNER:
        count = ceil_div(results, BLOCK)
        if inner * _cost(_SINGLE, BLOCK, count, multiprocessors) <= least:
            return Sharing(None, 1, inner)
    assert best is not None
    assert best.tile is not None
    if itemsize > 4:
        tile = best.tile
        halved = Tile(tile.rows, tile.columns, tile.depth // 2, tile.tall, tile.broad)
        best = Sharing(halved, best.splits, best.split_length)
    return best


def _split(inner: int, splits: int, step: int) -> tuple[int, int]:
    """So many equal parts of the inner dimension, or fewer, and how long they are.

    All but the last are multiples of ``step``: whole words, and all that a block reads at a time.
    """
    if splits == 1:
        return 1, inner
    length = ceil_div(ceil_div(inner, splits), step) * step
    return ceil_div(inner, length), length


def _cost(rate: Rate, area: int, count: int, multiprocessors: int) -> float:
    """The time of so many blocks that compute so many results each, by multiplications of one."""
    return max(ceil_div(count, multiprocessors) * area * rate.each, area * rate.alone)
