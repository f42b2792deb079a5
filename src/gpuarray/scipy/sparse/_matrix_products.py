"""Products of two compressed matrices.

All products of elements are made, sorted by their places in the result, and added up in the order
of the left matrix' elements. How many there are is counted first. Where those of each row fit a
tile, blocks make and sort them in shared memory; else all are sorted at once, and where they would
not fit the device's memory they are made for some rows at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpuarray import _array, _dtypes, _layout, _transfers
from gpuarray._ops.casts import astype
from gpuarray._ops.creation import zeros
from gpuarray._ops.cumulative import cumsum
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.joining import concatenate, stack
from gpuarray._ops.math import subtract
from gpuarray._ops.searching import searchsorted
from gpuarray._ops.taking import take
from gpuarray._runtime.current_stream import current
from gpuarray.kernels import mask as mask_kernels
from gpuarray.kernels.sparse_product import launch, spec
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

#: Bits by which keys tell the rows of a tile apart.
_ROW_BITS = 12


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
    Waits for the device twice: for the numbers of products, and for that of results. Temporary
    memory: a result for each product. Where a row has more products than half a tile (1024 to 4096
    of them) it waits three times: for the number of products, that of sums, and that of sums that
    are zero; then temporary memory is about 64 bytes for each product and twice its value, for as
    many as fit the device.
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
            total, most = self._count_rows()
        if not total:
            nothing = _new(0, self.index), _new(0, self.result)
            return zeros(self.rows + 1, self.index), *nothing
        index = index_of(self.index, self.index, total)
        found = self._tiles(total, most, index)
        return found or self._sorted(size, total, index)

    def _count_rows(self) -> tuple[int, int]:
        """The ends of the rows' products, the number of all, and the most of a row."""
        bounds = self.right_indptr
        lengths = subtract(bounds[1:], bounds[:-1])
        indptr, indices = self.indptr, self.indices
        run = launch.vector_call(
            current.stream, indptr._layout, indices._layout, None, lengths._layout, _INT64
        )
        counts = run(indptr, indices, indices, lengths)
        self.row_ends = cumsum(counts)
        total, most = asnumpy(stack((self.row_ends[-1], counts.max())))
        return int(total), int(most)

    def _tiles(self, total: int, most: int, index: np.dtype[Any]) -> tuple[Any, Any, Any] | None:
        """The product by tiles of rows, if the products of each row fit one."""
        bits = max(self.columns - 1, 0).bit_length()
        key = "uint32" if bits + _ROW_BITS <= 32 else "uint64"
        quantum = spec.tile_products(_dtypes.code(self.result), key) - most
        size = self.indices._layout.size
        limit = _most_products(total, self.result.itemsize)
        if quantum < most or size > _INT32_MAX or total > limit:
            return None
        tiles = total // quantum + 1
        columns_of, values_of = _new(total, index), _new(total, self.result)
        counts = _new(self.rows + 1, index)
        self._call("tile_products", key, result_index=_name(index))(
            self.row_ends, self.indptr, self.indices, self.data, self.right_indptr,
            self.right_indices, self.right_data, self.rows, self.inner, self.columns, size,
            self.right_indices._layout.size, quantum, bits, tiles, columns_of, values_of, counts,
        )  # fmt: skip
        indptr = cumsum(counts, dtype=index)
        results = int(indptr[-1])
        indices, data = _new(results, index), _new(results, self.result)
        if results:
            self._call("move_results", result_index=_name(index))(
                columns_of, values_of, indptr, self.row_ends, self.rows, quantum, tiles,
                indices, data,
            )  # fmt: skip
        return self._narrowed(indptr, indices, data)

    def _narrowed(self, indptr: Any, indices: Any, data: Any) -> tuple[Any, Any, Any]:
        """With the indices' dtype that the number of results asks for."""
        wanted = index_of(self.index, self.index, data._layout.size)
        indptr, indices = [x if x.dtype == wanted else astype(x, wanted) for x in (indptr, indices)]
        return indptr, indices, data

    def _sorted(self, size: int, total: int, index: np.dtype[Any]) -> tuple[Any, Any, Any]:
        """The product by sorting all products."""
        self._count(size)
        self.out_indptr = _new(self.rows + 1, index)
        found: list[tuple[Any, Any]] = []
        before = 0
        for part in self._parts(total):
            found.append(self._make(part, before, index))
            before += found[-1][0]._layout.size
        indices, data = found[0] if len(found) == 1 else map(concatenate, zip(*found, strict=True))
        return self._narrowed(self.out_indptr, indices, data)

    def _call(
        self,
        operation: str,
        key: str = "uint64",
        index: str = "",
        numbers: bool = True,
        result_index: str = "int32",
    ) -> Any:
        """The call of a step; ``numbers`` says whether it is about elements, too."""
        dtypes = (self.result, self.data.dtype, self.right_data.dtype) if numbers else (None,) * 3
        return launch.matrix_step_call(
            current.stream, operation, dtypes, index or _name(self.indices.dtype),
            _name(self.right_indices.dtype), key, result_index,
        )  # fmt: skip

    def _count(self, size: int) -> None:
        """The ends of the entries' products."""
        counts, self.entry_rows = _new(size, _INT64), _new(size, _INT64)
        self._call("count_products", numbers=False)(
            self.indptr, self.indices, self.right_indptr, self.rows, self.inner, size,
            counts, self.entry_rows,
        )  # fmt: skip
        self.ends = cumsum(counts)

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
            target = _transfers.from_host(
                np.array([product + limit]), _layout.contiguous(_INT64, (1,))
            )
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
        self._call("place_results", key, _name(index), False)(
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


def _name(index: np.dtype[Any]) -> str:
    return "int32" if index is _INT32 or index == _INT32 else "int64"


def _new(size: int, dtype: np.dtype[Any]) -> Any:
    return _array.empty(_layout.contiguous(dtype, (size,)))
