"""Companion matrices, and others whose elements are computed of one or two vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _broadcasting, _dtypes, _layout
from gpuarray._layout import Layout
from gpuarray._ops.creation import zeros
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise.launch import Coordinates
from gpuarray.kernels.generator.expressions import Constant, Expression, Input, apply, cast
from gpuarray.scipy.linalg._special_matrices import joined, vectors

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["companion", "fiedler", "fiedler_companion", "leslie"]


def companion(a: ArrayLike) -> ndarray:
    """The companion matrix of a polynomial, whose eigenvalues are its roots.

    Parameters
    ----------
    a : array_like, shape (..., N)
        Coefficients, from the highest degree to the lowest; two at least.

    Returns
    -------
    ndarray, shape (..., N - 1, N - 1)
        The first row has the coefficients divided by the first, with opposite signs; ones stand
        below the diagonal. Of float64, unless coefficients are floating or complex.

    Raises
    ------
    ValueError
        If there are fewer than two coefficients.

    Differences from SciPy
    ----------------------
    A first coefficient of 0 does not raise, since that would wait for the device; the first row
    has infinities or NaN.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.companion([1, -10, 31, -30])
    array([[ 10., -31.,  30.],
           [  1.,   0.,   0.],
           [  0.,   1.,   0.]])
    """
    coefficients = vectors(a, "companion")
    if coefficients._layout.shape[-1] < 2:
        raise ValueError("The length of `a` along the last axis must be at least 2.")
    numerators, denominator = coefficients[..., None, 1:], coefficients[..., None, :1]
    plan = _plan_companion(current.stream, numerators._layout, denominator._layout)
    return plan(numerators, denominator)


@planned
def _plan_companion(stream: Stream, numerators: Layout, denominator: Layout) -> Any:
    target, code = _quotients(numerators)
    row, diagonal = Input(2, "i8"), Input(3, "i8")
    first = _where(code, _equal(diagonal, -1), Constant(1, code), Constant(0, code))
    value = _where(code, _equal(row, 0), _opposite_quotient(code, numerators, 0, 1), first)
    inputs: list[Any] = [numerators, denominator, *_row_and_diagonal(target)]
    return elementwise.launch.make_call("companion", [value], inputs, [target], [False], stream)


def _quotients(vectors: Layout) -> tuple[Layout, str]:
    """The layout of the square matrices of quotients of vectors' elements, its dtype's code."""
    dtype = vectors.dtype
    if dtype.kind not in "fcV":
        dtype = _dtypes.canonical(np.divide.resolve_dtypes((dtype, dtype, None))[2])
        dtype = np.promote_types(dtype, np.float64)  # of int8 it would be float16
    size = max(vectors.shape[-2:])
    return _layout.contiguous(dtype, (*vectors.shape[:-2], size, size)), _dtypes.code(dtype)


def _opposite_quotient(code: str, numerators: Layout, number: int, by: int) -> Expression:
    """The negative quotient of two inputs of one dtype."""
    given = _dtypes.code(numerators.dtype)
    x, y = [cast(code, Input(i, given)) for i in (number, by)]
    return apply("divide", code, apply("negative", code, x), y)


def _row_and_diagonal(target: Layout) -> list[Coordinates]:
    """Inputs: the row of an element of a matrix, and how far it is above the diagonal."""
    batch = [0] * (target.ndim - 2)
    return [Coordinates(*batch, 1, 0), Coordinates(*batch, -1, 1)]


def _equal(x: Expression, number: int) -> Expression:
    return apply("equal", "b1", x, Constant(number, "i8"))


def _both(x: Expression, y: Expression) -> Expression:
    return apply("logical_and", "b1", x, y)


def _either(x: Expression, *others: Expression) -> Expression:
    for y in others:
        x = apply("logical_or", "b1", x, y)
    return x


def _where(code: str, condition: Expression, x: Expression, y: Expression) -> Expression:
    return apply("where", code, condition, x, y)


def fiedler_companion(a: ArrayLike) -> ndarray:
    """Fiedler's companion matrix of a polynomial: pentadiagonal, with its roots as eigenvalues.

    Parameters
    ----------
    a : array_like, shape (..., N)
        Coefficients, from the highest degree to the lowest.

    Returns
    -------
    ndarray, shape (..., N - 1, N - 1)
        The matrix; for fewer than two coefficients one of no rows and columns.

    Differences from SciPy
    ----------------------
    A first coefficient of 0 does not raise, since that would wait for the device; elements are
    infinite or NaN.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.fiedler_companion([1, -16, 86, -176, 105])
    array([[  16.,  -86.,    1.,    0.],
           [   1.,    0.,    0.,    0.],
           [   0.,  176.,    0., -105.],
           [   0.,    1.,    0.,    0.]])
    """
    coefficients = vectors(a, "fiedler_companion")
    layout = coefficients._layout
    if layout.shape[-1] < 2:
        return _array.empty(_layout.contiguous(layout.dtype, (*layout.shape[:-1], 0, 0)))
    by_row, by_column = coefficients[..., 1:, None], coefficients[..., None, 1:]
    denominator = coefficients[..., None, :1]
    layouts = [x._layout for x in (by_row, by_column, denominator)]
    return _plan_fiedler(current.stream, *layouts)(by_row, by_column, denominator)


@planned
def _plan_fiedler(stream: Stream, by_row: Layout, by_column: Layout, denominator: Layout) -> Any:
    target, code = _quotients(by_row)
    row, diagonal = Input(3, "i8"), Input(4, "i8")
    odd = apply("bitwise_and", "i8", row, Constant(1, "i8"))
    is_even, is_odd = _equal(odd, 0), _equal(odd, 1)
    of_row = _either(
        _both(is_even, _equal(diagonal, -1)), _both(_equal(row, 0), _equal(diagonal, 0))
    )
    of_column = _both(is_even, _equal(diagonal, 1))
    one = _either(
        _both(is_even, _equal(diagonal, 2)),
        _both(is_odd, _equal(diagonal, -2)),
        _both(_equal(row, 1), _equal(diagonal, -1)),
    )
    value = _where(code, one, Constant(1, code), Constant(0, code))
    value = _where(code, of_row, _opposite_quotient(code, by_row, 0, 2), value)
    value = _where(code, of_column, _opposite_quotient(code, by_row, 1, 2), value)
    inputs: list[Any] = [by_row, by_column, denominator, *_row_and_diagonal(target)]
    return elementwise.launch.make_call(
        "fiedler_companion", [value], inputs, [target], [False], stream
    )


def fiedler(a: ArrayLike) -> ndarray:
    """The distances of numbers from one another.

    Parameters
    ----------
    a : array_like, shape (..., N)
        The numbers.

    Returns
    -------
    ndarray, shape (..., N, N)
        Element (i, j) is ``abs(a[i] - a[j])``.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.fiedler([1, 4, 12])
    array([[ 0,  3, 11],
           [ 3,  0,  8],
           [11,  8,  0]])
    """
    numbers = vectors(a, "fiedler")
    if numbers._layout.size <= 1:  # whatever the dtype
        return zeros((*numbers._layout.shape, numbers._layout.shape[-1]))
    rows, columns = numbers[..., :, None], numbers[..., None, :]
    return _plan_distances(current.stream, rows._layout, columns._layout)(rows, columns)


@planned
def _plan_distances(stream: Stream, rows: Layout, columns: Layout) -> Any:
    dtype = rows.dtype
    if dtype.kind == "b":
        raise TypeError("fiedler: booleans have no difference; give it numbers")
    code, real = _dtypes.code(dtype), np.empty(0, dtype).real.dtype
    shape = _broadcasting.broadcast_shapes([rows.shape, columns.shape])
    target = _layout.contiguous(real, shape)
    difference = apply("subtract", code, Input(0, code), Input(1, code))
    value = apply("absolute", _dtypes.code(real), difference)
    return elementwise.launch.make_call(
        "fiedler", [value], [rows, columns], [target], [False], stream
    )


def leslie(f: ArrayLike, s: ArrayLike) -> ndarray:
    """The Leslie matrix of a population: fecundities in the first row, survival below the diagonal.

    Parameters
    ----------
    f : array_like, shape (..., N)
        Fecundity coefficients.
    s : array_like, shape (..., N - 1)
        Survival coefficients.

    Returns
    -------
    ndarray, shape (..., N, N)
        The matrix, of the dtype that both promote to.

    Raises
    ------
    ValueError
        If the lengths do not fit.

    Notes
    -----
    A launch for the matrix, and one or two that store the arguments behind one another.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.leslie([0.1, 2.0, 1.0], [0.2, 0.8])
    array([[0.1, 2. , 1. ],
           [0.2, 0. , 0. ],
           [0. , 0.8, 0. ]])
    """
    first, below = vectors(f, "leslie"), vectors(s, "leslie")
    count = below._layout.shape[-1]
    if first._layout.shape[-1] != count + 1:
        raise ValueError(
            "Incorrect lengths for f and s. The length of s along the last axis must be one less "
            "than the length of f."
        )
    if not count:
        raise ValueError("The length of s must be at least 1.")
    values = joined([below, first])
    rows, columns = values[..., None, count:], values[..., None, : count + 1]
    return _plan_leslie(current.stream, rows._layout, columns._layout)(rows, columns)


@planned
def _plan_leslie(stream: Stream, first: Layout, below: Layout) -> Any:
    code = _dtypes.code(first.dtype)
    size = first.shape[-1]
    target = _layout.contiguous(first.dtype, (*first.shape[:-2], size, size))
    row, diagonal = Input(2, "i8"), Input(3, "i8")
    rest = _where(code, _equal(diagonal, -1), Input(1, code), Constant(0, code))
    value = _where(code, _equal(row, 0), Input(0, code), rest)
    inputs: list[Any] = [first, below, *_row_and_diagonal(target)]
    return elementwise.launch.make_call("leslie", [value], inputs, [target], [False], stream)
