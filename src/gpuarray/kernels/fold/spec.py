"""The fold family: from a specification to CUDA C++ (`fold.cuh`)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpuarray._dtypes import cpp_name
from gpuarray.kernels.generator.expressions import Cast, Expression
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.parameters import (
    Field,
    KernelParameter,
    declared,
    pointer,
    scalar,
    structure,
)
from gpuarray.kernels.generator.render import CALLED, DEVICE, Body, is_heavy
from gpuarray.kernels.generator.source import INDEX_BYTES, KernelSource, check_choice

#: Threads of a block, by kind: with a thread for each line, lines are on more multiprocessors.
BLOCKS = {"reduce": 64, "accumulate": 64, "segments": 256}

#: Elements that a thread loads before it combines them.
UNROLL = 8


@dataclass(frozen=True, slots=True)
class FoldSpec:
    """Everything that the code of a fold depends on.

    The first element (Input 0) becomes ``first``, the others ``mapped``; ``combined`` of Input 0,
    the value so far, and Input 1, an element, is the next value; ``finished`` of Input 0 is stored.
    """

    name: str
    first: Expression
    mapped: Expression
    combined: Expression
    finished: Expression
    input_dtype: str
    output_dtype: str
    kind: str = "reduce"
    rows: bool = False  # reduce, accumulate: a warp walks a line, and not a thread
    masked: bool = False  # reduce: a mask decides whether an element takes part
    initial: str | None = None  # reduce: the dtype of the value to start with
    indices: str = ""  # segments: the dtype of the array of their starts
    width: int = 1  # segments: threads that share one
    lines_first: bool = False  # segments: neighbouring threads have neighbouring lines
    kept: int = 1  # dimensions of the lines, after collapsing
    index: str = "int32"

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, BLOCKS)
        check_choice("index", self.index, INDEX_BYTES)
        if self.masked and self.initial is None:
            raise ValueError("a masked fold needs a value to start with")
        if self.width not in (1, 2, 4, 8, 16, 32, BLOCKS["segments"]):
            raise ValueError(f"{self.width} threads are neither part of a warp nor the block")

    @property
    def value_dtype(self) -> str:
        """The dtype of what elements are combined in."""
        return self.combined.dtype


_SOURCE = """\
{includes}
namespace gpuarray {{

struct Function {{
{function}
}};

typedef FoldDimensions<{index}_t, {kept}> Extents;
typedef {variant} Variant;

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    Variant::run(Function{{{values}}}, input, {second}, output, dimensions);
}}

}}  // namespace gpuarray
"""


def render(spec: FoldSpec) -> KernelSource:
    """Return the CUDA C++ of a specification."""
    headers: set[str] = set()
    function = _function(spec, headers)
    block = BLOCKS[spec.kind]
    if spec.kind == "segments":
        lines_first = "true" if spec.lines_first else "false"
        variant = f"FoldSegments<Extents, {block}, {spec.width}, {UNROLL}, {lines_first}>"
    else:
        accumulates = "true" if spec.kind == "accumulate" else "false"
        walked = "Rows" if spec.rows else "Lines"
        variant = f"Fold{walked}<Extents, {block}, {UNROLL}, {accumulates}>"
    parameters = _parameters(spec)
    second = "indices" if spec.indices else "mask" if spec.masked else "nullptr"
    symbol = _symbol(spec)
    source = _SOURCE.format(
        includes="".join(
            f'#include "{header}"\n' for header in sorted(headers | {"gpuarray/fold.cuh"})
        ),
        function=function,
        index=spec.index,
        kept=spec.kept,
        variant=variant,
        block=block,
        symbol=symbol,
        parameters=declared(parameters),
        values="initial" if spec.initial is not None else "",
        second=second,
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, 1, block)


def _parameters(spec: FoldSpec) -> tuple[KernelParameter, ...]:
    parameters = [
        pointer("input", "const Function::Element"),
        pointer("output", "Function::Result"),
    ]
    if spec.masked:
        parameters.append(pointer("mask", "const uint8_t"))
    if spec.indices:
        parameters.append(pointer("indices", f"const {cpp_name(spec.indices)}"))
    if spec.initial is not None:
        parameters.append(scalar("initial", spec.initial))
    counts: dict[str, int | None] = dict.fromkeys(
        ("lines", "length", "segments", "input_stride", "mask_stride", "output_stride"), None
    )
    counts["index_stride"] = None
    counts |= dict.fromkeys(("kept", "input_strides", "mask_strides", "output_strides"), spec.kept)
    fields = [Field(name, f"{spec.index}_t", count) for name, count in counts.items()]
    return (*parameters, structure("dimensions", "Extents", fields))


def _symbol(spec: FoldSpec) -> str:
    """A C identifier that says in a profiler what runs: ``subtract__f4__f4_accumulate``."""
    name = re.sub(r"\W", "_", spec.name, flags=re.ASCII)[:60] or "fold"
    return (
        f"gpuarray_{name}__{spec.input_dtype}__{spec.output_dtype}_{spec.kind}"
        + (str(spec.width) if spec.indices else "")
        + ("_rows" if spec.rows else "")
        + ("_where" if spec.masked else "")
        + ("_wide" if spec.index == "int64" else "")
    )


def _function(spec: FoldSpec, headers: set[str]) -> str:
    """The members of the function object; adds the headers that they need."""
    value, source = cpp_name(spec.value_dtype), cpp_name(spec.input_dtype)
    element = cpp_name(spec.mapped.dtype)

    def method(head: str, expression: Expression, tail: str = "return {};") -> list[str]:
        body = Body()
        for dtype in (spec.value_dtype, spec.input_dtype, spec.output_dtype):
            body.type_of(dtype)
        result = body.value(expression)
        headers.update(body.headers)
        lines = [*body.lines, tail.format(result)]
        device = CALLED if head.startswith("Value combine") and is_heavy(expression) else DEVICE
        return [f"{device} static {head} {{", *(f"    {x}" for x in lines), "}"]

    def of_element(name: str, type_: str, expression: Expression) -> list[str]:
        return [
            *method(f"{type_} {name}_of({source} in0)", expression),
            f"GPUARRAY_DEVICE static {type_} {name}(Element element) {{",
            f"    return {name}_of({source}(element));",
            "}",
        ]

    starts = spec.initial is not None
    lines = [
        f"typedef {value} Value;",
        f"typedef {element} Item;",
        f"typedef Stored<{source}>::type Element;",
        f"typedef Stored<{cpp_name(spec.output_dtype)}>::type Result;",
        f"enum {{ STARTS = {int(starts)}, MASKED = {int(spec.masked)} }};",
        f"enum {{ HEAVY = {int(is_heavy(spec.combined))} }};",
        *([f"{cpp_name(spec.initial)} initial;"] if spec.initial is not None else []),
        "",
        *of_element("first", "Value", spec.first),
        *of_element("of", element, spec.mapped),
        *method(f"Value combine(Value in0, {element} in1)", spec.combined),
        *method(
            "void finish(Result& out, Value in0)",
            Cast(spec.output_dtype, spec.finished),
            "out = {};",
        ),
    ]
    if starts:
        lines.append("GPUARRAY_DEVICE Value start() const { return Value(initial); }")
    return "\n".join(f"    {line}" if line else "" for line in lines)
