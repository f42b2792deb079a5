"""Fourier transforms of lines: from a specification to CUDA C++ (`fourier.cuh`)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.parameters import Field, declared, names, number, pointer, structure
from gpuarray.kernels.generator.source import INDEX_BYTES, KernelSource, check_choice

#: The points of the longest line.
LONGEST = 4096
#: The points of transforms in registers, and how many of them a line is made of at most.
RADICES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16)
MOST_STAGES = 4
#: Points of a thread, in registers.
MOST_POINTS = 16
MOST_THREADS = 1024

#: From so many stages and lines of a block on, the factors between stages are in a table: it takes
#: as many sines and cosines as a line has points.
TABLED_STAGES, TABLED_LINES = 3, 4
#: Places between lines in shared memory, at most.
_MOST_GAP = 16
_PARTS = {"c8": ("float", 8), "c16": ("double", 16)}
#: Nothing is to be rounded as NumPy rounds it: products and sums are contracted.
_OPTIONS = ("--minimal",)


@dataclass(frozen=True, slots=True)
class FourierSpec:
    """Transforms of lines of one length."""

    dtype: str
    radices: tuple[int, ...]  # whose product the length is: transforms in registers
    lines: int  # of a block
    threads: int  # of a line
    inverse: bool
    ndim: int  # dimensions beside the line
    in_along: bool  # neighbouring threads read neighbours of a line, or of lines
    out_along: bool
    column: int = -1  # of the first half of a longer transform: the dimension of its columns
    power: bool = False  # whether the points of that one are a power of two
    index: str = "int32"  # of lines

    def __post_init__(self) -> None:
        check_choice("dtype", self.dtype, _PARTS)
        check_choice("index", self.index, INDEX_BYTES)
        if not self.radices or any(radix not in RADICES for radix in self.radices):
            raise ValueError(f"radices {self.radices}: some of {RADICES}")
        if self.n > LONGEST or not 1 <= self.threads <= self.n:
            raise ValueError(f"{self.n} points for {self.threads} threads")
        if min(self.lines, self.ndim) < 1:
            raise ValueError(f"lines {self.lines}, ndim {self.ndim}")

    @property
    def n(self) -> int:
        """The points of a line."""
        return math.prod(self.radices)

    @property
    def block(self) -> int:
        """Threads of a block."""
        return self.threads * self.lines

    @property
    def shared_bytes(self) -> int:
        """Shared memory of a block."""
        if len(self.radices) == 1 and self.in_along == self.out_along:
            return 0
        places = self.pitch * self.lines + (_places(self.n) if self.tabled else 0)
        return places * itemsize(self.dtype)

    @property
    def tabled(self) -> bool:
        """Whether blocks make a table of the factors between stages."""
        return len(self.radices) >= TABLED_STAGES and self.lines >= TABLED_LINES

    @property
    def pitch(self) -> int:
        """The places of a line in shared memory."""
        along = (self.in_along, self.out_along)
        return pitch(self.radices, self.lines, self.threads, along, itemsize(self.dtype))


def itemsize(dtype: str) -> int:
    """The bytes of an element."""
    return _PARTS[dtype][1]


def shared_bytes(dtype: str, n: int, lines: int) -> int:
    """Shared memory for so many lines at most: see `pitch`."""
    places = (_places(n) + (_MOST_GAP if lines > 1 else 0)) * lines
    return (places + (_places(n) if lines >= TABLED_LINES else 0)) * itemsize(dtype)


def _places(n: int) -> int:
    """Those of so many points, with a gap behind each 16."""
    return n + n // 16


@lru_cache(maxsize=1024)
def pitch(
    radices: tuple[int, ...],
    lines: int,
    threads: int,
    along: tuple[bool, bool],
    itemsize: int,
) -> int:
    """The places of a line in shared memory, so that accesses meet in as few banks as they can.

    `along` is whether neighbouring threads access neighbours of a line in source and target. The
    first warps of a block are looked at, which access in turns as many elements as there are banks.
    """
    n = math.prod(radices)
    least = _places(n)
    if lines == 1 or (len(radices) == 1 and along[0] == along[1]):
        return least
    number = np.arange(min(lines * threads, 64) // 32 * 32 or lines * threads)
    places = []
    for own, at in _accesses(radices, lines, threads, along, number):
        # What is not there is a place of the line that nobody looks at.
        places.append((own, np.where(at < n, at + at // 16, -1)))
    owns, ats = (np.array(x) for x in zip(*places, strict=True))
    banks = 128 // itemsize
    turns = np.arange(ats.size).reshape(ats.shape) // banks
    all_banks = (ats.size // banks + 1) * banks

    def conflicts(gap: int) -> int:
        bank = turns * banks + (owns * (least + gap) + ats) % banks
        counts = np.bincount(bank[ats >= 0], minlength=all_banks)
        return int(counts.reshape(-1, banks).max(1).sum())

    return least + min(range(_MOST_GAP + 1), key=conflicts)


def _accesses(
    radices: Sequence[int], lines: int, threads: int, along: tuple[bool, bool], number: Any
) -> Iterator[tuple[Any, Any]]:
    """The line and its point of each thread, for all accesses to shared memory.

    Points that are not there are beyond the line.
    """
    n, ns = math.prod(radices), 1
    (t, own), (other_t, other) = [
        (number % threads, number // threads) if inside else (number // lines, number % lines)
        for inside in along
    ]
    for stage, radix in enumerate(radices):
        last = stage == len(radices) - 1
        for j in [t + threads * c for c in range(-(-(n // radix) // threads))]:
            beyond = n * (j >= n // radix)
            if stage:
                yield from [(own, j + n // radix * q + beyond) for q in range(radix)]
            if not last:
                first = j // ns * ns * radix + j % ns + beyond
                yield from [(own, first + ns * q) for q in range(radix)]
            elif along[0] != along[1]:
                yield from [(own, j + n // radix * q + beyond) for q in range(radix)]
        ns *= radix
    if along[0] != along[1]:
        yield from [(other, other_t + threads * i) for i in range(-(-n // threads))]


def points(radices: Sequence[int], threads: int) -> int:
    """The points that a thread has at a time, `FourierLines::ITEMS`."""
    n = math.prod(radices)
    return max([-(-(n // radix) // threads) * radix for radix in radices])


@lru_cache(maxsize=1024)
def radices(n: int, largest: int = 16, least: int = 1) -> tuple[int, ...] | None:
    """Factors of a length, as few as there can be; None if it has others, or would have too many.

    The powers of two among them are nearly equal, the larger ones first. Other lengths have those
    factors with which the fewest threads idle, where a line has so many at least.
    """
    if n & (n - 1) == 0:
        bits, most = n.bit_length() - 1, largest.bit_length() - 1
        stages = -(-bits // most)
        if not 1 <= stages <= MOST_STAGES:
            return None
        small, larger = divmod(bits, stages)
        return tuple([1 << (small + (i < larger)) for i in range(stages)])
    found = _factored(n, largest, MOST_STAGES)
    fewest = min([len(one) for one in found], default=0)
    found = [one for one in found if len(one) == fewest]
    return min(found, key=lambda one: (idle(one, least)[0], one), default=None)


@lru_cache(maxsize=4096)
def _factored(n: int, largest: int, stages: int) -> list[tuple[int, ...]]:
    """All products of at most so many radices, the larger ones first, none above `largest`."""
    if n == 1:
        return [()]
    if not stages:
        return []
    return [
        (radix, *rest)
        for radix in RADICES
        if radix <= largest and n % radix == 0
        for rest in _factored(n // radix, radix, stages - 1)
    ]


@lru_cache(maxsize=4096)
def idle(radices: tuple[int, ...], least: int = 1) -> tuple[int, int]:
    """The points that are missing at least where the threads of a line work on all stages.

    And how many threads these are: the most, but at least `least`, if the line has them.
    """
    n = math.prod(radices)
    most = min(n // min(radices), MOST_THREADS)
    first = max(min(least, most), -(-n // MOST_POINTS))

    def missing(threads: int) -> tuple[int, int]:
        work = sum([-(-(n // radix) // threads) * radix * threads for radix in radices])
        return work - n * len(radices), -threads

    found = [
        missing(threads)
        for threads in range(first, most + 1)
        if points(radices, threads) <= MOST_POINTS
    ]
    points_missing, threads = min(found)
    return points_missing, -threads


def is_line(n: int) -> bool:
    """Whether so many points are transformed in shared memory at once."""
    if n & (n - 1) == 0:
        return 1 < n <= LONGEST
    return n <= LONGEST and bool(_factored(n, max(RADICES), MOST_STAGES))


_SOURCE = """\
#include "gpuarray/fourier.cuh"

namespace gpuarray {{

typedef FourierLines<{part}, {index}, {n}, {lines}, {threads}, {pitch}, {tabled}, {sign},
    {ndim}, {column}, {power}, {in_along}, {out_along}, {radices}> Kernel;

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    Kernel::run({arguments});
}}

}}  // namespace gpuarray
"""


def render(spec: FourierSpec) -> KernelSource:
    """Return the CUDA C++ of a specification."""
    part = _PARTS[spec.dtype][0]
    parameters = (
        pointer("target", f"Pair<{part}>"),
        pointer("source", f"const Pair<{part}>"),
        number("source_step", "int64_t"),
        number("target_step", "int64_t"),
        number("lines", "int64_t"),
        number("factor", "int64_t"),  # the bits of a double
        structure(
            "dimensions",
            "Kernel::Dimensions",
            [Field(name, "int64_t", spec.ndim) for name in ("shape", "source", "target")],
        ),
    )
    factors = "x".join([str(radix) for radix in spec.radices])
    symbol = f"gpuarray_fourier_{spec.dtype}_{factors}_{spec.lines}_{spec.threads}_{spec.ndim}d"
    symbol += "_inverse" if spec.inverse else ""
    symbol += f"_{'la'[spec.in_along]}{'la'[spec.out_along]}"
    symbol += f"_column{spec.column}" if spec.column >= 0 else ""
    symbol += "_power" if spec.power else ""
    symbol += "_wide" if spec.index == "int64" else ""
    source = _SOURCE.format(
        part=part,
        n=spec.n,
        lines=spec.lines,
        threads=spec.threads,
        pitch=spec.pitch,
        tabled="true" if spec.tabled else "false",
        sign=1 if spec.inverse else -1,
        ndim=spec.ndim,
        in_along="true" if spec.in_along else "false",
        out_along="true" if spec.out_along else "false",
        column=spec.column,
        power="true" if spec.power else "false",
        index=f"u{spec.index}_t",
        radices=", ".join([str(r) for r in spec.radices]),
        block=spec.block,
        symbol=symbol,
        parameters=declared(parameters),
        arguments=names(parameters),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, 1, spec.block, _OPTIONS)
