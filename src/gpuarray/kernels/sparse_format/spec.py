"""The family of sparse formats: from a specification to CUDA C++ (`sparse_format.cuh`)."""

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
from gpuarray.kernels.generator.source import INDEX_BYTES, KernelSource, check_choice, word

BLOCK = 256

#: Elements of a thread, where a kernel gives it several.
ITEMS = 4

#: The elements of what is found of indices: see `Found` in `sparse_format.cuh`.
FOUND = (
    "least", "greatest", "descents", "stays", "decreases", "first_pointer", "last_pointer",
)  # fmt: skip

_KEYS = {"uint32": "uint32_t", "uint64": "uint64_t", "int32": "int32_t", "int64": "int64_t"}


@dataclass(frozen=True, slots=True)
class CheckSpec:
    """What there is to know of indices and of pointers: the bounds, whether they are in order."""

    index: str

    def __post_init__(self) -> None:
        check_choice("index", self.index, INDEX_BYTES)


@dataclass(frozen=True, slots=True)
class PackSpec:
    """One sort key for each pair of indices."""

    index: str
    key: str

    def __post_init__(self) -> None:
        check_choice("index", self.index, INDEX_BYTES)
        check_choice("key", self.key, _KEYS)


@dataclass(frozen=True, slots=True)
class PackPlacesSpec:
    """The same with the entries' places in the lowest bits of keys of 64."""

    index: str

    def __post_init__(self) -> None:
        check_choice("index", self.index, INDEX_BYTES)


@dataclass(frozen=True, slots=True)
class UnpackPlacesSpec:
    """Keys and places apart again."""

    key: str

    def __post_init__(self) -> None:
        check_choice("key", self.key, _KEYS)


@dataclass(frozen=True, slots=True)
class PointersSpec:
    """Where lines start among sorted keys or major indices."""

    key: str
    index: str

    def __post_init__(self) -> None:
        check_choice("index", self.index, INDEX_BYTES)
        check_choice("key", self.key, _KEYS)


@dataclass(frozen=True, slots=True)
class ExpandSpec:
    """The line of each entry."""

    index: str

    def __post_init__(self) -> None:
        check_choice("index", self.index, INDEX_BYTES)


@dataclass(frozen=True, slots=True)
class OrderSpec:
    """Entries in the order of their keys, of elements that are moved as bits."""

    key: str
    index: str
    itemsize: int
    major: bool  # the major indices are stored, too

    def __post_init__(self) -> None:
        check_choice("index", self.index, INDEX_BYTES)
        check_choice("key", self.key, _KEYS)


@dataclass(frozen=True, slots=True)
class SumSpec:
    """The same where keys are repeated, and their values are added."""

    key: str
    index: str
    dtype: str
    major: bool

    def __post_init__(self) -> None:
        check_choice("index", self.index, INDEX_BYTES)
        check_choice("key", self.key, _KEYS)


@dataclass(frozen=True, slots=True)
class StoreSpec:
    """Entries to their places in a dense array."""

    index: str
    itemsize: int

    def __post_init__(self) -> None:
        check_choice("index", self.index, INDEX_BYTES)


@dataclass(frozen=True, slots=True)
class DiagonalsSpec:
    """The elements of diagonals, those of a row or those of a diagonal behind one another."""

    index: str
    itemsize: int
    by_row: bool

    def __post_init__(self) -> None:
        check_choice("index", self.index, INDEX_BYTES)


_OfEntries = OrderSpec | SumSpec
_OfDense = StoreSpec | DiagonalsSpec
_OfKeys = PackSpec | PackPlacesSpec | UnpackPlacesSpec
Spec = CheckSpec | _OfKeys | PointersSpec | ExpandSpec | _OfEntries | _OfDense

_SOURCE = """\
#include "gpuarray/sparse_format.cuh"

namespace gpuarray {{

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    {function}({arguments});
}}

}}  // namespace gpuarray
"""

_COUNT, _EXTENT = number("count", "int64_t"), number("extent", "int64_t")
_LINES = number("lines", "int64_t")


def render(spec: Spec) -> KernelSource:
    """Return the CUDA C++ of a kernel."""
    if isinstance(spec, _OfEntries):
        return _of_entries(spec)
    if isinstance(spec, _OfDense):
        return _of_dense(spec)
    if isinstance(spec, _OfKeys):
        return _of_keys(spec)
    index = f"{spec.index}_t"
    if isinstance(spec, CheckSpec):
        return _render(
            f"check_indices__{spec.index}",
            f"check_indices<{index}, {BLOCK}>",
            pointer("indices", f"const {index}"),
            pointer("pointers", f"const {index}"),
            pointer("found", "int64_t"),
            _COUNT,
            _LINES,
            number("at", "int64_t"),  # where in `found`
        )
    if isinstance(spec, PointersSpec):
        return _render(
            f"line_pointers__{spec.key}_{spec.index}",
            f"line_pointers<{_KEYS[spec.key]}, {index}, {BLOCK}>",
            pointer("keys", f"const {_KEYS[spec.key]}"),
            pointer("pointers", index),
            _EXTENT,
            _LINES,
            _COUNT,
        )
    return _render(
        f"expand_pointers__{spec.index}",
        f"expand_pointers<{index}, {BLOCK}, {ITEMS}>",
        pointer("pointers", f"const {index}"),
        pointer("majors", index),
        _LINES,
        _COUNT,
        items=ITEMS,
    )


def _of_keys(spec: _OfKeys) -> KernelSource:
    bits = number("bits", "int64_t")  # of a place
    if isinstance(spec, UnpackPlacesSpec):
        key = _KEYS[spec.key]
        return _render(
            f"unpack_places__{spec.key}",
            f"unpack_places<{key}, {BLOCK}, {ITEMS}>",
            pointer("packed", "const uint64_t"),
            pointer("keys", key),
            pointer("order", "int64_t"),
            bits,
            _COUNT,
            items=ITEMS,
        )
    index = f"{spec.index}_t"
    indices = (pointer("major", f"const {index}"), pointer("minor", f"const {index}"))
    if isinstance(spec, PackPlacesSpec):
        return _render(
            f"pack_places__{spec.index}",
            f"pack_places<{index}, {BLOCK}, {ITEMS}>",
            *indices,
            pointer("packed", "uint64_t"),
            _EXTENT,
            bits,
            _COUNT,
            items=ITEMS,
        )
    return _render(
        f"pack_indices__{spec.index}_{spec.key}",
        f"pack_keys<{index}, {_KEYS[spec.key]}, {BLOCK}, {ITEMS}>",
        *indices,
        pointer("keys", _KEYS[spec.key]),
        _EXTENT,
        _COUNT,
        items=ITEMS,
    )


def _of_dense(spec: _OfDense) -> KernelSource:
    element, _ = word(spec.itemsize)
    index = f"{spec.index}_t"
    if isinstance(spec, DiagonalsSpec):
        by_row = str(spec.by_row).lower()
        order = "rows" if spec.by_row else "diagonals"
        return _render(
            f"align_diagonals__{spec.index}_{8 * spec.itemsize}_{order}",
            f"align_diagonals<{index}, {element}, {by_row}, {BLOCK}, {ITEMS}>",
            pointer("data", f"const {element}"),
            pointer("offsets", f"const {index}"),
            pointer("aligned", element),
            number("rows", "int64_t"),
            number("columns", "int64_t"),
            number("length", "int64_t"),
            number("diagonals", "int64_t"),
            items=ITEMS,
        )
    return _render(
        f"store_entries__{spec.index}_{8 * spec.itemsize}",
        f"store_entries<{index}, {element}, {BLOCK}, {ITEMS}>",
        pointer("major", f"const {index}"),
        pointer("minor", f"const {index}"),
        pointer("data", f"const {element}"),
        pointer("dense", element),
        number("majors", "int64_t"),
        number("minors", "int64_t"),
        number("major_step", "int64_t"),
        number("minor_step", "int64_t"),
        _COUNT,
        items=ITEMS,
    )


def _of_entries(spec: _OfEntries) -> KernelSource:
    key, index, major = _KEYS[spec.key], f"{spec.index}_t", str(spec.major).lower()
    sums = isinstance(spec, SumSpec)
    if isinstance(spec, SumSpec):
        name, of = "sum_entries", spec.dtype
        element = "uint8_t" if spec.dtype == "b1" else cpp_name(spec.dtype)
        function = f"sum_entries<{key}, {index}, {cpp_name(spec.dtype)}, {major}, {BLOCK}>"
    else:
        name, of = "order_entries", str(8 * spec.itemsize)
        element, _ = word(spec.itemsize)
        function = f"order_entries<{key}, {index}, {element}, {major}, {BLOCK}, {ITEMS}>"
    return _render(
        f"{name}__{spec.key}_{spec.index}_{of}" + ("_major" if spec.major else ""),
        function,
        pointer("keys", f"const {key}"),
        pointer("order", "const int64_t"),
        *([pointer("starts", "const int64_t")] if sums else []),
        pointer("data", f"const {element}"),
        pointer("major", index),
        pointer("minor", index),
        pointer("values", element),
        _EXTENT,
        _COUNT,
        items=1 if sums else ITEMS,
    )


def _render(name: str, function: str, *parameters: KernelParameter, items: int = 1) -> KernelSource:
    symbol = f"gpuarray_{name}"
    source = _SOURCE.format(
        block=BLOCK,
        symbol=symbol,
        parameters=declared(parameters),
        function=function,
        arguments=names(parameters),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, items, BLOCK)
