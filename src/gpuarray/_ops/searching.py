"""Searching (of the page on sorting, searching and counting)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._layout import Layout
from gpuarray._ops.conversion import array
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.nonzero import as_truth
from gpuarray._ops.taking import take
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.reduction.rules import ArgReduction, CountReduction
from gpuarray.kernels.search.launch import search_call

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, Operand, ndarray

__all__ = ["argmax", "argmin", "count_nonzero", "nanargmax", "nanargmin", "searchsorted"]

_argmax, _argmin = ArgReduction("argmax", True), ArgReduction("argmin", False)
_nanargmax = ArgReduction("nanargmax", True, nan=True)
_nanargmin = ArgReduction("nanargmin", False, nan=True)
_count = CountReduction("add")


def argmax(
    a: Operand, axis: int | None = None, out: ndarray | None = None, *, keepdims: bool = False
) -> ndarray:
    """Indices of the greatest elements along an axis.

    Parameters
    ----------
    a : ndarray
        Elements to search. The first NaN is the greatest; complex numbers are compared by their
        real and then by their imaginary parts.
    axis : int, optional
        The axis to search; by default the index in the flattened array is returned.
    out : ndarray of int64, optional
        Where the result is stored.
    keepdims : bool, optional
        Keep the searched axis as an axis of length 1.

    Returns
    -------
    ndarray of int64
        Indices; of equal elements, the first.

    Notes
    -----
    One launch. Temporary memory: where blocks share a result, one element and its index for
    each of them, a few MB at most.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.argmax(cp.asarray([[1, 5, 5], [7, 2, 3]]), axis=1)
    array([1, 0])
    """
    return _argmax(a, axis, out, keepdims)


def argmin(
    a: Operand, axis: int | None = None, out: ndarray | None = None, *, keepdims: bool = False
) -> ndarray:
    """Indices of the least elements along an axis.

    Parameters
    ----------
    a : ndarray
        Elements to search. The first NaN is the least; complex numbers are compared by their
        real and then by their imaginary parts.
    axis : int, optional
        The axis to search; by default the index in the flattened array is returned.
    out : ndarray of int64, optional
        Where the result is stored.
    keepdims : bool, optional
        Keep the searched axis as an axis of length 1.

    Returns
    -------
    ndarray of int64
        Indices; of equal elements, the first.

    Notes
    -----
    One launch. Temporary memory: where blocks share a result, one element and its index for
    each of them, a few MB at most.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.argmin(cp.asarray([[1, 5, 5], [7, 2, 3]]), axis=1)
    array([0, 1])
    """
    return _argmin(a, axis, out, keepdims)


def nanargmax(
    a: Operand, axis: int | None = None, out: ndarray | None = None, *, keepdims: bool = False
) -> ndarray:
    """Indices of the greatest elements along an axis, passing over NaN.

    Parameters
    ----------
    a : ndarray
        Elements to search.
    axis : int, optional
        The axis to search; by default the index in the flattened array is returned.
    out : ndarray of int64, optional
        Where the result is stored.
    keepdims : bool, optional
        Keep the searched axis as an axis of length 1.

    Returns
    -------
    ndarray of int64
        Indices; of equal elements, the first.

    Differences from NumPy
    ----------------------
    Where there is nothing but NaN the result is the first index: to raise ValueError, results
    would have to be checked on the host.

    Notes
    -----
    One launch. Temporary memory: where blocks share a result, one element and its index for
    each of them, a few MB at most.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.nanargmax(cp.asarray([[cp.nan, 5.0, 6.0], [7.0, 8.0, cp.nan]]), axis=1)
    array([2, 1])
    """
    return _nanargmax(a, axis, out, keepdims)


def nanargmin(
    a: Operand, axis: int | None = None, out: ndarray | None = None, *, keepdims: bool = False
) -> ndarray:
    """Indices of the least elements along an axis, passing over NaN.

    Parameters
    ----------
    a : ndarray
        Elements to search.
    axis : int, optional
        The axis to search; by default the index in the flattened array is returned.
    out : ndarray of int64, optional
        Where the result is stored.
    keepdims : bool, optional
        Keep the searched axis as an axis of length 1.

    Returns
    -------
    ndarray of int64
        Indices; of equal elements, the first.

    Differences from NumPy
    ----------------------
    Where there is nothing but NaN the result is the first index: to raise ValueError, results
    would have to be checked on the host.

    Notes
    -----
    One launch. Temporary memory: where blocks share a result, one element and its index for
    each of them, a few MB at most.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.nanargmin(cp.asarray([[cp.nan, 5.0, 6.0], [7.0, 8.0, cp.nan]]), axis=1)
    array([1, 0])
    """
    return _nanargmin(a, axis, out, keepdims)


def count_nonzero(
    a: Operand, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False
) -> ndarray:
    """Number of the elements that are not zero.

    Parameters
    ----------
    a : ndarray
        The elements; NaN is not zero.
    axis : int or tuple of int, optional
        The axes to count along; all by default.
    keepdims : bool, optional
        Keep the axes as axes of length 1.

    Returns
    -------
    ndarray of int64
        The numbers; without dimensions if all axes are counted along.

    Notes
    -----
    One launch. Temporary memory: where blocks share a result, 8 bytes for each of them.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.count_nonzero(cp.asarray([[0, 1, 7], [3, 0, 0]]), axis=1)
    array([2, 1])
    """
    return _count(as_truth(a, "count_nonzero"), axis, None, None, keepdims)


def searchsorted(
    a: ArrayLike, v: ArrayLike, side: str = "left", sorter: ArrayLike | None = None
) -> ndarray:
    """Where values belong in a sorted array.

    Parameters
    ----------
    a : ndarray, 1-D
        Sorted as by `sort`: NaN last.
    v : ndarray or number
        The values.
    side : {'left', 'right'}, optional
        Before or behind elements that are equal to a value.
    sorter : ndarray of integers, optional
        Indices that sort ``a``, as from `argsort`.

    Returns
    -------
    ndarray of int64
        Of the shape of ``v``.

    Raises
    ------
    ValueError
        If `a` has not one dimension, the side is unknown, or the sorter has another length.
    TypeError
        If the sorter has no integers.

    Notes
    -----
    One launch, and one with a copy for each operand that has to be made contiguous or converted to
    the common dtype. There is no other temporary memory: the sorted array, or the top of its tree,
    is in shared memory.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.searchsorted(cp.asarray([11, 12, 13, 14, 15]), cp.asarray([-10, 20, 12, 13]))
    array([0, 5, 1, 2])
    """
    a = as_array(a, "searchsorted")
    if a._layout.ndim != 1:
        raise ValueError(
            f"object {'too deep' if a._layout.ndim else 'of too small depth'} for desired array: "
            f"searchsorted takes one dimension, got {a._layout.ndim}"
        )
    if side not in ("left", "right"):
        raise ValueError(f"search side must be 'left' or 'right' (got {side!r})")
    if isinstance(v, bool | int | float | complex | np.generic) or (
        isinstance(v, np.ndarray) and not v.ndim
    ):
        v = array(_beyond(v, a._layout.dtype) if type(v) is int else v)
    v = as_array(v, "searchsorted")
    if sorter is not None:
        sorter = as_array(sorter, "searchsorted")
        if sorter._layout.dtype.kind not in "iu":
            raise TypeError("sorter must only contain integers")
        if sorter._layout.shape != a._layout.shape:
            raise ValueError("sorter.size must equal array.size")
        a = take(a, sorter)
    stream = current.stream
    if a._layout.dtype != v._layout.dtype or not v._layout.c_contiguous:
        dtype = np.promote_types(a._layout.dtype, v._layout.dtype)
        v = _prepared(v, dtype)
        a = _prepared(a, dtype)
    elif not a._layout.c_contiguous:
        a = copies.copy(a)
    # The key of _search_call, written here to save its call on a fast path.
    run = stream.plans.get((_search_call, a._layout, v._layout, side))
    if run is None:
        run = _search_call(stream, a._layout, v._layout, side)
    return run(a, v)


def _beyond(value: int, dtype: np.dtype) -> float:
    """An integer, or a float in the place of one that no dtype holds."""
    if -(2**63) <= value < 2**64:
        return value
    try:
        return float(value) if dtype.kind in "fc" else math.copysign(math.inf, value)
    except OverflowError:
        return math.copysign(math.inf, value)


@planned
def _search_call(
    stream: Stream, array: Layout, values: Layout, side: str
) -> Callable[[Any, Any], Any]:
    return search_call(array, values, side == "right", stream)


def _prepared(x: ndarray, dtype: np.dtype) -> ndarray:
    if x._layout.dtype == dtype and x._layout.c_contiguous:
        return x
    return copies.copy(x, "C", dtype)
