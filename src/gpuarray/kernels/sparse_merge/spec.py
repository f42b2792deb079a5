"""The family of merges of sparse matrices: specifications to CUDA C++ (`sparse_merge.cuh`)."""

from __future__ import annotations

from dataclasses import dataclass

from gpuarray.kernels.generator.expressions import Apply, Cast, Expression, Input
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.operations import operation
from gpuarray.kernels.generator.parameters import (
    KernelParameter,
    declared,
    number,
    pointer,
)
from gpuarray.kernels.generator.render import Body
from gpuarray.kernels.generator.source import KernelSource, check_choice

BLOCK, ITEMS = 256, 8

#: Places on the merge path that a block looks at.
TILE = BLOCK * ITEMS

#: Threads of a block that makes row pointers.
ROWS_BLOCK = 256

#: What there is: arithmetic, in the operands' common dtype; and comparisons, whose result is bool.
ARITHMETIC = ("add", "subtract", "multiply", "maximum", "minimum")
COMPARISONS = ("not_equal", "less", "greater", "less_equal", "greater_equal")

#: The other operand's element where it has one; nothing is dropped. What an assignment does.
REPLACE = "replace"

#: The same of bools, where NumPy has none: SciPy's difference is the exclusive or.
_OF_BOOLS = {"subtract": "not_equal", "multiply": "logical_and"}


@dataclass(frozen=True, slots=True)
class MergeSpec:
    """An operation of all elements that one of two compressed matrices has."""

    operation: str
    first: str
    second: str
    loop: str  # what both are converted to
    index: str = "int32"

    def __post_init__(self) -> None:
        check_choice("operation", self.operation, (*ARITHMETIC, *COMPARISONS, REPLACE))
        check_choice("index", self.index, ("int32", "int64"))

    @property
    def result(self) -> str:
        """The code of the result's dtype."""
        return "b1" if self.operation in COMPARISONS else self.loop


@dataclass(frozen=True, slots=True)
class RowsSpec:
    """The row pointers of what a merge kept."""

    index: str = "int32"


def expression(spec: MergeSpec) -> Expression:
    """Return an element of the result, as a function of those of both operands."""
    first, second = (Cast(spec.loop, Input(i, x)) for i, x in enumerate(_codes(spec)))
    name = spec.operation
    if spec.loop == "b1":
        name = _OF_BOOLS.get(name, name)
    return Apply(operation(name), (first, second), "b1" if name in _TRUTHS else spec.result)


def _codes(spec: MergeSpec) -> tuple[str, str]:
    return spec.first, spec.second


_TRUTHS = (*COMPARISONS, "logical_and")

_MERGE = """\
{includes}
namespace gpuarray {{

struct Operation {{
    typedef Stored<{first}>::type First;
    typedef Stored<{second}>::type Second;
    typedef Stored<{result}>::type Result;
    GPUARRAY_DEVICE static bool apply(int kind, First first, Second second, Result& result) {{
        const {first} in0 = {first}(first);
        const {second} in1 = {second}(second);
{lines}
{stored}
    }}
}};

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    const MergePath<{index}_t> path = {{{{a_indptr, a_indices}}, {{b_indptr, b_indices}}, rows}};
    merge_tile<Operation, {index}_t, {block}, {items}>(
        path, a_data, b_data, indices, data, bits, ranks, lookback);
}}

}}  // namespace gpuarray
"""


def render(spec: MergeSpec) -> KernelSource:
    """Return the CUDA C++ of the first launch, a block for each tile of the merge path."""
    body = Body()
    first, second, result = (body.type_of(x) for x in (spec.first, spec.second, spec.result))
    if spec.operation == REPLACE:
        a, b = (body.value(Cast(spec.loop, Input(i, x))) for i, x in enumerate(_codes(spec)))
        stored = [f"result = Result(kind == PLACE_FIRST ? {a} : {b});", "return true;"]
    else:
        value = expression(spec)
        stored = [f"result = Result({body.value(value)});"]
        stored.append(f"return {body.value(Cast('b1', value))};")
    symbol = f"gpuarray_sparse_{spec.operation}__{spec.first}_{spec.second}_{spec.loop}"
    symbol += "_wide" if spec.index == "int64" else ""
    headers = sorted(body.headers | {"gpuarray/sparse_merge.cuh"})
    parameters = (
        *_structure(spec.index),
        pointer("a_data", "const Operation::First"),
        pointer("b_data", "const Operation::Second"),
        pointer("indices", f"{spec.index}_t"),
        pointer("data", "Operation::Result"),
        pointer("bits", "uint32_t"),
        pointer("ranks", f"{spec.index}_t"),
        pointer("lookback", "uint64_t"),
        number("rows", f"{spec.index}_t"),
    )
    source = _MERGE.format(
        includes="".join(f'#include "{header}"\n' for header in headers),
        first=first,
        second=second,
        result=result,
        lines="\n".join(f"        {line}" for line in body.lines),
        stored="\n".join(f"        {line}" for line in stored),
        block=BLOCK,
        items=ITEMS,
        index=spec.index,
        symbol=symbol,
        parameters=declared(parameters),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, ITEMS, BLOCK)


_ROWS = """\
#include "gpuarray/sparse_merge.cuh"

namespace gpuarray {{

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    const MergePath<{index}_t> path = {{{{a_indptr, nullptr}}, {{b_indptr, nullptr}}, rows}};
    merged_rows<{index}_t>(path, bits, ranks, indptr, places);
}}

}}  // namespace gpuarray
"""


def render_rows(spec: RowsSpec) -> KernelSource:
    """Return the CUDA C++ of the second launch, a thread for each element of the row pointers."""
    symbol = "gpuarray_sparse_merged_rows" + ("_wide" if spec.index == "int64" else "")
    index = f"{spec.index}_t"
    parameters = (
        pointer("a_indptr", f"const {index}"),
        pointer("b_indptr", f"const {index}"),
        pointer("bits", "const uint32_t"),
        pointer("ranks", f"const {index}"),
        pointer("indptr", index),
        number("rows", index),
        number("places", index),
    )
    source = _ROWS.format(
        block=ROWS_BLOCK, symbol=symbol, index=spec.index, parameters=declared(parameters)
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, 1, ROWS_BLOCK)


def _structure(index: str) -> tuple[KernelParameter, ...]:
    """The row pointers and the columns of both operands."""
    names = ("a_indptr", "a_indices", "b_indptr", "b_indices")
    return tuple([pointer(name, f"const {index}_t") for name in names])
