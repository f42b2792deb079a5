"""The product family: from a specification to CUDA C++ (`product.cuh`)."""

from __future__ import annotations

from dataclasses import dataclass

from gpuarray._dtypes import category, cpp_name, info, itemsize
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.parameters import Field, declared, pointer, structure
from gpuarray.kernels.generator.source import INDEX_BYTES, KernelSource, check_choice


@dataclass(frozen=True, slots=True)
class Tile:
    """The results of a block, and how they are shared among its threads."""

    rows: int
    columns: int
    depth: int  # words of each row and column that are in shared memory at a time
    tall: int  # rows and columns of a thread
    broad: int

    @property
    def block(self) -> int:
        """Threads of a block."""
        return self.rows // self.tall * (self.columns // self.broad)


@dataclass(frozen=True, slots=True)
class ProductSpec:
    """Products of stacks of matrices."""

    dtype: str  # of the products and the result; operands are converted to it
    left: str
    right: str
    tile: Tile
    left_along: bool  # neighbouring threads read along the inner dimension
    right_along: bool
    stack: int = 1  # dimensions of the stack, after collapsing
    index: str = "int32"

    def __post_init__(self) -> None:
        check_choice("index", self.index, INDEX_BYTES)

    @property
    def pack(self) -> int:
        """Elements along the inner dimension that are a word."""
        return 4 if _terms(self).startswith(("Bool", "Byte")) else 1


def _terms(spec: ProductSpec) -> str:
    """What is added up: a type of `product_terms.cuh`."""
    kind, element = category(spec.dtype), cpp_name(spec.dtype)
    if kind == "bool":
        return "BoolTerms"
    if kind == "complex":
        return f"ComplexTerms<{element}>"
    if kind == "float":
        return f"FloatTerms<{element}, {'double' if spec.dtype == 'f8' else 'float'}>"
    size = itemsize(spec.dtype)
    operands = [spec.left, spec.right]
    if size < 8 and all(
        itemsize(x) == 1 and category(x) in ("signed", "unsigned") for x in operands
    ):
        signed = ["true" if category(x) == "signed" else "false" for x in operands]
        return f"ByteTerms<{element}, {', '.join(signed)}>"
    return f"SingleTerms<{element}, {'uint64_t' if size == 8 else 'uint32_t'}>"


def _stored(code: str) -> str:
    """What an element looks like in memory."""
    return "uint8_t" if category(code) == "bool" else cpp_name(code)


_SOURCE = """\
{includes}
#include "gpuarray/product.cuh"

namespace gpuarray {{

typedef TiledProduct<{terms}, {result}, {left}, {right}, {index}_t, {stack}, {left_along},
                     {right_along}, {tile}> Kernel;

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    Kernel::run(results, left, right, dimensions);
}}

}}  // namespace gpuarray
"""


def render(spec: ProductSpec) -> KernelSource:
    """Return the CUDA C++ of products."""
    index, tile = f"{spec.index}_t", spec.tile
    names = [
        "rows", "columns", "inner", "result_row", "result_column", "left_row", "left_inner",
        "right_inner", "right_column", "row_tiles", "column_tiles", "tiles",
    ]  # fmt: skip
    fields = [Field(name, index) for name in names]
    fields += [Field("shape", index, spec.stack), Field("strides", index, 3 * spec.stack)]
    parameters = (
        pointer("results", _stored(spec.dtype)),
        pointer("left", f"const {_stored(spec.left)}"),
        pointer("right", f"const {_stored(spec.right)}"),
        structure("dimensions", "Kernel::Dimensions", fields),
    )
    symbol = f"gpuarray_product__{spec.left}_{spec.right}__{spec.dtype}"
    symbol += f"_{tile.rows}x{tile.columns}_{'nt'[spec.left_along]}{'nt'[spec.right_along]}"
    symbol += f"_{spec.stack}d" if spec.stack > 1 else ""
    symbol += "_wide" if spec.index == "int64" else ""
    headers = {info(x).header for x in (spec.dtype, spec.left, spec.right)} - {""}
    source = _SOURCE.format(
        includes="\n".join([f'#include "{name}"' for name in sorted(headers)]),
        terms=_terms(spec),
        result=_stored(spec.dtype),
        left=cpp_name(spec.left),
        right=cpp_name(spec.right),
        index=spec.index,
        stack=spec.stack,
        left_along="true" if spec.left_along else "false",
        right_along="true" if spec.right_along else "false",
        tile=f"{tile.rows}, {tile.columns}, {tile.depth}, {tile.tall}, {tile.broad}",
        block=tile.block,
        symbol=symbol,
        parameters=declared(parameters),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, 1, tile.block)
