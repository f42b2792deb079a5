"""Matrices that are given by their size."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _array, _dtypes, _layout
from gpuarray._layout import Layout
from gpuarray._ops.conversion import asarray
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise.launch import Coordinates
from gpuarray.kernels.generator.expressions import Cast, Constant, Expression, Input, Scalar, apply

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike, ndarray

__all__ = ["dft", "hadamard", "helmert", "hilbert", "invhilbert"]

_FLOAT64, _COMPLEX128, _INT64 = np.dtype("f8"), np.dtype("c16"), np.dtype("i8")

#: Inputs of a kernel that makes a matrix: the row and the column of an element.
_PLACE: list[Any] = [Coordinates(1, 0), Coordinates(0, 1)]
ROW, COLUMN = Input(0, "i8"), Input(1, "i8")

#: Up to this size the elements of the inverse of Hilbert's matrix are integers of 64 bits.
_MOST_INVERSE_HILBERT = 14


def matrix_call(name: str, value: Expression, target: Layout, stream: Stream, *inputs: Any) -> Any:
    """A call that makes a matrix of an expression of `ROW`, `COLUMN` and further inputs."""
    return elementwise.launch.make_call(
        name, [value], [*_PLACE, *inputs], [target], [False], stream
    )


def square(n: Any, dtype: np.dtype) -> Layout:
    size = operator.index(n)
    _arguments.check_lengths((size, size))
    return _layout.contiguous(dtype, (size, size))


def f8(name: str, *operands: Expression) -> Expression:
    return apply(name, "f8", *operands)


def _i8(name: str, *operands: Expression) -> Expression:
    return apply(name, "i8", *operands)


def _is_odd(x: Expression) -> Expression:
    return apply("equal", "b1", _i8("bitwise_and", x, Constant(1, "i8")), Constant(1, "i8"))


def dft(n: int, scale: str | None = None) -> ndarray:
    """The matrix of the discrete Fourier transform.

    Parameters
    ----------
    n : int
        Rows and columns.
    scale : {None, 'sqrtn', 'n'}, optional
        What elements are divided by: nothing, the square root of `n`, or `n`.

    Returns
    -------
    ndarray of complex128, shape (n, n)
        Its product with a vector is the vector's transform.

    Raises
    ------
    ValueError
        If the scale is another one.

    Differences from SciPy
    ----------------------
    Elements are computed one by one, not as powers of the roots of unity, and are closer to what
    they stand for.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.dft(2).real
    array([[ 1.,  1.],
           [ 1., -1.]])
    """
    if scale not in [None, "sqrtn", "n"]:
        raise ValueError(f"scale must be None, 'sqrtn', or 'n'; {scale!r} is not valid.")
    target = square(n, _COMPLEX128)
    size = target.shape[0]
    factor = {None: 1.0, "sqrtn": math.sqrt(size), "n": float(size)}[scale]
    return _plan_dft(current.stream, target)(size, factor)


@planned
def _plan_dft(stream: Stream, target: Layout) -> Any:
    size = Scalar(2, "i8")
    turns = Cast("f8", _i8("remainder", _i8("multiply", ROW, COLUMN), size))
    angle = f8("multiply", Constant(-2 * math.pi, "f8"), f8("divide", turns, Cast("f8", size)))
    power = apply("multiply", "c16", Cast("c16", angle), Constant(1j, "c16"))
    value = apply("divide", "c16", apply("exp", "c16", power), Cast("c16", Scalar(3, "f8")))
    return matrix_call("dft", value, target, stream, _INT64, _FLOAT64)


def hadamard(n: int, dtype: DTypeLike = int) -> ndarray:
    """A Hadamard matrix by Sylvester's construction: of ones and minus ones, its rows orthogonal.

    Parameters
    ----------
    n : int
        Rows and columns, a power of 2.
    dtype : dtype, optional
        Dtype of the elements.

    Returns
    -------
    ndarray, shape (n, n)
        The matrix.

    Raises
    ------
    ValueError
        If `n` is no power of 2.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.hadamard(4)
    array([[ 1,  1,  1,  1],
           [ 1, -1,  1, -1],
           [ 1,  1, -1, -1],
           [ 1, -1, -1,  1]])
    """
    if n < 1 or 1 << (int(n).bit_length() - 1) != n:
        raise ValueError("n must be an positive integer, and n must be a power of 2")
    target = square(int(n), _dtypes.canonical(dtype))
    return _plan_hadamard(current.stream, target)()


@planned
def _plan_hadamard(stream: Stream, target: Layout) -> Any:
    code = _dtypes.code(target.dtype)
    one = np.ones((), target.dtype)
    minus = one if target.size == 1 else np.negative(one)
    common = _i8("bitwise_and", ROW, COLUMN)
    odd = _is_odd(Cast("i8", apply("bitwise_count", "u1", common)))
    value = apply("where", code, odd, Constant(minus, code), Constant(one, code))
    return matrix_call("hadamard", value, target, stream)


def helmert(n: int, full: bool = False) -> ndarray:
    """A Helmert matrix: orthonormal rows, each a contrast of an element with those before.

    Parameters
    ----------
    n : int
        Columns.
    full : bool, optional
        Whether the first row, of equal elements, is a part of it.

    Returns
    -------
    ndarray of float64, shape (n, n) or (n - 1, n)
        The matrix.

    Raises
    ------
    IndexError
        If `n` is less than 1.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.helmert(3, full=True).round(4)
    array([[ 0.5774,  0.5774,  0.5774],
           [ 0.7071, -0.7071,  0.    ],
           [ 0.4082,  0.4082, -0.8165]])
    """
    size = operator.index(n)
    if size < 1:
        raise IndexError(f"helmert: n is {n}; give it at least one column")
    rows = size if full else size - 1
    target = _layout.contiguous(_FLOAT64, (rows, size))
    return _plan_helmert(current.stream, target, bool(full))(size)


@planned
def _plan_helmert(stream: Stream, target: Layout, full: bool) -> Any:
    row = ROW if full else _i8("add", ROW, Constant(1, "i8"))
    number = Cast("f8", row)
    first = apply("equal", "b1", row, Constant(0, "i8"))
    after = f8("add", number, Constant(1, "f8"))
    square = f8("where", first, Cast("f8", Scalar(2, "i8")), f8("multiply", number, after))
    on_diagonal = f8(
        "where", apply("equal", "b1", COLUMN, row), f8("negative", number), Constant(0, "f8")
    )
    below = apply("logical_or", "b1", first, apply("less", "b1", COLUMN, row))
    factor = f8("where", below, Constant(1, "f8"), on_diagonal)
    value = f8("divide", factor, f8("sqrt", square))
    return matrix_call("helmert", value, target, stream, _INT64)


def hilbert(n: int) -> ndarray:
    """The Hilbert matrix, whose element (i, j) is ``1 / (i + j + 1)``.

    Parameters
    ----------
    n : int
        Rows and columns.

    Returns
    -------
    ndarray of float64, shape (n, n)
        The matrix.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.hilbert(2)
    array([[1.        , 0.5       ],
           [0.5       , 0.33333333]])
    """
    return _plan_hilbert(current.stream, square(n, _FLOAT64))()


@planned
def _plan_hilbert(stream: Stream, target: Layout) -> Any:
    return matrix_call("hilbert", f8("divide", Constant(1, "f8"), _antidiagonal()), target, stream)


def _antidiagonal() -> Expression:
    """The row and the column and 1."""
    return Cast("f8", _i8("add", _i8("add", ROW, COLUMN), Constant(1, "i8")))


def invhilbert(n: int, exact: bool = False) -> ndarray:
    """The inverse of the Hilbert matrix.

    Parameters
    ----------
    n : int
        Rows and columns.
    exact : bool, optional
        Whether elements are int64, for up to 14 rows.

    Returns
    -------
    ndarray of float64 or int64, shape (n, n)
        The matrix.

    Raises
    ------
    ValueError
        If integers of 64 bits do not hold the elements.

    Differences from SciPy
    ----------------------
    SciPy has objects where integers of 64 bits are too narrow.

    Notes
    -----
    One launch; exact elements are computed on the host.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.invhilbert(2)
    array([[ 4., -6.],
           [-6., 12.]])
    """
    target = square(n, _FLOAT64)
    size = target.shape[0]
    # Element (i, j) is the product of numbers i and j of these by i + j + 1, with its sign.
    factors = [size]
    for i in range(size - 1):
        factors.append(factors[i] * (size + i + 1) * (size - i - 1) // (i + 1) ** 2)
    if exact:
        check_exact("invhilbert", size, _MOST_INVERSE_HILBERT)
        elements = [
            [(-1) ** (i + j) * x * y // (i + j + 1) for j, y in enumerate(factors[:size])]
            for i, x in enumerate(factors[:size])
        ]
        return asarray(np.array(elements, np.int64).reshape(size, size))
    if not size:
        return _array.empty(target)
    numbers = asarray([_nearest(x) for x in factors])
    column = numbers[:, None]
    return _plan_inverse_hilbert(current.stream, column._layout, numbers._layout, target)(
        column, numbers
    )


def _nearest(x: int) -> float:
    """An integer as a float, which is infinite if it is too great."""
    try:
        return float(x)
    except OverflowError:
        return math.inf


def check_exact(name: str, n: int, most: int) -> None:
    if n > most:
        raise ValueError(
            f"{name}: integers of 64 bits do not hold the elements for n = {n}; give it "
            f"exact=False, or n up to {most}"
        )


@planned
def _plan_inverse_hilbert(stream: Stream, column: Layout, row: Layout, target: Layout) -> Any:
    product = f8("divide", f8("multiply", Input(2, "f8"), Input(3, "f8")), _antidiagonal())
    return matrix_call("invhilbert", with_signs(product), target, stream, column, row)


def with_signs(x: Expression) -> Expression:
    """The value, or its negative where the sum of row and column is odd."""
    return f8("where", _is_odd(_i8("add", ROW, COLUMN)), f8("negative", x), x)
