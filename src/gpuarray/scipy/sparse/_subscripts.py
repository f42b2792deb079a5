"""What is between the brackets of a sparse array: indices checked, and the shape that they give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gpuarray._array import ArrayBase
from gpuarray._ops import statistics
from gpuarray._ops.conversion import asarray
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.joining import stack
from gpuarray._ops.nonzero import nonzero
from gpuarray._ops.selection import where

__all__ = ["Subscript", "parse"]


class Subscript(NamedTuple):
    """Indices of a sparse array.

    Attributes
    ----------
    indices : tuple of (int, slice or ndarray)
        One for each dimension: integers and arrays in bounds and not negative.
    shape : tuple of int
        Of the result, dimensions that None adds included.
    unique : bool
        Whether it is known that no element is meant twice.
    sources : tuple of (int or None)
        Where the result's dimensions come from: the array's dimension of a slice; -1, -2 and so on
        for those of the index arrays' common shape; None for a new one.
    """

    indices: tuple[Any, ...]
    shape: tuple[int, ...]
    unique: bool
    sources: tuple[int | None, ...]


def parse(key: Any, shape: tuple[int, ...], most: int | None = 2) -> Subscript:
    """Check what is between the brackets.

    Indices that are arrays on the device are waited for: their bounds are checked.

    Parameters
    ----------
    key : object
        What is between the brackets.
    shape : tuple of int
        Of the array.
    most : int or None, optional
        How many dimensions an index array may have. With None, as many as it likes, and the
        dimensions of index arrays are where NumPy has them; else where SciPy's compressed formats
        have them.
    """
    if key is Ellipsis:
        return Subscript((slice(None),) * len(shape), shape, True, tuple(range(len(shape))))
    given = _with_ellipsis(key if isinstance(key, tuple) else (key,), key, len(shape), most)
    indices: list[Any] = []
    found: list[int] = []  # the result's extents without those of index arrays
    sources: list[int | None] = []
    items: list[int] = []  # where those that are chosen are in the brackets
    first = 0  # how many extents are before the first of them
    arrays: list[int] = []  # which indices are arrays
    chosen: list[int] = []  # which indices are arrays or integers
    unique = True
    for number, x in enumerate(given):
        dimension = len(indices)
        if x is None:
            found.append(1)
            sources.append(None)
            continue
        if isinstance(x, slice):
            indices.append(x)
            found.append(len(range(*x.indices(shape[dimension]))))
            sources.append(dimension)
            continue
        first = first if items else len(found)
        items.append(number)
        if isinstance(x, int):
            chosen.append(dimension)
            indices.append(_in_bounds(x, shape[dimension]))
        elif x.dtype.kind == "b":
            last = dimension + x.ndim
            if x.shape != shape[dimension:last]:
                raise IndexError(
                    f"bool index {number} has shape {x.shape} instead of {shape[dimension:last]}"
                )
            indices += _true_places(x)
            arrays += range(dimension, last)
            chosen += range(dimension, last)
        else:
            unique = False
            indices.append(_checked(x, shape[dimension]))
            arrays.append(dimension)
            chosen.append(dimension)
    if arrays:
        shapes = [indices[i].shape for i in arrays]
        try:
            common = np.broadcast_shapes(*shapes)
        except ValueError:
            text = " ".join([str(x) for x in shapes])
            raise IndexError(
                "shape mismatch: indexing arrays could not be broadcast together with shapes "
                f"{text}"
            ) from None
        if most is None:
            at = 0 if len(items) != items[-1] - items[0] + 1 else first
        else:
            apart = len(arrays) > 1 and len(chosen) != chosen[-1] - chosen[0] + 1
            at = 0 if apart else chosen[0]
        found = [*found[:at], *common, *found[at:]]
        sources = [*sources[:at], *range(-1, -1 - len(common), -1), *sources[at:]]
    return Subscript(tuple(indices), tuple(found), unique, tuple(sources))


def _with_ellipsis(key: tuple[Any, ...], given: Any, ndim: int, most: int | None) -> list[Any]:
    """Each index in a kind of its own, with slices for what an ellipsis, or nothing, stands for."""
    place: int | None = None
    found: list[Any] = []
    used = 0
    least = sum([x is not None and x is not Ellipsis for x in key])  # that indices need
    for x in key if least <= ndim else ():
        if x is Ellipsis:
            if place is not None:
                raise IndexError("an index can only have a single ellipsis")
            place = len(found)
            continue
        x = _of_kind(x, most)
        found.append(x)
        if x is not None:
            used += x.ndim if getattr(x, "dtype", None) == np.bool_ else 1
    used = max(used, least)
    if used > ndim:
        raise IndexError(
            "Too many indices for array or tuple index out of range. "
            f"Key {given} needs {used}D. Array is {ndim}D"
        )
    rest = [slice(None)] * (ndim - used)
    return found + rest if place is None else [*found[:place], *rest, *found[place:]]


def _of_kind(x: Any, most: int | None) -> Any:
    """An index as None, a slice, an int or an array: dense, or sparse of bools."""
    from gpuarray.scipy.sparse._elementwise import is_sparse  # whose class uses this module

    if x is None or isinstance(x, slice):
        return x
    if is_sparse(x):
        if x.dtype != np.bool_:
            raise IndexError(
                "Indexing with sparse matrices is not supported except boolean indexing where "
                "matrix and index are equal shapes."
            )
        return x
    if isinstance(x, bool | np.bool_):
        return int(x)
    found: Any = x
    if isinstance(x, ArrayBase):
        if found.ndim == 0 and found.dtype.kind in "biu":
            return int(asnumpy(found))
    else:
        try:
            found = np.asarray(x)
        except ValueError as error:
            raise IndexError("invalid index") from error
    if found.ndim == 0:
        if found.dtype.kind in "iu" or (found.dtype.kind == "f" and found == int(found)):
            return int(found)
        raise IndexError(f"Index dimension must be 1 or 2. Got 0: {x!r}")
    if found.dtype.kind == "b":
        return found
    if most is not None and found.ndim > most:
        raise IndexError(f"Index dimension must be 1 or 2. Got {found.ndim}")
    if found.dtype.kind in "iu":
        return found
    if found.size == 0:
        return found.astype(np.int64)
    raise IndexError(
        f"arrays used as indices must be of integer or boolean type, not {found.dtype}"
    )


def _in_bounds(index: int, length: int) -> int:
    if not -length <= index < length:
        raise IndexError(f"index ({index}) out of range")
    return index + length if index < 0 else index


def _true_places(mask: Any) -> Sequence[Any]:
    if isinstance(mask, np.ndarray):
        return [asarray(x) for x in np.nonzero(mask)]
    if not isinstance(mask, ArrayBase):  # a sparse one
        return [x.astype(np.int64) for x in mask.nonzero()]
    dense: Any = mask
    return list(nonzero(dense))


def _checked(x: Any, length: int) -> Any:
    """An index array on the device, in bounds and not negative."""
    if x.size == 0:
        return asarray(x)
    on_host = isinstance(x, np.ndarray)
    if on_host:
        greatest, least = int(x.max()), int(x.min())
    else:
        both = stack([statistics.max(x), statistics.min(x)])
        greatest, least = asnumpy(both).tolist()
    for index in (greatest, least):
        if not -length <= index < length:
            raise IndexError(f"index ({index}) out of range")
    if least >= 0:
        return asarray(x)
    if on_host:
        return asarray(np.where(x < 0, x + length, x))
    return where(x < 0, x + length, x)
