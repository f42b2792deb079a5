"""The scan family: from a specification to CUDA C++ (`scan.cuh`)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpuarray._dtypes import category, cpp_name, itemsize
from gpuarray._integers import ceil_div
from gpuarray.kernels.generator.expressions import Cast, Constant, Expression
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.parameters import Field, declared, pointer, structure
from gpuarray.kernels.generator.render import CALLED, DEVICE, Body, is_heavy
from gpuarray.kernels.generator.source import INDEX_BYTES, KernelSource, check_choice
from gpuarray.kernels.reduction import computed
from gpuarray.kernels.reduction.computed import Computed
from gpuarray.kernels.reduction.tables import OF_MAGNITUDES
from gpuarray.kernels.reduction.tables import neutral as reduction_neutral

#: Threads of a block.
BLOCK = 256

#: Tiles whose totals one message combines, and of those again (`LookBackState::RADIX`).
RADIX = 32

#: 64-bit words before the messages of a look-back.
HEADER_WORDS = 2

_VARIANTS = ("rows", "columns")


@dataclass(frozen=True, slots=True)
class ScanSpec:
    """Everything that the code of a scan depends on.

    An element (Input 0) becomes ``mapped``; ``combined`` of Input 0 and 1 is associative, with
    Input 0 the one that comes first; ``finished`` of Input 0 is stored.
    """

    name: str
    mapped: Expression
    combined: Expression
    neutral: Constant  # stands for what is not there; exact where vector > 1 or exclusive
    finished: Expression
    input_dtype: str
    output_dtype: str
    exclusive: bool = False  # without the element itself
    variant: str = "rows"
    width: int = BLOCK  # rows: threads that share a line; columns: lines side by side
    vector: int = 1  # elements per access
    unroll: int = 8  # rows: accesses of a thread; columns: its elements
    kept: int = 1  # dimensions of the lines, after collapsing
    look_back: bool = False  # several blocks share a line
    index: str = "int32"
    block: int = BLOCK
    resident: int = 1  # blocks for which a multiprocessor's registers must suffice
    computed: Computed | None = None  # how elements of the input are, if it is not stored

    def __post_init__(self) -> None:
        check_choice("variant", self.variant, _VARIANTS)
        check_choice("index", self.index, INDEX_BYTES)
        if self.width & (self.width - 1) or not 1 <= self.width <= self.block:
            raise ValueError(f"width {self.width} is no power of two up to {self.block}")
        if self.variant == "rows":
            if 32 < self.width < self.block:
                raise ValueError(f"{self.width} threads are neither part of a warp nor the block")
            if self.look_back and self.width != self.block:
                raise ValueError("only whole blocks share a line")
            if self.vector > 1 and self.width < 32:
                raise ValueError("lines that share a warp are read by single elements")
        else:
            if self.vector != 1:
                raise ValueError("the variant 'columns' reads single elements")
            if not self.block // 32 <= self.width < self.block:
                raise ValueError(f"{self.width} columns leave no depth of 2 to 32 threads")


def tile_length(spec: ScanSpec) -> int:
    """Return the elements of one line in a tile."""
    if spec.variant == "rows":
        return spec.width * spec.vector * spec.unroll
    return spec.block // spec.width * spec.unroll


def look_back_words(dtype: str, lines: int, chunks: int) -> int:
    """Return the 64-bit words that blocks need to tell one another of their totals."""
    messages = chunks + chunks // RADIX + 1 + chunks // RADIX**2 + 1
    return HEADER_WORDS + messages * lines * ceil_div(itemsize(dtype), 4)


def neutral(name: str, dtype: str) -> Constant:
    """Return what changes nothing when it comes first, to the bit: of sums it is -0.0."""
    if name == "add" and category(dtype) in ("float", "complex"):
        return Constant(complex(-0.0, -0.0) if category(dtype) == "complex" else -0.0, dtype)
    return reduction_neutral(name, dtype)


def is_exact(name: str, dtype: str) -> bool:
    """Return whether `neutral` is neutral for every value: of complex products it is not."""
    if name in OF_MAGNITUDES:
        return False
    return not (name == "multiply" and category(dtype) == "complex")


_FAMILY = "gpuarray/scan.cuh"

_SOURCE = """\
{includes}
namespace gpuarray {{

struct Function {{
{function}
}};

{source}typedef ScanDimensions<{index}_t, {kept}> Extents;
typedef {variant} Variant;

extern "C" __global__ void __launch_bounds__({block}, {resident}) {symbol}(
    {parameters}) {{
{setup}    Variant::run<Function>({input}, output, dimensions, {lookback});
}}

}}  // namespace gpuarray
"""


def render(spec: ScanSpec) -> KernelSource:
    """Return the CUDA C++ of a specification."""
    headers: set[str] = set()
    function = _function(spec, headers)
    variant = (
        f"Scan{spec.variant.capitalize()}<Extents, {spec.block}, {spec.width}, "
        + (f"{spec.vector}, " if spec.variant == "rows" else "")
        + f"{spec.unroll}, {'true' if spec.look_back else 'false'}>"
    )
    symbol = _symbol(spec)
    read = setup = ""
    elements = "input"
    parameters, last = [pointer("input", "const Function::Element")], []
    if spec.computed is not None:
        read = _source(spec.computed, spec.index, headers)
        parameters = computed.members(spec.computed)
        last = computed.places(spec.computed, spec.index)
        given = ", ".join([*computed.given(spec.computed), *[x.name for x in last]])
        setup = f"    const Source source{{{given}}};\n"
        elements = f"ComputedElements<Source, {spec.index}_t>{{source, 0}}"
    parameters.append(pointer("output", "Function::Result"))
    if spec.look_back:
        # `look_back_words` words, zero before the first launch.
        parameters.append(pointer("lookback", "uint64_t"))
    parameters += [structure("dimensions", "Extents", _fields(spec)), *last]
    source = _SOURCE.format(
        includes="".join(f'#include "{header}"\n' for header in sorted(headers | {_FAMILY})),
        function=function,
        index=spec.index,
        kept=spec.kept,
        variant=variant,
        block=spec.block,
        resident=spec.resident,
        symbol=symbol,
        parameters=declared(parameters),
        source=read,
        setup=setup,
        input=elements,
        lookback="lookback" if spec.look_back else "nullptr",
    )
    return KernelSource(symbol, source, cuda_headers(), tuple(parameters), 1, spec.block)


def _source(found: Computed, index: str, headers: set[str]) -> str:
    """The object that computes elements of the operand."""
    members = [*computed.held(found), *[x.declaration for x in computed.places(found, index)]]
    alike = [i for i, (_, kind) in enumerate(found.inputs) if kind == "alike"]
    lines = [
        "typedef Function::Element Element;",
        *[f"{x};" for x in members],
        # A thread has up to 96 elements, in registers, so that there is no loop over them. Inlined,
        # log1p(exp(x)) has 90 KB of code, which is read about as often as the data.
        *computed.text(found, index, headers, many=True),
        f"template <int BLOCK> GPUARRAY_DEVICE void expect({index}_t at, uint32_t count) const {{",
        *[f"    prefetch<BLOCK>(source{i} + at, count * sizeof(*source{i}));" for i in alike],
        "}",
    ]
    return "\n".join(["struct Source {", *[f"    {x}" for x in lines], "};", "", ""])


def _fields(spec: ScanSpec) -> list[Field]:
    """The members of the struct ScanDimensions."""
    counts = dict.fromkeys(("lines", "length", "chunks", "input_stride", "output_stride"))
    counts |= dict.fromkeys(("kept", "input_strides", "output_strides"), spec.kept)
    return [Field(name, f"{spec.index}_t", count) for name, count in counts.items()]


def _symbol(spec: ScanSpec) -> str:
    """A C identifier that says in a profiler what runs: ``cumsum__f4__f4_rows256``."""
    name = re.sub(r"\W", "_", spec.name, flags=re.ASCII)[:60] or "scan"
    return (
        f"gpuarray_{name}__{spec.input_dtype}__{spec.output_dtype}_{spec.variant}{spec.width}"
        + ("_computed" if spec.computed else "")
        + ("_exclusive" if spec.exclusive else "")
        + ("_lookback" if spec.look_back else "")
        + ("_wide" if spec.index == "int64" else "")
    )


def _function(spec: ScanSpec, headers: set[str]) -> str:
    """The members of the function object; adds the headers that they need."""
    value, source = cpp_name(spec.neutral.dtype), cpp_name(spec.input_dtype)

    def method(head: str, expression: Expression, tail: str = "return {};") -> list[str]:
        body = Body()
        for dtype in (spec.neutral.dtype, spec.input_dtype, spec.output_dtype):
            body.type_of(dtype)
        result = body.value(expression)
        headers.update(body.headers)
        lines = [*body.lines, tail.format(result)]
        device = CALLED if head.startswith("Value combine") and is_heavy(expression) else DEVICE
        return [f"{device} static {head} {{", *(f"    {x}" for x in lines), "}"]

    lines = [
        f"typedef {value} Value;",
        f"typedef Stored<{source}>::type Element;",
        f"typedef Stored<{cpp_name(spec.output_dtype)}>::type Result;",
        f"enum {{ EXCLUSIVE = {int(spec.exclusive)} }};",
        "",
        *method("Value neutral()", spec.neutral),
        *method(f"Value map({source} in0)", Cast(spec.neutral.dtype, spec.mapped)),
        f"GPUARRAY_DEVICE static Value of(Element element) {{ return map({source}(element)); }}",
        *method("Value combine(Value in0, Value in1)", spec.combined),
        *method(
            "void finish(Result& out, Value in0)",
            Cast(spec.output_dtype, spec.finished),
            "out = {};",
        ),
    ]
    return "\n".join(f"    {line}" if line else "" for line in lines)
