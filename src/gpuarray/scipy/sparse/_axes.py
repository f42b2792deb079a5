"""The axes that reductions of sparse arrays take."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["reduced_axes"]


def reduced_axes(axis: Any, ndim: int) -> tuple[int, ...] | None:
    """The axes to reduce along, not negative, in the order given; None for all of them."""
    if axis is None:
        return None
    if isinstance(axis, tuple) and not axis:
        raise ValueError(
            "sparse does not accept 0D axis (). Either use toarray (for dense) or copy (for "
            "sparse)."
        )
    if not isinstance(axis, tuple):
        if not np.issubdtype(np.dtype(type(axis)), np.integer):
            raise TypeError(f"axis must be an integer/tuple of ints, not {type(axis)}")
        axis = (axis,)
    found = []
    for x in axis:
        if not isinstance(x, int | np.integer) and not (isinstance(x, float) and x == int(x)):
            raise TypeError(f"axis must be an integer. (given {x})")
        number = int(x) + ndim if x < 0 else int(x)
        if not 0 <= number < ndim:
            raise ValueError(f"axis out of range for ndim: {x} with {ndim} dimensions")
        found.append(number)
    if len(found) != len(set(found)):
        raise ValueError(f"duplicate value in axis: {axis}")
    return None if len(found) == ndim else tuple(found)
