"""The graph family: from an operation to CUDA C++ (`graph.cuh`)."""

from __future__ import annotations

from dataclasses import dataclass

from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.parameters import (
    KernelParameter,
    declared,
    names,
    number,
    pointer,
    scalar,
)
from gpuarray.kernels.generator.source import KernelSource, check_choice

BLOCK = 256

_EDGES = "from:const index, to:const index"
_PATHS = f"{_EDGES}, weights:const double"
_JOINED = "labels:const int32_t, joined:int32_t, chosen:uint8_t, changed:int32_t"
_FRONT = "indptr:const index, to:const index, front:const int32_t, ends:const int64_t"

#: The arrays of each step, and its numbers behind the count of what it is done for: a path has its
#: limit, and sizes.
OPERATIONS = {
    "hook": (f"{_EDGES}, labels:int32_t, changed:int32_t", "edges"),
    "jump": ("labels:int32_t", "vertices"),
    "ends": (f"{_EDGES}, known:const int32_t, comes:int32_t, goes:int32_t", "edges"),
    "color": (f"{_EDGES}, known:const int32_t, colors:int32_t, changed:int32_t", "edges"),
    "lead_back": (
        f"{_EDGES}, known:const int32_t, colors:const int32_t, back:int32_t, changed:int32_t",
        "edges",
    ),
    "lengths": ("keys:const int64_t, lengths:double", "count"),
    "relax": (f"{_PATHS}, keys:int64_t, changed:int32_t", "limit, edges, vertices, count"),
    "steps": (
        f"{_PATHS}, lengths:const double, steps:int32_t, changed:int32_t",
        "edges, vertices, count",
    ),
    "before": (
        f"{_PATHS}, lengths:const double, steps:const int32_t, before:int32_t",
        "edges, vertices, count",
    ),
    "claim": (f"{_FRONT}, before:const int32_t, claims:int64_t", "size, count"),
    "find": (
        f"{_FRONT}, before:int32_t, claims:const int64_t, found:int32_t, is_found:uint8_t",
        "size, count",
    ),
    "nearest": (
        f"{_EDGES}, ranks:const int64_t, labels:const int32_t, nearest:int64_t",
        "edges",
    ),
    "join": (
        f"{_EDGES}, order:const int64_t, nearest:const int64_t, {_JOINED}",
        "edges, vertices",
    ),
}


@dataclass(frozen=True, slots=True)
class GraphSpec:
    """A step of an algorithm: a key of `OPERATIONS`, and the dtype of the edges' vertices."""

    operation: str
    index: str = "int32"

    def __post_init__(self) -> None:
        check_choice("operation", self.operation, OPERATIONS)
        check_choice("index", self.index, ("int32", "int64"))


def numbers(spec: GraphSpec) -> list[str]:
    """The names of the numbers that a step takes; the last one counts what it is done for."""
    return OPERATIONS[spec.operation][1].split(", ")


def arrays(spec: GraphSpec) -> list[str]:
    """The names of its arrays."""
    return [x.split(":")[0] for x in OPERATIONS[spec.operation][0].split(", ")]


def _parameters(spec: GraphSpec) -> tuple[KernelParameter, ...]:
    found = []
    for text in OPERATIONS[spec.operation][0].split(", "):
        name, type_ = text.split(":")
        found.append(pointer(name, type_.replace("index", f"{spec.index}_t")))
    for name in numbers(spec):
        found.append(scalar(name, "f8") if name == "limit" else number(name, "int64_t"))
    return tuple(found)


_SOURCE = """\
#include "gpuarray/graph.cuh"

namespace gpuarray {{

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    graph_{operation}({names});
}}

}}  // namespace gpuarray
"""


def render(spec: GraphSpec) -> KernelSource:
    """Return the CUDA C++ of a step."""
    parameters = _parameters(spec)
    symbol = f"gpuarray_graph_{spec.operation}__{spec.index}"
    source = _SOURCE.format(
        block=BLOCK,
        symbol=symbol,
        parameters=declared(parameters),
        operation=spec.operation,
        names=names(parameters),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, 1, BLOCK)
