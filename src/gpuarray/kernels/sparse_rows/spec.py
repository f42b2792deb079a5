"""The family of reductions of rows: specifications to CUDA C++ (`sparse_rows.cuh`)."""

from __future__ import annotations

from dataclasses import dataclass

from gpuarray.kernels.generator.expressions import Apply, Cast, Constant, Expression, Input
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.operations import operation
from gpuarray.kernels.generator.parameters import declared, number, pointer
from gpuarray.kernels.generator.render import Body
from gpuarray.kernels.generator.source import KernelSource, check_choice
from gpuarray.kernels.reduction import tables

BLOCK = 256

#: Threads that share a row: the least that has at least a quarter of the elements of a usual one.
WIDTHS = (1, 2, 4, 8, 16, 32, BLOCK)

#: What becomes of a row's elements: one value, by a ufunc, or how many are not zero; or the place
#: of the greatest or the least.
FOLDS = ("add", "maximum", "minimum", "fmax", "fmin", "count_nonzero")
PLACES = ("argmax", "argmin")


@dataclass(frozen=True, slots=True)
class RowsSpec:
    """A reduction of each row of a compressed matrix."""

    name: str
    dtype: str  # of the elements
    loop: str  # what they are converted to; of places, their own dtype
    explicit: bool  # only elements that are stored count
    width: int
    index: str = "int32"

    def __post_init__(self) -> None:
        check_choice("name", self.name, FOLDS + PLACES)
        check_choice("index", self.index, ("int32", "int64"))
        if self.width not in WIDTHS:
            raise ValueError(f"no {self.width} threads share a row")

    @property
    def result(self) -> str:
        """The code of the result's dtype."""
        return "i8" if self.name in PLACES else self.loop


_SOURCE = """\
{includes}
namespace gpuarray {{

struct Operation {{
    typedef Stored<{dtype}>::type Element;
    typedef {value} Value;
    typedef Stored<{result}>::type Result;
{functions}
}};

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    reduce_rows<{kind}<Operation, {index}_t, {flag}>, {block}, {width}>(
        indptr, indices, data, result, rows, length);
}}

}}  // namespace gpuarray
"""


def render(spec: RowsSpec) -> KernelSource:
    """Return the CUDA C++ of a reduction, with `width` threads for a row."""
    body = Body()
    places = spec.name in PLACES
    name = "add" if spec.name == "count_nonzero" else spec.name
    code = spec.dtype if places else tables.accumulator(spec.loop, name)
    element: Expression = Input(0, spec.dtype)
    if spec.name == "count_nonzero":
        element = Cast("b1", element)
    cast = code if places else spec.loop
    of = Cast(code, Cast(cast, element))
    functions = [_function("Value of(Element element)", of, ["element"])]
    if places:
        zero, best = Constant(0, code), spec.name == "argmax"
        beyond = Apply(operation("greater" if best else "less"), (Input(0, code), zero), "b1")
        is_zero = Apply(operation("equal"), (Input(0, code), zero), "b1")
        functions += [
            _function("bool beats(Value a, Value b)", tables.beats(best, code), ["a", "b"]),
            _function("bool beyond_zero(Value a)", beyond, ["a"]),
            _function("bool is_zero(Value a)", is_zero, ["a"]),
        ]
    else:
        finish = Cast(spec.loop, Input(0, code))
        functions += [
            _function("Value combine(Value a, Value b)", tables.pairwise(name, code), ["a", "b"]),
            _function("Result finish(Value a)", finish, ["a"]),
        ]
    for _, headers in functions:
        body.headers |= headers
    for dtype in (spec.dtype, code, spec.result):
        body.type_of(dtype)
    symbol = f"gpuarray_sparse_{spec.name}__{spec.dtype}_{spec.loop}_{spec.width}"
    symbol += "_explicit" if spec.explicit else ""
    symbol += "_wide" if spec.index == "int64" else ""
    index = f"{spec.index}_t"
    parameters = (
        pointer("indptr", f"const {index}"),
        pointer("indices", f"const {index}"),
        pointer("data", "const Operation::Element"),
        pointer("result", "Operation::Result" if not places else "int64_t"),
        number("rows", index),
        number("length", index),
    )
    source = _SOURCE.format(
        includes="".join(
            f'#include "{header}"\n'
            for header in sorted(body.headers | {"gpuarray/sparse_rows.cuh"})
        ),
        dtype=body.type_of(spec.dtype),
        value=body.type_of(code),
        result=body.type_of(spec.result),
        functions="\n".join([text for text, _ in functions]),
        block=BLOCK,
        symbol=symbol,
        kind="FirstOfRows" if places else "FoldRows",
        flag="true" if spec.explicit == places else "false",
        index=spec.index,
        width=spec.width,
        parameters=declared(parameters),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, 1, BLOCK)


def _function(head: str, value: Expression, arguments: list[str]) -> tuple[str, set[str]]:
    """A member function that returns an expression of its arguments, and the headers it needs."""
    body = Body()
    name = body.value(value)
    dtypes: dict[int, str] = {}
    _inputs(value, dtypes)
    lines = [
        f"const {body.type_of(dtypes[i])} in{i} = {body.type_of(dtypes[i])}({argument});"
        for i, argument in enumerate(arguments)
        if i in dtypes
    ]
    lines += [*body.lines, f"return {name};"]
    inner = "\n".join([f"        {line}" for line in lines])
    return f"    GPUARRAY_DEVICE static {head} {{\n{inner}\n    }}", body.headers


def _inputs(expression: Expression, dtypes: dict[int, str]) -> None:
    """Collect the dtypes of the inputs of an expression."""
    if isinstance(expression, Input):
        dtypes[expression.index] = expression.dtype
    for operand in expression.operands:
        _inputs(operand, dtypes)
