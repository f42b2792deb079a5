"""The sort family: from a specification to CUDA C++.

The device code is in `radix_sort.cuh`, that of long rows of keys of eight bytes in
`sort_runs.cuh`, and the order from the greatest to the least in `descending_keys.cuh`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from gpuarray._dtypes import category, itemsize
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.keys import key_type, ranks_parameter
from gpuarray.kernels.generator.parameters import KernelParameter, declared, number, pointer
from gpuarray.kernels.generator.source import KernelSource, check_choice

BINS = 256

#: Threads of the kernels that count, clear and fill.
BLOCK = 256

#: Longest row that one block sorts in shared memory, by bytes of an element.
BLOCK_LIMIT = {1: 8192, 2: 8192, 4: 4096, 8: 2048, 16: 1024}

#: Blocks that sort a row together, each a tile of up to BLOCK_LIMIT.
TILES = 8

#: 32-bit words of the workspace for the tickets, and for the plan of each row.
PLAN_WORDS = 32

#: Threads of a block that sorts a sample of a row, of eight keys each.
SAMPLE_BLOCK = 512

#: A sample with more keys than this that agree in their top digits may be of a row with runs that
#: one block would sort for long: all digits have passes then.
STREAK = 16

# The mean length of runs up to which to sort them is cheaper than another pass, and the most
# neighbours in a sorted sample that may agree in any case.
_MEAN_RUN, _MOST_CLOSE = 8, 12

#: Keys of a thread that sorts runs.
RUN_ITEMS = 8

_STEPS = ("block", "tile", "merge", "clear", "decide", "count", "pass", "fill", "short", "long")
_COUNT_BYTES = {"uint32": 4, "uint64": 8}
_ORDERS = ("ascending", "descending")

# Threads and keys of each in the passes, by bytes of a key: what leaves registers and shared memory
# for three blocks at once. Indices move in shared memory beside the keys; wide ones need more.
_PASS_SHAPES = {1: (384, 20), 2: (384, 20), 4: (384, 19), 8: (384, 14), 16: (256, 8)}
_INDICES_SHAPES = {1: (384, 16), 2: (384, 16), 4: (384, 12), 8: (384, 10), 16: (256, 8)}
_WIDE_INDICES_SHAPES = {1: (384, 12), 2: (384, 12), 4: (384, 9), 8: (384, 7), 16: (256, 7)}


@dataclass(frozen=True, slots=True)
class SortSpec:
    """A step of a sort.

    'block' sorts a row in one block; 'tile' sorts a part of a row in each of TILES blocks, and
    'merge' makes them one; 'clear' zeroes the workspace, 'count' counts the digits and
    plans the passes, 'pass' moves keys by one digit; 'fill' writes keys of one byte from counts.
    'decide' clears and finds out how many top digits are enough; then 'short' sorts the runs of
    keys that agree in them, and 'long' those that are too long for it.
    """

    step: str
    dtype: str
    indices: bool = False  # argsort: the indices of the keys move along
    block: int = BLOCK
    items: int = 1
    count: str = "uint32"  # the type of counts of keys
    ranks: int = 0  # 'block': up to so many elements of the sorted row are stored, not the row
    order: str = "ascending"

    def __post_init__(self) -> None:
        check_choice("step", self.step, _STEPS)
        check_choice("count", self.count, _COUNT_BYTES)
        check_choice("order", self.order, _ORDERS)
        if self.block % 32 or self.block > 1024:
            raise ValueError(f"a block of {self.block} threads is not a number of whole warps")
        if self.step == "fill" and itemsize(self.dtype) != 1:
            raise ValueError("only keys of one byte are filled in from their counts")
        if self.step in ("decide", "short", "long") and not has_runs(self.dtype):
            raise ValueError("only real keys of eight bytes are sorted by their top digits")
        if self.ranks and (
            self.step != "block" or self.indices or category(self.dtype) == "complex"
        ):
            raise ValueError("single elements are taken only of rows of real numbers in one block")


def passes(dtype: str) -> int:
    """Return the number of digits of a dtype's keys."""
    # Complex numbers: one says which parts are NaN, and one makes the number even.
    return itemsize(dtype) + (2 if category(dtype) == "complex" else 0)


def has_runs(dtype: str) -> bool:
    """Whether long rows of a dtype may be sorted by top digits and then in runs."""
    return itemsize(dtype) == 8 and category(dtype) != "complex"


def close_keys(length: int) -> int:
    """Return how many neighbours in a sorted sample may agree in the digits that have passes.

    Of a sample of m keys, m * m / (2 n) agree for each one that a key agrees with in a row of n.
    """
    return min(_MOST_CLOSE, _MEAN_RUN * (8 * SAMPLE_BLOCK) ** 2 // (2 * length))


def block_shape(dtype: str, length: int) -> tuple[int, int]:
    """Return the threads of a block that sorts a row, and the keys of each."""
    for block, items in ((128, 2), (128, 4), (128, 8), (256, 8), (512, 8), (512, 16)):
        if length <= block * items:
            return block, items
    raise ValueError(f"a row of {length} elements is too long for one block")


def pass_shape(dtype: str, indices: bool, count: str = "uint32") -> tuple[int, int]:
    """Return the threads of a block of a pass, and the keys of each."""
    shapes = _PASS_SHAPES
    if indices:
        shapes = _INDICES_SHAPES if count == "uint32" else _WIDE_INDICES_SHAPES
    return shapes[itemsize(dtype)]


def workspace_bytes(spec: SortSpec, rows: int, tiles: int) -> int:
    """Return the bytes of a sort's workspace, for rows of so many tiles each."""
    counts = (passes(spec.dtype) + tiles) * BINS * _COUNT_BYTES[spec.count]
    return PLAN_WORDS * 4 + rows * (PLAN_WORDS * 4 + counts)


class _Kernel(NamedTuple):
    """The kernel of a step: its parameters, and the call that it consists of."""

    parameters: tuple[KernelParameter, ...]
    call: str  # with the fields of the specification
    header: str = "radix_sort"


_INPUT, _OUTPUT = pointer("input", "const Word"), pointer("output", "Word")
_INDICES, _WORKSPACE = pointer("indices", "int64_t"), pointer("workspace", "uint32_t")
#: Of a row that fits 32 bits, and of the tiles that it is cut into.
_LENGTH = number("length", "uint32_t")
_TILE, _TILES = number("tile", "uint32_t"), number("tiles", "uint32_t")
_BLOCKS = number("blocks", "uint32_t")  # of a row
_ROWS = (number("length", "uint64_t"), number("rows", "uint32_t"))
#: Keys alternate between the output and the scratch memory; so do indices between theirs.
_PASS_KEYS = (_INPUT, _OUTPUT, pointer("scratch", "Word"), _WORKSPACE, *_ROWS, _TILES)
_PASS_INDICES = (
    *_PASS_KEYS[:3],
    pointer("scratch_indices", "Count"),
    _INDICES,
    *_PASS_KEYS[3:],
)
_PASS_TILES = number("pass_tiles", "uint32_t")  # tiles of a row in passes
_BUFFERS = "KeyBuffers<Word>{{input, output, scratch}}"
_OF_KEYS = f"{_BUFFERS}, nullptr, nullptr, workspace, length, rows, tiles"
_OF_INDICES = f"{_BUFFERS}, scratch_indices, indices, workspace, length, rows, tiles"

_KERNELS = {
    ("block", "keys"): _Kernel(
        (_INPUT, _OUTPUT, _LENGTH),
        "sort_block<Keys, {block}, {items}>(input, length, StoreKeys<Keys>{{output}})",
    ),
    ("block", "indices"): _Kernel(
        (_INPUT, _INDICES, _LENGTH),
        "sort_block<Keys, {block}, {items}>(input, length, StoreIndices<Keys>{{indices}})",
    ),
    # How many results there are, and whether a NaN stands for all of a row; the ranks follow.
    ("block", "ranks"): _Kernel(
        (_INPUT, _OUTPUT, _LENGTH, number("wanted", "uint32_t"), number("spread", "uint32_t")),
        "sort_block<Keys, {block}, {items}>"
        "(input, length, StoreRanks<Keys, {ranks}>{{output, wanted, spread != 0, ranks}})",
    ),
    ("tile", "keys"): _Kernel(
        (_INPUT, _OUTPUT, _LENGTH, _TILE, _TILES),
        "sort_tile<Keys, {block}, {items}, false>(input, output, nullptr, length, tile, tiles)",
    ),
    ("tile", "indices"): _Kernel(
        (_INPUT, _OUTPUT, pointer("tile_indices", "uint32_t"), _LENGTH, _TILE, _TILES),
        "sort_tile<Keys, {block}, {items}, true>(input, output, tile_indices, length, tile, tiles)",
    ),
    ("merge", "keys"): _Kernel(
        (_INPUT, _OUTPUT, _LENGTH, _TILE, _BLOCKS),
        "merge_tiles<Keys, {block}, {TILES}, false>"
        "(input, nullptr, output, nullptr, length, tile, blocks)",
    ),
    ("merge", "indices"): _Kernel(
        (_INPUT, pointer("tile_indices", "const uint32_t"), _INDICES, _LENGTH, _TILE, _BLOCKS),
        "merge_tiles<Keys, {block}, {TILES}, true>"
        "(input, tile_indices, nullptr, indices, length, tile, blocks)",
    ),
    ("clear", "keys"): _Kernel(
        (pointer("workspace", "uint4"), number("units", "uint64_t")),
        "clear_words(workspace, units)",
    ),
    # `units` of 16 bytes follow the plans; `close_keys` and STREAK say what a sample may have.
    ("decide", "keys"): _Kernel(
        (
            _INPUT,
            _WORKSPACE,
            *_ROWS,
            number("units", "uint64_t"),
            number("close", "uint32_t"),
            number("streak", "uint32_t"),
        ),
        "decide_passes<Keys, {block}>(input, workspace, length, rows, units, close, streak)",
        "sort_runs",
    ),
    ("count", "keys"): _Kernel(
        (_INPUT, _WORKSPACE, *_ROWS, _BLOCKS, number("even", "uint32_t")),
        "count_digits<Keys, Count, {block}>(input, workspace, length, rows, blocks, even != 0)",
    ),
    ("pass", "keys"): _Kernel(
        (*_PASS_KEYS, number("pass", "uint32_t")),
        f"Pass<Keys, Count, {{block}}, {{items}}, false>::run({_OF_KEYS}, pass)",
    ),
    ("pass", "indices"): _Kernel(
        (*_PASS_INDICES, number("pass", "uint32_t")),
        f"Pass<Keys, Count, {{block}}, {{items}}, true>::run({_OF_INDICES}, pass)",
    ),
    ("short", "keys"): _Kernel(
        (*_PASS_KEYS, _PASS_TILES),
        f"Runs<Keys, Count, {{block}}, {{items}}, false>"
        f"({_OF_KEYS}, blockIdx.x / tiles, pass_tiles).sort_short(length, blockIdx.x % tiles)",
        "sort_runs",
    ),
    ("short", "indices"): _Kernel(
        (*_PASS_INDICES, _PASS_TILES),
        f"Runs<Keys, Count, {{block}}, {{items}}, true>"
        f"({_OF_INDICES}, blockIdx.x / tiles, pass_tiles).sort_short(length, blockIdx.x % tiles)",
        "sort_runs",
    ),
    ("long", "keys"): _Kernel(
        (*_PASS_KEYS, _PASS_TILES, _BLOCKS),
        f"Runs<Keys, Count, {{block}}, {{items}}, false>({_OF_KEYS}, blockIdx.x / blocks, "
        "pass_tiles).sort_long(length, blockIdx.x % blocks, blocks)",
        "sort_runs",
    ),
    ("long", "indices"): _Kernel(
        (*_PASS_INDICES, _PASS_TILES, _BLOCKS),
        f"Runs<Keys, Count, {{block}}, {{items}}, true>({_OF_INDICES}, blockIdx.x / blocks, "
        "pass_tiles).sort_long(length, blockIdx.x % blocks, blocks)",
        "sort_runs",
    ),
    ("fill", "keys"): _Kernel(
        (pointer("output", "uint8_t"), _WORKSPACE, *_ROWS, _TILES),
        "fill_counted<Keys, Count, {block}>(output, workspace, length, rows, tiles)",
    ),
}

_SOURCE = """\
#include "gpuarray/{header}.cuh"
{order_header}
namespace gpuarray {{

typedef {keys} Keys;
typedef Keys::Word Word;
typedef {count}_t Count;

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    {body};
}}

}}  // namespace gpuarray
"""


def render(spec: SortSpec) -> KernelSource:
    """Return the CUDA C++ of a step."""
    kind = "ranks" if spec.ranks else "indices" if spec.indices else "keys"
    step = _KERNELS[spec.step, kind]
    parameters = step.parameters
    if spec.ranks:
        parameters += (ranks_parameter(spec.ranks),)
    symbol = _symbol(spec)
    keys, order_header = key_type(spec.dtype), ""
    if spec.order == "descending":
        keys, order_header = f"Descending<{keys}>", '#include "gpuarray/descending_keys.cuh"\n'
    source = _SOURCE.format(
        header=step.header,
        order_header=order_header,
        keys=keys,
        count=spec.count,
        block=spec.block,
        symbol=symbol,
        parameters=declared(parameters),
        body=step.call.format(block=spec.block, items=spec.items, ranks=spec.ranks, TILES=TILES),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, spec.items, spec.block)


def _symbol(spec: SortSpec) -> str:
    """A C identifier that says in a profiler what runs: ``gpuarray_sort_pass__f4``."""
    name = f"gpuarray_{'argsort' if spec.indices else 'sort'}_{spec.step}__{spec.dtype}"
    if spec.step in ("block", "tile", "pass"):
        name += f"_{spec.block}x{spec.items}"
    if spec.ranks:
        name += f"_ranks{spec.ranks}"
    if spec.order == "descending":
        name += "_descending"
    return name + ("_wide" if spec.count == "uint64" else "")
