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


#: The most dimensions of arrays that one launch puts in their places.
MOST_DIMENSIONS = 6


@dataclass(frozen=True, slots=True)
class PlaceSpec:
    """A copy of arrays of one dtype, with any strides, to their places in a gapless one."""

    itemsize: int
    arrays: int
    ndim: int

    def __post_init__(self) -> None:
        if not 1 <= self.arrays <= MOST_ARRAYS:
            raise ValueError(f"{self.arrays} arrays are not from 1 to {MOST_ARRAYS}")
        if not 1 <= self.ndim <= MOST_DIMENSIONS:
            raise ValueError(f"{self.ndim} dimensions are not from 1 to {MOST_DIMENSIONS}")


_PLACES = """\
{extra}#include "gpuarray/gather.cuh"
#include "gpuarray/places.cuh"

namespace gpuarray {{

typedef Places<{word}, {block}, {items}, {arrays}, {ndim}> Kernel;

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    Kernel::run(result, Kernel::Sources{{{names}}}, dimensions);
}}

}}  // namespace gpuarray
"""


def render_places(spec: PlaceSpec) -> KernelSource:
    """Return the CUDA C++ of copies to places."""
    element, header = word(spec.itemsize)
    symbol = f"gpuarray_places__{8 * spec.itemsize}__{spec.arrays}__{spec.ndim}d"
    arrays = [pointer(f"array{k}", f"const {element}") for k in range(spec.arrays)]
    each = spec.arrays * spec.ndim
    fields = [
        Field("size", "uint32_t"),
        Field("shape", "uint32_t", spec.ndim),
        Field("offsets", "int32_t", spec.arrays),
        Field("starts", "uint32_t", each),
        Field("stops", "uint32_t", each),
        Field("strides", "int32_t", each),
    ]
    parameters = (
        pointer("result", element),
        *arrays,
        structure("dimensions", "Kernel::Dimensions", fields),
    )
    source = _PLACES.format(
        extra=f'#include "{header}"\n' if header else "",
        word=element,
        block=BLOCK,
        items=ITEMS,
        arrays=spec.arrays,
        ndim=spec.ndim,
        symbol=symbol,
        parameters=declared(parameters),
        names="{" + names(arrays) + "}",
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, ITEMS, BLOCK)
