"""Indexing routines: indices of a flattened array and coordinates, and the indices of regions."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from gpuarray import _array, _dtypes, _layout
from gpuarray._array import ArrayBase
from gpuarray._config import config
from gpuarray._integers import shortened
from gpuarray._layout import Layout
from gpuarray._ops import advanced_indexing
from gpuarray._ops.conversion import array
from gpuarray._ops.creation import ones
from gpuarray._ops.manipulation import as_array, reshape
from gpuarray._ops.nonzero import nonzero
from gpuarray._ops.ranges import arange
from gpuarray._runtime.device import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise.launch import ELEMENT_INDEX, Coordinates
from gpuarray.kernels.generator.expressions import Apply, Cast, Constant, Expression, Input, Scalar
from gpuarray.kernels.generator.operations import indices as index_operations
from gpuarray.kernels.generator.operations import operation

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, ndarray

__all__ = [
    "diag_indices", "diag_indices_from", "indices", "mask_indices", "ravel_multi_index",
    "tril_indices", "tril_indices_from", "triu_indices", "triu_indices_from", "unravel_index",
]  # fmt: skip

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
    return Input(i, code) if code == "i8" else Cast("i8", Input(i, code))


def _divided(x: Expression, by: Expression, rest: bool, narrow: bool) -> Expression:
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
    narrow = size <= _layout.INT32_MAX
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
        values.append(_divided(rest, length, True, narrow))
        rest = _divided(rest, length, False, narrow)
    values = [rest, *values[::-1]]
    target = _layout.like_order(_INT64, layout.shape, [layout])
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
    lengths = _layout.check_shape(shape)
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
    found = _layout.check_order(order, "C")
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
    lengths = _layout.check_shape(dims)
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
    if math.prod(lengths) > _layout.INT64_MAX:
        raise ValueError("invalid dims: array size defined by dims is larger than the maximum "
                         "possible size.")  # fmt: skip
    found = [
        _index_array(x, "ravel_multi_index", length if one == "raise" else None)
        for x, length, one in zip(multi_index, lengths, modes, strict=True)
    ]
    shape = _layout.broadcast_shapes([x._layout.shape for x in found] or [()])
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
    shape = _layout.broadcast_shapes([x.shape for x in layouts])
    target = _layout.like_order(_INT64, shape, layouts)
    inputs: list[Any] = [*layouts, *[_INT64] * (2 * ndim)]
    return elementwise.launch.make_call(
        "ravel_multi_index", [total], inputs, [target], [False], stream
    )


@overload
def indices(
    dimensions: Sequence[int], dtype: DTypeLike = ..., sparse: Literal[False] = False
) -> ndarray: ...


@overload
def indices(
    dimensions: Sequence[int], dtype: DTypeLike = ..., *, sparse: Literal[True]
) -> tuple[ndarray, ...]: ...


def indices(
    dimensions: Sequence[int], dtype: DTypeLike = int, sparse: bool = False
) -> ndarray | tuple[ndarray, ...]:
    """The coordinates of all elements of a shape.

    Parameters
    ----------
    dimensions : sequence of int
        The shape.
    dtype : dtype, optional
        Dtype of the coordinates.
    sparse : bool, optional
        Return an array for each axis whose other axes have length 1.

    Returns
    -------
    ndarray or tuple of ndarray
        Of shape ``(len(dimensions), *dimensions)``, made in one launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.indices((2, 3))[0]
    array([[0, 0, 0],
           [1, 1, 1]])
    """
    lengths = tuple([operator.index(n) for n in dimensions])
    _layout.check_lengths(lengths)
    found = _dtypes.canonical(dtype)
    if sparse:
        return tuple([
            reshape(arange(n, dtype=found), (1,) * i + (n,) + (1,) * (len(lengths) - i - 1))
            for i, n in enumerate(lengths)
        ])  # fmt: skip
    return grid(lengths, found)


def grid(
    lengths: tuple[int, ...],
    dtype: np.dtype,
    starts: Sequence[Any] | None = None,
    steps: Sequence[Any] | None = None,
) -> ndarray:
    """Coordinates of a shape, or ``start + step * coordinate``, an array for each axis in one."""
    ndim = len(lengths)
    result = _array.empty(_layout.contiguous(dtype, (ndim, *lengths)))
    part = _layout.contiguous(dtype, lengths)
    if result._layout.size:
        parts = [_array.view(result, part, i * part.nbytes) for i in range(ndim)]
        run = _grid_call(current.stream, part, starts is not None)
        run(*(starts or ()), *(steps or ()), *parts)
    return result


@planned
def line_call(stream: Stream, layout: Layout) -> Callable[[Any, Any], Any]:
    """A call that takes a start and a step, and makes an array of them along its one axis."""
    code = _dtypes.code(layout.dtype)
    number: Expression = Input(2, "i8") if code == "i8" else Cast(code, Input(2, "i8"))
    product = Apply(operation("multiply"), (number, Scalar(1, code)), code)
    value = Apply(operation("add"), (product, Scalar(0, code)), code)
    inputs: list[Any] = [layout.dtype, layout.dtype, ELEMENT_INDEX]
    return elementwise.launch.recorded_call("indices", value, inputs, layout, False, stream)


@planned
def _grid_call(stream: Stream, layout: Layout, scaled: bool) -> Callable[..., Any]:
    ndim, code = layout.ndim, _dtypes.code(layout.dtype)
    inputs: list[Any] = [
        Coordinates(*[int(i == axis) for i in range(ndim)]) for axis in range(ndim)
    ]
    values: list[Expression] = []
    for i in range(ndim):
        value: Expression = Input(i, "i8") if code == "i8" else Cast(code, Input(i, "i8"))
        if scaled:
            product = Apply(operation("multiply"), (value, Scalar(2 * ndim + i, code)), code)
            value = Apply(operation("add"), (product, Scalar(ndim + i, code)), code)
        values.append(value)
    if scaled:
        inputs += [layout.dtype] * (2 * ndim)
    return elementwise.launch.make_call(
        "indices", values, inputs, [layout] * ndim, [True] * ndim, stream
    )


def diag_indices(n: int, ndim: int = 2) -> tuple[ndarray, ...]:
    """The indices of the main diagonal of an array with equal sides.

    Parameters
    ----------
    n : int
        The length of a side.
    ndim : int, optional
        Dimensions of the array.

    Returns
    -------
    tuple of ndarray
        One array, `ndim` times.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.diag_indices(3)
    (array([0, 1, 2]), array([0, 1, 2]))
    """
    return (arange(operator.index(n)),) * operator.index(ndim)


def diag_indices_from(arr: ndarray) -> tuple[ndarray, ...]:
    """The indices of the main diagonal of an array.

    Parameters
    ----------
    arr : ndarray
        Of at least two dimensions and equal sides.

    Returns
    -------
    tuple of ndarray
        As of `diag_indices`.

    Raises
    ------
    ValueError
        If the array has less than two dimensions, or axes of different lengths.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.diag_indices_from(cp.eye(2))
    (array([0, 1]), array([0, 1]))
    """
    shape = as_array(arr, "diag_indices_from")._layout.shape
    if len(shape) < 2:
        raise ValueError(
            f"diag_indices_from: an array of shape {shape}; give two dimensions or more"
        )
    if len(set(shape)) > 1:
        raise ValueError(f"diag_indices_from: an array of shape {shape}; its axes need one length")
    return diag_indices(shape[0], len(shape))


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[ndarray, ndarray]:
    """The indices of a lower triangle.

    Parameters
    ----------
    n : int
        Rows.
    k : int, optional
        Which diagonal is the last that belongs to it; 0 is the main one, negative ones are below.
    m : int, optional
        Columns; as many as rows by default.

    Returns
    -------
    tuple of two ndarrays
        Rows and columns, made in one launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.tril_indices(3)
    (array([0, 1, 1, 2, 2, 2]), array([0, 0, 1, 0, 1, 2]))
    """
    return _triangle(n, k, m, False)


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[ndarray, ndarray]:
    """The indices of an upper triangle.

    Parameters
    ----------
    n : int
        Rows.
    k : int, optional
        Which diagonal is the first that belongs to it; 0 is the main one, negative ones are below.
    m : int, optional
        Columns; as many as rows by default.

    Returns
    -------
    tuple of two ndarrays
        Rows and columns, made in one launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.triu_indices(3)
    (array([0, 0, 0, 1, 1, 2]), array([0, 1, 2, 1, 2, 2]))
    """
    return _triangle(n, k, m, True)


def _triangle(n: Any, k: Any, m: Any, upper: bool) -> tuple[ndarray, ndarray]:
    """Rows and columns of a triangle: rows that grow by one element, then full ones.

    An upper triangle is a lower one that is read from its end.
    """
    n = max(operator.index(n), 0)
    k = operator.index(k)
    m = n if m is None else max(operator.index(m), 0)
    if abs(k) > _layout.INT64_MAX:
        raise OverflowError(f"the diagonal {shortened(k)} is too far away")
    last = m - n - k if upper else k
    top = max(0, -last)  # the first row with elements
    shortest = top + last + 1  # its length, unless it is full
    growing = max(min(n - top, m - shortest + 1), 0)
    full = max(n - top - growing, 0) if m else 0
    elements = growing * shortest + growing * (growing - 1) // 2
    total = elements + full * m
    target = _layout.contiguous(_INT64, (total,))
    run = _triangle_call(current.stream, target, full > 0, upper)
    before = shortest * (shortest - 1) // 2 if growing else 0
    values = [before, top - shortest + 1]
    if full:
        values += [elements, top + growing, m]
    if upper:
        values += [total - 1, n - 1, m - 1]
    return run(*values)


@planned
def _triangle_call(stream: Stream, target: Layout, full: bool, upper: bool) -> Callable[..., Any]:
    scalars: list[np.dtype] = []

    def scalar() -> Expression:
        scalars.append(_INT64)
        return Scalar(len(scalars), "i8")

    before, shift = scalar(), scalar()
    bounds = [scalar() for _ in range(3)] if full else []
    ends = [scalar() for _ in range(3)] if upper else []
    number: Expression = Input(0, "i8")
    if upper:
        number = int64("subtract", ends[0], number)
    inside = int64("add", number, before)
    line = int64(index_operations.TRIANGLE_ROW, inside)
    one = Constant(1, "i8")
    passed = int64("right_shift", int64("multiply", line, int64("add", line, one)), one)
    row, column = int64("add", line, shift), int64("subtract", inside, passed)
    if full:
        elements, first, width = bounds
        narrow = target.size <= _layout.INT32_MAX
        behind = int64("maximum", int64("subtract", number, elements), Constant(0, "i8"))
        grows = Apply(operation("less"), (number, elements), "b1")
        full_row = int64("add", first, _divided(behind, width, False, narrow))
        row = int64("where", grows, row, full_row)
        column = int64("where", grows, column, _divided(behind, width, True, narrow))
    if upper:
        row, column = int64("subtract", ends[1], row), int64("subtract", ends[2], column)
    inputs: list[Any] = [ELEMENT_INDEX, *scalars]
    return elementwise.launch.make_call(
        "triangle", [row, column], inputs, [target] * 2, [False] * 2, stream
    )


def tril_indices_from(arr: ndarray, k: int = 0) -> tuple[ndarray, ndarray]:
    """The indices of the lower triangle of an array.

    Parameters
    ----------
    arr : ndarray, 2-D
        The array.
    k : int, optional
        As for `tril_indices`.

    Returns
    -------
    tuple of two ndarrays
        Rows and columns.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.tril_indices_from(cp.eye(2))
    (array([0, 1, 1]), array([0, 0, 1]))
    """
    return _triangle(*_sides(arr, k), False)


def triu_indices_from(arr: ndarray, k: int = 0) -> tuple[ndarray, ndarray]:
    """The indices of the upper triangle of an array.

    Parameters
    ----------
    arr : ndarray, 2-D
        The array.
    k : int, optional
        As for `triu_indices`.

    Returns
    -------
    tuple of two ndarrays
        Rows and columns.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.triu_indices_from(cp.eye(2))
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    return _triangle(*_sides(arr, k), True)


def _sides(arr: Any, k: int) -> tuple[int, int, int]:
    shape = as_array(arr, "tril_indices_from")._layout.shape
    if len(shape) != 2:
        raise ValueError(f"indices of a triangle: an array of shape {shape}; give two dimensions")
    return shape[0], k, shape[1]


def mask_indices(n: int, mask_func: Callable[..., ndarray], k: Any = 0) -> tuple[ndarray, ...]:
    """The indices that a function of a square matrix leaves.

    Parameters
    ----------
    n : int
        The length of a side.
    mask_func : callable
        ``mask_func(a, k)`` returns an array that is zero where it is not wanted, such as `triu`.
    k : scalar, optional
        Passed on to the function.

    Returns
    -------
    tuple of ndarray
        Rows and columns. Waits for the device, since their length depends on the values.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.mask_indices(2, lambda a, k: a * cp.array([[1, 0], [1, 1]]))
    (array([0, 1, 1]), array([0, 0, 1]))
    """
    return nonzero(mask_func(ones((n, n), int), k))
