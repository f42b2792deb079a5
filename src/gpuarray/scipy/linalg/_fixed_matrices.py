"""Matrices that are given by their size."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _dtypes, _layout
from gpuarray._layout import Layout
from gpuarray._libraries.blas import gemm
from gpuarray._ops.conversion import asarray
from gpuarray._ops.ranges import apply
from gpuarray._runtime.device import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise.launch import Coordinates
from gpuarray.kernels.generator.expressions import Cast, Constant, Expression, Input, Scalar

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike, ndarray

__all__ = ["dft", "hadamard", "helmert", "hilbert", "invhilbert", "invpascal", "pascal"]

_FLOAT64, _COMPLEX128, _INT64 = np.dtype("f8"), np.dtype("c16"), np.dtype("i8")

#: Inputs of a kernel that makes a matrix: the row and the column of an element.
_PLACE: list[Any] = [Coordinates(1, 0), Coordinates(0, 1)]
_ROW, _COLUMN = Input(0, "i8"), Input(1, "i8")

#: Up to these sizes the elements are integers of 64 bits.
_MOST_PASCAL, _MOST_INVERSE_HILBERT = 34, 14


def _matrix(name: str, value: Expression, target: Layout, stream: Stream, *inputs: Any) -> Any:
    """A call that makes a matrix of an expression of `_ROW`, `_COLUMN` and further inputs."""
    return elementwise.launch.make_call(
        name, [value], [*_PLACE, *inputs], [target], [False], stream
    )


def _square(n: Any, dtype: np.dtype) -> Layout:
    size = operator.index(n)
    _layout.check_lengths((size, size))
    return _layout.contiguous(dtype, (size, size))


def _f8(name: str, *operands: Expression) -> Expression:
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
    target = _square(n, _COMPLEX128)
    size = target.shape[0]
    factor = {None: 1.0, "sqrtn": math.sqrt(size), "n": float(size)}[scale]
    return _plan_dft(current.stream, target)(size, factor)


@planned
def _plan_dft(stream: Stream, target: Layout) -> Any:
    size = Scalar(2, "i8")
    turns = Cast("f8", _i8("remainder", _i8("multiply", _ROW, _COLUMN), size))
    angle = _f8("multiply", Constant(-2 * math.pi, "f8"), _f8("divide", turns, Cast("f8", size)))
    power = apply("multiply", "c16", Cast("c16", angle), Constant(1j, "c16"))
    value = apply("divide", "c16", apply("exp", "c16", power), Cast("c16", Scalar(3, "f8")))
    return _matrix("dft", value, target, stream, _INT64, _FLOAT64)


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
    target = _square(int(n), _dtypes.canonical(dtype))
    return _plan_hadamard(current.stream, target)()


@planned
def _plan_hadamard(stream: Stream, target: Layout) -> Any:
    code = _dtypes.code(target.dtype)
    one = np.ones((), target.dtype)
    minus = one if target.size == 1 else np.negative(one)
    common = _i8("bitwise_and", _ROW, _COLUMN)
    odd = _is_odd(Cast("i8", apply("bitwise_count", "u1", common)))
    value = apply("where", code, odd, Constant(minus, code), Constant(one, code))
    return _matrix("hadamard", value, target, stream)


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
    row = _ROW if full else _i8("add", _ROW, Constant(1, "i8"))
    number = Cast("f8", row)
    first = apply("equal", "b1", row, Constant(0, "i8"))
    after = _f8("add", number, Constant(1, "f8"))
    square = _f8("where", first, Cast("f8", Scalar(2, "i8")), _f8("multiply", number, after))
    on_diagonal = _f8(
        "where", apply("equal", "b1", _COLUMN, row), _f8("negative", number), Constant(0, "f8")
    )
    below = apply("logical_or", "b1", first, apply("less", "b1", _COLUMN, row))
    factor = _f8("where", below, Constant(1, "f8"), on_diagonal)
    value = _f8("divide", factor, _f8("sqrt", square))
    return _matrix("helmert", value, target, stream, _INT64)


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
    return _plan_hilbert(current.stream, _square(n, _FLOAT64))()


@planned
def _plan_hilbert(stream: Stream, target: Layout) -> Any:
    return _matrix("hilbert", _f8("divide", Constant(1, "f8"), _antidiagonal()), target, stream)


def _antidiagonal() -> Expression:
    """The row and the column and 1."""
    return Cast("f8", _i8("add", _i8("add", _ROW, _COLUMN), Constant(1, "i8")))


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
    target = _square(n, _FLOAT64)
    size = target.shape[0]
    # Element (i, j) is the product of numbers i and j of these by i + j + 1, with its sign.
    factors = [size]
    for i in range(size - 1):
        factors.append(factors[i] * (size + i + 1) * (size - i - 1) // (i + 1) ** 2)
    if exact:
        _check_exact("invhilbert", size, _MOST_INVERSE_HILBERT)
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


def _check_exact(name: str, n: int, most: int) -> None:
    if n > most:
        raise ValueError(
            f"{name}: integers of 64 bits do not hold the elements for n = {n}; give it "
            f"exact=False, or n up to {most}"
        )


@planned
def _plan_inverse_hilbert(stream: Stream, column: Layout, row: Layout, target: Layout) -> Any:
    product = _f8("divide", _f8("multiply", Input(2, "f8"), Input(3, "f8")), _antidiagonal())
    return _matrix("invhilbert", _signed(product), target, stream, column, row)


def _signed(x: Expression) -> Expression:
    """The value, or its negative where the sum of row and column is odd."""
    return _f8("where", _is_odd(_i8("add", _ROW, _COLUMN)), _f8("negative", x), x)


def pascal(n: int, kind: str = "symmetric", exact: bool = True) -> ndarray:
    """Pascal's matrix: binomial coefficients.

    Parameters
    ----------
    n : int
        Rows and columns.
    kind : {'symmetric', 'lower', 'upper'}, optional
        Element (i, j) is ``comb(i + j, i)``, ``comb(i, j)`` or ``comb(j, i)``.
    exact : bool, optional
        Whether elements are uint64, for up to 34 rows, or float64.

    Returns
    -------
    ndarray of uint64 or float64, shape (n, n)
        The matrix.

    Raises
    ------
    ValueError
        If the kind is unknown, or integers of 64 bits do not hold the elements.

    Differences from SciPy
    ----------------------
    SciPy has objects where integers of 64 bits are too narrow.

    Notes
    -----
    One launch; exact elements are computed on the host.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.pascal(3)
    array([[1, 1, 1],
           [1, 2, 3],
           [1, 3, 6]], dtype=uint64)
    """
    if kind not in ["symmetric", "lower", "upper"]:
        raise ValueError("kind must be 'symmetric', 'lower', or 'upper'")
    return _pascal("pascal", n, kind, exact, np.uint64, False)


def invpascal(n: int, kind: str = "symmetric", exact: bool = True) -> ndarray:
    """The inverse of Pascal's matrix.

    Parameters
    ----------
    n : int
        Rows and columns.
    kind : {'symmetric', 'lower', 'upper'}, optional
        Which of Pascal's matrices.
    exact : bool, optional
        Whether elements are int64, for up to 34 rows, or float64.

    Returns
    -------
    ndarray of int64 or float64, shape (n, n)
        The matrix.

    Raises
    ------
    ValueError
        If the kind is unknown, or integers of 64 bits do not hold the elements.

    Differences from SciPy
    ----------------------
    SciPy has objects where integers of 64 bits are too narrow.

    Notes
    -----
    One launch, and a product of matrices for the symmetric kind; exact elements are computed on the
    host.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.invpascal(3)
    array([[ 3, -3,  1],
           [-3,  5, -2],
           [ 1, -2,  1]])
    """
    if kind not in ["symmetric", "lower", "upper"]:
        raise ValueError("'kind' must be 'symmetric', 'lower' or 'upper'.")
    if kind != "symmetric":
        return _pascal("invpascal", n, kind, exact, np.int64, True)
    size = _square(n, _FLOAT64).shape[0]
    if exact:
        _check_exact("invpascal", size, _MOST_PASCAL)
        lower = np.tril(_binomials(size, "lower").astype(np.int64))
        odd = np.add.outer(np.arange(size), np.arange(size)) % 2 == 1
        found = lower.T @ lower
        return asarray(np.where(odd, -found, found))
    # The inverses of both triangular factors have their signs; only the product's are left.
    lower = _pascal("invpascal", n, "lower", False, np.float64, True)
    return gemm(lower.T, lower)


def _pascal(name: str, n: Any, kind: str, exact: bool, dtype: Any, signed: bool) -> Any:
    target = _square(n, _FLOAT64)
    size = target.shape[0]
    if exact:
        _check_exact(name, size, _MOST_PASCAL)
        elements = _binomials(size, kind).astype(dtype)
        if signed:
            elements[np.add.outer(np.arange(size), np.arange(size)) % 2 == 1] *= -1
        return asarray(elements)
    if not size:
        return _array.empty(target)
    # Factorials as mantissas and exponents of 2: they soon exceed the range of float64.
    mantissas, exponents, factorial = [], [], 1
    for i in range(2 * size - 1 if kind == "symmetric" else size):
        factorial *= max(i, 1)
        shift = max(factorial.bit_length() - 60, 0)
        mantissas.append(float(factorial >> shift))
        exponents.append(shift)
    if kind != "symmetric":
        # In front of them, what is read beyond the triangle.
        mantissas, exponents = [1.0] * (size - 1) + mantissas, [0] * (size - 1) + exponents
    run = _plan_pascal(current.stream, target, kind, signed)
    return run(asarray(mantissas), asarray(exponents, np.int32))


@planned
def _plan_pascal(stream: Stream, target: Layout, kind: str, signed: bool) -> Any:
    """The quotients of factorials, of their mantissas and exponents."""
    size = target.shape[0]
    zero = 0 if kind == "symmetric" else size - 1  # where 0! is
    steps = {"symmetric": (1, 1), "lower": (1, -1), "upper": (-1, 1)}[kind]
    # Factorials of the row, of the column, and of their sum or difference.
    inputs: list[Any] = []
    for dtype in (_FLOAT64, np.dtype("i4")):
        for by_row, by_column in ((1, 0), (0, 1), steps):
            strides = (by_row * dtype.itemsize, by_column * dtype.itemsize)
            inputs.append(_layout.layout_of(dtype, target.shape, strides))
    rows, columns, joint = [Input(2 + i, "f8") for i in range(3)]
    row_power, column_power, joint_power = [Input(5 + i, "i4") for i in range(3)]
    whole = {"symmetric": 2, "lower": 0, "upper": 1}[kind]
    mantissas, powers = [rows, columns, joint], [row_power, column_power, joint_power]
    above = mantissas.pop(whole)
    power: Expression = powers.pop(whole)
    quotient = _f8("divide", _f8("divide", above, mantissas[0]), mantissas[1])
    for one in powers:
        power = apply("subtract", "i4", power, one)
    value = _f8("ldexp", quotient, power)
    if kind != "symmetric":
        inside = apply("less_equal", "b1", *[(_COLUMN, _ROW), (_ROW, _COLUMN)][kind == "upper"])
        value = _f8("where", inside, value, Constant(0, "f8"))
    if signed:
        value = _signed(value)
    call = _matrix("pascal", value, target, stream, *inputs)

    def run(mantissas: Any, exponents: Any) -> Any:
        views = [
            _array.view(x, layout, zero * x._layout.itemsize)
            for x, layout in zip([mantissas] * 3 + [exponents] * 3, inputs, strict=True)
        ]
        return call(*views)

    return run


def _binomials(size: int, kind: str) -> np.ndarray:
    """Binomial coefficients on the host, exactly."""
    elements = [
        [math.comb(i + j, i) if kind == "symmetric" else math.comb(i, j) for j in range(size)]
        for i in range(size)
    ]
    found = np.array(elements, np.uint64).reshape(size, size)
    return np.ascontiguousarray(found.T) if kind == "upper" else found
