"""Indexing routines: the indices of regions, such as triangles, and all coordinates of a shape."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from gpuarray import _arguments, _array, _dtypes, _layout
from gpuarray._integers import shortened
from gpuarray._layout import Layout
from gpuarray._ops.coordinates import divided, int64
from gpuarray._ops.creation import ones
from gpuarray._ops.manipulation import as_array, reshape
from gpuarray._ops.nonzero import nonzero
from gpuarray._ops.ranges import arange
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise.launch import ELEMENT_INDEX, Coordinates
from gpuarray.kernels.generator.expressions import (
    Apply,
    Constant,
    Expression,
    Input,
    Scalar,
    apply,
    cast,
)
from gpuarray.kernels.generator.operations import indices as index_operations
from gpuarray.kernels.generator.operations import operation

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike, ndarray

__all__ = [
    "diag_indices", "diag_indices_from", "indices", "mask_indices", "tril_indices",
    "tril_indices_from", "triu_indices", "triu_indices_from",
]  # fmt: skip

_INT64 = np.dtype(np.int64)


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
    _arguments.check_lengths(lengths)
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
    product = apply("multiply", code, cast(code, Input(2, "i8")), Scalar(1, code))
    value = apply("add", code, product, Scalar(0, code))
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
        value: Expression = cast(code, Input(i, "i8"))
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
    if abs(k) > _arguments.INT64_MAX:
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
        narrow = target.size <= _arguments.INT32_MAX
        behind = int64("maximum", int64("subtract", number, elements), Constant(0, "i8"))
        grows = Apply(operation("less"), (number, elements), "b1")
        full_row = int64("add", first, divided(behind, width, False, narrow))
        row = int64("where", grows, row, full_row)
        column = int64("where", grows, column, divided(behind, width, True, narrow))
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
