"""Values of series of polynomials at points, and matrices of the values of a basis."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _broadcasting
from gpuarray._ops.conversion import asarray
from gpuarray._ops.dimensions import expand_dims
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import multiply
from gpuarray._ops.series import coefficients_of
from gpuarray._ops.transposing import moveaxis
from gpuarray._runtime.current_stream import current
from gpuarray.kernels import polynomial
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

_FLOAT16, _FLOAT32, _FLOAT64 = np.dtype("f2"), np.dtype("f4"), np.dtype("f8")


def _points_of(x: ArrayLike, name: str) -> tuple[Any, Any]:
    """Points as an array, and what decides of the result's dtype: a number's type is weak."""
    if type(x) in (int, float, complex):
        return asarray(x), x
    points = as_array(x, name)
    return points, points._layout.dtype


def _floats(dtype: np.dtype) -> np.dtype:
    return _FLOAT64 if dtype.kind in "biu" else dtype


def values(
    basis: str, c: ArrayLike, points: Sequence[ArrayLike], tensor: bool, name: str
) -> ndarray:
    """The values of series at points: one launch.

    Parameters
    ----------
    basis : str
        The basis, or 'roots' where the coefficients are a polynomial's roots.
    c : array_like
        Coefficients; the first axes are those of the variables.
    points : sequence of array_like
        For each variable, all of one shape.
    tensor : bool
        Whether each series is evaluated at each point; else they broadcast.
    name : str
        The function, for messages.
    """
    series = coefficients_of(c, name)
    given = [_points_of(x, name) for x in points]
    if any(x._layout.shape != given[0][0]._layout.shape for x, _ in given):
        names = "ordinates" if len(given) > 3 else ", ".join("xyz"[: len(given)])
        raise ValueError(f"{name}: the shapes of {names} differ; give points of one shape")
    ndim, count = series._layout.ndim, len(given)
    if ndim < count or 0 in series._layout.shape[:count]:
        raise IndexError(
            f"{name}: coefficients of shape {series._layout.shape} have none for each of {count} "
            "variables"
        )
    dtype = _floats(series._layout.dtype)
    result = np.result_type(dtype, *[kind for _, kind in given])
    # The value of a constant alone has the dtype of an operation with the points, too.
    return evaluate(basis, series, [x for x, _ in given], tensor, result)


def evaluate(basis: str, series: Any, points: Sequence[Any], tensor: bool, result: np.dtype) -> Any:
    """The launch of `values`, for arrays."""
    number = _FLOAT32 if result == _FLOAT16 else result
    layouts = tuple([x._layout for x in points])
    run = polynomial.launch.values_call(
        current.stream, basis, series._layout, layouts, bool(tensor), number, result
    )
    return run(series, *points)


def grid_values(basis: str, c: ArrayLike, points: Sequence[ArrayLike], name: str) -> ndarray:
    """The values of series on the grid that points of each variable span.

    A launch for each variable: fewer operations than the sum over all coefficients at each point.
    """
    for x in points:
        c = values(basis, c, [x], True, name)
    return c  # type: ignore[return-value]  # an array by now


def basis_values(basis: str, x: ArrayLike, deg: int, name: str) -> ndarray:
    """The values of P[0] to P[deg] at points, along the last axis: one launch."""
    try:
        degree = operator.index(deg)
    except TypeError:
        raise TypeError(f"{name}: deg is {deg!r}; give an integer") from None
    if degree < 0:
        raise ValueError(f"{name}: deg is {degree}; give 0 or more")
    points = as_array(x, name)
    points = points if points._layout.ndim else points.reshape(1)
    dtype = _floats(points._layout.dtype)
    if not points._layout.c_contiguous:
        points = copies.copy(points, "C")
    number = _FLOAT32 if dtype == _FLOAT16 else dtype
    run = polynomial.launch.basis_values_call(current.stream, basis, points._layout, number, degree)
    rows = run(points)
    if number != dtype:
        rows = copies.copy(rows, "C", dtype)
    return moveaxis(rows, 0, -1)


def basis_products(
    basis: str, points: Sequence[ArrayLike], degrees: Sequence[int], name: str
) -> ndarray:
    """The products of the values of bases in several variables, along the last axis."""
    count = len(points)
    if len(degrees) != count:
        raise ValueError(f"{name}: {len(degrees)} degrees for {count} variables; give one each")
    given = [as_array(x, name) for x in points]
    dtype = _floats(np.result_type(*[x._layout.dtype for x in given]))
    shape = _broadcasting.broadcast_shapes([x._layout.shape for x in given])
    if any(x._layout.shape != shape for x in given):
        raise ValueError(f"{name}: points of one shape are needed")
    product: Any = None
    for i, (x, degree) in enumerate(zip(given, degrees, strict=True)):
        x = x if x._layout.dtype == dtype else copies.copy(x, "C", dtype)
        rows = basis_values(basis, x, degree, name)
        others = [-1 - k for k in range(count) if count - 1 - k != i]
        rows = expand_dims(rows, tuple(others))
        product = rows if product is None else multiply(product, rows)
    assert product is not None
    return product.reshape((*product._layout.shape[:-count], -1))
