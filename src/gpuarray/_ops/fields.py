"""Fields of structured arrays: views of them, comparisons and casts by them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _dtypes, _layout
from gpuarray._layout import Layout

if TYPE_CHECKING:
    from gpuarray._types import ndarray


def is_field_key(layout: Layout, key: Any) -> bool:
    """Whether an index is the name of a field, or a list of names."""
    if isinstance(key, str):
        return True
    return isinstance(key, list) and bool(key) and all(isinstance(name, str) for name in key)


def view(array: ndarray, key: Any) -> ndarray:
    """``array['name']`` or ``array[['name', 'other']]``: a view of fields."""
    layout = array._layout
    if layout.dtype.names is None:
        raise IndexError(
            f"only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer "
            f"or boolean arrays are valid indices of an array of dtype {layout.dtype}, which has "
            f"no fields; got {key!r}"
        )
    if isinstance(key, str):
        dtype, offset = _field(layout.dtype, key)
    else:
        for name in key:
            _field(layout.dtype, name)
        # A dtype of the same length, as NumPy has it: the other bytes are padding.
        dtype, offset = np.zeros((), layout.dtype)[key].dtype, 0
    return view_at(array, dtype, offset)


def view_at(array: Any, dtype: np.dtype, offset: int) -> ndarray:
    """A view of the elements of a dtype that begin ``offset`` bytes into each element."""
    target = field_layout(array._layout, dtype, offset)
    return _array.view(array, _array.anywhere(target, _array.address_of(array) + offset), offset)


def in_order(array: Any, order: object, name: str) -> list[ndarray]:
    """Views of the numbers in structures, in the order in which NumPy compares them.

    Parameters
    ----------
    array : ndarray
        Structures or raw bytes.
    order : str or sequence of str or None
        The fields to begin with; the others follow in the order of the dtype.
    name : str
        The function, for messages.
    """
    dtype = array._layout.dtype
    return [view_at(array, *place) for place in _numbers(_begin_with(dtype, order, name), 0)]


def _begin_with(dtype: np.dtype, order: object, name: str) -> np.dtype:
    """The structure with the fields of ``order`` before the others."""
    if order is None:
        return dtype
    fields = dtype.fields
    if fields is None:
        raise ValueError(
            f"{name}: order={order!r} names fields, and an array of dtype {dtype} has none; "
            "leave it out"
        )
    if not isinstance(order, str | list | tuple):
        raise ValueError(f"{name}: order={order!r} is neither a field's name nor a list of them")
    first = [order] if isinstance(order, str) else list(order)
    for field in first:
        if field not in fields:
            known = ", ".join(map(repr, fields))
            raise ValueError(f"{name}: order has the unknown field name {field!r}; use {known}")
        if first.count(field) > 1:
            raise ValueError(f"{name}: order has the duplicate field name {field!r}")
    names = first + [field for field in fields if field not in first]
    return np.dtype(
        {
            "names": names,
            "formats": [fields[field][0] for field in names],
            "offsets": [fields[field][1] for field in names],
            "itemsize": dtype.itemsize,
        }
    )


def _numbers(dtype: np.dtype, start: int) -> Iterator[tuple[np.dtype, int]]:
    """Dtypes and offsets of the numbers in a structure."""
    if dtype.fields is not None:
        for field in dtype.names or ():
            yield from _numbers(dtype.fields[field][0], start + dtype.fields[field][1])
    elif dtype.subdtype is not None or _dtypes.is_raw(dtype):
        # NumPy compares the bytes of subarrays, as it does those of raw elements.
        for i in range(dtype.itemsize):
            yield np.dtype(np.uint8), start + i
    else:
        yield dtype, start


def field_layout(layout: Layout, dtype: np.dtype, offset: int) -> Layout:
    """The layout of a field with a dtype, which may be a subarray."""
    base, shape = _dtypes.with_shape(dtype)
    inner = _layout.contiguous_strides(shape, base.itemsize)
    return _layout.layout_of(base, layout.shape + shape, layout.strides + inner, layout.access)


def _field(dtype: np.dtype, name: str) -> tuple[np.dtype, int]:
    fields = dtype.fields
    if fields is None or name not in fields:
        names = ", ".join(map(repr, dtype.names or ()))
        raise ValueError(f"no field of name {name}; there are {names}")
    return fields[name][0], fields[name][1]
