"""The family of elements at index arrays: specifications to CUDA C++ (`sparse_index.cuh`)."""

from __future__ import annotations

from dataclasses import dataclass

from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.parameters import KernelParameter, declared, names, number, pointer
from gpuarray.kernels.generator.source import KernelSource, check_choice

BLOCK = 256

ACTIONS = ("spread", "find")


@dataclass(frozen=True, slots=True)
class IndexSpec:
    """Places of elements.

    'spread' says for each element of segments, one behind the other, which segment it is of and
    where it is; 'find' where a canonical matrix has the elements of given rows and columns.
    """

    action: str
    index: str = "int32"

    def __post_init__(self) -> None:
        check_choice("action", self.action, ACTIONS)
        check_choice("index", self.index, ("int32", "int64"))


_SOURCE = """\
#include "gpuarray/sparse_index.cuh"

namespace gpuarray {{

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    {function}({arguments});
}}

}}  // namespace gpuarray
"""


def render(spec: IndexSpec) -> KernelSource:
    """Return the CUDA C++ of an action, a thread for each result."""
    index = f"{spec.index}_t"
    if spec.action == "spread":
        parameters: tuple[KernelParameter, ...] = (
            pointer("places", f"const {index}"),
            pointer("begins", f"const {index}"),
            pointer("segments", index),
            pointer("result", index),
            number("count", index),
            number("total", "int64_t"),
        )
        function = f"spread<{index}, {BLOCK}>"
    else:
        parameters = (
            *[pointer(x, f"const {index}") for x in ("indptr", "indices", "rows", "columns")],
            pointer("result", index),
            number("count", "int64_t"),
        )
        function = f"find_elements<{index}>"
    symbol = f"gpuarray_sparse_{spec.action}" + ("_wide" if spec.index == "int64" else "")
    source = _SOURCE.format(
        block=BLOCK,
        symbol=symbol,
        parameters=declared(parameters),
        function=function,
        arguments=names(parameters),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, 1, BLOCK)
