"""Shapes of sparse arrays: what a caller gives, checked as SciPy does."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["MANY", "MOST", "as_2d", "as_shape", "is_integer", "is_shape", "new_shape", "order_of"]

#: How many dimensions an array in coordinates may have, as NumPy's.
MANY = range(1, 65)

#: Elements that int64 indices can tell apart.
MOST = int(np.iinfo(np.int64).max)


def is_integer(x: Any) -> bool:
    """Whether a number is a whole one, as a dimension is."""
    if isinstance(x, bool | np.bool):
        return False
    try:
        operator.index(x)
    except TypeError:
        return False
    return True


def is_shape(x: tuple[Any, ...], allowed: Sequence[int]) -> bool:
    """Whether a tuple is a shape of as many dimensions as are allowed."""
    return len(x) in allowed and all(is_integer(d) for d in x)


def as_shape(shape: Any, allowed: Sequence[int]) -> tuple[int, ...]:
    """A shape with as many dimensions as are allowed."""
    try:
        found = tuple([operator.index(d) for d in shape])
    except TypeError:
        found = (operator.index(shape),)
    _check_length(found, allowed)
    if any(d < 0 for d in found):
        raise ValueError(f"'shape' elements cannot be negative, but the shape is {found}")
    return found


def as_2d(shape: tuple[int, ...]) -> tuple[int, int]:
    """A shape of one or two dimensions, one dimension as a row."""
    if len(shape) > 2:
        raise ValueError(f"an array of one or two dimensions is needed, and not of shape {shape}")
    return (1, shape[0]) if len(shape) == 1 else (shape[0], shape[1])


def _check_length(shape: tuple[int, ...], allowed: Sequence[int]) -> None:
    if len(shape) not in allowed:
        raise ValueError(f"shape must have length in {allowed}. Got new_shape={shape}")


def new_shape(
    args: tuple[Any, ...], current: tuple[int, ...], allowed: Sequence[int]
) -> tuple[int, ...]:
    """The shape that `reshape` is asked for: a tuple, or several numbers; one may be -1."""
    if not args:
        raise TypeError("reshape: missing 1 required positional argument: 'shape'")
    given = args[0] if len(args) == 1 and not is_integer(args[0]) else args
    shape = tuple([operator.index(d) for d in given])
    size = math.prod(current)
    unknown = [i for i, d in enumerate(shape) if d < 0]
    if len(unknown) > 1:
        raise ValueError("can only specify one unknown dimension")
    if unknown:
        rest = math.prod([d for d in shape if d >= 0])
        if rest == 0 or size % rest:
            raise ValueError(f"cannot reshape array of size {size} into shape {shape}")
        shape = tuple([size // rest if d < 0 else d for d in shape])
    elif math.prod(shape) != size:
        raise ValueError(f"cannot reshape array of size {size} into shape {shape}")
    _check_length(shape, allowed)
    return shape


def order_of(order: str) -> str:
    """'C' or 'F'."""
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F', not {order!r}")
    return order
