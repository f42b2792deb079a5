"""Mathematical functions: the unwrapping of phases."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _dtypes, _layout, _memory_order
from gpuarray._arguments import check_axis
from gpuarray._array import ArrayBase
from gpuarray._layout import Layout
from gpuarray._ops.math import add
from gpuarray._ops.stored_values import as_values
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.generator.expressions import (
    Cast,
    Constant,
    Input,
    Scalar,
    apply,
)
from gpuarray.kernels.scan.rules import ACCUMULATIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpuarray._types import ArrayLike, ndarray

__all__ = ["unwrap"]

_cumsum = ACCUMULATIONS["add"]


def unwrap(
    p: ArrayLike, discont: float | None = None, axis: int = -1, *, period: float = 2 * math.pi
) -> ndarray:
    """Phases without jumps: differences greater than half a period become their complements.

    Parameters
    ----------
    p : ndarray
        Phases.
    discont : float, optional
        The least difference that is changed; half a period, which is also the least that has an
        effect, by default.
    axis : int, optional
        The axis along which phases are unwrapped.
    period : float, optional
        The period.

    Returns
    -------
    ndarray
        Of the shape of `p`. Of integers, if `p` and `period` are.

    Raises
    ------
    TypeError
        If the period is no real number.

    Notes
    -----
    Four launches: the corrections of all differences, their sums, a copy, and their addition to it.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.unwrap(cp.array([0, 1, 2, -1, 0]), period=4)
    array([0, 1, 2, 3, 4])
    """
    if not isinstance(period, int | float | np.integer | np.floating):
        raise TypeError(f"unwrap: the period is a real number, got {type(period).__name__}")
    p = p if isinstance(p, ArrayBase) else as_values(p, "unwrap")
    layout = p._layout
    axis = check_axis(axis, layout.ndim)
    dtype = _dtypes.canonical(np.result_type(layout.dtype, period))
    result = copies.copy(p, "K", dtype)
    if layout.shape[axis] < 2:
        return result
    integers = dtype.kind in "biu"
    high, rest = divmod(period, 2) if integers else (period / 2, 0)
    stream = current.stream
    run, start, step = _plan_corrections(stream, layout, dtype, axis, bool(rest == 0))
    least = float(period / 2 if discont is None else discont)
    later = _array.view(p, start, step)
    corrections = run(later, _array.view(p, start), period, high, -high, least)
    stored = _behind_first(result._layout, axis)
    target = _array.view(result, stored, result._layout.strides[axis])
    add(later, _cumsum(corrections, axis), out=target, casting="unsafe")
    return result


def _behind_first(layout: Layout, axis: int) -> Layout:
    """The layout of all elements along an axis but one."""
    shape = layout.shape[:axis] + (layout.shape[axis] - 1,) + layout.shape[axis + 1 :]
    return _layout.layout_of(layout.dtype, shape, layout.strides)


@planned
def _plan_corrections(
    stream: Stream, layout: Layout, dtype: np.dtype, axis: int, ambiguous: bool
) -> tuple[Callable[..., Any], Layout, int]:
    """What computes the corrections, the layout of the phases that it reads, and their distance.

    With ``ambiguous``, a difference of half a period may come out with either sign; it keeps its
    own.
    """
    read = _behind_first(layout, axis)
    source, code = _dtypes.code(layout.dtype), _dtypes.code(dtype)
    minus = "not_equal" if source == "b1" else "subtract"  # as of `diff`
    difference = apply(minus, source, Input(0, source), Input(1, source))
    if source != code:
        difference = Cast(code, difference)
    period, high, low = [Scalar(2 + i, code) for i in range(3)]
    # Integers are compared with a fraction as float64.
    limit = dtype if dtype.kind in "fc" else np.dtype("float64")
    least = Scalar(5, _dtypes.code(limit))
    shifted = apply("remainder", code, apply("subtract", code, difference, low), period)
    within = apply("add", code, shifted, low)
    if ambiguous:
        at_edge = apply("equal", "b1", within, low)
        rises = apply("greater", "b1", difference, Constant(0, code))
        at_edge = apply("logical_and", "b1", at_edge, rises)
        within = apply("where", code, at_edge, high, within)
    correction = apply("subtract", code, within, difference)
    magnitude = apply("absolute", code, difference)
    if limit is not dtype:
        magnitude = Cast(_dtypes.code(limit), magnitude)
    small = apply("less", "b1", magnitude, least)
    correction = apply("where", code, small, Constant(0, code), correction)
    target = _memory_order.like_order(dtype, read.shape, [read])
    inputs: list[Layout | np.dtype] = [read, read, dtype, dtype, dtype, limit]
    run = elementwise.launch.make_call("unwrap", [correction], inputs, [target], [False], stream)
    return run, read, layout.strides[axis]
