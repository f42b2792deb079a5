"""Elements of arrays: kinds of values for each dtype."""

from __future__ import annotations

import math

import numpy as np

#: Longer arrays repeat their first elements: a prime number, so that rows differ.
DISTINCT = 1021

BOOLS = ["?"]
SIGNED = ["i1", "i2", "i4", "i8"]
UNSIGNED = ["u1", "u2", "u4", "u8"]
INTEGERS = SIGNED + UNSIGNED
FLOATS = ["f2", "f4", "f8"]
COMPLEX = ["c8", "c16"]
DTYPES = BOOLS + INTEGERS + FLOATS + COMPLEX

_REAL_CORNERS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e-5, np.inf, -np.inf, np.nan]


def elements(kind: str, dtype: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    """An array of one kind of values, the same for the same arguments.

    Parameters
    ----------
    kind : str
        ``'small'`` (few bits, so that sums are exact), ``'ties'`` (few distinct values),
        ``'powers'`` (powers of two, so that products are exact), ``'corners'`` (ordinary values
        with NaN, infinities, zeros of both signs and extremes), ``'wide'`` (the whole range),
        ``'plain'`` (ordinary floats, no exact sums), ``'unit'`` (between 0 and 1),
        ``'index N'`` (indices of an axis of that length), ``'counts N'`` (0 to N - 1) or
        ``'permutation N'`` (distinct ones).
    dtype : str
        The dtype.
    shape : tuple of int
        The shape.
    seed : int
        What the values are drawn from.
    """
    rng = _seeded(seed)
    kind, _, length = kind.partition(" ")
    drawn = shape
    if kind != "permutation" and math.prod(shape) > DISTINCT:
        drawn = (DISTINCT,)
    made = np.asarray(_KINDS[kind](rng, np.dtype(dtype), drawn, int(length or 0)))
    made = np.ascontiguousarray(made.astype(dtype, copy=False))
    return made.reshape(shape) if drawn is shape else np.resize(made, shape)


_bits = np.random.PCG64(0)
_generator = np.random.Generator(_bits)
_state = _bits.state


def _seeded(seed: int) -> np.random.Generator:
    """The generator in a state of its own for each seed: a new one takes as long as a case."""
    _state["state"]["state"] = (seed + 1) * 0x9E3779B97F4A7C15F39CC0605CEDC835 % (1 << 128)
    _bits.state = _state
    return _generator


def _small(rng, dtype, shape, _length):
    low = 0 if dtype.kind in "u?" else -9
    numbers = rng.integers(low, 10, shape)
    if dtype.kind == "b":
        return numbers % 2 == 0
    if dtype.kind == "c":
        return numbers / 4 + 0.25j * rng.integers(-9, 10, shape)
    return numbers / 4 if dtype.kind == "f" else numbers


def _ties(rng, dtype, shape, _length):
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    numbers = rng.integers(0 if dtype.kind == "u" else -2, 3, shape)
    return numbers + 1j * rng.integers(-2, 3, shape) if dtype.kind == "c" else numbers


def _powers(rng, dtype, shape, _length):
    if dtype.kind == "b":
        return rng.random(shape) < 0.8
    choices = [0.5, 1, 1, -1, 2] if dtype.kind in "fc" else [1, 1, 1, 2, 3]
    return rng.choice(choices, shape)


def _wide(rng, dtype, shape, _length):
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        whole = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
        near = rng.integers(max(info.min, -20), 20, shape).astype(dtype)
        return np.where(rng.random(shape) < 0.5, whole, near)
    numbers = rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4, shape)
    if dtype.kind == "c":
        return numbers + 1j * rng.standard_normal(shape)
    return numbers


def _plain(rng, dtype, shape, _length):
    if dtype.kind in "iub":
        return _small(rng, dtype, shape, 0)
    numbers = rng.standard_normal(shape)
    return numbers + 1j * rng.standard_normal(shape) if dtype.kind == "c" else numbers


def _unit(rng, dtype, shape, _length):
    return rng.random(shape) if dtype.kind in "fc" else rng.integers(0, 2, shape)


def _corners(rng, dtype, shape, _length):
    numbers = np.asarray(_wide(rng, dtype, shape, 0)).astype(dtype)
    if dtype.kind == "b" or not numbers.size:
        return numbers
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        special = np.array([0, 1, 2, info.max, info.max - 1, info.min, info.min + 1], dtype)
    else:
        info = np.finfo(dtype)
        extremes = [info.max, info.min, info.tiny, info.smallest_subnormal]
        special = np.array([*_REAL_CORNERS, *extremes], info.dtype)
        if dtype.kind == "c":
            finite = special[:11]
            special = (rng.choice(finite, 40) + np.zeros(40, dtype)).astype(dtype)
            special.imag = rng.choice(finite, 40)
    chosen = rng.random(shape) < 0.4
    return np.where(chosen, rng.choice(special, shape), numbers)


def _index(rng, _dtype, shape, length):
    return rng.integers(-length if _dtype.kind == "i" else 0, max(length, 1), shape)


def _counts(rng, _dtype, shape, length):
    return rng.integers(0, max(length, 1), shape)


def _permutation(rng, _dtype, shape, length):
    return rng.permutation(length)[: math.prod(shape)].reshape(shape)


_KINDS = {
    "small": _small,
    "ties": _ties,
    "powers": _powers,
    "wide": _wide,
    "plain": _plain,
    "unit": _unit,
    "corners": _corners,
    "index": _index,
    "counts": _counts,
    "permutation": _permutation,
}
