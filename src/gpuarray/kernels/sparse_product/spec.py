"""The family of sparse products: from a specification to CUDA C++."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gpuarray._dtypes import category, cpp_name, info, itemsize
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.parameters import (
    Field,
    KernelParameter,
    declared,
    names,
    number,
    pointer,
    structure,
)
from gpuarray.kernels.generator.source import INDEX_BYTES, KernelSource, check_choice
from gpuarray.kernels.product.spec import sum_dtype

BLOCK = 256

#: Threads of a block of a product with a vector: its warps wait for one another at the start alone.
VECTOR_BLOCK = 128

#: The most places of the merged path for each thread of a product with a dense matrix.
DENSE_ITEMS = 8

#: Tiles whose sums for one row are gathered before they are added to it.
GATHERED = 64

#: The dtypes of the numbers that sparse products are computed in.
DTYPES = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16")


@dataclass(frozen=True, slots=True)
class ProductSpec:
    """An operation of sparse products: a row of `OPERATIONS`.

    Operands are converted to the dtype of the result, and sums are made in `sum_dtype` of it.
    """

    operation: str
    dtype: str  # of the results
    left: str = ""  # of the sparse operand's elements; without one they are all 1
    right: str = ""
    index: str = "int32"  # of the sparse operand's indices
    right_index: str = "int32"
    result_index: str = "int32"
    conjugate: bool = False  # the sparse operand's elements are conjugated
    lanes: int = 32  # lanes that share a row
    each: int = 1  # columns of a lane; tiles that are gathered before sums are joined
    together: bool = False  # a lane's columns are neighbours
    key: str = "uint64"  # of a product's place

    def __post_init__(self) -> None:
        check_choice("operation", self.operation, OPERATIONS)
        check_choice("dtype", self.dtype, ("", *DTYPES))
        check_choice("index", self.index, INDEX_BYTES)
        check_choice("right_index", self.right_index, INDEX_BYTES)
        check_choice("result_index", self.result_index, INDEX_BYTES)
        check_choice("key", self.key, ("uint32", "uint64"))
        if self.dtype and self.conjugate and category(self.dtype) != "complex":
            raise ValueError(f"numbers of dtype {self.dtype} are not conjugated")


def items(spec: ProductSpec) -> int:
    """The elements that a lane takes at a time of a product with a vector."""
    codes = [x for x in (spec.left, spec.right) if x]
    widest = max(map(itemsize, [sum_dtype(spec.dtype), *codes]))
    return 64 // max(widest, INDEX_BYTES[spec.index])


def block(spec: ProductSpec) -> int:
    """The threads of a block."""
    return VECTOR_BLOCK if spec.operation in ("row_sums", "row_sums_with_dot") else BLOCK


def resident(spec: ProductSpec) -> int:
    """Blocks for which a multiprocessor's registers must suffice.

    Those of a product with a vector are all that run: each goes through a part of the matrix. To
    search for more parts takes longer than uneven ones do.
    """
    wide = itemsize(sum_dtype(spec.dtype)) if spec.dtype else 0
    match spec.operation:
        case "row_sums" | "row_sums_with_dot":
            return 5
        case "row_products":
            return 2 if wide * spec.each > 16 else 3 if wide == 16 else 5
        case "tile_products":
            return 3
        case _:
            return 1


def tile_products(dtype: str, key: str) -> int:
    """The products of matrices that a block sorts in shared memory."""
    widest = max(itemsize(dtype), 8 if key == "uint64" else 4)
    return BLOCK * (64 // widest)


def _terms(spec: ProductSpec) -> str:
    """What is added up: a type of `product_terms.cuh`."""
    kind, element = category(spec.dtype), cpp_name(spec.dtype)
    if kind == "bool":
        return "BoolTerms"
    if kind == "complex":
        return f"ComplexTerms<{element}, {'true' if spec.conjugate else 'false'}>"
    total = cpp_name(sum_dtype(spec.dtype))
    return f"{'FloatTerms' if kind == 'float' else 'SingleTerms'}<{element}, {total}>"


def _stored(code: str) -> str:
    """What an element looks like in memory."""
    return "uint8_t" if not code or category(code) == "bool" else cpp_name(code)


def _sum(spec: ProductSpec) -> str:
    return "uint32_t" if category(spec.dtype) == "bool" else cpp_name(sum_dtype(spec.dtype))


def _index(spec: ProductSpec) -> str:
    return f"{spec.index}_t"


def _dimensions(type_: str, *members: str) -> KernelParameter:
    return structure("dimensions", type_, [Field(x, "int64_t") for x in members])


def _row_dimensions() -> KernelParameter:
    return _dimensions(
        "RowSumsDimensions", "rows", "columns", "size", "share", "shares", "shortest"
    )


def _dense_dimensions() -> KernelParameter:
    return _dimensions(
        "DenseDimensions",
        "rows", "inner", "columns", "size", "tiles", "length", "row_step", "column_step",
    )  # fmt: skip


def _structured_dimensions() -> KernelParameter:
    return _dimensions(
        "StructuredDimensions",
        "rows", "inner", "columns", "parts", "size", "height", "width", "row_step", "column_step",
    )  # fmt: skip


def _carries(spec: ProductSpec, const: str = "") -> list[KernelParameter]:
    return [pointer("carries", f"{const}{_sum(spec)}"), pointer("carry_rows", f"{const}int64_t")]


def _compressed(spec: ProductSpec) -> list[KernelParameter]:
    index = _index(spec)
    return [
        pointer("indptr", f"const {index}"),
        pointer("indices", f"const {index}"),
        pointer("data", f"const {_stored(spec.left)}"),
    ]


def _results(spec: ProductSpec) -> KernelParameter:
    return pointer("results", _stored(spec.dtype))


def _dense(spec: ProductSpec, name: str = "dense") -> KernelParameter:
    return pointer(name, f"const {_stored(spec.right)}")


def _numbers(*members: str) -> list[KernelParameter]:
    return [number(x, "int64_t") for x in members]


class Operation(NamedTuple):
    """How an operation's kernel is written.

    Attributes
    ----------
    header : str
        Its device code.
    function : str
        The function that the kernel calls, for the fields of `_fields`.
    parameters : callable
        The kernel's parameters.
    """

    header: str
    function: str
    parameters: Callable[[ProductSpec], Sequence[KernelParameter]]


OPERATIONS = {
    "row_sums": Operation(
        "row_sums.cuh",
        "RowSums<{terms}, {dtype}, {result}, {left}, {right}, {index}, {block}, {items}>::run",
        lambda x: [
            _results(x), *_compressed(x), _dense(x, "vector"), pointer("lookback", "uint64_t"),
            _row_dimensions(),
        ],
    ),
    "row_sums_with_dot": Operation(
        "row_sums.cuh",
        "RowSums<{terms}, {dtype}, {result}, {left}, {right}, {index}, {block}, {items},"
        " {dot_terms}>::run_with_dot",
        lambda x: [
            _results(x), pointer("product", _stored(x.dtype)), *_compressed(x),
            _dense(x, "vector"), pointer("other", f"const {_stored(x.dtype)}"),
            pointer("parts", _sum(x)), pointer("counters", "uint32_t"),
            pointer("lookback", "uint64_t"), _row_dimensions(),
        ],
    ),
    "row_products": Operation(
        "dense_products.cuh",
        "RowProducts<{terms}, {dtype}, {result}, {left}, {right}, {index}, {lanes}, {each},"
        " {together}, {block}, {dense_items}>::run",
        lambda x: [_results(x), *_compressed(x), _dense(x), *_carries(x), _dense_dimensions()],
    ),
    "gather_carries": Operation(
        "dense_products.cuh",
        "gather_carries<{terms}, {each}>",
        lambda x: [*_carries(x), _dense_dimensions()],
    ),
    "join_row_products": Operation(
        "dense_products.cuh",
        "join_row_products<{terms}, {dtype}, {result}, {each}>",
        lambda x: [_results(x), *_carries(x, "const "), _dense_dimensions()],
    ),
    "diagonal_products": Operation(
        "structured_products.cuh",
        "diagonal_products<{terms}, {result}, {left}, {right}, {index}>",
        lambda x: [
            _results(x),
            pointer("offsets", f"const {_index(x)}"),
            pointer("data", f"const {_stored(x.left)}"),
            _dense(x),
            _structured_dimensions(),
        ],
    ),
    "block_products": Operation(
        "structured_products.cuh",
        "block_products<{terms}, {result}, {left}, {right}, {index}, {lanes}>",
        lambda x: [_results(x), *_compressed(x), _dense(x), _structured_dimensions()],
    ),
    "count_products": Operation(
        "matrix_products.cuh",
        "count_products<{index}, {right_index}>",
        lambda x: [
            pointer("counts", "int64_t"),
            pointer("entry_rows", "int64_t"),
            *_compressed(x)[:2],
            pointer("right_indptr", f"const {x.right_index}_t"),
            *_numbers("rows", "inner", "size"),
        ],
    ),
    "expand_products": Operation(
        "matrix_products.cuh",
        "expand_products<{terms}, {dtype}, {left}, {right}, {index}, {right_index}, {key},"
        " {block}, {path_items}>",
        lambda x: [
            pointer("keys", f"{x.key}_t"),
            pointer("values", _stored(x.dtype)),
            pointer("ends", "const int64_t"),
            pointer("entry_rows", "const int64_t"),
            *_compressed(x)[1:],
            pointer("right_indptr", f"const {x.right_index}_t"),
            pointer("right_indices", f"const {x.right_index}_t"),
            pointer("right_data", f"const {_stored(x.right)}"),
            *_numbers(
                "inner", "columns", "right_size", "entries", "products", "first_entry",
                "first_product", "first_row",
            ),
        ],
    ),
    "tile_products": Operation(
        "tile_products.cuh",
        "TileProducts<{terms}, {dtype}, {left}, {right}, {index}, {right_index}, {result_index},"
        " {key}, {block}, {tile_items}>::run",
        lambda x: [
            pointer("columns_of", f"{x.result_index}_t"),
            pointer("values_of", _stored(x.dtype)),
            pointer("row_counts", f"{x.result_index}_t"),
            pointer("ends", "const int64_t"),
            *_compressed(x),
            pointer("right_indptr", f"const {x.right_index}_t"),
            pointer("right_indices", f"const {x.right_index}_t"),
            pointer("right_data", f"const {_stored(x.right)}"),
            *_numbers("rows", "inner", "columns", "size", "right_size", "quantum", "bits",
                      "tiles"),
        ],
    ),
    "move_results": Operation(
        "tile_products.cuh",
        "move_results<{result}, {result_index}, {block}>",
        lambda x: [
            pointer("columns", f"{x.result_index}_t"),
            _results(x),
            pointer("columns_of", f"const {x.result_index}_t"),
            pointer("values_of", f"const {_stored(x.dtype)}"),
            pointer("indptr", f"const {x.result_index}_t"),
            pointer("ends", "const int64_t"),
            *_numbers("rows", "quantum", "tiles"),
        ],
    ),
    "place_results": Operation(
        "matrix_products.cuh",
        "place_results<{key}, {index}>",
        lambda x: [
            pointer("indices", _index(x)),
            pointer("indptr", _index(x)),
            pointer("keys", f"const {x.key}_t"),
            pointer("starts", "const int64_t"),
            *_numbers("results", "before", "first_row", "rows", "columns"),
        ],
    ),
}  # fmt: skip

_SOURCE = """\
{includes}#include "gpuarray/{header}"

namespace gpuarray {{

extern "C" __global__ void __launch_bounds__({block}, {resident}) {symbol}(
    {parameters}) {{
    {function}({names});
}}

}}  // namespace gpuarray
"""


def render(spec: ProductSpec) -> KernelSource:
    """Return the CUDA C++ of an operation."""
    operation = OPERATIONS[spec.operation]
    parameters = tuple(operation.parameters(spec))
    codes = [x for x in (spec.dtype, spec.left, spec.right) if x]
    headers = {info(x).header for x in codes} - {""}
    source = _SOURCE.format(
        includes="".join([f'#include "{name}"\n' for name in sorted(headers)]),
        header=operation.header,
        block=block(spec),
        resident=resident(spec),
        symbol=_symbol(spec),
        parameters=declared(parameters),
        function=operation.function.format(**_fields(spec)),
        names=names(parameters),
    )
    return KernelSource(_symbol(spec), source, cuda_headers(), parameters, 1, block(spec))


def _fields(spec: ProductSpec) -> dict[str, object]:
    """What the names in the calls of `OPERATIONS` stand for."""
    fields: dict[str, object] = {
        "left": cpp_name(spec.left) if spec.left else "Ones",
        "right": cpp_name(spec.right) if spec.right else "",
        "index": _index(spec),
        "right_index": f"{spec.right_index}_t",
        "result_index": f"{spec.result_index}_t",
        "lanes": spec.lanes,
        "each": spec.each,
        "together": "true" if spec.together else "false",
        "dense_items": DENSE_ITEMS,
        "key": f"{spec.key}_t",
        "block": block(spec),
    }
    if spec.dtype:
        fields |= {
            "terms": _terms(spec),
            "dot_terms": _terms(replace(spec, conjugate=category(spec.dtype) == "complex")),
            "dtype": cpp_name(spec.dtype),
            "result": _stored(spec.dtype),
            "items": items(spec),
            "path_items": 8 if itemsize(sum_dtype(spec.dtype)) <= 8 else 4,
            "tile_items": tile_products(spec.dtype, spec.key) // BLOCK,
        }
    return fields


def _symbol(spec: ProductSpec) -> str:
    """A C identifier that says in a profiler what runs."""
    function = OPERATIONS[spec.operation].function
    used = [
        name
        for name in ("index", "right_index", "result_index", "key")
        if f"{{{name}}}" in function
    ]
    parts = [spec.dtype, spec.left, spec.right, *[getattr(spec, name) for name in used]]
    symbol = f"gpuarray_{spec.operation}__{'_'.join(filter(None, parts))}"
    symbol += f"_{spec.lanes}x{spec.each}" if spec.lanes < 32 or spec.each > 1 else ""
    symbol += "_together" if spec.together else ""
    return symbol + ("_conjugate" if spec.conjugate else "")
