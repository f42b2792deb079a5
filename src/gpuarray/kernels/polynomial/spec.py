"""The polynomial family: from a specification to CUDA C++ (`series.cuh`, `series_values.cuh`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gpuarray._dtypes import category, cpp_name
from gpuarray.kernels.generator.headers import cuda_headers
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
from gpuarray.kernels.generator.source import INDEX_BYTES, KernelSource, check_choice

#: The bases of series: their names, and the struct in `recurrences.cuh` that describes each.
BASES = {
    "power": "PowerBasis",
    "chebyshev": "ChebyshevBasis",
    "legendre": "LegendreBasis",
    "hermite": "HermiteBasis",
    "hermite_e": "HermiteEBasis",
    "laguerre": "LaguerreBasis",
}

BLOCK = 256


def _basis(name: str, dtype: str) -> str:
    real = _real(dtype)
    return f"Roots<{real}>" if name == "roots" else f"{BASES[name]}<{real}>"


def _real(dtype: str) -> str:
    """The type of real factors of numbers of a dtype."""
    return {"c8": "float", "c16": "double"}.get(dtype) or cpp_name(dtype)


@dataclass(frozen=True, slots=True)
class ValuesSpec:
    """Values of series in one to three variables at points."""

    basis: str  # or 'roots': the coefficients are the roots of a polynomial
    number: str  # the dtype that is computed in
    result: str
    coefficients: str
    points: tuple[str, ...]  # dtype codes of the variables' points
    ndim: int  # after collapsing
    shared: bool  # all results have the same coefficients
    index: str = "int32"

    def __post_init__(self) -> None:
        check_choice("basis", self.basis, [*BASES, "roots"])
        check_choice("index", self.index, INDEX_BYTES)


_VALUES = """\
#include "gpuarray/series_values.cuh"

namespace gpuarray {{

typedef SeriesValues<{basis}, {real}, {number}, {index}_t,
                     {variables}, {ndim}, {shared}, {block}, {items}> Kernel;

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    Kernel::run(size, dimensions, results, coefficients, {points});
}}

}}  // namespace gpuarray
"""


def render_values(spec: ValuesSpec) -> KernelSource:
    """Return the CUDA C++ that evaluates series."""
    variables, index = len(spec.points), f"{spec.index}_t"
    items = 4 if spec.shared and variables == 1 else 2
    points = [pointer(f"points{i}", f"const {_stored(code)}") for i, code in enumerate(spec.points)]
    fields = [
        Field("shape", index, spec.ndim),
        Field("strides", index, (1 + variables) * spec.ndim),
        Field("lengths", index, variables),
        Field("steps", index, variables),
    ]
    parameters = (
        pointer("results", _stored(spec.result)),
        pointer("coefficients", f"const {_stored(spec.coefficients)}"),
        *points,
        number("size", index),
        structure("dimensions", "Kernel::Dimensions", fields),
    )
    symbol = f"gpuarray_series_values__{spec.basis}__{spec.number}_{spec.result}"
    symbol += f"_{spec.coefficients}_{'_'.join(spec.points)}__{spec.ndim}d"
    symbol += "_shared" if spec.shared else ""
    symbol += "_wide" if spec.index == "int64" else ""
    source = _VALUES.format(
        basis=_basis(spec.basis, spec.number),
        real=_real(spec.number),
        number=cpp_name(spec.number),
        index=spec.index,
        variables=variables,
        ndim=spec.ndim,
        shared="true" if spec.shared else "false",
        block=BLOCK,
        items=items,
        symbol=symbol,
        parameters=declared(parameters),
        points=names(points),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, items, BLOCK)


def _stored(code: str) -> str:
    """What an element looks like in memory."""
    return "uint8_t" if category(code) == "bool" else cpp_name(code)


@dataclass(frozen=True, slots=True)
class SeriesSpec:
    """An operation on series of one dtype: a row of `OPERATIONS`."""

    operation: str
    basis: str
    dtype: str
    outer: str = ""  # the basis of the series that is applied, of `compose`
    line: bool = False  # `compose` with a scale and an offset
    points: str = ""  # the dtype of the points, of `basis_values`

    def __post_init__(self) -> None:
        check_choice("operation", self.operation, OPERATIONS)
        check_choice("basis", self.basis, BASES)


def _inputs(spec: SeriesSpec, *names: str) -> list[KernelParameter]:
    return [pointer(name, f"const {cpp_name(spec.dtype)}") for name in names]


def _outputs(spec: SeriesSpec, *names: str) -> list[KernelParameter]:
    return [pointer(name, cpp_name(spec.dtype)) for name in names]


def _numbers(*names: str) -> list[KernelParameter]:
    return [number(name, "int64_t") for name in names]


def _scalars(spec: SeriesSpec, *names: str) -> list[KernelParameter]:
    return [scalar(name, spec.dtype) for name in names]


#: By operation: the parameters of its kernel.
OPERATIONS: dict[str, Callable[[SeriesSpec], Sequence[KernelParameter]]] = {
    "basis_values": lambda spec: [
        *_outputs(spec, "result"),
        pointer("points", f"const {_stored(spec.points)}"),
        number("size", "uint64_t"),
        *_numbers("degree"),
    ],
    "multiply_by_x": lambda spec: [
        *_inputs(spec, "series"),
        *_outputs(spec, "result"),
        *_numbers("length"),
    ],
    "compose": lambda spec: [
        *_inputs(spec, "c", "series"),
        *_outputs(spec, "result", "spare"),
        *_scalars(spec, "offset", "scale"),
        *_numbers("count", "length"),
    ],
    "from_roots": lambda spec: [
        *_inputs(spec, "roots"),
        *_outputs(spec, "result", "spare"),
        *_numbers("count"),
    ],
    "divide_series": lambda spec: [
        *_inputs(spec, "dividend", "divisor"),
        *_outputs(spec, "quotients", "rest", "products"),
        *_numbers("count", "length"),
    ],
    "differentiate": lambda spec: [
        *_inputs(spec, "series"),
        *_outputs(spec, "result"),
        *_numbers("length", "columns"),
    ],
    "integrate": lambda spec: [
        *_inputs(spec, "series"),
        *_outputs(spec, "result"),
        *_scalars(spec, "bound", "constant"),
        *_numbers("length", "columns"),
    ],
}

_SERIES = """\
#include "gpuarray/series.cuh"

namespace gpuarray {{

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    {operation}<{arguments}>({names});
}}

}}  // namespace gpuarray
"""


def render_series(spec: SeriesSpec) -> KernelSource:
    """Return the CUDA C++ of an operation on series."""
    parameters = tuple(OPERATIONS[spec.operation](spec))
    arguments = [_basis(spec.basis, spec.dtype), _real(spec.dtype)]
    symbol = f"gpuarray_{spec.operation}__{spec.basis}__{spec.dtype}"
    if spec.operation == "compose":
        arguments = [_basis(spec.outer, spec.dtype), *arguments, "true" if spec.line else "false"]
        symbol += f"__{spec.outer}{'_line' if spec.line else ''}"
    elif spec.operation == "basis_values":
        arguments.append(cpp_name(spec.dtype))
        symbol += f"_{spec.points}"
    source = _SERIES.format(
        block=BLOCK,
        symbol=symbol,
        parameters=declared(parameters),
        operation=spec.operation,
        arguments=", ".join(arguments),
        names=names(parameters),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, 1, BLOCK)


@dataclass(frozen=True, slots=True)
class LengthsSpec:
    """How many coefficients of two series are left without the zeros at their ends."""

    first: str
    second: str
    bound: bool  # without those of small magnitude, too


_LENGTHS = """\
#include "gpuarray/series.cuh"

namespace gpuarray {{

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    trimmed_lengths<{bounded}, {block}>({names});
}}

}}  // namespace gpuarray
"""


def render_lengths(spec: LengthsSpec) -> KernelSource:
    """Return the CUDA C++ that counts coefficients."""
    parameters = (
        pointer("first", f"const {_stored(spec.first)}"),
        pointer("second", f"const {_stored(spec.second)}"),
        pointer("lengths", "int64_t"),
        scalar("bound", "f8"),
        *_numbers("count", "step", "second_count", "second_step"),
    )
    bounded = "true" if spec.bound else "false"
    symbol = f"gpuarray_trimmed_lengths__{spec.first}_{spec.second}"
    symbol += "_bound" if spec.bound else ""
    source = _LENGTHS.format(
        block=BLOCK,
        symbol=symbol,
        parameters=declared(parameters),
        bounded=bounded,
        names=names(parameters),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, 1, BLOCK)
