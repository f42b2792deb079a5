"""Indexing routines: indices of a flattened array, and coordinates."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _array, _broadcasting, _dtypes, _layout, _memory_order
from gpuarray._array import ArrayBase
from gpuarray._config import config
from gpuarray._layout import Layout
from gpuarray._ops import advanced_indexing
from gpuarray._ops.conversion import array
from gpuarray._ops.manipulation import as_array
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.generator.expressions import Apply, Cast, Expression, Input, Scalar, cast
from gpuarray.kernels.generator.operations import indices as index_operations
from gpuarray.kernels.generator.operations import operation

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["ravel_multi_index", "unravel_index"]

_INT64 = np.dtype(np.int64)

#: NumPy's modes for indices out of bounds: by its names, and by the numbers of its C interface.
_MODES: dict[Any, str] = {"raise": "raise", "wrap": "wrap", "clip": "clip"}
_MODES |= {0: "clip", 1: "wrap", 2: "raise"}

#: What brings an index within bounds, by mode.
BOUNDED = {
    "raise": index_operations.WRAPPED,
    "wrap": index_operations.PERIODIC,
    "clip": index_operations.CLIPPED,
    "check": index_operations.CHECKED,
}


def check_mode(mode: Any) -> str:
    """A mode for indices out of bounds that a user gave, by its name."""
    if type(mode) is str or type(mode) is int:
        found = _MODES.get(mode)
        if found is not None:
            return found
    if isinstance(mode, str | int):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    raise TypeError(f"clipmode must be one of 'clip', 'raise', or 'wrap', not {mode!r}")


def int64(operation_: Any, *operands: Expression) -> Expression:
    """An operation of int64 operands."""
    found = operation(operation_) if isinstance(operation_, str) else operation_
    return Apply(found, operands, "i8")


def as_int64(i: int, layout: Layout) -> Expression:
    """An operand in memory as int64."""
    code = _dtypes.code(layout.dtype)
    return cast("i8", Input(i, code))


def divided(x: Expression, by: Expression, rest: bool, narrow: bool) -> Expression:
    """The quotient, or the remainder, of numbers that are not negative.

    Narrow ones have 32 bits, in which a GPU divides several times as fast.
    """
    name = "remainder" if rest else "floor_divide"
    if not narrow:
        return int64(name, x, by)
    return Cast("i8", Apply(operation(name), (Cast("u4", x), Cast("u4", by)), "u4"))


def coordinates(numbers: Any, shape: tuple[int, ...], mode: str) -> list[Any]:
    """Indices of the flattened array as an index array for each axis, in one launch.

    Parameters
    ----------
    numbers : ndarray of integers
        The indices.
    shape : tuple of int
        Of the array, with at least one dimension and one element.
    mode : {'raise', 'wrap', 'clip', 'check'}
        What becomes of those out of bounds, which negative ones are for 'check'.
    """
    size = math.prod(shape)
    narrow = size <= _arguments.INT32_MAX
    run = _coordinates_call(current.stream, numbers._layout, len(shape), mode, narrow)
    found = run(numbers, size, *shape[:0:-1])
    return list(found) if len(shape) > 1 else [found]


@planned
def _coordinates_call(
    stream: Stream, layout: Layout, ndim: int, mode: str, narrow: bool
) -> Callable[..., Any]:
    rest = int64(BOUNDED[mode], as_int64(0, layout), Scalar(1, "i8"))
    values: list[Expression] = []
    for i in range(ndim - 1):  # from the last axis
        length = Scalar(2 + i, "i8")
        values.append(divided(rest, length, True, narrow))
        rest = divided(rest, length, False, narrow)
    values = [rest, *values[::-1]]
    target = _memory_order.like_order(_INT64, layout.shape, [layout])
    inputs: list[Any] = [layout, *[_INT64] * ndim]
    return elementwise.launch.make_call(
        "unravel_index", values, inputs, [target] * ndim, [False] * ndim, stream
    )


def unravel_index(
    indices: ArrayLike, shape: int | Sequence[int], order: str = "C"
) -> tuple[ndarray, ...]:
    """Indices of a flattened array as coordinates.

    Parameters
    ----------
    indices : array_like of int
        Indices of the flattened array.
    shape : int or tuple of int
        Its shape.
    order : {'C', 'F'}, optional
        In which order it is flattened.

    Returns
    -------
    tuple of ndarray
        An array of the shape of `indices` for each axis, made in one launch.

    Raises
    ------
    ValueError
        If an index of the host is out of bounds.

    Differences from NumPy
    ----------------------
    Indices in device memory wrap around on a GPU; they raise on the emulator and with
    ``GPUARRAY_DEBUG=1``.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.unravel_index(cp.array([22, 41, 37]), (7, 6))
    (array([3, 6, 6]), array([4, 5, 1]))
    """
    lengths = _arguments.check_shape(shape)
    order = _check_order(order)
    size = math.prod(lengths)
    numbers = _index_array(indices, "unravel_index", size)
    if not lengths:
        if numbers._layout.ndim:
            raise ValueError("multiple indices are not supported for 0d array")
        return ()
    if not size:
        if numbers._layout.size:
            raise ValueError("unravel_index: an index is out of bounds for array with size 0")
        return tuple([_array.empty(_layout.contiguous(_INT64, numbers._layout.shape))
                      for _ in lengths])  # fmt: skip
    if config.debug:
        _as_numbers_error(numbers, size)
    shape = lengths if order == "C" else lengths[::-1]
    try:
        found = coordinates(numbers, shape, "check")
    except IndexError as error:
        raise ValueError(f"unravel_index: {error}") from None
    return tuple(found if order == "C" else found[::-1])


def _as_numbers_error(numbers: Any, size: int) -> None:
    try:
        advanced_indexing.check_bounds(numbers, size, 0, counted=False)
    except IndexError as error:
        raise ValueError(str(error)) from None


def _check_order(order: Any) -> str:
    found = _arguments.check_order(order, "C")
    if found not in ("C", "F"):
        raise ValueError("only 'C' or 'F' order is permitted")
    return found


def _index_array(x: Any, name: str, length: int | None = None) -> ndarray:
    """Integers in device memory; those of the host are checked there if there is a length."""
    if isinstance(x, ArrayBase) or hasattr(x, "__cuda_array_interface__"):
        found = as_array(x, name)
        if found._layout.dtype.kind not in "iu":
            raise TypeError(f"{name}: indices must be integral, got {found._layout.dtype}")
        return found
    try:
        host = np.asarray(x)
    except TypeError:  # device arrays among the items
        return _index_array(array(x), name)
    if not host.size and not isinstance(x, np.ndarray) and host.dtype.kind == "f":
        raise TypeError(f"{name}: indices must be integral: the provided empty sequence was "
                        "inferred as float. Wrap it with 'array(indices, dtype=int)'")  # fmt: skip
    if host.dtype.kind not in "iu":
        raise TypeError(f"{name}: only int indices permitted, got {host.dtype}")
    if length is not None:
        wrong = host[(host < 0) | (host >= length)]
        if wrong.size:
            raise ValueError(
                f"{name}: index {wrong.flat[0]} is out of bounds for array with size {length}"
            )
    return array(host.astype(host.dtype.newbyteorder("="), copy=False))


def ravel_multi_index(
    multi_index: Sequence[ArrayLike] | ndarray,
    dims: int | Sequence[int],
    mode: str | Sequence[str] = "raise",
    order: str = "C",
) -> ndarray:
    """Coordinates as indices of the flattened array.

    Parameters
    ----------
    multi_index : tuple of array_like of int
        Coordinates along each axis; they broadcast.
    dims : tuple of int
        The shape of the array.
    mode : {'raise', 'wrap', 'clip'} or tuple of these, optional
        What becomes of coordinates out of bounds, for all axes or each.
    order : {'C', 'F'}, optional
        In which order the array is flattened.

    Returns
    -------
    ndarray of int64
        Indices, made in one launch.

    Raises
    ------
    ValueError
        If a coordinate of the host is out of bounds.

    Differences from NumPy
    ----------------------
    Coordinates in device memory wrap around on a GPU; they raise on the emulator and with
    ``GPUARRAY_DEBUG=1``.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.ravel_multi_index((cp.array([3, 6, 6]), cp.array([4, 5, 1])), (7, 6))
    array([22, 41, 37])
    """
    lengths = _arguments.check_shape(dims)
    order = _check_order(order)
    given = mode if isinstance(mode, tuple | list) else (mode,) * len(lengths)
    modes = tuple([check_mode(one) for one in given])
    if isinstance(multi_index, ArrayBase | np.ndarray):
        multi_index = [multi_index[i] for i in range(len(multi_index))]
    if len(multi_index) != len(lengths):
        raise ValueError(
            f"ravel_multi_index: parameter multi_index must be a sequence of length {len(lengths)}"
        )
    if len(modes) != len(lengths):
        raise ValueError(
            f"ravel_multi_index: {len(modes)} modes for {len(lengths)} dimensions: {modes}"
        )
    if math.prod(lengths) > _arguments.INT64_MAX:
        raise ValueError("invalid dims: array size defined by dims is larger than the maximum "
                         "possible size.")  # fmt: skip
    found = [
        _index_array(x, "ravel_multi_index", length if one == "raise" else None)
        for x, length, one in zip(multi_index, lengths, modes, strict=True)
    ]
    shape = _broadcasting.broadcast_shapes([x._layout.shape for x in found] or [()])
    if 0 in lengths and 0 not in shape:
        raise ValueError("invalid entry in coordinates array")
    if config.debug:
        for x, length, one in zip(found, lengths, modes, strict=True):
            if one == "raise":
                _as_numbers_error(x, length)
    strides = _layout.contiguous_strides(lengths, 1, order)
    if not lengths:
        return array(0)
    run = _ravel_call(current.stream, modes, *[x._layout for x in found])
    try:
        return run(*found, *lengths, *strides)
    except IndexError as error:
        raise ValueError(f"ravel_multi_index: {error}") from None


@planned
def _ravel_call(stream: Stream, modes: tuple[str, ...], *layouts: Layout) -> Callable[..., Any]:
    ndim = len(layouts)
    total: Expression | None = None
    for i, (layout, mode) in enumerate(zip(layouts, modes, strict=True)):
        bounded = BOUNDED["check" if mode == "raise" else mode]
        coordinate = int64(bounded, as_int64(i, layout), Scalar(ndim + i, "i8"))
        term = int64("multiply", coordinate, Scalar(2 * ndim + i, "i8"))
        total = term if total is None else int64("add", total, term)
    assert total is not None
    shape = _broadcasting.broadcast_shapes([x.shape for x in layouts])
    target = _memory_order.like_order(_INT64, shape, layouts)
    inputs: list[Any] = [*layouts, *[_INT64] * (2 * ndim)]
    return elementwise.launch.make_call(
        "ravel_multi_index", [total], inputs, [target], [False], stream
    )
