"""What is measured: one `Row` a line of the table.

A row's `work` gets the library and its operands on the device and returns the function to time.
PyTorch spells some things in its own way (`torch=`) and lacks others (`torch=None`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from benchmarks.libraries import Library

Builder = Callable[..., Callable[[], Any]]

#: Elements of the bandwidth rows, unless a row has a size of its own.
LARGE = 100_000_000
#: Elements of the call-cost rows.
SMALL = 16


def _same(library: Library, *operands: Any) -> Callable[[], Any]:
    raise AssertionError("stands for 'the same as work'; never called")


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    kind: str  # "call": host cost; "device": device time
    inputs: Callable[[int], tuple[np.ndarray, ...]]  # of a number of elements
    work: Builder
    torch: Builder | None = _same
    size: int | None = None  # where it isn't LARGE or SMALL
    moved: float = 0.0  # bytes to read and to write at the least, for each element of `size`
    cupy_us: float | None = None  # CuPy 14.2's time on one H200, for reference
    most_us: float | None = None  # an absolute target
    most_of_cupy: float | None = None  # a target as a fraction of CuPy's time in the same run
    least_of_copy: float | None = None  # a target as a fraction of the device-copy rate
    calls: int = 200  # of a batch, for call costs

    def builder(self, library: Library) -> Builder | None:
        return self.torch if library.name == "torch" and self.torch is not _same else self.work


# -- operands: random, so that no cache and no compressed memory makes them quicker ----------------


@lru_cache(maxsize=1)
def _random(count: int, size: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(1)
    return tuple(rng.random(size, dtype=np.float32) for _ in range(count))


def none(size: int) -> tuple[np.ndarray, ...]:
    return ()


def one(size: int) -> tuple[np.ndarray, ...]:
    return _random(1, size)


def two(size: int) -> tuple[np.ndarray, ...]:
    return _random(2, size)


def shaped(*shape: int) -> Callable[[int], tuple[np.ndarray, ...]]:
    """One float32 operand of this shape, with -1 for what the size leaves."""
    return lambda size: (_random(1, size)[0].reshape(shape),)


def square(size: int) -> tuple[np.ndarray, ...]:
    side = round(size**0.5)
    return (_random(1, side * side)[0].reshape(side, side),)


def with_index(size: int) -> tuple[np.ndarray, ...]:
    """An operand, and as many random positions in it."""
    index = np.random.default_rng(2).integers(0, size, size, dtype=np.int64)
    return (*_random(1, size), index)


def of_dtype(dtype: str) -> Callable[[int], tuple[np.ndarray, ...]]:
    """One operand of any dtype: floats as they come, integers over their whole range."""
    return lambda size: (random_of(dtype, size),)


def random_of(dtype: str, size: int, seed: int = 3) -> np.ndarray:
    """Random values of `dtype`: floats in [0, 1), integers over their whole range."""
    rng = np.random.default_rng(seed)
    wanted = np.dtype(dtype)
    if wanted.kind == "b":
        return rng.integers(0, 2, size, dtype=np.uint8).view(wanted)
    if wanted.kind in "iu":
        limits = np.iinfo(wanted)
        return rng.integers(limits.min, limits.max, size, dtype=wanted, endpoint=True)
    if wanted.kind == "c":
        parts = rng.random(2 * size, dtype=np.float32).astype(wanted.char.lower(), copy=False)
        return parts.view(wanted)
    drawn = rng.random(size, dtype=wanted if wanted.itemsize > 2 else np.float32)
    return drawn.astype(wanted, copy=False)
