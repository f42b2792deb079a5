"""Contractions of two arrays over pairs of axes."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _dtypes
from gpuarray._array import ArrayBase
from gpuarray._layout import Layout
from gpuarray._ops.contraction_plans import Result, Term, check_multiplied, pair_call
from gpuarray._ops.stored_values import as_values
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["tensordot"]


def tensordot(a: ArrayLike, b: ArrayLike, axes: Any = 2) -> ndarray:
    """Sums of products over axes of two arrays.

    Parameters
    ----------
    a, b : ndarray
        The operands.
    axes : int or pair of axes, optional
        How many of the last axes of `a` and of the first of `b` are summed along; or the axes of
        `a` and those of `b`, each an integer or a sequence of integers, in pairs of one length.

    Returns
    -------
    ndarray
        With the other axes of `a`, then those of `b`.

    Raises
    ------
    ValueError
        If axes differ in number or length, or one is named twice.
    IndexError
        If there is no such axis.

    Notes
    -----
    One product of matrices, or one launch of a sum of products where the result has axes of one
    operand at most. An operand whose axes cannot be read as those of a matrix is copied first.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.arange(6).reshape(2, 3)
    >>> cp.tensordot(x, x, axes=([1], [1]))
    array([[ 5, 14],
           [14, 50]])
    """
    x = a if isinstance(a, ArrayBase) else as_values(a, "tensordot")
    y = b if isinstance(b, ArrayBase) else as_values(b, "tensordot")
    if type(axes) is not int:
        axes = _pairs_of_axes(axes)
    return _plan_tensordot(current.stream, x._layout, y._layout, axes)(x, y)


def _pairs_of_axes(axes: Any) -> int | tuple[tuple[int, ...], tuple[int, ...]]:
    try:
        first, second = axes
    except TypeError:
        return operator.index(axes)
    except ValueError:
        raise ValueError(
            "tensordot: axes are an integer, or a pair of axes of a and of b"
        ) from None
    return _sequence_of_axes(first), _sequence_of_axes(second)


def _sequence_of_axes(axes: Any) -> tuple[int, ...]:
    try:
        given = tuple(axes)
    except TypeError:
        given = (axes,)
    return tuple([operator.index(x) for x in given])


@planned
def _plan_tensordot(stream: Stream, a: Layout, b: Layout, axes: Any) -> Callable[..., Any]:
    if isinstance(axes, int):
        axes = tuple(range(-axes, 0)), tuple(range(axes))
    if any(len({*one}) != len(one) for one in axes):
        raise ValueError("duplicate axes are not allowed in tensordot")
    first, second = [
        [_arguments.check_axis(axis, x.ndim, bools=False) for axis in one]
        for one, x in zip(axes, (a, b), strict=True)
    ]
    lengths = [[x.shape[i] for i in one] for one, x in ((first, a), (second, b))]
    if lengths[0] != lengths[1]:
        raise ValueError(
            f"shape-mismatch for sum: tensordot of shapes {a.shape} and {b.shape} along the axes "
            f"{tuple(first)} and {tuple(second)}"
        )
    dtype = _dtypes.canonical(np.result_type(a.dtype, b.dtype))
    check_multiplied("tensordot", dtype)
    # An axis is labelled by its number, those of b by ones behind a's; those summed along as in a.
    labels = [a.ndim + i for i in range(b.ndim)]
    for i, k in zip(first, second, strict=True):
        labels[k] = i
    terms = Term(tuple(range(a.ndim)), a), Term(tuple(labels), b)
    kept = [i for i in range(a.ndim) if i not in first] + [x for x in labels if x >= a.ndim]
    return pair_call(stream, *terms, Result(tuple(kept), dtype, "C"))[0]
