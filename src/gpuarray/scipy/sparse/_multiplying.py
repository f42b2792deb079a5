"""Element-wise products of sparse arrays with arrays whose rows or columns are broadcast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ops.conversion import ascontiguousarray
from gpuarray._ops.dimensions import atleast_2d, broadcast_to
from gpuarray._ops.manipulation import ravel, reshape
from gpuarray._ops.math import multiply as dense_multiply
from gpuarray._ops.ranges import arange
from gpuarray._ops.rearranging import tile
from gpuarray.scipy.sparse import _merging

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = ["multiply", "multiply_dense"]


def _in_2d(a: Any) -> tuple[int, int]:
    """The shape of an array, one of one dimension taken for a row."""
    return (1, *a.shape) if len(a.shape) == 1 else a.shape


def multiply(a: Any, b: Any) -> Any:
    """The product of two sparse arrays, element by element."""
    if a.shape == b.shape:
        return _merging.binary("multiply", a, b)
    _check_dimensions(a, b)
    if b.shape in ((1,), (1, 1)):
        scaled = a.tocsr() if a.format == "coo" else a
        result = scaled.multiply(reshape(b.toarray(), ()))
        return result.reshape((1, a.shape[0])) if a.ndim < b.ndim else result
    if a.shape in ((1,), (1, 1)):
        result = b.multiply(reshape(a.toarray(), ()))
        return result.reshape((1, b.shape[0])) if b.ndim < a.ndim else result
    (rows, columns), (other_rows, other_columns) = _in_2d(a), _in_2d(b)
    if rows == 1 and other_columns == 1:
        return _outer(b, a, _merging.compressed(b).format)
    if columns == 1 and other_rows == 1:
        return _outer(a, b, _merging.compressed(a).format)
    if other_rows == 1 and columns == other_columns:
        result = _scaled(_merging.compressed(a), ravel(b.toarray()), 1)
        return result if a.ndim == 2 else result.reshape((1, columns))
    if rows == 1 and columns == other_columns:
        return _scaled(_merging.compressed(b), ravel(a.toarray()), 1)
    if other_columns == 1 and rows == other_rows:
        return _scaled(a.tocsr(), ravel(b.toarray()), 0)
    if columns == 1 and rows == other_rows:
        return _scaled(a._class_of("csr")(b), ravel(a.toarray()), 0)
    raise ValueError(f"inconsistent shapes {a.shape} and {b.shape}")


def _scaled(a: Any, factors: ndarray, axis: int) -> Any:
    """The rows (axis 0) or columns of an array times a number each, without zeros."""
    a = _merging.canonical(a)
    coordinates = a.tocoo().coords[axis - 2 + a.ndim]
    result = a._with_data(dense_multiply(a.data, factors[coordinates]), copy=True)
    result.eliminate_zeros()
    return result


def _outer(column: Any, row: Any, format: str) -> Any:
    """A column times a row, without zeros."""
    column, row = (_merging.canonical(x.tocsr()) for x in (column, row))
    shape = (column.shape[0], row.shape[-1])
    count = int(row.indices.size)
    index = _merging.index_dtype(
        column.indptr, row.indices, most=max(int(column.indices.size) * count, *shape)
    )
    data = ravel(dense_multiply(column.data[:, None], row.data[None, :]))
    indptr = column.indptr.astype(index) * index.type(count)
    indices = tile(row.indices.astype(index), int(column.indices.size))
    result = type(column)._class_of("csr")._from_parts(
        data, indices, indptr, shape, sorted=True, canonical=True
    )  # fmt: skip
    result.eliminate_zeros()
    return result.asformat(format)


def _check_dimensions(a: Any, b: Any) -> None:
    if max(a.ndim, b.ndim) > 2:
        raise ValueError(
            f"inconsistent shapes {a.shape} and {b.shape}: those of more than two dimensions are "
            "not broadcast"
        )


def multiply_dense(a: Any, other: Any) -> Any:
    """The product of a sparse and a dense array: in coordinates, at the places that are stored."""
    if a.ndim > 2:
        if a.shape != other.shape:
            _check_dimensions(a, other)
        return a._with_data(dense_multiply(a.data, other[a.coords]))
    if other.ndim > 2:
        return dense_multiply(a.toarray(), other)
    if other.size == 1:
        scaled = a.tocsr() if a.format in ("coo", "dia") else a
        result = scaled.multiply(reshape(other, ()))
        return _reshaped(result, np.broadcast_shapes(a.shape, other.shape))
    if a.shape in ((1,), (1, 1)):
        shape = np.broadcast_shapes(a.shape, other.shape)
        return reshape(dense_multiply(reshape(a.toarray(), ()), other), shape)
    coo = a.tocoo()
    coords, shape = coo.coords, _in_2d(a)
    if a.shape == other.shape:
        return _with_products(a, coo, dense_multiply(coo.data, other[tuple(coords)]))
    wide = atleast_2d(other)
    rows, columns = wide.shape
    if (rows not in (1, shape[0]) and shape[0] != 1) or (
        columns not in (1, shape[1]) and shape[1] != 1
    ):
        raise ValueError(f"inconsistent shapes {a.shape} and {other.shape}")
    if (shape[0] == 1 or a.ndim == 1) and (rows > 1 or other.ndim > a.ndim):
        return _repeated(coo, wide, 0)
    if shape[1] == 1 and columns > 1:
        return _repeated(coo, wide, 1)
    row = coords[0] if a.ndim == 2 else None
    if columns == 1:
        factors = wide[row, 0] if rows > 1 else wide[0, 0]
    elif rows == 1:
        factors = wide[0][coords[-1]]
    else:
        factors = wide[row, coords[-1]]
    return _with_products(a, coo, dense_multiply(coo.data, factors))


def _with_products(a: Any, coo: Any, data: Any) -> Any:
    return type(a)._class_of("coo")._from_parts(
        ascontiguousarray(data), coo.coords, a.shape, canonical=False
    )  # fmt: skip


def _repeated(coo: Any, wide: Any, axis: int) -> Any:
    """A row (axis 0) or a column times a dense matrix: its places are those of each row."""
    rows, columns = wide.shape
    along = coo.coords[-1] if axis == 0 else coo.coords[0]
    count, copies = int(along.size), rows if axis == 0 else columns
    shape = (rows, coo.shape[-1]) if axis == 0 else (coo.shape[0], columns)
    index = _merging.index_dtype(along, most=max(count * copies, *shape))
    along = along.astype(index, copy=False)
    if axis == 0:
        chosen = wide if columns == 1 else wide[:, along]
        data = dense_multiply(coo.data[None, :], chosen)
        row = broadcast_to(arange(copies, dtype=index)[:, None], (copies, count))
        column = broadcast_to(along[None, :], (copies, count))
    else:
        chosen = wide if rows == 1 else wide[along]
        data = dense_multiply(coo.data[:, None], chosen)
        row = broadcast_to(along[:, None], (count, copies))
        column = broadcast_to(arange(copies, dtype=index)[None, :], (count, copies))
    coords = (ascontiguousarray(ravel(row)), ascontiguousarray(ravel(column)))
    return type(coo)._class_of("coo")._from_parts(ravel(data), coords, shape, canonical=False)


def _reshaped(a: Any, shape: tuple[int, ...]) -> Any:
    return a if a.shape == shape else a.reshape(shape)
