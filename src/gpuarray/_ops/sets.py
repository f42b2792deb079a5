"""Set routines: membership, and operations on sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from gpuarray import _array, _layout
from gpuarray._layout import Layout
from gpuarray._ops.joining import concatenate
from gpuarray._ops.logic import equal
from gpuarray._ops.manipulation import as_array, in_one_dimension
from gpuarray._ops.math import minimum
from gpuarray._ops.searching import searchsorted
from gpuarray._ops.sorting import sort
from gpuarray._ops.taking import take
from gpuarray._ops.unique import first_of_equals, unique
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.search.launch import search_call

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["in1d", "intersect1d", "isin", "setdiff1d", "setxor1d", "union1d"]

_BOOL = np.dtype(bool)


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

    Raises
    ------
    ValueError
        If `kind` is unknown.

    Notes
    -----
    The launches of a sort of the test elements, and one; a few more of complex numbers.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.isin(cp.asarray([0, 1, 2, 5, 0]), cp.asarray([0, 2]))
    array([ True, False,  True, False,  True])
    """
    if kind not in (None, "sort", "table"):
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    element, test = as_array(element, "isin"), in_one_dimension(as_array(test_elements, "isin"))
    if not test._layout.size:
        found = _array.empty(_layout.contiguous(_BOOL, element._layout.shape))
        found[...] = invert
        return found
    dtype = np.promote_types(element._layout.dtype, test._layout.dtype)
    test = sort(copies.copy(test, dtype=dtype) if test._layout.dtype != dtype else test)
    if dtype.kind in "biuf":
        if element._layout.dtype != dtype or not element._layout.c_contiguous:
            element = copies.copy(element, "C", dtype)
        stream = current.stream
        return _found_call(stream, test._layout, element._layout, bool(invert))(test, element)
    indices = searchsorted(test, element)
    nearest = take(test, minimum(indices, test._layout.size - 1))
    return nearest != element if invert else equal(nearest, element)


@planned
def _found_call(
    stream: Stream, array: Layout, values: Layout, invert: bool
) -> Callable[[Any, Any], Any]:
    return search_call(array, values, False, stream, "not found" if invert else "found")


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
    return isin(in_one_dimension(as_array(ar1, "in1d")), ar2, assume_unique, invert)


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
    ar1, ar2 = (
        in_one_dimension(as_array(ar1, "intersect1d")),
        in_one_dimension(as_array(ar2, "intersect1d")),
    )
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
    ar1 = in_one_dimension(as_array(ar1, "setdiff1d"))
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
    ar1, ar2 = (
        in_one_dimension(as_array(ar1, "setxor1d")),
        in_one_dimension(as_array(ar2, "setxor1d")),
    )
    if not assume_unique:
        ar1, ar2 = unique(ar1), unique(ar2)
    both = sort(concatenate([ar1, ar2]))
    if not both._layout.size:
        return both
    first = first_of_equals(both, False)
    alone = _array.empty(_layout.contiguous(_BOOL, first._layout.shape))
    alone[-1:] = True
    alone[:-1] = first[1:]
    return both[first & alone]
