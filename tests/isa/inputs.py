"""Operands: boundary values first, then random ones; the same for a row in every run.

Every float operand has several NaN, infinities, subnormals and signed zeros, every integer one
its extremes. The first lanes hold all pairs of a few extreme values for the first two operands.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

import numpy as np

from tests.isa.rows import LANES, TYPES, Row

_FLOATS = {  # type -> (exponent bits, fraction bits)
    "f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52),
}  # fmt: skip
_PAIRS = {"f16x2": "f16", "bf16x2": "bf16", "s16x2": "s16", "u16x2": "u16"}


def _float_edges(type_: str) -> list[int]:
    """Bit patterns: zeros, subnormals, extremes, infinities, NaN of several payloads, ones."""
    exponent, fraction = _FLOATS[type_]
    one = ((1 << exponent - 1) - 1) << fraction
    infinity = ((1 << exponent) - 1) << fraction
    quiet = infinity | 1 << fraction - 1
    positive = [
        0, one, infinity, quiet, 1, 1 << fraction, infinity - 1,  # the first are paired
        (1 << fraction) - 1, 1 << fraction - 1, infinity | 1, quiet | 5, infinity + (1 << fraction) - 1,
        one + 1, one - 1, one | 1 << fraction - 1, one + (1 << fraction), one - (1 << fraction),
        one + (1 << fraction) | 1 << fraction - 2,
    ]  # fmt: skip
    sign = 1 << exponent + fraction
    return [bits | s for bits in positive for s in (0, sign)]


def _integer_edges(type_: str) -> list[int]:
    width = 8 * np.dtype(TYPES[type_][0]).itemsize
    top = 1 << width - 1
    values = [0, 1, top - 1, top, 2 * top - 1, top + 1, 2, 3, 7, 2 * top - 2, top >> 1, 0x55, 0x80]
    return [v % (2 * top) for v in values]


def edges(type_: str) -> np.ndarray:
    """Boundary values as unsigned integers of the type's width."""
    if type_ in _PAIRS:
        single = edges(_PAIRS[type_]).astype("u4")
        return single | np.roll(single, 1) << 16
    values = _float_edges(type_) if type_ in _FLOATS else _integer_edges(type_)
    return np.array(values, _unsigned(type_))


def _unsigned(type_: str) -> str:
    return f"u{np.dtype(TYPES[type_][0]).itemsize}"


def _random_floats(type_: str, rng, n: int) -> np.ndarray:
    """A third any bits, the rest of moderate size, so that sums round and do not just absorb."""
    exponent, fraction = _FLOATS[type_]
    bits = 1 + exponent + fraction
    anything = rng.integers(0, 1 << bits, n, "u8", endpoint=False) if bits < 64 else None
    if anything is None:
        anything = rng.integers(0, 2**64 - 1, n, "u8", endpoint=True)
    bias = (1 << exponent - 1) - 1
    near = rng.integers(bias - 4, bias + 5, n, "u8") << np.uint64(fraction)
    near |= anything & np.uint64((1 << fraction) - 1 | 1 << bits - 1)
    return np.where(rng.random(n) < 0.33, anything, near).astype(_unsigned(type_))


def _random(type_: str, rng, n: int) -> np.ndarray:
    if type_ in _PAIRS:
        low, high = (_random(_PAIRS[type_], rng, n).astype("u4") for _ in range(2))
        return low | high << 16
    if type_ in _FLOATS:
        return _random_floats(type_, rng, n)
    width = 8 * np.dtype(TYPES[type_][0]).itemsize
    value = rng.integers(0, 2**64 - 1, n, "u8", endpoint=True)
    # Of all lengths, not only of the full width.
    return (value >> rng.integers(64 - width, 64, n, "u8")).astype(_unsigned(type_))


def any_value(type_: str, rng, n: int, position: int) -> np.ndarray:
    """Boundary values in a fifth of the lanes, and paired in the first."""
    special = edges(type_)
    values = np.where(rng.random(n) < 0.2, rng.choice(special, n), _random(type_, rng, n))
    if position < 2:
        few = special[:14]
        grid = np.repeat(few, len(few)) if position == 0 else np.tile(few, len(few))
        values[: len(grid)] = grid
        if position == 0:  # one operand by itself: every boundary value
            values[len(grid) : len(grid) + len(special)] = special
    return values


def _uniform(low: float, high: float) -> Callable:
    def generate(type_: str, rng, n: int, position: int) -> np.ndarray:
        values = rng.uniform(low, high, n).astype(TYPES[type_][0]).view(_unsigned(type_))
        values[: len(edges(type_))] = edges(type_)
        return values

    return generate


def _integers(*ranges: tuple[int, int]) -> Callable:
    """Random integers of each range in turn (both ends included)."""

    def generate(type_: str, rng, n: int, position: int) -> np.ndarray:
        values = np.array([rng.integers(low, high, n, "i8", endpoint=True) for low, high in ranges])
        return values[np.arange(n) % len(ranges), np.arange(n)].astype(_unsigned(type_))

    return generate


def _ramp(type_: str, rng, n: int, position: int) -> np.ndarray:
    return np.arange(n).astype(_unsigned(type_))


def _same_or_not(type_: str, rng, n: int, position: int) -> np.ndarray:
    """Few distinct values in a warp, one value in every fourth warp."""
    values = rng.choice(edges(type_)[:6], n)
    warps = values.reshape(-1, 32)
    warps[::4] = warps[::4, :1]
    return warps.reshape(-1)


def _bytes_of_warp(type_: str, rng, n: int, position: int) -> np.ndarray:
    return rng.integers(0, 256, n).astype(_unsigned(type_))


GENERATORS: dict[str, Callable] = {
    "any": any_value,
    "ramp": _ramp,
    "equal": _same_or_not,
    "byte": _bytes_of_warp,
    # Amounts within a width, about it, and far beyond.
    "shift": _integers((0, 31), (0, 70), (0, 300), (0, 2**32 - 1)),
    "field": _integers((0, 31), (0, 66), (0, 255), (0, 2**31 - 1)),
    "width": _integers((0, 34), (0, 34), (0, 2**32 - 1)),
    "selector": _integers((0, 7), (0, 0xFFFF), (0, 0xFFFF), (0, 2**32 - 1)),
    "lane": _integers((0, 31), (0, 31), (0, 64)),
    "bit": _integers((0, 1)),
    "offset": _integers((-33, 33), (-3, 3)),
    "angle": _uniform(-6.2831, 6.2831),
    "wide angle": _uniform(-314.0, 314.0),
    "exponent": _uniform(-160.0, 140.0),
    "small": _uniform(-8.0, 8.0),
}


def operands(row: Row, seed: int = 0) -> list[np.ndarray]:
    """The operands of a row, LANES of each. Recorded results are of seed 0."""
    result = []
    for position, type_ in enumerate(row.inputs):
        rng = np.random.default_rng([zlib.crc32(row.name.encode()), position, seed])
        chosen = row.generators[position] if row.generators else "any"
        bits = GENERATORS[chosen](type_, rng, LANES, position)
        result.append(np.ascontiguousarray(bits).view(TYPES[type_][0]))
    return result
