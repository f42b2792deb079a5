"""Partitions: some elements where they are in sorted order (of the page on sorting)."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _dtypes, _layout
from gpuarray._arguments import check_axis
from gpuarray._array import ArrayBase
from gpuarray._namespace.shared_texts import sharing, texts_of
from gpuarray._ops.axis_order import with_axis_back, with_axis_last
from gpuarray._ops.manipulation import along_axis, as_array, in_one_dimension
from gpuarray._ops.sorting import argsort, sort
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.select.launch import argpartition_rows, partition_rows

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["argpartition", "partition"]

_INT64 = np.dtype(np.int64)


def partition(
    a: ArrayLike,
    kth: int | Sequence[int],
    axis: int | None = -1,
    kind: str = "introselect",
    order: str | Sequence[str] | None = None,
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
    order : str or sequence of str, optional
        Fields of a structured array to sort by first; the others follow in the order of the dtype.

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
    ranks = _ranks(a, kth, axis, kind)
    if order is not None or _dtypes.is_raw(a._layout.dtype):
        return sort(a, axis, order=order)  # structures are sorted, which is a partition, too
    if axis is None:
        a, axis = in_one_dimension(a), -1
    rows, moved = with_axis_last(a._layout, check_axis(axis, a._layout.ndim))
    source = _array.view(a, rows)
    if not rows.c_contiguous:
        source = copies.copy(source, "C")
    target = _array.empty(source._layout)
    partition_rows(source, target, ranks)
    return with_axis_back(target, moved, a._layout)


@sharing(texts_of(partition))
def partition_in_place(
    a: ndarray,
    kth: int | Sequence[int],
    axis: int = -1,
    kind: str = "introselect",
    order: str | Sequence[str] | None = None,
) -> None:
    """``ndarray.partition``: see `gpuarray.partition`. Temporary memory for a copy in addition.

    Parameters
    ----------
    {a}
    {kth}
    {axis}
    {kind}
    {order}
    """
    _layout.check_writable(a._layout, "partition")
    copies.assign(a, partition(a, kth, operator.index(axis), kind, order))


def argpartition(
    a: ArrayLike,
    kth: int | Sequence[int],
    axis: int | None = -1,
    kind: str = "introselect",
    order: str | Sequence[str] | None = None,
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
    order : str or sequence of str, optional
        Fields of a structured array to sort by first; the others follow in the order of the dtype.

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
    a, axis = along_axis(as_array(a, "argpartition"), axis)
    ranks = _ranks(a, kth, axis, kind)
    if order is not None or _dtypes.is_raw(a._layout.dtype):
        return argsort(a, axis, order=order)
    rows, moved = with_axis_last(a._layout, axis)
    source = _array.view(a, rows)
    if not rows.c_contiguous:
        source = copies.copy(source, "C")
    target = _array.empty(_layout.contiguous(_INT64, rows.shape))
    argpartition_rows(source, target, ranks)
    result = _layout.layout_of(_INT64, a._layout.shape, a._layout.strides)
    return with_axis_back(target, moved, result)


def _ranks(a: Any, kth: Any, axis: Any, kind: Any) -> list[int]:
    """The ranks from 0 on; the arguments are checked."""
    if kind != "introselect":
        raise ValueError(f"select kind must be 'introselect' (got {kind!r})")
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
    given = np.asarray(kth)
    if given.ndim > 1:
        raise ValueError(f"kth must be an integer or a sequence of integers, got {kth!r}")
    for one in np.ravel(given).tolist():
        if isinstance(one, bool):
            raise ValueError("Booleans unacceptable as partition index")
        try:
            rank = operator.index(one)
        except TypeError:
            raise TypeError(f"Partition index must be integer, got {one!r}") from None
        if not -length <= rank < length and (length or rank):
            raise ValueError(f"kth(={rank}) out of bounds ({length})")
        ranks.append(rank + length if rank < 0 else rank)
    return ranks
