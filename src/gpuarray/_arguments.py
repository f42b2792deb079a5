"""Arguments that users give for shapes, axes, memory orders and flags: checked as NumPy does."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from gpuarray._integers import shortened
from gpuarray._namespace.called_name import called_name

INT32_MAX = 2**31 - 1
INT64_MAX = 2**63 - 1
#: Dimensions that NumPy's arrays can have.
MAX_DIMENSIONS = 64
#: What stands for a memory order, as in NumPy.
_ORDERS = {letter: order for order in "CFAK" for letter in (order, order.lower())}


def check_order(order: object, default: str = "K") -> str:
    """A memory order given by the user as 'C', 'F', 'A' or 'K'; None is the default."""
    if order is None:
        return default
    if isinstance(order, bytes):
        order = order.decode("latin-1")
    if not isinstance(order, str):
        raise TypeError(f"order must be str, not {type(order).__name__}")
    found = _ORDERS.get(order)
    if found is None:
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    return found


def check_shape(shape: object) -> tuple[int, ...]:
    """A shape given by the user as a tuple of Python integers."""
    dims = (shape,) if type(shape) is int else as_lengths(shape)
    check_lengths(dims)
    return dims


def as_lengths(shape: object) -> tuple[int, ...]:
    """A shape given by the user as Python integers, of which some may be negative."""
    try:
        return (_as_length(shape),)
    except TypeError:
        # NumPy takes sequences only: no sets, dictionaries and iterators.
        if hasattr(type(shape), "__getitem__") and not isinstance(shape, dict):
            try:
                return tuple([_as_length(n) for n in shape])  # type: ignore[attr-defined]
            except TypeError:
                pass
        raise TypeError(
            f"expected a shape: an integer or a sequence of integers, got {shape!r}"
        ) from None


def _as_length(length: Any) -> int:
    """A length as a Python integer; True and False are none, as in NumPy."""
    if isinstance(length, bool):
        raise TypeError("an integer is required for a length, not a bool")
    return operator.index(length)


def check_lengths(shape: tuple[int, ...]) -> None:
    """Refuse a shape that no array can have."""
    if shape and min(shape) < 0:
        raise ValueError(f"negative dimensions are not allowed: shape {shape}")
    if shape and max(shape) > INT64_MAX:
        raise ValueError(f"array is too big: shape {shape} has a length beyond {INT64_MAX}")
    if len(shape) > MAX_DIMENSIONS:
        raise ValueError(
            f"maximum supported dimension for an ndarray is {MAX_DIMENSIONS}, found {len(shape)}"
        )


def check_axis(axis: int, ndim: int, name: str = "axis", bools: bool = True) -> int:
    """A possibly negative axis as an index into a shape of ``ndim`` dimensions.

    ``bools`` is whether True stands for 1: NumPy's functions in Python take it for an axis, those
    in C refuse it.
    """
    if not bools and isinstance(axis, bool):
        raise TypeError("an integer is required for the axis, not a bool")
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis, ndim, None if name == "axis" else name)
    return axis + ndim if axis < 0 else axis


def check_axes(
    axis: object,
    ndim: int,
    name: str = "axis",
    duplicates: str | None = None,
    bools: bool = True,
) -> tuple[int, ...]:
    """An axis, several or ``None`` for all as a tuple of distinct axes in the order given."""
    if axis is None:
        return tuple(range(ndim))
    given: tuple[int, ...]
    if isinstance(axis, bool):
        given = (axis,)
    else:
        try:
            given = (operator.index(axis),)  # type: ignore[arg-type]  # a tuple raises
        except TypeError:
            if not isinstance(axis, Iterable):
                raise
            given = tuple(axis)  # type: ignore[arg-type]
    axes = tuple([check_axis(one, ndim, name, bools) for one in given])
    if len(set(axes)) != len(axes):
        raise ValueError(duplicates or f"duplicate value in '{name}': {given}")
    return axes


def check_flag(value: object, name: str) -> bool:
    """An argument that is True or False, or an integer, as NumPy's functions in C take it.

    A number of another type that equals True or False stands for it, since a plan may be kept under
    it: they have one hash.
    """
    if isinstance(value, float | complex | np.generic) and value in (0, 1):
        return bool(value)
    try:
        number = operator.index(value)  # type: ignore[arg-type]  # anything but an int raises
    except TypeError:
        raise TypeError(
            f"{called_name(name)}: "
            f"{type(value).__name__!r} object cannot be interpreted as an integer; pass "
            "True or False"
        ) from None
    if not -INT32_MAX - 1 <= number <= INT32_MAX:
        raise OverflowError(
            f"{called_name(name)}: {shortened(number)} is too large; pass True or False"
        )
    return bool(number)
