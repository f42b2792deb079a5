"""Array manipulation routines: joining and splitting arrays."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _interchange
from gpuarray._arguments import check_axis
from gpuarray._array import ArrayBase
from gpuarray._namespace.called_name import called_name
from gpuarray._ops.dimensions import atleast_1d, atleast_2d, atleast_3d
from gpuarray._ops.manipulation import as_array, in_one_dimension, ndim
from gpuarray._ops.transposing import transpose
from gpuarray._runtime.current_stream import current
from gpuarray.kernels.join import rules
from gpuarray.kernels.join.rules import stack as stack_arrays

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, Operand, ndarray

__all__ = [
    "array_split", "column_stack", "concat", "concatenate", "dsplit", "dstack", "hsplit", "hstack",
    "split", "stack", "vsplit", "vstack",
]  # fmt: skip


def _sequence(arrays: Any, name: str) -> list[Any]:
    if isinstance(arrays, ArrayBase) and not arrays._layout.ndim:
        raise TypeError(
            f"{called_name(name)}: iteration over a 0-d array; pass a sequence of arrays"
        )
    return [a if isinstance(a, ArrayBase) else _interchange.as_operand(a, name) for a in arrays]


# ---- joining -------------------------------------------------------------------------------------


def concatenate(
    arrays: Sequence[Operand] | ndarray,
    axis: int | None = 0,
    out: ndarray | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> ndarray:
    """Join arrays along an axis that they have.

    Parameters
    ----------
    arrays : sequence of ndarray
        Of the same shape but for the axis.
    axis : int or None, optional
        The axis; None joins them flattened.
    out : ndarray, optional
        Where the result is stored.
    dtype : dtype, optional
        Dtype of the result; by default what the arrays promote to.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
        Which casts are allowed.

    Returns
    -------
    ndarray
        The joined array.

    Raises
    ------
    ValueError
        If shapes do not fit.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.concatenate([cp.arange(2), cp.arange(3)])
    array([0, 1, 0, 1, 2])
    """
    operands = [as_array(a, "concatenate") for a in _sequence(arrays, "concatenate")]
    plan_key = None
    # The key of a plan, written here to save a call on a fast path: an int stands for itself.
    if out is None and dtype is None and type(axis) is int:
        stream = current.stream
        if all(a._memory.device is stream.device for a in operands):
            plan_key = (concatenate, axis, *[a._layout for a in operands])
            run = stream.plans.get(plan_key)
            if run is not None:
                return run(*operands)
    if not operands:
        raise ValueError("need at least one array to concatenate")
    if axis is None:
        operands, axis = [in_one_dimension(a) for a in operands], 0
    return rules.concatenate(operands, axis, out, dtype, casting, plan_key)


concat = concatenate


def stack(
    arrays: Sequence[Operand] | ndarray,
    axis: int = 0,
    out: ndarray | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> ndarray:
    """Join arrays of one shape along a new axis.

    Parameters
    ----------
    arrays : sequence of ndarray
        Of the same shape.
    axis : int, optional
        Where the new axis is in the result.
    out, dtype, casting : optional
        As for `concatenate`.

    Returns
    -------
    ndarray
        With one dimension more.

    Raises
    ------
    ValueError
        If there is no array, or the shapes differ.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.stack([cp.arange(2), cp.arange(2)], axis=1)
    array([[0, 0],
           [1, 1]])
    """
    operands = [as_array(a, "stack") for a in _sequence(arrays, "stack")]
    if not operands:
        raise ValueError("need at least one array to stack")
    if out is None and dtype is None and type(axis) is int:  # as in `concatenate`
        stream = current.stream
        run = stream.plans.get((stack_arrays, axis, *[a._layout for a in operands]))
        if run is not None and all(a._memory.device is stream.device for a in operands):
            return run(*operands)
    return stack_arrays(operands, axis, out, dtype, casting)


def vstack(
    tup: Sequence[Operand] | ndarray, *, dtype: DTypeLike | None = None, casting: str = "same_kind"
) -> ndarray:
    """Join arrays as rows.

    Parameters
    ----------
    tup : sequence of ndarray
        Arrays; those of one dimension are rows.
    dtype, casting : optional
        As for `concatenate`.

    Returns
    -------
    ndarray
        Of at least two dimensions.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.vstack([cp.arange(2), cp.arange(2)]).shape
    (2, 2)
    """
    arrays = [atleast_2d(a) for a in _sequence(tup, "vstack")]
    return concatenate(arrays, 0, dtype=dtype, casting=casting)


def hstack(
    tup: Sequence[Operand] | ndarray, *, dtype: DTypeLike | None = None, casting: str = "same_kind"
) -> ndarray:
    """Join arrays as columns: along the second axis, or the first of 1-D arrays.

    Parameters
    ----------
    tup : sequence of ndarray
        Arrays.
    dtype, casting : optional
        As for `concatenate`.

    Returns
    -------
    ndarray
        The joined array.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.hstack([cp.ones((2, 1)), cp.zeros((2, 2))]).shape
    (2, 3)
    """
    arrays = [atleast_1d(a) for a in _sequence(tup, "hstack")]
    axis = 0 if arrays and arrays[0].ndim == 1 else 1
    return concatenate(arrays, axis, dtype=dtype, casting=casting)


def dstack(tup: Sequence[Operand] | ndarray) -> ndarray:
    """Join arrays along the third axis.

    Parameters
    ----------
    tup : sequence of ndarray
        Arrays.

    Returns
    -------
    ndarray
        Of at least three dimensions.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.dstack([cp.arange(2), cp.arange(2)]).shape
    (1, 2, 2)
    """
    return concatenate([atleast_3d(a) for a in _sequence(tup, "dstack")], 2)


def column_stack(tup: Sequence[Operand] | ndarray) -> ndarray:
    """Join 1-D arrays as columns; 2-D arrays are joined as they are.

    Parameters
    ----------
    tup : sequence of ndarray
        Arrays.

    Returns
    -------
    ndarray, 2-D
        The joined array.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.column_stack([cp.arange(3), cp.arange(3)]).shape
    (3, 2)
    """
    arrays = [as_array(a, "column_stack") for a in _sequence(tup, "column_stack")]
    return concatenate([transpose(atleast_2d(a)) if a.ndim < 2 else a for a in arrays], 1)


# ---- splitting -----------------------------------------------------------------------------------


#: A list of more empty views than this is taken for a mistake.
_MOST_EMPTY = 1 << 20


def array_split(
    ary: ArrayLike, indices_or_sections: int | Sequence[int], axis: int = 0
) -> list[ndarray]:
    """Split an array into views, which need not be equally long.

    Parameters
    ----------
    ary : ndarray
        The array.
    indices_or_sections : int or sequence of int
        The number of parts, or the indices to split at.
    axis : int, optional
        The axis.

    Returns
    -------
    list of ndarray
        Views.

    Raises
    ------
    ValueError
        If the number of sections is not positive, or far beyond the axis's length.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.array_split(cp.arange(5), 2)
    [array([0, 1, 2]), array([3, 4])]
    """
    plain = type(indices_or_sections) is int and type(axis) is int
    key: Any = (indices_or_sections, axis)
    if plain:
        found = _array.kept_views(ary, array_split, key)
        if found is not None:
            return found
    ary = as_array(ary, "array_split")
    axis = check_axis(axis, ary.ndim)
    length = ary.shape[axis]
    if isinstance(indices_or_sections, int | np.integer):
        sections = int(indices_or_sections)
        if sections <= 0:
            raise ValueError(f"number sections must be larger than 0, got {sections}")
        if sections - length > _MOST_EMPTY:
            raise ValueError(
                f"array_split: {sections} sections of an axis of length {length}: more than "
                f"{_MOST_EMPTY} of them would be empty; ask for fewer"
            )
        each, extras = divmod(length, sections)
        ends = [0]
        for number in range(sections):
            ends.append(ends[-1] + each + (number < extras))
    else:
        ends = [0, *[operator.index(i) for i in indices_or_sections], length]
    lead = (slice(None),) * axis
    parts = [ary[(*lead, slice(a, b))] for a, b in pairwise(ends)]
    return _array.keep_views(ary, parts, array_split, key) if plain else parts


def split(ary: ArrayLike, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[ndarray]:
    """Split an array into equally long views, or at indices.

    Parameters
    ----------
    ary : ndarray
        The array.
    indices_or_sections : int or sequence of int
        The number of parts, or the indices to split at.
    axis : int, optional
        The axis.

    Returns
    -------
    list of ndarray
        Views.

    Raises
    ------
    ValueError
        If the axis has no such number of equal parts.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.split(cp.arange(4), 2)
    [array([0, 1]), array([2, 3])]
    """
    if type(indices_or_sections) is int and type(axis) is int:
        found = _array.kept_views(ary, split, (indices_or_sections, axis))
        if found is not None:
            return found
    ary = as_array(ary, "split")
    if isinstance(indices_or_sections, int | np.integer):
        length = ary.shape[check_axis(axis, ary.ndim)]
        if indices_or_sections and length % indices_or_sections:
            raise ValueError(
                "array split does not result in an equal division: an axis of length "
                f"{length} into {indices_or_sections}; use array_split"
            )
    parts = array_split(ary, indices_or_sections, axis)
    if type(indices_or_sections) is int and type(axis) is int:
        _array.keep_views(ary, parts, split, (indices_or_sections, axis))
    return parts


def vsplit(ary: ArrayLike, indices_or_sections: int | Sequence[int]) -> list[ndarray]:
    """Split an array by rows.

    Parameters
    ----------
    ary : ndarray
        Of at least two dimensions.
    indices_or_sections : int or sequence of int
        The number of parts, or the indices to split at.

    Returns
    -------
    list of ndarray
        Views.

    Raises
    ------
    ValueError
        If the array has less than two dimensions, or its first axis has no equal parts.

    Examples
    --------
    >>> import gpuarray as cp
    >>> len(cp.vsplit(cp.eye(4), 2))
    2
    """
    if ndim(ary) < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


def hsplit(ary: ArrayLike, indices_or_sections: int | Sequence[int]) -> list[ndarray]:
    """Split an array by columns.

    Parameters
    ----------
    ary : ndarray
        Of at least one dimension.
    indices_or_sections : int or sequence of int
        The number of parts, or the indices to split at.

    Returns
    -------
    list of ndarray
        Views.

    Raises
    ------
    ValueError
        If the array has no dimensions, or the axis has no equal parts.

    Examples
    --------
    >>> import gpuarray as cp
    >>> [x.shape for x in cp.hsplit(cp.eye(4), [1])]
    [(4, 1), (4, 3)]
    """
    if ndim(ary) == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if ndim(ary) > 1 else 0)


def dsplit(ary: ArrayLike, indices_or_sections: int | Sequence[int]) -> list[ndarray]:
    """Split an array along its third axis.

    Parameters
    ----------
    ary : ndarray
        Of at least three dimensions.
    indices_or_sections : int or sequence of int
        The number of parts, or the indices to split at.

    Returns
    -------
    list of ndarray
        Views.

    Raises
    ------
    ValueError
        If the array has less than three dimensions, or its last axis has no equal parts.

    Examples
    --------
    >>> import gpuarray as cp
    >>> [x.shape for x in cp.dsplit(cp.ones((1, 2, 4)), 2)]
    [(1, 2, 2), (1, 2, 2)]
    """
    if ndim(ary) < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)
