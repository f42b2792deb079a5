"""Products of sparse matrices with vectors and dense matrices: what happens to the arrays.

Functions take any object with the attributes of its format. A matrix in csc is its transpose in
csr. Results are the same bits each time; floats are rounded once a term or sum, in an order that
depends on the layouts and the kind of device.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _layout
from gpuarray._ops.casts import astype
from gpuarray._ops.conversion import ascontiguousarray
from gpuarray._ops.manipulation import reshape
from gpuarray._ops.math import conj, multiply
from gpuarray._ops.products import vdot
from gpuarray._ops.taking import take
from gpuarray._runtime.current_stream import current
from gpuarray.kernels.sparse_format.launch import line_pointers
from gpuarray.kernels.sparse_product import launch
from gpuarray.scipy.sparse import _conversions

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpuarray._types import ndarray

__all__ = [
    "bound_matvec_and_vdot", "bsr_matmat", "coo_matmat", "dia_matmat", "matmat", "matvec",
    "matvec_and_vdot", "transposed_matmat", "transposed_matvec", "upcast",
]  # fmt: skip

_FLOAT32 = np.dtype(np.float32)


def upcast(*dtypes: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype that operands have in common, of those that sparse matrices have.

    Raises
    ------
    TypeError
        If there is none.
    """
    found = np.result_type(*dtypes)
    if found.kind == "f" and found.itemsize == 2:
        return _FLOAT32
    if found.kind not in "biufc":
        names = ", ".join([str(x) for x in dtypes])
        raise TypeError(f"no supported conversion for types: {names}")
    return found


def matvec(a: Any, x: ndarray, conjugate: bool = False) -> ndarray:
    """A compressed matrix times a vector.

    Parameters
    ----------
    a : object
        With the attributes ``indptr``, ``indices``, ``data`` and ``shape`` of a csr matrix.
    x : ndarray, shape (n,)
        With any stride. Unless it is contiguous it is copied first.
    conjugate : bool, optional
        Whether the matrix' elements are conjugated.

    Returns
    -------
    ndarray, shape (m,)
        One launch.
    """
    return _row_products(a.data, a.indices, a.indptr, x, conjugate)


def matvec_and_vdot(
    a: Any, x: ndarray, other: ndarray, target: ndarray | None = None
) -> tuple[ndarray, ndarray]:
    """A compressed matrix times a vector, and the dot product of another vector with that.

    Parameters
    ----------
    a : object
        With the attributes ``indptr``, ``indices``, ``data`` and ``shape`` of a csr matrix.
    x : ndarray, shape (n,)
        With any stride.
    other : ndarray, shape (m,)
        It is conjugated.
    target : ndarray, shape (m,), optional
        Where the product goes, if that is one launch: contiguous, of the result's dtype.

    Returns
    -------
    product : ndarray, shape (m,)
    vdot : ndarray, shape ()
        One launch, if the result is of floats or complex numbers and `other` is like it; else two.
    """
    result = upcast(a.data.dtype, x.dtype)
    layout = other._layout
    if result.kind not in "fc" or layout.dtype != result or not layout.c_contiguous:
        product = matvec(a, x)
        return product, vdot(other, product)
    found: tuple[ndarray, ndarray] = _row_products(
        a.data, a.indices, a.indptr, x, False, other, target
    )
    return found


def bound_matvec_and_vdot(a: Any, like: ndarray) -> Callable[..., Any] | None:
    """`matvec_and_vdot` of many vectors and one matrix, decided and looked up beforehand.

    Parameters
    ----------
    a : object
        With the attributes ``indptr``, ``indices``, ``data`` and ``shape`` of a csr matrix. What
        they are now is multiplied by.
    like : ndarray, shape (n,)
        Contiguous, of the result's dtype, as all vectors are.

    Returns
    -------
    callable or None
        Takes the vector, the other one, and where the product goes; returns the product and the
        dot product. None where that is more than one launch.
    """
    layout, result = like._layout, like.dtype
    whole = layout.size and layout.c_contiguous and a.shape == (layout.size,) * 2
    if not whole or result.kind not in "fc" or upcast(a.data.dtype, result) != result:
        return None
    (indptr, indices), data = _indices(a.indptr, a.indices), _conversions.flat(a.data)
    if not indices._layout.size:
        return None
    layouts = indptr._layout, indices._layout, data._layout, layout
    run = launch.vector_call(current.stream, *layouts, result, False, True, True)
    return partial(run, indptr, indices, data)


def matmat(a: Any, dense: ndarray, conjugate: bool = False) -> ndarray:
    """A compressed matrix times a dense one.

    Parameters
    ----------
    a : object
        With the attributes ``indptr``, ``indices``, ``data`` and ``shape`` of a csr matrix.
    dense : ndarray, shape (n, k)
        With any strides. Where columns are not neighbours in memory it is copied first.
    conjugate : bool, optional
        Whether the matrix' elements are conjugated.

    Returns
    -------
    ndarray, shape (m, k)
        C-contiguous. Three launches, fewer where the matrix is small.
    """
    return _row_products(a.data, a.indices, a.indptr, dense, conjugate)


def transposed_matvec(a: Any, x: ndarray, conjugate: bool = False) -> ndarray:
    """The transpose of a compressed matrix times a vector: ``a.T @ x``.

    Sums of floats that were added in the order in which threads come would not repeat, so the
    columns are sorted first, and products are added in their order: for several products,
    transpose the matrix once.

    Parameters
    ----------
    a : object
        With the attributes ``indptr``, ``indices``, ``data`` and ``shape`` of a csr matrix.
    x : ndarray, shape (m,)
        With any stride.
    conjugate : bool, optional
        Whether the matrix' elements are conjugated.

    Returns
    -------
    ndarray, shape (n,)
    """
    _conversions.check_lengths(a.data, a.indices)
    data = conj(a.data) if conjugate and a.data.dtype.kind == "c" else a.data
    lines = _conversions.expanded(a.indptr, a.indices._layout.size)
    return _sums_at(a.indices, a.shape[1], data, x, lines)


def _sums_at(places: Any, count: int, data: Any, x: Any, others: Any) -> Any:
    """Products of elements with those of a vector at other places, added up at places.

    One sort of the places, which keeps the order of equal ones.
    """
    result = upcast(data.dtype, x.dtype)
    products = multiply(data, take(x, others), dtype=result)
    places = _conversions.flat(places)
    order = _conversions.argsorted(places)
    pointers = line_pointers(take(places, order), count, 1, order.dtype)
    run = launch.vector_call(
        current.stream, pointers._layout, order._layout, None, products._layout, result
    )
    return run(pointers, order, order, products)


def transposed_matmat(a: Any, dense: ndarray, conjugate: bool = False) -> ndarray:
    """The transpose of a compressed matrix times a dense one: ``a.T @ dense``.

    As `transposed_matvec`, for a matrix of shape (m, k): the matrix is transposed.
    """
    index = a.indices.dtype
    parts = _conversions.transposed(a.data, a.indices, a.indptr, a.shape[1], index)
    return _row_products(*parts, dense, conjugate)


def coo_matmat(a: Any, dense: ndarray) -> ndarray:
    """A matrix in coordinates times a vector or a dense matrix; its rows are sorted first.

    Parameters
    ----------
    a : object
        With the attributes ``row``, ``col``, ``data`` and ``shape`` of a coo matrix.
    dense : ndarray
        With one or two dimensions and any strides.
    """
    if dense._layout.ndim == 1:
        _conversions.check_lengths(a.data, a.row)
        return _sums_at(a.row, a.shape[0], _conversions.flat(a.data), dense, a.col)
    index = a.row.dtype
    parts = _conversions.compressed(a.row, a.col, a.data, a.shape, index, add=False)
    return _row_products(*parts, dense, False)


def dia_matmat(a: Any, dense: ndarray) -> ndarray:
    """A matrix of diagonals times a vector or a dense matrix.

    Parameters
    ----------
    a : object
        With the attributes ``offsets``, ``data`` and ``shape`` of a dia matrix.
    dense : ndarray
        With one or two dimensions and any strides.
    """
    result = upcast(a.data.dtype, dense.dtype)
    offsets, data, matrix = _conversions.flat(a.offsets), _conversions.flat(a.data), _columns(dense)
    run = launch.diagonals_call(
        current.stream, offsets._layout, data._layout, matrix._layout, a.shape[0], result
    )
    return _shaped(run(offsets, data, matrix), dense)


def bsr_matmat(a: Any, dense: ndarray) -> ndarray:
    """A matrix of dense blocks times a vector or a dense matrix.

    Parameters
    ----------
    a : object
        With the attributes ``indptr``, ``indices``, ``data`` and ``shape`` of a bsr matrix.
    dense : ndarray
        With one or two dimensions and any strides.
    """
    result = upcast(a.data.dtype, dense.dtype)
    matrix = _columns(dense)
    (indptr, indices), data = _indices(a.indptr, a.indices), _conversions.flat(a.data)
    run = launch.blocks_call(
        current.stream, indptr._layout, indices._layout, data._layout, matrix._layout, result
    )
    return _shaped(run(indptr, indices, data, matrix), dense)


def _row_products(
    data: Any,
    indices: Any,
    indptr: Any,
    dense: Any,
    conjugate: bool,
    other: Any = None,
    target: Any = None,
) -> Any:
    left, right = data.dtype, dense.dtype
    result = left if left is right else upcast(left, right)
    conjugate = conjugate and left.kind == "c"
    layout = dense._layout
    if not (layout.c_contiguous if layout.ndim == 1 else _is_by_rows(layout)):
        dense = ascontiguousarray(dense)
        layout = dense._layout
    make = launch.vector_call if layout.ndim == 1 else launch.dense_call
    (indptr, indices), data = _indices(indptr, indices), _conversions.flat(data)
    layouts = indptr._layout, indices._layout, data._layout, layout
    if target is not None and indices._layout.size and target._layout.size:
        run = launch.vector_call(current.stream, *layouts, result, conjugate, True, True)
        return run(indptr, indices, data, dense, other, target)
    if other is not None:
        run = launch.vector_call(current.stream, *layouts, result, conjugate, True)
        return run(indptr, indices, data, dense, other)
    run = make(current.stream, *layouts, result, conjugate)
    return run(indptr, indices, data, dense)


def _is_by_rows(layout: Any) -> bool:
    """Whether neighbouring columns are neighbours in memory, and elements aligned."""
    if layout.unaligned:
        return False
    return layout.shape[1] == 1 or abs(layout.strides[1]) <= layout.itemsize


def _indices(indptr: Any, indices: Any) -> tuple[Any, Any]:
    """Index arrays as kernels read them: gapless and of one dtype."""
    indptr, indices = _conversions.flat(indptr), _conversions.flat(indices)
    if indptr.dtype != indices.dtype:
        wide = np.dtype(np.int64)
        indptr, indices = [x if x.dtype == wide else astype(x, wide) for x in (indptr, indices)]
    return indptr, indices


def _columns(dense: Any) -> Any:
    """A vector as a matrix of one column, aligned."""
    if dense._layout.unaligned:
        dense = ascontiguousarray(dense)
    layout = dense._layout
    if layout.ndim == 2:
        return dense
    column = _layout.layout_of(
        layout.dtype, (*layout.shape, 1), (*layout.strides, layout.itemsize), layout.access
    )
    return _array.view(dense, column)


def _shaped(result: Any, dense: Any) -> Any:
    return reshape(result, result.shape[:1]) if dense.ndim == 1 else result
