"""The family of sparse triangles and factors: from a specification to CUDA C++."""

from __future__ import annotations

from dataclasses import dataclass

from gpuarray._dtypes import category, cpp_name, info, itemsize
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.parameters import declared, names, number, pointer
from gpuarray.kernels.generator.source import INDEX_BYTES, KernelSource, check_choice

BLOCK = 256

#: Lanes that share a row of a triangle.
LANES = (1, 2, 4, 8, 16, 32)

#: The dtypes of the elements.
DTYPES = ("f4", "f8", "c8", "c16")

_WORD = 8


@dataclass(frozen=True, slots=True)
class TriangleSpec:
    """The solution of triangular systems."""

    dtype: str
    index: str = "int32"
    lanes: int = 32
    upper: bool = False
    unit: bool = False  # ones are taken for the diagonal

    def __post_init__(self) -> None:
        check_choice("dtype", self.dtype, DTYPES)
        check_choice("index", self.index, INDEX_BYTES)
        if self.lanes not in LANES:
            raise ValueError(f"no {self.lanes} lanes share a row")


@dataclass(frozen=True, slots=True)
class FactorSpec:
    """LU factors in the places of a pattern."""

    dtype: str
    index: str = "int32"

    def __post_init__(self) -> None:
        check_choice("dtype", self.dtype, DTYPES)
        check_choice("index", self.index, INDEX_BYTES)


def state_bytes(count: int, dtype: str = "u4") -> int:
    """The memory that so many rows talk through, for messages of a dtype."""
    return _WORD * (2 + count * -(-itemsize(dtype) // 4))


_SOURCE = """\
{includes}#include "gpuarray/sparse_factor.cuh"

namespace gpuarray {{

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    {function}({names});
}}

}}  // namespace gpuarray
"""


def _terms(dtype: str) -> str:
    element = cpp_name(dtype)
    if category(dtype) == "complex":
        return f"ComplexTerms<{element}, false>"
    return f"FloatTerms<{element}, {element}>"


def render(spec: TriangleSpec | FactorSpec) -> KernelSource:
    """Return the CUDA C++ of an operation."""
    element, index = cpp_name(spec.dtype), f"{spec.index}_t"
    of = f"{_terms(spec.dtype)}, {element}, {index}"
    compressed = [pointer("indptr", f"const {index}"), pointer("indices", f"const {index}")]
    state, rows = pointer("state", "uint64_t"), number("rows", "int64_t")
    if isinstance(spec, TriangleSpec):
        flags = [str(flag).lower() for flag in (spec.upper, spec.unit)]
        function = f"solve_triangle<{of}, {spec.lanes}, {', '.join(flags)}>"
        symbol = f"gpuarray_solve_triangle__{spec.dtype}_{spec.index}_{spec.lanes}"
        symbol += ("_upper" if spec.upper else "") + ("_unit" if spec.unit else "")
        parameters = (
            pointer("results", element),
            *compressed,
            pointer("data", f"const {element}"),
            pointer("right", f"const {element}"),
            state,
            rows,
            number("columns", "int64_t"),
        )
    else:
        function = f"factor_rows<{of}>"
        symbol = f"gpuarray_factor_rows__{spec.dtype}_{spec.index}"
        parameters = (
            pointer("data", element),
            *compressed,
            state,
            pointer("failed", "int64_t"),
            rows,
        )
    header = info(spec.dtype).header
    source = _SOURCE.format(
        includes=f'#include "{header}"\n' if header else "",
        block=BLOCK,
        symbol=symbol,
        parameters=declared(parameters),
        function=function,
        names=names(parameters),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, 1, BLOCK)
