"""The join family: from a specification to CUDA C++ (`join.cuh`)."""

from __future__ import annotations

from dataclasses import dataclass

from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.parameters import Field, declared, names, pointer, structure
from gpuarray.kernels.generator.source import KernelSource, word

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
        if not 1 <= self.arrays <= MOST_ARRAYS:
            raise ValueError(f"{self.arrays} arrays are not from 1 to {MOST_ARRAYS}")


_SOURCE = """\
{extra}#include "gpuarray/gather.cuh"
#include "gpuarray/join.cuh"

namespace gpuarray {{

typedef Join<{word}, {block}, {items}, {arrays}> Kernel;

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    Kernel::run(result, Kernel::Sources{{{names}}}, segments);
}}

}}  // namespace gpuarray
"""


def render(spec: JoinSpec) -> KernelSource:
    """Return the CUDA C++ of a join."""
    element, header = word(spec.itemsize)
    symbol = f"gpuarray_join__{8 * spec.itemsize}__{spec.arrays}"
    arrays = [pointer(f"array{k}", f"const {element}") for k in range(spec.arrays)]
    fields = [Field("size", "uint32_t"), Field("ends", "uint32_t", spec.arrays)]
    parameters = (
        pointer("result", element),
        *arrays,
        structure("segments", "Kernel::Segments", fields),
    )
    source = _SOURCE.format(
        extra=f'#include "{header}"\n' if header else "",
        word=element,
        block=BLOCK,
        items=ITEMS,
        arrays=spec.arrays,
        symbol=symbol,
        parameters=declared(parameters),
        names="{" + names(arrays) + "}",
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, ITEMS, BLOCK)
