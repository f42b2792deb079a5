"""The element-wise family: from a specification to CUDA C++ (`cuda/elementwise.cuh`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from gpuarray._dtypes import cpp_name, itemsize
from gpuarray.kernels.expressions import Cast, Expression
from gpuarray.kernels.headers import cuda_headers
from gpuarray.kernels.operations import HEAVY, HUGE, LIGHT, MEDIUM
from gpuarray.kernels.render import Body

#: Threads per block, by variant.
BLOCKS = {"contiguous": 256, "unaligned": 256, "strided": 128}

#: NumPy rounds after every operation. A contracted multiply-add would not, and a fused expression
#: would differ from its parts; the CUDA maths library says fma where it means it.
OPTIONS = ("--fmad=false",)

#: A grid has at most this many blocks; kernels with a 64-bit index loop beyond it.
MAX_GRID = 2**31 - 1

_KINDS = ("array", "broadcast", "scalar", "index")
_VARIANTS = tuple(BLOCKS)
_INDEX_BYTES = {"int32": 4, "int64": 8}

# Bytes that a thread moves at least. Measured on an H200: 32 (a load and a store of 16) reach the
# rate of a device copy or more, and twice as many gain nothing and compile slower.
_BYTES_PER_THREAD = 32

# Elements per thread by weight: the most in one vector, the most altogether.
_VECTOR_LIMIT = {LIGHT: 16, MEDIUM: 8, HEAVY: 4, HUGE: 1}
_ITEMS_LIMIT = {LIGHT: 16, MEDIUM: 8, HEAVY: 4, HUGE: 1}
_STRIDED_LIMIT = {LIGHT: 4, MEDIUM: 4, HEAVY: 2, HUGE: 1}


@dataclass(frozen=True, slots=True)
class OperandSpec:
    """An input: its dtype, and where its elements come from.

    'array' is memory; 'broadcast' is one element of memory for all; 'scalar' is a value; 'index'
    is the element's own number, counted in the memory order of contiguous outputs.
    """

    dtype: str
    kind: str = "array"

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise ValueError(f"operand kind {self.kind!r} is not one of {', '.join(_KINDS)}")


@dataclass(frozen=True, slots=True)
class ElementwiseSpec:
    """Everything that the code of an element-wise kernel depends on."""

    name: str
    outputs: tuple[Expression, ...]
    output_dtypes: tuple[str, ...]
    inputs: tuple[OperandSpec, ...]
    masked: bool = False  # the last input, a bool, decides whether an element is stored
    #: 'contiguous' takes pointers of any alignment, and is fast where they are multiples of 16;
    #: 'unaligned' is the same kernel for those that are not.
    variant: str = "contiguous"
    ndim: int = 1  # of the strided variant, after collapsing
    index: str = "int32"

    def __post_init__(self) -> None:
        if self.variant not in _VARIANTS:
            raise ValueError(f"variant {self.variant!r} is not one of {', '.join(_VARIANTS)}")
        if self.index not in _INDEX_BYTES:
            raise ValueError(f"index {self.index!r} is not one of {', '.join(_INDEX_BYTES)}")
        if not self.outputs or len(self.outputs) != len(self.output_dtypes):
            raise ValueError("an element-wise kernel needs one dtype for each of its outputs")
        if self.masked and (not self.inputs or self.inputs[-1].dtype != "b1"):
            raise ValueError("the mask of a masked kernel is its last input and has dtype b1")
        if self.variant == "strided" and any(x.kind == "index" for x in self.inputs):
            raise ValueError("only the contiguous variant knows the number of an element")
        if self.variant == "strided" and self.ndim < 1:
            raise ValueError(f"a strided kernel has at least one dimension, got {self.ndim}")


@dataclass(frozen=True, slots=True)
class KernelSource:
    """A kernel ready for the compiler, and how to launch it.

    Launch ``ceil(size / (block * items_per_thread))`` blocks, at most `MAX_GRID`.
    """

    name: str  # extern "C" symbol
    source: str
    headers: Mapping[str, str]
    parameters: tuple[int, ...]  # bytes of each kernel parameter
    items_per_thread: int
    block: int
    options: tuple[str, ...] = OPTIONS


def render(spec: ElementwiseSpec) -> KernelSource:
    """Return the CUDA C++ of a specification.

    The kernel's parameters: the output pointers; each input as a pointer or, of kind 'scalar', a
    value; the number of elements; and for the strided variant one struct of shape and strides.
    """
    body = Body()
    results = [
        body.value(Cast(dtype, expression))
        for expression, dtype in zip(spec.outputs, spec.output_dtypes, strict=True)
    ]
    for dtype in (*spec.output_dtypes, *(operand.dtype for operand in spec.inputs)):
        body.type_of(dtype)
    symbol = _symbol(spec)
    block = BLOCKS[spec.variant]
    if spec.variant == "strided":
        variant, items = _strided(spec, body)
        dimensions = "Variant::Dimensions dimensions"
    else:
        variant, items = _contiguous(spec, body)
        dimensions = ""
    source = _SOURCE.format(
        includes="".join(f'#include "{header}"\n' for header in sorted(body.headers | {_FAMILY})),
        function=_function(spec, body, results),
        variant=variant,
        block=block,
        symbol=symbol,
        parameters=",\n    ".join(filter(None, (*_parameters(spec), dimensions))),
        arguments=",\n        ".join(_arguments(spec)),
    )
    return KernelSource(symbol, source, cuda_headers(), _sizes(spec), items, block)


_FAMILY = "gpuarray/elementwise.cuh"

_SOURCE = """\
{includes}
namespace gpuarray {{

struct Function {{
{function}
}};

typedef {variant} Variant;

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    Variant::run(
        {arguments});
}}

}}  // namespace gpuarray
"""


def _symbol(spec: ElementwiseSpec) -> str:
    """A C identifier that says in a profiler what runs: ``add__f4_f4__f4``."""
    name = re.sub(r"\W", "_", spec.name, flags=re.ASCII)[:60] or "elementwise"
    inputs = "_".join(operand.dtype for operand in spec.inputs)[:60]
    symbol = f"{name}__{inputs}__{'_'.join(spec.output_dtypes)}"
    if spec.masked:
        symbol += "_where"
    if spec.variant == "strided":
        symbol += f"_strided{spec.ndim}"
    elif spec.variant != "contiguous":
        symbol += f"_{spec.variant}"
    # A name that starts with a digit is no identifier.
    return f"gpuarray_{symbol}" + ("_wide" if spec.index == "int64" else "")


def _contiguous(spec: ElementwiseSpec, body: Body) -> tuple[str, int]:
    """Choose the elements per vector and the vectors per thread."""
    loads = [itemsize(operand.dtype) for operand in spec.inputs if operand.kind == "array"]
    stores = [itemsize(dtype) for dtype in spec.output_dtypes]
    # The widest operand fills a 16-byte access.
    vector = max(1, min(16 // max(loads + stores), _VECTOR_LIMIT[body.weight]))
    moved = vector * sum(loads + stores)
    unroll = max(1, min(-(-_BYTES_PER_THREAD // moved), _ITEMS_LIMIT[body.weight] // vector))
    if body.weight >= HEAVY:
        unroll = 1
    if spec.variant == "unaligned":
        # Accesses of single elements; of bytes, more of them.
        unroll = min(8 if max(loads + stores) == 1 else 4, _ITEMS_LIMIT[body.weight])
        vector = 1
    arguments = f"{spec.index}_t, {BLOCKS[spec.variant]}, {vector}, {unroll}"
    return f"Contiguous<{arguments}>", vector * unroll


def _strided(spec: ElementwiseSpec, body: Body) -> tuple[str, int]:
    items = _STRIDED_LIMIT[body.weight]
    operands = len(_strided_operands(spec))
    arguments = f"{spec.index}_t, {BLOCKS['strided']}, {items}, {spec.ndim}, {operands}"
    return f"Strided<{arguments}>", items


def _strided_operands(spec: ElementwiseSpec) -> dict[tuple[str, int], int]:
    """Row of each operand in the strides: outputs, then the inputs that have memory."""
    names = [("out", i) for i in range(len(spec.output_dtypes))]
    names += [
        ("in", i) for i, operand in enumerate(spec.inputs) if operand.kind in ("array", "broadcast")
    ]
    return {name: row for row, name in enumerate(names)}


def _function(spec: ElementwiseSpec, body: Body, results: list[str]) -> str:
    parameters = [
        f"Stored<{cpp_name(dtype)}>::type& out{i}" for i, dtype in enumerate(spec.output_dtypes)
    ]
    computed = spec.inputs[:-1] if spec.masked else spec.inputs
    parameters += [f"{cpp_name(operand.dtype)} in{i}" for i, operand in enumerate(computed)]
    lines = [*body.lines, *(f"out{i} = {result};" for i, result in enumerate(results))]
    head = f"    GPUARRAY_DEVICE void operator()({', '.join(parameters)}) const {{\n"
    return head + "".join(f"        {line}\n" for line in lines) + "    }"


def _parameters(spec: ElementwiseSpec) -> list[str]:
    result = [
        f"Stored<{cpp_name(dtype)}>::type* out{i}" for i, dtype in enumerate(spec.output_dtypes)
    ]
    for i, operand in enumerate(spec.inputs):
        name = cpp_name(operand.dtype)
        if operand.kind == "scalar":
            result.append(f"{name} in{i}")
        elif operand.kind != "index":
            result.append(f"const Stored<{name}>::type* in{i}")
    return [*result, f"{spec.index}_t size"]


def _arguments(spec: ElementwiseSpec) -> list[str]:
    rows = _strided_operands(spec)
    strided = spec.variant == "strided"

    def slot(role: str, i: int, dtype: str, kind: str) -> str:
        name = cpp_name(dtype)
        if kind == "scalar":
            return f"Single<{name}>(in{i})"
        if kind == "index":
            return f"Variant::Number<{name}>()"
        if kind == "broadcast":
            return f"broadcast<{name}>(in{i})"
        strides = f", dimensions.strides[{rows[role, i]}]" if strided else ""
        return f"Variant::{'Output' if role == 'out' else 'Input'}<{name}>({role}{i}{strides})"

    outputs = [slot("out", i, dtype, "array") for i, dtype in enumerate(spec.output_dtypes)]
    inputs = [slot("in", i, operand.dtype, operand.kind) for i, operand in enumerate(spec.inputs)]
    mask = inputs.pop() if spec.masked else "Unmasked()"
    head = ["Function(), size, dimensions" if strided else "Function(), size", mask]
    return [", ".join(head), *outputs, *inputs]


def _sizes(spec: ElementwiseSpec) -> tuple[int, ...]:
    index = _INDEX_BYTES[spec.index]
    sizes = [8] * len(spec.outputs)
    for operand in spec.inputs:
        if operand.kind != "index":
            sizes.append(itemsize(operand.dtype) if operand.kind == "scalar" else 8)
    sizes.append(index)
    if spec.variant == "strided":
        sizes.append(index * spec.ndim * (1 + len(_strided_operands(spec))))
    return tuple(sizes)
