"""Gradients (of NumPy's page on sums, products and differences)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from gpuarray import _array, _dtypes, _memory_order
from gpuarray._arguments import check_axes
from gpuarray._layout import Layout
from gpuarray._ops.conversion import asarray
from gpuarray._ops.differences import as_differences, part
from gpuarray._ops.host_copies import on_host
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import add, divide, multiply, subtract
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import find, planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.generator.expressions import Input, Scalar, apply, cast

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["gradient"]


@overload
def gradient(f: ArrayLike, *varargs: ArrayLike, axis: int, edge_order: int = 1) -> ndarray: ...


# One array for one axis, else a tuple; how many dimensions an array has is no part of its type.
@overload
def gradient(
    f: ArrayLike, *varargs: ArrayLike, axis: Sequence[int] | None = None, edge_order: int = 1
) -> Any: ...


def gradient(
    f: ArrayLike, *varargs: ArrayLike, axis: int | Sequence[int] | None = None, edge_order: int = 1
) -> ndarray | tuple[ndarray, ...]:
    """Derivatives by differences: central ones inside, one-sided ones at the ends.

    Parameters
    ----------
    f : ndarray
        The values.
    *varargs : scalar or ndarray, 1-D, optional
        The distance of neighbours or their coordinates: one for all axes, or one for each.
    axis : int or tuple of int, optional
        The axes; all by default.
    edge_order : {1, 2}, optional
        The order of accuracy at the ends.

    Returns
    -------
    ndarray or tuple of ndarray
        The derivative along each axis, of the shape of ``f``.

    Raises
    ------
    ValueError
        If `edge_order` is not 1 or 2, or spacings do not fit.
    TypeError
        If the array is of bool.

    Notes
    -----
    Two launches for each axis, about ten with uneven distances or edges of the second order, and
    then temporary memory of twice the values. Coordinates in device memory are fetched, to see
    whether their distances are equal. The weights of three neighbours are those of the parabola
    through them.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.gradient(cp.asarray([1.0, 2.0, 4.0, 7.0, 11.0]))
    array([1. , 1.5, 2.5, 3.5, 4. ])
    """
    f = as_differences(as_array(f, "gradient"))
    ndim = f._layout.ndim
    axes = check_axes(axis, ndim, duplicates="repeated axis")
    spacings = _spacings(f, varargs, axes)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    kind = f._layout.dtype.kind
    numbers = all(isinstance(one, int | float | complex | np.number) for one in spacings)
    if kind in "iufc" and edge_order == 1 and numbers:
        even = [_even_derivative(f, i, h) for i, h in zip(axes, spacings, strict=True)]
        return even[0] if len(axes) == 1 else tuple(even)
    if kind in "iu":
        f = copies.copy(f, "K", np.dtype(np.float64))
    elif f._layout.dtype == bool:
        raise TypeError("gradient: differences of bools are not defined; use astype")
    results = tuple(
        [_derivative(f, i, spacing, edge_order) for i, spacing in zip(axes, spacings, strict=True)]
    )
    return results[0] if len(axes) == 1 else results


def _spacings(f: Any, given: Sequence[Any], axes: Sequence[int]) -> list[Any]:
    """For each axis a distance, or distances on the host."""
    if not given:
        return [1.0] * len(axes)
    if len(given) == 1 and np.ndim(given[0]) == 0:
        return [on_host(given[0])] * len(axes)
    if len(given) != len(axes):
        raise TypeError("invalid number of arguments")
    spacings: list[Any] = []
    for i, one in zip(axes, given, strict=True):
        one = on_host(one)
        if np.ndim(one) == 0:
            spacings.append(one)
            continue
        one = np.asarray(one)
        if one.ndim != 1:
            raise ValueError("distances must be either scalars or 1d")
        if len(one) != f._layout.shape[i]:
            raise ValueError(
                "when 1d, distances must match the length of the corresponding dimension"
            )
        distances = np.diff(one.astype(np.float64) if one.dtype.kind in "iu" else one)
        spacings.append(distances[0] if (distances == distances[0]).all() else distances)
    return spacings


def _even_derivative(f: Any, axis: int, spacing: Any) -> Any:
    """The derivative where neighbours have one distance, of the first order at the ends."""
    layout = f._layout
    stream = current.stream
    key = (_plan_gradient, layout, axis, type(spacing))
    plan = stream.plans.get(key)
    if plan is None:
        plan = find(stream, key, _plan_gradient, f, axis, spacing)
    target, parts = plan
    out = _array.empty(target)
    read, written = _views_read(f, axis), _views_written(out, axis)
    for i, (run, factor, number) in enumerate(parts):
        run(read[2 * i], read[2 * i + 1], number(factor * spacing).item(), written[i])
    return out


def _views_read(f: Any, axis: int) -> list[Any]:
    """The first element and the last but one, the two behind them; then all without a margin."""
    found = _array.kept_views(f, _views_read, (axis,))
    if found is None:
        length = f._layout.shape[axis]
        parts = [slice(i, length - 1 + i, max(length - 2, 1)) for i in range(2)]
        if length > 2:
            parts += [slice(None, -2), slice(2, None)]
        lead = (slice(None),) * axis
        views = [f[(*lead, part)] for part in parts]
        found = _array.keep_views(f, views, _views_read, (axis,))
    return found


def _views_written(out: Any, axis: int) -> list[Any]:
    """Both ends, and what is between them."""
    found = _array.kept_views(out, _views_written, (axis,))
    if found is None:
        length = out._layout.shape[axis]
        lead = (slice(None),) * axis
        views = [out[(*lead, slice(None, None, length - 1))]]
        if length > 2:
            views.append(out[(*lead, slice(1, -1))])
        found = _array.keep_views(out, views, _views_written, (axis,))
    return found


def _plan_gradient(f: Any, axis: int, spacing: Any) -> tuple[Layout, list[tuple[Any, Any, Any]]]:
    """The result's layout, and for each launch what the distance is multiplied by, and its type."""
    layout = f._layout
    _check_length(layout.shape[axis], 1)
    dtype = np.dtype(np.float64) if layout.dtype.kind in "iu" else layout.dtype
    out = _array.empty(_memory_order.like_prototype(dtype, layout.shape, layout))
    read, parts = _views_read(f, axis), []
    for i, target in enumerate(_views_written(out, axis)):
        factor = 2.0 if i else 1
        found = np.result_type(dtype, factor * spacing)
        x, y = read[2 * i : 2 * i + 2]
        run = _plan_slopes(current.stream, x._layout, y._layout, target._layout, dtype, found)
        parts.append((run, factor, found.type))
    return out._layout, parts


@planned
def _plan_slopes(
    stream: Stream, before: Layout, behind: Layout, target: Layout, dtype: np.dtype, found: np.dtype
) -> Callable[..., Any]:
    given, code, result = (_dtypes.code(x) for x in (before.dtype, dtype, found))
    x, y = (cast(code, Input(i, given)) for i in range(2))
    slope = apply("divide", result, cast(result, apply("subtract", code, y, x)), Scalar(2, result))
    slope = cast(code, slope)
    return elementwise.launch.make_call(
        "gradient", [slope], [before, behind, found], [target], [True], stream
    )


def _check_length(length: int, edge_order: int) -> None:
    if length < edge_order + 1:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) "
            "elements are required."
        )


def _derivative(f: Any, axis: int, spacing: Any, edge_order: int) -> Any:
    length = f._layout.shape[axis]
    _check_length(length, edge_order)
    out = _array.empty(_memory_order.like_prototype(f._layout.dtype, f._layout.shape, f._layout))
    inner = part(out, axis, 1, -1)
    before, here, behind = (
        part(f, axis, None, -2),
        part(f, axis, 1, -1),
        part(f, axis, 2, None),
    )
    uneven = np.ndim(spacing) == 1
    if length > 2:
        if uneven:
            shape = (-1,) + (1,) * (f._layout.ndim - axis - 1)
            weights = [asarray(w.reshape(shape)) for w in _weights(spacing[:-1], spacing[1:], 1)]
            parts = [multiply(w, x) for w, x in zip(weights, (before, here, behind), strict=True)]
            inner[...] = add(add(parts[0], parts[1]), parts[2])
        else:
            inner[...] = divide(subtract(behind, before), 2.0 * spacing)
    edges = ((0, 1, spacing[:2] if uneven else (spacing, spacing)),
             (-1, -1, spacing[:-3:-1] if uneven else (spacing, spacing)))  # fmt: skip
    for end, step, (near, *further) in edges:
        indices = [end + step * i for i in range(3)] if end == 0 else [-1, -2, -3]
        points = [part(f, axis, i, i + 1 or None) for i in indices[: edge_order + 1]]
        target = part(out, axis, end, end + 1 or None)
        sign = 1 if end == 0 else -1
        if edge_order == 1:
            first, second = points[::sign]
            target[...] = divide(subtract(second, first), near)
        else:
            edge_weights = [sign * w for w in _weights(near, further[0], 0)]
            terms = [multiply(x, w) for w, x in zip(edge_weights, points, strict=True)]
            target[...] = add(add(terms[0], terms[1]), terms[2])
    return out


def _weights(first: Any, second: Any, point: int) -> tuple[Any, Any, Any]:
    """Weights of three points for the parabola's slope at the first or the one in the middle."""
    both = first + second
    if point == 0:
        return (
            -(2.0 * first + second) / (first * both),
            both / (first * second),
            -first / (second * both),
        )
    return -second / (first * both), (second - first) / (first * second), first / (second * both)
