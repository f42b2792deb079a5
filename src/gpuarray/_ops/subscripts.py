"""Indexing with slices, integers, ellipsis and newaxis, and the reading of index arrays.

The result of a basic index is a view, worked out once for a layout and kept in its table, so that
``a[1:5]`` is a look-up. Index arrays and masks go on to :mod:`gpuarray._ops.advanced_indexing`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _broadcasting, _interchange, _layout, _transfers
from gpuarray._arguments import INT64_MAX
from gpuarray._array import ArrayBase
from gpuarray._layout import Layout
from gpuarray._ops import advanced_indexing, fields
from gpuarray._ops.conversion import uploaded
from gpuarray._ops.creation import fill, fill_call
from gpuarray._ops.stored_values import as_host_scalar, as_values
from gpuarray._runtime.current_stream import current
from gpuarray.errors import HostArrayError
from gpuarray.kernels import mask as mask_kernels
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from gpuarray._types import ndarray

_new = object.__new__

#: Python's numbers (a bool is an int) and NumPy's.
_NUMBERS = (int, float, complex, np.generic)


def getitem(array: ndarray, key: Any) -> ndarray:
    """``array[key]``."""
    # A hit in the table is all that most calls need. Equal keys are no proof of a valid one
    # (1.0 == 1 == True), so keys are built of integers alone.
    layout = array._layout
    kind = type(key)
    try:
        if kind is slice:
            target, offset = layout.views[key.indices(layout.shape[0])]
        elif kind is int:
            target, offset = layout.views[key]
        elif isinstance(key, ArrayBase):
            kept: Any = current.stream.plans.get((getitem, layout, key._layout))
            if kept is not None:  # as `_by_arrays` keeps it
                run, base, start = kept
                return run(_array.shifted(array, base, start) if start else array, key)
            return _by_arrays(array, key)
        else:
            target, offset = layout.views[_table_key(key)]
    except (KeyError, IndexError, TypeError):
        if kind is tuple:
            return _by_arrays(array, key)
        if fields.is_field_key(layout, key):
            return fields.view(array, key)
        if kind is list or kind is np.ndarray:
            moved = _on_device(layout, key)
            if moved is not key:
                return _by_arrays(array, moved)
        found = _find(layout, key)
        if isinstance(found, advanced_indexing.Selection):
            return advanced_indexing.gather(array, found)
        target, offset = found
        if kind is np.ndarray:
            return copies.copy(_array.shifted(array, target, offset))
    view = _new(_array.array_class)
    view._layout = target
    try:
        view._memory = array._viewed  # type: ignore[attr-defined]  # see _array
    except _array.NotComputed:
        return _array.view_of_pending(array, target, offset)
    view._pointer = array._pointer + offset
    return view


def _by_arrays(array: Any, key: Any) -> Any:
    """``array[key]`` for an index array on the device, or a tuple that may hold some."""
    layout = array._layout
    parts, arrays = advanced_indexing.layouts_of(key)
    table_key = None if parts is None else (getitem, layout, *parts)
    kept: Any = current.stream.plans.get(table_key)
    if kept is not None:
        run, base, offset = kept
        return run(_array.shifted(array, base, offset) if offset else array, *arrays)
    if advanced_indexing.masks_whole(array, key):
        return mask_kernels.launch.compress(array, key)
    found = _find(layout, key)
    if isinstance(found, advanced_indexing.Selection):
        return advanced_indexing.gather(array, found, table_key, arrays)
    view = _array.shifted(array, *found)
    if type(key) is tuple and np.ndarray in map(type, key):
        return copies.copy(view)  # an array without dimensions selects a copy, an integer a view
    return view


def _on_device(layout: Layout, key: Any) -> Any:
    """Integers from a list or a host array, checked and moved to the device; else the key."""
    if not layout.ndim:
        return key
    item = _item(key)
    if not isinstance(item, advanced_indexing.HostIndex) or item.dtype.kind == "b":
        return key
    return advanced_indexing.checked(item.host, layout.shape[0], 0)


def selected(layout: Layout, key: Any) -> tuple[Layout, int] | advanced_indexing.Selection:
    """The layout and the offset of a basic index's view, or what an index with arrays selects."""
    if isinstance(key, list | np.ndarray):
        key = _on_device(layout, key)
    return _find(layout, key)


def kept_call(array: ndarray, key: Any) -> Callable[[Any, Any], Any] | None:
    """The kept plan of ``array[key]`` that takes the array as it is, and one index array."""
    parts, arrays = advanced_indexing.layouts_of(key)
    kept: Any = (
        current.stream.plans.get((getitem, array._layout, *parts)) if parts is not None else None
    )
    return kept[0] if kept is not None and len(arrays) == 1 and not kept[2] else None


def setitem(array: ndarray, key: Any, value: Any) -> None:
    """``array[key] = value``."""
    layout = array._layout
    stored: Any  # the layout of an array, or whether it is a number
    if isinstance(value, ArrayBase):
        number, stored = False, value._layout
    else:
        number = stored = isinstance(value, _NUMBERS)
        if number:
            given, value = value, as_host_scalar(value, layout.dtype)
        elif isinstance(value, np.ndarray) and not value.ndim:
            given, value = value, as_host_scalar(value, layout.dtype)
            number = stored = True
    found: Any = None
    table_key: Any = None
    arrays: list[Any] = []
    kind = type(key)
    if kind is tuple:
        parts, arrays = advanced_indexing.layouts_of(key)
        if parts is not None and not arrays:
            found = layout.views.get(tuple(parts))
        elif parts is not None:
            table_key = (setitem, layout, stored, *parts)
    elif isinstance(key, ArrayBase):
        arrays, table_key = [key], (setitem, layout, stored, key._layout)
    elif kind is int:
        found = layout.views.get(key)
    elif kind is slice:
        try:
            found = layout.views.get(key.indices(layout.shape[0]))
        except (IndexError, TypeError):
            found = None
    elif key is Ellipsis:
        found = layout.views.get((tuple, key))
    elif fields.is_field_key(layout, key):
        fields.view(array, key)[...] = given if number else value
        return
    elif kind is list or kind is np.ndarray:
        moved = _on_device(layout, key)
        if moved is not key:
            setitem(array, moved, value)
            return
    if table_key is not None:
        kept: Any = current.stream.plans.get(table_key)
        if kept is not None and advanced_indexing.apart(array, arrays, value):
            run, base, start = kept
            run(value, *arrays, _array.shifted(array, base, start) if start else array)
            return
    if found is None:
        if arrays and kind is not tuple:
            if isinstance(value, np.ndarray):
                value, table_key = uploaded(value), None  # the next one has to be moved as well
            if _store_masked(array, key, value, number, table_key):
                return
        found = _find(layout, key)
    if isinstance(found, advanced_indexing.Selection):
        advanced_indexing.scatter(array, found, value, table_key, arrays)
        return
    target, offset = found
    if stored is target and _array.is_view(value, array, offset):
        # What `x[key] += y` stores last is the view that it has updated.
        _layout.check_not_read_only(target, "assignment")
        return
    view = _array.shifted(array, target, offset)
    if number:
        store: Any = current.stream.plans.get((fill_call, target))  # the key of fill_call
        if store is None:
            fill(view, value)
        else:
            store(value, view)
        return
    memory: Any = value._held if stored else None  # type: ignore[attr-defined]  # see _array
    if stored and memory is not array._held:  # type: ignore[attr-defined]
        store = copies.kept_assignment(stored, target)
        device = _array.device_of(value) if memory is None else memory.device
        if store is not None and device is array._memory.device:
            store(value, view)
            return
    _store_values(view, value)


def _store_masked(array: Any, key: Any, value: Any, number: bool, table_key: Any) -> bool:
    """``array[key] = value`` for a mask on the device, without its indices; False for others."""
    mask = key._layout
    if number and mask.dtype == bool and 0 < mask.ndim <= array._layout.ndim:
        advanced_indexing.fill_where(array, key, value, table_key)
        return True
    if advanced_indexing.masks_whole(array, key):
        return advanced_indexing.store_where(array, key, value)
    return False


def _store_values(target: Any, value: Any) -> None:
    """Store an array, a host array or nested lists in a view."""
    layout = target._layout
    if isinstance(value, np.ndarray):
        _layout.check_writable(layout, "assignment")
        if _upload(target, value):
            return
        value = uploaded(value)
    elif not layout.ndim and isinstance(value, list | tuple):
        fill(target, as_host_scalar(value, layout.dtype))  # NumPy's error, or the truth as a bool
        return
    else:
        value = as_values(value, "assignment", layout.dtype)
    source = value._layout
    try:
        copies.assign(target, value)
    except ValueError:
        read = _broadcasting.without_leading_ones(source, layout.ndim)
        if _broadcasting.broadcasts_to(read.shape, layout.shape):
            raise
        raise ValueError(
            f"could not broadcast input array from shape {source.shape} into shape {layout.shape}"
        ) from None


def _upload(target: Any, value: np.ndarray) -> bool:
    """Copy a host array to where it is stored, if its elements lie there as they are here."""
    layout = target._layout
    if value.dtype != layout.dtype or value.shape != layout.shape:
        return False
    if layout.c_contiguous and value.flags.c_contiguous:
        order = True
    else:
        order = bool(layout.f_contiguous and value.flags.f_contiguous)
    if order:
        with target._memory.device if layout.nbytes else current.stream.device:
            _transfers.upload(target, value)
    return order


def _table_key(key: Any) -> tuple:
    """A tuple index as a key of the table; KeyError if it holds more than the table does."""
    if type(key) is not tuple:
        if key is None or key is Ellipsis:
            return (tuple, key)
        raise KeyError
    parts: list[Any] = [tuple]
    for item in key:
        kind = type(item)
        if kind is int or item is None or item is Ellipsis:
            parts.append(item)
        elif kind is slice:
            start, stop, step = item.start, item.stop, item.step
            if (
                (type(start) is int or start is None)
                and (type(stop) is int or stop is None)
                and (type(step) is int or step is None)
            ):
                parts.append((start, stop, step))
            else:
                raise KeyError
        else:
            raise KeyError
    return tuple(parts)


def _find(layout: Layout, key: Any) -> tuple[Layout, int] | advanced_indexing.Selection:
    """The view that a basic index gives, or the selection of an index with arrays."""
    try:
        if type(key) is slice:
            table_key: Any = key.indices(layout.shape[0])
        else:
            table_key = key if type(key) is int else _table_key(key)
        found = layout.views.get(table_key)
        if found is not None:
            return found
    except (KeyError, IndexError, TypeError):
        table_key = None
    items = _items(layout, key)
    selection = _select(layout, items)
    if selection.arrays:
        return selection
    access = layout.access | _layout.VIEW
    target = _layout.layout_of(layout.dtype, selection.shape, selection.strides, access)
    result = (target, selection.offset)
    if table_key is not None:
        _layout.keep_view(layout.views, table_key, result)
    return result


def _items(layout: Layout, key: Any) -> list[Any]:
    """The index as a list of integers, slices, None and arrays that covers every axis."""
    given = list(key) if type(key) is tuple else [key]
    items = [_item(item) for item in given]
    consumed = 0
    ellipsis_at = None
    for number, item in enumerate(items):
        if item is Ellipsis:
            if ellipsis_at is not None:
                raise IndexError("an index can only have a single ellipsis ('...')")
            ellipsis_at = number
        elif isinstance(item, ArrayBase | advanced_indexing.HostIndex):
            consumed += item.ndim if item.dtype.kind == "b" else 1  # type: ignore[union-attr]
        elif item is not None and not isinstance(item, bool):
            consumed += 1
    missing = layout.ndim - consumed
    if missing < 0:
        raise IndexError(
            f"too many indices for array: array is {layout.ndim}-dimensional, but "
            f"{consumed} were indexed"
        )
    if ellipsis_at is None:
        items += [slice(None)] * missing
    else:
        # An ellipsis of no axes still separates index arrays.
        covered: list[Any] = [slice(None)] * missing
        items[ellipsis_at : ellipsis_at + 1] = covered or [Ellipsis]
    return items


def _item(item: Any) -> Any:
    """One part of an index in canonical form."""
    kind = type(item)
    if kind is int or kind is slice or item is None or item is Ellipsis or kind is bool:
        return item
    if isinstance(item, np.bool):
        return bool(item)
    if isinstance(item, ArrayBase):
        if item._layout.dtype.kind not in "biu":
            raise _invalid(item._layout.dtype)
        return item
    if isinstance(item, slice):
        return item
    if isinstance(item, np.ndarray) and (item.ndim or item.dtype.kind not in "iu"):
        if item.dtype.kind not in "biu":
            raise _invalid(item.dtype)
        return advanced_indexing.HostIndex(item)
    if isinstance(item, list | tuple | range):
        return _from_sequence(item)
    if hasattr(item, "__cuda_array_interface__"):
        return _item(_interchange.from_interface(item))
    try:
        return operator.index(item)
    except TypeError:
        raise _invalid(getattr(item, "dtype", type(item).__name__)) from None


def _from_sequence(item: Any) -> Any:
    try:
        host = np.asarray(item)
    except HostArrayError:  # device arrays among the items
        return _item(uploaded(item))
    if host.size == 0 and host.dtype.kind == "f":
        host = host.astype(np.intp)
    if host.dtype.kind not in "biu":
        raise _invalid(host.dtype)
    return advanced_indexing.HostIndex(host)


def _invalid(item: Any) -> IndexError:
    return IndexError(
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or "
        f"boolean arrays are valid indices, got {item}"
    )


def _select(layout: Layout, items: list[Any]) -> advanced_indexing.Selection:
    """Apply slices and integers, and collect the index arrays."""
    shape: list[int] = []
    strides: list[int] = []
    arrays: list[advanced_indexing.IndexArray] = []
    offset = 0
    axis = 0
    broadcast_axis: int | None = None  # of the index arrays' dimensions in the result
    last_advanced = -1
    separated = False  # something stands between them: their dimensions go to the front
    for number, item in enumerate(items):
        if item is None:
            shape.append(1)
            strides.append(0)
            continue
        if item is Ellipsis:
            continue
        if isinstance(item, slice):
            length = layout.shape[axis]
            start, stop, step = item.indices(length)
            count = len(range(start, stop, step))
            if count:
                offset += start * layout.strides[axis]
            shape.append(count)
            stride = step * layout.strides[axis]
            if count < 2 and abs(stride) > INT64_MAX:
                stride = 0  # it is never taken; NumPy's overflows
            strides.append(stride)
            axis += 1
            continue
        # Integers beside index arrays count as index arrays for where the dimensions go.
        if broadcast_axis is None:
            broadcast_axis = len(shape)
        elif last_advanced != number - 1:
            separated = True
        last_advanced = number
        if isinstance(item, bool | ArrayBase | advanced_indexing.HostIndex):
            found = advanced_indexing.index_arrays(item, layout, axis)
            arrays += found
            axis += sum([one.consumes for one in found])
            continue
        length = layout.shape[axis]
        if not -length <= item < length:
            raise IndexError(f"index {item} is out of bounds for axis {axis} with size {length}")
        offset += (item + length if item < 0 else item) * layout.strides[axis]
        axis += 1
    return advanced_indexing.Selection(
        tuple(shape), tuple(strides), offset, tuple(arrays), 0 if separated else broadcast_axis or 0
    )
