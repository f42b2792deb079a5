"""Successive steps over rows as one kernel: reductions, and elements that need their results.

`reduction_rows.cuh` has the device code. A step computes its elements as `computed` describes it;
the results of steps before it are scalars of its expression.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as replace

from gpuarray._dtypes import cpp_name
from gpuarray.kernels.generator.expressions import Expression, Input, walk
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.parameters import declared, number, pointer, scalar
from gpuarray.kernels.generator.source import KernelSource
from gpuarray.kernels.reduction import computed as computing
from gpuarray.kernels.reduction import functions
from gpuarray.kernels.reduction.computed import Computed
from gpuarray.kernels.reduction.spec import BLOCK, ReductionSpec


@dataclass(frozen=True, slots=True)
class RowStep:
    """A step: elements that are reduced, elements that are stored, or one value for a row.

    ``expression`` is over the sources as Inputs, and behind them as Scalars the numbers that are
    passed and the results of all steps that have one for a row, in order.
    """

    expression: Expression
    dtype: str  # of what the expression gives
    reduction: ReductionSpec | None = None
    elements: bool = False
    stored: bool = False

    @property
    def result(self) -> str:
        """The dtype of the result for a row."""
        return self.reduction.output_dtype if self.reduction is not None else self.dtype


@dataclass(frozen=True, slots=True)
class RowsSpec:
    """Everything that the code of such a kernel depends on."""

    name: str
    steps: tuple[RowStep, ...]
    base: Computed  # its expression and dtype have no meaning
    width: int
    vector: int
    unroll: int
    index: str
    kept: int = 0  # vectors that a thread keeps
    resident: int = 1  # blocks for which a multiprocessor's registers must suffice

    def computed(self, step: RowStep) -> Computed:
        """How a step's elements are computed."""
        numbers = tuple([x.result for x in self.steps if not x.elements])
        return replace(
            self.base,
            expression=step.expression,
            dtype=step.dtype,
            scalars=(*self.base.scalars, *numbers),
        )


def render(spec: RowsSpec) -> KernelSource:
    """Return the CUDA C++ of a specification."""
    headers = {"gpuarray/reduction_rows.cuh"}
    index = f"{spec.index}_t"
    base = spec.base
    parameters = computing.members(base)
    sources = computing.given(base)
    outputs, texts, lines = [], [], []
    known: list[str] = []
    elements: list[str] = []
    rows = [x.result for x in spec.steps if not x.elements]
    places = computing.places(base, spec.index)
    numbers = []
    for i, step in enumerate(spec.steps):
        function, own = _function(spec, step, headers)
        texts.append(f"namespace step{i} {{\n{function}}}\n")
        own_names = [f"number{i}_{k}" for k in range(len(own))]
        numbers += [scalar(name, x) for name, x in zip(own_names, own)]
        # What comes later is no part of the expression.
        later = [f"{cpp_name(x)}(Stored<{cpp_name(x)}>::type())" for x in rows[len(known) :]]
        members = [*sources, *known, *later, *own_names, *[x.name for x in places]]
        lines.append(f"const step{i}::Function function{i}{{{', '.join(members)}}};")
        if i == 0 and spec.kept:
            lines.append("row.keep(function0, kept);")
        result = cpp_name(step.result)
        stored = f"Stored<{result}>::type"
        if step.elements:
            elements.append(f"RowOutput<step{i}::Function>{{function{i}, out{i}}}")
        else:
            value = f"row.reduce<{stored}>(function{i}, kept)"
            if step.reduction is None:
                value = f"function{i}.at(row.first)"
            lines += [f"const {stored} stored{i} = {value};", f"const {result} row{i}(stored{i});"]
            known.append(f"row{i}")
            if step.stored:
                lines.append(f"if (row.leads()) out{i}[row.row] = stored{i};")
        if step.stored:
            outputs.append(pointer(f"out{i}", stored))
    if elements:
        lines.append(f"row.store({', '.join(['kept', *elements])});")
    constant = [number("rows", index), number("length", index)]
    parameters = [*parameters, *numbers, *outputs, *constant, *places]
    steps = f"RowSteps<{index}, {BLOCK}, {spec.width}, {spec.vector}, {spec.unroll}, {spec.kept}>"
    symbol = "gpuarray_" + re.sub(r"\W", "_", spec.name, flags=re.ASCII)[:80] + "_rows"
    source = _SOURCE.format(
        includes="".join(f'#include "{header}"\n' for header in sorted(headers)),
        kept="\n".join(computing.elements(base, base.kept)),
        steps="".join(texts),
        block=f"{BLOCK}, {spec.resident}",
        symbol=symbol,
        parameters=declared(parameters),
        variant=steps,
        array=f"Kept<{spec.vector}> kept[{max(1, spec.kept)}];",
        body="\n    ".join(lines),
    )
    return KernelSource(symbol, source, cuda_headers(), tuple(parameters), 1, BLOCK)


_SOURCE = """\
{includes}
namespace gpuarray {{

template <int ELEMENTS> struct Kept {{
    enum {{ COUNT = ELEMENTS }};
{kept}
}};

{steps}
extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    const {variant} row(rows, length);
    {array}
    {body}
}}

}}  // namespace gpuarray
"""


def _function(spec: RowsSpec, step: RowStep, headers: set[str]) -> tuple[str, tuple[str, ...]]:
    """The function object of a step, and the dtypes of its own numbers."""
    computed = spec.computed(step)
    if step.reduction is not None:
        wanted = replace(step.reduction, computed=computed, index=spec.index)
        found = functions.function_of(wanted, headers)
        return f"{found.items()}struct Function {{\n{found.text()}\n}};\n", wanted.scalars
    members = computing.held(computed)
    members += [x.declaration for x in computing.places(computed, spec.index)]
    lines = [
        f"typedef Stored<{cpp_name(step.dtype)}>::type Element;",
        *[f"{x};" for x in members],
        *computing.text(computed, spec.index, headers),
    ]
    text = "\n".join([f"    {line}" for line in lines])
    return f"struct Function {{\n{text}\n}};\n", ()


def kept_of(steps: Sequence[RowStep], computed: Computed) -> tuple[int, ...]:
    """The operands that differ along a row, and that more than one step reads."""
    counts = dict.fromkeys(range(len(computed.inputs)), 0)
    for step in steps:
        if step.elements or step.reduction is not None:
            for i in {x.index for x in walk(step.expression) if isinstance(x, Input)}:
                counts[i] += 1
    kinds = [kind for _, kind in computed.inputs]
    return tuple([i for i, n in counts.items() if n > 1 and kinds[i] in ("alike", "row", "apart")])
