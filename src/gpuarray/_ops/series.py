"""Series of polynomials in any basis: coefficients, arithmetic, derivatives and integrals.

The package ``polynomial`` and NumPy's older functions of polynomials stand on them. A basis is
named as in ``kernels/polynomial/spec.py``.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _dtypes, _layout
from gpuarray._arguments import check_axis
from gpuarray._array import ArrayBase
from gpuarray._ops.conversion import asarray
from gpuarray._ops.correlating import convolve
from gpuarray._ops.host_copies import asnumpy, on_host
from gpuarray._ops.manipulation import as_array, ndim
from gpuarray._ops.math import add, multiply, negative, subtract, true_divide
from gpuarray._ops.transposing import moveaxis
from gpuarray._runtime.current_stream import current
from gpuarray.kernels import polynomial
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

NUMBERS = (bool, int, float, complex, np.generic)
_FLOAT16, _FLOAT32 = np.dtype(np.float16), np.dtype(np.float32)


# --- coefficients


def coefficients_of(c: ArrayLike, name: str, trim: bool = False) -> ndarray:
    """An argument as an array of coefficients of one dimension or more.

    With `trim`, a list loses the zeros at its end before it goes to the device.
    """
    if trim and isinstance(c, list | tuple) and all(isinstance(x, NUMBERS) for x in c):
        host = np.array(c)
        stays = np.flatnonzero(host != 0)
        c = list(c[: stays[-1] + 1 if stays.size else 1])
    c = as_array(c, name)
    return c if c._layout.ndim else c.reshape(1)


def as_series(alist: Sequence[ArrayLike], trim: bool = True, name: str = "as_series") -> list[Any]:
    """Arrays of coefficients in one floating or complex dtype; see ``polyutils.as_series``."""
    arrays = [coefficients_of(c, name, trim) for c in alist]
    for c in arrays:
        if not c._layout.size:
            raise ValueError(f"{name}: a series has no coefficients; give at least one")
        if c._layout.ndim != 1:
            raise ValueError(
                f"{name}: coefficients of shape {c._layout.shape}; give them in one dimension"
            )
    if trim:
        # Lists have lost their zeros.
        device = [i for i, c in enumerate(alist) if isinstance(c, ArrayBase)]
        for one, other in zip(device[::2], [*device[1::2], None], strict=False):
            given = [arrays[i] for i in (one, other) if i is not None]
            for i, length in zip((one, other), lengths(*given), strict=False):
                if i is not None:
                    arrays[i] = arrays[i][:length]
    try:
        dtype = np.dtype(np.common_type(*[np.empty(0, c._layout.dtype) for c in arrays]))
    except TypeError:
        raise ValueError(
            f"{name}: the coefficients' dtypes have no common type; give numbers"
        ) from None
    return [copies.copy(c, "C", dtype) for c in arrays]


def lengths(*series: Any, bound: float | None = None) -> list[int]:
    """The lengths of one or two series without the zeros at their ends; at least one.

    With a bound, without what is not of greater magnitude. It waits for the device once.
    """
    first, second = series[0], series[-1]
    run = polynomial.launch.lengths_call(
        current.stream, first._layout, second._layout, bound is not None
    )
    found = run(first, second, 0.0 if bound is None else bound)
    return asnumpy(found).tolist()[: len(series)]


def trimmed(c: Any) -> Any:
    """A series without the zeros at its end."""
    return c[: lengths(c)[0]]


def working(c: Any) -> Any:
    """A gapless series in a dtype that operations on series compute in: halves in float32."""
    dtype = c._layout.dtype
    if dtype == _FLOAT16:
        return copies.copy(c, "C", _FLOAT32)
    return c if c._layout.c_contiguous else copies.copy(c, "C")


def _as(result: Any, dtype: np.dtype) -> Any:
    return result if result._layout.dtype == dtype else copies.copy(result, "C", dtype)


def is_zero(c: Any) -> bool:
    """Whether a trimmed series is zero: only one of a single coefficient can be."""
    return c._layout.size == 1 and not asnumpy(c)[0]


# --- arithmetic


def add_series(c1: ArrayLike, c2: ArrayLike, name: str) -> ndarray:
    """The sum of two series."""
    one, other = as_series([c1, c2], name=name)
    if one._layout.size == other._layout.size:
        return trimmed(add(one, other))
    longer, shorter = (one, other) if one._layout.size > other._layout.size else (other, one)
    head = longer[: shorter._layout.size]
    add(head, shorter, out=head)
    return longer


def subtract_series(c1: ArrayLike, c2: ArrayLike, name: str) -> ndarray:
    """The difference of two series."""
    one, other = as_series([c1, c2], name=name)
    if one._layout.size == other._layout.size:
        return trimmed(subtract(one, other))
    if one._layout.size > other._layout.size:
        head = one[: other._layout.size]
        subtract(head, other, out=head)
        return one
    negative(other, out=other)
    head = other[: one._layout.size]
    add(head, one, out=head)
    return other


def multiply_series(basis: str, c1: ArrayLike, c2: ArrayLike, name: str) -> ndarray:
    """The product of two series."""
    one, other = as_series([c1, c2], name=name)
    return trimmed(_product(basis, one, other))


def _product(basis: str, one: Any, other: Any) -> Any:
    if basis == "power":
        return convolve(one, other)
    if one._layout.size > other._layout.size:
        one, other = other, one
    return compose(basis, basis, one, other)


def compose(
    outer: str, basis: str, c: Any, series: Any, offset: complex = 0, scale: complex = 1
) -> Any:
    """``c(offset + scale * x) * series``: c has the basis `outer`, the others have `basis`."""
    dtype = c._layout.dtype
    c, series = working(c), working(series)
    run = polynomial.launch.compose_call(
        current.stream, outer, basis, c._layout, series._layout, (offset, scale) != (0, 1)
    )
    return _as(run(c, series, offset, scale), dtype)


def multiply_by_x(basis: str, c: ArrayLike, name: str) -> ndarray:
    """A series times x."""
    [series] = as_series([c], name=name)
    if is_zero(series):
        return series
    dtype = series._layout.dtype
    series = working(series)
    return _as(polynomial.launch.times_x_call(current.stream, basis, series._layout)(series), dtype)


def divide_series(basis: str, c1: ArrayLike, c2: ArrayLike, name: str) -> tuple[ndarray, ndarray]:
    """Quotient and remainder of two series."""
    one, other = as_series([c1, c2], name=name)
    if is_zero(other):
        raise ZeroDivisionError(f"{name}: the divisor is zero")
    if one._layout.size < other._layout.size:
        return multiply(one[:1], 0), one
    if other._layout.size == 1:
        return true_divide(one, other), multiply(one[:1], 0)
    quotient, rest = quotient_and_rest(basis, one, other)
    return quotient, trimmed(rest[: other._layout.size - 1])


def quotient_and_rest(basis: str, one: Any, other: Any) -> tuple[Any, Any]:
    dtype = one._layout.dtype
    one, other = working(one), working(other)
    run = polynomial.launch.divide_call(current.stream, basis, one._layout, other._layout)
    quotient, rest = run(one, other)
    return _as(quotient, dtype), _as(rest, dtype)


def power_of_series(
    basis: str, c: ArrayLike, pow: float, maxpower: int | None, name: str
) -> ndarray:
    """A series to a power."""
    [series] = as_series([c], name=name)
    power = int(pow)
    if power != pow or power < 0:
        raise ValueError(f"{name}: the power is {pow}; give an integer that is not negative")
    if maxpower is not None and power > maxpower:
        raise ValueError(f"{name}: the power {power} is above maxpower={maxpower}; raise maxpower")
    if power == 0:
        return asarray([1], series._layout.dtype)
    result = series
    for _ in range(power - 1):
        result = _product(basis, result, series)
    return trimmed(result) if power > 1 else result


def from_roots(basis: str, roots: ArrayLike, name: str, ordered: bool = True) -> ndarray:
    """The series with the coefficient one before its last element that has given roots."""
    values = as_array(roots, name)
    if not values._layout.size:
        return asarray([1.0])
    [values] = as_series([values], trim=False, name=name)
    dtype = values._layout.dtype
    values = working(values)
    if ordered:
        values.sort()
    run = polynomial.launch.from_roots_call(current.stream, basis, values._layout)
    return _as(run(values), dtype)


# --- derivatives and integrals


def _columns(c: ArrayLike, axis: int, name: str) -> tuple[Any, int, np.dtype]:
    """Coefficients as floats, the axis of the series, and their dtype."""
    c = coefficients_of(c, name)
    dtype = c._layout.dtype
    if dtype.kind in "biu":
        dtype = np.dtype(np.float64)
        c = copies.copy(c, "C", dtype)
    axis = check_axis(_as_int(axis, "the axis"), c._layout.ndim)
    return c, axis, dtype


def _as_int(x: Any, what: str) -> int:
    try:
        return operator.index(x)
    except TypeError:
        raise TypeError(f"{what} is {x!r}; give an integer") from None


def _in_columns(c: Any) -> Any:
    """Series along the first axis as the columns of a gapless array of two dimensions."""
    c = working(c)
    return c.reshape(c._layout.shape[0], -1) if c._layout.size else c.reshape(c._layout.shape[0], 0)


def differentiate(basis: str, c: ArrayLike, m: int, scl: complex, axis: int, name: str) -> ndarray:
    """The m-th derivative along an axis."""
    c, axis, dtype = _columns(c, axis, name)
    count = _as_int(m, f"{name}: the order of the derivative")
    if count < 0:
        raise ValueError(f"{name}: the order of the derivative is {count}; give 0 or more")
    if count == 0:
        return copies.copy(c)
    c = moveaxis(c, axis, 0)
    if count >= c._layout.shape[0]:
        return moveaxis(multiply(c[:1], 0), 0, axis)
    rest = c._layout.shape[1:]
    columns = _in_columns(c)
    for _ in range(count):
        if scl != 1:
            columns = multiply(columns, asarray(scl).astype(columns._layout.dtype))
        run = polynomial.launch.derivative_call(current.stream, basis, columns._layout)
        columns = run(columns)
    result = _as(columns, dtype)
    return moveaxis(result.reshape((result._layout.shape[0], *rest)), 0, axis)


def integrate(
    basis: str, c: ArrayLike, m: int, k: Any, lbnd: Any, scl: Any, axis: int, name: str
) -> ndarray:
    """The m-th integral along an axis, with a constant for each time."""
    c, axis, dtype = _columns(c, axis, name)
    constants = list(k) if ndim(k) else [k]
    count = _as_int(m, f"{name}: the order of the integral")
    if count < 0:
        raise ValueError(f"{name}: the order of the integral is {count}; give 0 or more")
    if len(constants) > count:
        raise ValueError(
            f"{name}: {len(constants)} constants for {count} integrals; give one for each at most"
        )
    for value, label in ((lbnd, "lbnd"), (scl, "scl")):
        if ndim(value) != 0:
            raise ValueError(f"{name}: {label} has {ndim(value)} dimensions; give a number")
    if count == 0:
        return copies.copy(c)
    constants += [0] * (count - len(constants))
    c = moveaxis(c, axis, 0)
    rest = c._layout.shape[1:]
    columns = _in_columns(c)
    kind = _dtypes.canonical(columns._layout.dtype).type
    for constant in constants:
        if scl != 1:
            columns = multiply(columns, asarray(scl).astype(columns._layout.dtype))
        if columns._layout.shape[0] == 1 and not asnumpy(columns).any():
            columns = add(columns, asarray(constant).astype(columns._layout.dtype))
            continue
        run = polynomial.launch.integral_call(current.stream, basis, columns._layout)
        columns = run(columns, kind(on_host(lbnd)).item(), kind(on_host(constant)).item())
    result = _as(columns, dtype)
    return moveaxis(result.reshape((result._layout.shape[0], *rest)), 0, axis)


def empty_series(dtype: np.dtype) -> Any:
    """No coefficients at all."""
    return _array.empty(_layout.contiguous(dtype, (0,)))
