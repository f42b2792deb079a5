"""The joining family: several small arrays into one (`join.cuh`)."""

from __future__ import annotations

from dataclasses import dataclass

from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.source import WORDS, KernelSource

BLOCK = 128
ITEMS = 4

#: The most arrays that one launch joins.
MOST_ARRAYS = 16


@dataclass(frozen=True, slots=True)
class JoinSpec:
    """A copy of gapless arrays of one dtype into one, row by row."""

    itemsize: int
    arrays: int

    def __post_init__(self) -> None:
        if self.itemsize not in WORDS:
            raise ValueError(f"elements of {self.itemsize} bytes cannot be joined")
        if not 1 <= self.arrays <= MOST_ARRAYS:
            raise ValueError(f"{self.arrays} arrays are not from 1 to {MOST_ARRAYS}")


_SOURCE = """\
#include "gpuarray/gather.cuh"
#include "gpuarray/join.cuh"

namespace gpuarray {{

typedef Join<{word}, {block}, {items}, {arrays}> Kernel;

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {word}* result, {parameters}, Kernel::Parts parts) {{
    Kernel::run(result, Kernel::Sources{{{names}}}, parts);
}}

}}  // namespace gpuarray
"""


def render(spec: JoinSpec) -> KernelSource:
    """Return the CUDA C++ of a join.

    Parameters of the kernel: the result, the arrays, and a struct of 32-bit numbers: how many
    elements the result has, and where each array's part of a row ends.
    """
    names = [f"array{k}" for k in range(spec.arrays)]
    word = WORDS[spec.itemsize]
    symbol = f"gpuarray_join__{8 * spec.itemsize}__{spec.arrays}"
    source = _SOURCE.format(
        word=word,
        block=BLOCK,
        items=ITEMS,
        arrays=spec.arrays,
        symbol=symbol,
        parameters=", ".join([f"const {word}* {name}" for name in names]),
        names="{" + ", ".join(names) + "}",
    )
    sizes = (8,) * (1 + spec.arrays) + (4 * (1 + spec.arrays),)
    return KernelSource(symbol, source, cuda_headers(), sizes, ITEMS, BLOCK)
