"""The search family: from a specification to CUDA C++ (`binary_search.cuh`)."""

from __future__ import annotations

from dataclasses import dataclass

from gpuarray._dtypes import cpp_name, itemsize
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.keys import key_type
from gpuarray.kernels.generator.parameters import (
    KernelParameter,
    declared,
    names,
    number,
    pointer,
    scalar,
)
from gpuarray.kernels.generator.source import KernelSource, check_choice

BLOCK, WIDE_BLOCK = 256, 1024

#: Levels of a sorted array's tree that are copied to shared memory, by bytes of an element: where
#: it has no more of them or very many values are looked for, and elsewhere.
ALL_LEVELS = {1: 12, 2: 12, 4: 12, 8: 11, 16: 10}
TOP_LEVELS = 9

#: The same for a block of WIDE_BLOCK threads that has a multiprocessor to itself, and the levels
#: below that are one access of 16 bytes.
MOST_LEVELS = {4: 15, 8: 14}
TAIL_LEVELS = {4: 2, 8: 1}

#: What is stored for a value: its rank, the value of a function that is known where the sorted
#: elements are, or whether it is one of these.
RESULTS = {
    "rank": "StoreRank<Keys>",
    "real": "Interpolate<Keys, {coordinate}, double>",
    "complex": "Interpolate<Keys, {coordinate}, complex<double>>",
    "found": "StoreFound<Keys, false>",
    "not found": "StoreFound<Keys, true>",
}


@dataclass(frozen=True, slots=True)
class SearchSpec:
    """A search in a sorted array."""

    dtype: str
    right: bool  # behind equal elements
    room: int = 0  # levels that shared memory has room for; 0: the array stays where it is
    wide: bool = False  # blocks of WIDE_BLOCK threads; what is in dynamic shared memory is passed
    result: str = "rank"

    def __post_init__(self) -> None:
        check_choice("result", self.result, RESULTS)
        if self.wide and itemsize(self.dtype) not in MOST_LEVELS:
            raise ValueError(f"no wide blocks search in elements of {self.dtype}")

    @property
    def block(self) -> int:
        """Threads of a block."""
        return WIDE_BLOCK if self.wide else BLOCK


#: The dtypes of functions' values by the name of the result.
INTERPOLATED = {"real": "f8", "complex": "c16"}

#: Parameters that what is stored is worked out from: the function's values, and what it is before
#: and behind all points, where `sides` says so.
_STORED = ("points", "left", "right", "sides")


def items(dtype: str) -> int:
    """Return the values that a thread looks for at once."""
    return 8 if itemsize(dtype) <= 4 else 4


_SOURCE = """\
#include "gpuarray/{header}"

namespace gpuarray {{

typedef {keys} Keys;

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    typedef {result} Store;
    {function}<Keys, Store, {right}, {block}, {items}, {levels}>({arguments});
}}

}}  // namespace gpuarray
"""


def render(spec: SearchSpec) -> KernelSource:
    """Return the CUDA C++ of a search."""
    side = "right" if spec.right else "left"
    symbol = f"gpuarray_searchsorted_{side}__{spec.dtype}"
    symbol += f"_{spec.room}" if spec.room else ""
    symbol += "_wide" if spec.wide else ""
    symbol += "" if spec.result == "rank" else "_" + spec.result.replace(" ", "_")
    parameters = _parameters(spec)
    arguments = names([x for x in parameters if x.name not in _STORED])
    interpolates = spec.result in INTERPOLATED
    if interpolates:
        arguments += f", Store{{{', '.join(_STORED)}}}"
    source = _SOURCE.format(
        header="interpolate.cuh" if interpolates else "binary_search.cuh",
        keys=key_type(spec.dtype),
        block=spec.block,
        symbol=symbol,
        function="search_sorted_widely" if spec.wide else "search_sorted",
        result=RESULTS[spec.result].format(coordinate=cpp_name(spec.dtype)),
        right="true" if spec.right else "false",
        items=items(spec.dtype),
        levels=TAIL_LEVELS[itemsize(spec.dtype)] if spec.wide else spec.room,
        parameters=declared(parameters),
        arguments=arguments,
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, items(spec.dtype), spec.block)


def _parameters(spec: SearchSpec) -> tuple[KernelParameter, ...]:
    result = {"rank": "int64_t"} | {name: cpp_name(code) for name, code in INTERPOLATED.items()}
    element = result.get(spec.result, "uint8_t")
    stored = []
    if spec.result in INTERPOLATED:
        code = INTERPOLATED[spec.result]
        stored = [pointer("points", f"const {element}"), scalar("left", code)]
        stored += [scalar("right", code), number("sides", "int32_t")]
    levels = [number("levels", "int32_t")]  # the bits of the length
    if spec.wide:
        levels.append(number("top", "int32_t"))  # of these levels, those in shared memory
    return (
        pointer("sorted", "const Keys::Word"),
        pointer("values", "const Keys::Word"),
        pointer("ranks", element),
        *stored,
        number("length", "int32_t" if spec.wide else "int64_t"),  # of the sorted array
        *levels,
        number("count", "uint64_t"),  # of the values
    )
