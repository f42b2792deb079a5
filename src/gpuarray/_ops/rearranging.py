"""Array manipulation routines: reversing, shifting and repeating."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _array, _layout, _memory_order
from gpuarray._arguments import check_axes, check_axis
from gpuarray._array import ArrayBase, keep_view, kept_view
from gpuarray._layout import Layout
from gpuarray._ops.conversion import array, asarray
from gpuarray._ops.creation_like import empty_like
from gpuarray._ops.cumulative import cumsum
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.joining import stack
from gpuarray._ops.manipulation import along_axis, as_array, in_one_dimension, reshape
from gpuarray._ops.ranges import arange
from gpuarray._ops.searching import searchsorted
from gpuarray._ops.transposing import transpose
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise, remap
from gpuarray.kernels.elementwise import copies

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
    kept = kept_view(m, flip, axis)
    if kept is not None:
        return kept
    m = as_array(m, "flip")
    axes = check_axes(axis, m.ndim, duplicates="repeated axis")
    backwards = slice(None, None, -1)
    view = m[tuple([backwards if i in axes else slice(None) for i in range(m.ndim)])]
    return keep_view(m, view, flip, axis)


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

    Raises
    ------
    ValueError
        If the array has no dimensions.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.flipud(cp.arange(3))
    array([2, 1, 0])
    """
    kept = kept_view(m, flip, 0)
    if kept is not None:
        return kept
    m = as_array(m, "flipud")
    if m.ndim < 1:
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

    Raises
    ------
    ValueError
        If the array has less than two dimensions.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fliplr(cp.eye(2))
    array([[0., 1.],
           [1., 0.]])
    """
    kept = kept_view(m, flip, 1)
    if kept is not None:
        return kept
    m = as_array(m, "fliplr")
    if m.ndim < 2:
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

    Raises
    ------
    ValueError
        If `axes` are not two different ones of the array.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.rot90(cp.array([[1, 2], [3, 4]]))
    array([[2, 4],
           [1, 3]])
    """
    key = (k, *axes)
    kept = kept_view(m, rot90, key)
    if kept is not None:
        return kept
    m = as_array(m, "rot90")
    if len(tuple(axes)) != 2:
        raise ValueError(f"len(axes) must be 2, got {axes}")
    first, second = check_axes(
        tuple(axes), m.ndim, duplicates=f"Axes={tuple(axes)} must be different"
    )
    k %= 4
    if k == 0:
        return keep_view(m, m[...], rot90, key)
    if k == 2:
        return keep_view(m, flip(m, (first, second)), rot90, key)
    order = list(range(m.ndim))
    order[first], order[second] = order[second], order[first]
    if k == 1:
        return keep_view(m, transpose(flip(m, second), order), rot90, key)
    return keep_view(m, flip(transpose(m, order), second), rot90, key)


def roll(
    a: ArrayLike,
    shift: ArrayLike | Sequence[int],
    axis: int | Sequence[int] | None = None,
) -> ndarray:
    """An array with its elements shifted along axes, the last ones coming in at the front.

    Parameters
    ----------
    a : ndarray
        The array.
    shift : int, tuple of int or ndarray of int
        By how many elements; an array on the device is not waited for.
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
    if isinstance(a, ArrayBase):
        # The keys of _plan_roll, written here to save its call on a fast path.
        if type(shift) is int and (axis is None or type(axis) is int):
            plan = current.stream.plans.get((_plan_roll, a._layout, axis))
            if plan is not None:
                run, ((_, length, unit),) = plan
                return run(a, -shift % length * unit)
        elif type(shift) is tuple and type(axis) is tuple and {*map(type, shift + axis)} == {int}:
            plan = current.stream.plans.get((_plan_roll, a._layout, axis))
            if plan is not None and len(shift) == len(axis):
                run, moved = plan
                moves = dict(zip(axis, shift, strict=True))
                return run(a, *[-moves[one] % length * unit for one, length, unit in moved])
    a = as_array(a, "roll")
    layout = a._layout
    if isinstance(shift, ArrayBase):
        return _roll_by_array(a, shift, axis)
    if axis is None and not layout.c_contiguous:
        return reshape(roll(in_one_dimension(a), shift, 0), layout.shape)
    ndim = 1 if axis is None else layout.ndim
    axes, shifts = _paired(0 if axis is None else axis, shift, ndim)
    if not layout.size:
        return empty_like(a)
    moves = {}
    for one, by in zip(axes, shifts, strict=True):
        moves[one] = moves.get(one, 0) - by
    if not moves:
        return copies.copy(a)
    rolled = axis if type(axis) is int or axis is None else tuple(sorted(moves))
    run, moved = _plan_roll(current.stream, layout, rolled)
    return run(a, *[moves[one] % length * unit for one, length, unit in moved])


def _paired(axis: Any, shift: Any, ndim: int) -> tuple[list[int], list[int]]:
    """The axes and the shift along each of them, broadcast to each other."""
    axes = axis if isinstance(axis, Iterable) else (axis,)
    axes = np.array([check_axis(one, ndim) for one in axes], np.intp)
    by = np.atleast_1d(np.asarray(shift))
    if by.ndim > 1:
        raise ValueError(
            f"roll: 'shift' and 'axis' should be scalars or 1D sequences, got the shift {shift!r}"
        )
    try:
        pairs = np.broadcast(axes, by)
    except ValueError:
        raise ValueError(
            f"roll: shape mismatch: {by.size} shifts cannot be broadcast to {axes.size} axes"
        ) from None
    found = [(int(one), int(move)) for one, move in pairs]
    return [one for one, _ in found], [move for _, move in found]


def _roll_by_array(a: ndarray, shift: ndarray, axis: Any) -> ndarray:
    """`roll` by shifts on the device: a gather along each of the axes."""
    if shift.ndim > 1:
        raise ValueError(
            "roll: 'shift' and 'axis' should be scalars or 1D sequences, got a shift of shape "
            f"{shift.shape}"
        )
    if shift.dtype.kind not in "iub":
        raise TypeError(f"roll: shifts on the device are integers, got {shift.dtype}")
    if axis is None:
        return reshape(_roll_by_array(in_one_dimension(a), shift, 0), a.shape)
    axes = [check_axis(one, a.ndim) for one in (axis if isinstance(axis, Iterable) else (axis,))]
    shifts = reshape(shift, (-1,))
    if len(axes) != 1 and shifts.size not in (1, len(axes)):
        raise ValueError(
            f"roll: shape mismatch: {shifts.size} shifts cannot be broadcast to {len(axes)} axes"
        )
    result = a
    for number, one in enumerate(axes):
        by = shifts[number : number + 1] if len(axes) == shifts.size != 1 else shifts
        if by.size != 1:  # one axis, shifted several times
            by = by.sum(keepdims=True)
        length = a.shape[one]
        if length:
            indices = (arange(length) - by) % length
            result = result[(slice(None),) * one + (indices,)]
    return copies.copy(a) if result is a else result


@planned
def _plan_roll(stream: Stream, layout: Layout, axis: int | tuple[int, ...] | None) -> Any:
    """A call that takes a start for each axis, and of these the axis, its length and a factor."""
    result = _memory_order.like_prototype(layout.dtype, layout.shape, layout)
    if axis is None:
        axis = 0
        result = _layout.contiguous(layout.dtype, layout.shape)
        layout = _layout.contiguous(layout.dtype, (layout.size,))
    target = _layout.contiguous(layout.dtype, layout.shape) if layout.ndim == 1 else result
    axes = [one % layout.ndim for one in ((axis,) if isinstance(axis, int) else axis)]
    # Along an axis of length 1 there is nothing to shift, but a plan for one axis takes one start.
    wrap, copy = remap.launch.Rule("wrap"), remap.launch.Rule("copy")
    rules = [wrap if i in axes else copy for i in range(layout.ndim)]
    run, moved = remap.launch.make_call("roll", layout, target, rules, 0, stream, result)
    if type(axis) is int and not moved:
        return (lambda a, start: run(a)), ((axes[0], 1, 1),)
    return run, tuple([(one, layout.shape[one], unit) for one, unit in moved])


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
    if isinstance(A, ArrayBase):
        # The key of _plan_tile, written here to save its call on a fast path; 2.0 is no integer.
        given = (reps,) if type(reps) is int else reps
        if type(given) is tuple and {*map(type, given)} == {int}:
            plan = current.stream.plans.get((_plan_tile, A._layout, given))
            if plan is not None:
                result = plan[0](A)
                result._layout = plan[1]
                return result
    A = as_array(A, "tile")
    counts = (reps,) if isinstance(reps, int | np.integer) else tuple(reps)
    counts = tuple([operator.index(n) for n in counts])
    if set(counts) <= {1}:
        return array(A, ndmin=max(A.ndim, len(counts)))  # in the order of A, as NumPy's
    run, layout = _plan_tile(current.stream, A._layout, counts)
    result = run(A)
    result._layout = layout
    return result


@planned
def _plan_tile(stream: Stream, layout: Layout, counts: tuple[int, ...]) -> Any:
    """A call that makes a tiled array, and the layout that this is to have."""
    ndim = max(layout.ndim, len(counts))
    counts = (1,) * (ndim - len(counts)) + counts
    shape = (1,) * (ndim - layout.ndim) + layout.shape
    strides = (0,) * (ndim - layout.ndim) + layout.strides
    result = _layout.contiguous(
        layout.dtype,
        _arguments.check_shape(
            tuple([n * length for n, length in zip(counts, shape, strict=True)])
        ),
    )
    pairs = tuple([x for pair in zip(counts, shape, strict=True) for x in pair])
    steps = tuple([x for stride in strides for x in (0, stride)])
    return _plan_spread(stream, layout, pairs, steps), result


def _plan_spread(
    stream: Stream, layout: Layout, shape: tuple[int, ...], steps: tuple[int, ...]
) -> Any:
    """A call that copies an array, read with other strides, to a gapless one."""
    target = _layout.contiguous(layout.dtype, shape)
    if not target.size:
        return lambda a: _array.empty(target)
    source = _layout.layout_of(layout.dtype, shape, steps, layout.access)
    return elementwise.launch.copy_call(source, target, False, stream)


def repeat(
    a: ArrayLike, repeats: int | Sequence[int] | ndarray, axis: int | None = None
) -> ndarray:
    """An array with each element repeated.

    Parameters
    ----------
    a : ndarray
        The array.
    repeats : int, sequence of int or ndarray
        How often, for all elements or one by one along the axis. An array on the device is waited
        for, since the shape of the result depends on it.
    axis : int, optional
        The axis; by default the flattened array.

    Returns
    -------
    ndarray
        The repeated elements.

    Raises
    ------
    TypeError
        If the numbers of repetitions are no integers.
    ValueError
        If one is negative.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.repeat(cp.arange(3), 2)
    array([0, 0, 1, 1, 2, 2])
    """
    if isinstance(a, ArrayBase) and type(repeats) is int and (axis is None or type(axis) is int):
        # The key of _plan_repeat, written here to save its call on a fast path.
        plan = current.stream.plans.get((_plan_repeat, a._layout, repeats, axis))
        if plan is not None:
            result = plan[0](a)
            result._layout = plan[1]
            return result
    a = as_array(a, "repeat")
    if axis is not None:
        axis = check_axis(axis, max(a.ndim, 1), bools=False)
    if isinstance(repeats, ArrayBase):
        return _repeat_by_array(a, repeats, axis)
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
        if axis is None and not a._layout.c_contiguous:
            a = in_one_dimension(a)
        run, layout = _plan_repeat(current.stream, a._layout, int(counts.reshape(())), axis)
        result = run(a)
        result._layout = layout
        return result
    a, axis = along_axis(a, axis)
    _check_repeats(counts.shape, a.shape[axis])
    indices = np.repeat(np.arange(a.shape[axis]), counts.astype(np.int64))
    return a[(*(slice(None),) * axis, asarray(indices))]


def _check_repeats(shape: tuple[int, ...], length: int) -> None:
    if shape != (length,):
        raise ValueError(f"operands could not be broadcast together with shape ({length},) {shape}")


@planned
def _plan_repeat(stream: Stream, layout: Layout, count: int, axis: int | None) -> Any:
    """A call that makes an array of repeated elements, and the layout that this is to have."""
    if layout.ndim == 1:
        axis = 0
    elif axis is None or not layout.ndim:
        if not layout.c_contiguous:
            return None  # the elements are copied to one dimension first
        layout = _layout.layout_of(layout.dtype, (layout.size,), (layout.itemsize,), layout.access)
        axis = 0
    shape, strides = layout.shape, layout.strides
    spread = (*shape[: axis + 1], count, *shape[axis + 1 :])
    steps = (*strides[: axis + 1], 0, *strides[axis + 1 :])
    result = _arguments.check_shape((*shape[:axis], shape[axis] * count, *shape[axis + 1 :]))
    run = _plan_spread(stream, layout, spread, steps)
    return run, _layout.contiguous(layout.dtype, result)


def _repeat_by_array(a: ndarray, repeats: ndarray, axis: int | None) -> ndarray:
    """`repeat` by counts on the device, which is waited for: the shape follows from them."""
    if repeats.dtype.kind not in "iub" and repeats.size:
        raise TypeError(f"repeat: repeats must be integers, got {repeats.dtype}")
    if repeats.ndim > 1:
        raise ValueError(
            "repeat: repeats must be an integer or a sequence of integers, got shape "
            f"{repeats.shape}"
        )
    if repeats.size == 1:
        return repeat(a, int(repeats.item()), axis)
    a, axis = along_axis(a, axis)
    _check_repeats(repeats.shape, a.shape[axis])
    if not repeats.size:
        return copies.copy(a, "C")
    ends = cumsum(repeats, dtype=np.int64)
    total, least = asnumpy(stack([ends[-1], repeats.min().astype(np.int64)])).tolist()
    if least < 0:
        raise ValueError("repeats may not contain negative values.")
    indices = searchsorted(ends, arange(total), side="right")
    return a[(*(slice(None),) * axis, indices)]
