"""The family of shares of rows: from a specification to CUDA C++ (`softmax.cuh`)."""

from __future__ import annotations

from dataclasses import dataclass

from gpuarray._dtypes import cpp_name, itemsize
from gpuarray._integers import ceil_div, power_of_two_from
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.parameters import declared, number, pointer
from gpuarray.kernels.generator.source import KernelSource, check_choice

#: Threads of a block of which several warps, or parts of warps, have a row each.
BLOCK = 256

#: Most threads that share a row, and bytes of its elements that each keeps in registers.
WIDEST = 1024
KEPT_BYTES = 128

DTYPES = ("f2", "f4", "f8")

# How many elements a thread may have: few numbers, so that few kernels are compiled.
_COUNTS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)


def _computed(dtype: str) -> str:
    """What sums are made in."""
    return "f8" if dtype == "f8" else "f4"


def longest(dtype: str) -> int:
    """The longest row that one block keeps."""
    return WIDEST * KEPT_BYTES // itemsize(_computed(dtype))


@dataclass(frozen=True, slots=True)
class SharesSpec:
    """Rows of a dtype, how many threads share one, how many elements each has."""

    dtype: str
    width: int
    items: int
    logarithms: bool

    def __post_init__(self) -> None:
        check_choice("dtype", self.dtype, DTYPES)
        if self.items not in _COUNTS:
            raise ValueError(f"{self.items} elements of a thread are none of {_COUNTS}")
        if self.width & (self.width - 1) or not 1 <= self.width <= WIDEST:
            raise ValueError(f"width {self.width} is no power of two up to {WIDEST}")

    @property
    def block(self) -> int:
        """The threads of a block."""
        return max(BLOCK, self.width) if self.width <= 32 else self.width


def spec_for(dtype: str, length: int, logarithms: bool) -> SharesSpec:
    """The specification for rows of a length, which is at most `longest`.

    As few threads as registers allow, a warp where rows are long enough: these exchange values
    without waiting for one another.
    """
    most = KEPT_BYTES // itemsize(_computed(dtype))
    width = min(32, power_of_two_from(length))
    while ceil_div(length, width) > most:
        width *= 2
    items = next(x for x in _COUNTS if x >= ceil_div(length, width))
    return SharesSpec(dtype, width, items, logarithms)


_SOURCE = """\
{includes}#include "gpuarray/softmax.cuh"

namespace gpuarray {{

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    RowShares<{type}, {computed}, {width}, {items}, {block}, {logarithms}>::run(
        results, elements, rows, length);
}}

}}  // namespace gpuarray
"""


def render(spec: SharesSpec) -> KernelSource:
    """Return the CUDA C++ of a specification."""
    kind = cpp_name(spec.dtype)
    parameters = (
        pointer("results", kind),
        pointer("elements", f"const {kind}"),
        number("rows", "int64_t"),
        number("length", "int64_t"),
    )
    name = "log_softmax" if spec.logarithms else "softmax"
    symbol = f"gpuarray_{name}__{spec.dtype}_rows{spec.width}_{spec.items}"
    source = _SOURCE.format(
        includes='#include "gpuarray/float16.cuh"\n' if spec.dtype == "f2" else "",
        type=kind,
        computed=cpp_name(_computed(spec.dtype)),
        width=spec.width,
        items=spec.items,
        block=spec.block,
        logarithms="true" if spec.logarithms else "false",
        symbol=symbol,
        parameters=declared(parameters),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, spec.items, spec.block)
