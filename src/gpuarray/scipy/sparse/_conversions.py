"""From one format to another: what happens to the arrays, whatever class they belong to.

Major indices are those of the lines that a format compresses (rows of csr), minor ones those in a
line. All arrays have one dimension and are contiguous; indices are in range.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpuarray import _array, _layout
from gpuarray._ops.casts import astype
from gpuarray._ops.conversion import ascontiguousarray
from gpuarray._ops.taking import take
from gpuarray._ops.unique import unique
from gpuarray.kernels import mask as mask_kernels
from gpuarray.kernels.sort.launch import argsort_rows, sort_rows
from gpuarray.kernels.sparse_format.launch import (
    expand_pointers,
    line_pointers,
    order_entries,
    pack_keys,
    pack_places,
    place_bits,
    sum_entries,
    unpack_places,
)

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = [
    "compressed", "dense_entries", "expanded", "flat", "in_order", "nonzero_entries", "transposed",
]  # fmt: skip

_INT64 = np.dtype(np.int64)

#: Products of extents up to which two indices are one sort key.
_MOST = 1 << 64


class Entries(NamedTuple):
    """Entries in order: by major, then by minor index."""

    major: Any  # None where they were not asked for
    minor: Any
    data: Any
    keys: Any  # sorted; line i has those from i * extent on
    extent: int


def flat(x: Any) -> Any:
    """An array that kernels can read one element after the other."""
    layout = x._layout
    return x if layout.c_contiguous and not layout.unaligned else ascontiguousarray(x)


def of_one_dtype(x: Any, y: Any) -> tuple[Any, Any]:
    """Two index arrays as one kernel reads them: both int64 unless they have one dtype."""
    return (x, y) if x.dtype == y.dtype else (_cast(x, _INT64), _cast(y, _INT64))


def argsorted(keys: Any) -> Any:
    """The int64 order of one-dimensional keys; equal ones keep theirs."""
    order = _array.empty(_layout.contiguous(_INT64, keys._layout.shape))
    argsort_rows(keys, order)
    return order


def in_order(
    major: Any,
    minor: Any,
    data: Any,
    shape: tuple[int, int],
    index: np.dtype,
    *,
    with_major: bool = False,
    add: bool = True,
) -> Entries:
    """Entries sorted by their indices; those with equal ones are added.

    The entries keep their order where they are equal, so that sums are the same each time. One sort
    of a key of 64 bits for each entry, with its place where that fits; whether there are equal ones
    waits for the device.

    Parameters
    ----------
    major, minor, data : ndarray
        The entries.
    shape : tuple of int
        The extents of the major and the minor index.
    index : dtype
        Of the resulting indices.
    with_major : bool, optional
        Whether major indices are wanted.
    add : bool, optional
        Whether entries with equal indices are added; else they stay beside one another.
    """
    data = flat(data)
    check_lengths(data, minor)
    majors, minors = max(shape[0], 1), max(shape[1], 1)
    if majors * minors > _MOST:
        return _in_order_of_ranks(major, minor, data, shape, index, with_major, add)
    major, minor = of_one_dtype(flat(major), flat(minor))
    bits = place_bits(data._layout.size, majors, minors)
    if bits is None:
        keys = pack_keys(major, minor, majors, minors)
        order = argsorted(keys)
        keys = take(keys, order)
    else:
        # A key that has its place moves it along: a sort of keys alone, and no gather of them.
        packed = pack_places(major, minor, minors, bits)
        sort_rows(packed, packed)
        keys, order = unpack_places(packed, bits, majors, minors)
    if add and keys._layout.size:
        counted = mask_kernels.launch.count_changes(keys, False)
        if counted.total < keys._layout.size:
            starts = mask_kernels.launch.starts(counted)
            found = sum_entries(keys, order, starts, data, minors, index, with_major)
            return Entries(*found, mask_kernels.launch.compress_counted(keys, counted), minors)
    return Entries(*order_entries(keys, order, data, minors, index, with_major), keys, minors)


def _in_order_of_ranks(
    major: Any, minor: Any, data: Any, shape: tuple[int, int], index: np.dtype,
    with_major: bool, add: bool,
) -> Entries:  # fmt: skip
    """The same where two indices do not fit a key: their ranks do."""
    columns, minor_ranks = unique(minor, return_inverse=True)
    extent, majors, rows, ranks = columns._layout.size, shape[0], None, major
    if majors * extent > _MOST:
        rows, ranks = unique(major, return_inverse=True)
        majors = rows._layout.size
    found = in_order(
        astype(ranks, _INT64), minor_ranks, data, (majors, extent), _INT64,
        with_major=with_major, add=add,
    )  # fmt: skip
    lines = found.major
    if lines is not None:
        lines = astype(lines if rows is None else take(rows, lines), index)
    return found._replace(major=lines, minor=astype(take(columns, found.minor), index))


def compressed(
    major: Any,
    minor: Any,
    data: Any,
    shape: tuple[int, int],
    index: np.dtype,
    *,
    add: bool = True,
) -> tuple[ndarray, ndarray, ndarray]:
    """Coordinates as data, minor indices and pointers of a compressed format, in order."""
    found = in_order(major, minor, data, shape, index, add=add)
    pointers = line_pointers(found.keys, shape[0], found.extent, index)
    return found.data, found.minor, pointers


def expanded(pointers: Any, count: int) -> Any:
    """The major index of each entry of a compressed format."""
    return expand_pointers(flat(pointers), count)


def transposed(
    data: Any, indices: Any, pointers: Any, minors: int, index: np.dtype
) -> tuple[ndarray, ndarray, ndarray]:
    """Data, indices and pointers with the roles of rows and columns exchanged.

    Entries of one line are in the order of their lines before; equal ones keep theirs. One sort of
    both indices, or of the minor ones alone where both and a place do not fit 64 bits.
    """
    check_lengths(data, indices)
    count = indices._layout.size
    minor = flat(indices)
    lines = expanded(pointers, count)
    majors = max(pointers._layout.size - 1, 1)
    if place_bits(count, max(minors, 1), majors) is not None:
        return compressed(minor, lines, data, (minors, majors), index, add=False)
    order = argsorted(minor)
    lines = take(lines, order)
    found = line_pointers(take(minor, order), minors, 1, index)
    return take(flat(data), order), _cast(lines, index), found


def dense_entries(dense: Any, index: np.dtype) -> tuple[list[ndarray], ndarray]:
    """Coordinates and values of a dense array's elements that are not zero, in C order.

    Waits for the device once: how many there are is known to it alone.
    """
    layout = dense._layout
    counted = mask_kernels.launch.count(dense, keep=True)
    total, ndim = counted.total, layout.ndim
    if not total:
        nothing = [_array.empty(_layout.contiguous(index, (0,))) for _ in range(ndim)]
        return nothing, _array.empty(_layout.contiguous(layout.dtype, (0,)))
    coordinates = mask_kernels.launch.coordinates(counted, layout.shape)
    one = _layout.contiguous(_INT64, (total,))
    coords = [_cast(_array.view(coordinates, one, 8 * total * i), index) for i in range(ndim)]
    return coords, mask_kernels.launch.compress_counted(dense, counted)


def check_lengths(data: Any, indices: Any) -> None:
    """Refuse arrays that someone has assigned to one another that do not fit."""
    if data._layout.shape[:1] != indices._layout.shape:
        raise ValueError(
            f"all index and data arrays must have the same length, and not {indices.size} and "
            f"{data.size}"
        )


def nonzero_entries(data: Any, *arrays: Any) -> tuple[Any, ...] | None:
    """What arrays have where data is not zero, then that data; None where it is nowhere zero.

    Waits for the device once.
    """
    data = flat(data)
    counted = mask_kernels.launch.count(data, keep=True)
    if counted.total == data._layout.size:
        return None
    return tuple([mask_kernels.launch.compress_counted(flat(x), counted) for x in (*arrays, data)])


def _cast(x: Any, dtype: np.dtype) -> Any:
    return x if x.dtype == dtype else astype(x, dtype)
