"""Fourier transforms of lines: from a specification to CUDA C++ (`fourier.cuh`)."""

from __future__ import annotations

from dataclasses import dataclass

from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.parameters import Field, declared, names, number, pointer, structure
from gpuarray.kernels.generator.source import INDEX_BYTES, KernelSource, check_choice

#: The points of the longest line.
LONGEST = 4096

_PARTS = {"c8": ("float", 8), "c16": ("double", 16)}
#: Nothing is to be rounded as NumPy rounds it: products and sums are contracted.
_OPTIONS = ("--minimal",)


@dataclass(frozen=True, slots=True)
class FourierSpec:
    """Transforms of lines of one length."""

    dtype: str
    n: int  # points of a line, a power of two
    lines: int  # of a block, a power of two
    items: int  # points of a thread, a power of two
    radix: int  # the largest transform in registers
    inverse: bool
    ndim: int  # dimensions beside the line
    in_along: bool  # neighbouring threads read neighbours of a line, or of lines
    out_along: bool
    column: int = -1  # of the first half of a longer transform: the dimension of its columns
    index: str = "int32"  # of lines

    def __post_init__(self) -> None:
        check_choice("dtype", self.dtype, _PARTS)
        check_choice("index", self.index, INDEX_BYTES)
        for name in ("n", "lines", "items", "radix"):
            value = getattr(self, name)
            if value < 1 or value & (value - 1):
                raise ValueError(f"{name} is {value}, and must be a power of two")
        if not 2 <= self.n <= LONGEST or self.items > self.n or self.ndim < 1:
            raise ValueError(f"n {self.n}, items {self.items}, ndim {self.ndim}")

    @property
    def block(self) -> int:
        """Threads of a block."""
        return self.n // self.items * self.lines

    @property
    def shared_bytes(self) -> int:
        """Shared memory of a block."""
        if self.items == self.n and self.in_along == self.out_along:
            return 0
        return shared_bytes(self.dtype, self.n, self.lines)

    @property
    def radices(self) -> tuple[int, ...]:
        """The points of the transforms in registers, of which the line's is made."""
        return radices(self.n, min(self.radix, self.items))


def itemsize(dtype: str) -> int:
    """The bytes of an element."""
    return _PARTS[dtype][1]


def shared_bytes(dtype: str, n: int, lines: int) -> int:
    """Shared memory for so many lines, with the gaps of `FourierLines::PITCH`."""
    gap = 0 if lines == 1 else max(16 // lines, 1)
    return (n + n // 16 + gap) * lines * itemsize(dtype)


def radices(n: int, largest: int) -> tuple[int, ...]:
    """Factors of a length, as few as there can be, and then as equal as they can be."""
    most = largest.bit_length() - 1
    bits = n.bit_length() - 1
    stages = -(-bits // most)
    small, larger = divmod(bits, stages)
    return tuple([1 << (small + (i < larger)) for i in range(stages)])


_SOURCE = """\
#include "gpuarray/fourier.cuh"

namespace gpuarray {{

typedef FourierLines<{part}, {index}, {n}, {lines}, {items}, {sign}, {ndim}, {column},
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
    form = f"{spec.lines}_{spec.items}_{spec.radix}"
    symbol = f"gpuarray_fourier_{spec.dtype}_{spec.n}_{form}_{spec.ndim}d"
    symbol += "_inverse" if spec.inverse else ""
    symbol += f"_{'la'[spec.in_along]}{'la'[spec.out_along]}"
    symbol += f"_column{spec.column}" if spec.column >= 0 else ""
    symbol += "_wide" if spec.index == "int64" else ""
    source = _SOURCE.format(
        part=part,
        n=spec.n,
        lines=spec.lines,
        items=spec.items,
        sign=1 if spec.inverse else -1,
        ndim=spec.ndim,
        in_along="true" if spec.in_along else "false",
        out_along="true" if spec.out_along else "false",
        column=spec.column,
        index=f"u{spec.index}_t",
        radices=", ".join([str(r) for r in spec.radices]),
        block=spec.block,
        symbol=symbol,
        parameters=declared(parameters),
        arguments=names(parameters),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, 1, spec.block, _OPTIONS)
