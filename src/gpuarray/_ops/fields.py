"""Fields of structured arrays: views of them, comparisons and casts by them."""

from __future__ import annotations

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
