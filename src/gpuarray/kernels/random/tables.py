"""Numbers that device code is given: jumps of linear congruential generators, ziggurats.

A ziggurat covers a density by 256 layers of one area, of which the last has the tail (Marsaglia
and Tsang, "The Ziggurat Method for Generating Random Variables", 2000; Doornik, "An Improved
Ziggurat Method to Generate Normal Random Samples", 2005). A layer has the width of a step
(``scales``), the part of steps that are below the next layer's edge (``limits``) and the density
at its edge (``heights``). All is computed anew here, by decimal arithmetic, and rounded as the
tables of NumPy are: its numbers differ from exact ones in the last digits, and a value that is
drawn is a product with one of them.
"""

from __future__ import annotations

import math
import struct
from decimal import Context, Decimal, localcontext
from functools import cache
from typing import NamedTuple

#: The multipliers of the 128-bit linear congruential generators.
MULTIPLIERS = {
    "pcg64": 0x2360ED051FC65DA44385DF649FCCF645,
    "pcg64dxsm": 0xDA942042E4DD58B5,
}

_MASK_128 = (1 << 128) - 1

#: Where the tails begin, as the literature has it.
NORMAL_TAIL = Decimal("3.6541528853610087963519472518")
EXPONENTIAL_TAIL = Decimal("7.69711747013104971404462804811")

#: A layer's area under exp(-x * x / 2), four units in the last place below the nearest float64 of
#: the exact one: NumPy's table begins with it.
_NORMAL_AREA = 0.00492867323397465493 - 4 * math.ulp(0.00492867323397465493)
#: The layer at whose edge NumPy's table has the density one unit in the last place higher.
_NORMAL_HIGHER = 38


#: The two recurrences of MRG32k3a: a step's matrix, and the modulus.
MRG32K3A = (
    (((0, 1, 0), (0, 0, 1), (-810728, 1403580, 0)), 2**32 - 209),
    (((0, 1, 0), (0, 0, 1), (-1370589, 0, 527612)), 2**32 - 22853),
)


@cache
def mrg32k3a_jumps() -> list[int]:
    """For each power of two of words, which are two steps: the elements of both matrices."""
    matrices = [[list(row) for row in matrix] for matrix, _ in MRG32K3A]
    found = []
    for _ in range(64):
        for i, (_, modulus) in enumerate(MRG32K3A):
            one = matrices[i]
            columns = list(zip(*one))
            matrices[i] = [
                [sum([a * b for a, b in zip(row, column)]) % modulus for column in columns]
                for row in one
            ]
            found += [x for row in matrices[i] for x in row]
    return found


class Ziggurat(NamedTuple):
    """The 256 layers of a density."""

    scales: list[float]
    limits: list[int]
    heights: list[float]


def jumps(multiplier: int) -> list[int]:
    """What multiplies the state and the increment to go ``value * 16**digit`` steps ahead.

    Returns
    -------
    list of int
        For each of 16 digits and each of 16 values: the two factors, each as its upper and its
        lower 64 bits. A state ``x`` becomes ``first * x + second * increment``.
    """
    words = []
    step, total = multiplier, 1  # one step: x becomes multiplier * x + 1 * increment
    for _ in range(16):
        factor, summed = 1, 0
        for _ in range(16):
            for number in (factor, summed):
                words += [number >> 64, number & (1 << 64) - 1]
            factor, summed = factor * step & _MASK_128, (summed * step + total) & _MASK_128
        step, total = factor, summed
    return words


@cache
def ziggurat(kind: str, single: bool) -> Ziggurat:
    """The layers of 'normal' or 'exponential' for draws in double or single precision."""
    with localcontext(Context(prec=50)):
        if kind == "normal":
            return _normal(23 if single else 52)
        return _exponential(single)


def _exp(x: float) -> float:
    return float(Decimal(x).exp())


def _normal(bits: int) -> Ziggurat:
    """By float64 arithmetic, as NumPy's table was made."""
    tail = float(NORMAL_TAIL)
    edges, heights = [0.0] * 256, [1.0] * 256
    edges[255], heights[255] = tail, _exp(-0.5 * tail * tail)
    edges[0] = _NORMAL_AREA / heights[255]
    for i in range(254, 0, -1):
        height = _NORMAL_AREA / edges[i + 1] + heights[i + 1]
        edges[i] = math.sqrt(-2 * float(Decimal(height).ln()))
        heights[i] = _exp(-0.5 * edges[i] * edges[i])
        if i == _NORMAL_HIGHER:
            heights[i] += math.ulp(heights[i])
    limits = [round(tail / edges[0] * 2**bits), 0]
    limits += [round(edges[i - 1] / edges[i] * 2**bits) for i in range(2, 256)]
    return Ziggurat([x / 2**bits for x in edges], limits, heights)


def _exponential(single: bool) -> Ziggurat:
    """By decimal arithmetic, rounded at the end."""
    tail = EXPONENTIAL_TAIL
    area = (tail + 1) * (-tail).exp()
    edges = [Decimal(0)] * 256
    edges[0], edges[255] = area / (-tail).exp(), tail
    for i in range(254, 0, -1):
        edges[i] = -(area / edges[i + 1] + (-edges[i + 1]).exp()).ln()
    heights = [Decimal(1), *[(-x).exp() for x in edges[1:]]]
    ratios = [tail / edges[0], Decimal(0), *[edges[i - 1] / edges[i] for i in range(2, 256)]]
    if single:
        limits = [round(x * 2**23) for x in ratios]
        return Ziggurat([_nine(x / 2**23) for x in edges], limits, [_nine(x) for x in heights])
    limits = [2 * int(x * 2**52) for x in ratios]
    return Ziggurat([float(x / 2**53) for x in edges], limits, [float(x) for x in heights])


def _nine(x: Decimal) -> float:
    """Rounded to nine decimal digits first, as the numbers of NumPy's table are written."""
    return float(f"{x:.8e}")


def bits_of(numbers: list[float], single: bool) -> list[int]:
    """The bits of float32 or float64 numbers."""
    shape = ("<f", "<I") if single else ("<d", "<Q")
    return [struct.unpack(shape[1], struct.pack(shape[0], x))[0] for x in numbers]
