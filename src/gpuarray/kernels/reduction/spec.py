"""The reduction family: from a specification to CUDA C++ (`reduction.cuh`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as replace

from gpuarray._dtypes import cpp_name, itemsize
from gpuarray._integers import ceil_div
from gpuarray.kernels.generator.expressions import Constant, Expression
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.parameters import (
    Field,
    KernelParameter,
    declared,
    pointer,
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
from gpuarray.kernels.reduction import computed, functions
from gpuarray.kernels.reduction.computed import Computed
from gpuarray.kernels.reduction.tables import Packed, Partial, real

BLOCK = 256


STATES = (
    "value", "index", "counted", "moments", "squares", "logsum", "logsum_magnitude", "logsum_sign",
)  # fmt: skip

#: The headers of the variants: of those whose threads share results, and of those that own some.
_HEADERS = {
    "rows": "gpuarray/reduction.cuh",
    "runs": "gpuarray/reduction.cuh",
    "columns": "gpuarray/reduction_columns.cuh",
    "strips": "gpuarray/reduction_strips.cuh",
    "periods": "gpuarray/reduction_strips.cuh",
}

# Bytes, not elements, in flight: enough per thread to cover the latency of memory.
_LOAD_BYTES = 64
_SINGLE_LOADS = {"rows": 4, "runs": 4, "columns": 8}


@dataclass(frozen=True, slots=True)
class ReductionSpec:
    """Everything that the code of a reduction depends on.

    An element becomes ``mapped``; two values become ``combined`` of Input 0 and 1, which must be
    commutative; the result is ``finished``, over Input `VALUE`, Scalar `COUNT` (an i8) and Scalar
    `INITIAL`. Elements that are not ``present`` are passed over.

    ``state`` is what is known of the elements that were met:

    * ``"value"``: their combination.
    * ``"index"``: the winning element's index, which is what is stored. ``combined`` says
      whether Input 0 beats Input 1, and equals go to the first.
    * ``"counted"``: their combination and how many were present: that is `COUNT`.
    * ``"moments"``: their count, mean and squared deviations from it (`moments.cuh`).
      ``neutral`` gives the dtype; `VALUE` is the sum of squares, in the real dtype, and `COUNT` is
      how many were present. ``combined`` has no meaning.
    * ``"squares"``: the sums of integers of 16 bits or less and of their squares, exactly. `VALUE`
      is the f8 sum of squared deviations from the mean. All elements are present; ``combined`` and
      ``neutral`` have no meaning.
    * ``"logsum"``: the logarithm of the sum of their exponentials (`logsumexp.cuh`). A second
      operand has their weights. `VALUE` is the logarithm, NaN of a sum below zero; with
      ``"logsum_magnitude"`` that of the absolute value, with ``"logsum_sign"`` the sum's sign.
      ``combined`` has no meaning, ``neutral`` is minus infinity.

    ``scalars`` are dtypes of values that are passed: for ``mapped`` the Scalars behind the inputs,
    for ``finished`` those behind `INITIAL`.
    """

    name: str
    mapped: Expression
    combined: Expression
    neutral: Constant  # combined with it, a value stays what it is
    finished: Expression
    output_dtype: str
    inputs: tuple[OperandSpec, ...]  # arrays
    masked: bool = False  # the last input, a bool, decides whether an element takes part
    initial: str | None = None  # its dtype, where it is passed
    state: str = "value"
    present: Expression | None = None  # whether an element takes part, a b1 over the inputs
    partial: Partial | None = None  # for what a thread combines, if not as neutral
    packed: Packed | None = None  # for elements of a byte, four at a time, if there is a way
    scalars: tuple[str, ...] = ()
    computed: Computed | None = None  # how elements of the only input are, if it is not stored
    variant: str = "rows"
    width: int = BLOCK  # threads that share a result; runs: a run; columns, strips: side by side
    vector: int = 1  # elements per access
    phases: int = 1  # strips: how many rows until one is aligned as the first
    kept: int = 1  # dimensions, after collapsing
    reduced: int = 1
    split: bool = False  # several blocks share a result
    index: str = "int32"

    def __post_init__(self) -> None:
        check_choice("variant", self.variant, _HEADERS)
        check_choice("state", self.state, STATES)
        if self.partial and self.state != "value":
            raise ValueError("only the values of threads are narrower than those of results")
        check_choice("index", self.index, INDEX_BYTES)
        if self.masked and (not self.inputs or self.inputs[-1].dtype != "b1"):
            raise ValueError("the mask of a masked reduction is its last input and has dtype b1")
        if self.width & (self.width - 1) or not 1 <= self.width <= BLOCK:
            raise ValueError(f"width {self.width} is no power of two up to {BLOCK}")
        if self.vector > 1 and len(self.inputs) != 1:
            raise ValueError("a reduction of several operands reads single elements")
        if self.computed is not None and len(self.inputs) != 1:
            raise ValueError("what is computed is the only operand")
        if self.variant in ("rows", "runs"):
            if 32 < self.width < BLOCK:
                raise ValueError(f"{self.width} threads are neither part of a warp nor the block")
        if self.variant == "rows":
            if self.split and self.width != BLOCK:
                raise ValueError("only whole blocks share a result")
            if self.vector > 1 and self.reduced != 1:
                raise ValueError("rows of vectors have one reduced dimension")
        if self.variant == "runs" and (self.vector == 1 or self.reduced == 1):
            raise ValueError("runs are read in vectors, and there are other reduced dimensions")
        if self.variant in ("strips", "periods") and (self.vector == 1 or self.reduced != 1):
            raise ValueError(f"{self.variant} are read in vectors, along one reduced dimension")
        if BLOCK // self.width % self.phases:
            raise ValueError(
                f"{self.phases} kinds of rows and {BLOCK // self.width} rows at a time"
            )

    @property
    def finds_index(self) -> bool:
        """Whether the index of an element is the result."""
        return self.state == "index"

    @property
    def reads_words(self) -> bool:
        """Whether elements of a byte are taken four at a time, as neighbours of one result."""
        along = self.variant in ("rows", "runs")
        return self.packed is not None and along and self.vector % 4 == 0

    @property
    def columns_of_words(self) -> str:
        """The C++ type that combines the words of four neighbouring results, '' if none does."""
        if self.packed is None or self.variant in ("rows", "runs") or self.vector % 4:
            return ""
        return self.packed.firsts if self.finds_index else self.packed.columns

    @property
    def value_bytes(self) -> int:
        """Bytes of a partial result in scratch memory."""
        value, index = itemsize(self.neutral.dtype), INDEX_BYTES[self.index]
        # Complex numbers are aligned as their parts, and a struct as its widest member.
        part = itemsize(real(self.neutral.dtype))
        if self.state == "value":
            return value
        if self.state == "squares":
            return 16
        if self.state.startswith("logsum"):
            return 3 * value
        members = [value, value, part] if self.state == "moments" else [value]
        end = ceil_div(sum(members), index) * index + index
        align = max(part, index)
        return ceil_div(end, align) * align


def unroll(spec: ReductionSpec) -> int:
    """Return the accesses that a thread has in flight."""
    if spec.vector == 1:
        return _SINGLE_LOADS[spec.variant]
    in_flight = spec.vector * itemsize(spec.inputs[0].dtype)
    if spec.columns_of_words:
        return min(8, _LOAD_BYTES // in_flight)
    items = 32 * (4 if spec.reads_words else 1)
    most = 8 if spec.variant in ("strips", "periods") else 4
    return max(1, min(most, _LOAD_BYTES // in_flight, items // spec.vector))


def render(spec: ReductionSpec) -> KernelSource:
    """Return the CUDA C++ of a specification."""
    body = Body()
    dtypes = [x.dtype for x in spec.inputs]
    for dtype in (spec.output_dtype, spec.neutral.dtype, *dtypes, *spec.scalars):
        body.type_of(dtype)
    function = functions.function_of(spec, body.headers)
    return assemble(
        spec,
        body.headers,
        function.text(),
        function.members(),
        items=function.items(),
        last=function.places(),
    )


def assemble(
    spec: ReductionSpec,
    headers: set[str],
    function: str,
    members: Sequence[KernelParameter],
    before: str = "",
    options: tuple[str, ...] = OPTIONS,
    more: Sequence[str] = (),
    items: str = "",
    last: Sequence[KernelParameter] = (),
) -> KernelSource:
    """Return the CUDA C++ that reduces with a function object.

    Parameters
    ----------
    spec : ReductionSpec
        The operands and the variant.
    headers : set of str
        Include names of what the function needs.
    function : str
        The function object's members.
    members : sequence of KernelParameter
        Its data members, which are the kernel's parameters behind the output.
    before : str
        Source at global scope, in front of everything but includes.
    options : tuple of str
        For the compiler.
    more : sequence of str
        What further data members are initialised with: expressions of ``dimensions``.
    items : str
        Source in front of the function object, in the package's namespace.
    last : sequence of KernelParameter
        Its last data members, which are constant.
    """
    dimensions = (
        f"ReductionDimensions<{spec.index}_t, {spec.kept}, {spec.reduced}, {len(spec.inputs)}>"
    )
    family = _HEADERS[spec.variant]
    parameters = [pointer("output", f"Stored<{cpp_name(spec.output_dtype)}>::type"), *members]
    if spec.split:
        # Values of blocks that share results, and a zero counter for each block of results.
        parameters += [pointer("partials", "Function::Value"), pointer("counters", "uint32_t")]
    parameters += [structure("dimensions", "Extents", _fields(spec)), *last]
    shared = "partials, counters" if spec.split else "nullptr, nullptr"
    given = [x.name for x in members]
    if spec.computed is not None:
        found = computed.given(spec.computed)
        given[: len(found)] = found
    values = ", ".join([*given, *more, *[x.name for x in last]])
    symbol = _symbol(spec)
    source = _SOURCE.format(
        includes="".join(f'#include "{header}"\n' for header in sorted(headers | {family})),
        before=before,
        items=items,
        function=function,
        dimensions=dimensions,
        variant=_variant(spec),
        block=BLOCK,
        symbol=symbol,
        parameters=declared(parameters),
        arguments=f"Function{{{values}}}, output, dimensions, {shared}",
    )
    return KernelSource(symbol, source, cuda_headers(), tuple(parameters), 1, BLOCK, options)


def _fields(spec: ReductionSpec) -> list[Field]:
    """The members of the struct ReductionDimensions."""
    operands = len(spec.inputs)
    counts = {
        "results": None,
        "length": None,
        "splits": None,
        "split_length": None,
        "output_base": None,
        "bases": operands,
        "kept": spec.kept,
        "reduced": spec.reduced,
        "output_strides": spec.kept,
        "index_strides": spec.reduced,
        "kept_strides": operands * spec.kept,
        "reduced_strides": operands * spec.reduced,
    }
    return [Field(name, f"{spec.index}_t", count) for name, count in counts.items()]


_SOURCE = """\
{includes}
{before}namespace gpuarray {{

{items}struct Function {{
{function}
}};

typedef {dimensions} Extents;
typedef {variant} Variant;

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    Variant::run({arguments});
}}

}}  // namespace gpuarray
"""


def _variant(spec: ReductionSpec) -> str:
    """The variant's C++ type."""
    arguments: list[object] = ["Extents", BLOCK]
    if spec.variant != "periods":
        arguments.append(spec.width)
    arguments += [spec.vector, unroll(spec), "true" if spec.split else "false"]
    if spec.variant == "strips":
        arguments.append(spec.phases)
    if spec.variant not in ("rows", "runs"):
        words = spec.columns_of_words
        state = f"Function, {spec.index}_t, {spec.vector}"
        arguments.append(f"Words<{state}, {words}>" if words else f"Separate<{state}>")
    return f"{spec.variant.capitalize()}<{', '.join(map(str, arguments))}>"


def _symbol(spec: ReductionSpec) -> str:
    """A C identifier that says in a profiler what runs: ``sum__f4__f4_rows``."""
    name = re.sub(r"\W", "_", spec.name, flags=re.ASCII)[:60] or "reduction"
    inputs = "_".join(operand.dtype for operand in spec.inputs)
    symbol = f"gpuarray_{name}__{inputs}__{spec.output_dtype}_{spec.variant}{spec.width}"
    return (
        symbol
        + ("_computed" if spec.computed else "")
        + ("_where" if spec.masked else "")
        + ("_narrow" if spec.partial else "")
        + ("_split" if spec.split else "")
        + ("_wide" if spec.index == "int64" else "")
    )
