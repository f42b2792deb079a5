"""Basic indices of fused functions: the layout of a view, worked out without an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuarray import _layout
from gpuarray._layout import Layout


def basic_key(key: Any) -> tuple | None:
    """A basic index as a tuple with an ellipsis, ``None`` if it is not basic."""
    items = key if isinstance(key, tuple) else (key,)
    for item in items:
        if item is None or item is Ellipsis:
            continue
        if isinstance(item, slice):
            bounds = (item.start, item.stop, item.step)
            if all(x is None or _is_integer(x) for x in bounds):
                continue
            return None
        if not _is_integer(item):
            return None
    return items if any(x is Ellipsis for x in items) else (*items, Ellipsis)


def _is_integer(x: Any) -> bool:
    return isinstance(x, int | np.integer) and not isinstance(x, bool)


def takes_everything(key: tuple, ndim: int) -> bool:
    """Whether a basic index gives all elements in the array's own shape, as ``[...]`` does."""
    rest = [x for x in key if x is not Ellipsis]
    return len(rest) <= ndim and all(isinstance(x, slice) and x == slice(None) for x in rest)


def view_layout(layout: Layout, key: tuple) -> Layout:
    """The layout of the view that a basic index gives.

    Raises
    ------
    IndexError
        As NumPy's.
    """
    # NumPy makes a view of memory that is not there, and nothing is read: an index with an
    # ellipsis never gives an element.
    nothing = np.lib.stride_tricks.as_strided(
        np.empty((), layout.dtype), layout.shape, layout.strides
    )
    view = nothing[key]
    return _layout.layout_of(layout.dtype, view.shape, view.strides, layout.access)
