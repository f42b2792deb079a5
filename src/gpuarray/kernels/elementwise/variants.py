"""Which variant of the element-wise family serves operands of given strides, and its launch.

====================  ============================================================================
``contiguous``        every operand is one gapless run (or one element) in the same order
``rows``              the same along the fastest dimension, with strides outside of it
``picked``            outputs are, inputs lie close together in another order or with gaps
``tiled``             some inputs are gapless along another dimension: transposes
``strided``           everything else
====================  ============================================================================

The alignment of pointers decides nothing here. Plans are looked up by layouts, which know no
addresses, and views begin anywhere; the kernels of rows therefore find the aligned addresses of
their output themselves, and shift inputs that are aligned otherwise (see elementwise_rows.cuh).
A call pays nothing for that, and there is one kernel to compile, not one for each combination.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpuarray._integers import ceil_div, power_of_two_from

if TYPE_CHECKING:
    from gpuarray.kernels.elementwise.spec import ElementwiseSpec
    from gpuarray.kernels.generator.source import KernelSource

_INDEX_BITS = {"int32": 32, "int64": 64}

#: Blocks in a grid.
MAX_GRID = 2**31 - 1

# A row has at least this many vectors: its first and last may be incomplete, and one may be idle.
_ROW_VECTORS = 8

# Periods of picked inputs (elements of the last dimension) are unrolled, as is a thread's chunk:
# bytes of an operand, and of the window of an input.
_LONGEST_PERIOD = 8
_CHUNK_BYTES = 64
_WINDOW_BYTES = 96

# Bytes of the widest element, and of windows and results for an element. Where more than this is to
# be moved, kernels that access element by element reach the speed of memory, too.
_PICKED_SIZE = 2
_PICKED_BYTES = 5.5

# Elements of a tile by bytes of the widest operand: 64 bytes a thread of 256 for each operand.
_TILE_AREA = {1: 16384, 2: 8192, 4: 4096, 8: 2048, 16: 1024}
_TILE_WIDTH = {1: 128, 2: 128, 4: 64, 8: 64, 16: 32}

# So many views are aligned each in its own way. On an H200 a five-point stencil of float32 takes
# 266 microseconds where each is shifted into its vector, and 176 where elements are read one by one
# (1.4 times the time of a copy); 188 and 157 with four views, 152 and 149 with three, and of
# elements of two bytes 282 and 390.
_SHIFTED_VIEWS, _SHIFTED_SIZE = 4, 4

# Rows up to this length are cut into vectors together.
_FLAT_WIDTH = 32

# Smaller ones than this in the two dimensions of tiles leave most of a tile empty; what is read
# across then stays in the cache between the accesses of one block.
_SMALLEST_TILE = 1024


@dataclass(frozen=True, slots=True)
class Choice:
    """A variant, and how the operands fit it.

    ``order`` lists the dimensions as the kernel wants them, ``kinds`` has one entry for each
    operand with memory, outputs first. ``vector`` limits the elements of one access;
    ``grouping`` is how tiles are cut into them. Transposed inputs are read in squares of ``edge``;
    ``shifted`` is whether their columns are not aligned. Threads of a picked kernel own ``chunk``
    elements of rows that consist of periods of ``period`` elements; ``steps`` says for each
    operand how far it is from one period to the next, and from one element to the next.
    """

    variant: str
    kinds: tuple[str, ...]
    order: tuple[int, ...]
    vector: int = 16
    tile: tuple[int, int] = (0, 0)
    grouping: str = "ALIGNED_ROWS"
    edge: int = 1
    shifted: bool = False
    chunk: int = 0
    period: int = 1
    steps: tuple[tuple[int, int], ...] = ()


def choose(
    shape: Sequence[int],
    strides: Sequence[Sequence[int]],
    itemsizes: Sequence[int],
    outputs: int,
    light: bool = False,
    views: int = 0,
) -> Choice:
    """Choose the variant for collapsed dimensions.

    Parameters
    ----------
    shape : sequence of int
        The dimensions, the first output's fastest last.
    strides : sequence of sequences of int
        Of each operand, outputs first, in elements.
    itemsizes : sequence of int
        Bytes of an element of each operand.
    outputs : int
        How many of the operands are outputs.
    light : bool
        The function is a few instructions, and called for every element: it may be unrolled often.
    views : int
        How many of the inputs are parts of other arrays, as those of a stencil are.
    """
    order = tuple(range(len(shape)))
    if views >= _SHIFTED_VIEWS and min(itemsizes) >= _SHIFTED_SIZE:
        return strided(shape, strides, outputs)
    single = tuple(
        "broadcast" if k >= outputs and not any(one) and math.prod(shape) > 1 else "array"
        for k, one in enumerate(strides)
    )
    inner = [one[-1] for one in strides]
    length = shape[-1]
    along = all(
        kind == "broadcast" or stride == 1 or length == 1 or (stride == 0 and k >= outputs)
        for k, (kind, stride) in enumerate(zip(single, inner, strict=True))
    )
    if along and len(shape) == 1:
        return Choice("contiguous", single, order)
    if along:
        widest = max([n for n, kind in zip(itemsizes, single, strict=True) if kind == "array"])
        vector = 16 // widest
        while vector > 1 and length < vector * _ROW_VECTORS:
            vector //= 2
        if vector > 1 or (widest == 16 and length >= _ROW_VECTORS):
            kinds = tuple(
                "repeated" if kind == "array" and stride == 0 else kind
                for kind, stride in zip(single, inner, strict=True)
            )
            return Choice("rows", kinds, order, vector)
    picked = _choose_picks(shape, strides, itemsizes, outputs, single) if light else None
    if picked is not None:
        return picked
    tiled = _choose_tiles(shape, strides, itemsizes, outputs, single)
    if tiled is not None and _tiles(shape, tiled) <= MAX_GRID:
        return tiled
    return Choice("strided", single, order)


def strided(shape: Sequence[int], strides: Sequence[Sequence[int]], outputs: int) -> Choice:
    """The variant that serves all strides; parameters as for `choose`."""
    kinds = tuple(
        "broadcast" if k >= outputs and not any(one) and math.prod(shape) > 1 else "array"
        for k, one in enumerate(strides)
    )
    return Choice("strided", kinds, tuple(range(len(shape))))


def _choose_picks(
    shape: Sequence[int],
    strides: Sequence[Sequence[int]],
    itemsizes: Sequence[int],
    outputs: int,
    single: tuple[str, ...],
) -> Choice | None:
    period = 1
    if len(shape) > 1 and shape[-1] <= _LONGEST_PERIOD:
        period = shape[-1]
    steps = tuple([(one[-2], one[-1]) if period > 1 else (one[-1], 0) for one in strides])
    gapless = (period, 1) if period > 1 else (1, 0)
    if any(one != gapless for one in steps[:outputs]):
        return None
    accessed = [n for n, kind in zip(itemsizes, single, strict=True) if kind == "array"]
    if max(accessed) > _PICKED_SIZE:
        return None
    for word in (16, 8):
        chunk = math.lcm(period, word // max(accessed))
        if chunk * max(accessed) <= _CHUNK_BYTES:
            break
    else:
        return None
    row = period * (shape[-2] if period > 1 else shape[-1])
    if row < _ROW_VECTORS * chunk:
        return None
    periods = chunk // period
    moved = 0.0
    for (across, along), n, kind in zip(steps[outputs:], itemsizes[outputs:], single[outputs:]):
        if kind != "array" or across == 0:
            continue
        if along and abs(across) * periods * n < 4:
            return None
        window = (abs(across) * (periods - 1) + abs(along) * (period - 1) + 1) * n
        if window > _WINDOW_BYTES:
            return None
        moved = max(moved, window / chunk)
    if moved + max(itemsizes[:outputs]) > _PICKED_BYTES:
        return None
    order = tuple(range(len(shape)))
    return Choice("picked", single, order, chunk=chunk, period=period, steps=steps)


def _choose_tiles(
    shape: Sequence[int],
    strides: Sequence[Sequence[int]],
    itemsizes: Sequence[int],
    outputs: int,
    single: tuple[str, ...],
) -> Choice | None:
    x = len(shape) - 1
    # The other dimension: along which the first operand that wants another one is the fastest.
    y = -1
    for k in range(outputs, len(strides)):
        one = strides[k]
        axis = min((i for i in range(x + 1) if one[i]), key=lambda i: (abs(one[i]), -i), default=x)
        if _transposed(one, axis, x, itemsizes[k]):
            y = axis
            break
    if y < 0 or shape[x] * shape[y] < _SMALLEST_TILE:
        return None
    kinds = tuple(
        "transposed" if k >= outputs and _transposed(one, y, x, itemsizes[k]) else single[k]
        for k, one in enumerate(strides)
    )
    order = (*[i for i in range(x) if i != y], y, x)
    wide = max([n for n, kind in zip(itemsizes, kinds, strict=True) if kind != "broadcast"])
    area = _TILE_AREA[wide]
    # Static shared memory ends at 48 KiB: two operands of full tiles.
    for _ in range(kinds.count("transposed").bit_length() - 1):
        area //= 2
    width = min(_TILE_WIDTH[wide], power_of_two_from(shape[x]))
    height = min(area // width, power_of_two_from(shape[y]))
    width = min(area // height, power_of_two_from(shape[x]))
    vector = 16 // wide
    if any(one[x] != 1 for one in strides[:outputs]):
        vector = 1
    while vector > width:
        vector //= 2
    lead = strides[0]
    if wide == 1 and any(lead[i] % vector for i in range(x)):
        # Skewed by 16 a transposed copy took twice as long on an H200, but not in longer rows: 347
        # microseconds of 383 for 19999 x 19999 bytes.
        if (width, height) == (128, 128) and shape[x] >= 256:
            width, height = 256, 64
        else:
            vector = min(vector, 8)
    grouping = "ALIGNED_ROWS"
    if vector > 1 and any(lead[i] % vector for i in range(x)):
        grouping = "SKEWED_ROWS"
        if shape[x] <= _FLAT_WIDTH and lead[y] == shape[x]:
            grouping = "FLAT"
            width = shape[x]
            vector = min(vector, 8 if wide == 1 else 4)  # elements are taken one by one
    transposed = [one for one, kind in zip(strides, kinds, strict=True) if kind == "transposed"]
    edge = 8 if wide == 1 else min(4, 16 // wide)
    if wide in (4, 8) and any(one[i] % edge for one in transposed for i in range(x + 1) if i != y):
        # On an H200 235 microseconds of 281 for 9999 x 9999 elements of four bytes, and 211 of 272
        # for 7071 x 7071 complex64.
        edge = 8 // wide
    while edge > 1 and (edge >= 2 * width or edge > height or _odd(shape[y], edge)):
        edge //= 2
    shifted = any(one[i] % edge for one in transposed for i in range(x + 1) if i != y)
    return Choice("tiled", kinds, order, vector, (width, height), grouping, edge, shifted)


def _odd(length: int, edge: int) -> bool:
    """Whether columns are short, and squares would reach beyond them."""
    return length <= 16 and length % edge != 0


def _transposed(strides: Sequence[int], y: int, x: int, itemsize: int) -> bool:
    """Whether an input is read better along ``y`` than along ``x``: several elements a sector."""
    step = abs(strides[y])
    return y != x and 0 < step < abs(strides[x]) and step * itemsize <= 16


def _tiles(shape: Sequence[int], choice: Choice) -> int:
    width, height = choice.tile
    ordered = [shape[i] for i in choice.order]
    return math.prod(ordered[:-2]) * ceil_div(ordered[-2], height) * ceil_div(ordered[-1], width)


def geometry(
    spec: ElementwiseSpec,
    source: KernelSource,
    shape: Sequence[int],
    strides: Sequence[Sequence[int]],
) -> tuple[int, dict[str, Any]]:
    """The launch of a rendered kernel.

    ``shape`` and ``strides`` (in elements) are in the order of `Choice.order`.

    Returns
    -------
    blocks, constants
        The blocks of the grid (a kernel with a 64-bit index takes fewer, too), and the values of
        the kernel's parameters that are no operands.
    """
    size = math.prod(shape)
    if spec.variant == "contiguous":
        # The first vector begins where the output is aligned, so there may be one more.
        vectors = ceil_div(size, source.vector) + (source.vector > 1)
        return _blocks(vectors * source.vector, source), {"size": size}
    counts = list(shape)
    if spec.variant == "picked":
        # Chunks begin where the first output is aligned, so there may be one more.
        counts[-1] = ceil_div(shape[-1], spec.chunk) + 1
        size = math.prod(counts)
        blocks = ceil_div(size, source.block)
    elif spec.variant == "rows":
        counts[-1] = ceil_div(shape[-1], source.vector) + (source.vector > 1)
        size = math.prod(counts)
        blocks = _blocks(size * source.vector, source)
    elif spec.variant == "tiled":
        counts[-1] = ceil_div(shape[-1], spec.tile[0])
        counts[-2] = ceil_div(shape[-2], spec.tile[1])
        blocks = math.prod(counts)
    else:
        blocks = _blocks(size, source)
    fractions = [fraction(n, _INDEX_BITS[spec.index]) for n in counts]
    dimensions = {
        "shape": shape,
        "counts": counts,
        "multipliers": [multiplier for multiplier, _ in fractions],
        "shifts": [shift for _, shift in fractions],
        "strides": [stride for one in strides for stride in one],
    }
    return blocks, {"size": size, "dimensions": dimensions}


def _blocks(items: int, source: KernelSource) -> int:
    return ceil_div(items, source.block * source.items_per_thread)


def fraction(divisor: int, bits: int) -> tuple[int, int]:
    """Multiplier and shift that divide: ``n // divisor == (n * multiplier >> bits) >> shift``.

    It holds for ``0 <= n < 2**(bits - 1)``. The multiplier is given as the signed integer of its
    bits; 0 stands for a divisor of 1, whose fraction has one bit too many.
    """
    if divisor == 1:
        return 0, 0
    # Rounded up, the multiplier is too large by less than divisor / 2**(bits - 1 + shift + 1),
    # which n is too small to see.
    shift = (divisor - 1).bit_length()
    multiplier = ceil_div(1 << (bits - 1 + shift), divisor)
    return multiplier - (multiplier >> (bits - 1) << bits), shift - 1
