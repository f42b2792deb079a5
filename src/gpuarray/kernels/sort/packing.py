"""Several short keys as one integer of the same order (`pack_keys.cuh`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuarray import _calls, _dtypes, _layout
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.keys import key_type
from gpuarray.kernels.generator.parameters import declared, number, pointer
from gpuarray.kernels.generator.source import KernelSource

_BLOCK = 256

#: Elements up to which one sort of packed keys is quicker than a sort of each.
MOST_ELEMENTS = 1 << 17


@dataclass(frozen=True, slots=True)
class PackSpec:
    """Keys of certain dtypes, the last of which is the first to sort by."""

    dtypes: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.nbytes > 8:
            raise ValueError(f"keys of {self.nbytes} bytes do not fit one integer")

    @property
    def nbytes(self) -> int:
        """Of the keys of an element."""
        return sum([_dtypes.itemsize(dtype) for dtype in self.dtypes])

    @property
    def packed(self) -> str:
        """The dtype of the integer."""
        return "u4" if self.nbytes <= 4 else "u8"


_SOURCE = """\
#include "gpuarray/pack_keys.cuh"

namespace gpuarray {{

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    const uint32_t index = blockIdx.x * {block} + threadIdx.x;
    if (index >= size) return;
    {packed} key = 0;
{lines}
    packed[index] = key;
}}

}}  // namespace gpuarray
"""


def render(spec: PackSpec) -> KernelSource:
    """Return the CUDA C++ of a specification."""
    packed = _dtypes.cpp_name(spec.packed)
    types = [key_type(dtype) for dtype in spec.dtypes]
    keys = [pointer(f"key{i}", f"const {type_}::Word") for i, type_ in enumerate(types)]
    parameters = (pointer("packed", packed), *keys, number("size", "uint32_t"))
    lines = [
        f"    key = packed_behind<{type_}>(key, key{i}[index]);"
        for i, type_ in reversed(list(enumerate(types)))
    ]
    symbol = f"gpuarray_pack_keys__{'_'.join(spec.dtypes)}"
    source = _SOURCE.format(
        block=_BLOCK,
        symbol=symbol,
        parameters=declared(parameters),
        packed=packed,
        lines="\n".join(lines),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, 1, _BLOCK)


def fits(keys: Sequence[Layout]) -> bool:
    """Whether keys of one shape can be packed, and are few enough for that to pay."""
    first = keys[0]
    return (
        len(keys) > 1
        and 0 < first.size <= MOST_ELEMENTS
        and all(one.c_contiguous and one.dtype.kind in "biuf" for one in keys)
        and sum([one.itemsize for one in keys]) <= 8
    )


def make_call(keys: Sequence[Layout], stream: Stream) -> Callable[..., Any]:
    """A call (see :mod:`gpuarray._calls`) that packs keys which :func:`fits` has found to fit."""
    spec = PackSpec(tuple([_dtypes.code(one.dtype) for one in keys]))
    function, source = load(spec, render, stream.device)
    size = keys[0].size
    blocks = grid_for(ceil_div(size, source.block))
    plan = LaunchPlan(function, blocks, (source.block, 1, 1), {"size": size})
    passed = {"packed": "y0"} | {f"key{i}": f"x{i}" for i in range(len(keys))}
    output = _layout.contiguous(np.dtype(spec.packed), keys[0].shape)
    launches = [(BoundLaunch(plan, stream), passed)]
    return _calls.make_call(stream, "a" * len(keys), [output], launches)
