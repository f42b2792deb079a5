"""Array manipulation routines: padding."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _array, _dtypes, _layout
from gpuarray._arguments import check_axis
from gpuarray._array import ArrayBase
from gpuarray._layout import Layout
from gpuarray._ops.creation_like import zeros_like
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import rint
from gpuarray._ops.order_statistics import median
from gpuarray._ops.samples import linspace
from gpuarray._ops.statistics import max as greatest
from gpuarray._ops.statistics import mean
from gpuarray._ops.statistics import min as least
from gpuarray._ops.stored_values import as_host_scalar
from gpuarray._ops.subscripts import getitem, setitem
from gpuarray._ops.transposing import moveaxis
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import remap
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.remap.launch import Rule

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["pad"]

#: The keyword arguments of each mode.
_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "empty": (),
    "edge": (),
    "wrap": (),
    "constant": ("constant_values",),
    "linear_ramp": ("end_values",),
    "maximum": ("stat_length",),
    "mean": ("stat_length",),
    "median": ("stat_length",),
    "minimum": ("stat_length",),
    "reflect": ("reflect_type",),
    "symmetric": ("reflect_type",),
}

_STATISTICS: dict[str, Callable[..., Any]] = {
    "maximum": greatest, "minimum": least, "mean": mean, "median": median,
}  # fmt: skip

_Pairs = tuple[tuple[Any, Any], ...]


def pad(
    array: ArrayLike,
    pad_width: int | Sequence[Any] | Mapping[int, Any],
    mode: str | Callable[..., Any] = "constant",
    **kwargs: Any,
) -> ndarray:
    """An array with elements put before and behind its own along each axis.

    Parameters
    ----------
    array : array_like
        The array.
    pad_width : int, sequence or dict
        How many elements: ``((before, after), ...)`` with a pair for each axis, one pair or one
        number for all, or a dict of the axes that are padded.
    mode : str or callable, optional
        One of

        * 'constant': `constant_values`, as pairs like `pad_width`; 0 by default;
        * 'edge': the outermost elements;
        * 'linear_ramp': values between `end_values` and the outermost elements;
        * 'maximum', 'mean', 'median', 'minimum': of the outermost `stat_length` elements, of all
          by default;
        * 'reflect': the array mirrored at its outermost elements, with ``reflect_type='odd'``
          turned around their values;
        * 'symmetric': the same, with the outermost elements repeated;
        * 'wrap': the array from its other end;
        * 'empty': uninitialised elements;
        * a function ``function(vector, (before, after), axis, kwargs)``, which is called for each
          one-dimensional view along each axis, of an array padded with zeros, and writes to it.

    Returns
    -------
    ndarray
        A new array, in Fortran order if `array` is.

    Raises
    ------
    ValueError
        If the mode is unknown, an argument does not go with it, a width is negative, or an axis of
        length 0 is to be continued.
    TypeError
        If widths are no integers.

    Notes
    -----
    'constant', 'edge', 'wrap', 'reflect' and 'symmetric' take one kernel for all axes (an odd
    reflection one a side), 'linear_ramp' one a side, statistics some for each axis.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.pad(cp.arange(3), (1, 2), mode="edge")
    array([0, 0, 1, 2, 2, 2])
    >>> cp.pad(cp.ones((1, 2)), {1: (1, 1)})
    array([[0., 1., 1., 0.]])
    """
    table_key = None
    if isinstance(array, ArrayBase) and type(mode) is str and _are_integers(pad_width):
        table_key = (pad, array._layout, pad_width, mode)
        plan: Any = current.stream.plans.get(table_key)
        if plan is not None:
            run, arguments = plan
            if not kwargs:
                return run(array, *arguments)
            number = kwargs.get("constant_values")
            if mode == "constant" and len(kwargs) == 1 and type(number) in (int, float):
                number = as_host_scalar(number, array._layout.dtype, "pad")
                return run(array, *arguments[:-1], number)
    x = as_array(array, "pad")
    layout = x._layout
    pairs = _widths(pad_width, layout.ndim)
    if callable(mode):
        return _pad_by_function(x, pairs, mode, kwargs)
    if mode not in _ARGUMENTS:
        raise ValueError(
            f"pad: no mode is called {mode!r}; use one of {', '.join(_ARGUMENTS)}, or a function"
        )
    unsupported = set(kwargs) - set(_ARGUMENTS[mode])
    if unsupported:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unsupported}")
    if mode == "constant":
        values = _as_pairs(kwargs.get("constant_values", 0), layout.ndim)
        if _dtypes.is_raw(layout.dtype):
            return _pad_by_assignment(x, pairs, values)
        fills = [as_host_scalar(one, layout.dtype, "pad") for pair in values for one in pair]
        return _pad_by_rule(x, pairs, mode, fills, table_key)
    if mode == "empty":
        return _surrounded(x, pairs)
    for axis, pair in enumerate(pairs):
        if not layout.shape[axis] and any(pair):
            raise ValueError(
                f"pad: axis {axis} is empty, with nothing for mode={mode!r} to take; use 'constant'"
            )
    if not layout.size:
        return _surrounded(x, pairs)
    reflect_type = kwargs.get("reflect_type", "even")
    if mode in ("reflect", "symmetric") and reflect_type == "odd":
        return _reflect_odd(x, pairs, mode)
    if mode == "linear_ramp":
        return _pad_by_ramps(x, pairs, _as_pairs(kwargs.get("end_values", 0), layout.ndim))
    if mode in _STATISTICS:
        return _pad_by_statistics(x, pairs, mode, kwargs.get("stat_length"))
    return _pad_by_rule(x, pairs, mode, [], table_key)


def _are_integers(pad_width: Any) -> bool:
    """Whether widths are ints, in tuples: equal ones are the same widths."""
    if type(pad_width) is int:
        return True
    if type(pad_width) is not tuple:
        return False
    for pair in pad_width:
        if type(pair) is tuple:
            if {*map(type, pair)} != {int}:
                return False
        elif type(pair) is not int:
            return False
    return True


def _widths(pad_width: Any, ndim: int) -> tuple[tuple[int, int], ...]:
    """The widths before and behind each axis."""
    if isinstance(pad_width, Mapping):
        pairs = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            number = check_axis(axis, ndim)
            sides = (width, width) if isinstance(width, int | np.integer) else tuple(width)
            if len(sides) != 2:
                raise ValueError(f"pad: the width of axis {axis} is no pair, got {width!r}")
            pairs[number] = (operator.index(sides[0]), operator.index(sides[1]))
        widths: Any = pairs
    else:
        widths = pad_width
    if type(widths) is int:
        found: Any = ((widths, widths),) * ndim
    else:
        host = np.asarray(widths)
        if host.dtype.kind != "i" and not (isinstance(pad_width, Mapping) and not ndim):
            raise TypeError(f"pad: `pad_width` must be of integral type, got {pad_width!r}")
        found = _as_pairs(host, ndim)
    if any(one < 0 for pair in found for one in pair):
        raise ValueError(f"pad: index can't contain negative values, got {pad_width!r}")
    return tuple([(int(before), int(after)) for before, after in found])


def _as_pairs(given: Any, ndim: int) -> _Pairs:
    """A number or nested sequences as a pair for each axis, broadcast as NumPy does it."""
    if given is None:
        return ((None, None),) * ndim
    if isinstance(given, ArrayBase):
        given = asnumpy(given)
    host = np.asarray(given)
    if host.size == 1:
        return ((host.reshape(-1)[0],) * 2,) * ndim
    if host.ndim < 3 and host.size == 2 and host.shape != (2, 1):
        return (tuple(host.reshape(-1)),) * ndim
    try:
        return tuple([(a, b) for a, b in np.broadcast_to(host, (ndim, 2)).tolist()])
    except ValueError:
        raise ValueError(
            f"pad: {given!r} cannot be broadcast to a pair for each of {ndim} axes"
        ) from None


# ---- modes that take elements from other places ------------------------------------------------


def _pad_by_rule(x: Any, pairs: Any, mode: str, fills: list[Any], table_key: Any = None) -> Any:
    """Pad all axes in one kernel, whose plan is kept under a key for the next call."""
    layout = x._layout
    bits = {np.asarray(one, layout.dtype).tobytes() for one in fills}
    if len(bits) <= 1:
        run, arguments = _plan_pad(current.stream, layout, pairs, mode)
        if table_key is not None:
            current.stream.keep_plan(table_key, (run, arguments))
        return run(x, *arguments[:-1], fills[0]) if fills else run(x, *arguments)
    if _order(layout) == "F":
        # Of several numbers those of the last axis win: that has to be the fastest one.
        padded = _pad_by_rule(copies.copy(x, "C"), pairs, mode, fills)
        return copies.copy(padded, "F")
    run, starts = _plan_padding(current.stream, layout, pairs, mode, len(fills))
    return run(x, *starts, *fills)


@planned
def _plan_pad(stream: Stream, layout: Layout, pairs: Any, mode: str) -> Any:
    """A call, and what it takes behind the array: starts, and 0 where it stores a number."""
    if mode == "constant":
        run, starts = _plan_padding(stream, layout, pairs, mode, 1)
        return run, (*starts, np.zeros((), layout.dtype).item())
    return _plan_padding(stream, layout, pairs, mode, 0)


def _order(layout: Layout) -> str:
    return "F" if layout.f_contiguous and not layout.c_contiguous else "C"


def _padded_layout(layout: Layout, pairs: Any) -> Layout:
    shape = [n + before + after for n, (before, after) in zip(layout.shape, pairs, strict=True)]
    return _layout.contiguous(layout.dtype, _arguments.check_shape(tuple(shape)), _order(layout))


@planned
def _plan_padding(stream: Stream, layout: Layout, pairs: Any, mode: str, fills: int) -> Any:
    target = _padded_layout(layout, pairs)
    if not target.size:
        return (lambda *_: _array.empty(target)), ()
    rules = []
    starts = []
    for n, (before, after) in zip(layout.shape, pairs, strict=True):
        name, start = mode, before
        if not before and not after:
            name = "copy"
        elif mode == "edge" or (n == 1 and mode == "reflect"):
            name = "edge"
        elif mode != "constant":
            period = n if mode == "wrap" else 2 * n - 2 if mode == "reflect" else 2 * n
            start = -before % period
        rules.append(Rule(name))
        starts.append(start)
    if not any(rule.name == "constant" for rule in rules):
        fills = 0
    run, moved = remap.launch.make_call("pad", layout, target, rules, fills, stream)
    found = tuple([starts[axis] * unit for axis, unit in moved])
    if mode == "constant" and not fills:  # nothing is padded: numbers are given all the same
        return (lambda x, *_: run(x)), ()
    return run, found


def _surrounded(x: Any, pairs: Any) -> Any:
    """The array within a larger one, which is uninitialised around it."""
    padded = _array.empty(_padded_layout(x._layout, pairs))
    if x._layout.size:
        copies.assign(_inner(padded, pairs), x)
    return padded


def _inner(padded: Any, pairs: Any) -> Any:
    slices = [
        slice(before, n - after) for n, (before, after) in zip(padded.shape, pairs, strict=True)
    ]
    return getitem(padded, tuple(slices))


def _pad_by_assignment(x: Any, pairs: Any, values: Any) -> Any:
    """Pad structures, which are no arguments of a kernel."""
    padded = zeros_like(_surrounded(x, pairs))
    if x._layout.size:
        copies.assign(_inner(padded, pairs), x)
    for axis, ((before, after), sides) in enumerate(zip(pairs, values, strict=True)):
        later = [(0, 0)] * (axis + 1) + list(pairs[axis + 1 :])
        part = _inner(padded, later)
        lead, length = (slice(None),) * axis, part.shape[axis]
        if before and sides[0] != 0:
            setitem(part, (*lead, slice(before)), sides[0])
        if after and sides[1] != 0:
            setitem(part, (*lead, slice(length - after, None)), sides[1])
    return padded


# ---- modes that compute, axis by axis ----------------------------------------------------------


def _part(x: Any, axis: int, start: int, stop: int) -> Any:
    """The elements from ``start`` to ``stop`` along an axis, as a view."""
    return getitem(x, (*(slice(None),) * axis, slice(start, stop)))


def _axis_by_axis(x: Any, pairs: Any) -> Any:
    """The padded array, and for each padded axis what of the array is complete before it.

    That is as NumPy has it: axes that follow are still without their padding.
    """
    padded = _surrounded(x, pairs)
    parts = []
    for axis, (before, after) in enumerate(pairs):
        if before or after:
            later = [(0, 0)] * (axis + 1) + list(pairs[axis + 1 :])
            parts.append((axis, before, after, _inner(padded, later)))
    return padded, parts


def _pad_by_ramps(x: Any, pairs: Any, ends: Any) -> Any:
    dtype = x._layout.dtype
    padded, parts = _axis_by_axis(x, pairs)
    for axis, before, after, part in parts:
        length = part.shape[axis]
        for width, end, edge, start in (
            (before, ends[axis][0], before, 0),
            (after, ends[axis][1], length - after - 1, length - after),
        ):
            if not width:
                continue
            values = getitem(part, (*(slice(None),) * axis, edge))
            ramp = linspace(end, values, width, endpoint=False, dtype=dtype, axis=axis)
            if start:
                ramp = getitem(ramp, (*(slice(None),) * axis, slice(None, None, -1)))
            copies.assign(_part(part, axis, start, start + width), ramp)
    return padded


def _pad_by_statistics(x: Any, pairs: Any, mode: str, stat_length: Any) -> Any:
    layout = x._layout
    lengths = _as_pairs(stat_length, layout.ndim)
    for pair in lengths:
        for one in pair:
            if one is not None and one < 0:
                raise ValueError(f"pad: index can't contain negative values, got {stat_length!r}")
    function = _STATISTICS[mode]
    padded, parts = _axis_by_axis(x, pairs)
    for axis, before, after, part in parts:
        inner = part.shape[axis] - before - after
        left, right = [
            inner if one is None or one > inner else operator.index(one) for one in lengths[axis]
        ]
        if mode in ("maximum", "minimum") and not (left and right):
            raise ValueError(
                f"pad: stat_length of 0 gives mode={mode!r} no element; give 1 or more"
            )
        first = _statistic(function, _part(part, axis, before, before + left), axis)
        last = first
        if left != inner or right != inner:
            end = before + inner
            last = _statistic(function, _part(part, axis, end - right, end), axis)
        if before:
            copies.assign(_part(part, axis, 0, before), first)
        if after:
            copies.assign(_part(part, axis, before + inner, before + inner + after), last)
    return padded


def _statistic(function: Callable[..., Any], x: Any, axis: int) -> Any:
    found = function(x, axis=axis, keepdims=True)
    # Means of integers are rounded, as NumPy rounds them.
    if x._layout.dtype.kind in "iu" and found._layout.dtype.kind == "f":
        found = rint(found)
    return found


def _reflect_odd(x: Any, pairs: Any, mode: str) -> Any:
    """Reflections around the values of the outermost elements."""
    padded, parts = _axis_by_axis(x, pairs)
    for axis, before, after, part in parts:
        total = part.shape[axis]
        inner = total - before - after
        if inner == 1 and mode in ("reflect", "symmetric"):
            for start, stop in ((0, before), (before + 1, total)):
                if stop > start:
                    edge = _part(part, axis, before, before + 1)
                    copies.assign(_part(part, axis, start, stop), edge)
            continue
        low, high = before, total - after
        shared = mode == "symmetric"
        while low > 0 or high < total:
            period = (high - low) // inner * inner if shared else _odd_period(high - low, inner)
            reach = period if shared else period - 1
            if low > 0:
                width = min(reach, low)
                first = low if shared else low + 1
                _turn(part, axis, first, first + width, low, low - width)
                low -= width
            if high < total:
                width = min(reach, total - high)
                last = high if shared else high - 1
                _turn(part, axis, last - width, last, high - 1, high)
                high += width
    return padded


def _odd_period(length: int, inner: int) -> int:
    """Elements of whole periods of a reflection, the turning points shared."""
    return (length - 1) // (inner - 1) * (inner - 1) + 1


def _turn(part: Any, axis: int, start: int, stop: int, edge: int, target: int) -> None:
    """Store elements in reverse, turned around the value of an edge."""
    backwards = (*(slice(None),) * axis, slice(None, None, -1))
    values = getitem(_part(part, axis, start, stop), backwards)
    turned = 2 * _part(part, axis, edge, edge + 1) - values
    copies.assign(_part(part, axis, target, target + stop - start), turned)


def _pad_by_function(x: Any, pairs: Any, function: Callable[..., Any], kwargs: Any) -> Any:
    """Pad with zeros, then call the function for each vector along each axis."""
    padded = _pad_by_rule(x, pairs, "constant", [0])
    for axis in range(padded.ndim):
        vectors = moveaxis(padded, axis, -1)
        for index in np.ndindex(vectors.shape[:-1]):
            function(vectors[index], pairs[axis], axis, kwargs)
    return padded
