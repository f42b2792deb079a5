"""Fits of series of polynomials to points, and their roots."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpuarray import _array, _dtypes, _layout
from gpuarray._layout import Layout
from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import zeros
from gpuarray._ops.eigenvalues import general
from gpuarray._ops.least_squares import LeastSquares, least_squares, sums_of_squares
from gpuarray._ops.logic import equal
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import conj, divide, multiply, sqrt
from gpuarray._ops.selection import where
from gpuarray._ops.series import as_series
from gpuarray._ops.series_values import basis_values
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.generator.expressions import (
    Constant,
    Input,
    apply,
    cast,
)
from gpuarray.kernels.reduction.products import sum_of_products

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray


# --- roots


class Companion(NamedTuple):
    """The matrix whose eigenvalues are a series' roots, without the coefficients in it.

    Functions of the number of rows, which return NumPy arrays: the diagonal, the diagonals above
    and below it, and what the quotients of the coefficients are multiplied by.
    """

    diagonal: Callable[[int], np.ndarray]
    above: Callable[[int], np.ndarray]
    below: Callable[[int], np.ndarray]
    weights: Callable[[int], np.ndarray]


def _numbers(n: int) -> np.ndarray:
    return np.arange(1.0, n)


def _chebyshev_off(n: int) -> np.ndarray:
    off = np.full(n - 1, 0.5)
    off[:1] = np.sqrt(0.5)
    return off


def _chebyshev_weights(n: int) -> np.ndarray:
    weights = np.full(n, 0.5)
    weights[:1] = np.sqrt(0.5)
    return weights


def _legendre_off(n: int) -> np.ndarray:
    k = _numbers(n)
    return k / np.sqrt((2 * k - 1) * (2 * k + 1))


def _hermite_weights(n: int, factor: float) -> np.ndarray:
    """Quotients of the norms, from the last one: factorials would overflow."""
    norms = np.concatenate([[1.0], 1 / np.sqrt(factor * _numbers(n)[::-1])])
    return np.cumprod(norms)[::-1] / factor


COMPANIONS = {
    "power": Companion(np.zeros, lambda n: np.zeros(n - 1), lambda n: np.ones(n - 1), np.ones),
    "chebyshev": Companion(np.zeros, _chebyshev_off, _chebyshev_off, _chebyshev_weights),
    "legendre": Companion(
        np.zeros,
        _legendre_off,
        _legendre_off,
        lambda n: np.sqrt((2 * n - 1) / (2 * np.arange(n) + 1.0)) * n / (2 * n - 1),
    ),
    "hermite": Companion(
        np.zeros,
        lambda n: np.sqrt(0.5 * _numbers(n)),
        lambda n: np.sqrt(0.5 * _numbers(n)),
        lambda n: _hermite_weights(n, 2.0),
    ),
    "hermite_e": Companion(
        np.zeros,
        lambda n: np.sqrt(_numbers(n)),
        lambda n: np.sqrt(_numbers(n)),
        lambda n: _hermite_weights(n, 1.0),
    ),
    "laguerre": Companion(
        lambda n: 2.0 * np.arange(n) + 1,
        lambda n: -_numbers(n),
        lambda n: -_numbers(n),
        lambda n: np.full(n, -float(n)),
    ),
}

#: The element of degree 1 of each basis: ``slope * x + offset``.
FIRST_ELEMENTS = {
    "power": (1, 0),
    "chebyshev": (1, 0),
    "legendre": (1, 0),
    "hermite": (2, 0),
    "hermite_e": (1, 0),
    "laguerre": (-1, 1),
}


def companion(basis: str, c: ArrayLike, name: str) -> ndarray:
    """The companion matrix of a series."""
    [series] = as_series([c], name=name)
    if series._layout.size < 2:
        raise ValueError(
            f"{name}: a constant has no companion matrix; give two coefficients or more"
        )
    return companion_matrix(basis, series)


def companion_matrix(basis: str, series: Any) -> Any:
    """The companion matrix of a trimmed series of two coefficients at least."""
    if series._layout.size == 2:
        return _single_root(basis, series).reshape(1, 1)
    n = series._layout.size - 1
    table = COMPANIONS[basis]
    rows = np.zeros((5, n))
    rows[0] = table.diagonal(n)
    rows[1, :-1] = table.above(n)
    rows[2, :-1] = table.below(n)
    rows[3] = table.weights(n)
    rows[4] = np.arange(n)
    real = np.empty(0, series._layout.dtype).real.dtype
    bands = asarray(rows.astype(real))
    run = _companion_call(current.stream, series._layout, bands._layout)
    return run(series, bands)


def _single_root(basis: str, series: Any) -> Any:
    """The root of a series of two coefficients."""
    slope, offset = FIRST_ELEMENTS[basis]
    root = divide(series[:1], -series[1:])
    if offset:
        root = root - offset
    return root if slope == 1 else divide(root, slope)


@planned
def _companion_call(stream: Stream, series: Layout, bands: Layout) -> Any:
    n = series.size - 1
    dtype = series.dtype
    code, real = _dtypes.code(dtype), _dtypes.code(bands.dtype)
    target = _layout.contiguous(dtype, (n, n))
    step, band_step = dtype.itemsize, bands.dtype.itemsize

    by_row = _layout.layout_of(dtype, (n, n), (step, 0))
    last = _layout.layout_of(dtype, (n, n), (0, 0))
    band_by_row = _layout.layout_of(bands.dtype, (n, n), (band_step, 0))
    band_by_column = _layout.layout_of(bands.dtype, (n, n), (0, band_step))
    diagonal, above, below, weight, row, column = [Input(2 + i, real) for i in range(6)]
    one, zero = Constant(1, real), Constant(0, real)
    band = apply("where", real, apply("equal", "b1", row, column), diagonal, zero)
    right = apply("equal", "b1", column, apply("add", real, row, one))
    band = apply("where", real, right, above, band)
    left = apply("equal", "b1", row, apply("add", real, column, one))
    band = apply("where", real, left, below, band)
    quotient = apply("divide", code, Input(0, code), Input(1, code))
    term = apply("multiply", code, quotient, cast(code, weight))
    is_last = apply("equal", "b1", column, Constant(n - 1, real))
    term = apply("where", code, is_last, term, Constant(0, code))
    value = apply("subtract", code, cast(code, band), term)
    inputs = [
        by_row, last, band_by_row, band_by_row, band_by_column, band_by_row, band_by_row,
        band_by_column,
    ]  # fmt: skip
    run = elementwise.launch.make_call("companion", [value], inputs, [target], [False], stream)

    def call(series: Any, bands: Any) -> Any:
        rows = [_array.view(bands, x, i * n * band_step) for x, i in zip(inputs[2:], _BANDS)]
        return run(_array.view(series, by_row), _array.view(series, last, n * step), *rows)

    return call


#: Which row of the bands each input of a companion matrix reads.
_BANDS = (0, 1, 2, 3, 4, 4)


def roots(basis: str, c: ArrayLike, name: str) -> ndarray:
    """The roots of a series in ascending order."""
    [series] = as_series([c], name=name)
    if series._layout.size < 2:
        return asarray(np.array([], series._layout.dtype))
    if series._layout.size == 2:
        return _single_root(basis, series)
    found = general(companion_matrix(basis, series), False, True)
    found.sort()
    return found


# --- fits


def fit(
    basis: str,
    x: ArrayLike,
    y: ArrayLike,
    deg: Any,
    rcond: float | None,
    full: bool,
    w: ArrayLike | None,
    name: str,
) -> Any:
    """The series that fits points best by least squares; as ``polynomial.polyfit``."""
    degrees = np.asarray(deg)
    if degrees.ndim > 1 or degrees.dtype.kind not in "iu" or degrees.size == 0:
        raise TypeError(f"{name}: deg is {deg!r}; give an integer, or integers in one dimension")
    points, values = floats(x, name), floats(y, name)
    check_fit(points, values, int(degrees.min()), name)
    greatest = int(degrees.max())
    rows = basis_values(basis, points, greatest, name).T
    if degrees.ndim:
        degrees = np.sort(degrees)
        rows = rows[asarray(degrees)]
    weights = None
    if w is not None:
        weights = floats(w, name)
        if weights._layout.ndim != 1:
            raise TypeError(f"{name}: w of shape {weights._layout.shape}; give it one dimension")
        if weights._layout.size != points._layout.size:
            raise TypeError(
                f"{name}: {weights._layout.size} weights for {points._layout.size} points; "
                "give one each"
            )
        rows = multiply(rows, weights)
    if rcond is None:
        rcond = points._layout.size * float(np.finfo(points._layout.dtype).eps)
    norms = sqrt(sums_of_squares(rows))
    norms = where(equal(norms, 0), 1, norms)
    found = solve(rows, values, weights, norms, rcond, name)
    c = found.solution
    if degrees.ndim:
        wide = zeros((greatest + 1, *c._layout.shape[1:]), c._layout.dtype)
        wide[asarray(degrees)] = c
        c = wide
    if values._layout.ndim == 1:
        c = c.reshape(-1)
    if full:
        return c, [found.residuals, found.rank, found.singular_values, rcond]
    if found.rank != rows._layout.shape[0]:
        warnings.warn(
            f"{name}: the fit is poorly conditioned, of rank {found.rank}; fewer degrees may do",
            np.exceptions.RankWarning,
            stacklevel=4,
        )
    return c


def floats(x: ArrayLike, name: str) -> Any:
    """An argument as an array of floats."""
    x = as_array(x, name)
    return copies.copy(x, "C", np.dtype(np.float64)) if x._layout.dtype.kind in "biu" else x


def check_fit(points: Any, values: Any, degree: int, name: str) -> None:
    """Refuse points and values that nothing can be fitted to."""
    if degree < 0:
        raise ValueError(f"{name}: the degree is {degree}; give 0 or more")
    if points._layout.ndim != 1:
        raise TypeError(f"{name}: x of shape {points._layout.shape}; give it one dimension")
    if not points._layout.size:
        raise TypeError(f"{name}: x has no points; give at least one")
    if not 1 <= values._layout.ndim <= 2:
        raise TypeError(f"{name}: y of shape {values._layout.shape}; give it one or two dimensions")
    if points._layout.size != values._layout.shape[0]:
        raise TypeError(
            f"{name}: {values._layout.shape[0]} values for {points._layout.size} points; "
            "give one each"
        )


def solve(
    rows: Any, values: Any, weights: Any, norms: Any, rcond: float, name: str
) -> LeastSquares:
    """Solve for the factors of rows, each divided by its norm."""
    right = values.T if values._layout.ndim == 2 else values[None]
    if weights is not None:
        right = multiply(right, weights)
    scaled = divide(rows, norms[:, None])
    dtype = np.result_type(scaled._layout.dtype, right._layout.dtype)
    scaled, right = [
        v if v._layout.dtype == dtype else copies.copy(v, "C", dtype) for v in (scaled, right)
    ]
    found = least_squares(scaled, right, rcond, name)
    return found._replace(solution=divide(found.solution, norms[:, None]))


def sum_of_squares(rows: Any) -> Any:
    """The sum of the squares of each row."""
    return sum_of_products(rows, conj(rows), (1,), rows._layout.dtype)
