"""Indexing routines: elements taken and put by indices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _layout
from gpuarray._array import ArrayBase
from gpuarray._config import config
from gpuarray._layout import Layout
from gpuarray._ops import advanced_indexing
from gpuarray._ops.casts import store_result
from gpuarray._ops.conversion import array
from gpuarray._ops.coordinates import check_mode, coordinates
from gpuarray._ops.manipulation import along_axis, as_array, in_one_dimension
from gpuarray._ops.stored_values import as_host_scalar, as_values
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.errors import HostArrayError
from gpuarray.kernels import gather
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["put", "take"]

_INT64 = np.dtype(np.int64)

#: Python's numbers (a bool is an int) and NumPy's.
NUMBERS = (int, float, complex, np.generic)


def take(
    a: ArrayLike,
    indices: ArrayLike,
    axis: int | None = None,
    out: ndarray | None = None,
    mode: str = "raise",
) -> ndarray:
    """Elements by their indices along an axis.

    Parameters
    ----------
    a : array_like
        The array.
    indices : array_like of int
        Indices, in device memory or on the host.
    axis : int, optional
        The axis; by default indices are of the flattened array.
    out : ndarray, optional
        Where results are stored.
    mode : {'raise', 'wrap', 'clip'}, optional
        What becomes of indices out of bounds.

    Returns
    -------
    ndarray
        With the dimensions of `indices` in place of the axis. One launch.

    Raises
    ------
    IndexError
        With ``mode='raise'``, if an index of the host is out of bounds.

    Differences from NumPy
    ----------------------
    Indices in device memory cannot raise on a GPU: with ``mode='raise'`` they wrap around. They do
    raise IndexError on the emulator and with ``GPUARRAY_DEBUG=1``.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.take(cp.arange(10, 20), cp.array([0, 3]))
    array([10, 13])
    >>> cp.take(cp.arange(10, 20), [-1, 12], mode="clip")
    array([10, 19])
    """
    key: Any = None
    if isinstance(a, ArrayBase) and isinstance(indices, ArrayBase):
        if (axis is None or type(axis) is int) and type(mode) is str:
            stored = None if out is None else getattr(out, "_layout", None)
            key = (take, a._layout, indices._layout, axis, mode, stored)
            run: Any = current.stream.plans.get(key)
            if run is not None:
                if stored is None:
                    return run(a, indices)
                if advanced_indexing.apart(out, (a,), indices):
                    run(a, indices, out)
                    return out  # type: ignore[return-value]  # it has a layout
    mode = check_mode(mode)
    a = as_array(a, "take")
    lines, axis = along_axis(a, axis)
    found, mode = _indices(indices, "take", axis, lines._layout.shape[axis], mode)
    stream = current.stream
    if isinstance(out, ArrayBase) and _takes(out, lines, found, axis):
        run = _take_call(stream, lines._layout, found._layout, axis, mode, out._layout)
        run(lines, found, out)
        if found is indices and lines._memory is a._memory:
            keep_store(key, run, (out, out), (a, a), (found, found))
        return out
    run = _take_call(stream, lines._layout, found._layout, axis, mode, None)
    alike = found is indices and lines._memory is a._memory
    if key is not None and out is None and alike and not config.debug:
        stream.keep_plan(key, run)  # it reads no more of the array than the address
    return store_result(run(lines, found), out, "take", "unsafe")


def _takes(out: Any, lines: Any, indices: Any, axis: int) -> bool:
    """Whether a gather can store its result in an output."""
    layout, target = lines._layout, out._layout
    return (
        target.dtype is layout.dtype
        and target.shape == _taken_shape(layout, indices._layout, axis)
        and out._memory.device is lines._memory.device
        and not _array.overlap(out, lines)
        and not _array.overlap(out, indices)
    )


def _taken_shape(lines: Layout, indices: Layout, axis: int) -> tuple[int, ...]:
    return lines.shape[:axis] + indices.shape + lines.shape[axis + 1 :]


@planned
def _take_call(
    stream: Stream, lines: Layout, indices: Layout, axis: int, mode: str, out: Layout | None
) -> Callable[..., Any]:
    """A call that takes the array, the indices, and the output if there is one."""
    shape = _taken_shape(lines, indices, axis)
    if out is not None:
        _layout.check_writable(out, "take")
    target = _layout.contiguous(lines.dtype, shape) if out is None else out
    strides = lines.strides[:axis] + (0,) * indices.ndim + lines.strides[axis + 1 :]
    base = _layout.layout_of(lines.dtype, shape, strides)
    index = _placed(indices, axis, lines.ndim - axis - 1, shape)
    placed = [(index, lines.shape[axis], lines.strides[axis])]
    return gather.launch.transfer(target, base, lines, placed, False, new=out is None, mode=mode)


def _placed(indices: Layout, before: int, behind: int, shape: tuple[int, ...]) -> Layout:
    """Indices as read in a result that has further axes before them and behind."""
    strides = (0,) * before + indices.strides + (0,) * behind
    return _layout.layout_of(indices.dtype, shape, strides)


def device_indices(indices: Any, name: str, length: int) -> Any:
    """Indices of an axis of so many elements in device memory; those of the host are checked."""
    return _indices(indices, name, 0, length, "raise")[0]


def _indices(indices: Any, name: str, axis: int, length: int, mode: str) -> tuple[Any, str]:
    """Integers in device memory, and the mode that is left to do for the kernel.

    What comes from the host is checked, wrapped or clipped there.
    """
    if not isinstance(indices, ArrayBase):
        host = indices_on_host(indices)
        if host is not None:
            _check_kind(host.dtype, name)
            _check_not_empty(name, length, host.size)
            if mode == "raise":
                return advanced_indexing.checked(host.astype(np.int64), length, axis), mode
            if host.size:
                clipped = mode == "clip"
                host = np.clip(host, 0, length - 1) if clipped else host.astype(np.int64) % length
            return array(host.astype(np.int64)), "raise"
        indices = as_array(indices, name)
    layout = indices._layout
    _check_kind(layout.dtype, name)
    _check_not_empty(name, length, layout.size)
    if config.debug and mode == "raise":
        advanced_indexing.check_bounds(indices, length, axis)
    if layout.dtype.kind == "b":
        indices = copies.copy(indices, dtype=_INT64)
    return indices, mode


def _check_kind(dtype: np.dtype, name: str) -> None:
    if dtype.kind not in "biu":
        raise TypeError(
            f"{name}: Cannot cast array data from {dtype!r} to {_INT64!r} "
            "according to the rule 'same_kind'; indices are integers"
        )


def indices_on_host(indices: Any) -> np.ndarray | None:
    """Indices in host memory, lists as int64 as NumPy converts them; None for other operands."""
    if isinstance(indices, np.ndarray | np.generic):
        return np.asarray(indices)
    if hasattr(indices, "__cuda_array_interface__"):
        return None
    try:
        return np.asarray(indices, np.int64)
    except HostArrayError:  # device arrays among the items
        return None


def _check_not_empty(name: str, length: int, count: int) -> None:
    if length == 0 and count:
        raise IndexError(f"{name}: cannot do a non-empty take from an empty axes.")


def keep_store(key: Any, run: Any, *pairs: tuple[Any, Any]) -> None:
    """Keep a call that writes, of arrays as they were given and as they were used.

    Not where one was copied, or may have bytes of another memory object.
    """
    if key is None or config.debug:
        return
    if all(used._memory is x._memory and not x._layout.foreign for x, used in pairs):
        current.stream.keep_plan(key, run)


def put(a: ndarray, ind: ArrayLike, v: ArrayLike, mode: str = "raise") -> None:
    """Store values by indices of the flattened array.

    Parameters
    ----------
    a : ndarray
        The array, which is changed.
    ind : array_like of int
        Indices, in device memory or on the host.
    v : array_like
        The values, which are repeated if there are fewer than indices.
    mode : {'raise', 'wrap', 'clip'}, optional
        What becomes of indices out of bounds.

    Raises
    ------
    IndexError
        With ``mode='raise'``, if an index of the host is out of bounds.

    Differences from NumPy
    ----------------------
    Where indices repeat, any of the values may stay. Indices in device memory that are out of
    bounds wrap around with ``mode='raise'``; they raise on the emulator and with
    ``GPUARRAY_DEBUG=1``.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.arange(5)
    >>> cp.put(a, [0, 2], [-44, -55])
    >>> a
    array([-44,   1, -55,   3,   4])
    """
    if not isinstance(a, ArrayBase):
        raise TypeError(f"put: argument 1 must be a gpuarray array, not {type(a).__name__}")
    layout = a._layout
    number = isinstance(v, NUMBERS)
    given: Any = as_host_scalar(v, layout.dtype, "put") if number else v
    key: Any = None
    if (
        isinstance(ind, ArrayBase)
        and (number or isinstance(given, ArrayBase))
        and type(mode) is str
    ):
        key = (put, layout, ind._layout, True if number else given._layout, mode)
        run: Any = current.stream.plans.get(key)
        if run is not None and advanced_indexing.apart(a, (ind,), given):
            run(given, ind, a)
            return
    mode = check_mode(mode)
    _layout.check_writable(layout, "put")
    found, mode = _indices(ind, "put", 0, layout.size, mode)
    values = given if number else stored_values(given, "put", a)
    if not found._layout.size or not (number or values._layout.size):
        return
    if _array.overlap(found, a):
        found = copies.copy(found)
    found = in_one_dimension(found)
    flat = _layout.reshape_view(layout, (layout.size,))
    if flat is None:  # the elements are not equally far apart
        places = coordinates(found, layout.shape, mode)
        axes = [
            (x, n, step) for x, n, step in zip(places, layout.shape, layout.strides, strict=True)
        ]
        mode = "raise"
    else:
        axes = [(found, layout.size, flat.strides[0])]
    run = _put_over_and_over(a, axes, values, mode)
    if key is not None and run is not None and flat is not None:
        keep_store(key, run, (a, a), (ind, found), *([] if number else [(given, values)]))


def stored_values(v: Any, name: str, a: Any) -> ndarray:
    """Values to store in an array as one dimension of its dtype, in other memory."""
    dtype = a._layout.dtype
    if isinstance(v, np.ndarray) and v.ndim:
        v = array(v)
    values = as_values(v, name, dtype)
    if values._layout.dtype is not dtype or _array.overlap(values, a):
        values = copies.copy(values, "K", dtype)
    return in_one_dimension(values)


def _put_over_and_over(
    a: Any, axes: list[tuple[Any, int, int]], values: Any, mode: str
) -> Callable[..., Any] | None:
    """Scatter values, over and over, by arrays of indices of one dimension.

    Returns the call if there was one alone.
    """
    count = axes[0][0]._layout.size
    if isinstance(values, NUMBERS):
        return _put_values(a, axes, values, 1, count, mode)
    given = values._layout.size
    rounds, rest = divmod(count, given) if given < count else (1, 0)
    run = _put_values(a, axes, values, rounds, min(given, count), mode)
    if not rest:
        return run
    done = rounds * given
    _put_values(a, [(x[done:], n, step) for x, n, step in axes], values[:rest], 1, rest, mode)
    return None


def _put_values(
    a: Any, axes: list[tuple[Any, int, int]], values: Any, rounds: int, given: int, mode: str
) -> Callable[..., Any]:
    apart = values._layout.strides[0] if isinstance(values, ArrayBase) else None
    places = tuple([(x._layout.dtype, x._layout.strides[0], n, step) for x, n, step in axes])
    run = _put_call(current.stream, a._layout, rounds, given, apart, mode, places)
    run(values, *[x for x, _, _ in axes], a)
    return run


@planned
def _put_call(
    stream: Stream,
    layout: Layout,
    rounds: int,
    given: int,
    apart: int | None,
    mode: str,
    axes: Sequence[tuple[np.dtype, int, int, int]],
) -> Callable[..., Any]:
    """A call of a scatter of so many values so many times; without a stride, of a number."""
    shape = (rounds, given)
    dense: Layout | np.dtype = layout.dtype
    if apart is not None:
        dense = _layout.layout_of(layout.dtype, shape, (0, apart))
    base = _layout.layout_of(layout.dtype, shape, (0, 0))
    indices = [
        (_layout.layout_of(dtype, shape, (given * one, one)), length, step)
        for dtype, one, length, step in axes
    ]
    return gather.launch.transfer(dense, base, layout, indices, True, mode=mode)
