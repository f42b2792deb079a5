"""Set routines: unique elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np

from gpuarray import _array, _dtypes, _layout
from gpuarray._arguments import check_axis
from gpuarray._layout import Layout
from gpuarray._ops.creation import zeros
from gpuarray._ops.manipulation import as_array, in_one_dimension, reshape
from gpuarray._ops.math import subtract
from gpuarray._ops.sorting import argsort, lexsort, sort
from gpuarray._ops.taking import take
from gpuarray._ops.transposing import moveaxis
from gpuarray._ops.truth import any
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels import mask as mask_kernels
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.generator.expressions import Apply, Expression, Input
from gpuarray.kernels.generator.operations import operation

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["unique", "unique_all", "unique_counts", "unique_inverse", "unique_values"]

_BOOL = np.dtype(bool)


class UniqueAllResult(NamedTuple):
    """What `unique_all` returns."""

    values: ndarray
    indices: ndarray
    inverse_indices: ndarray
    counts: ndarray


class UniqueCountsResult(NamedTuple):
    """What `unique_counts` returns."""

    values: ndarray
    counts: ndarray


class UniqueInverseResult(NamedTuple):
    """What `unique_inverse` returns."""

    values: ndarray
    inverse_indices: ndarray


@overload
def unique(
    ar: ArrayLike,
    return_index: Literal[False] = False,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> ndarray: ...


@overload
def unique(
    ar: ArrayLike,
    return_index: Literal[True],
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> tuple[ndarray, ...]: ...


@overload
def unique(
    ar: ArrayLike,
    return_index: bool = False,
    *,
    return_inverse: Literal[True],
    return_counts: bool = False,
    axis: int | None = None,
    equal_nan: bool = True,
    sorted: bool = True,
) -> tuple[ndarray, ...]: ...


@overload
def unique(
    ar: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    *,
    return_counts: Literal[True],
    axis: int | None = None,
    equal_nan: bool = True,
    sorted: bool = True,
) -> tuple[ndarray, ...]: ...


def unique(
    ar: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> ndarray | tuple[ndarray, ...]:
    """The sorted distinct elements.

    Parameters
    ----------
    ar : ndarray
        The elements.
    return_index : bool, optional
        Return also the indices of the first occurrences.
    return_inverse : bool, optional
        Return also which distinct element each element is.
    return_counts : bool, optional
        Return also the counts.
    axis : int, optional
        Distinct parts along this axis instead of distinct elements of the flattened array.
    equal_nan : bool, optional
        All NaN are one element.
    sorted : bool, optional
        The result is sorted in any case.

    Returns
    -------
    ndarray, or a tuple of ndarrays
        The distinct elements, then what else is asked for.

    Notes
    -----
    The launches of a sort and two; with indices or the inverse those of `argsort` and one more,
    then one each for indices and the inverse and two for counts. The number of distinct elements
    is known to the device only, so the call waits for it once. Temporary memory: the sorted
    elements, what `sort` takes (with indices or the inverse, also indices and what `argsort`
    takes), and a bit for each element.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.unique(cp.asarray([1, 1, 2, 3, 2]), return_counts=True)
    (array([1, 2, 3]), array([2, 2, 1]))
    """
    a = as_array(ar, "unique")
    if axis is not None:
        return _unique_parts(a, return_index, return_inverse, return_counts, axis)
    shape = a._layout.shape
    a = in_one_dimension(a)
    if _dtypes.is_raw(a._layout.dtype):
        ranks = argsort(a)
        counted = _count_first(take(a, ranks))
        distinct = take(a, mask_kernels.launch.compress_counted(ranks, counted))
        return _results(
            distinct, counted, ranks, return_index, return_inverse, return_counts, shape
        )
    order = argsort(a) if return_index or return_inverse else None
    values = sort(a) if order is None else take(a, order)
    if not values._layout.c_contiguous:
        values = copies.copy(values)
    counted = mask_kernels.launch.count_changes(values, bool(equal_nan))
    distinct = mask_kernels.launch.compress_counted(values, counted)
    return _results(distinct, counted, order, return_index, return_inverse, return_counts, shape)


def _results(
    distinct: Any,
    counted: mask_kernels.launch.Counted,
    order: Any,
    return_index: bool,
    return_inverse: bool,
    return_counts: bool,
    shape: tuple[int, ...],
) -> Any:
    results = [distinct]
    empty = not counted.total
    if return_index:
        results.append(order if empty else mask_kernels.launch.compress_counted(order, counted))
    if return_inverse:
        results.append(
            reshape(order if empty else mask_kernels.launch.ranks(counted, order), shape)
        )
    if return_counts:
        starts = mask_kernels.launch.starts(counted) if counted.total else zeros(1, np.int64)
        results.append(subtract(starts[1:], starts[:-1]))
    return tuple(results) if len(results) > 1 else results[0]


def first_of_equals(values: Any, equal_nan: bool) -> Any:
    """Where sorted elements differ from the element before."""
    layout = values._layout
    mask = _array.empty(_layout.contiguous(_BOOL, layout.shape))
    if layout.size:
        mask[:1] = True
    if layout.size > 1:
        run, part, marks = _first_of_equals_plan(current.stream, layout, bool(equal_nan))
        behind = _array.view(values, part, layout.itemsize)
        run(behind, _array.view(values, part), _array.view(mask, marks, 1))
    return mask


@planned
def _first_of_equals_plan(
    stream: Stream, layout: Layout, equal_nan: bool
) -> tuple[Callable[..., None], Layout, Layout]:
    """The call, and the layouts of what it compares and of what it writes."""
    part = _layout.layout_of(layout.dtype, (layout.size - 1,), layout.strides)
    marks = _layout.contiguous(_BOOL, part.shape)
    code = _dtypes.code(layout.dtype)
    x, y = Input(0, code), Input(1, code)
    differs: Expression = Apply(operation("not_equal"), (x, y), "b1")
    if equal_nan and layout.dtype.kind in "fc":
        # NaN come last: whatever is behind one is one.
        number = Apply(operation("logical_not"), (Apply(operation("isnan"), (y,), "b1"),), "b1")
        differs = Apply(operation("logical_and"), (differs, number), "b1")
    run = elementwise.launch.make_call("unique", [differs], [part, part], [marks], [True], stream)
    return run, part, marks


def _unique_parts(
    a: Any, return_index: bool, return_inverse: bool, return_counts: bool, axis: int
) -> Any:
    axis = check_axis(axis, a._layout.ndim)
    parts = moveaxis(a, axis, 0)
    count = parts._layout.shape[0]
    rows = reshape(parts, (count, parts._layout.size // count if count else 0))
    width = rows._layout.shape[1]
    if width:
        order = lexsort([rows[:, i] for i in range(width - 1, -1, -1)])
        rows = take(rows, order, 0)
        counted = _count_first(rows)
    else:
        order = argsort(as_array([0] * count, "unique"))
        counted = mask_kernels.launch.count(order < 1, keep=True)
    indices = mask_kernels.launch.compress_counted(order, counted)
    distinct = take(a, indices, axis)
    return _results(distinct, counted, order, return_index, return_inverse, return_counts, (count,))


def _count_first(parts: Any) -> mask_kernels.launch.Counted:
    """Sorted structures or rows that differ from the one before, counted."""
    first = _array.empty(_layout.contiguous(_BOOL, parts._layout.shape[:1]))
    if first._layout.size:
        differs = parts[1:] != parts[:-1]
        first[:1] = True
        first[1:] = any(differs, axis=1) if differs.ndim > 1 else differs
    return mask_kernels.launch.count(first, keep=True)


def unique_values(x: ArrayLike) -> ndarray:
    """The distinct elements, each NaN on its own.

    Parameters
    ----------
    x : ndarray
        The elements.

    Returns
    -------
    ndarray
        Sorted.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.unique_values(cp.asarray([1, 1, 2]))
    array([1, 2])
    """
    return unique(x, equal_nan=False)


def unique_counts(x: ArrayLike) -> UniqueCountsResult:
    """The distinct elements and the count of each, each NaN on its own.

    Parameters
    ----------
    x : ndarray
        The elements.

    Returns
    -------
    UniqueCountsResult
        ``values`` and ``counts``.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.unique_counts(cp.asarray([1, 1, 2])).counts
    array([2, 1])
    """
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x: ArrayLike) -> UniqueInverseResult:
    """The distinct elements and which of them each element is, each NaN on its own.

    Parameters
    ----------
    x : ndarray
        The elements.

    Returns
    -------
    UniqueInverseResult
        ``values`` and ``inverse_indices``.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.unique_inverse(cp.asarray([5, 1, 5])).inverse_indices
    array([1, 0, 1])
    """
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


def unique_all(x: ArrayLike) -> UniqueAllResult:
    """The distinct elements and all about them, each NaN on its own.

    Parameters
    ----------
    x : ndarray
        The elements.

    Returns
    -------
    UniqueAllResult
        ``values``, ``indices`` of first occurrences, ``inverse_indices`` and ``counts``.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.unique_all(cp.asarray([5, 1, 5])).indices
    array([1, 0])
    """
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))
