"""Kernels around factorisations: from a specification to CUDA C++ (`matrix_factors.cuh`)."""

from __future__ import annotations

from dataclasses import dataclass

from gpuarray._dtypes import cpp_name
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.parameters import (
    KernelParameter,
    declared,
    names,
    number,
    pointer,
)
from gpuarray.kernels.generator.source import KernelSource, check_choice

BLOCK = 128

#: Rows and columns of the triangles that a block inverts.
TILE = 32

#: Elements of a matrix that a block looks at.
ELEMENTS = 64 * BLOCK

#: The order of so many rows has room in shared memory.
_ORDERED_ROWS = 8192

#: The dtype of the real part.
_REAL = {"f4": "f4", "f8": "f8", "c8": "f4", "c16": "f8"}
_PIVOTS = {"i4": "int32_t", "i8": "int64_t"}


@dataclass(frozen=True, slots=True)
class AddressesSpec:
    """The addresses of the matrices of a stack."""


@dataclass(frozen=True, slots=True)
class DeterminantSpec:
    """The determinants that LU factors have."""

    dtype: str
    pivots: str
    logarithm: bool  # the sign and the logarithm of the size, in place of the determinant

    def __post_init__(self) -> None:
        check_choice("dtype", self.dtype, _REAL)
        check_choice("pivots", self.pivots, _PIVOTS)


@dataclass(frozen=True, slots=True)
class RowOrderSpec:
    """The order of rows that exchanges leave."""

    pivots: str

    def __post_init__(self) -> None:
        check_choice("pivots", self.pivots, _PIVOTS)


@dataclass(frozen=True, slots=True)
class InverseTilesSpec:
    """The inverses of triangles of 32 rows on the diagonal of matrices."""

    dtype: str
    upper: bool
    unit: bool  # the diagonal is taken for ones

    def __post_init__(self) -> None:
        check_choice("dtype", self.dtype, _REAL)


@dataclass(frozen=True, slots=True)
class OrderSpec:
    """Rows of matrices in another order."""

    dtype: str
    back: bool  # the rows of the result are numbered, not those of the matrix

    def __post_init__(self) -> None:
        check_choice("dtype", self.dtype, _REAL)


@dataclass(frozen=True, slots=True)
class ElementsSpec:
    """What is found in the elements of stacked matrices, or done to all of them."""

    operation: str  # a name of _ELEMENT_OPERATIONS
    dtype: str

    def __post_init__(self) -> None:
        check_choice("operation", self.operation, _ELEMENT_OPERATIONS)
        check_choice("dtype", self.dtype, _REAL)


@dataclass(frozen=True, slots=True)
class ReflectorsSpec:
    """The reflectors of a QR factorisation."""

    dtype: str

    def __post_init__(self) -> None:
        check_choice("dtype", self.dtype, _REAL)


_OfTriangles = InverseTilesSpec | OrderSpec | ReflectorsSpec
Spec = AddressesSpec | DeterminantSpec | RowOrderSpec | ElementsSpec | _OfTriangles

#: The functions in the header.
_ELEMENT_OPERATIONS = {
    "find_nan": "find_nan",
    "greatest": "greatest_elements",
    "scale": "scale_elements",
    "ascending": "ascending_values",
}
#: The unsigned integers in which bits of real numbers are kept.
_BITS = {"f4": "unsigned int", "f8": "unsigned long long"}

_SOURCE = """\
#include "gpuarray/{header}.cuh"

namespace gpuarray {{

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    {function}({arguments});
}}

}}  // namespace gpuarray
"""


def render(spec: Spec) -> KernelSource:
    """Return the CUDA C++ of a kernel."""
    if isinstance(spec, _OfTriangles):
        return _of_triangles(spec)
    if isinstance(spec, ElementsSpec):
        return _of_elements(spec)
    if isinstance(spec, AddressesSpec):
        return _render(
            "matrix_addresses",
            "matrix_addresses",
            pointer("first", "const char"),
            pointer("addresses", "uint64_t"),
            number("distance", "int64_t"),
            number("count", "int64_t"),
        )
    pivots = _PIVOTS[spec.pivots]
    if isinstance(spec, RowOrderSpec):
        return _render(
            f"row_order__{spec.pivots}",
            f"row_order<{pivots}, {BLOCK}, {_ORDERED_ROWS}>",
            pointer("pivots", f"const {pivots}"),
            pointer("order", "int64_t"),
            number("exchanges", "int64_t"),
            number("rows", "int64_t"),
        )
    real = cpp_name(_REAL[spec.dtype])
    parts = 2 if spec.dtype.startswith("c") else 1
    logarithm = "true" if spec.logarithm else "false"
    return _render(
        f"{'slogdet' if spec.logarithm else 'det'}__{spec.dtype}_{spec.pivots}",
        f"determinant<{real}, {parts}, {pivots}, {BLOCK}, {logarithm}>",
        pointer("factors", f"const {real}"),
        pointer("pivots", f"const {pivots}"),
        pointer("result", real),
        pointer("logarithm", real),
        number("n", "int64_t"),
    )


def _of_triangles(spec: _OfTriangles) -> KernelSource:
    element = cpp_name(spec.dtype)
    if isinstance(spec, ReflectorsSpec):
        return _render(
            f"reflectors__{spec.dtype}",
            "reflectors",
            pointer("columns", f"const {element}"),
            pointer("vectors", element),
            number("rows", "int64_t"),
            number("first", "int64_t"),
            header="triangles",
        )
    matrices, n = pointer("matrices", f"const {element}"), number("n", "int64_t")
    if isinstance(spec, InverseTilesSpec):
        upper, unit = [str(x).lower() for x in (spec.upper, spec.unit)]
        return _render(
            f"inverse_tiles__{spec.dtype}_{upper}_{unit}",
            f"inverse_tiles<{element}, {upper}, {unit}>",
            matrices,
            pointer("inverses", element),
            n,
            header="triangles",
        )
    back = str(spec.back).lower()
    return _render(
        f"rows_in_order__{spec.dtype}_{back}",
        f"rows_in_order<{element}, {back}>",
        matrices,
        pointer("order", "const int64_t"),
        pointer("results", element),
        n,
        number("columns", "int64_t"),
        header="triangles",
    )


def _of_elements(spec: ElementsSpec) -> KernelSource:
    element, bits = cpp_name(spec.dtype), _BITS[_REAL[spec.dtype]]
    function = _ELEMENT_OPERATIONS[spec.operation]
    if spec.operation == "find_nan":
        arguments = [element]
        parameters = [pointer("matrices", f"const {element}"), pointer("flags", "int32_t")]
    elif spec.operation == "greatest":
        arguments = [element, bits]
        parameters = [pointer("matrices", f"const {element}"), pointer("greatest", bits)]
    else:
        arguments = [element, bits]
        parameters = [pointer("matrices", element), pointer("greatest", f"const {bits}")]
        if spec.operation == "ascending":
            found = pointer("found", f"const {element}")
            parameters = [found, parameters[1], pointer("values", element)]
    return _render(
        f"{spec.operation}__{spec.dtype}",
        f"{function}<{', '.join(arguments)}, {ELEMENTS}>",
        *parameters,
        number("size", "int64_t"),
        header="matrix_elements",
    )


def _render(
    name: str, function: str, *parameters: KernelParameter, header: str = "matrix_factors"
) -> KernelSource:
    symbol = f"gpuarray_{name}"
    source = _SOURCE.format(
        header=header,
        block=BLOCK,
        symbol=symbol,
        parameters=declared(parameters),
        function=function,
        arguments=names(parameters),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, 1, BLOCK)
