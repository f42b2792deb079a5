"""ElementwiseKernel: from user code to CUDA C++.

The templates are those of this package's own element-wise operations; code that asks where its
thread is gets the plain loop that CuPy has (`DirectSpec`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpuarray._dtypes import cpp_name, itemsize
from gpuarray.kernels.elementwise import spec as elementwise
from gpuarray.kernels.elementwise.spec import ElementwiseSpec
from gpuarray.kernels.generator import user_code
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.parameters import (
    Field,
    KernelParameter,
    declared,
    number,
    structure,
)
from gpuarray.kernels.generator.render import Body
from gpuarray.kernels.generator.source import KernelSource
from gpuarray.kernels.generator.user_code import UserCode


@dataclass(frozen=True, slots=True)
class VectorSpec:
    """User code in the templates of the element-wise family.

    The inputs of ``operands`` are the arguments that are no outputs and not raw, in their order;
    then the outputs of ``kept``, read before the code runs; then, with ``numbered`` or
    ``guarded``, the number of the element. Behind them come the raw arrays, and the number of
    elements with ``counted`` or ``guarded``.

    The templates also call their function for elements beyond the end, whose results they drop.
    With ``guarded`` the code does not run there.
    """

    code: UserCode
    operation: str
    operands: ElementwiseSpec
    kept: tuple[str, ...] = ()
    numbered: bool = False
    counted: bool = False
    guarded: bool = False


def render_vector(spec: VectorSpec) -> KernelSource:
    """Return the CUDA C++ of user code in the element-wise family."""
    code, operands = spec.code, spec.operands
    narrow = operands.index == "int32"
    body = Body()
    body.weight = user_code.weight(spec.operation)
    body.headers |= code.headers((spec.operation,))
    inputs = [x.name for x in code.arguments if not x.output and x.kind != "raw"]
    where = {name: i for i, name in enumerate([*inputs, *spec.kept])}
    outputs = [x for x in code.arguments if x.output and x.kind == "array"]
    raw = [x for x in code.arguments if x.kind == "raw"]
    for dtype in (*operands.output_dtypes, *(x.dtype for x in operands.inputs)):
        body.type_of(dtype)

    parameters = [f"Stored<{cpp_name(x.dtype)}>::type& out{i}" for i, x in enumerate(outputs)]
    parameters += [f"{cpp_name(x.dtype)} in{i}" for i, x in enumerate(operands.inputs)]
    lines = []
    for x in outputs:
        value = user_code.as_user(x, f"in{where[x.name]}") if x.name in where else ""
        lines.append(f"{x.qualified} value_{x.name}{{{value}}};")
    passed, declared = [], []
    for x in code.arguments:
        if x.kind == "raw":
            passed.append(f"array_{x.name}")
            # The function object is constant; what user code may write through is a copy.
            const, reference = ("const ", "&") if x.constant else ("", "")
            declared.append(f"{const}{x.array(narrow)}{reference} {x.name}")
        elif x.output:
            passed.append(f"value_{x.name}")
            declared.append(f"{x.type}& {x.name}")
        else:
            passed.append(user_code.as_user(x, f"in{where[x.name]}"))
            declared.append(f"{'const ' if x.constant else ''}{x.type} {x.name}")
    extras = [x.parameter(f"array_{x.name}", narrow) for x in raw]
    if spec.numbered:
        passed.append(f"in{len(operands.inputs) - 1}")
        declared.append("const ptrdiff_t i")
    if spec.counted or spec.guarded:
        extras.append(number("count", "int64_t"))
    if spec.counted:
        if not any(x.name == "n" for x in code.arguments):
            passed.append("count")
            declared.append("const ptrdiff_t n")
        passed.append("Extent{count}")
        declared.append("const gpuarray::Extent _ind")
    guard = f"if (uint64_t(in{len(operands.inputs) - 1}) < count) " if spec.guarded else ""
    lines.append(f"{guard}::gpuarray_operation({', '.join(passed)});")
    for i, x in enumerate(outputs):
        lines.append(user_code.store(x, f"out{i}", f"value_{x.name}"))
    members = [f"{extra.declaration};" for extra in extras]
    head = f"GPUARRAY_DEVICE void operator()({', '.join(parameters)}) const"
    function = [*members, f"{head} {{", *[f"    {line}" for line in lines], "}"]
    operation = user_code.function("void gpuarray_operation", declared, _once(spec.operation))
    return elementwise.assemble(
        operands,
        body,
        "\n".join([f"    {line}" for line in function]),
        extras,
        code.global_source(operation),
        code.compiler_options(),
    )


@dataclass(frozen=True, slots=True)
class DirectSpec:
    """User code in a plain loop over elements in C order, as CuPy runs it.

    Arguments are passed in their order, arrays as CArray; then the CIndexer.
    """

    code: UserCode
    operation: str
    loop_prep: str
    after_loop: str
    ndim: int
    narrow: bool


def render_direct(spec: DirectSpec) -> KernelSource:
    """Return the CUDA C++ of user code in a loop of its own."""
    code = spec.code
    indexer = f"CIndexer<{spec.ndim}, {'true' if spec.narrow else 'false'}>"
    parameters: list[KernelParameter] = []
    elements = []
    located = "_ind" in user_code.words(spec.operation)
    for x in code.arguments:
        if x.kind == "scalar":
            type_ = f"{'const ' if x.constant else ''}{x.type}"
            parameters.append(KernelParameter(x.name, type_, itemsize(x.dtype), "scalar"))
            continue
        name = x.name if x.kind == "raw" else f"_raw_{x.name}"
        const = "const " if x.constant and x.kind == "raw" else ""
        parameters.append(x.parameter(name, spec.narrow, const))
        if x.kind == "array":
            index = "i" if x.contiguous else "_ind.get()"
            located = located or not x.contiguous
            const = "const " if x.constant else ""
            elements.append(f"{const}{x.type}& {x.name} = {name}[{index}];")
    lengths = max(spec.ndim, 1)
    fields = [
        Field("size_", "ptrdiff_t"),
        Field("shape_", "ptrdiff_t", lengths),
        Field("index_", "ptrdiff_t", lengths),
    ]
    parameters.append(structure("_ind", indexer, fields))
    count = "" if any(x.name == "n" for x in code.arguments) else _COUNT
    symbol = f"gpuarray_{code.name}"
    headers = code.headers((spec.operation, spec.loop_prep, spec.after_loop))
    source = _DIRECT.format(
        includes="".join(f'#include "{header}"\n' for header in sorted(headers)),
        before=code.global_source(""),
        symbol=symbol,
        parameters=declared(parameters),
        count=count,
        loop_prep=spec.loop_prep,
        located="_ind.set(i);" if located else "",
        elements="\n        ".join(elements),
        operation=spec.operation,
        after_loop=spec.after_loop,
    )
    options = code.compiler_options()
    return KernelSource(symbol, source, cuda_headers(), tuple(parameters), 1, 128, options)


_COUNT = "const ptrdiff_t n = _ind.size();"

_DIRECT = """\
{includes}
{before}
extern "C" __global__ void {symbol}(
    {parameters}) {{
    {count}
    {loop_prep};
#pragma unroll 1
    for (ptrdiff_t i = ptrdiff_t(blockIdx.x) * blockDim.x + threadIdx.x; i < _ind.size();
         i += ptrdiff_t(blockDim.x) * gridDim.x) {{
        {located}
        {elements}
        {operation};
    }}
    {after_loop};
}}
"""


def _once(text: str) -> str:
    """A loop body: ``continue`` and ``break`` leave it."""
    if re.search(r"\b(?:continue|break)\b", user_code.plain(text)):
        return f"do {{\n{text};\n}} while (false);"
    return f"{text};"
