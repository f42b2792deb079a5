"""Statistics: order statistics and averages."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuarray import _array, _layout
from gpuarray._copies import copy
from gpuarray._ops.math import divide
from gpuarray._reduction import NO_VALUE, REDUCTIONS, Reduction, operand

__all__ = ["amax", "amin", "max", "mean", "min"]

_maximum, _minimum, _add = REDUCTIONS["maximum"], REDUCTIONS["minimum"], REDUCTIONS["add"]
_mean = Reduction("add", mean=True)


def max(
    a: Any,
    axis: int | tuple[int, ...] | None = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = NO_VALUE,
    where: Any = True,
) -> Any:
    """Greatest element over axes.

    Parameters
    ----------
    a : ndarray
        Elements to compare; NaN wins.
    axis : int or tuple of int, optional
        The axes that are compared; all by default.
    out : ndarray, optional
        Where the result is stored, with any cast.
    keepdims : bool, optional
        Keep the compared axes as axes of length 1.
    initial : scalar, optional
        The least value of the result; needed for empty axes and with ``where``.
    where : ndarray of bool, optional
        Which elements are compared.

    Returns
    -------
    ndarray
        The greatest elements; without dimensions if all axes are compared.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.max(cp.asarray([[1, 4], [3, 2]]), axis=0)
    array([3, 4])
    """
    return _maximum(a, axis, None, out, keepdims, initial, where)


def min(
    a: Any,
    axis: int | tuple[int, ...] | None = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = NO_VALUE,
    where: Any = True,
) -> Any:
    """Least element over axes.

    Parameters
    ----------
    a : ndarray
        Elements to compare; NaN wins.
    axis : int or tuple of int, optional
        The axes that are compared; all by default.
    out : ndarray, optional
        Where the result is stored, with any cast.
    keepdims : bool, optional
        Keep the compared axes as axes of length 1.
    initial : scalar, optional
        The greatest value of the result; needed for empty axes and with ``where``.
    where : ndarray of bool, optional
        Which elements are compared.

    Returns
    -------
    ndarray
        The least elements; without dimensions if all axes are compared.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.min(cp.asarray([[1, 4], [3, 2]]), axis=0)
    array([1, 2])
    """
    return _minimum(a, axis, None, out, keepdims, initial, where)


amax = max
amin = min


def mean(
    a: Any,
    axis: int | tuple[int, ...] | None = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    *,
    where: Any = True,
) -> Any:
    """Arithmetic mean over axes.

    Parameters
    ----------
    a : ndarray
        Elements to average.
    axis : int or tuple of int, optional
        The axes that are averaged; all by default.
    dtype : dtype, optional
        The dtype to sum in: by default float64 for integers and bools, float32 for float16 and
        otherwise that of ``a``.
    out : ndarray, optional
        Where the result is stored, with any cast.
    keepdims : bool, optional
        Keep the averaged axes as axes of length 1.
    where : ndarray of bool, optional
        Which elements are averaged. Where that is none, the result is NaN; unlike NumPy's, the
        mask's content is not looked at on the host to warn of it.

    Returns
    -------
    ndarray
        The means; without dimensions if all axes are averaged.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.mean(cp.asarray([[1, 2], [3, 4]]), axis=0)
    array([2., 3.])
    """
    if where is True or where is NO_VALUE:
        return _mean(a, axis, dtype, out, keepdims)
    return _mean_where(a, axis, dtype, out, keepdims, where)


def _mean_where(a: Any, axis: Any, dtype: Any, out: Any, keepdims: bool, where: Any) -> Any:
    a = operand(a, "mean")
    source = a._layout.dtype
    half = dtype is None and source == np.float16
    if dtype is None and source.kind in "biu":
        dtype = np.float64
    elif half:
        dtype = np.float32
    total = _add(a, axis, dtype, out, keepdims, NO_VALUE, where)
    if isinstance(where, _array.ArrayBase):
        where = _array.view(where, _layout.broadcast_to(where._layout, a._layout.shape))
        count = _add(where, axis, np.int64, None, keepdims)
    else:
        # One value for all elements, and it is not true.
        count = 0
    divide(total, count, out=total, casting="unsafe")
    return copy(total, dtype=source) if half and out is None else total
