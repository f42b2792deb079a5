"""The update family: from a specification to CUDA C++ (`update.cuh`)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpuarray._dtypes import category, cpp_name, itemsize
from gpuarray.kernels.generator.expressions import Apply, Cast, Expression, Input
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.operations import operation
from gpuarray.kernels.generator.parameters import (
    Field,
    KernelParameter,
    declared,
    names,
    number,
    pointer,
    structure,
)
from gpuarray.kernels.generator.render import Body
from gpuarray.kernels.generator.source import INDEX_BYTES, KernelSource, check_choice

BLOCK = 256

KINDS = ("atomic", "locate", "ordered")

#: Updates of one element by these give the same in any order, but for the rounding of floats.
_ANY_ORDER = frozenset(
    ["add", "subtract", "multiply", "divide", "maximum", "minimum", "fmax", "fmin", "bitwise_and",
     "bitwise_or", "bitwise_xor", "logical_and", "logical_or", "logical_xor", "gcd", "hypot",
     "logaddexp", "logaddexp2", "left_shift", "right_shift"]
)  # fmt: skip

#: CUDA's atomic functions of integers, by ufunc.
_INTEGER_FUNCTIONS = {
    "add": "atomicAdd", "subtract": "atomicAdd", "maximum": "atomicMax", "minimum": "atomicMin",
    "fmax": "atomicMax", "fmin": "atomicMin", "bitwise_and": "atomicAnd",
    "bitwise_or": "atomicOr", "bitwise_xor": "atomicXor",
}  # fmt: skip

_UNSIGNED = {4: "uint32_t", 8: "uint64_t"}
_SWAPPED = {2: "uint16_t", 4: "uint32_t", 8: "uint64_t"}


def is_atomic(name: str, nin: int, element: str, loop: str) -> bool:
    """Whether elements of a dtype can be updated in any order, by a ufunc in a loop's dtype."""
    if nin == 2 and name not in _ANY_ORDER:
        return False
    if category(element) == "complex":
        return name in ("add", "subtract") and loop == element
    return itemsize(element) in _SWAPPED


@dataclass(frozen=True, slots=True)
class UpdateSpec:
    """Everything that the code of an update depends on.

    ``combined`` of Input 0, an element, and Input 1, an operand, is the new element. To locate the
    elements it is not looked at.
    """

    name: str
    kind: str
    combined: Expression
    element: str  # the dtype
    operand: str  # the dtype of operands, '' of a function of one argument
    indices: tuple[str, ...]  # dtypes of the index arrays
    ndim: int = 1  # after collapsing
    index: str = "int32"

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, KINDS)
        check_choice("index", self.index, INDEX_BYTES)
        if not self.indices:
            raise ValueError("an update needs at least one index array")


_SOURCE = """\
{includes}
namespace gpuarray {{

{function}typedef UpdateDimensions<{index}_t, {ndim}, {arrays}> Dimensions;

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    {call}({arguments});
}}

}}  // namespace gpuarray
"""


def render(spec: UpdateSpec) -> KernelSource:
    """Return the CUDA C++ of a specification."""
    headers = {"gpuarray/update.cuh"}
    function = "" if spec.kind == "locate" else _function(spec, headers)
    parameters = _parameters(spec)
    arrays = [x for x in parameters if x.name.startswith("index") and x.name != "indexed"]
    operands = "operands" if spec.operand else "NoOperand()"
    call, arguments = {
        "atomic": (
            f"update_atomically<Function, {BLOCK}>",
            f"size, dimensions, {operands}, indexed, {names(arrays)}",
        ),
        "locate": (f"locate_targets<{BLOCK}>", f"size, dimensions, targets, {names(arrays)}"),
        "ordered": (
            f"update_in_order<Function, {BLOCK}>",
            f"size, dimensions, {operands}, indexed, targets, order",
        ),
    }[spec.kind]
    symbol = _symbol(spec)
    source = _SOURCE.format(
        includes="".join(f'#include "{header}"\n' for header in sorted(headers)),
        function=function,
        index=spec.index,
        ndim=spec.ndim,
        arrays=len(spec.indices),
        block=BLOCK,
        symbol=symbol,
        parameters=declared(parameters),
        call=call,
        arguments=arguments,
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, 1, BLOCK)


def _parameters(spec: UpdateSpec) -> tuple[KernelParameter, ...]:
    index, arrays = f"{spec.index}_t", len(spec.indices)
    found = []
    if spec.operand and spec.kind != "locate":
        found.append(pointer("operands", "const Function::Operand"))
    if spec.kind != "locate":
        found.append(pointer("indexed", "Function::Element"))
    if spec.kind != "atomic":
        found.append(pointer("targets", "int64_t" if spec.kind == "locate" else "const int64_t"))
    if spec.kind == "ordered":
        found.append(pointer("order", "const int64_t"))
    else:
        found += [
            pointer(f"index{i}", f"const {cpp_name(code)}") for i, code in enumerate(spec.indices)
        ]
    fields = [
        Field("shape", index, spec.ndim),
        Field("strides", index, (2 + arrays) * spec.ndim),
        Field("lengths", index, arrays),
        Field("steps", index, arrays),
    ]
    return (*found, number("size", index), structure("dimensions", "Dimensions", fields))


def _symbol(spec: UpdateSpec) -> str:
    """A C identifier that says in a profiler what runs: ``add_at__f4__f4``."""
    name = re.sub(r"\W", "_", spec.name, flags=re.ASCII)[:60] or "update"
    dtypes = f"{spec.element}__{spec.operand}" if spec.operand else spec.element
    return f"gpuarray_{name}_at__{dtypes}__{'_'.join(spec.indices)}_{spec.kind}{spec.ndim}" + (
        "_wide" if spec.index == "int64" else ""
    )


def _function(spec: UpdateSpec, headers: set[str]) -> str:
    """The function object; adds the headers that it needs."""
    element, operand = cpp_name(spec.element), ""
    body = Body()
    body.type_of(spec.element)
    result = body.value(Cast(spec.element, spec.combined))
    second, argument = "Operand", ""
    typedef = "typedef NoOperand Operand;"
    if spec.operand:
        operand = cpp_name(spec.operand)
        body.type_of(spec.operand)
        typedef = f"typedef Stored<{operand}>::type Operand;"
        argument = f"    const {operand} in1 = {operand}(operand);"
    lines = [
        f"typedef Stored<{element}>::type Element;",
        typedef,
        f"GPUARRAY_DEVICE static Element combine(Element element, {second} operand) {{",
        f"    const {element} in0 = {element}(element);",
        *([argument] if argument else []),
        *[f"    {x}" for x in body.lines],
        f"    return Element({result});",
        "}",
    ]
    if spec.kind == "atomic":
        update = Body()
        atomic = _atomic(spec, update)
        body.headers |= update.headers
        lines += [
            "GPUARRAY_DEVICE static void update(Element* address, Operand operand) {",
            *([argument] if argument and "in1" in "".join([*update.lines, *atomic]) else []),
            *[f"    {x}" for x in (*update.lines, *atomic)],
            "}",
        ]
    headers |= body.headers
    text = "\n".join([f"    {line}" for line in lines])
    return f"struct Function {{\n{text}\n}};\n\n"


def _atomic(spec: UpdateSpec, body: Body) -> list[str]:
    """The statements of an atomic update, by one atomic operation where there is one."""
    kind, size = category(spec.element), itemsize(spec.element)
    combined = spec.combined
    ours = isinstance(combined, Apply) and combined.dtype == spec.element and bool(spec.operand)
    if ours and combined.operands[0].dtype == spec.element:  # type: ignore[attr-defined]
        value: Expression = Input(1, spec.operand)
        if spec.operand != spec.element:
            value = Cast(spec.element, value)
        if spec.name == "subtract":
            value = Apply(operation("negative"), (value,), spec.element)
        if kind == "complex":
            text = body.value(value)
            part = "float" if size == 8 else "double"
            parts = f"reinterpret_cast<{part}*>(address)"
            return [f"atomicAdd({parts}, {text}.real);", f"atomicAdd({parts} + 1, {text}.imag);"]
        if kind == "float" and spec.name in ("add", "subtract") and size >= 4:
            return [f"atomicAdd(address, {body.value(value)});"]
        if kind in ("signed", "unsigned") and size >= 4 and spec.name in _INTEGER_FUNCTIONS:
            function = _INTEGER_FUNCTIONS[spec.name]
            word = cpp_name(spec.element) if function[6:] in ("Max", "Min") else _UNSIGNED[size]
            text = body.value(value)
            return [f"{function}(reinterpret_cast<{word}*>(address), {word}({text}));"]
    return [f"swap<Function, {_SWAPPED[size]}>(address, operand);"]
