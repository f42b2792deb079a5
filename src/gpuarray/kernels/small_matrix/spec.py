"""The small matrix family: from a specification to CUDA C++ (`small_matrix.cuh` and others)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gpuarray._dtypes import cpp_name, itemsize
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.parameters import (
    Field,
    declared,
    names,
    number,
    pointer,
    structure,
)
from gpuarray.kernels.generator.source import KernelSource, check_choice

#: The most rows and columns of a matrix.
LARGEST = 32

#: Lanes that work on a matrix: at least as many as it has rows, and as it has columns.
LANES = (4, 8, 16, 32)

#: Right-hand sides that are solved for at a time where there are not more of them.
FEW_SIDES = 4

#: Numbers of dimensions of a stack that kernels are compiled for; NumPy's arrays have at most 64.
DIMENSIONS = (1, 4, 62)

#: Static shared memory of a block is 48 KiB.
_SHARED_BYTES = 48 << 10
_MOST_WARPS = 4

#: Multiplications and additions may be contracted: nothing rounds as NumPy's LAPACK does anyway.
_OPTIONS = ("--minimal",)


@dataclass(frozen=True, slots=True)
class SmallMatrixSpec:
    """An operation on each matrix of a stack."""

    operation: str  # a name of OPERATIONS
    dtype: str
    lanes: int  # one of LANES
    dimensions: int = 1  # of the stack, one of DIMENSIONS
    columns: int = 0  # right-hand sides that are solved for at a time

    def __post_init__(self) -> None:
        check_choice("operation", self.operation, OPERATIONS)

    @property
    def warps(self) -> int:
        """Warps of a block, as many as have room in its shared memory."""
        operation = OPERATIONS[self.operation]
        row = operation.tiles * (self.lanes + 1) + (self.columns + 1 if self.columns else 0)
        matrix = self.lanes * (row * itemsize(self.dtype) + operation.lane_bytes)
        return max(1, min(_MOST_WARPS, _SHARED_BYTES // (32 // self.lanes * matrix)))

    @property
    def matrices(self) -> int:
        """Matrices that a block works on at a time."""
        return self.warps * 32 // self.lanes


class _Operation(NamedTuple):
    """A kernel's function in a header, its parameters, and what it needs of shared memory."""

    header: str
    #: With the type of its elements: 'T' is the matrix's, 'R' that of its real numbers.
    results: Mapping[str, str]
    numbers: Sequence[str]
    operands: Sequence[str] = ("matrices",)
    tiles: int = 1
    lane_bytes: int = 0  # beside the tiles


_INFOS = {"infos": "int32_t"}
_SIZES, _HERMITIAN = ("rows", "columns"), ("n", "upper")

OPERATIONS: dict[str, _Operation] = {
    "solve": _Operation(
        "small_lu.cuh", {"results": "T"} | _INFOS, ("n", "sides"), ("matrices", "right")
    ),
    "invert": _Operation("small_lu.cuh", {"results": "T"} | _INFOS, ("n",), tiles=2),
    "determinant": _Operation("small_lu.cuh", {"determinants": "T"}, ("n",)),
    "log_determinant": _Operation("small_lu.cuh", {"signs": "T", "logarithms": "R"}, ("n",)),
    "lu_factors": _Operation(
        "small_lu.cuh", {"results": "T", "exchanges": "int32_t"} | _INFOS, _SIZES
    ),
    "cholesky": _Operation("small_cholesky.cuh", {"results": "T"} | _INFOS, _HERMITIAN),
    "cholesky_solve": _Operation(
        "small_cholesky.cuh", {"results": "T"}, ("n", "sides", "upper"), ("matrices", "right")
    ),
    "eigh": _Operation(
        "small_eigh.cuh",
        {"values": "R", "vectors": "T"} | _INFOS,
        _HERMITIAN,
        tiles=2,
        lane_bytes=24,
    ),
    "eigvalsh": _Operation("small_eigh.cuh", {"values": "R"} | _INFOS, _HERMITIAN, lane_bytes=48),
    "svd": _Operation(
        "small_svd.cuh",
        {"lefts": "T", "values": "R", "rights": "T"} | _INFOS,
        ("rows", "columns", "full"),
        tiles=2,
        lane_bytes=8,
    ),
    "svdvals": _Operation("small_svd.cuh", {"values": "R"} | _INFOS, _SIZES, lane_bytes=32),
    "qr": _Operation(
        "small_qr.cuh",
        {"orthogonal": "T", "triangular": "T"},
        ("rows", "columns", "width"),
        tiles=2,
    ),
    "qr_r": _Operation("small_qr.cuh", {"triangular": "T"}, _SIZES),
    "qr_raw": _Operation("small_qr.cuh", {"results": "T", "factors": "T"}, _SIZES),
}

#: The real dtypes of complex ones.
_REAL = {"c8": "f4", "c16": "f8"}

_SOURCE = """\
#include "gpuarray/{header}"

namespace gpuarray {{

typedef small::Stack<{operands}, {dimensions}> Places;

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    small::{operation}<{arguments}>({names});
}}

}}  // namespace gpuarray
"""


def lanes_for(rows: int, columns: int) -> int:
    """How many lanes work on a matrix."""
    return next(lanes for lanes in LANES if lanes >= max(rows, columns))


def render(spec: SmallMatrixSpec) -> KernelSource:
    """Return the CUDA C++ of an operation."""
    operation = OPERATIONS[spec.operation]
    element = cpp_name(spec.dtype)
    types = {"T": element, "R": cpp_name(_REAL.get(spec.dtype, spec.dtype))}
    operands, dimensions = len(operation.operands), spec.dimensions
    fields = [
        Field("shape", "int64_t", dimensions),
        Field("strides", "int64_t", operands * dimensions),
        Field("rows", "int64_t", operands),
        Field("columns", "int64_t", operands),
    ]
    parameters = (
        *[pointer(name, f"const {element}") for name in operation.operands],
        *[pointer(name, types.get(kind, kind)) for name, kind in operation.results.items()],
        structure("stack", "Places", fields),
        *[number(name, "int32_t") for name in operation.numbers],
        number("count", "uint64_t"),
    )
    arguments = [element, str(spec.lanes), str(spec.warps)]
    symbol = f"gpuarray_small_{spec.operation}__{spec.dtype}__{spec.lanes}"
    if spec.columns:
        arguments.append(str(spec.columns))
        symbol += f"_{spec.columns}"
    if dimensions > 1:
        symbol += f"_{dimensions}d"
    source = _SOURCE.format(
        header=operation.header,
        operands=operands,
        dimensions=dimensions,
        block=32 * spec.warps,
        symbol=symbol,
        parameters=declared(parameters),
        operation=spec.operation,
        arguments=", ".join(arguments),
        names=names(parameters),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, 1, 32 * spec.warps, _OPTIONS)
