"""Shapes and strides: what an array's elements look like in memory, without any memory.

A :class:`Layout` is interned: two arrays with the same dtype, shape, strides and access hold the
same object. Launch plans are therefore looked up by identity, which costs a
fraction of hashing a dtype and two tuples. Nothing relies on it for correctness: were an equal
layout made twice, the plan would only be built twice.
"""

from __future__ import annotations

import math
import operator
import weakref
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gpuarray import _dtypes
from gpuarray._arguments import INT32_MAX, INT64_MAX, check_lengths
from gpuarray._namespace.called_name import called_name

_interned: weakref.WeakValueDictionary[tuple, Layout] = weakref.WeakValueDictionary()

#: Views in a layout's table, which is emptied when it is full.
VIEW_LIMIT = 512

#: Views in all tables together: the layouts of a chain ``x = x[1:]`` hold one another.
ALL_VIEWS_LIMIT = 1 << 14

# Every table that has views, some of them more than once, and how many views they were given.
_tables_of_views: list[dict] = []
_views_kept = 0

#: What a layout says of its memory: that of the array itself, written to by this package alone;
#: not to be written to; memory of others; elements at any address; memory of another array.
#: See `Layout`.
OWN, READ_ONLY, FOREIGN, UNALIGNED, VIEW = 0, 1, 2, 4, 8


class Layout:
    """The dtype, shape and strides of an array, and what follows from them.

    Use :func:`layout_of` to get one. ``strides`` are in bytes. ``low`` and ``high`` bound the
    bytes that elements occupy, relative to the address of element ``[0, 0, ...]``: ``low`` is
    negative when a stride is.

    ``writable`` says whether an array may be written to, ``foreign`` whether its memory came
    from outside of this package, so that other memory objects may have the same bytes, and
    ``is_view`` whether it was made as a view of another array; ``access`` has all of it. They are
    here, and not in the array, so that they cost no launch and no view a test: no plan exists that
    writes to a read-only layout, and none is kept for a call that writes to an operand's bytes
    unless each operand's memory object is the only one that has them.

    ``unaligned`` says that elements need not be at multiples of their size, as a field of a packed
    structure is not. Kernels load and store whole elements: all but copies refuse such a layout, or
    work on a copy.
    """

    __slots__ = (
        "__weakref__",
        "access",
        "as_view",
        "c_contiguous",
        "dtype",
        "f_contiguous",
        "foreign",
        "high",
        "is_view",
        "itemsize",
        "low",
        "nbytes",
        "ndim",
        "reshapes",
        "shape",
        "size",
        "strides",
        "transposed",
        "unaligned",
        "views",
        "writable",
    )

    def __init__(
        self,
        dtype: np.dtype,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        access: int = OWN,
    ):
        # Others find this layout by keys that are equal only, as (2.0, 3) is to (2, 3).
        shape = tuple(map(operator.index, shape))
        strides = tuple(map(operator.index, strides))
        check_lengths(shape)
        self.dtype = dtype
        self.shape = shape
        self.strides = strides
        self.access = access
        self.writable = not access & READ_ONLY
        self.foreign = bool(access & FOREIGN)
        self.unaligned = bool(access & UNALIGNED)
        self.is_view = bool(access & VIEW)
        self.ndim = len(shape)
        self.itemsize = itemsize = dtype.itemsize
        self.size = size = math.prod(shape)
        self.nbytes = size * itemsize
        _check_address_space(dtype, shape, strides)
        # What needs contiguous elements needs them at multiples of their size.
        aligned = not access & UNALIGNED
        self.c_contiguous = size == 0 or (
            aligned and _is_contiguous(shape[::-1], strides[::-1], itemsize)
        )
        self.f_contiguous = size == 0 or (aligned and _is_contiguous(shape, strides, itemsize))
        low = high = 0
        if size:
            for length, stride in zip(shape, strides, strict=True):
                if stride < 0:
                    low += stride * (length - 1)
                else:
                    high += stride * (length - 1)
            high += itemsize
        self.low = low
        self.high = high
        self.as_view: Layout | None = None  # the same of a view, filled by the first one
        self.transposed: Layout | None = None  # filled by the first transposition
        self.views: dict[object, tuple[Layout, int]] = {}  # basic index -> layout, byte offset
        self.reshapes: dict[object, Layout] = {}

    def __repr__(self) -> str:
        end = ("" if self.writable else ", read-only") + (", foreign" if self.foreign else "")
        end += ", view" if self.is_view else ""
        return f"Layout({self.dtype}, shape={self.shape}, strides={self.strides}{end})"

    @property
    def contiguous(self) -> bool:
        """Whether the elements fill one gapless run of memory in C or Fortran order."""
        return self.c_contiguous or self.f_contiguous


def _check_address_space(dtype: np.dtype, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
    """Refuse a shape whose bytes, or strides whose offsets, no address can hold.

    As in NumPy, lengths of 0 do not make a shape with too many elements a small one.
    """
    if math.prod([length for length in shape if length]) * dtype.itemsize > INT64_MAX:
        raise ValueError(
            f"array is too big: shape {shape} of dtype {dtype} has more bytes than the address "
            "space"
        )
    span = sum([abs(stride) * (length - 1) for length, stride in zip(shape, strides) if length])
    if max([span, *map(abs, strides)]) > INT64_MAX:
        raise ValueError(
            f"array is too big: shape {shape} with strides {strides} spans more bytes than the "
            "address space"
        )


def _is_contiguous(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> bool:
    """Whether dimensions, given fastest first, lie behind one another without a gap."""
    expected = itemsize
    for length, stride in zip(shape, strides, strict=True):
        if length != 1:
            if stride != expected:
                return False
            expected *= length
    return True


def layout_of(
    dtype: np.dtype, shape: tuple[int, ...], strides: tuple[int, ...], access: int = OWN
) -> Layout:
    """The one layout with this (canonical) dtype, shape, byte strides and access.

    The access is `OWN`, or `READ_ONLY`, `FOREIGN`, `UNALIGNED` and `VIEW` in any combination.
    """
    key = (dtype, shape, strides, access) if access else (dtype, shape, strides)
    found = _interned.get(key)
    if found is None:
        # setdefault keeps one object when two threads make the layout at once.
        found = _interned.setdefault(key, Layout(dtype, shape, strides, access))
    return found


def with_access(layout: Layout, access: int) -> Layout:
    """The layout with another access."""
    if layout.access == access:
        return layout
    return layout_of(layout.dtype, layout.shape, layout.strides, access)


def own(layout: Layout) -> Layout:
    """The layout of an array like this that has memory of its own."""
    return with_access(layout, OWN)


def read_only(layout: Layout) -> Layout:
    """The layout of a view that may not be written to."""
    return with_access(layout, layout.access | READ_ONLY)


def writable(layout: Layout) -> Layout:
    """The layout of a view that may be written to."""
    return with_access(layout, layout.access & ~READ_ONLY)


def foreign(layout: Layout) -> Layout:
    """The layout of an array over memory from outside of this package."""
    return with_access(layout, layout.access | FOREIGN)


def unaligned(layout: Layout) -> Layout:
    """The layout of a view whose elements are at any address."""
    return with_access(layout, layout.access | UNALIGNED)


def check_aligned(layout: Layout, name: str) -> None:
    """Refuse elements at any address; ``name`` is the operation, for the message."""
    if layout.unaligned:
        raise ValueError(
            f"{called_name(name)}: the elements of an operand of shape {layout.shape} and dtype "
            f"{layout.dtype} are not at multiples of their size, as fields of packed structures "
            "are; copy it first: x.copy()"
        )


def view_of(layout: Layout, access: int = OWN) -> Layout:
    """The layout of a view of an array that has an access."""
    access |= layout.access | VIEW
    if access != VIEW or layout.access:
        return with_access(layout, access)
    found = layout.as_view
    if found is None:
        found = layout.as_view = with_access(layout, VIEW)
    return found


def word_size(layouts: Iterable[Layout]) -> int:
    """The greatest word that elements consist of, each at a multiple of the word's size."""
    size = 8
    for layout in layouts:
        if layout.unaligned:
            return 1
        for step in (_dtypes.alignment(layout.dtype), *layout.strides):
            size = min(size, (step & -step) or size)
    return size


def in_words(layout: Layout, size: int) -> Layout:
    """The layout with one more dimension, along which elements have words of a size."""
    return layout_of(
        np.dtype(f"u{size}"),
        layout.shape + (layout.itemsize // size,),
        layout.strides + (size,),
        layout.access & ~UNALIGNED,
    )


def keep_view(table: dict[Any, Any], key: Any, view: Any) -> None:
    """Keep a view in a layout's table, ``views`` or ``reshapes``."""
    global _tables_of_views, _views_kept
    if _views_kept >= ALL_VIEWS_LIMIT:
        full, _tables_of_views, _views_kept = _tables_of_views, [], 0
        for one in full:
            one.clear()
    if len(table) >= VIEW_LIMIT:
        table.clear()
    if not table:
        _tables_of_views.append(table)
    table[key] = view
    _views_kept += 1


def contiguous_strides(shape: Sequence[int], itemsize: int, order: str = "C") -> tuple[int, ...]:
    """Byte strides of a gapless array in C or Fortran order.

    A dimension of length 0 counts as 1, as in NumPy, so strides never become 0.
    """
    strides = []
    stride = itemsize
    for length in reversed(shape) if order == "C" else shape:
        strides.append(stride)
        stride *= max(length, 1)
    return tuple(reversed(strides)) if order == "C" else tuple(strides)


def contiguous(dtype: np.dtype, shape: tuple[int, ...], order: str = "C") -> Layout:
    """The gapless layout of a shape in C or Fortran order."""
    return layout_of(dtype, shape, contiguous_strides(shape, dtype.itemsize, order))


def strided(dtype: np.dtype, shape: tuple[int, ...], strides: object) -> Layout:
    """The layout with a (canonical) dtype, a checked shape, and strides given by the user."""
    try:
        steps = tuple([operator.index(stride) for stride in strides])  # type: ignore[attr-defined]
    except TypeError:
        raise TypeError(
            f"expected strides: a sequence of integers, in bytes, got {strides!r}"
        ) from None
    if len(steps) != len(shape):
        raise ValueError(
            f"{len(shape)} lengths but {len(steps)} strides: shape {shape}, strides {steps}"
        )
    return layout_of(dtype, shape, steps)


def transpose(layout: Layout, axes: Sequence[int] | None = None) -> Layout:
    """The layout with its axes permuted (reversed without ``axes``)."""
    if axes is None:
        found = layout.transposed
        if found is None:
            found = layout.transposed = layout_of(
                layout.dtype, layout.shape[::-1], layout.strides[::-1], layout.access | VIEW
            )
        return found
    shape, strides = layout.shape, layout.strides
    return layout_of(
        layout.dtype,
        tuple([shape[i] for i in axes]),
        tuple([strides[i] for i in axes]),
        layout.access,
    )


def matrix_transpose(layout: Layout) -> Layout:
    """The layout with its last two axes exchanged."""
    *batch, row, column = range(layout.ndim)
    return transpose(layout, (*batch, column, row))


def resolve_reshape(size: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Fill in a length of -1, and refuse a shape with another number of elements."""
    unknown = shape.count(-1)
    if unknown > 1:
        raise ValueError(f"can only specify one unknown dimension, got shape {shape}")
    if any(length < -1 for length in shape):
        raise ValueError(f"negative dimensions are not allowed: shape {shape}")
    if unknown:
        known = math.prod([length for length in shape if length != -1])
        if known == 0 or size % known:
            raise ValueError(f"cannot reshape array of size {size} into shape {shape}")
        shape = tuple([size // known if length == -1 else length for length in shape])
    elif math.prod(shape) != size:
        raise ValueError(f"cannot reshape array of size {size} into shape {shape}")
    return shape


def reshape_view(layout: Layout, shape: tuple[int, ...], order: str = "C") -> Layout | None:
    """The layout of a reshaped view, or ``None`` where a copy is needed.

    The old dimensions are walked in groups whose element counts match groups of new ones; a
    group of old dimensions must be gapless in itself for the view to exist.
    """
    if (
        layout.size == 0
        or (order == "C" and layout.c_contiguous)
        or (order == "F" and layout.f_contiguous)
    ):
        gapless = contiguous_strides(shape, layout.itemsize, order)
        return layout_of(layout.dtype, shape, gapless, layout.access)
    old = [(n, s) for n, s in zip(layout.shape, layout.strides, strict=True) if n != 1]
    new_shape = list(shape)
    if order == "F":
        old.reverse()
        new_shape.reverse()
    strides: list[int] = []
    i = 0
    j = 0
    while j < len(new_shape):
        if new_shape[j] == 1:
            strides.append(0)  # any stride will do; replaced below
            j += 1
            continue
        old_count, i_stop = old[i][0], i + 1
        new_count, j_stop = new_shape[j], j + 1
        while old_count != new_count:
            if old_count < new_count:
                old_count *= old[i_stop][0]
                i_stop += 1
            else:
                new_count *= new_shape[j_stop]
                j_stop += 1
        for k in range(i, i_stop - 1):
            if old[k][1] != old[k + 1][1] * old[k + 1][0]:
                return None
        stride = old[i_stop - 1][1]
        group = []
        for length in reversed(new_shape[j:j_stop]):
            group.append(stride)
            stride *= length
        strides.extend(reversed(group))
        i, j = i_stop, j_stop
    stride = layout.itemsize
    for k in range(len(new_shape) - 1, -1, -1):
        if new_shape[k] == 1:
            strides[k] = stride
        else:
            stride = strides[k] * new_shape[k]
    if order == "F":
        strides.reverse()
    return layout_of(layout.dtype, shape, tuple(strides), layout.access)


def collapse(
    shape: Sequence[int], operand_strides: Sequence[Sequence[int]]
) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """Merge neighbouring dimensions that every operand walks without a gap.

    The axes are first brought into the order of the first operand's strides (the output's), so
    that the fastest axis of the result is the last; then dimensions of length 1 are dropped.

    Returns
    -------
    shape, strides : tuple
        At least one dimension; ``strides`` has one tuple an operand.
    """
    axes = [i for i, length in enumerate(shape) if length != 1]
    lead = operand_strides[0]
    axes.sort(key=lambda i: -abs(lead[i]))  # stable: broadcast axes keep their order
    dims: list[int] = []
    strides: list[list[int]] = [[] for _ in operand_strides]
    for i in axes:
        length = shape[i]
        if dims and all(
            merged[-1] == one[i] * length
            for merged, one in zip(strides, operand_strides, strict=True)
        ):
            dims[-1] *= length
            for merged, one in zip(strides, operand_strides, strict=True):
                merged[-1] = one[i]
        else:
            dims.append(length)
            for merged, one in zip(strides, operand_strides, strict=True):
                merged.append(one[i])
    if not dims:
        return (1,), tuple([(0,) for _ in operand_strides])
    return tuple(dims), tuple([tuple(one) for one in strides])


def element_strides(name: str, strides: Sequence[int], layout: Layout) -> list[int]:
    """Byte strides of an operand in elements; ``name`` is the operation, for the message."""
    check_aligned(layout, name)
    for stride in strides:
        if stride % layout.itemsize:
            raise ValueError(
                f"{called_name(name)}: "
                f"an operand of dtype {layout.dtype} has a stride of {stride} bytes, "
                f"which is no multiple of {layout.itemsize}; copy it to a contiguous array first"
            )
    return [stride // layout.itemsize for stride in strides]


def needs_int64(size: int, layouts: Iterable[Layout]) -> bool:
    """Whether element indices or offsets of any operand leave the range of ``int32``.

    Kernels step by up to one grid's worth of elements past the end before they stop, so the
    limit is kept a little below 2**31.
    """
    limit = INT32_MAX - (1 << 20)
    return size > limit or any(max(-x.low, x.high) // x.itemsize > limit for x in layouts)


def check_writable(layout: Layout, name: str) -> None:
    """Refuse to write to a read-only array, or one whose elements share memory."""
    check_not_read_only(layout, name)
    for length, stride in zip(layout.shape, layout.strides, strict=True):
        if stride == 0 and length > 1:
            raise ValueError(
                f"{called_name(name)}: "
                f"output array is read-only: it has shape {layout.shape} but is a "
                f"broadcast view (strides {layout.strides}); write to a copy of it"
            )


def check_not_read_only(layout: Layout, name: str) -> None:
    """Refuse to write to a read-only array; ``name`` is the operation, for the message."""
    if not layout.writable:
        raise ValueError(
            f"{called_name(name)}: "
            f"assignment destination is read-only: an array of shape {layout.shape} and "
            f"dtype {layout.dtype} whose flags.writeable is False; write to a copy of it"
        )


def overlap(layout_a: Layout, address_a: int, layout_b: Layout, address_b: int) -> bool:
    """Whether the byte ranges of two arrays intersect (their elements may still be disjoint)."""
    return (
        layout_a.size != 0
        and layout_b.size != 0
        and address_a + layout_a.low < address_b + layout_b.high
        and address_b + layout_b.low < address_a + layout_a.high
    )
