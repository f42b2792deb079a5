"""Indices of the elements that are not zero (of the page on indexing)."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _dtypes
from gpuarray._ops import fields
from gpuarray._ops.logic import logical_or, not_equal
from gpuarray._ops.manipulation import as_array, reshape
from gpuarray.kernels import mask as mask_kernels

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["argwhere", "flatnonzero", "nonzero"]


def as_truth(a: ArrayLike, name: str) -> ndarray:
    """An argument whose elements are zero or not; a structure is where all its fields are."""
    array = as_array(a, name)
    if not _dtypes.is_raw(array._layout.dtype):
        return array
    numbers: list[Any] = fields.in_order(array, None, name)
    integers = [x.copy().view(np.int64) if x.dtype.kind in "mM" else x for x in numbers]
    return functools.reduce(logical_or, [not_equal(x, 0) for x in integers])


def nonzero(a: ArrayLike) -> tuple[ndarray, ...]:
    """The indices of the elements that are not zero.

    Parameters
    ----------
    a : ndarray
        The array.

    Returns
    -------
    tuple of ndarray, 1-D, int64
        One for each dimension. Waits for the device, since their length depends on the values.

    Raises
    ------
    ValueError
        If the array has no dimensions.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.nonzero(cp.array([0, 3, 0, 5]))
    (array([1, 3]),)
    """
    a = as_truth(a, "nonzero")
    if not a._layout.ndim:
        raise ValueError("Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar)."
                         "nonzero() instead.")  # fmt: skip
    return mask_kernels.launch.nonzero(a)


def flatnonzero(a: ArrayLike) -> ndarray:
    """The indices of the elements of the flattened array that are not zero.

    Parameters
    ----------
    a : ndarray
        The array.

    Returns
    -------
    ndarray, 1-D, int64
        In C order.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.flatnonzero(cp.array([[0, 3], [0, 5]]))
    array([1, 3])
    """
    return mask_kernels.launch.flat_nonzero(as_truth(a, "flatnonzero"))


def argwhere(a: ArrayLike) -> ndarray:
    """The indices of the elements that are not zero, those of an element in a row.

    Parameters
    ----------
    a : ndarray
        The array.

    Returns
    -------
    ndarray, shape (N, a.ndim), int64
        The indices.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.argwhere(cp.array([[0, 3], [0, 5]]))
    array([[0, 1],
           [1, 1]])
    """
    a = as_truth(a, "argwhere")
    if not a._layout.ndim:
        return reshape(mask_kernels.launch.flat_nonzero(a), (-1, 1))[:, :0]
    return mask_kernels.launch.argwhere(a)
