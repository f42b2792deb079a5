"""Selection by a mask: the true elements, their indices, and assignment to them.

The size of a result is on the device, so the host waits for it once between two launches: the
first counts, the second stores (see ``mask.cuh``). Temporary memory: 8 bytes
for each 8192 elements of the mask, and a bit for each if the mask is not one contiguous array of
bytes or is used beside values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpuarray import _arguments, _array, _calls, _dtypes, _layout, _transfers
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise, scan
from gpuarray.kernels import mask as mask_kernels
from gpuarray.kernels.scan.launch import LookBackPlan, look_back_state

if TYPE_CHECKING:
    from gpuarray.kernels.mask.spec import StoreSpec

_INT64 = np.dtype(np.int64)
_UINT32 = np.dtype(np.uint32)
_SCALAR = _layout.contiguous(_INT64, ())


#: Tiles that a block counts at most, and blocks for each multiprocessor until it counts several.
MAX_ROUNDS, RESIDENT_BLOCKS = 32, 8


# What the second launch gets of the first.
_COUNTED = {"mask": "x0", "offsets": "x1", "bits": "x2"}


class Counted(NamedTuple):
    """A mask whose true elements have been counted."""

    mask: Any
    total: int
    offsets: Any  # true elements before each tile
    bits: Any  # the mask as bits, or a placeholder


def nonzero(mask: Any) -> tuple[Any, ...]:
    """Where elements are not zero: an int64 array of coordinates for each axis, in C order.

    Parameters
    ----------
    mask : ndarray
        Of any dtype, with at least one dimension.
    """
    layout = mask._layout
    ndim = layout.ndim
    counted = count(mask)
    if counted.total == 0:
        return tuple([_array.empty(_layout.contiguous(_INT64, (0,))) for _ in range(ndim)])
    result = coordinates(counted, layout.shape)
    if ndim == 1:
        return (result,)
    one = _layout.contiguous(_INT64, (counted.total,))
    return tuple([_array.view(result, one, 8 * counted.total * i) for i in range(ndim)])


def flat_nonzero(mask: Any) -> Any:
    """Where elements are not zero, as int64 indices in the flattened array in C order."""
    counted = count(mask)
    if counted.total == 0:
        return _array.empty(_layout.contiguous(_INT64, (0,)))
    return coordinates(counted, (mask._layout.size,))


def argwhere(mask: Any) -> Any:
    """Where elements are not zero: an int64 array with a row of coordinates for each of them.

    ``mask`` has at least one dimension.
    """
    layout = mask._layout
    counted = count(mask)
    rows = _array.empty(_layout.contiguous(_INT64, (counted.total, layout.ndim)))
    if counted.total:
        run = _rows_call(current.stream, counted.mask._layout, _has_bits(counted), layout.shape)
        run(counted.mask, counted.offsets, counted.bits, rows)
    return rows


def compress(values: Any, mask: Any) -> Any:
    """The elements, in C order, where a mask of the same shape is true: ``values[mask]``."""
    return compress_counted(values, count(mask, keep=True))


def compress_counted(values: Any, counted: Counted) -> Any:
    """The same for a mask that has been counted with ``keep``."""
    if values._layout.unaligned:
        values = elementwise.copies.copy(values)
    layout = values._layout
    result = _array.empty(_layout.contiguous(layout.dtype, (counted.total,)))
    if counted.total:
        run = _store_call(current.stream, "compress", counted.mask._layout, layout, 1)
        run(counted.mask, counted.offsets, counted.bits, values, result)
    return result


def place(target: Any, mask: Any, values: Any) -> None:
    """Store values one after the other where a mask is true: ``target[mask] = values``.

    Parameters
    ----------
    target : ndarray
        What is changed.
    mask : ndarray
        Of the target's shape.
    values : ndarray
        Of the target's dtype and in other memory; one-dimensional with as many elements as are
        true, or of one element for all.
    """
    place_counted(target, count(mask, keep=True), values)


def place_counted(target: Any, counted: Counted, values: Any) -> None:
    """The same for a mask that has been counted with ``keep``."""
    if target._layout.unaligned:
        changed = elementwise.copies.copy(target)
        place_counted(changed, counted, values)
        elementwise.copies.assign(target, changed)
        return
    if values._layout.unaligned:
        values = elementwise.copies.copy(values)
    source = values._layout
    if source.size not in (1, counted.total):
        raise ValueError(
            f"boolean array indexing assignment cannot assign {source.size} input values to the "
            f"{counted.total} output values where the mask is true"
        )
    if counted.total:
        stride = 0 if source.size == 1 else source.strides[0]
        (step,) = _layout.element_strides("assignment", [stride], source)
        run = _store_call(current.stream, "place", counted.mask._layout, target._layout, step)
        run(counted.mask, counted.offsets, counted.bits, values, target)


def starts(counted: Counted) -> Any:
    """Where elements of a one-dimensional mask are true, then the number of all elements."""
    result = _array.empty(_layout.contiguous(_INT64, (counted.total + 1,)))
    run = _starts_call(current.stream, counted.mask._layout)
    run(counted.mask, counted.offsets, counted.bits, counted.total, result)
    return result


def ranks(counted: Counted, places: Any) -> Any:
    """For each element of a one-dimensional mask how many are true before and at it, less one.

    ``places`` is a permutation that says where in the result; the mask was counted with ``keep``.
    """
    result = _array.empty(places._layout)
    run = _ranks_call(current.stream, counted.mask._layout)
    run(counted.mask, counted.offsets, counted.bits, places, result)
    return result


def count_changes(values: Any, equal_nan: bool) -> Counted:
    """Count the elements of a sorted array that differ from the one before, as `count` with bits.

    Parameters
    ----------
    values : ndarray
        Contiguous, with one dimension.
    equal_nan : bool
        All NaN are equal.
    """
    layout = values._layout
    if layout.size == 0:
        return Counted(values, 0, None, None)
    truth = "changes but of NaN" if equal_nan else "changes"
    run, at = _plan_count(current.stream, layout, True, truth)
    return _count(values, run, at)


def count(mask: Any, keep: bool = False) -> Counted:
    """Count the true elements of a mask and wait for the result.

    ``keep`` asks for the mask as bits even where it can as well be read again.
    """
    layout = mask._layout
    if layout.size == 0:
        return Counted(mask, 0, None, None)
    if layout.unaligned:
        mask = elementwise.copies.copy(mask)
        layout = mask._layout
    run, at = _plan_count(current.stream, layout, keep)
    return _count(mask, run, at)


def _count(mask: Any, run: Callable[..., Any], at: int) -> Counted:
    offsets, bits = run(mask)
    total = np.empty((), np.int64)
    _transfers.download(_array.view(offsets, _SCALAR, at), total, None, True)
    return Counted(mask, int(total), offsets, bits)


@planned
def _plan_count(
    stream: Stream, layout: Layout, keep: bool, truth: str = "nonzero"
) -> tuple[Callable, int]:
    # Ordered as C order is, whatever the mask's own order.
    order = _layout.contiguous_strides(layout.shape, 1)
    dims, (_, strides) = _layout.collapse(layout.shape, [order, layout.strides])
    steps = _layout.element_strides("mask", strides, layout)
    bits = keep or not _is_bytes(layout)
    index = "int64" if _layout.needs_int64(layout.size, [layout]) else "int32"
    spec = mask_kernels.spec.CountSpec(_dtypes.code(layout.dtype), len(dims), bits, index, truth)
    function, source = load(spec, mask_kernels.spec.render_count, stream.device)
    tiles = ceil_div(layout.size, mask_kernels.spec.TILE)
    rounds = _rounds(tiles, stream.device.multiprocessors)
    blocks = ceil_div(tiles, rounds)
    constants: dict[str, Any] = {"dimensions": _dimensions(layout.size, tiles, rounds, dims, steps)}
    plan = LookBackPlan(function, grid_for(blocks), (source.block, 1, 1), constants)
    plan.state = look_back_state(stream, 8 * scan.spec.look_back_words("i8", 1, blocks))
    constants["lookback"] = plan.state[1]
    outputs = [
        _layout.contiguous(_INT64, (tiles + 1,)),
        _layout.contiguous(_UINT32, (tiles * mask_kernels.spec.BLOCK if bits else 1,)),
    ]
    passed = {"mask": "x0", "offsets": "y0", "bits": "y1"}
    call = _calls.make_call(stream, "a", outputs, [(BoundLaunch(plan, stream), passed)])
    return call, 8 * tiles


def _rounds(tiles: int, multiprocessors: int) -> int:
    """Tiles for a block: several, but there must be blocks enough to fill the device."""
    return min(MAX_ROUNDS, max(1, tiles // (RESIDENT_BLOCKS * multiprocessors)))


def _is_bytes(layout: Layout) -> bool:
    """Whether reading a mask again costs no more memory traffic than bits are worth."""
    return layout.itemsize == 1 and layout.c_contiguous


def coordinates(counted: Counted, shape: tuple[int, ...]) -> Any:
    """The coordinates of true elements, one axis behind the other."""
    result = _array.empty(_layout.contiguous(_INT64, (len(shape) * counted.total,)))
    run = _coordinates_call(current.stream, counted.mask._layout, _has_bits(counted), shape)
    run(counted.mask, counted.offsets, counted.bits, counted.total, result)
    return result


def _has_bits(counted: Counted) -> bool:
    return counted.bits._layout.size > 1


@planned
def _rows_call(
    stream: Stream, mask: Layout, bits: bool, shape: tuple[int, ...]
) -> Callable[..., Any]:
    index = "int64" if _layout.needs_int64(mask.size, [mask]) else "int32"
    code = _dtypes.code(mask.dtype)
    spec = mask_kernels.spec.StoreSpec("rows", code, bits, len(shape), 8, index)
    dimensions = _dimensions(mask.size, 0, 0, shape, [0] * len(shape))
    bound = BoundLaunch(_plan_store(spec, dimensions, stream), stream)
    return _calls.make_call(stream, "aaa", [None], [(bound, _COUNTED | {"result": "y0"})])


@planned
def _starts_call(stream: Stream, mask: Layout) -> Callable[..., Any]:
    bound = BoundLaunch(_plan_line("starts", mask, stream), stream, {"count": _INT64})
    passed = _COUNTED | {"result": "y0", "count": "x3"}
    return _calls.make_call(stream, "aaas", [None], [(bound, passed)])


@planned
def _ranks_call(stream: Stream, mask: Layout) -> Callable[..., Any]:
    bound = BoundLaunch(_plan_line("ranks", mask, stream), stream)
    passed = _COUNTED | {"places": "x3", "result": "y0"}
    return _calls.make_call(stream, "aaaa", [None], [(bound, passed)])


def _plan_line(action: str, mask: Layout, stream: Stream) -> LaunchPlan:
    """A second launch over a mask of one dimension that was kept as bits."""
    index = "int64" if _layout.needs_int64(mask.size, [mask]) else "int32"
    spec = mask_kernels.spec.StoreSpec(action, _dtypes.code(mask.dtype), True, 1, 8, index)
    return _plan_store(spec, _dimensions(mask.size, 0, 0, mask.shape, [0]), stream)


@planned
def _coordinates_call(
    stream: Stream, mask: Layout, bits: bool, shape: tuple[int, ...]
) -> Callable[..., Any]:
    index = "int64" if _layout.needs_int64(mask.size, [mask]) else "int32"
    spec = mask_kernels.spec.StoreSpec(
        "coordinates", _dtypes.code(mask.dtype), bits, len(shape), 8, index
    )
    dimensions = _dimensions(mask.size, 0, 0, shape, [0] * len(shape))
    bound = BoundLaunch(_plan_store(spec, dimensions, stream), stream, {"count": _INT64})
    passed = _COUNTED | {"result": "y0", "count": "x3"}
    return _calls.make_call(stream, "aaas", [None], [(bound, passed)])


@planned
def _store_call(
    stream: Stream, action: str, mask: Layout, operand: Layout, stride: int
) -> Callable[..., Any]:
    """The call of 'compress' or 'place'; ``operand`` is what has the mask's shape."""
    order = _layout.contiguous_strides(operand.shape, 1)
    dims, (_, strides) = _layout.collapse(operand.shape, [order, operand.strides])
    steps = _layout.element_strides(action, strides, operand)
    index = "int64" if _layout.needs_int64(mask.size, [mask, operand]) else "int32"
    if abs(stride) * mask.size > _arguments.INT32_MAX:
        index = "int64"
    code = _dtypes.code(mask.dtype)
    spec = mask_kernels.spec.StoreSpec(action, code, True, len(dims), operand.itemsize, index)
    dimensions = _dimensions(mask.size, 0, stride, dims, steps)
    bound = BoundLaunch(_plan_store(spec, dimensions, stream), stream)
    passed = _COUNTED | {"read": "x3", "written": "y0"}
    return _calls.make_call(stream, "aaaa", [None], [(bound, passed)])


def _plan_store(spec: StoreSpec, dimensions: dict[str, Any], stream: Stream) -> LaunchPlan:
    function, source = load(spec, mask_kernels.spec.render_store, stream.device)
    grid = grid_for(ceil_div(dimensions["size"], mask_kernels.spec.TILE))
    return LaunchPlan(function, grid, (source.block, 1, 1), {"dimensions": dimensions})


def _dimensions(
    size: int, tiles: int, stride: int, shape: Sequence[int], strides: Sequence[int]
) -> dict[str, Any]:
    """The struct MaskDimensions."""
    return {"size": size, "tiles": tiles, "stride": stride, "shape": shape, "strides": strides}
