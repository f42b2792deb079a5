"""The element-wise family: from a specification to CUDA C++ (`elementwise*.cuh`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gpuarray._dtypes import cpp_name, itemsize
from gpuarray._integers import ceil_div
from gpuarray.kernels.generator.expressions import Cast, Expression
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.operations import HEAVY, HUGE, LIGHT, MEDIUM
from gpuarray.kernels.generator.parameters import (
    Field,
    KernelParameter,
    declared,
    names,
    number,
    pointer,
    scalar,
    structure,
)
from gpuarray.kernels.generator.render import Body
from gpuarray.kernels.generator.source import (
    INDEX_BYTES,
    OPTIONS,
    KernelSource,
    OperandSpec,
    check_choice,
)

#: Threads per block, by variant.
BLOCKS = {"contiguous": 256, "rows": 256, "picked": 256, "tiled": 256, "strided": 128}

_VARIANTS = tuple(BLOCKS)
_LEAST_DIMENSIONS = {"contiguous": 1, "rows": 2, "picked": 1, "tiled": 2, "strided": 1}

# Bytes that a thread moves at least. Measured on an H200: 32 (a load and a store of 16) reach the
# rate of a device copy or more, and twice as many gain nothing and compile slower.
_BYTES_PER_THREAD = 32

# Heavy functions hide the latency of memory by a second vector, if both fit into registers.
# Measured on an H200 with half as many threads in a block: log and sin of float64 138 and 132
# microseconds of 149 and 140, softplus of 1e8 float32 210 of 217, erf and gelu 133 and 131 of 137
# and 135.
_HEAVY_BYTES_PER_THREAD = 64

# A kernel whose function calls another one for rare arguments gets as many registers as both need,
# unless the compiler is told to leave room for all threads of a multiprocessor: on an H200 gammaln
# of 1e8 float32 takes 191 microseconds then instead of 202. Wider elements than this need more
# registers themselves.
_LEAN_SIZE = 4

# Elements per thread by weight: the most in one vector, the most altogether.
_VECTOR_LIMIT = {LIGHT: 16, MEDIUM: 8, HEAVY: 4, HUGE: 1}
_ITEMS_LIMIT = {LIGHT: 16, MEDIUM: 8, HEAVY: 4, HUGE: 1}
_STRIDED_LIMIT = {LIGHT: 4, MEDIUM: 4, HEAVY: 2, HUGE: 1}

# An H200 starts about 1.5e9 blocks a second. So a block of strided elements has at least so many,
# by the bytes of the widest: narrow ones come by faster than small blocks could be started.
_STRIDED_TILE = {1: 2048, 2: 2048, 4: 512}
_LARGEST_BLOCK = 512

# Accesses of a thread along the last dimension at a time.
_TILED_UNROLL = 1


@dataclass(frozen=True, slots=True)
class ElementwiseSpec:
    """Everything that the code of an element-wise kernel depends on."""

    name: str
    outputs: tuple[Expression, ...]
    output_dtypes: tuple[str, ...]
    inputs: tuple[OperandSpec, ...]
    masked: bool = False  # the last input, a bool, decides whether an element is stored
    variant: str = "contiguous"  # see `elementwise.variants`
    ndim: int = 1  # after collapsing; of variants other than 'contiguous'
    index: str = "int32"
    vector: int = 16  # at most so many elements in one access; a power of two
    tile: tuple[int, int] = (0, 0)  # elements along the last dimension and the one before
    grouping: str = "ALIGNED_ROWS"  # of the elements of a tile (elementwise_tiled.cuh)
    edge: int = 1  # of the squares in which transposed inputs are read
    shifted: bool = False  # whether transposed inputs have columns that are not aligned
    chunk: int = 0  # elements of a thread of a picked kernel
    period: int = 1  # elements of a row that `steps` describes
    steps: tuple[tuple[int, int], ...] = ()  # of operands with memory (elementwise_picked.cuh)

    def __post_init__(self) -> None:
        check_choice("variant", self.variant, _VARIANTS)
        check_choice("index", self.index, INDEX_BYTES)
        if not self.outputs or len(self.outputs) != len(self.output_dtypes):
            raise ValueError("an element-wise kernel needs one dtype for each of its outputs")
        if self.masked and (not self.inputs or self.inputs[-1].dtype != "b1"):
            raise ValueError("the mask of a masked kernel is its last input and has dtype b1")
        if self.variant != "contiguous" and any(x.kind == "index" for x in self.inputs):
            raise ValueError("only the contiguous variant knows the number of an element")
        if self.ndim < _LEAST_DIMENSIONS[self.variant]:
            raise ValueError(
                f"a {self.variant} kernel has at least {_LEAST_DIMENSIONS[self.variant]} "
                f"dimension(s), got {self.ndim}"
            )
        if self.variant == "picked" and (self.masked or len(self.steps) != self.arrays):
            raise ValueError("a picked kernel has no mask, and steps for each operand with memory")
        if self.variant not in ("rows", "strided"):
            if any(x.kind == "coordinates" for x in self.inputs):
                raise ValueError("only the variants 'rows' and 'strided' know coordinates")
        for kind, variant in (("repeated", "rows"), ("transposed", "tiled")):
            if self.variant != variant and any(x.kind == kind for x in self.inputs):
                raise ValueError(f"only the variant {variant!r} has {kind} operands")

    @property
    def arrays(self) -> int:
        """Operands with strides: those with memory, and coordinates."""
        return len(self.outputs) + sum(x.kind not in ("scalar", "index") for x in self.inputs)


def is_light(expressions: Sequence[Expression]) -> bool:
    """Whether the function is a few instructions."""
    body = Body()
    for expression in expressions:
        body.value(expression)
    return body.weight == LIGHT


def render(spec: ElementwiseSpec) -> KernelSource:
    """Return the CUDA C++ of a specification."""
    body = Body()
    results = [
        body.value(Cast(dtype, expression))
        for expression, dtype in zip(spec.outputs, spec.output_dtypes, strict=True)
    ]
    for dtype in (*spec.output_dtypes, *(operand.dtype for operand in spec.inputs)):
        body.type_of(dtype)
    return assemble(spec, body, _function(spec, body, results))


def assemble(
    spec: ElementwiseSpec,
    body: Body,
    function: str,
    extras: Sequence[KernelParameter] = (),
    before: str = "",
    options: tuple[str, ...] = OPTIONS,
) -> KernelSource:
    """Return the CUDA C++ that applies a function object.

    Parameters
    ----------
    spec : ElementwiseSpec
        The operands; what it says of outputs but their dtypes is not looked at.
    body : Body
        Knows the headers and the weight of the function.
    function : str
        The members of the function object.
    extras : sequence of KernelParameter
        The function object's data members. They are passed as kernel parameters behind inputs.
    before : str
        Source at global scope, in front of everything but includes.
    options : tuple of str
        For the compiler.
    """
    symbol = _symbol(spec)
    choose = {"picked": _picked, "tiled": _tiled, "strided": _strided}.get(spec.variant, _rows)
    variant, block, vector, items = choose(spec, body)
    family = "rows" if spec.variant == "contiguous" else spec.variant
    headers = body.headers | {f"gpuarray/elementwise_{family}.cuh"}
    if any(x.kind == "coordinates" for x in spec.inputs):
        headers.add("gpuarray/elementwise_coordinates.cuh")
    parameters = (*_operands(spec), *extras, *_numbers(spec))
    instance = f"Function{{{names(extras)}}}" if extras else "Function()"
    source = _SOURCE.format(
        includes="".join(f'#include "{header}"\n' for header in sorted(headers)),
        before=before,
        function=function,
        variant=variant,
        bounds=_bounds(spec, body, block),
        symbol=symbol,
        parameters=declared(parameters),
        arguments=",\n        ".join(_arguments(spec, instance)),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, items, block, options, vector)


_SOURCE = """\
{includes}
{before}namespace gpuarray {{

struct Function {{
{function}
}};

typedef {variant} Variant;

extern "C" __global__ void __launch_bounds__({bounds}) {symbol}(
    {parameters}) {{
    Variant::run(
        {arguments});
}}

}}  // namespace gpuarray
"""


def _bounds(spec: ElementwiseSpec, body: Body, block: int) -> str:
    """The arguments of ``__launch_bounds__``."""
    crowded = body.lean and body.weight == HEAVY and block < BLOCKS["contiguous"]
    if crowded and max(_accessed(spec)) <= _LEAN_SIZE:
        return f"{block}, MULTIPROCESSOR_THREADS / {block}"
    return str(block)


def _symbol(spec: ElementwiseSpec) -> str:
    """A C identifier that says in a profiler what runs: ``add__f4_f4__f4``."""
    name = re.sub(r"\W", "_", spec.name, flags=re.ASCII)[:60] or "elementwise"
    inputs = "_".join(operand.dtype for operand in spec.inputs)[:60]
    symbol = f"{name}__{inputs}__{'_'.join(spec.output_dtypes)}"
    if spec.masked:
        symbol += "_where"
    if spec.variant != "contiguous":
        symbol += f"_{spec.variant}{spec.ndim}"
    # A name that starts with a digit is no identifier.
    return f"gpuarray_{symbol}" + ("_wide" if spec.index == "int64" else "")


def _accessed(spec: ElementwiseSpec) -> list[int]:
    """Bytes of an element of each operand that is accessed for every element."""
    kinds = ("array", "transposed")
    loads = [itemsize(operand.dtype) for operand in spec.inputs if operand.kind in kinds]
    return loads + [itemsize(dtype) for dtype in spec.output_dtypes]


def _rows(spec: ElementwiseSpec, body: Body) -> tuple[str, int, int, int]:
    """Choose the elements per vector and the vectors per thread.

    Returns
    -------
    variant, block, vector, items
        The C++ type; threads of a block; elements of an access, and of a thread.
    """
    accessed = _accessed(spec)
    # The widest operand fills a 16-byte access.
    vector = max(1, min(16 // max(accessed), _VECTOR_LIMIT[body.weight], spec.vector))
    moved = vector * sum(accessed)
    unroll = max(1, min(ceil_div(_BYTES_PER_THREAD, moved), _ITEMS_LIMIT[body.weight] // vector))
    block = BLOCKS[spec.variant]
    if body.weight >= HEAVY:
        unroll = 1
    if body.weight == HEAVY and 2 * moved <= _HEAVY_BYTES_PER_THREAD:
        unroll, block = 2, block // 2
    numbers: list[object] = [block, vector, unroll, spec.ndim, len(_strided_operands(spec))]
    if body.weight == HEAVY or (body.weight == MEDIUM and body.long > 1):
        numbers.append("true")
    return _variant("Rows", spec, numbers), block, vector, vector * unroll


def _picked(spec: ElementwiseSpec, body: Body) -> tuple[str, int, int, int]:
    block = BLOCKS["picked"]
    numbers = [block, spec.chunk, spec.period, spec.ndim, spec.arrays]
    return _variant("Picked", spec, numbers), block, spec.chunk, spec.chunk


def _tiled(spec: ElementwiseSpec, body: Body) -> tuple[str, int, int, int]:
    block = BLOCKS["tiled"]
    width, height = spec.tile
    limit = _ITEMS_LIMIT[body.weight]
    vector = min(spec.vector, limit)
    unroll = max(1, min(_TILED_UNROLL, limit // vector, width * height // (block * vector)))
    shifted = "true" if spec.shifted and spec.edge > 1 else "false"
    grouping = spec.grouping if vector > 1 else "ALIGNED_ROWS"
    operands = len(_strided_operands(spec))
    arguments = [
        block,
        spec.edge,
        shifted,
        vector,
        unroll,
        width,
        height,
        grouping,
        spec.ndim,
        operands,
    ]
    return _variant("Tiled", spec, arguments), block, vector, vector * unroll


def _strided(spec: ElementwiseSpec, body: Body) -> tuple[str, int, int, int]:
    items = _STRIDED_LIMIT[body.weight]
    block = BLOCKS["strided"]
    least = _STRIDED_TILE.get(max(_accessed(spec)), 0) if body.weight < HUGE else 0
    while block * items < least and block < _LARGEST_BLOCK:
        block *= 2
    numbers = [block, items, spec.ndim, len(_strided_operands(spec))]
    return _variant("Strided", spec, numbers), block, 1, items


def _variant(name: str, spec: ElementwiseSpec, numbers: Sequence[object]) -> str:
    return f"{name}<{spec.index}_t, {', '.join(map(str, numbers))}>"


def _strided_operands(spec: ElementwiseSpec) -> dict[tuple[str, int], int]:
    """Row of each operand in the strides: outputs, then the inputs that have any."""
    names = [("out", i) for i in range(len(spec.output_dtypes))]
    names += [
        ("in", i)
        for i, operand in enumerate(spec.inputs)
        if operand.kind not in ("scalar", "index")
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


def _operands(spec: ElementwiseSpec) -> list[KernelParameter]:
    """The outputs, and each input that is memory or a value."""
    result = [
        pointer(f"out{i}", f"Stored<{cpp_name(dtype)}>::type")
        for i, dtype in enumerate(spec.output_dtypes)
    ]
    for i, operand in enumerate(spec.inputs):
        if operand.kind == "scalar":
            result.append(scalar(f"in{i}", operand.dtype))
        elif operand.kind not in ("index", "coordinates"):
            result.append(pointer(f"in{i}", f"const Stored<{cpp_name(operand.dtype)}>::type"))
    return result


def _numbers(spec: ElementwiseSpec) -> list[KernelParameter]:
    """The number of elements (of vectors, for rows), and the struct Dimensions."""
    index = f"{spec.index}_t"
    size = number("size", index)
    if spec.variant == "contiguous":
        return [size]
    fields = [
        Field(name, index, spec.ndim) for name in ("shape", "counts", "multipliers", "shifts")
    ]
    fields.append(Field("strides", index, len(_strided_operands(spec)) * spec.ndim))
    return [size, structure("dimensions", "Variant::Dimensions", fields)]


def _arguments(spec: ElementwiseSpec, function: str) -> list[str]:
    rows = _strided_operands(spec)
    strided = spec.variant != "contiguous"

    def slot(role: str, i: int, dtype: str, kind: str) -> str:
        name = cpp_name(dtype)
        if kind == "scalar":
            return f"Single<{name}>(in{i})"
        if kind == "index":
            return f"Variant::Number<{name}>()"
        if kind == "broadcast":
            return f"broadcast<{name}>(in{i})"
        strides = f", dimensions.strides[{rows[role, i]}]" if strided else ""
        if kind == "coordinates":
            return f"Coordinates<Variant, {name}>({strides[2:]})"
        if kind == "transposed":
            return f"Variant::Transposed<{name}, {i}>({role}{i}{strides})"
        family = "Output" if role == "out" else "Repeated" if kind == "repeated" else "Input"
        types = name
        if spec.variant == "picked" and role == "in":
            across, along = spec.steps[rows[role, i]]
            types = f"{name}, {across}, {along}"
        return f"Variant::{family}<{types}>({role}{i}{strides})"

    outputs = [slot("out", i, dtype, "array") for i, dtype in enumerate(spec.output_dtypes)]
    inputs = [slot("in", i, operand.dtype, operand.kind) for i, operand in enumerate(spec.inputs)]
    mask = inputs.pop() if spec.masked else "Unmasked()"
    head = [f"{function}, size, dimensions" if strided else f"{function}, size", mask]
    return [", ".join(head), *outputs, *inputs]
