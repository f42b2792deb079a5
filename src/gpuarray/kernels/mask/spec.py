"""The mask family: from a specification to CUDA C++ (`mask.cuh`)."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from gpuarray._dtypes import category, cpp_name
from gpuarray.kernels.generator.expressions import Apply, Cast, Expression, Input
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.operations import operation
from gpuarray.kernels.generator.parameters import (
    Field,
    KernelParameter,
    declared,
    number,
    pointer,
    structure,
)
from gpuarray.kernels.generator.render import Body
from gpuarray.kernels.generator.source import KernelSource, check_choice, word

BLOCK = 256

#: Elements of a mask that one block looks at.
TILE = 32 * BLOCK

#: Bytes of elements that are selected several at a time, where they lie behind one another.
NARROW = 2

ACTIONS = ("compress", "place", "coordinates", "rows", "starts", "ranks")

#: What makes an element true: that it is not zero, or that it differs from the one before.
TRUTHS = ("nonzero", "changes", "changes but of NaN")


@dataclass(frozen=True, slots=True)
class CountSpec:
    """Finds how many elements of a mask are true before each tile."""

    dtype: str
    ndim: int  # after collapsing
    bits: bool  # keep the mask as bits
    index: str = "int32"
    truth: str = "nonzero"  # see `TRUTHS`; of others the mask is contiguous

    def __post_init__(self) -> None:
        check_choice("truth", self.truth, TRUTHS)


@dataclass(frozen=True, slots=True)
class StoreSpec:
    """Does something with each true element.

    'compress' copies elements of an array to a dense one, 'place' does the reverse, and
    'coordinates' stores where they are, an array for each axis, 'rows' a row for each element,
    'starts' in one dimension, with the number of all elements behind. 'ranks' stores for every
    element the rank of the last true one up to it, at the place that an array gives.
    """

    action: str
    dtype: str  # of the mask
    bits: bool  # it was kept as bits; else it is contiguous
    ndim: int
    itemsize: int = 8  # of what is moved
    index: str = "int32"

    def __post_init__(self) -> None:
        check_choice("action", self.action, ACTIONS)


_MASK = pointer("mask", "const Truth::Element")

_SOURCE = """\
{includes}
namespace gpuarray {{

struct Truth {{
    typedef Stored<{source}>::type Element;
    enum {{ CHANGES = {changes} }};
    GPUARRAY_DEVICE static bool {function} {{
{truth}
    }}
}};

typedef MaskDimensions<{index}_t, {ndim}> Extents;

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    {call};
}}

}}  // namespace gpuarray
"""


def render_count(spec: CountSpec) -> KernelSource:
    """Return the CUDA C++ of the first launch: a block for every few tiles, at most 32."""
    bits = "true" if spec.bits else "false"
    what = {"nonzero": "true", "changes": "changes"}.get(spec.truth, "changes_but_of_nan")
    symbol = f"gpuarray_count_{what}__{spec.dtype}" + ("_bits" if spec.bits else "")
    return _kernel(
        spec,
        symbol,
        [
            _MASK,
            pointer("offsets", "int64_t"),  # one more than there are tiles
            pointer("bits", "uint32_t"),  # BLOCK words for each tile
            pointer("lookback", "uint64_t"),
        ],
        f"count_true<Truth, Extents, {BLOCK}, {bits}>(mask, offsets, bits, dimensions, lookback)",
    )


def render_store(spec: StoreSpec) -> KernelSource:
    """Return the CUDA C++ of the second launch: a block for each tile.

    It gets what the first one made, then two arrays (of 'compress' values and result, of 'place'
    values and target, of 'ranks' places and result), or the result, of 'coordinates' and 'starts'
    with the number of true elements.
    """
    symbol = f"gpuarray_{spec.action}__{spec.dtype}"
    parameters = [_MASK, pointer("offsets", "const int64_t"), pointer("bits", "const uint32_t")]
    header = ""
    if spec.action == "coordinates":
        parameters += [pointer("result", "int64_t"), number("count", "int64_t")]
        action = f"Coordinates<Extents, {spec.ndim}>{{result, count, dimensions}}"
    elif spec.action == "starts":
        parameters += [pointer("result", "int64_t"), number("count", "int64_t")]
        action = "Starts<Extents>{result, count, dimensions}"
    elif spec.action == "ranks":
        parameters += [pointer("places", "const int64_t"), pointer("result", "int64_t")]
        action = "PlacedRanks{places, result}"
    elif spec.action == "rows":
        parameters.append(pointer("result", "int64_t"))
        action = f"CoordinateRows<Extents, {spec.ndim}>{{result, dimensions}}"
    else:
        element, header = word(spec.itemsize)
        symbol += f"_{8 * spec.itemsize}"
        parameters += [pointer("read", f"const {element}"), pointer("written", element)]
        action = f"{spec.action.capitalize()}<{element}, Extents>{{read, written, dimensions}}"
    bits = ", true" if spec.bits else ", false"
    function = "store_true"
    if spec.action == "compress" and spec.itemsize <= NARROW and spec.ndim == 1:
        function, bits = "compress_narrow", ""
    return _kernel(
        spec,
        symbol + ("_bits" if spec.bits else ""),
        parameters,
        f"{function}<Truth, Extents, {BLOCK}{bits}>(\n"
        f"        mask, offsets, bits, dimensions, {action})",
        {header} if header else frozenset(),
    )


def _kernel(
    spec: CountSpec | StoreSpec,
    symbol: str,
    arrays: Sequence[KernelParameter],
    call: str,
    more_headers: Set[str] = frozenset(),
) -> KernelSource:
    body = Body()
    source = cpp_name(spec.dtype)
    body.type_of(spec.dtype)
    kind = spec.truth if isinstance(spec, CountSpec) else "nonzero"
    if kind == "nonzero":
        function = "of(Element element)"
        truth = body.value(Cast("b1", Input(0, spec.dtype)))
        inputs = [f"const {source} in0 = {source}(element);"]
    else:
        function = "changes(Element element, Element before)"
        truth = body.value(_changes(spec.dtype, kind))
        inputs = [
            f"const {source} in0 = {source}(element);",
            f"const {source} in1 = {source}(before);",
        ]
    lines = [*inputs, *body.lines, f"return {truth};"]
    headers = sorted(body.headers | {"gpuarray/mask.cuh"} | more_headers)
    symbol += f"_{spec.ndim}d" + ("_wide" if spec.index == "int64" else "")
    parameters = (*arrays, structure("dimensions", "Extents", _fields(spec)))
    text = _SOURCE.format(
        includes="".join(f'#include "{header}"\n' for header in headers),
        source=source,
        changes=int(kind != "nonzero"),
        function=function,
        truth="\n".join(f"        {line}" for line in lines),
        index=spec.index,
        ndim=spec.ndim,
        block=BLOCK,
        symbol=symbol,
        parameters=declared(parameters),
        call=call,
    )
    return KernelSource(symbol, text, cuda_headers(), parameters, 32, BLOCK)


def _changes(dtype: str, truth: str) -> Expression:
    """Whether an element differs from the one before in an array whose NaN come last."""
    element, before = Input(0, dtype), Input(1, dtype)
    differs: Expression = Apply(operation("not_equal"), (element, before), "b1")
    if truth == "changes" or category(dtype) not in ("float", "complex"):
        return differs
    # Whatever is behind a NaN is one.
    number = Apply(operation("logical_not"), (Apply(operation("isnan"), (before,), "b1"),), "b1")
    return Apply(operation("logical_and"), (differs, number), "b1")


def _fields(spec: CountSpec | StoreSpec) -> list[Field]:
    """The members of the struct MaskDimensions."""
    counts = {"size": None, "tiles": None, "stride": None, "shape": spec.ndim, "strides": spec.ndim}
    return [Field(name, f"{spec.index}_t", count) for name, count in counts.items()]
