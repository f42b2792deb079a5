"""Array creation routines: triangles and other matrices of a pattern."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _dtypes, _layout, _memory_order
from gpuarray._layout import Layout
from gpuarray._ops.indexing import diag
from gpuarray._ops.manipulation import as_array, in_one_dimension
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise.launch import Coordinates
from gpuarray.kernels.generator.expressions import (
    Apply,
    Cast,
    Constant,
    Expression,
    Input,
    Scalar,
    cast,
)
from gpuarray.kernels.generator.operations import operation

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, ndarray

__all__ = ["diagflat", "tri", "tril", "triu", "vander"]

_BOOL, _INT64 = np.dtype(bool), np.dtype(np.int64)

#: No diagonal of an array is further from the main one.
_FARTHEST = 2**62


def _diagonal_number(k: Any) -> int:
    """The number of a diagonal in the range of int64."""
    return max(-_FARTHEST, min(operator.index(k), _FARTHEST))


def tri(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: DTypeLike | None = float,
    *,
    like: object = None,
) -> ndarray:
    """A matrix with ones at and below a diagonal and zeros elsewhere.

    Parameters
    ----------
    N : int
        Rows.
    M : int, optional
        Columns; as many as rows by default.
    k : int, optional
        The diagonal: 0 the main one, positive above it.
    dtype : dtype, optional
        Dtype of the elements.
    like : object, optional
        Ignored: results are arrays of this package.

    Returns
    -------
    ndarray, shape (N, M)
        The matrix.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.tri(2, 3, k=1, dtype=int)
    array([[1, 1, 0],
           [1, 1, 1]])
    """
    k = _diagonal_number(k)
    rows = max(operator.index(N), 0)
    columns = rows if M is None else max(operator.index(M), 0)
    layout = _layout.contiguous(_dtypes.canonical(dtype), (rows, columns))
    return _plan_tri(current.stream, layout)(k)


@planned
def _plan_tri(stream: Stream, layout: Layout) -> Any:
    kept = _compared("less_equal", Input(1, "i8"))
    values = Cast(_dtypes.code(layout.dtype), kept)
    inputs: list[Any] = [_INT64, Coordinates(-1, 1)]
    return elementwise.launch.recorded_call("tri", values, inputs, layout, False, stream)


def _compared(comparison: str, diagonal: Expression) -> Expression:
    """Whether the number of an element's diagonal keeps to a limit, which is scalar 0."""
    return Apply(operation(comparison), (diagonal, Scalar(0, "i8")), "b1")


def tril(m: ArrayLike, k: int = 0) -> ndarray:
    """A copy of an array with zeros above a diagonal.

    Parameters
    ----------
    m : ndarray
        A matrix, or matrices in the last two dimensions. Of one dimension it is each row of a
        matrix.
    k : int, optional
        The diagonal: 0 the main one, positive above it.

    Returns
    -------
    ndarray
        The lower triangles.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.tril(cp.ones((3, 3)), -1)
    array([[0., 0., 0.],
           [1., 0., 0.],
           [1., 1., 0.]])
    """
    m = as_array(m, "tril")
    return _plan_triangle(current.stream, "tril", m._layout)(_diagonal_number(k), m)


def triu(m: ArrayLike, k: int = 0) -> ndarray:
    """A copy of an array with zeros below a diagonal.

    Parameters
    ----------
    m : ndarray
        A matrix, or matrices in the last two dimensions. Of one dimension it is each row of a
        matrix.
    k : int, optional
        The diagonal: 0 the main one, positive above it.

    Returns
    -------
    ndarray
        The upper triangles.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.triu(cp.ones((3, 3)), 1)
    array([[0., 1., 1.],
           [0., 0., 1.],
           [0., 0., 0.]])
    """
    m = as_array(m, "triu")
    return _plan_triangle(current.stream, "triu", m._layout)(_diagonal_number(k), m)


@planned
def _plan_triangle(stream: Stream, name: str, layout: Layout) -> Any:
    if not layout.ndim:
        raise TypeError(f"{name}: the array has no dimension; pass one of at least one dimension")
    if _dtypes.is_raw(layout.dtype):
        raise TypeError(f"{name}: {layout.dtype} has no zero; take {name} of its fields")
    sides = layout.shape[-2:] if layout.ndim > 1 else 2 * layout.shape
    shape = layout.shape[:-2] + sides
    # NumPy chooses by a matrix of bools, which has its say in the memory order.
    target = _memory_order.like_order(
        layout.dtype, shape, [_layout.contiguous(_BOOL, sides), layout]
    )
    code = _dtypes.code(layout.dtype)
    kept = _compared("less_equal" if name == "tril" else "greater_equal", Input(2, "i8"))
    values = Apply(operation("where"), (kept, Input(1, code), Constant(0, code)), code)
    inputs: list[Any] = [_INT64, layout, Coordinates(*[0] * (len(shape) - 2), -1, 1)]
    return elementwise.launch.recorded_call(name, values, inputs, target, False, stream)


def diagflat(v: ArrayLike, k: int = 0) -> ndarray:
    """A matrix with the elements of an array on a diagonal.

    Parameters
    ----------
    v : array_like
        The elements, which are flattened.
    k : int, optional
        How far above the main diagonal they are.

    Returns
    -------
    ndarray, 2-D
        The matrix.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.diagflat(cp.array([[1], [2]]), 1)
    array([[0, 1, 0],
           [0, 0, 2],
           [0, 0, 0]])
    """
    return diag(in_one_dimension(as_array(v, "diagflat")), k)


def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> ndarray:
    """A Vandermonde matrix: the powers of numbers, a row for each of them.

    Parameters
    ----------
    x : ndarray, 1-D
        The numbers.
    N : int, optional
        Columns; as many as numbers by default.
    increasing : bool, optional
        Whether powers grow from left to right.

    Returns
    -------
    ndarray, shape (len(x), N)
        The matrix, of the dtype that `x` and int promote to.

    Raises
    ------
    ValueError
        If `x` has not one dimension, or `N` is negative.

    Differences from NumPy
    ----------------------
    Powers are computed one by one, not as products of those before, and differ in the last bits.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.vander(cp.array([1, 2, 3]))
    array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]])
    """
    x = as_array(x, "vander")
    if x.ndim != 1:
        raise ValueError(f"vander: x of shape {x.shape}; give it one dimension")
    count = x.size if N is None else operator.index(N)
    if count < 0:
        raise ValueError(f"vander: negative dimensions are not allowed: N is {count}")
    return _plan_vander(current.stream, x._layout, count, bool(increasing))(x)


@planned
def _plan_vander(stream: Stream, layout: Layout, count: int, increasing: bool) -> Any:
    target = _layout.contiguous(
        _dtypes.canonical(np.promote_types(layout.dtype, int)), (layout.size, count)
    )
    column = _layout.layout_of(layout.dtype, (layout.size, 1), (*layout.strides, 0), layout.access)
    code = _dtypes.code(target.dtype)
    number: Expression = Input(1, "i8")
    if not increasing:
        number = Apply(operation("subtract"), (Constant(count - 1, "i8"), number), "i8")
    number = cast(code, number)
    given: Expression = Input(0, _dtypes.code(layout.dtype))
    given = cast(code, given)
    values = Apply(operation("power"), (given, number), code)
    inputs: list[Any] = [column, Coordinates(0, 1)]
    return elementwise.launch.make_call("vander", [values], inputs, [target], [False], stream)
