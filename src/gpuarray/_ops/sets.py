"""Set routines: unique elements, membership, and operations on sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np

from gpuarray import _array, _dtypes, _layout
from gpuarray._layout import Layout, check_axis
from gpuarray._ops.cumulative import cumsum
from gpuarray._ops.indexing import take
from gpuarray._ops.joining import concatenate
from gpuarray._ops.logic import equal
from gpuarray._ops.manipulation import as_array, ravel, reshape
from gpuarray._ops.math import minimum, subtract
from gpuarray._ops.nonzero import flatnonzero
from gpuarray._ops.searching import searchsorted
from gpuarray._ops.sorting import argsort, lexsort, sort
from gpuarray._ops.transposing import moveaxis
from gpuarray._ops.truth import any
from gpuarray._plans import planned
from gpuarray._runtime.device import current
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.generator.expressions import Apply, Expression, Input
from gpuarray.kernels.generator.operations import operation

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = [
    "in1d", "intersect1d", "isin", "setdiff1d", "setxor1d", "union1d", "unique", "unique_all",
    "unique_counts", "unique_inverse", "unique_values",
]  # fmt: skip

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
    A sort, a comparison of neighbours and a selection by a mask. The number of distinct elements is
    known to the device only, so the call waits for it once. Temporary memory: the sorted elements,
    what `sort` takes (with indices or the inverse, also indices and what `argsort` takes), and nine
    bits for each element.

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
    a = ravel(a)
    order = argsort(a) if return_index or return_inverse else None
    values = sort(a) if order is None else take(a, order)
    first = _first_of_equals(values, equal_nan)
    distinct = values[first]
    return _results(distinct, first, order, return_index, return_inverse, return_counts, shape)


def _results(
    distinct: Any,
    first: Any,
    order: Any,
    return_index: bool,
    return_inverse: bool,
    return_counts: bool,
    shape: tuple[int, ...],
) -> Any:
    results = [distinct]
    if return_index:
        results.append(order[first])
    if return_inverse:
        inverse = _array.empty(_layout.contiguous(np.dtype(np.int64), order._layout.shape))
        inverse[order] = cumsum(first) - 1
        results.append(reshape(inverse, shape))
    if return_counts:
        starts = flatnonzero(first)
        size = first._layout.size
        stops = concatenate([starts[1:], as_array([size], "unique")]) if size else starts
        results.append(subtract(stops, starts))
    return tuple(results) if len(results) > 1 else results[0]


def _first_of_equals(values: Any, equal_nan: bool) -> Any:
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
        first = _array.empty(_layout.contiguous(_BOOL, (count,)))
        if count:
            first[:1] = True
            first[1:] = any(rows[1:] != rows[:-1], axis=1)
    else:
        order = argsort(as_array([0] * count, "unique"))
        first = order < 1
    indices = order[first]
    distinct = take(a, indices, axis)
    return _results(distinct, first, order, return_index, return_inverse, return_counts, (count,))


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


def isin(
    element: ArrayLike,
    test_elements: ArrayLike,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: str | None = None,
) -> ndarray:
    """Which elements occur in another array.

    Parameters
    ----------
    element : ndarray
        The elements.
    test_elements : ndarray
        What to look for, flattened.
    assume_unique : bool, optional
        Has no influence.
    invert : bool, optional
        Which do not occur.
    kind : {'sort', 'table'}, optional
        Has no influence: the test elements are sorted and searched.

    Returns
    -------
    ndarray of bool
        Of the shape of ``element``.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.isin(cp.asarray([0, 1, 2, 5, 0]), cp.asarray([0, 2]))
    array([ True, False,  True, False,  True])
    """
    if kind not in (None, "sort", "table"):
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    element, test = as_array(element, "isin"), ravel(as_array(test_elements, "isin"))
    if not test._layout.size:
        found = _array.empty(_layout.contiguous(_BOOL, element._layout.shape))
        found[...] = invert
        return found
    dtype = np.promote_types(element._layout.dtype, test._layout.dtype)
    test = sort(copies.copy(test, dtype=dtype) if test._layout.dtype != dtype else test)
    indices = searchsorted(test, element)
    nearest = take(test, minimum(indices, test._layout.size - 1))
    return nearest != element if invert else equal(nearest, element)


def in1d(
    ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, invert: bool = False
) -> ndarray:
    """Which elements of a flattened array occur in another array; see `isin`.

    Parameters
    ----------
    ar1, ar2 : ndarray
        The elements, and what to look for.
    assume_unique : bool, optional
        Has no influence.
    invert : bool, optional
        Which do not occur.

    Returns
    -------
    ndarray of bool
        One-dimensional.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.in1d(cp.asarray([0, 1, 2]), cp.asarray([0, 2]))
    array([ True, False,  True])
    """
    return isin(ravel(as_array(ar1, "in1d")), ar2, assume_unique, invert)


@overload
def intersect1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    return_indices: Literal[False] = False,
) -> ndarray: ...


@overload
def intersect1d(
    ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, *, return_indices: Literal[True]
) -> tuple[ndarray, ndarray, ndarray]: ...


def intersect1d(
    ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, return_indices: bool = False
) -> ndarray | tuple[ndarray, ndarray, ndarray]:
    """The sorted distinct elements that are in both arrays.

    Parameters
    ----------
    ar1, ar2 : ndarray
        The elements, flattened.
    assume_unique : bool, optional
        Neither array has an element twice.
    return_indices : bool, optional
        Return also the indices of the first occurrences in either array.

    Returns
    -------
    ndarray, or a tuple of three

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.intersect1d(cp.asarray([1, 3, 4, 3]), cp.asarray([3, 1, 2, 1]))
    array([1, 3])
    """
    ar1, ar2 = ravel(as_array(ar1, "intersect1d")), ravel(as_array(ar2, "intersect1d"))
    if return_indices:
        one, index1 = unique(ar1, return_index=True)
        two, index2 = unique(ar2, return_index=True)
        in_two, in_one = isin(one, two), isin(two, one)
        return _promoted(one, two)[in_two], index1[in_two], index2[in_one]
    one, two = (sort(ar1), ar2) if assume_unique else (unique(ar1), ar2)
    return _promoted(one, two)[isin(one, two)]


def _promoted(one: Any, two: Any) -> Any:
    dtype = np.promote_types(one._layout.dtype, two._layout.dtype)
    return one if one._layout.dtype == dtype else copies.copy(one, dtype=dtype)


def union1d(ar1: ArrayLike, ar2: ArrayLike) -> ndarray:
    """The sorted distinct elements that are in either of two arrays.

    Parameters
    ----------
    ar1, ar2 : ndarray
        The elements, flattened.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.union1d(cp.asarray([-1, 0, 1]), cp.asarray([-2, 0, 2]))
    array([-2, -1,  0,  1,  2])
    """
    return unique(concatenate([as_array(ar1, "union1d"), as_array(ar2, "union1d")], axis=None))


def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> ndarray:
    """The distinct elements of one array that are not in another.

    Parameters
    ----------
    ar1, ar2 : ndarray
        The elements, flattened.
    assume_unique : bool, optional
        The elements of ``ar1`` are distinct; they then keep their order.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.setdiff1d(cp.asarray([1, 2, 3, 2, 4, 1]), cp.asarray([3, 4, 5, 6]))
    array([1, 2])
    """
    ar1 = ravel(as_array(ar1, "setdiff1d"))
    if not assume_unique:
        ar1 = unique(ar1)
    return ar1[isin(ar1, ar2, invert=True)]


def setxor1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> ndarray:
    """The sorted distinct elements that are in just one of two arrays.

    Parameters
    ----------
    ar1, ar2 : ndarray
        The elements, flattened.
    assume_unique : bool, optional
        Neither array has an element twice.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.setxor1d(cp.asarray([1, 2, 3, 2, 4]), cp.asarray([2, 3, 5, 7, 5]))
    array([1, 4, 5, 7])
    """
    ar1, ar2 = ravel(as_array(ar1, "setxor1d")), ravel(as_array(ar2, "setxor1d"))
    if not assume_unique:
        ar1, ar2 = unique(ar1), unique(ar2)
    both = sort(concatenate([ar1, ar2]))
    if not both._layout.size:
        return both
    first = _first_of_equals(both, False)
    alone = _array.empty(_layout.contiguous(_BOOL, first._layout.shape))
    alone[-1:] = True
    alone[:-1] = first[1:]
    return both[first & alone]
