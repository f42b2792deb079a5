"""Indexing with integer arrays and boolean masks.

An index is first reduced to a :class:`Selection`: slices and integers are applied to the layout,
masks become arrays of indices, and what is left is one gather or scatter kernel over
the result's shape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gpuarray import _array, _broadcasting, _dtypes, _interchange, _layout, _transfers
from gpuarray._array import ArrayBase
from gpuarray._config import config
from gpuarray._layout import Layout
from gpuarray._ops.conversion import array as as_array
from gpuarray._ops.stored_values import as_host_scalar, as_values
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels import gather as gather_kernels
from gpuarray.kernels import mask as mask_kernels
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.generator.expressions import Input, Scalar

_INT64 = np.dtype(np.int64)


class HostIndex:
    """Integers or bools in host memory, where they can be checked."""

    __slots__ = ("dtype", "host", "ndim")

    def __init__(self, host: np.ndarray):
        self.host = host
        self.dtype = host.dtype
        self.ndim = host.ndim


class IndexArray(NamedTuple):
    """Indices along an axis, or along neighbouring axes that are one to them."""

    array: Any
    length: int
    stride: int  # bytes
    consumes: int  # axes of the indexed array, counted at the first of a mask's arrays


class Selection(NamedTuple):
    """What an index selects: the sliced dimensions, and arrays of indices."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    arrays: tuple[IndexArray, ...]
    broadcast_axis: int  # where the arrays' common dimensions go among the sliced ones


def index_arrays(item: Any, layout: Layout, axis: int) -> list[IndexArray]:
    """The indices that one array of an index stands for."""
    if isinstance(item, bool):
        return [IndexArray(_upload(np.zeros(int(item), np.int64)), 1, 0, 0)]
    if item.dtype == bool:
        if isinstance(item, HostIndex):
            check_mask(item.host.shape, layout, axis)
            if not item.ndim:
                return [IndexArray(_upload(np.zeros(int(item.host), np.int64)), 1, 0, 0)]
            shape, strides = _masked(layout, axis, item.ndim)
            if _are_one(shape, strides):
                flat = _upload(np.flatnonzero(item.host))
                return [IndexArray(flat, item.host.size, strides[-1], item.ndim)]
            return [
                IndexArray(_upload(indices), shape[i], strides[i], 1)
                for i, indices in enumerate(np.nonzero(item.host))
            ]
        check_mask(item._layout.shape, layout, axis)
        return _of_mask(item, layout, axis)
    length = layout.shape[axis]
    if isinstance(item, HostIndex):
        item = checked(item.host, length, axis)
    elif config.debug:
        check_bounds(item, length, axis)
    if length == 0 and item._layout.size:
        raise IndexError(f"index is out of bounds for axis {axis} with size 0")
    return [IndexArray(item, length, layout.strides[axis], 1)]


def _upload(host: np.ndarray) -> Any:
    dtype = _dtypes.canonical(host.dtype.newbyteorder("="))
    layout = _layout.contiguous(dtype, host.shape)
    return _transfers.from_host(np.asarray(host, dtype, order="C"), layout)


def checked(host: np.ndarray, length: int, axis: int) -> Any:
    """Indices of the host that are within bounds, moved to the device."""
    check_host(host, length, axis)
    return _upload(host)


def check_host(host: np.ndarray, length: int, axis: int, counted: bool = True) -> None:
    """Refuse indices out of bounds; ``counted`` is whether negative ones count from the end."""
    low = -length if counted else 0
    if host.size and (int(host.min()) < low or int(host.max()) >= length):
        wrong = host[(host < low) | (host >= length)]
        raise IndexError(
            f"index {wrong.flat[0]} is out of bounds for axis {axis} with size {length}"
        )


def check_bounds(index: Any, length: int, axis: int, counted: bool = True) -> None:
    """With GPUARRAY_DEBUG=1, check an index array before it is used, as `check_host`."""
    layout = index._layout
    target = _array.contiguous_layout(index)
    host = np.empty(layout.shape, layout.dtype)
    _transfers.download(
        copies.copy(index, "C") if target is not layout else index, host, None, True
    )
    check_host(host, length, axis, counted)


def check_mask(shape: tuple[int, ...], layout: Layout, axis: int = 0) -> None:
    """Refuse a mask that has not the lengths of the axes that it stands for."""
    if len(shape) > layout.ndim - axis:
        raise IndexError(
            f"too many indices for array: array is {layout.ndim}-dimensional, but "
            f"{axis + len(shape)} were indexed"
        )
    for i, length in enumerate(shape, axis):
        if length and length != layout.shape[i]:  # NumPy takes a mask of no elements for any axis
            raise IndexError(
                f"boolean index did not match indexed array along axis {i}; size of axis is "
                f"{layout.shape[i]} but size of corresponding boolean axis is {length}"
            )


def _of_mask(mask: Any, layout: Layout, axis: int) -> list[IndexArray]:
    ndim = mask._layout.ndim
    if ndim == 0:
        return [IndexArray(mask_kernels.launch.flat_nonzero(mask), 1, 0, 0)]
    shape, strides = _masked(layout, axis, ndim)
    if _are_one(shape, strides):
        indices = mask_kernels.launch.flat_nonzero(mask)
        return [IndexArray(indices, mask._layout.size, strides[-1], ndim)]
    return [
        IndexArray(coordinate, shape[i], strides[i], 1)
        for i, coordinate in enumerate(mask_kernels.launch.nonzero(mask))
    ]


def _masked(layout: Layout, axis: int, ndim: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shape and strides of the axes that a mask stands for."""
    return layout.shape[axis : axis + ndim], layout.strides[axis : axis + ndim]


def _are_one(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Whether neighbouring axes are one to an index."""
    return all(strides[i] == strides[i + 1] * shape[i + 1] for i in range(len(shape) - 1))


def _broadcast(arrays: tuple[IndexArray, ...]) -> tuple[int, ...]:
    shapes = [one.array._layout.shape for one in arrays]
    try:
        return _broadcasting.broadcast_shapes(shapes)
    except ValueError:
        listed = " ".join([str(shape).replace(" ", "") for shape in shapes])
        raise IndexError(
            f"shape mismatch: indexing arrays could not be broadcast together with shapes {listed}"
        ) from None


def spread(array: Any, selection: Selection) -> tuple[Any, list[tuple[Layout, int, int]], list]:
    """The indexed array and the index arrays, each read in the result's shape."""
    common = _broadcast(selection.arrays)
    shape, strides, axis = selection.shape, selection.strides, selection.broadcast_axis
    result = shape[:axis] + common + shape[axis:]
    spread = strides[:axis] + (0,) * len(common) + strides[axis:]
    layout = array._layout
    base = _array.view(array, _layout.layout_of(layout.dtype, result, spread), selection.offset)
    indices = []
    for one in selection.arrays:
        index = one.array._layout
        steps = _broadcasting.broadcast_strides(index, common)
        steps = (0,) * axis + steps + (0,) * (len(shape) - axis)
        indices.append((_layout.layout_of(index.dtype, result, steps), one.length, one.stride))
    return base, indices, [one.array for one in selection.arrays]


def layouts_of(key: Any) -> tuple[list[Any] | None, list[Any]]:
    """The items of an index that a plan depends on, arrays as layouts; and those arrays.

    The items of a tuple come behind the type `tuple`, which makes them the key of a view. They are
    None where one is something else than an array on the device, an int, None, an ellipsis, or a
    slice of such: equal keys (True and 1) would not mean equal indices.
    """
    if isinstance(key, ArrayBase):
        return [key._layout], [key]
    items: list[Any] = [tuple]
    arrays: list[Any] = []
    for item in key:
        kind = type(item)
        if kind is slice:
            start, stop, step = item.start, item.stop, item.step
            if (
                (type(start) is int or start is None)
                and (type(stop) is int or stop is None)
                and (type(step) is int or step is None)
            ):
                items.append((start, stop, step))
            else:
                return None, arrays
        elif kind is int or item is None or item is Ellipsis:
            items.append(item)
        elif isinstance(item, ArrayBase):
            items.append(item._layout)
            arrays.append(item)
        else:
            return None, arrays
    return items, arrays


def _keep(table_key: Any, arrays: Sequence[Any], selection: Selection, base: Any, run: Any) -> None:
    """Keep a call for the next index of the same layouts.

    Not where the index was converted, as masks and lists are, or is checked first.
    """
    used = [one.array for one in selection.arrays]
    if len(used) == len(arrays) and not config.debug:
        if all(one is given for one, given in zip(used, arrays, strict=True)):
            current.stream.keep_plan(table_key, (run, base._layout, selection.offset))


def apart(array: Any, indices: Sequence[Any], value: Any) -> bool:
    """Whether a scatter to an array leaves alone what it has still to read.

    Of arrays that are not foreign: they have the same bytes only if they have one memory object.
    """
    memory = array._memory
    if getattr(value, "_memory", None) is memory:
        return False
    return all(one._memory is not memory for one in indices)


def gather(
    array: Any, selection: Selection, table_key: Any = None, given: Sequence[Any] = ()
) -> Any:
    """A copy of the selected elements.

    If there is a key, the call is kept under it for index arrays of the given ones' layouts.
    """
    base, indices, arrays = spread(array, selection)
    target = _layout.contiguous(base._layout.dtype, base._layout.shape)
    if not target.size:
        return _array.empty(target)
    run = gather_kernels.launch.transfer(
        target, base._layout, array._layout, indices, False, new=True
    )
    if table_key is not None:
        _keep(table_key, given, selection, base, run)
    return run(base, *arrays)


def scatter(
    array: Any,
    selection: Selection,
    value: Any,
    table_key: Any = None,
    given: Sequence[Any] = (),
) -> None:
    """Store values at the selected elements; `table_key` and `given` as for `gather`."""
    layout = array._layout
    _layout.check_writable(layout, "assignment")
    if any(isinstance(x, Layout) and x.foreign for x in table_key or ()):
        table_key = None  # `apart` knows memory objects, not addresses
    if any(_array.overlap(one.array, array) for one in selection.arrays):
        arrays = [one._replace(array=copies.copy(one.array)) for one in selection.arrays]
        selection = selection._replace(arrays=tuple(arrays))
    base, indices, arrays = spread(array, selection)
    shape = base._layout.shape
    unchanged = value
    raw = _dtypes.is_raw(layout.dtype) or layout.unaligned
    if isinstance(value, ArrayBase):
        if value._layout.dtype is not layout.dtype:
            value = copies.copy(value, "K", layout.dtype)
        elif _array.overlap(value, array):
            value = copies.copy(value)
    elif isinstance(value, bool | int | float | complex | np.generic) and not raw:
        if base._layout.size:
            run = gather_kernels.launch.transfer(layout.dtype, base._layout, layout, indices, True)
            run(as_host_scalar(value, layout.dtype), *arrays, base)
            if table_key is not None:
                _keep(table_key, given, selection, base, run)
        return
    else:
        if isinstance(value, np.ndarray):
            value = as_array(value)
        value = as_values(value, "assignment", layout.dtype)
        if value._layout.dtype is not layout.dtype:
            value = copies.copy(value, "K", layout.dtype)
    source = value._layout
    while source.ndim > len(shape) and source.shape[0] == 1:
        source = _layout.layout_of(source.dtype, source.shape[1:], source.strides[1:])
    if not _broadcasting.broadcasts_to(source.shape, shape):
        raise ValueError(
            f"shape mismatch: value array of shape {source.shape} could not be broadcast to "
            f"indexing result of shape {shape}"
        )
    if base._layout.size == 0:
        return
    read = _broadcasting.broadcast_to(source, shape)
    run = gather_kernels.launch.transfer(read, base._layout, layout, indices, True)
    run(_array.view(value, read), *arrays, base)
    if table_key is not None and value is unchanged:
        _keep(table_key, given, selection, base, run)


def masks_whole(array: Any, key: Any) -> bool:
    """Whether an index is a mask on the device for each element of the array."""
    return (
        isinstance(key, ArrayBase)
        and key._layout.dtype == bool
        and key._layout.shape == array._layout.shape != ()
        and key._memory.device is array._memory.device
    )


def store_where(array: Any, mask: Any, value: Any) -> bool:
    """``array[mask] = value`` for a one-dimensional array on the device; False for others."""
    if not isinstance(value, ArrayBase) or value._layout.ndim > 1:
        return False
    layout, memory = array._layout, array._memory
    _layout.check_writable(layout, "assignment")
    foreign = layout.foreign or value._layout.foreign or mask._layout.foreign
    if value._layout.dtype is not layout.dtype:
        value = copies.copy(value, "K", layout.dtype)
    elif (foreign or value._memory is memory) and _array.overlap(value, array):
        value = copies.copy(value)
    if value._memory.device is not memory.device:
        return False
    if (foreign or mask._memory is memory) and _array.overlap(mask, array):
        mask = copies.copy(mask)
    mask_kernels.launch.place(array, mask, value)
    return True


def fill_where(array: Any, mask: Any, value: Any, table_key: Any = None) -> None:
    """``array[mask] = scalar``: stores where the mask is true, without counting first.

    If a key is given, the call is kept under it for masks apart from the array.
    """
    layout = mask._layout
    target = array._layout
    check_mask(layout.shape, target, 0)
    if not layout.size:
        _layout.check_writable(target, "assignment")
        return
    behind = target.ndim - layout.ndim
    spread = _layout.layout_of(
        layout.dtype, layout.shape + (1,) * behind, layout.strides + (0,) * behind
    )
    shared = mask._memory is array._memory or layout.foreign or target.foreign
    if shared and _array.overlap(mask, array):
        mask = copies.copy(mask)
        spread = _layout.contiguous(layout.dtype, spread.shape)
    value = as_host_scalar(value, target.dtype)
    stream = current.stream
    run = stream.plans.get((_fill_where_call, spread, target))  # the key of _fill_where_call
    if run is None:
        run = _fill_where_call(stream, spread, target)
    run(value, mask, array)
    if table_key is not None and not (layout.foreign or target.foreign or shared):
        stream.keep_plan(table_key, (run, target, 0))


@planned
def _fill_where_call(stream: Stream, mask: Layout, target: Layout) -> Callable[..., None]:
    _layout.check_writable(target, "assignment")
    code = _dtypes.code(target.dtype)
    if _dtypes.is_raw(target.dtype):
        one = _layout.contiguous(target.dtype, ())
        store = elementwise.launch.make_call(
            "fill", [Input(0, code)], [one, mask], [target], [True], stream, True
        )
        return lambda value, mask, array: store(
            _interchange.scalar_array(value, target.dtype), mask, array
        )
    return elementwise.launch.make_call(
        "fill", [Scalar(0, code)], [target.dtype, mask], [target], [True], stream, True
    )
