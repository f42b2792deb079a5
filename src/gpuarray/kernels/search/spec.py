"""The search family: from a specification to CUDA C++ (`binary_search.cuh`)."""

from __future__ import annotations

from dataclasses import dataclass

from gpuarray._dtypes import itemsize
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.keys import key_type
from gpuarray.kernels.generator.parameters import declared, names, number, pointer
from gpuarray.kernels.generator.source import KernelSource

BLOCK = 256

#: Levels of a sorted array's tree that are copied to shared memory, by bytes of an element: where
#: it has no more of them or very many values are looked for, and elsewhere.
ALL_LEVELS = {1: 12, 2: 12, 4: 12, 8: 11, 16: 10}
TOP_LEVELS = 9


@dataclass(frozen=True, slots=True)
class SearchSpec:
    """A search in a sorted array."""

    dtype: str
    right: bool  # behind equal elements
    room: int = 0  # levels that shared memory has room for; 0: the array stays where it is


def items(dtype: str) -> int:
    """Return the values that a thread looks for at once."""
    return 8 if itemsize(dtype) <= 4 else 4


_SOURCE = """\
#include "gpuarray/binary_search.cuh"

namespace gpuarray {{

typedef {keys} Keys;

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    search_sorted<Keys, {right}, {block}, {items}, {room}>({arguments});
}}

}}  // namespace gpuarray
"""

_PARAMETERS = (
    pointer("sorted", "const Keys::Word"),
    pointer("values", "const Keys::Word"),
    pointer("ranks", "int64_t"),
    number("length", "int64_t"),  # of the sorted array
    number("levels", "int32_t"),  # the bits of that number
    number("count", "uint64_t"),  # of the values
)


def render(spec: SearchSpec) -> KernelSource:
    """Return the CUDA C++ of a search."""
    side = "right" if spec.right else "left"
    symbol = f"gpuarray_searchsorted_{side}__{spec.dtype}"
    symbol += f"_{spec.room}" if spec.room else ""
    source = _SOURCE.format(
        keys=key_type(spec.dtype),
        block=BLOCK,
        symbol=symbol,
        right="true" if spec.right else "false",
        items=items(spec.dtype),
        room=spec.room,
        parameters=declared(_PARAMETERS),
        arguments=names(_PARAMETERS),
    )
    return KernelSource(symbol, source, cuda_headers(), _PARAMETERS, items(spec.dtype), BLOCK)
