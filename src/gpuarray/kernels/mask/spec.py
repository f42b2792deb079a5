"""The selection family: where a mask is true (`mask.cuh`)."""

from __future__ import annotations

from dataclasses import dataclass

from gpuarray._dtypes import cpp_name
from gpuarray.kernels.generator.expressions import Cast, Input
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.render import Body
from gpuarray.kernels.generator.source import INDEX_BYTES, WORDS, KernelSource

BLOCK = 256

#: Elements of a mask that one block looks at.
TILE = 32 * BLOCK

ACTIONS = ("compress", "place", "coordinates")


@dataclass(frozen=True, slots=True)
class CountSpec:
    """Finds how many elements of a mask are true before each tile."""

    dtype: str
    ndim: int  # after collapsing
    bits: bool  # keep the mask as bits
    index: str = "int32"


@dataclass(frozen=True, slots=True)
class StoreSpec:
    """Does something with each true element.

    'compress' copies elements of an array to a dense one, 'place' does the reverse, and
    'coordinates' stores where they are.
    """

    action: str
    dtype: str  # of the mask
    bits: bool  # it was kept as bits; else it is contiguous
    ndim: int
    itemsize: int = 8  # of what is moved
    index: str = "int32"

    def __post_init__(self) -> None:
        if self.action not in ACTIONS:
            raise ValueError(f"action {self.action!r} is not one of {', '.join(ACTIONS)}")
        if self.itemsize not in WORDS:
            raise ValueError(f"elements of {self.itemsize} bytes cannot be selected")


_SOURCE = """\
{includes}
namespace gpuarray {{

struct Truth {{
    typedef Stored<{source}>::type Element;
    GPUARRAY_DEVICE static bool of(Element element) {{
        const {source} in0 = {source}(element);
{truth}
    }}
}};

typedef SelectionDimensions<{index}_t, {ndim}> Extents;

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}, Extents dimensions) {{
    {call};
}}

}}  // namespace gpuarray
"""


def render_count(spec: CountSpec) -> KernelSource:
    """Return the CUDA C++ of the first launch: a block for every few tiles, at most 32.

    The kernel's parameters: the mask; the offsets, of one more than there are tiles; the bits,
    BLOCK 32-bit words for each tile; memory for look-back; and the struct SelectionDimensions.
    """
    bits = "true" if spec.bits else "false"
    symbol = f"gpuarray_count_true__{spec.dtype}" + ("_bits" if spec.bits else "")
    return _kernel(
        spec,
        symbol,
        "const Truth::Element* mask, int64_t* offsets, uint32_t* bits, uint64_t* links",
        f"count_selected<Truth, Extents, {BLOCK}, {bits}>(mask, offsets, bits, dimensions, links)",
        (8, 8, 8, 8),
    )


def render_store(spec: StoreSpec) -> KernelSource:
    """Return the CUDA C++ of the second launch: a block for each tile.

    The kernel's parameters: the mask, the offsets and the bits as above; then two arrays (of
    'compress' values and result, of 'place' values and target), or of 'coordinates' the result
    and the number of true elements; and the struct SelectionDimensions.
    """
    symbol = f"gpuarray_{spec.action}__{spec.dtype}"
    parameters = "const Truth::Element* mask, const int64_t* offsets, const uint32_t* bits, "
    if spec.action == "coordinates":
        parameters += "int64_t* result, int64_t count"
        action = f"Coordinates<Extents, {spec.ndim}>{{result, count, dimensions}}"
    else:
        word = WORDS[spec.itemsize]
        symbol += f"_{8 * spec.itemsize}"
        parameters += f"const {word}* read, {word}* written"
        action = f"{spec.action.capitalize()}<{word}, Extents>{{read, written, dimensions}}"
    bits = "true" if spec.bits else "false"
    return _kernel(
        spec,
        symbol + ("_bits" if spec.bits else ""),
        parameters,
        f"store_selected<Truth, Extents, {BLOCK}, {bits}>(\n"
        f"        mask, offsets, bits, dimensions, {action})",
        (8, 8, 8, 8, 8),
    )


def _kernel(
    spec: CountSpec | StoreSpec, symbol: str, parameters: str, call: str, sizes: tuple[int, ...]
) -> KernelSource:
    body = Body()
    body.type_of(spec.dtype)
    truth = body.value(Cast("b1", Input(0, spec.dtype)))
    lines = [*body.lines, f"return {truth};"]
    headers = sorted(body.headers | {"gpuarray/mask.cuh"})
    symbol += f"_{spec.ndim}d" + ("_wide" if spec.index == "int64" else "")
    source = _SOURCE.format(
        includes="".join(f'#include "{header}"\n' for header in headers),
        source=cpp_name(spec.dtype),
        truth="\n".join(f"        {line}" for line in lines),
        index=spec.index,
        ndim=spec.ndim,
        block=BLOCK,
        symbol=symbol,
        parameters=parameters,
        call=call,
    )
    struct = INDEX_BYTES[spec.index] * (3 + 2 * spec.ndim)
    return KernelSource(symbol, source, cuda_headers(), (*sizes, struct), 32, BLOCK)
