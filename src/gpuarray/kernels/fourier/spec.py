"""Fourier transforms of lines: from a specification to CUDA C++ (`fourier.cuh`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.parameters import Field, declared, names, number, pointer, structure
from gpuarray.kernels.generator.source import INDEX_BYTES, KernelSource, check_choice

#: The points of the longest line.
LONGEST = 4096
#: The points of transforms in registers, and how many of them a line is made of at most.
RADICES = (2, 3, 4, 5, 7, 8, 16)
MOST_STAGES = 4

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
        return shared_bytes(self.dtype, self.n, self.lines)


def itemsize(dtype: str) -> int:
    """The bytes of an element."""
    return _PARTS[dtype][1]


def shared_bytes(dtype: str, n: int, lines: int) -> int:
    """Shared memory for so many lines, with the gaps of `FourierLines::PITCH`."""
    gap = 0 if lines == 1 else max(16 // lines, 1)
    return (n + n // 16 + gap) * lines * itemsize(dtype)


def points(radices: Sequence[int], threads: int) -> int:
    """The points that a thread has at a time, `FourierLines::ITEMS`."""
    n = math.prod(radices)
    return max([-(-(n // radix) // threads) * radix for radix in radices])


@lru_cache(maxsize=1024)
def radices(n: int, largest: int = 16) -> tuple[int, ...] | None:
    """Factors of a length, as few as there can be; None if it has others, or would have too many.

    The powers of two among them are nearly equal, the larger ones first.
    """
    odd = []
    for prime in (3, 5, 7):
        while n % prime == 0:
            n //= prime
            odd.append(prime)
    if n & (n - 1):
        return None
    bits, most = n.bit_length() - 1, largest.bit_length() - 1
    stages = -(-bits // most)
    if not 1 <= stages + len(odd) <= MOST_STAGES:
        return None
    small, larger = divmod(bits, stages) if stages else (0, 0)
    return (*[1 << (small + (i < larger)) for i in range(stages)], *odd)


def is_line(n: int) -> bool:
    """Whether so many points are transformed in shared memory at once."""
    return n <= LONGEST and radices(n) is not None


_SOURCE = """\
#include "gpuarray/fourier.cuh"

namespace gpuarray {{

typedef FourierLines<{part}, {index}, {n}, {lines}, {threads}, {sign}, {ndim}, {column}, {power},
    {in_along}, {out_along}, {radices}> Kernel;

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
