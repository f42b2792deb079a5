"""The product family: from a specification to CUDA C++ (`product.cuh`)."""

from __future__ import annotations

from dataclasses import dataclass

from gpuarray._dtypes import category, cpp_name, info, itemsize
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.parameters import (
    Field,
    KernelParameter,
    declared,
    names,
    pointer,
    structure,
)
from gpuarray.kernels.generator.source import INDEX_BYTES, KernelSource, check_choice


@dataclass(frozen=True, slots=True)
class Tile:
    """The results of a block, and how they are shared among its threads."""

    rows: int
    columns: int
    depth: int  # words of each row and column that are in shared memory at a time
    tall: int  # rows and columns of a thread
    broad: int
    resident: int = 1  # blocks that a multiprocessor must have registers for

    @property
    def block(self) -> int:
        """Threads of a block."""
        return self.rows // self.tall * (self.columns // self.broad)


#: Threads of a block that computes single results.
BLOCK = 256


@dataclass(frozen=True, slots=True)
class ProductSpec:
    """Products of stacks of matrices."""

    dtype: str  # of the products and the result; operands are converted to it
    left: str
    right: str
    tile: Tile | None  # without one, a thread computes one result after another
    left_along: bool = False  # neighbouring threads read along the inner dimension
    right_along: bool = False
    split: bool = False  # the inner dimension is split among blocks, and sums are stored
    stack: int = 1  # dimensions of the stack, after collapsing
    index: str = "int32"
    conjugate: bool = False  # the left operand's elements are conjugated

    def __post_init__(self) -> None:
        check_choice("index", self.index, INDEX_BYTES)
        if self.conjugate and category(self.dtype) != "complex":
            raise ValueError(f"numbers of dtype {self.dtype} are not conjugated")


@dataclass(frozen=True, slots=True)
class JoinSpec:
    """The results of products whose inner dimension is split: sums added up in their order."""

    dtype: str
    stack: int
    index: str


def sum_dtype(code: str) -> str:
    """The dtype that products of a dtype are summed in."""
    kind, size = category(code), itemsize(code)
    if kind in ("float", "complex"):
        return "f4" if size == 2 else code
    return "u8" if size == 8 else "u4"


def _terms(spec: ProductSpec) -> str:
    """What is added up: a type of `product_terms.cuh`."""
    kind, element = category(spec.dtype), cpp_name(spec.dtype)
    if kind == "bool":
        return "BoolTerms"
    if kind == "complex":
        return f"ComplexTerms<{element}, {'true' if spec.conjugate else 'false'}>"
    total = cpp_name(sum_dtype(spec.dtype))
    if kind == "float":
        return f"FloatTerms<{element}, {total}>"
    kinds = [category(x) for x in (spec.left, spec.right) if itemsize(x) == 1]
    if total == "uint32_t" and len(kinds) == 2 and "bool" not in kinds:
        signed = ["true" if x == "signed" else "false" for x in kinds]
        return f"ByteTerms<{element}, {', '.join(signed)}>"
    return f"SingleTerms<{element}, {total}>"


def _stored(code: str) -> str:
    """What an element looks like in memory."""
    return "uint8_t" if category(code) == "bool" else cpp_name(code)


_SOURCE = """\
{includes}#include "gpuarray/product.cuh"

namespace gpuarray {{

typedef ProductDimensions<{index}_t, {stack}> Dimensions;

extern "C" __global__ void __launch_bounds__({bounds}) {symbol}(
    {parameters}) {{
    {function}({names});
}}

}}  // namespace gpuarray
"""


def render(spec: ProductSpec) -> KernelSource:
    """Return the CUDA C++ of products."""
    result = cpp_name(sum_dtype(spec.dtype)) if spec.split else _stored(spec.dtype)
    operands = f"{cpp_name(spec.left)}, {cpp_name(spec.right)}"
    symbol = f"gpuarray_product__{spec.left}_{spec.right}__{spec.dtype}"
    if spec.tile is None:
        function = f"single_products<{_terms(spec)}, {result}, {operands}>"
    else:
        tile, flags = spec.tile, [spec.left_along, spec.right_along, spec.split]
        along = "".join(["x" if one else "o" for one in flags[:2]])
        symbol += f"_{tile.rows}x{tile.columns}_{along}"
        sizes = [tile.rows, tile.columns, tile.depth, tile.tall, tile.broad]
        arguments = [spec.index + "_t", spec.stack, *[str(x).lower() for x in flags], *sizes]
        function = f"TiledProduct<{_terms(spec)}, {result}, {operands},\n                 "
        function += f"{', '.join(map(str, arguments))}>::run"
    symbol += "_split" if spec.split else ""
    symbol += "_conjugate" if spec.conjugate else ""
    inputs = [
        pointer("left", f"const {_stored(spec.left)}"),
        pointer("right", f"const {_stored(spec.right)}"),
    ]
    return _kernel(spec, symbol, function, pointer("results", result), inputs)


def render_join(spec: JoinSpec) -> KernelSource:
    """Return the CUDA C++ that adds up the sums of blocks."""
    dtype = spec.dtype
    product = ProductSpec(dtype, dtype, dtype, None, stack=spec.stack, index=spec.index)
    symbol = f"gpuarray_product_join__{dtype}"
    function = f"join_products<{_terms(product)}, {_stored(dtype)}>"
    results = pointer("results", _stored(dtype))
    inputs = [pointer("sums", f"const {cpp_name(sum_dtype(dtype))}")]
    return _kernel(product, symbol, function, results, inputs)


def _kernel(
    spec: ProductSpec,
    symbol: str,
    function: str,
    results: KernelParameter,
    inputs: list[KernelParameter],
) -> KernelSource:
    index = f"{spec.index}_t"
    members = [
        "rows", "columns", "inner", "result_row", "result_column", "left_row", "left_inner",
        "right_inner", "right_column", "size", "row_tiles", "column_tiles", "tiles", "splits",
        "split_length",
    ]  # fmt: skip
    fields = [Field(name, index) for name in members]
    fields += [Field("shape", index, spec.stack), Field("strides", index, 3 * spec.stack)]
    dimensions = structure("dimensions", "Dimensions", fields)
    parameters = (results, *inputs, dimensions)
    symbol += f"_{spec.stack}d" if spec.stack > 1 else ""
    symbol += "_wide" if spec.index == "int64" else ""
    tile = spec.tile
    block = BLOCK if tile is None else tile.block
    bounds = f"{block}, {tile.resident}" if tile and tile.resident > 1 else block
    headers = {info(x).header for x in (spec.dtype, spec.left, spec.right)} - {""}
    source = _SOURCE.format(
        includes="".join([f'#include "{name}"\n' for name in sorted(headers)]),
        index=spec.index,
        stack=spec.stack,
        bounds=bounds,
        symbol=symbol,
        parameters=declared(parameters),
        function=function,
        names=names(parameters),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, 1, block)
