"""The partitioning family: from a specification to CUDA C++ (`radix_select.cuh`)."""

from __future__ import annotations

from dataclasses import dataclass

from gpuarray._dtypes import category, itemsize
from gpuarray._integers import ceil_div
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.keys import key_type
from gpuarray.kernels.generator.source import KernelSource
from gpuarray.kernels.scan import spec as scans

#: Threads of the blocks that count digits, and of those that split a tile.
BLOCK, SPLIT_BLOCK = 512, 256

#: Most places in sorted order that are looked for together, and most results (`Ranks::of`).
MAX_RANKS = 32

#: Most places that rows are split around.
MAX_PIVOTS = 2

_STEPS = ("row", "pass", "split")
_COUNT_BYTES = {"uint32": 4, "uint64": 8}

# Bits of a digit at most, by ranks: counts of all ranks are in shared memory, 32 KiB of them.
_FEW_RANKS, _WIDE_DIGIT, _NARROW_DIGIT = 4, 11, 8


@dataclass(frozen=True, slots=True)
class SelectSpec:
    """A step of a selection by rank.

    'row' does everything with a row in one block; 'pass' looks at one digit; 'split' stores the
    elements (or with ``places`` where they were) around those found. ``values`` asks 'row' for the
    elements found, and not to split; the last pass stores as many as its parameters say.
    """

    step: str
    dtype: str
    ranks: int
    values: bool = False
    places: bool = False
    count: str = "uint32"  # the type of counts of keys

    def __post_init__(self) -> None:
        if self.step not in _STEPS:
            raise ValueError(f"step {self.step!r} is not one of {', '.join(_STEPS)}")
        if self.count not in _COUNT_BYTES:
            raise ValueError(f"count {self.count!r} is not one of {', '.join(_COUNT_BYTES)}")
        if category(self.dtype) == "complex":
            raise ValueError("complex numbers have no digits that a selection could go by")
        splits = self.step == "split" or (self.step == "row" and not self.values)
        most = MAX_PIVOTS if splits else MAX_RANKS
        if not 1 <= self.ranks <= most:
            raise ValueError(f"{self.ranks} ranks are not 1 to {most}")


def rank_slots(wanted: int) -> int:
    """Return for how many ranks there is a kernel that serves so many."""
    return 1 << (wanted - 1).bit_length()


def rank_bytes(ranks: int) -> int:
    """Return the bytes of the struct Ranks: a uint64 for each, and 32 bytes for results."""
    return 8 * ranks + MAX_RANKS


def digit_bits(ranks: int) -> int:
    """Return the bits that a digit has at most."""
    return _WIDE_DIGIT if ranks <= _FEW_RANKS else _NARROW_DIGIT


def passes(dtype: str, ranks: int) -> int:
    """Return the number of digits of a dtype's keys."""
    return -(-8 * itemsize(dtype) // digit_bits(ranks))


def book_bytes(spec: SelectSpec) -> int:
    """Return the bytes that the blocks of a row need to tell one another what they counted."""
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


def link_words(spec: SelectSpec, rows: int, tiles: int) -> int:
    """Return the 64-bit words for the look-back of tiles: counts of all classes but the last."""
    words = 2 * spec.ranks * _COUNT_BYTES[spec.count] // 4
    return words * scans.link_words("u4", rows, tiles)


_SOURCE = """\
#include "gpuarray/radix_select.cuh"

namespace gpuarray {{

typedef {keys} Keys;
typedef Keys::Word Bits;

extern "C" __global__ void __launch_bounds__({block}, {resident}) {symbol}(
    {parameters}, Ranks<{ranks}> ranks) {{
    {body};
}}

}}  // namespace gpuarray
"""


def render(spec: SelectSpec) -> KernelSource:
    """Return the CUDA C++ of a step.

    Parameters of the kernels, behind the pointers, and at last the struct Ranks:

    ===== =================================== ==================================================
    step  pointers                            numbers
    ===== =================================== ==================================================
    row   input, output                       length (uint64), rows, results, whether a NaN is
                                              the result of its row (uint32)
    pass  input, output, copies of            length, elements of a copy (uint64), rows, blocks of
          candidates, books                   a row, digit, results, whether as above (uint32)
    split input, output, books, links         length (uint64), rows, tiles of a row (uint32)
    ===== =================================== ==================================================
    """
    count, bits, ranks = f"{spec.count}_t", digit_bits(spec.ranks), spec.ranks
    items, block = split_items(spec), BLOCK
    places = "true" if spec.places else "false"
    output = "int64_t" if spec.places else "Bits"
    written = "nullptr, output" if spec.places else "output, nullptr"
    if spec.step == "row":
        # Half as many elements as in a tile of many blocks: a block has twice the threads.
        items = max(items // 2, 4)
        values = "true" if spec.values else "false"
        parameters = f"const Bits* input, {output}* output, uint64_t length, uint32_t rows, "
        parameters += "uint32_t wanted, uint32_t spread"
        body = f"select_row<Keys, {bits}, {ranks}, {block}, {items}, {values}, {places}>(\n        "
        body += f"input, {written}, length, rows, wanted, spread, ranks)"
        sizes: tuple[int, ...] = (8, 8, 8, 4, 4, 4)
    elif spec.step == "pass":
        parameters = "const Bits* input, Bits* output, Bits* copies, uint64_t* books, "
        parameters += "uint64_t length, uint64_t capacity, uint32_t rows, uint32_t blocks, "
        parameters += "uint32_t digit, uint32_t wanted, uint32_t spread"
        body = f"select_pass<Keys, {count}, {bits}, {ranks}, {block}>(\n        input, output, "
        body += "copies, books, length, capacity, rows, blocks, digit, wanted, spread, ranks)"
        sizes = (8, 8, 8, 8, 8, 8, 4, 4, 4, 4, 4)
    else:
        block = SPLIT_BLOCK
        parameters = f"const Bits* input, {output}* output, uint64_t* books, uint64_t* links, "
        parameters += "uint64_t length, uint32_t rows, uint32_t tiles"
        body = f"split_rows<Keys, {count}, {bits}, {ranks}, {block}, {items}, {places}>(\n        "
        body += f"input, {written}, books, links, length, rows, tiles, ranks)"
        sizes = (8, 8, 8, 8, 8, 4, 4)
    symbol = _symbol(spec)
    source = _SOURCE.format(
        keys=key_type(spec.dtype),
        block=block,
        symbol=symbol,
        parameters=parameters,
        ranks=ranks,
        resident=_resident(spec),
        body=body,
    )
    return KernelSource(symbol, source, cuda_headers(), (*sizes, rank_bytes(ranks)), items, block)


def _symbol(spec: SelectSpec) -> str:
    """A C identifier that says in a profiler what runs: ``gpuarray_select_pass__f4_x1``."""
    name = f"gpuarray_select_{spec.step}__{spec.dtype}_x{spec.ranks}"
    name += ("_values" if spec.values else "") + ("_places" if spec.places else "")
    return name + ("_wide" if spec.count == "uint64" else "")
