"""The family of random draws: to CUDA C++ (`random_fill.cuh`, `random_compact.cuh`, and
`random_orders.cuh`)."""

from __future__ import annotations

from dataclasses import dataclass

from gpuarray._dtypes import cpp_name, itemsize
from gpuarray.kernels.generator import source as generated
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.parameters import declared, number, pointer, scalar
from gpuarray.kernels.generator.source import KernelSource, check_choice
from gpuarray.kernels.random import tables

#: What the kernels are compiled with: the state of PCG64 is a number of 128 bits.
OPTIONS = (*generated.OPTIONS, "--device-int128")

#: The 64-bit words of a state before those of its engine.
HEADER_WORDS = 4

#: The 64-bit words of the engines, and their types in device code.
ENGINES = {
    "pcg64": (4, "Pcg64<PowersOfPcg64, false>"),
    "pcg64dxsm": (4, "Pcg64<PowersOfPcg64dxsm, true>"),
    "philox": (11, "Philox4x64"),
    "sfc64": (4, "Sfc64"),
    "mt19937": (313, "Mt19937"),
    "philox4x32": (2, "Philox4x32"),
    "mrg32k3a": (6, "Mrg32k3a<PowersOfMrg32k3a>"),
    "xorwow": (6, "Xorwow"),
}
#: Those whose device code is in `random_curand_engines.cuh`.
CURAND = ("philox4x32", "mrg32k3a", "xorwow")

#: Those that can jump, so that many threads draw at once.
PARALLEL = ("pcg64", "pcg64dxsm", "philox", "philox4x32", "mrg32k3a")

#: Of those: the words that a thread makes together, and how many of them were read before at most.
GROUPS = {
    "pcg64": (2, 0),
    "pcg64dxsm": (2, 0),
    "philox": (4, 4),
    "philox4x32": (2, 1),
    "mrg32k3a": (1, 0),
}

DRAWS = ("words", "halves", "uniform", "inverse", "open", "normal", "exponential", "bounded")
#: Those whose results are in the order of the stream, with gaps.
GAPS = ("open", "normal", "exponential")
#: Those that may take several units for a result.
LONG = ("normal", "exponential")

#: Threads of a block; and how many blocks a multiprocessor has room for, which limits registers.
FILL_BLOCK, COMPACT_BLOCK, COMPACT_RESIDENT = 256, 128, 6

_VARIANTS = ("fill", "compact", "serial")


@dataclass(frozen=True, slots=True)
class DrawSpec:
    """A draw from an engine.

    'fill' is a known number of units by many threads; 'compact' one that the words decide;
    'serial' is one thread, for engines that cannot jump.
    """

    engine: str
    draw: str
    result: str
    variant: str
    unit: int = 64  # bits of a unit; 'bounded' takes `piece` bits of it for an integer
    piece: int = 64
    scaled: bool = False  # results are multiplied by a number, and another one is added
    rounds: int = 1  # 'compact': words of a thread in a tile
    resident: int = COMPACT_RESIDENT
    block: int = COMPACT_BLOCK  # 'compact': threads
    reach: int = 32  # 'compact': units that a draw takes at most before all is drawn serially
    capacity: int = 64  # 'compact': long draws that a tile has room for, by units of a word
    unroll: int = 4  # 'compact': words of a thread that are made together

    def __post_init__(self) -> None:
        check_choice("engine", self.engine, ENGINES)
        check_choice("draw", self.draw, DRAWS)
        check_choice("variant", self.variant, _VARIANTS)
        if self.engine not in PARALLEL and self.variant != "serial":
            raise ValueError(f"{self.engine} has no variant {self.variant!r}")
        if self.variant == "fill" and self.draw in GAPS:
            raise ValueError(f"{self.draw} takes a number of units that its words decide")


_SOURCE = """\
#include "gpuarray/{header}.cuh"
{more}
namespace gpuarray {{
{constants}
extern "C" __global__ void __launch_bounds__({bounds}) {symbol}(
    {parameters}) {{
    typedef {draw} Draw;
{body}
}}

}}  // namespace gpuarray
"""


def render(spec: DrawSpec) -> KernelSource:
    """Return the CUDA C++ of a draw.

    ``state`` is read and ``next`` written: see `random_engines.cuh`. Integers have the parameters
    ``low``, ``range`` and ``threshold``, and scaled results ``loc`` and ``scale``.
    """
    parameters = [pointer("state", "const uint64_t"), pointer("next", "uint64_t")]
    draw, made, constants = _draw(spec)
    if spec.draw == "bounded":
        parameters += [number(name, "uint64_t") for name in ("low", "range", "threshold")]
    if spec.scaled:
        parameters += [scalar("loc", spec.result), scalar("scale", spec.result)]
    parameters.append(pointer("output", cpp_name(spec.result)))
    parameters.append(number("count", "uint64_t"))
    engine = ENGINES[spec.engine][1]
    constants += powers(spec.engine)
    block, header = 32, "random_fill"
    if spec.variant == "fill":
        block = FILL_BLOCK
        parameters.append(number("rounds", "uint32_t"))
        call = f"fill<{engine}, {block}>(draw, state, next, output, count, rounds);"
    elif spec.variant == "compact":
        block, header = spec.block, "random_compact"
        parameters += [number("tiles", "uint32_t"), pointer("lookback", "uint64_t")]
        shape = f"{block}, {spec.rounds}, {spec.reach}, {spec.capacity}, {spec.unroll}"
        names = "draw, state, next, output, count, tiles, lookback"
        call = f"Compact<{engine}, {shape}, Draw>::run({names});"
    else:
        call = f"draw_serially<{engine}>(draw, state, next, output, count);"
    body = []
    if spec.draw in LONG:
        body += [
            "__shared__ Draw::Table layers;",
            f"layers.load<{block}, Draw::SHIFT>();",
        ]
    if spec.scaled:
        body += [f"{draw} standard{made};", "Draw draw{standard, loc, scale};", call]
        draw = f"Scaled<{draw}>"
    else:
        body += [f"Draw draw{made};", call]
    resident = f", {spec.resident}" if spec.variant == "compact" else ""
    symbol = f"gpuarray_random_{spec.draw}_{spec.variant}__{spec.engine}_{spec.result}"
    if spec.draw == "bounded":
        symbol += f"_{spec.unit}_{spec.piece}"
    if spec.scaled:
        symbol += "_scaled"
    source = _SOURCE.format(
        header=header,
        more=more_headers(spec.engine),
        constants=constants,
        bounds=f"{block}{resident}",
        symbol=symbol,
        parameters=declared(parameters),
        draw=draw,
        body="\n".join([f"    {line}" for line in body]),
    )
    return KernelSource(symbol, source, cuda_headers(), tuple(parameters), 1, block, OPTIONS)


def _draw(spec: DrawSpec) -> tuple[str, str, str]:
    """A draw's type in device code, its initialiser, and its constants."""
    result = cpp_name(spec.result)
    if spec.draw == "bounded":
        made = "(low, range, threshold)"
        return f"Bounded<{result}, {spec.unit}, {spec.piece}>", made, ""
    if spec.draw in LONG:
        return f"{spec.draw.capitalize()}<{result}, ZigguratSource>", "{layers}", _ziggurat(spec)
    if spec.draw in ("words", "halves", "open"):
        return spec.draw.capitalize(), "", ""
    return f"{spec.draw.capitalize()}<{result}>", "", ""


def more_headers(engine: str) -> str:
    """The header of an engine that is not in `random_engines.cuh`."""
    return '#include "gpuarray/random_curand_engines.cuh"\n' if engine in CURAND else ""


def powers(engine: str) -> str:
    """The powers of an engine's multiplier, which its type in device code names."""
    if engine == "mrg32k3a":
        elements = ", ".join([f"{x}u" for x in tables.mrg32k3a_jumps()])
        return f"""
__device__ const uint32_t mrg32k3a_words[] = {{{elements}}};
struct PowersOfMrg32k3a {{
    GPUARRAY_DEVICE static uint32_t factor(int i) {{ return mrg32k3a_words[i]; }}
}};
"""
    if engine not in tables.MULTIPLIERS:
        return ""
    name = f"PowersOf{engine.capitalize()}"
    multiplier = tables.MULTIPLIERS[engine]
    lower, upper = multiplier & (1 << 64) - 1, multiplier >> 64
    numbers = [f"{x:#x}ull" for x in tables.jumps(multiplier)]
    rows = ",\n    ".join([", ".join(numbers[i : i + 4]) for i in range(0, len(numbers), 4)])
    return f"""
__device__ const uint64_t {name}_words[{len(numbers)}] = {{
    {rows}}};
struct {name} {{
    GPUARRAY_DEVICE static uint64_t lower() {{ return {lower:#x}ull; }}
    GPUARRAY_DEVICE static uint64_t upper() {{ return {upper:#x}ull; }}
    GPUARRAY_DEVICE static Wide factor(int digit, int value) {{
        const uint64_t* words = {name}_words + (digit * 16 + value) * 4;
        return Wide{{words[0], words[1]}};
    }}
    GPUARRAY_DEVICE static Wide total(int digit, int value) {{
        const uint64_t* words = {name}_words + (digit * 16 + value) * 4 + 2;
        return Wide{{words[0], words[1]}};
    }}
}};
"""


def _ziggurat(spec: DrawSpec) -> str:
    single = itemsize(spec.result) == 4
    layers = tables.ziggurat(spec.draw, single)
    arrays = {
        "scale": tables.bits_of(layers.scales, single),
        "height": tables.bits_of(layers.heights, single),
        "limit": layers.limits,
    }
    word, suffix = ("uint32_t", "u") if single else ("uint64_t", "ull")
    text = ""
    for name, numbers in arrays.items():
        row = ", ".join([f"{x:#x}{suffix}" for x in numbers])
        text += f"\n__device__ const {word} ziggurat_{name}s[256] = {{{row}}};"
    text += "\nstruct ZigguratSource {"
    for name in arrays:
        text += (
            f"\n    GPUARRAY_DEVICE static {word} {name}(int i) {{ return ziggurat_{name}s[i]; }}"
        )
    return text + "\n};\n"


def tile_memory_words(tiles: int) -> int:
    """The 64-bit words that warps need to tell one another of tiles: see `random_prefix.cuh`."""
    return 2 + tiles + tiles // 32 + 1 + tiles // 32**2 + 1 + 2 * (tiles // 32**3 + 1)


@dataclass(frozen=True, slots=True)
class OrderSpec:
    """What one thread draws for an order or a choice.

    'orders' are random orders of the integers below a number as NumPy's `shuffle` makes them, and
    'tail' as its `choice` does; 'choose' is some of these integers without repetition, 'each' an
    integer in an interval of its own for each element; 'sample' is the first places of a random
    order, by many threads, whose key is two words that were drawn before.
    """

    engine: str
    kind: str
    result: str = "i8"
    width: int = 64  # 'each': bits of an integer

    def __post_init__(self) -> None:
        check_choice("engine", self.engine, (*ENGINES, ""))
        check_choice("kind", self.kind, ("orders", "tail", "choose", "each", "sample"))


ORDER_BLOCK = 256

#: Places of the table of numbers chosen so far.
CHOICE_SLOTS = 2048

_ORDERS = """\
#include "gpuarray/{header}.cuh"
{more}
namespace gpuarray {{
{constants}
extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    {body}
}}

}}  // namespace gpuarray
"""


def render_order(spec: OrderSpec) -> KernelSource:
    """Return the CUDA C++ of an order or a choice."""
    block, result = ORDER_BLOCK, cpp_name(spec.result)
    parameters = [pointer("state", "const uint64_t"), pointer("next", "uint64_t")]
    count, output = number("count", "uint64_t"), pointer("output", result)
    engine = ENGINES[spec.engine][1] if spec.engine else ""
    if spec.kind in ("orders", "tail"):
        parameters += [output, number("rows", "uint64_t")]
        parameters += [number("count", "uint32_t"), number("first", "uint32_t")]
        drawn = "Masked" if spec.kind == "orders" else "Multiplied"
        body = f"make_orders<{engine}, {drawn}, {block}>(state, next, output, rows, count, first);"
    elif spec.kind == "choose":
        parameters += [number("population", "uint64_t"), output, number("count", "uint32_t")]
        parameters += [number("mask", "uint32_t"), number("shuffled", "uint32_t")]
        parallel = str(spec.engine in PARALLEL).lower()
        body = f"choose<{engine}, {parallel}, {block}, {CHOICE_SLOTS}>"
        body += "(state, next, output, population, count, mask, shuffled);"
    elif spec.kind == "each":
        bounds = [pointer(name, "const uint64_t") for name in ("low", "greatest")]
        parameters += [*bounds, output, count]
        body = f"BoundedEach<{result}, {spec.width}> draw(low, greatest);\n"
        body += f"    draw_serially<{engine}>(draw, state, next, output, count);"
    else:
        parameters = [pointer("words", "const uint64_t"), number("population", "uint64_t")]
        parameters += [output, count]
        body = f"sample<{block}>(words, output, population, count);"
    symbol = f"gpuarray_random_{spec.kind}" + (f"__{spec.engine}" if spec.engine else "")
    symbol += f"_{spec.result}_{spec.width}" if spec.kind == "each" else ""
    source = _ORDERS.format(
        header="random_choice" if spec.kind == "choose" else "random_orders",
        more=more_headers(spec.engine),
        constants=powers(spec.engine),
        block=block,
        symbol=symbol,
        parameters=declared(parameters),
        body=body,
    )
    return KernelSource(symbol, source, cuda_headers(), tuple(parameters), 1, block, OPTIONS)
