"""The select family: from a specification to CUDA C++ (`radix_select.cuh`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from gpuarray._dtypes import category, itemsize
from gpuarray._integers import ceil_div, power_of_two_from
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.keys import MAX_RANKS, key_type, ranks_parameter
from gpuarray.kernels.generator.parameters import KernelParameter, declared, number, pointer
from gpuarray.kernels.generator.source import KernelSource, check_choice
from gpuarray.kernels.scan import spec as scans

#: Threads of the blocks that count digits, and of those that split a tile.
BLOCK, SPLIT_BLOCK = 512, 256

#: Most ranks that rows are split around.
MAX_PIVOTS = 2

_STEPS = ("row", "pass", "split")
_COUNT_BYTES = {"uint32": 4, "uint64": 8}

# Bits of a digit at most, by ranks: counts of all ranks are in shared memory, 32 KiB of them.
_FEW_RANKS, _WIDE_DIGIT, _NARROW_DIGIT = 4, 11, 8


@dataclass(frozen=True, slots=True)
class SelectSpec:
    """A step of a selection by rank.

    'row' does everything with a row in one block; 'pass' looks at one digit; 'split' stores the
    elements, or with ``indices`` their indices in the row, around those found. ``values`` asks
    'row' for the elements found, and not to split; the last pass stores as many as its parameters
    say.
    """

    step: str
    dtype: str
    ranks: int
    values: bool = False
    indices: bool = False
    count: str = "uint32"  # the type of counts of keys

    def __post_init__(self) -> None:
        check_choice("step", self.step, _STEPS)
        check_choice("count", self.count, _COUNT_BYTES)
        if category(self.dtype) == "complex":
            raise ValueError("complex numbers have no digits that a selection could go by")
        splits = self.step == "split" or (self.step == "row" and not self.values)
        most = MAX_PIVOTS if splits else MAX_RANKS
        if not 1 <= self.ranks <= most:
            raise ValueError(f"{self.ranks} ranks are not 1 to {most}")


def rank_slots(wanted: int) -> int:
    """Return for how many ranks there is a kernel that serves so many."""
    return power_of_two_from(wanted)


def digit_bits(ranks: int) -> int:
    """Return the bits that a digit has at most."""
    return _WIDE_DIGIT if ranks <= _FEW_RANKS else _NARROW_DIGIT


def passes(dtype: str, ranks: int) -> int:
    """Return the number of digits of a dtype's keys."""
    return ceil_div(8 * itemsize(dtype), digit_bits(ranks))


def workspace_bytes(spec: SelectSpec) -> int:
    """Return the bytes of the workspace that the blocks of a row share."""
    bits, digits = 8 * itemsize(spec.dtype), passes(spec.dtype, spec.ranks)
    bins = 1 << ceil_div(bits, digits)
    state = 8 * (5 * spec.ranks + 3)
    return 8 * 4 + digits * state + spec.ranks * bins * _COUNT_BYTES[spec.count]


def split_items(spec: SelectSpec) -> int:
    """Return the elements of a thread that splits."""
    return {1: 32, 2: 32, 4: 24, 8: 12}[itemsize(spec.dtype)]


def _resident(spec: SelectSpec) -> int:
    """Blocks for which a multiprocessor's registers must suffice.

    A block that splits waits for those before it, so that many elements have to be in flight;
    with two pivots or wide counts more blocks would spill registers.
    """
    if spec.step != "split":
        return 1
    return 4 if spec.ranks == 1 and spec.count == "uint32" else 2


def look_back_words(spec: SelectSpec, rows: int, tiles: int) -> int:
    """Return the 64-bit words for the look-back of tiles: counts of all classes but the last."""
    words = 2 * spec.ranks * _COUNT_BYTES[spec.count] // 4
    return words * scans.look_back_words("u4", rows, tiles)


_SOURCE = """\
#include "gpuarray/radix_select.cuh"

namespace gpuarray {{

typedef {keys} Keys;
typedef Keys::Word Bits;
typedef {count}_t Count;

extern "C" __global__ void __launch_bounds__({block}, {resident}) {symbol}(
    {parameters}) {{
    {body};
}}

}}  // namespace gpuarray
"""


class _Kernel(NamedTuple):
    """The kernel of a step: its parameters but for the ranks, and the call that it consists of."""

    parameters: tuple[KernelParameter, ...]
    call: str  # with the fields of the specification


_INPUT, _OUTPUT, _INDICES = (
    pointer("input", "const Bits"),
    pointer("output", "Bits"),
    pointer("indices", "int64_t"),
)
_WORKSPACE, _LOOKBACK = pointer("workspace", "uint64_t"), pointer("lookback", "uint64_t")
_LENGTH, _ROWS = number("length", "uint64_t"), number("rows", "uint32_t")
#: How many results there are, and whether a NaN is the result of its row.
_RESULTS = (number("wanted", "uint32_t"), number("spread", "uint32_t"))
_SPLIT = (_WORKSPACE, _LOOKBACK, _LENGTH, _ROWS, number("tiles", "uint32_t"))

_KERNELS = {
    ("row", "values"): _Kernel(
        (_INPUT, _OUTPUT, _LENGTH, _ROWS, *_RESULTS),
        "select_row<Keys, {bits}, {ranks}, {block}, {items}, true, false>(\n"
        "        input, output, nullptr, length, rows, wanted, spread, ranks)",
    ),
    ("row", "split"): _Kernel(
        (_INPUT, _OUTPUT, _LENGTH, _ROWS, *_RESULTS),
        "select_row<Keys, {bits}, {ranks}, {block}, {items}, false, false>(\n"
        "        input, output, nullptr, length, rows, wanted, spread, ranks)",
    ),
    ("row", "indices"): _Kernel(
        (_INPUT, _INDICES, _LENGTH, _ROWS, *_RESULTS),
        "select_row<Keys, {bits}, {ranks}, {block}, {items}, false, true>(\n"
        "        input, nullptr, indices, length, rows, wanted, spread, ranks)",
    ),
    # `capacity` elements of a row's candidates may be copied.
    ("pass", "values"): _Kernel(
        (
            _INPUT,
            _OUTPUT,
            pointer("copies", "Bits"),
            _WORKSPACE,
            _LENGTH,
            number("capacity", "uint64_t"),
            _ROWS,
            number("blocks", "uint32_t"),
            number("pass", "uint32_t"),
            *_RESULTS,
        ),
        "select_pass<Keys, Count, {bits}, {ranks}, {block}>(\n        input, output, copies, "
        "workspace, length, capacity, rows, blocks, pass, wanted, spread, ranks)",
    ),
    ("split", "split"): _Kernel(
        (_INPUT, _OUTPUT, *_SPLIT),
        "split_rows<Keys, Count, {bits}, {ranks}, {block}, {items}, false>(\n"
        "        input, output, nullptr, workspace, lookback, length, rows, tiles, ranks)",
    ),
    ("split", "indices"): _Kernel(
        (_INPUT, _INDICES, *_SPLIT),
        "split_rows<Keys, Count, {bits}, {ranks}, {block}, {items}, true>(\n"
        "        input, nullptr, indices, workspace, lookback, length, rows, tiles, ranks)",
    ),
}


def render(spec: SelectSpec) -> KernelSource:
    """Return the CUDA C++ of a step."""
    items, block = split_items(spec), BLOCK
    if spec.step == "row":
        # Half as many elements as in a tile of many blocks: a block has twice the threads.
        items = max(items // 2, 4)
    elif spec.step == "split":
        block = SPLIT_BLOCK
    kind = "indices" if spec.indices else "values" if _finds_values(spec) else "split"
    step = _KERNELS[spec.step, kind]
    parameters = (*step.parameters, ranks_parameter(spec.ranks))
    symbol = _symbol(spec)
    source = _SOURCE.format(
        keys=key_type(spec.dtype),
        count=spec.count,
        block=block,
        symbol=symbol,
        parameters=declared(parameters),
        resident=_resident(spec),
        body=step.call.format(
            bits=digit_bits(spec.ranks), ranks=spec.ranks, block=block, items=items
        ),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, items, block)


def _finds_values(spec: SelectSpec) -> bool:
    """Whether the kernel may store elements found: any pass may, for the last one does."""
    return spec.values or spec.step == "pass"


def _symbol(spec: SelectSpec) -> str:
    """A C identifier that says in a profiler what runs: ``gpuarray_select_pass__f4_x1``."""
    name = f"gpuarray_select_{spec.step}__{spec.dtype}_x{spec.ranks}"
    name += ("_values" if spec.values else "") + ("_indices" if spec.indices else "")
    return name + ("_wide" if spec.count == "uint64" else "")
