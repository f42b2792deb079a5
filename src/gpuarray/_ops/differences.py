"""Differences and integrals (of NumPy's page on sums, products and differences)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _dtypes, _layout, _memory_order
from gpuarray._arguments import check_axis
from gpuarray._layout import Layout
from gpuarray._ops.conversion import asarray
from gpuarray._ops.dimensions import broadcast_to
from gpuarray._ops.joining import concatenate
from gpuarray._ops.logic import not_equal
from gpuarray._ops.manipulation import as_array, in_one_dimension, reshape
from gpuarray._ops.math import add, divide, multiply, subtract
from gpuarray._ops.sums import sum
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.generator.expressions import (
    Constant,
    Expression,
    Input,
    Scalar,
    apply,
    cast,
)

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, Operand, ndarray

__all__ = ["diff", "ediff1d", "trapezoid"]

#: Differences of differences that one kernel computes.
_MOST_AT_ONCE = 4


def diff(
    a: ArrayLike,
    n: int = 1,
    axis: int = -1,
    prepend: ArrayLike | None = None,
    append: ArrayLike | None = None,
) -> ndarray:
    """Differences of neighbours along an axis.

    Parameters
    ----------
    a : ndarray
        The elements; of bools the result says where neighbours differ.
    n : int, optional
        How many times differences are taken.
    axis : int, optional
        The axis.
    prepend, append : ndarray or scalar, optional
        What stands before and behind the elements.

    Returns
    -------
    ndarray
        Shorter by ``n`` along the axis. One launch, of more than four times and of bools one for
        each time, and one to join what is prepended or appended.

    Raises
    ------
    ValueError
        If the order is negative, or the array has no dimensions.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.diff(cp.asarray([1, 2, 4, 7, 0]))
    array([ 1,  2,  3, -7])
    """
    n = operator.index(n)
    a = as_array(a, "diff")
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    if not a._layout.ndim:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = check_axis(axis, a._layout.ndim)
    if prepend is not None or append is not None:
        parts = [_end(prepend, a, axis), a, _end(append, a, axis)]
        a = concatenate([x for x in parts if x is not None], axis)
    n = min(n, a._layout.shape[axis])  # then nothing is left
    function = not_equal if a._layout.dtype == bool else subtract
    if 2 <= n <= _MOST_AT_ONCE and n < a._layout.shape[axis] and a._layout.dtype.kind in "iufc":
        parts = [part(a, axis, i, a._layout.shape[axis] - n + i) for i in range(n + 1)]
        return _plan_differences(current.stream, *[part._layout for part in parts])(*parts)
    for _ in range(n):
        a = function(part(a, axis, 1, None), part(a, axis, None, -1))
    return a


@planned
def _plan_differences(stream: Stream, *parts: Layout) -> Callable[..., Any]:
    """Differences of differences of arrays of one shape."""
    dtype = parts[0].dtype
    code = _dtypes.code(dtype)
    terms: list[Expression] = [Input(i, code) for i in range(len(parts))]
    while len(terms) > 1:
        terms = [apply("subtract", code, y, x) for x, y in pairwise(terms)]
    target = _memory_order.like_prototype(dtype, parts[0].shape, parts[0])
    return elementwise.launch.make_call("diff", terms, parts, [target], [False], stream)


def _end(values: Any, a: Any, axis: int) -> Any:
    if values is None:
        return None
    values = asarray(values)
    if not values._layout.ndim:
        shape = a._layout.shape
        values = broadcast_to(values, shape[:axis] + (1,) + shape[axis + 1 :])
    return values


def part(a: ndarray, axis: int, start: int | None, stop: int | None) -> ndarray:
    """The view of a part of an axis."""
    return a[(slice(None),) * axis + (slice(start, stop),)]


def as_differences(a: ndarray) -> ndarray:
    """Times as their differences from 1970, since the difference of two is the same."""
    layout = a._layout
    if layout.dtype.kind != "M":
        return a
    dtype = _dtypes.canonical(layout.dtype.str.replace("M8", "m8"))
    return _array.view(a, _layout.layout_of(dtype, layout.shape, layout.strides))


def ediff1d(
    ary: ArrayLike, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None
) -> ndarray:
    """Differences of neighbours in the flattened array.

    Parameters
    ----------
    ary : ndarray
        The elements.
    to_end, to_begin : ndarray or scalar, optional
        What the result ends and begins with.

    Returns
    -------
    ndarray, 1-D
        One launch, and one for each end.

    Raises
    ------
    TypeError
        If the array is of bool, or what is put before or behind it has no cast to its dtype.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.ediff1d(cp.asarray([1, 2, 4, 7]), to_begin=-99)
    array([-99,   1,   2,   3])
    """
    ary = as_differences(in_one_dimension(as_array(ary, "ediff1d")))
    dtype = ary._layout.dtype
    if dtype.kind == "b":
        raise TypeError(
            "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the "
            "`^` operator, or the logical_xor function instead."
        )
    ends = []
    for name, values in (("to_begin", to_begin), ("to_end", to_end)):
        values = None if values is None else in_one_dimension(asarray(values))
        if values is not None and not np.can_cast(values._layout.dtype, dtype, "same_kind"):
            raise TypeError(
                f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule."
            )
        ends.append(values)
    begin, end = ends
    first = 0 if begin is None else begin._layout.size
    count = max(ary._layout.size - 1, 0)
    last = 0 if end is None else end._layout.size
    result = _array.empty(_layout.contiguous(dtype, (first + count + last,)))
    if begin is not None:
        result[:first] = begin
    if count:
        subtract(ary[1:], ary[:-1], out=result[first : first + count])
    if end is not None:
        result[first + count :] = end
    return result


def trapezoid(
    y: ArrayLike, x: ArrayLike | None = None, dx: Operand = 1.0, axis: int = -1
) -> ndarray:
    """The integral along an axis by the trapezoidal rule.

    Parameters
    ----------
    y : ndarray
        The values.
    x : ndarray, optional
        Where they are: one coordinate for each value along the axis, or for each value.
    dx : scalar, optional
        The distance between neighbours, without ``x``.
    axis : int, optional
        The axis.

    Returns
    -------
    ndarray
        The integrals. Two launches, five with ``x``; temporary memory of the values, or twice that.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.trapezoid(cp.asarray([1.0, 2.0, 3.0]), dx=2)
    array(8.)
    """
    y = as_array(y, "trapezoid")
    axis = check_axis(axis, y._layout.ndim, bools=False)
    distance = dx
    if x is not None:
        x = as_array(x, "trapezoid")
        if x._layout.ndim == 1:
            distance = diff(x)
            shape = [1] * y._layout.ndim
            shape[axis] = distance._layout.size
            distance = reshape(distance, tuple(shape))
        else:
            distance = diff(x, axis=axis)
    behind, before = part(y, axis, 1, None), part(y, axis, None, -1)
    if type(distance) in (int, float) and y._layout.dtype.kind in "iufc":
        run, number = _plan_trapezoids(current.stream, behind._layout, before._layout, distance)
        return sum(run(behind, before, number), axis)
    both = add(behind, before)
    return sum(divide(multiply(distance, both), 2.0), axis)


def _plan_trapezoids(
    stream: Stream, behind: Layout, before: Layout, distance: Any
) -> tuple[Callable[..., Any], Any]:
    """The call that computes the areas between neighbours, and the distance as it takes it."""
    dtype = np.result_type(behind.dtype, distance)
    found = np.result_type(dtype, 2.0)
    run = _plan_areas(stream, behind, before, dtype, found)
    return run, dtype.type(distance).item()


@planned
def _plan_areas(
    stream: Stream, behind: Layout, before: Layout, dtype: np.dtype, found: np.dtype
) -> Callable[..., Any]:
    given, code, result = (_dtypes.code(x) for x in (behind.dtype, dtype, found))
    both = cast(code, apply("add", given, Input(0, given), Input(1, given)))
    area = cast(result, apply("multiply", code, Scalar(2, code), both))
    half = apply("divide", result, area, Constant(2.0, result))
    target = _memory_order.like_prototype(found, behind.shape, behind)
    inputs: list[Any] = [behind, before, dtype]
    return elementwise.launch.make_call("trapezoid", [half], inputs, [target], [False], stream)
