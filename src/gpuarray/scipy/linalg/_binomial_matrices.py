"""Pascal's matrices and their inverses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _layout
from gpuarray._layout import Layout
from gpuarray._libraries.blas import gemm
from gpuarray._ops.conversion import asarray
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.generator.expressions import Constant, Expression, Input, apply
from gpuarray.scipy.linalg._fixed_matrices import (
    COLUMN,
    ROW,
    check_exact,
    f8,
    matrix_call,
    square,
    with_signs,
)

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = ["invpascal", "pascal"]

_FLOAT64 = np.dtype("f8")

#: Up to this size the elements are integers of 64 bits.
_MOST_PASCAL = 34


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
    size = square(n, _FLOAT64).shape[0]
    if exact:
        check_exact("invpascal", size, _MOST_PASCAL)
        lower = np.tril(_binomials(size, "lower").astype(np.int64))
        odd = np.add.outer(np.arange(size), np.arange(size)) % 2 == 1
        found = lower.T @ lower
        return asarray(np.where(odd, -found, found))
    # The inverses of both triangular factors have their signs; only the product's are left.
    lower = _pascal("invpascal", n, "lower", False, np.float64, True)
    return gemm(lower.T, lower)


def _pascal(name: str, n: Any, kind: str, exact: bool, dtype: Any, signed: bool) -> Any:
    target = square(n, _FLOAT64)
    size = target.shape[0]
    if exact:
        check_exact(name, size, _MOST_PASCAL)
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
    quotient = f8("divide", f8("divide", above, mantissas[0]), mantissas[1])
    for one in powers:
        power = apply("subtract", "i4", power, one)
    value = f8("ldexp", quotient, power)
    if kind != "symmetric":
        inside = apply("less_equal", "b1", *[(COLUMN, ROW), (ROW, COLUMN)][kind == "upper"])
        value = f8("where", inside, value, Constant(0, "f8"))
    if signed:
        value = with_signs(value)
    call = matrix_call("pascal", value, target, stream, *inputs)

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
