"""Matrices of given structures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _dtypes, _layout
from gpuarray._layout import Layout
from gpuarray._ops.blocks import placed
from gpuarray._ops.creation import zeros, zeros_like
from gpuarray._ops.dimensions import atleast_1d, atleast_2d, broadcast_to
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import conj
from gpuarray._ops.padding import pad
from gpuarray._ops.ranges import apply
from gpuarray._runtime.device import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.elementwise.launch import Coordinates
from gpuarray.kernels.generator.expressions import Cast, Constant, Expression, Input

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = [
    "block_diag", "circulant", "companion", "convolution_matrix", "fiedler", "fiedler_companion",
    "hankel", "leslie", "toeplitz",
]  # fmt: skip


def vectors(x: Any, name: str) -> Any:
    """An argument as an array of vectors along its last axis."""
    return atleast_1d(as_array(x, name))


def joined(parts: Sequence[Any]) -> Any:
    """Vectors behind one another along the last axis; their other axes broadcast."""
    batch = _layout.broadcast_shapes([x._layout.shape[:-1] for x in parts])
    blocks, places, length = [], [], 0
    for x in parts:
        count = x._layout.shape[-1]
        blocks.append(x if x._layout.shape[:-1] == batch else broadcast_to(x, (*batch, count)))
        places.append((*[0] * len(batch), length))
        length += count
    dtype = _dtypes.canonical(np.result_type(*[x._layout.dtype for x in parts]))
    return placed(blocks, places, _layout.contiguous(dtype, (*batch, length)))


def from_diagonals(values: Any, rows: int, columns: int, first: int, step: int) -> Any:
    """The matrices whose element (i, j) is number ``first + step * i + j`` of contiguous vectors.

    With step -1 they have equal elements along diagonals, with step 1 along those that cross.
    """
    layout = values._layout
    itemsize = layout.itemsize
    shape = (*layout.shape[:-1], rows, columns)
    if not (rows and columns):
        return _array.empty(_layout.contiguous(layout.dtype, shape))
    strides = (*layout.strides[:-1], step * itemsize, itemsize)
    read = _layout.layout_of(layout.dtype, shape, strides, layout.access)
    return copies.copy(_array.view(values, read, first * itemsize), "C")


def toeplitz(c: ArrayLike, r: ArrayLike | None = None) -> ndarray:
    """A Toeplitz matrix: its diagonals are constant.

    Parameters
    ----------
    c : array_like, shape (..., M)
        The first column.
    r : array_like, shape (..., N), optional
        The first row, whose first element is ignored; by default the conjugate of `c`.

    Returns
    -------
    ndarray, shape (..., M, N)
        The matrix; of several columns or rows, a stack of them.

    Notes
    -----
    A launch for the matrix, and one for the diagonals' elements, of large matrices two.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.toeplitz([1, 2, 3], [1, 4, 5, 6])
    array([[1, 4, 5, 6],
           [2, 1, 4, 5],
           [3, 2, 1, 4]])
    """
    column = vectors(c, "toeplitz")
    row = conj(column) if r is None else vectors(r, "toeplitz")
    rows, columns = column._layout.shape[-1], row._layout.shape[-1]
    # The diagonals from the lowest to the uppermost.
    values = joined([column[..., ::-1], row[..., 1:]])
    return from_diagonals(values, rows, columns, rows - 1, -1)


def circulant(c: ArrayLike) -> ndarray:
    """A circulant matrix: each column is the one before, rotated down by one.

    Parameters
    ----------
    c : array_like, shape (..., N)
        The first column.

    Returns
    -------
    ndarray, shape (..., N, N)
        The matrix; of several columns, a stack of them.

    Notes
    -----
    A launch for the matrix, and one for the diagonals' elements, of large matrices two.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.circulant([1, 2, 3])
    array([[1, 3, 2],
           [2, 1, 3],
           [3, 2, 1]])
    """
    column = vectors(c, "circulant")
    size = column._layout.shape[-1]
    values = joined([column[..., ::-1], column[..., :0:-1]])
    return from_diagonals(values, size, size, size - 1, -1)


def hankel(c: ArrayLike, r: ArrayLike | None = None) -> ndarray:
    """A Hankel matrix: its antidiagonals are constant.

    Parameters
    ----------
    c : array_like, 1-D
        The first column.
    r : array_like, 1-D, optional
        The last row, whose first element is ignored; zeros by default.

    Returns
    -------
    ndarray, shape (len(c), len(r))
        The matrix.

    Raises
    ------
    ValueError
        If an argument has several dimensions.

    Differences from SciPy
    ----------------------
    SciPy 1.17 flattens arguments of several dimensions, with a warning that this will change.

    Notes
    -----
    A launch for the matrix, and one for the antidiagonals' elements, of large matrices two.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.hankel([1, 2, 3], [9, 4, 5])
    array([[1, 2, 3],
           [2, 3, 4],
           [3, 4, 5]])
    """
    column = _one_dimension(c, "c", "hankel")
    row = zeros_like(column) if r is None else _one_dimension(r, "r", "hankel")
    values = joined([column, row[1:]])
    return from_diagonals(values, column._layout.size, row._layout.size, 0, 1)


def _one_dimension(x: Any, argument: str, name: str) -> Any:
    found = as_array(x, name)
    if found._layout.ndim != 1:
        raise ValueError(
            f"{name}: {argument} of shape {found._layout.shape}; give it one dimension"
        )
    return found


def convolution_matrix(a: ArrayLike, n: int, mode: str = "full") -> ndarray:
    """The matrix whose product with a vector is the convolution with a sequence.

    Parameters
    ----------
    a : array_like, shape (..., M)
        The sequence.
    n : int
        The length of the vectors: the matrix's columns.
    mode : {'full', 'same', 'valid'}, optional
        Which part of the convolution, as for ``convolve``.

    Returns
    -------
    ndarray, shape (..., K, n)
        K is ``M + n - 1``, ``max(M, n)`` or ``max(M, n) - min(M, n) + 1``.

    Raises
    ------
    ValueError
        If `n` is not positive, the sequence is empty, or the mode is unknown.

    Notes
    -----
    Two launches: the sequence among zeros, then the matrix.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.convolution_matrix([1, 4, 2], 2)
    array([[1, 0],
           [4, 1],
           [2, 4],
           [0, 2]])
    """
    if n <= 0:
        raise ValueError("n must be a positive integer.")
    sequence = vectors(a, "convolution_matrix")
    length = sequence._layout.shape[-1]
    if not sequence._layout.size:
        raise ValueError("len(a) must be at least 1.")
    if mode not in ("full", "valid", "same"):
        raise ValueError("'mode' argument must be one of ('full', 'valid', 'same')")
    overlap = min(n, length) - 1
    above = {"full": 0, "same": overlap // 2, "valid": overlap}[mode]
    rows = length + n - 1 - {"full": 0, "same": overlap, "valid": 2 * overlap}[mode]
    around = [(0, 0)] * (sequence._layout.ndim - 1) + [(n - 1, n - 1)]
    values = pad(sequence[..., ::-1], around)
    return from_diagonals(values, rows, n, length + n - 2 - above, -1)


def block_diag(*arrs: ArrayLike) -> ndarray:
    """Matrices along the diagonal of one, with zeros elsewhere.

    Parameters
    ----------
    *arrs : array_like, shape (..., M, N)
        The matrices. Of one dimension they are rows; axes before the last two broadcast.

    Returns
    -------
    ndarray
        As many rows and columns as all of them have together, of the dtype that they promote to.

    Notes
    -----
    One launch for up to 15 matrices of the result's dtype, as long as the result is small, else
    one for each.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.block_diag([[1, 2], [3, 4]], [5, 6])
    array([[1, 2, 0, 0],
           [3, 4, 0, 0],
           [0, 0, 5, 6]])
    """
    given = [atleast_2d(as_array(x, "block_diag")) for x in arrs or ([],)]
    batch = _layout.broadcast_shapes([x._layout.shape[:-2] for x in given])
    blocks = [broadcast_to(x, (*batch, *x._layout.shape[-2:])) for x in given]
    dtype = _dtypes.canonical(np.result_type(*[x._layout.dtype for x in blocks]))
    places, rows, columns = [], 0, 0
    for x in blocks:
        places.append((*[0] * len(batch), rows, columns))
        rows += x._layout.shape[-2]
        columns += x._layout.shape[-1]
    shape = (*batch, rows, columns)
    background = broadcast_to(zeros((), dtype), shape)
    places = [(0,) * len(shape), *places]
    return placed([background, *blocks], places, _layout.contiguous(dtype, shape))


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
    x, y = [_cast(Input(i, given), code) for i in (number, by)]
    return apply("divide", code, apply("negative", code, x), y)


def _row_and_diagonal(target: Layout) -> list[Coordinates]:
    """Inputs: the row of an element of a matrix, and how far it is above the diagonal."""
    batch = [0] * (target.ndim - 2)
    return [Coordinates(*batch, 1, 0), Coordinates(*batch, -1, 1)]


def _cast(x: Expression, code: str) -> Expression:
    return x if x.dtype == code else Cast(code, x)


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
        The matrix; empty, of one dimension less, for fewer than two coefficients.

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
        return _array.empty(_layout.contiguous(layout.dtype, (*layout.shape[:-1], 0)))
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
        Element (i, j) is ``abs(a[i] - a[j])``. Without numbers, an empty array of one dimension.

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
        return zeros(0 if not numbers._layout.size else (1, 1))
    rows, columns = numbers[..., :, None], numbers[..., None, :]
    return _plan_distances(current.stream, rows._layout, columns._layout)(rows, columns)


@planned
def _plan_distances(stream: Stream, rows: Layout, columns: Layout) -> Any:
    dtype = rows.dtype
    if dtype.kind == "b":
        raise TypeError("fiedler: booleans have no difference; give it numbers")
    code, real = _dtypes.code(dtype), np.empty(0, dtype).real.dtype
    shape = _layout.broadcast_shapes([rows.shape, columns.shape])
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
