"""Weights of the elements along axes, as `average` and `quantile` take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gpuarray import _array, _broadcasting
from gpuarray._arguments import check_axes
from gpuarray._ops.manipulation import as_array, reshape
from gpuarray._ops.transposing import transpose

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray


def weights_of(
    weights: ArrayLike, a: ndarray, axis: int | Sequence[int] | None, name: str
) -> ndarray:
    """The weights as a view that broadcasts to an array.

    Parameters
    ----------
    weights : ndarray
        Of the shape of ``a``, or of the lengths of the axes.
    a : ndarray
        The elements.
    axis : int, tuple of int or None
        The axes.
    name : str
        The function, for errors.

    Returns
    -------
    ndarray
        Of the shape of ``a``.
    """
    weights = as_array(weights, name)
    shape = a._layout.shape
    if weights._layout.shape == shape:
        return weights
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    axes = check_axes(axis, len(shape))
    if weights._layout.shape != tuple([shape[i] for i in axes]):
        raise ValueError(
            "Shape of weights must be consistent with shape of a along specified axis."
        )
    weights = transpose(weights, tuple(np.argsort(axes).tolist()))
    lengths = tuple([n if i in axes else 1 for i, n in enumerate(shape)])
    weights = reshape(weights, lengths)
    return _array.view(weights, _broadcasting.broadcast_to(weights._layout, shape))
