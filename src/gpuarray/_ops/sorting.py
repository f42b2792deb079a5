"""Sorting (of the page on sorting, searching and counting)."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _layout
from gpuarray._array import ArrayBase
from gpuarray._layout import check_axis
from gpuarray._ops.indexing import take
from gpuarray._ops.manipulation import as_array, ravel, reshape
from gpuarray._ops.ranges import arange
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.select.launch import argpartition_rows, partition_rows
from gpuarray.kernels.sort.launch import argsort_rows, sort_rows

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["argpartition", "argsort", "lexsort", "partition", "sort", "sort_complex"]

_INT64 = np.dtype(np.int64)
_KINDS = ("quicksort", "heapsort", "stable", "mergesort")


def sort(
    a: ArrayLike,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
) -> ndarray:
    """A sorted copy of an array.

    Parameters
    ----------
    a : ndarray
        The array. NaN comes last; complex numbers are sorted by their real and then by their
        imaginary parts, those with a NaN last.
    axis : int, optional
        The axis to sort along; ``None`` flattens the array first.
    kind : {'quicksort', 'heapsort', 'stable', 'mergesort'}, optional
        Every kind is the same stable radix sort.
    order : None
        Fields to sort by: the device has no structured dtypes.
    stable : bool, optional
        The sort is stable in any case.

    Returns
    -------
    ndarray
        Of the shape of ``a``.

    Notes
    -----
    Rows of up to 4096 elements of four bytes are sorted in one launch, and a few of up to 32768 in
    two: tiles, and a merge. Longer ones take a launch to clear, one to count and one for each byte
    of an element, and for elements of one byte three launches. A digit that is the same in all
    elements costs nothing but its launch. Rows of 2^19 elements of eight bytes or more take two
    launches more, but fewer passes where a sample says that three to six of eight bytes tell
    nearly all elements apart. Where the axis is not the last one in memory, elements are copied to
    rows before and back after.

    Temporary memory: none for short rows and for elements of one byte, else a copy of the rows that
    are sorted together (of 8e6 elements at least) and about 3.5 %.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.sort(cp.asarray([[3, 1, 2], [9, 8, 7]]))
    array([[1, 2, 3],
           [7, 8, 9]])
    """
    _check_arguments(kind, order, stable)
    a = as_array(a, "sort")
    if _is_row(a._layout, axis):
        target = _array.empty(a._layout)
        sort_rows(a, target)
        return target
    if axis is None:
        a, axis = ravel(a), -1
    axis = check_axis(axis, a._layout.ndim)
    rows, moved = _rows(a._layout, axis)
    source = _array.view(a, rows)
    if rows.c_contiguous:
        target = _array.empty(rows)
        sort_rows(source, target)
    else:
        target = copies.copy(source, "C")
        sort_rows(target, target)
    return _as_before(target, moved, a._layout)


def sort_in_place(
    a: ndarray,
    axis: int = -1,
    kind: str | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
) -> None:
    """``ndarray.sort``: sort the array itself along an axis; see `gpuarray.sort`."""
    _check_arguments(kind, order, stable)
    axis = check_axis(axis, a._layout.ndim)
    _layout.check_writable(a._layout, "sort")
    rows, _ = _rows(a._layout, axis)
    target = _array.view(a, rows)
    if rows.c_contiguous:
        sort_rows(target, target)
    else:
        copied = copies.copy(target, "C")
        sort_rows(copied, copied)
        copies.assign(target, copied)


def argsort(
    a: ArrayLike,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
) -> ndarray:
    """The indices of elements in sorted order.

    Parameters
    ----------
    a : ndarray
        The array, ordered as by `sort`.
    axis : int, optional
        The axis to sort along; ``None`` flattens the array first.
    kind : {'quicksort', 'heapsort', 'stable', 'mergesort'}, optional
        Every kind is the same stable radix sort: equal elements keep their order.
    order : None
        Fields to sort by: the device has no structured dtypes.
    stable : bool, optional
        The sort is stable in any case.

    Returns
    -------
    ndarray of int64
        Of the shape of ``a``.

    Notes
    -----
    The launches are those of `sort` (elements of one byte take three as well). Temporary memory:
    none for short rows, else two copies of the rows that are sorted together, 4 bytes for each of
    their elements (8 in rows of 2^30 elements or more), and about 3.5 % of a copy.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.argsort(cp.asarray([30, 10, 20, 10]))
    array([1, 3, 2, 0])
    """
    _check_arguments(kind, order, stable)
    a = as_array(a, "argsort")
    if _is_row(a._layout, axis):
        target = _array.empty(_layout.contiguous(_INT64, a._layout.shape))
        argsort_rows(a, target)
        return target
    if axis is None:
        a, axis = ravel(a), -1
    elif not a._layout.ndim:
        a = reshape(a, (1,))
    axis = check_axis(axis, a._layout.ndim)
    rows, moved = _rows(a._layout, axis)
    source = _array.view(a, rows)
    if not rows.c_contiguous:
        source = copies.copy(source, "C")
    target = _array.empty(_layout.contiguous(_INT64, rows.shape))
    argsort_rows(source, target)
    result = _layout.layout_of(_INT64, a._layout.shape, a._layout.strides)
    return _as_before(target, moved, result)


def lexsort(keys: Sequence[ArrayLike] | ndarray, axis: int = -1) -> ndarray:
    """The indices of elements in the order of several keys.

    Parameters
    ----------
    keys : sequence of ndarray, or ndarray
        Keys of one shape; the last is the first to sort by.
    axis : int, optional
        The axis to sort along.

    Returns
    -------
    ndarray of int64
        Of the shape of a key.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.lexsort((cp.asarray([2, 1, 0]), cp.asarray([5, 4, 5])))
    array([1, 2, 0])
    """
    arrays = [as_array(key, "lexsort") for key in keys]
    if not arrays:
        raise TypeError("lexsort: need sequence of keys with len > 0")
    shape = arrays[0]._layout.shape
    for key in arrays:
        if key._layout.shape != shape:
            raise ValueError(
                f"lexsort: all keys need to be the same shape, got {shape} and {key._layout.shape}"
            )
    if not shape:
        return arange(1).reshape(())
    axis = check_axis(axis, len(shape))
    moved = _last(axis, len(shape))
    order: Any = None
    for key in arrays:
        row = copies.copy(_array.view(key, _layout.transpose(key._layout, moved)), "C")
        if order is None:
            order = _argsort_last(row)
        else:
            order = _along_last(order, _argsort_last(_along_last(row, order)))
    return _as_before(order, moved, _layout.contiguous(_INT64, shape))


def sort_complex(a: ArrayLike) -> ndarray:
    """A sorted copy along the last axis, as complex numbers.

    Parameters
    ----------
    a : ndarray
        The array.

    Returns
    -------
    ndarray
        complex64 for integers of up to 16 bits, complex128 for other real dtypes.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.sort_complex(cp.asarray([5, 3, 6, 2, 1]))
    array([1.+0.j, 2.+0.j, 3.+0.j, 5.+0.j, 6.+0.j])
    """
    result = sort(as_array(a, "sort_complex"))
    dtype = result._layout.dtype
    if dtype.kind == "c":
        return result
    narrow = dtype.kind in "iu" and dtype.itemsize <= 2
    return copies.copy(result, dtype=np.dtype(np.complex64 if narrow else np.complex128))


def partition(
    a: ArrayLike,
    kth: int | Sequence[int],
    axis: int | None = -1,
    kind: str = "introselect",
    order: None = None,
) -> ndarray:
    """A copy in which some elements are where they are in sorted order.

    Parameters
    ----------
    a : ndarray
        The array, ordered as by `sort`.
    kth : int or sequence of int
        Ranks whose elements are in place afterwards: none before is greater, none behind less.
    axis : int, optional
        The axis to sort along; ``None`` flattens the array first.
    kind : {'introselect'}, optional
        NumPy's only algorithm.
    order : None
        Fields to sort by: the device has no structured dtypes.

    Returns
    -------
    ndarray
        Of the shape of ``a``.

    Notes
    -----
    A radix select finds the elements (T. Alabi and others, *Fast k-selection algorithms
    for graphics processing units*, 2012): digits of 11 bits are counted, the highest first, among
    the elements that agree in the digits before. One more launch stores what is smaller, equal and
    greater. Elements before, between and behind the ``kth`` keep their order, so the result is
    always the same.

    Elements of four bytes are read four times and written once, in five launches, and many rows of
    up to 131072 elements in one. Short rows (4096 elements of four bytes), elements of one byte,
    complex numbers and more than two ``kth`` are sorted, with launches and memory of `sort`.
    Temporary memory otherwise: at most a tenth of the elements, and none for those many rows. Where
    the axis is not the last one in memory, elements are copied to rows before, and back after.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.partition(cp.asarray([7, 1, 7, 7, 1, 5]), 2)[2]
    array(5)
    """
    a = as_array(a, "partition")
    ranks = _partition_ranks(a, kth, axis, kind, order)
    if axis is None:
        a, axis = ravel(a), -1
    rows, moved = _rows(a._layout, check_axis(axis, a._layout.ndim))
    source = _array.view(a, rows)
    if not rows.c_contiguous:
        source = copies.copy(source, "C")
    target = _array.empty(source._layout)
    partition_rows(source, target, ranks)
    return _as_before(target, moved, a._layout)


def partition_in_place(
    a: ndarray,
    kth: int | Sequence[int],
    axis: int = -1,
    kind: str = "introselect",
    order: None = None,
) -> None:
    """``ndarray.partition``: see `gpuarray.partition`. Temporary memory for a copy in addition."""
    _layout.check_writable(a._layout, "partition")
    copies.assign(a, partition(a, kth, axis, kind, order))


def argpartition(
    a: ArrayLike,
    kth: int | Sequence[int],
    axis: int | None = -1,
    kind: str = "introselect",
    order: None = None,
) -> ndarray:
    """The indices of elements in an order as of `partition`.

    Parameters
    ----------
    a : ndarray
        The array, ordered as by `sort`.
    kth : int or sequence of int
        Ranks whose elements are in place: none before is greater, none behind less.
    axis : int, optional
        The axis to sort along; ``None`` flattens the array first.
    kind : {'introselect'}, optional
        NumPy's only algorithm.
    order : None
        Fields to sort by: the device has no structured dtypes.

    Returns
    -------
    ndarray of int64
        Of the shape of ``a``.

    Notes
    -----
    As `partition`: equal elements keep their order. What is sorted takes the memory of `argsort`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.argpartition(cp.asarray([30, 10, 20]), 1)[1]
    array(2)
    """
    a = as_array(a, "argpartition")
    ranks = _partition_ranks(a, kth, axis, kind, order)
    if axis is None:
        a, axis = ravel(a), -1
    elif not a._layout.ndim:
        a = reshape(a, (1,))
    rows, moved = _rows(a._layout, check_axis(axis, a._layout.ndim))
    source = _array.view(a, rows)
    if not rows.c_contiguous:
        source = copies.copy(source, "C")
    target = _array.empty(_layout.contiguous(_INT64, rows.shape))
    argpartition_rows(source, target, ranks)
    result = _layout.layout_of(_INT64, a._layout.shape, a._layout.strides)
    return _as_before(target, moved, result)


# ---- rows -------------------------------------------------------------------------------------


def _last(axis: int, ndim: int) -> tuple[int, ...]:
    """The axes with one moved behind the others."""
    return (*[i for i in range(ndim) if i != axis], axis)


def _is_row(layout: Any, axis: Any) -> bool:
    """Whether an array is sorted as it lies: gapless and of one dimension."""
    return (
        layout.ndim == 1
        and layout.c_contiguous
        and layout.size > 1
        and (axis is None or (type(axis) is int and -1 <= axis <= 0))
    )


def _rows(layout: Any, axis: int) -> tuple[Any, tuple[int, ...]]:
    """The layout with one axis moved behind the others, and the axes in that order.

    Of the orders of the others, that of memory: then elements of a gapless array whose fastest
    axis is the sorted one need not be copied.
    """
    others = [i for i in range(layout.ndim) if i != axis]
    others.sort(key=lambda i: -abs(layout.strides[i]))
    moved = (*others, axis)
    return _layout.transpose(layout, moved), moved


def _as_before(a: Any, moved: tuple[int, ...], wanted: Any) -> Any:
    """An array of sorted rows with its axes where they were, in the memory order of a layout."""
    back = [0] * len(moved)
    for new, old in enumerate(moved):
        back[old] = new
    result = _array.view(a, _layout.transpose(a._layout, back))
    target = _layout.like_order(a._layout.dtype, wanted.shape, [wanted])
    if _same_order(result._layout, target):
        return _array.view(result, target)
    copied = _array.empty(target)
    copies.assign(copied, result)
    return copied


def _same_order(layout: Any, other: Any) -> bool:
    """Whether two layouts of one shape differ only in strides that are never taken."""
    return layout.size == 0 or all(
        a == b or length == 1
        for a, b, length in zip(layout.strides, other.strides, layout.shape, strict=True)
    )


def _argsort_last(rows: Any) -> Any:
    target = _array.empty(_layout.contiguous(_INT64, rows._layout.shape))
    argsort_rows(rows, target)
    return target


def _along_last(rows: Any, order: Any) -> Any:
    """The elements of C-contiguous rows by their indices within each row."""
    shape = rows._layout.shape
    count, length = (rows._layout.size // shape[-1] if shape[-1] else 0), shape[-1]
    if count > 1:
        first = reshape(arange(0, count * length, length), (*shape[:-1], 1))
        order = order + first
    return take(rows, order)


# ---- arguments --------------------------------------------------------------------------------


def _check_arguments(kind: Any, order: Any, stable: Any) -> None:
    if kind is not None:
        if stable is not None:
            raise ValueError(
                "`kind` and keyword parameters can't be provided at the same time. "
                "Use only one of them."
            )
        if kind not in _KINDS:
            raise ValueError(
                f"sort kind must be one of 'quick', 'heap', or 'stable' (got {kind!r})"
            )
    _check_order(order)


def _check_order(order: Any) -> None:
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")


def _partition_ranks(a: Any, kth: Any, axis: Any, kind: Any, order: Any) -> list[int]:
    """The ranks from 0 on; the arguments are checked."""
    if kind != "introselect":
        raise ValueError(f"select kind must be 'introselect' (got {kind!r})")
    _check_order(order)
    if isinstance(kth, ArrayBase):
        raise TypeError(
            "partition: kth is a device array, but says which ranks to select; "
            "pass integers: kth.tolist()"
        )
    if axis is None:
        length = a._layout.size
    else:
        axis = check_axis(axis, a._layout.ndim)
        length = a._layout.shape[axis]
    ranks = []
    for one in np.ravel(np.asarray(kth)).tolist():
        try:
            rank = operator.index(one)
        except TypeError:
            raise TypeError(f"Partition index must be integer, got {one!r}") from None
        if not -length <= rank < length and (length or rank):
            raise ValueError(f"kth(={rank}) out of bounds ({length})")
        ranks.append(rank + length if rank < 0 else rank)
    return ranks
