"""The sorting family: from a specification to CUDA C++.

The device code is in `radix_sort.cuh`, and that of long rows of keys of eight bytes in
`sort_runs.cuh`.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpuarray._dtypes import category, itemsize
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.keys import key_type
from gpuarray.kernels.generator.source import KernelSource

BINS = 256

#: Threads of the kernels that count, clear and fill.
BLOCK = 256

#: Longest row that one block sorts in shared memory, by bytes of an element.
BLOCK_LIMIT = {1: 8192, 2: 8192, 4: 4096, 8: 2048, 16: 1024}

#: Blocks that sort a row together, each a tile of up to BLOCK_LIMIT.
TILES = 8

#: Words of the books that are no counts: tickets, and a plan for each row.
BOOK_WORDS = 32

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

# Threads and keys of each in the passes, by bytes of a key: what leaves registers and shared memory
# for three blocks at once. Places move in shared memory beside the keys; wide ones need more of it.
_PASS_SHAPES = {1: (384, 20), 2: (384, 20), 4: (384, 19), 8: (384, 14), 16: (256, 8)}
_PLACES_SHAPES = {1: (384, 16), 2: (384, 16), 4: (384, 12), 8: (384, 10), 16: (256, 8)}
_WIDE_PLACES_SHAPES = {1: (384, 12), 2: (384, 12), 4: (384, 9), 8: (384, 7), 16: (256, 7)}


@dataclass(frozen=True, slots=True)
class SortSpec:
    """A step of a sort.

    'block' sorts a row in one block; 'tile' sorts a part of a row in each of TILES blocks, and
    'merge' makes them one; 'clear' zeroes the books, 'count' counts the digits and
    plans the passes, 'pass' moves keys by one digit; 'fill' writes keys of one byte from counts.
    'decide' clears and finds out how many top digits are enough; then 'short' sorts the runs of
    keys that agree in them, and 'long' those that are too long for it.
    """

    step: str
    dtype: str
    places: bool = False  # argsort: the places of the keys move along
    block: int = BLOCK
    items: int = 1
    count: str = "uint32"  # the type of counts of keys
    ranks: int = 0  # 'block': up to so many elements of the sorted row are stored, not the row

    def __post_init__(self) -> None:
        if self.step not in _STEPS:
            raise ValueError(f"step {self.step!r} is not one of {', '.join(_STEPS)}")
        if self.count not in _COUNT_BYTES:
            raise ValueError(f"count {self.count!r} is not one of {', '.join(_COUNT_BYTES)}")
        if self.block % 32 or self.block > 1024:
            raise ValueError(f"a block of {self.block} threads is not a number of whole warps")
        if self.step == "fill" and itemsize(self.dtype) != 1:
            raise ValueError("only keys of one byte are filled in from their counts")
        if self.step in ("decide", "short", "long") and not has_runs(self.dtype):
            raise ValueError("only real keys of eight bytes are sorted by their top digits")
        if self.ranks and (
            self.step != "block" or self.places or category(self.dtype) == "complex"
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


def pass_shape(dtype: str, places: bool, count: str = "uint32") -> tuple[int, int]:
    """Return the threads of a block of a pass, and the keys of each."""
    shapes = _PASS_SHAPES
    if places:
        shapes = _PLACES_SHAPES if count == "uint32" else _WIDE_PLACES_SHAPES
    return shapes[itemsize(dtype)]


def book_bytes(spec: SortSpec, rows: int, tiles: int) -> int:
    """Return the bytes of a sort's books, for rows of so many tiles each."""
    counts = (passes(spec.dtype) + tiles) * BINS * _COUNT_BYTES[spec.count]
    return BOOK_WORDS * 4 + rows * (BOOK_WORDS * 4 + counts)


_SOURCE = """\
#include "gpuarray/{header}.cuh"

namespace gpuarray {{

typedef {keys} Keys;
typedef Keys::Word Word;

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    {body};
}}

}}  // namespace gpuarray
"""

_ROWS = "uint64_t length, uint32_t rows, uint32_t {each}"


def render(spec: SortSpec) -> KernelSource:
    """Return the CUDA C++ of a step.

    Parameters of the kernels, behind the pointers:

    ===== =========================================== ==================================
    step  pointers                                    numbers
    ===== =========================================== ==================================
    block input, output                               length (uint32); with ranks the number of
                                                      results, whether a NaN stands for all of a
                                                      row (uint32) and the struct Ranks
    tile  input, sorted tiles (places: and their      length, of a tile, tiles (uint32)
          places)
    merge sorted tiles (places: and their places),    length, of a tile, blocks of a row
          output                                      (uint32)
    clear books                                       units of 16 bytes (uint64)
    decide input, books                               length (uint64), rows (uint32), units of
                                                      16 bytes behind the plans (uint64), and
                                                      close_keys and STREAK (uint32)
    count input, books                                length (uint64), rows, blocks of a
                                                      row, whether in place (uint32)
    pass  input, output, scratch, books               length (uint64), rows, tiles of a
          (places: numbers and places before books)   row, digit (uint32)
    fill  output, books                               length (uint64), rows, tiles of a
                                                      row (uint32)
    short as of pass                                  length (uint64), rows, tiles of a
                                                      row, and those of passes (uint32)
    long  as of pass                                  those of short, blocks of a row (uint32)
    ===== =========================================== ==================================
    """
    block, items, count = spec.block, spec.items, f"{spec.count}_t"
    places = "true" if spec.places else "false"
    if spec.step == "block":
        output = "int64_t" if spec.places else "Word"
        parameters = f"const Word* input, {output}* output, uint32_t length"
        action = f"Store{'Places' if spec.places else 'Keys'}<Keys>{{output}}"
        sizes: tuple[int, ...] = (8, 8, 4)
        if spec.ranks:
            parameters += f", uint32_t wanted, uint32_t spread, Ranks<{spec.ranks}> ranks"
            action = f"StoreRanks<Keys, {spec.ranks}>{{output, wanted, spread != 0, ranks}}"
            sizes += (4, 4, 8 * spec.ranks + 32)
        body = f"sort_block<Keys, {block}, {items}>(input, length, {action})"
    elif spec.step == "tile":
        numbers = ", uint32_t* numbers" if spec.places else ""
        parameters = f"const Word* input, Word* output{numbers}, "
        parameters += "uint32_t length, uint32_t tile, uint32_t tiles"
        body = f"sort_tile<Keys, {block}, {items}, {places}>(input, output, "
        body += f"{'numbers' if spec.places else 'nullptr'}, length, tile, tiles)"
        sizes = (8,) * (3 if spec.places else 2) + (4, 4, 4)
    elif spec.step == "merge":
        if spec.places:
            parameters = "const Word* keys, const uint32_t* numbers, int64_t* places, "
            given = "keys, numbers, nullptr, places"
        else:
            parameters = "const Word* keys, Word* output, "
            given = "keys, nullptr, output, nullptr"
        parameters += "uint32_t length, uint32_t tile, uint32_t blocks"
        body = f"merge_tiles<Keys, {block}, {TILES}, {places}>({given}, length, tile, blocks)"
        sizes = (8,) * (3 if spec.places else 2) + (4, 4, 4)
    elif spec.step == "clear":
        parameters = "uint4* books, uint64_t units"
        body = "clear_words(books, units)"
        sizes = (8, 8)
    elif spec.step == "count":
        parameters = "const Word* input, uint32_t* books, "
        parameters += _ROWS.format(each="blocks, uint32_t even")
        body = f"count_digits<Keys, {count}, {block}>"
        body += "(input, books, length, rows, blocks, even != 0)"
        sizes = (8, 8, 8, 4, 4, 4)
    elif spec.step == "decide":
        parameters = "const Word* input, uint32_t* books, uint64_t length, uint32_t rows, "
        parameters += "uint64_t units, uint32_t close, uint32_t streak"
        body = f"decide_passes<Keys, {block}>(input, books, length, rows, units, close, streak)"
        sizes = (8, 8, 8, 4, 8, 4, 4)
    elif spec.step in ("pass", "short", "long"):
        each = {"pass": "tiles, uint32_t pass", "short": "tiles, uint32_t pass_tiles"}
        each["long"] = each["short"] + ", uint32_t blocks"
        parameters = "const Word* input, Word* output, Word* scratch, "
        if spec.places:
            parameters += f"{count}* numbers, int64_t* places, "
        parameters += "uint32_t* books, " + _ROWS.format(each=each[spec.step])
        extra = "numbers, places" if spec.places else "nullptr, nullptr"
        common = f"KeyBuffers<Word>{{input, output, scratch}}, {extra}, books, length, rows, tiles"
        shape = f"Keys, {count}, {block}, {items}, {places}"
        if spec.step == "pass":
            body = f"Pass<{shape}>::run({common}, pass)"
        else:
            each_of = "tiles" if spec.step == "short" else "blocks"
            body = f"Runs<{shape}>({common}, blockIdx.x / {each_of}, pass_tiles)."
            body += f"sort_{spec.step}(length, blockIdx.x % {each_of}"
            body += ")" if spec.step == "short" else ", blocks)"
        sizes = (8,) * (6 if spec.places else 4) + (8, 4, 4, 4)
        if spec.step == "long":
            sizes += (4,)
    else:
        parameters = "uint8_t* output, uint32_t* books, " + _ROWS.format(each="tiles")
        body = f"fill_counted<Keys, {count}, {block}>(output, books, length, rows, tiles)"
        sizes = (8, 8, 8, 4, 4)
    symbol = _symbol(spec)
    source = _SOURCE.format(
        header="sort_runs" if spec.step in ("decide", "short", "long") else "radix_sort",
        keys=key_type(spec.dtype),
        block=block,
        symbol=symbol,
        parameters=parameters,
        body=body,
    )
    return KernelSource(symbol, source, cuda_headers(), sizes, items, block)


def _symbol(spec: SortSpec) -> str:
    """A C identifier that says in a profiler what runs: ``gpuarray_sort_pass__f4``."""
    name = f"gpuarray_{'argsort' if spec.places else 'sort'}_{spec.step}__{spec.dtype}"
    if spec.step in ("block", "tile", "pass"):
        name += f"_{spec.block}x{spec.items}"
    if spec.ranks:
        name += f"_ranks{spec.ranks}"
    return name + ("_wide" if spec.count == "uint64" else "")
