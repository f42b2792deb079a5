"""Products of two compressed matrices.

All products of elements are made, sorted by their places in the result, and added up in the order
of the left matrix' elements. How many there are is counted first, and where they would not fit the
device's memory they are made for some rows at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpuarray import _array, _layout
from gpuarray._ops.casts import astype
from gpuarray._ops.creation import zeros
from gpuarray._ops.cumulative import cumsum
from gpuarray._ops.joining import concatenate
from gpuarray._ops.searching import searchsorted
from gpuarray._ops.taking import take
from gpuarray._runtime.device import current
from gpuarray.kernels import mask as mask_kernels
from gpuarray.kernels.sparse_product import launch
from gpuarray.scipy.sparse import _conversions
from gpuarray.scipy.sparse._products import _indices, upcast

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = ["sparse_product"]

_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)
_INT32_MAX = (1 << 31) - 1

#: Products that are made at a time at most, and up to which no one asks whether there is memory.
MOST_PRODUCTS, FEW_PRODUCTS = 1 << 30, 1 << 22

#: Bytes of scratch memory for each product, beside twice its value: its key, sorted and unsorted,
#: its place in the order, what the sort needs, and where a result begins.
_BYTES = 64

#: Places of the result that keys can tell apart.
_KEYS, _NARROW_KEYS = 1 << 63, 1 << 32


class _Part(NamedTuple):
    """Rows of the left matrix whose products are made at a time."""

    first_row: int
    rows: int
    first_entry: int
    entries: int
    first_product: int
    products: int


def sparse_product(a: Any, b: Any) -> tuple[ndarray, ndarray, ndarray]:
    """The product of two compressed matrices.

    Parameters
    ----------
    a, b : object
        With the attributes ``indptr``, ``indices``, ``data`` and ``shape`` of csr matrices, whose
        shapes are (m, k) and (k, n). Neither need be sorted or without duplicates.

    Returns
    -------
    indptr, indices, data : ndarray
        Of a csr matrix of shape (m, n), sorted and without duplicates. Sums that are zero are not
        stored. Indices are int64 if an operand's are or if int32 is too narrow.

    Notes
    -----
    Waits for the device three times: for the number of products, that of results, and that of
    results that are zero. Temporary memory: about 64 bytes for each product and twice its value,
    for as many as fit the device.
    """
    return _Product(a, b).run()


class _Product:
    """The state of a product."""

    def __init__(self, a: Any, b: Any):
        self.rows, self.inner, self.columns = a.shape[0], a.shape[1], b.shape[1]
        self.result = upcast(a.data.dtype, b.data.dtype)
        self.indptr, self.indices = _indices(a.indptr, a.indices)
        self.right_indptr, self.right_indices = _indices(b.indptr, b.indices)
        self.data, self.right_data = _conversions.flat(a.data), _conversions.flat(b.data)
        self.index = index_of(self.indices.dtype, self.right_indices.dtype, self.columns)

    def run(self) -> tuple[Any, Any, Any]:
        size = self.indices._layout.size
        total = 0
        if size and self.right_indices._layout.size:
            total = self._count(size)
        if not total:
            nothing = _new(0, self.index), _new(0, self.result)
            return zeros(self.rows + 1, self.index), *nothing
        index = index_of(self.index, self.index, total)
        self.out_indptr = _new(self.rows + 1, index)
        found: list[tuple[Any, Any]] = []
        before = 0
        for part in self._parts(total):
            found.append(self._make(part, before, index))
            before += found[-1][0]._layout.size
        indices, data = found[0] if len(found) == 1 else map(concatenate, zip(*found, strict=True))
        wanted = index_of(self.index, self.index, before)
        indptr, indices = [
            x if x.dtype == wanted else astype(x, wanted) for x in (self.out_indptr, indices)
        ]
        return indptr, indices, data

    def _call(
        self, operation: str, key: str = "uint64", index: str = "", numbers: bool = True
    ) -> Any:
        """The call of a step; ``numbers`` says whether it is about elements, too."""
        dtypes = (self.result, self.data.dtype, self.right_data.dtype) if numbers else (None,) * 3
        return launch.matrix_step_call(
            current.stream, operation, dtypes, index or self.indices.dtype.name,
            self.right_indices.dtype.name, key,
        )  # fmt: skip

    def _count(self, size: int) -> int:
        """The ends of the entries' products, and the number of all."""
        counts, self.entry_rows = _new(size, _INT64), _new(size, _INT64)
        self._call("count_products", numbers=False)(
            self.indptr, self.indices, self.right_indptr, self.rows, self.inner, size,
            counts, self.entry_rows,
        )  # fmt: skip
        self.ends = cumsum(counts)
        return int(self.ends[-1])

    def _parts(self, total: int) -> list[_Part]:
        """The rows that are taken at a time."""
        limit = _most_products(total, self.result.itemsize)
        most_rows = max(1, _KEYS // max(self.columns, 1))
        size = self.indices._layout.size
        if total <= limit and self.rows <= most_rows:
            return [_Part(0, self.rows, 0, size, 0, total)]
        first = concatenate([zeros(1, _INT64), self.ends])
        bounds = take(first, self.indptr)  # products before each row
        parts, row, entry, product = [], 0, 0, 0
        while row < self.rows:
            target = _array.from_host(np.array([product + limit]), _layout.contiguous(_INT64, (1,)))
            end = int(searchsorted(bounds, target, side="right")[0]) - 1
            end = max(row + 1, min(end, row + most_rows, self.rows))
            next_entry, next_product = int(self.indptr[end]), int(bounds[end])
            parts.append(
                _Part(row, end - row, entry, next_entry - entry, product, next_product - product)
            )
            row, entry, product = end, next_entry, next_product
        return parts

    def _make(self, part: _Part, before: int, index: np.dtype[Any]) -> tuple[Any, Any]:
        """The indices and elements of a part's results; their rows' ends are stored."""
        key = "uint32" if part.rows * self.columns <= _NARROW_KEYS else "uint64"
        keys = _new(part.products, np.dtype(key))
        if part.products:
            values = _new(part.products, self.result)
            self._call("expand_products", key)(
                self.ends, self.entry_rows, self.indices, self.data, self.right_indptr,
                self.right_indices, self.right_data, self.inner, self.columns,
                self.right_indices._layout.size, part.entries, part.products, part.first_entry,
                part.first_product, part.first_row, keys, values,
            )  # fmt: skip
            keys, starts, data = _added(keys, values)
        else:
            starts, data = _new(0, _INT64), _new(0, self.result)
        results = data._layout.size
        indices = _new(results, index)
        self._call("place_results", key, index.name, False)(
            keys, starts, results, before, part.first_row, part.rows, self.columns,
            indices, self.out_indptr,
        )  # fmt: skip
        return indices, data


def _added(keys: Any, values: Any) -> tuple[Any, Any, Any]:
    """Sorted keys, where those begin whose sums are not zero, and these sums."""
    order = _conversions.argsorted(keys)
    keys = take(keys, order)
    counted = mask_kernels.launch.count_changes(keys, False)
    starts = mask_kernels.launch.starts(counted)
    run = launch.vector_call(
        current.stream, starts._layout, order._layout, None, values._layout, values.dtype
    )
    sums = run(starts, order, order, values)
    counted = mask_kernels.launch.count(sums, keep=True)
    if counted.total == sums._layout.size:
        return keys, starts, sums
    starts = mask_kernels.launch.compress_counted(starts[:-1], counted)
    return keys, starts, mask_kernels.launch.compress_counted(sums, counted)


def _most_products(total: int, itemsize: int) -> int:
    """How many products may be made at a time."""
    if total <= FEW_PRODUCTS:
        return min(total, MOST_PRODUCTS)
    free, _ = current.stream.device.mem_info
    return max(FEW_PRODUCTS, min(MOST_PRODUCTS, free // (_BYTES + 2 * itemsize)))


def index_of(a: np.dtype[Any], b: np.dtype[Any], most: int) -> np.dtype[Any]:
    """The dtype of a product's indices: int32 if both operands' are, and it holds a number."""
    return _INT32 if a == b == _INT32 and most <= _INT32_MAX else _INT64


def _new(size: int, dtype: np.dtype[Any]) -> Any:
    return _array.empty(_layout.contiguous(dtype, (size,)))
