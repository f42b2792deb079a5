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


_SOURCE = """\
#include "gpuarray/matrix_factors.cuh"

namespace gpuarray {{

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    {function}({arguments});
}}

}}  // namespace gpuarray
"""


def render(spec: AddressesSpec | DeterminantSpec | RowOrderSpec) -> KernelSource:
    """Return the CUDA C++ of a kernel."""
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
            "row_order",
            pointer("pivots", f"const {pivots}"),
            pointer("order", "int64_t"),
            number("exchanges", "int64_t"),
            number("rows", "int64_t"),
            number("count", "int64_t"),
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


def _render(name: str, function: str, *parameters: KernelParameter) -> KernelSource:
    symbol = f"gpuarray_{name}"
    source = _SOURCE.format(
        block=BLOCK,
        symbol=symbol,
        parameters=declared(parameters),
        function=function,
        arguments=names(parameters),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, 1, BLOCK)
