"""Products of arrays in coordinates that have, or whose operand has, more than two dimensions.

Each is a product of two matrices: dimensions that are not added along are rows or columns, and
matrices that are multiplied pair by pair are blocks on a diagonal.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuarray._ops.creation import zeros
from gpuarray._ops.dimensions import broadcast_to
from gpuarray._ops.manipulation import reshape
from gpuarray._ops.ranges import arange
from gpuarray._ops.rearranging import tile
from gpuarray._ops.transposing import moveaxis, transpose
from gpuarray.scipy.sparse import _linear
from gpuarray.scipy.sparse._index_dtype import INT64

__all__ = ["broadcast", "matmul", "reflected_matmul", "tensordot"]

_PREFIX = "matmul: dimension mismatch with signature"


def _made(a: Any, data: Any, coords: Sequence[Any], shape: Sequence[int]) -> Any:
    """An array in coordinates, with indices of 64 bits where it has many dimensions."""
    if len(shape) > 2:
        coords = [x.astype(INT64, copy=False) for x in coords]
    return type(a)._class_of("coo")._from_parts(data, coords, tuple(shape))


# ---- broadcasting --------------------------------------------------------------------------------


def broadcast(a: Any, shape: tuple[int, ...]) -> Any:
    """An array in coordinates repeated along new dimensions, and along those of length 1."""
    if a.shape == shape:
        return a
    missing = len(shape) - a.ndim
    extents = (1,) * missing + a.shape
    line = zeros(a.data.shape, INT64)
    coords, data = [*[line] * missing, *a.coords], a.data
    for axis in range(len(shape) - 1, -1, -1):
        if extents[axis] == shape[axis]:
            continue
        if extents[axis] != 1:
            raise ValueError(f"current shape {a.shape} cannot be broadcast to new shape {shape}")
        count, copies = int(data.size), shape[axis]
        coords = [tile(x, copies) for x in coords]
        new = arange(copies, dtype=INT64)[:, None]
        coords[axis] = reshape(broadcast_to(new, (copies, count)), -1)
        data = tile(data, copies)
    return _made(a, data, coords, shape)


def _block_diagonal(a: Any) -> Any:
    """The matrices of an array as blocks on the diagonal of one."""
    *stack, rows, columns = a.shape
    blocks = math.prod(stack)
    block = _linear.ravel(a.coords[:-2], stack)
    shape = (blocks, rows, columns)
    places = [
        _linear.ravel([block, x], (blocks, n))
        for x, n in zip(a.coords[-2:], shape[1:], strict=True)
    ]
    return _made(a, a.data, places, (blocks * rows, blocks * columns))


def _common_stack(a: Any, b: Any) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise ValueError(
            f"Batch dimensions are not broadcastable: {a.shape[:-2]} and {b.shape[:-2]}"
        ) from None


# ---- matmul --------------------------------------------------------------------------------------


def matmul(a: Any, b: Any, sparse: bool) -> Any:
    """The product ``a @ b`` of an array in coordinates and a sparse or a dense one."""
    inner = a.shape[-1]
    if b.ndim == 1 and b.shape[0] != inner:
        raise ValueError(f"{_PREFIX} (n,k={inner}),(k={b.shape[0]},)->(n,)")
    if b.ndim > 1 and b.shape[-2] != inner:
        raise ValueError(f"{_PREFIX} (n,..,k={inner}),(k={b.shape[-2]},..,m)->(n,..,m)")
    if b.ndim <= 2:
        return tensordot(a, b, [a.ndim - 1], [0], sparse)
    if a.ndim == 1:
        found = matmul(a.reshape((1, inner)), b, sparse)
        return found.reshape((*found.shape[:-2], found.shape[-1]))
    stack = _common_stack(a, b)
    if math.prod(a.shape[:-2]) == 1:
        # One matrix for all: beside one another, the others are one.
        found = tensordot(a.reshape(a.shape[-2:]), b, [1], [b.ndim - 2], sparse)
        found = _axis_to(found, 0, found.ndim - 2, sparse)
        return found.reshape((*stack, *found.shape[-2:]))
    rows, columns = a.shape[-2], b.shape[-1]
    left = _block_diagonal(broadcast(a, (*stack, rows, inner)))
    if not sparse:
        right = broadcast_to(b, (*stack, inner, columns))
        found = left @ reshape(right, (math.prod(stack) * inner, columns))
        return reshape(found, (*stack, rows, columns))
    product = (left @ _block_diagonal(broadcast(b, (*stack, inner, columns)))).tocoo()
    row, column = product.coords
    block, row = _linear.unravel(row, (math.prod(stack), rows))
    coords = [*_linear.unravel(block, stack), row, column % columns]
    return _made(a, product.data, coords, (*stack, rows, columns))


def _axis_to(x: Any, source: int, target: int, sparse: bool) -> Any:
    if not sparse:
        return moveaxis(x, source, target)
    order = [axis for axis in range(x.ndim) if axis != source]
    order.insert(target, source)
    return x.transpose(order)


def reflected_matmul(a: Any, x: Any) -> Any:
    """The product ``x @ a`` of a dense array and one in coordinates."""
    found = matmul(_matrices_transposed(a), _matrices_transposed(x), False)
    return found if a.ndim == 1 or x.ndim == 1 else _matrices_transposed(found)


def _matrices_transposed(x: Any) -> Any:
    return x if x.ndim == 1 else x.transpose((*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))


# ---- tensordot -----------------------------------------------------------------------------------


def axes_of(axes: Any, left: int, right: int) -> tuple[list[int], list[int]]:
    """The dimensions of two operands that `tensordot` adds along, not negative."""
    if isinstance(axes, int | np.integer):
        if not 1 <= axes <= min(left, right):
            raise ValueError(
                f"axes integer is out of bounds for input arrays: {axes} of {left} and {right}"
            )
        return list(range(left - int(axes), left)), list(range(int(axes)))
    if not isinstance(axes, tuple | list):
        raise TypeError(f"axes must be an integer or a tuple/list of integers, not {axes!r}")
    if len(axes) != 2:
        raise ValueError(f"axes must be a tuple/list of length 2, not {axes!r}")
    found = []
    for given, ndim in zip(axes, (left, right), strict=True):
        numbers = [operator.index(axis) for axis in given]
        if any(not -ndim <= axis < ndim for axis in numbers):
            raise ValueError(f"axes indices are out of bounds for input arrays: {given!r}")
        found.append([axis % ndim for axis in numbers])
    if len(found[0]) != len(found[1]):
        raise ValueError(f"axes lists/tuples must be of the same length: {axes!r}")
    return found[0], found[1]


def tensordot(a: Any, b: Any, a_axes: Sequence[int], b_axes: Sequence[int], sparse: bool) -> Any:
    """The sums of products along dimensions of both; those of the first that remain come first."""
    if [a.shape[axis] for axis in a_axes] != [b.shape[axis] for axis in b_axes]:
        raise ValueError(
            f"sizes of the corresponding axes must match: {list(a_axes)} of {a.shape} and "
            f"{list(b_axes)} of {b.shape}"
        )
    left, rows = _linear.as_matrix(a, a_axes)
    rest = _linear.others(b.ndim, b_axes)
    if not sparse:
        columns = tuple([b.shape[axis] for axis in rest])
        right = transpose(b, (*b_axes, *rest))
        found = left @ reshape(right, (left.shape[1], math.prod(columns)))
        return reshape(found, (*rows, *columns))
    matrix, columns = _linear.as_matrix(b.tocoo(), b_axes)
    product = (left @ matrix.transpose()).tocoo()
    shape = (*rows, *columns)
    if not shape:
        return reshape(product.toarray(), ())
    row, column = product.coords
    coords = [*_linear.unravel(row, rows), *_linear.unravel(column, columns)]
    return _made(a, product.data, coords, shape)
