"""Functional programming: functions along axes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._arguments import check_axis
from gpuarray._ops.conversion import array
from gpuarray._ops.dimensions import expand_dims
from gpuarray._ops.joining import stack
from gpuarray._ops.manipulation import as_array, reshape
from gpuarray._ops.transposing import transpose

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["apply_along_axis", "apply_over_axes"]


def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: ArrayLike, *args: Any, **kwargs: Any
) -> ndarray:
    """The results of a function of vectors for each vector along an axis.

    Parameters
    ----------
    func1d : callable
        ``func1d(vector, *args, **kwargs)``; vectors are views in device memory. It returns an array
        or a number.
    axis : int
        The axis.
    arr : ndarray
        The array.
    *args, **kwargs
        Passed on to `func1d`.

    Returns
    -------
    ndarray
        In place of the axis are the dimensions of what the function returns.

    Raises
    ------
    ValueError
        If there is no vector.

    Notes
    -----
    The function is called for one vector after the other, as by NumPy, and each call may launch
    kernels of its own: a function that takes an axis itself is faster by far. The results are
    joined in one launch where they are small.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.array([[3, 1, 2], [6, 4, 5]])
    >>> cp.apply_along_axis(cp.sort, 1, x)
    array([[1, 2, 3],
           [4, 5, 6]])
    >>> cp.apply_along_axis(lambda v: v[0] + v[-1], 0, x)
    array([9, 5, 7])
    """
    arr = as_array(arr, "apply_along_axis")
    axis = check_axis(axis, arr.ndim)
    others = [i for i in range(arr.ndim) if i != axis]
    vectors = transpose(arr, [*others, axis])
    shape = vectors.shape[:-1]
    results: list[Any] = []
    for index in np.ndindex(shape):
        found = func1d(vectors[index], *args, **kwargs)
        # The first result decides the dtype.
        results.append(array(found, results[0].dtype if results else None, copy=None))
        if results[-1].shape != results[0].shape:
            raise ValueError(
                "apply_along_axis: could not broadcast input array from shape "
                f"{results[-1].shape} into shape {results[0].shape}: the function returned both"
            )
    if not results:
        raise ValueError(
            "apply_along_axis: no slice is there to call the function with; give no empty axes"
        )
    inner = results[0].shape
    joined = reshape(stack(results, 0), shape + inner)
    # The dimensions of the results go where the axis was.
    outer = list(range(len(shape)))
    places = list(range(len(shape), len(shape) + len(inner)))
    return transpose(joined, [*outer[:axis], *places, *outer[axis:]])


def apply_over_axes(func: Callable[..., Any], a: ArrayLike, axes: int | Sequence[int]) -> ndarray:
    """A function of an array and an axis, applied along several axes in turn.

    Parameters
    ----------
    func : callable
        ``func(a, axis)``, whose result has as many dimensions as `a`, or one less.
    a : ndarray
        The array.
    axes : int or sequence of int
        The axes.

    Returns
    -------
    ndarray
        With as many dimensions as `a`.

    Raises
    ------
    ValueError
        If a result has another number of dimensions.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.apply_over_axes(cp.sum, cp.ones((2, 3, 4)), [0, 2])
    array([[[8.],
            [8.],
            [8.]]])
    """
    value = as_array(a, "apply_over_axes")
    ndim = value.ndim
    given = axes.tolist() if hasattr(axes, "tolist") else axes
    for one in given if isinstance(given, Iterable) else (given,):
        axis = one + ndim if one < 0 else one
        result = func(value, axis)
        if result.ndim != value.ndim:
            result = expand_dims(result, axis)
            if result.ndim != value.ndim:
                raise ValueError(
                    "function is not returning an array of the correct shape: it has "
                    f"{result.ndim} dimensions, and {value.ndim} are needed"
                )
        value = result
    return value
