"""Binary searches: from a specification to CUDA C++ (`cuda/binary_search.cuh`)."""

from __future__ import annotations

from dataclasses import dataclass

from gpuarray.kernels.elementwise import KernelSource
from gpuarray.kernels.headers import cuda_headers
from gpuarray.kernels.sorting import key_type

BLOCK = 256

#: Values that a thread looks for at once.
ITEMS = 4

#: Bytes of a sorted array that are copied to shared memory.
SHARED_BYTES = 16384


@dataclass(frozen=True, slots=True)
class SearchSpec:
    """A search in a sorted array."""

    dtype: str
    right: bool  # behind equal elements
    shared: int = 0  # elements that shared memory has room for; 0: the array stays where it is


_SOURCE = """\
#include "gpuarray/binary_search.cuh"

namespace gpuarray {{

typedef {keys} Keys;

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    const Keys::Word* sorted, const Keys::Word* values, int64_t* places, int64_t length, int64_t top,
    uint64_t count) {{
    search_sorted<Keys, {right}, {block}, {items}, {shared}>(sorted, values, places, length, top, count);
}}

}}  // namespace gpuarray
"""  # noqa: E501


def render(spec: SearchSpec) -> KernelSource:
    """Return the CUDA C++ of a search.

    Parameters of the kernel: the sorted array, the values, the places (int64); the sorted array's
    length, the greatest power of two up to it, and the number of values.
    """
    side = "right" if spec.right else "left"
    symbol = f"gpuarray_searchsorted_{side}__{spec.dtype}" + ("_shared" if spec.shared else "")
    source = _SOURCE.format(
        keys=key_type(spec.dtype),
        block=BLOCK,
        symbol=symbol,
        right="true" if spec.right else "false",
        items=ITEMS,
        shared=spec.shared,
    )
    return KernelSource(symbol, source, cuda_headers(), (8,) * 6, ITEMS, BLOCK)
