"""The structure of matrices: bands, symmetry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _broadcasting, _dtypes, _layout
from gpuarray._layout import Layout
from gpuarray._ops.closeness import isclose
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import conj
from gpuarray._ops.ranges import arange
from gpuarray._ops.truth import all
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import reduction
from gpuarray.kernels.generator.expressions import Constant, Expression, Input, apply

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["bandwidth", "ishermitian", "issymmetric"]

_INT64, _BOOL = np.dtype("i8"), np.dtype(bool)


def bandwidth(a: ArrayLike) -> tuple[Any, Any]:
    """How far the elements of a matrix that are not zero reach below and above its diagonal.

    Parameters
    ----------
    a : array_like, shape (..., M, N)
        The matrix.

    Returns
    -------
    lower, upper : int or ndarray
        The number of diagonals below and above the main one that have such elements; of stacked
        matrices, an array each.

    Raises
    ------
    ValueError
        If the array has fewer than two dimensions.

    Notes
    -----
    Of one matrix it waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.bandwidth(cp.tri(4, k=1))
    (3, 1)
    """
    matrix = _matrix(a, "bandwidth", square=False)
    rows, columns = _indices(matrix._layout)
    runs = _plan_bandwidth(current.stream, matrix._layout, rows._layout, columns._layout)
    lower, upper = [run(matrix, rows, columns) for run in runs]
    if matrix._layout.ndim > 2:
        return lower, upper
    return int(asnumpy(lower)), int(asnumpy(upper))


@planned
def _plan_bandwidth(stream: Stream, matrix: Layout, rows: Layout, columns: Layout) -> Any:
    code = _dtypes.code(matrix.dtype)
    element, row, column = Input(0, code), Input(1, "i8"), Input(2, "i8")
    is_zero = apply("equal", "b1", element, Constant(0, code))
    zero = Constant(0, "i8")
    found = []
    for first, second in ((row, column), (column, row)):
        distance = apply("subtract", "i8", first, second)
        mapped = apply("where", "i8", is_zero, zero, distance)
        found.append(
            _reduce("bandwidth", mapped, "maximum", _INT64, zero, [matrix, rows, columns], stream)
        )
    return found


def issymmetric(
    a: ArrayLike, atol: float | None = None, rtol: float | None = None
) -> bool | ndarray:
    """Whether a matrix is its own transpose.

    Parameters
    ----------
    a : array_like, shape (..., N, N)
        The matrix.
    atol, rtol : float, optional
        Tolerances, as for ``allclose``. By default elements are compared exactly, and those on the
        diagonal may be NaN.

    Returns
    -------
    bool or ndarray of bool
        Of stacked matrices, an array.

    Raises
    ------
    ValueError
        If the array is no square matrix.

    Notes
    -----
    Of one matrix it waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.issymmetric(cp.tri(3))
    False
    """
    return _equals_transpose(a, atol, rtol, "issymmetric")


def ishermitian(
    a: ArrayLike, atol: float | None = None, rtol: float | None = None
) -> bool | ndarray:
    """Whether a matrix is the conjugate of its transpose.

    Parameters
    ----------
    a : array_like, shape (..., N, N)
        The matrix.
    atol, rtol : float, optional
        Tolerances, as for ``allclose``. By default elements are compared exactly, and those on the
        diagonal may have a real part of NaN.

    Returns
    -------
    bool or ndarray of bool
        Of stacked matrices, an array.

    Raises
    ------
    ValueError
        If the array is no square matrix.

    Notes
    -----
    Of one matrix it waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.ishermitian(cp.array([[1, 2j], [-2j, 3]]))
    True
    """
    return _equals_transpose(a, atol, rtol, "ishermitian")


def _equals_transpose(a: Any, atol: float | None, rtol: float | None, name: str) -> Any:
    matrix = _matrix(a, name, square=True)
    layout = matrix._layout
    conjugated = name == "ishermitian" and layout.dtype.kind == "c"
    transpose = matrix.mT
    if atol or rtol:
        other = conj(transpose) if conjugated else transpose
        found = all(isclose(matrix, other, rtol or 0, atol or 0), axis=(-2, -1))
    else:
        rows, columns = _indices(layout)
        operands = [matrix, transpose, rows, columns]
        layouts = [x._layout for x in operands]
        found = _plan_transpose(current.stream, conjugated, *layouts)(*operands)
    return found if layout.ndim > 2 else bool(found)


@planned
def _plan_transpose(stream: Stream, conjugated: bool, matrix: Layout, *others: Layout) -> Any:
    code = _dtypes.code(matrix.dtype)
    x, y = Input(0, code), Input(1, code)
    other = apply("conjugate", code, y) if conjugated else y
    on_diagonal = apply("equal", "b1", Input(2, "i8"), Input(3, "i8"))
    if conjugated:
        on_diagonal = apply("logical_and", "b1", on_diagonal, apply("isreal", "b1", x))
    mapped = apply("logical_or", "b1", apply("equal", "b1", x, other), on_diagonal)
    neutral = reduction.tables.neutral("logical_and", "b1")
    return _reduce("is_symmetric", mapped, "logical_and", _BOOL, neutral, [matrix, *others], stream)


def _matrix(a: Any, name: str, square: bool) -> Any:
    found = as_array(a, name)
    shape = found._layout.shape
    if len(shape) < 2:
        raise ValueError(f"{name}: Input array must be a 2D NumPy array, got shape {shape}")
    if square and shape[-1] != shape[-2]:
        raise ValueError(f"{name}: Input array must be square, got shape {shape}")
    return found


def _indices(layout: Layout) -> tuple[Any, Any]:
    """The rows and the columns of the elements of matrices, as arrays that broadcast."""
    rows, columns = layout.shape[-2:]
    numbers = arange(max(rows, columns))
    return numbers[:rows, None], numbers[:columns]


def _reduce(
    name: str,
    mapped: Expression,
    combine: str,
    dtype: np.dtype,
    neutral: Constant,
    layouts: Sequence[Layout],
    stream: Stream,
) -> Any:
    """A call that combines an expression of matrices and what broadcasts to them, by matrix."""
    code = _dtypes.code(dtype)
    shape = layouts[0].shape
    op = reduction.launch.ReductionOp(
        name,
        mapped,
        reduction.tables.pairwise(combine, code),
        neutral,
        Input(reduction.functions.VALUE, code),
    )
    operands = [_broadcasting.broadcast_to(x, shape) for x in layouts]
    target = _layout.contiguous(dtype, shape[:-2])
    axes = range(len(shape) - 2, len(shape))
    return reduction.launch.make_call(op, operands, False, axes, target, False, stream)
