"""Array manipulation routines: reversing, shifting and repeating."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gpuarray._array import ArrayBase
from gpuarray._layout import check_axes, check_axis
from gpuarray._ops.conversion import array
from gpuarray._ops.creation import empty, empty_like
from gpuarray._ops.dimensions import expand_dims
from gpuarray._ops.manipulation import along_axis, as_array, in_one_dimension, ndim, reshape
from gpuarray._ops.transposing import transpose

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["flip", "fliplr", "flipud", "repeat", "roll", "rot90", "tile"]


def flip(m: ArrayLike, axis: int | Sequence[int] | None = None) -> ndarray:
    """A view with the order of elements reversed along axes.

    Parameters
    ----------
    m : ndarray
        The array.
    axis : int or tuple of int, optional
        The axes; all by default.

    Returns
    -------
    ndarray
        A view.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.flip(cp.arange(3))
    array([2, 1, 0])
    """
    m = as_array(m, "flip")
    axes = check_axes(axis, m.ndim, duplicates="repeated axis")
    backwards = slice(None, None, -1)
    return m[tuple([backwards if i in axes else slice(None) for i in range(m.ndim)])]


def flipud(m: ArrayLike) -> ndarray:
    """A view with the rows reversed.

    Parameters
    ----------
    m : ndarray
        Of at least one dimension.

    Returns
    -------
    ndarray
        A view.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.flipud(cp.arange(3))
    array([2, 1, 0])
    """
    if ndim(m) < 1:
        raise ValueError("Input must be >= 1-d.")
    return flip(m, 0)


def fliplr(m: ArrayLike) -> ndarray:
    """A view with the columns reversed.

    Parameters
    ----------
    m : ndarray
        Of at least two dimensions.

    Returns
    -------
    ndarray
        A view.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fliplr(cp.eye(2))
    array([[0., 1.],
           [1., 0.]])
    """
    if ndim(m) < 2:
        raise ValueError("Input must be >= 2-d.")
    return flip(m, 1)


def rot90(m: ArrayLike, k: int = 1, axes: Sequence[int] = (0, 1)) -> ndarray:
    """An array turned by multiples of 90 degrees in a plane.

    Parameters
    ----------
    m : ndarray
        Of at least two dimensions.
    k : int, optional
        How often it is turned, from the first axis towards the second.
    axes : pair of int, optional
        The plane.

    Returns
    -------
    ndarray
        A view.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.rot90(cp.array([[1, 2], [3, 4]]))
    array([[2, 4],
           [1, 3]])
    """
    m = as_array(m, "rot90")
    if len(tuple(axes)) != 2:
        raise ValueError(f"len(axes) must be 2, got {axes}")
    first, second = check_axes(
        tuple(axes), m.ndim, duplicates=f"Axes={tuple(axes)} must be different"
    )
    k %= 4
    if k == 0:
        return m[...]
    if k == 2:
        return flip(m, (first, second))
    order = list(range(m.ndim))
    order[first], order[second] = order[second], order[first]
    if k == 1:
        return transpose(flip(m, second), order)
    return flip(transpose(m, order), second)


def roll(
    a: ArrayLike, shift: int | Sequence[int], axis: int | Sequence[int] | None = None
) -> ndarray:
    """An array with its elements shifted along axes, the last ones coming in at the front.

    Parameters
    ----------
    a : ndarray
        The array.
    shift : int or tuple of int
        By how many elements.
    axis : int or tuple of int, optional
        The axes; by default the flattened array is shifted.

    Returns
    -------
    ndarray
        Of the same shape.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.roll(cp.arange(5), 2)
    array([3, 4, 0, 1, 2])
    """
    a = as_array(a, "roll")
    if axis is None:
        return reshape(roll(in_one_dimension(a), shift, 0), a.shape)
    axes = axis if isinstance(axis, tuple | list) else (axis,)
    shifts = shift if isinstance(shift, tuple | list) else (shift,)
    if len(axes) == 1:
        axes = tuple(axes) * len(shifts)
    if len(shifts) == 1:
        shifts = tuple(shifts) * len(axes)
    if len(axes) != len(shifts):
        raise ValueError("roll: 'shift' and 'axis' should be scalars or 1D sequences of one "
                         f"length, got {shift} and {axis}")  # fmt: skip
    moves = [0] * a.ndim
    for one, by in zip(axes, shifts, strict=True):
        moves[check_axis(one, a.ndim)] += operator.index(by)
    result = empty_like(a)
    if not a.size:
        return result
    # Every combination of the two parts of each shifted axis is one copy.
    parts: list[list[tuple[slice, slice]]] = []
    for length, move in zip(a.shape, moves, strict=True):
        move %= length
        parts.append([(slice(None), slice(None))])
        if move:
            parts[-1] = [
                (slice(0, length - move), slice(move, length)),
                (slice(length - move, length), slice(0, move)),
            ]
    combinations: list[list[tuple[slice, slice]]] = [[]]
    for choices in parts:
        combinations = [one + [choice] for one in combinations for choice in choices]
    for one in combinations:
        source, target = tuple([x for x, _ in one]), tuple([y for _, y in one])
        result[target] = a[source]
    return result


def tile(A: ArrayLike, reps: int | Sequence[int]) -> ndarray:
    """An array repeated along its axes.

    Parameters
    ----------
    A : ndarray
        The array.
    reps : int or tuple of int
        Repetitions of each axis.

    Returns
    -------
    ndarray
        The tiled array.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.tile(cp.arange(2), 2)
    array([0, 1, 0, 1])
    """
    A = as_array(A, "tile")
    counts = (reps,) if isinstance(reps, int | np.integer) else tuple(reps)
    counts = tuple([operator.index(n) for n in counts])
    ndim = max(A.ndim, len(counts))
    if set(counts) <= {1}:
        return array(A, ndmin=ndim)  # in the order of A, as NumPy's
    counts = (1,) * (ndim - len(counts)) + counts
    shape = (1,) * (ndim - A.ndim) + A.shape
    result = empty(tuple([n * length for n, length in zip(counts, shape, strict=True)]), A.dtype)
    if result.size:
        pairs = [x for pair in zip(counts, shape, strict=True) for x in pair]
        lengths = [x for length in shape for x in (1, length)]
        reshape(result, tuple(pairs))[...] = reshape(A, tuple(lengths))
    return result


def repeat(a: ArrayLike, repeats: int | Sequence[int], axis: int | None = None) -> ndarray:
    """An array with each element repeated.

    Parameters
    ----------
    a : ndarray
        The array.
    repeats : int or sequence of int
        How often, for all elements or one by one along the axis.
    axis : int, optional
        The axis; by default the flattened array.

    Returns
    -------
    ndarray
        The repeated elements.

    Differences from NumPy
    ----------------------
    `repeats` is needed on the host: a device array is refused.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.repeat(cp.arange(3), 2)
    array([0, 0, 1, 1, 2, 2])
    """
    a = as_array(a, "repeat")
    if isinstance(repeats, ArrayBase):
        raise TypeError("repeat: repeats must be in host memory, since the shape of the result "
                        "depends on it; use repeats.tolist()")  # fmt: skip
    a, axis = along_axis(a, axis)
    length = a.shape[axis]
    counts = np.asarray(repeats)
    if counts.dtype.kind not in "iub" and counts.size:
        raise TypeError(f"repeat: repeats must be integers, got {counts.dtype}")
    if counts.ndim > 1:
        raise ValueError(
            f"repeat: repeats must be an integer or a sequence of integers, got {repeats!r}"
        )
    if (counts < 0).any():
        raise ValueError("repeats may not contain negative values.")
    if counts.size == 1:
        count = int(counts.reshape(()))
        shape = a.shape[:axis] + (length, count) + a.shape[axis + 1 :]
        result = empty(shape, a.dtype)
        if result.size:
            result[...] = expand_dims(a, axis + 1)
        return reshape(result, a.shape[:axis] + (length * count,) + a.shape[axis + 1 :])
    if counts.shape != (length,):
        raise ValueError(
            f"operands could not be broadcast together with shape ({length},) {counts.shape}"
        )
    indices = np.repeat(np.arange(length), counts.astype(np.int64)).tolist()
    return a[(*(slice(None),) * axis, indices)]
