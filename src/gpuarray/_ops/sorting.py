"""Sorting (of the page on sorting, searching and counting)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _dtypes, _layout
from gpuarray._arguments import check_axis
from gpuarray._layout import Layout
from gpuarray._namespace.shared_texts import sharing, texts_of
from gpuarray._ops import fields
from gpuarray._ops.along_axis import take_along_axis
from gpuarray._ops.axis_order import axes_with_last, with_axis_back, with_axis_last
from gpuarray._ops.manipulation import along_axis, as_array, in_one_dimension, reshape
from gpuarray._ops.math import subtract
from gpuarray._ops.ranges import arange
from gpuarray._ops.taking import take
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import sort as sort_kernels
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.sort.launch import argsort_rows, sort_rows

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["argsort", "lexsort", "sort", "sort_complex"]

_INT64 = np.dtype(np.int64)
_KINDS = ("quicksort", "heapsort", "stable", "mergesort")


def sort(
    a: ArrayLike,
    axis: int | None = -1,
    kind: str | None = None,
    order: str | Sequence[str] | None = None,
    *,
    stable: bool | None = None,
    descending: bool | None = None,
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
    order : str or sequence of str, optional
        Fields of a structured array to sort by first; the others follow in the order of the dtype.
    stable : bool, optional
        The sort is stable in any case.
    descending : bool, optional
        From the greatest to the least. NaN still comes last, and equal elements keep their order.

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
    how = _checked_order(kind, stable, descending)
    a = as_array(a, "sort")
    if order is not None or _dtypes.is_raw(a._layout.dtype):
        if axis is None:
            a, axis = in_one_dimension(a), -1
        axis = check_axis(axis, a._layout.ndim)
        return take_along_axis(a, _argsort_fields(a, axis, order, how, "sort"), axis)
    if _is_row(a._layout, axis):
        target = _array.empty(a._layout)
        sort_rows(a, target, how)
        return target
    if axis is None:
        a, axis = in_one_dimension(a), -1
    axis = check_axis(axis, a._layout.ndim)
    rows, moved = with_axis_last(a._layout, axis)
    source = _array.view(a, rows)
    if rows.c_contiguous:
        target = _array.empty(rows)
        sort_rows(source, target, how)
    else:
        target = copies.copy(source, "C")
        sort_rows(target, target, how)
    return with_axis_back(target, moved, a._layout)


@sharing(texts_of(sort))
def sort_in_place(
    a: ndarray,
    axis: int = -1,
    kind: str | None = None,
    order: str | Sequence[str] | None = None,
    *,
    stable: bool | None = None,
    descending: bool | None = None,
) -> None:
    """``ndarray.sort``: sort the array itself along an axis; see `gpuarray.sort`.

    Parameters
    ----------
    {a}
    {axis}
    {kind}
    {order}
    {stable}
    {descending}
    """
    how = _checked_order(kind, stable, descending)
    axis = check_axis(axis, a._layout.ndim)
    _layout.check_writable(a._layout, "sort")
    if order is not None or _dtypes.is_raw(a._layout.dtype):
        ranks = _argsort_fields(a, axis, order, how, "sort")
        copies.assign(a, take_along_axis(a, ranks, axis))
        return
    rows, _ = with_axis_last(a._layout, axis)
    target = _array.view(a, rows)
    if rows.c_contiguous:
        sort_rows(target, target, how)
    else:
        copied = copies.copy(target, "C")
        sort_rows(copied, copied, how)
        copies.assign(target, copied)


def argsort(
    a: ArrayLike,
    axis: int | None = -1,
    kind: str | None = None,
    order: str | Sequence[str] | None = None,
    *,
    stable: bool | None = None,
    descending: bool | None = None,
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
    order : str or sequence of str, optional
        Fields of a structured array to sort by first; the others follow in the order of the dtype.
    stable : bool, optional
        The sort is stable in any case.
    descending : bool, optional
        From the greatest to the least. NaN still comes last, and equal elements keep their order.

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
    how = _checked_order(kind, stable, descending)
    a = as_array(a, "argsort")
    if order is not None or _dtypes.is_raw(a._layout.dtype):
        a, axis = along_axis(a, axis)
        return _argsort_fields(a, axis, order, how, "argsort")
    if _is_row(a._layout, axis):
        target = _array.empty(_layout.contiguous(_INT64, a._layout.shape))
        argsort_rows(a, target, how)
        return target
    a, axis = along_axis(a, axis)
    rows, moved = with_axis_last(a._layout, axis)
    source = _array.view(a, rows)
    if not rows.c_contiguous:
        source = copies.copy(source, "C")
    target = _array.empty(_layout.contiguous(_INT64, rows.shape))
    argsort_rows(source, target, how)
    result = _layout.layout_of(_INT64, a._layout.shape, a._layout.strides)
    return with_axis_back(target, moved, result)


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

    Raises
    ------
    TypeError
        If there is no key.
    ValueError
        If the keys differ in shape.

    Notes
    -----
    Two launches, if the keys of an element have eight bytes at most, are real and lie behind one
    another along the axis, and rows are short; else those of `argsort` for each key, and one more.

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
    axis = check_axis(axis, max(len(shape), 1))
    if not shape:
        return arange(1).reshape(())
    moved = axes_with_last(axis, len(shape))
    layouts = [key._layout for key in arrays]
    if axis == len(shape) - 1 and sort_kernels.packing.fits(layouts):
        return _argsort_last(_plan_packing(current.stream, *layouts)(*arrays))
    order: Any = None
    for key in arrays:
        row = _array.view(key, _layout.transpose(key._layout, moved))
        row = row if row._layout.c_contiguous else copies.copy(row, "C")
        if order is None:
            order = _argsort_last(row)
        else:
            order = _along_last(order, _argsort_last(_along_last(row, order)))
    return with_axis_back(order, moved, _layout.contiguous(_INT64, shape))


@planned
def _plan_packing(stream: Stream, *keys: Layout) -> Callable[..., Any]:
    return sort_kernels.packing.make_call(keys, stream)


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


def _is_row(layout: Any, axis: Any) -> bool:
    """Whether an array is sorted as it lies: gapless rows along the last axis."""
    ndim = layout.ndim
    return (
        layout.size > 1
        and layout.c_contiguous
        and ((axis is None and ndim == 1) or (type(axis) is int and axis in (-1, ndim - 1)))
    )


def _argsort_fields(a: Any, axis: int, order: Any, how: str, name: str) -> Any:
    """The indices of structures in sorted order: a `lexsort` by their fields."""
    keys = fields.in_order(a, order, name)
    if how == "ascending":
        return lexsort(keys[::-1], axis)
    # The stable order from the greatest to the least is that of the reversed axis, reversed.
    turn = (slice(None),) * axis + (slice(None, None, -1),)
    reverse: Any = lexsort([key[turn] for key in reversed(keys)], axis)  # type: ignore[index]  # by ndarray
    return subtract(a._layout.shape[axis] - 1, reverse[turn])


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


def _checked_order(kind: Any, stable: Any, descending: Any) -> str:
    """The order of elements that valid arguments ask for."""
    if kind is not None:
        if stable is not None or descending is not None:
            raise ValueError(
                "`kind` and keyword parameters can't be provided at the same time. "
                "Use only one of them."
            )
        if kind not in _KINDS:
            raise ValueError(
                f"sort kind must be one of 'quick', 'heap', or 'stable' (got {kind!r})"
            )
    return "descending" if descending else "ascending"
