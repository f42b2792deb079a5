"""Covariance and correlation of variables (of the page on statistics)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _dtypes, _layout
from gpuarray._layout import Layout
from gpuarray._libraries.blas import gemm_call
from gpuarray._ops.averages import average, var
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.joining import stack
from gpuarray._ops.logic import less, not_equal
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import conj, divide, multiply, rint, subtract
from gpuarray._ops.statistics import mean
from gpuarray._ops.sums import sum
from gpuarray._ops.truth import any
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.generator.expressions import Apply, Constant, Expression, Input
from gpuarray.kernels.generator.operations import operation
from gpuarray.kernels.reduction.products import sum_of_products

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, ndarray

__all__ = ["corrcoef", "cov"]

_FLOAT64 = np.dtype(np.float64)

#: Rows of which cuBLAS is slower than a reduction over all pairs.
_FEW = 3


def cov(
    m: ArrayLike,
    y: ArrayLike | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: ArrayLike | None = None,
    aweights: ArrayLike | None = None,
    *,
    dtype: DTypeLike | None = None,
) -> ndarray:
    """Covariance of variables: the mean products of their distances from their means.

    Parameters
    ----------
    m : array_like
        A variable, or one in each row.
    y : array_like, optional
        Further variables.
    rowvar : bool, optional
        Whether rows are variables; else columns are.
    bias : bool, optional
        Divide by the number of observations, instead of one less.
    ddof : int, optional
        Divide by the number of observations less this, whatever ``bias`` says.
    fweights : array_like of integers, 1-D, optional
        How often each observation was made.
    aweights : array_like, 1-D, optional
        The weight of each observation.
    dtype : dtype, optional
        What is computed in: by default float64 or complex128.

    Returns
    -------
    ndarray
        The matrix of covariances; of one variable its variance, without dimensions.

    Raises
    ------
    TypeError, ValueError
        If a frequency is no integer, or a weight is negative.

    Warns
    -----
    RuntimeWarning
        If there are no more observations than ``ddof``.

    Notes
    -----
    One launch for a variable of real numbers; three or four for several, of which cuBLAS does the
    product if they are more than three: temporary memory for the distances. With weights, the call
    waits for the device to check them.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cov(cp.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError(f"cov: ddof is {ddof!r}; give an integer")
    m = as_array(m, "cov")
    if m._layout.ndim > 2:
        raise ValueError(f"cov: m of shape {m._layout.shape}; give it two dimensions at most")
    given = [m]
    if y is not None:
        y = as_array(y, "cov")
        if y._layout.ndim > 2:
            raise ValueError(f"cov: y of shape {y._layout.shape}; give it two dimensions at most")
        given.append(y)
    if dtype is None:
        dtype = np.result_type(*[x._layout.dtype for x in given], _FLOAT64)
    found = _dtypes.canonical(dtype)
    variables = [_rows(x, rowvar, first=x is m) for x in given]
    count = variables[0]._layout.shape[1]
    if not variables[0]._layout.shape[0]:
        return _array.empty(_layout.contiguous(_FLOAT64, (0, 0)))
    if variables[-1]._layout.shape[1] != count:
        raise ValueError(
            f"cov: m has {count} observations and y has {variables[-1]._layout.shape[1]}"
        )
    if ddof is None:
        ddof = 0 if bias else 1
    weights, total = None, float(count)
    factor = total - ddof
    if fweights is not None or aweights is not None:
        weights, factor = _weights(fweights, aweights, count, ddof)
    if factor <= 0:
        warnings.warn(
            "Degrees of freedom <= 0 for slice",
            RuntimeWarning,
            stacklevel=2,
        )
        factor = 0.0
    if weights is None and factor and len(given) == 1 and found.kind == "f":
        if variables[0]._layout.shape[0] == 1 and found.itemsize >= 4:
            return var(variables[0], None, found, ddof=ddof)
    distances = _distances(variables, weights, found)
    other = distances if weights is None else multiply(distances, weights.astype(found))
    with np.errstate(divide="ignore"):
        scale = float(np.true_divide(1.0, factor))
    if distances._layout.shape[0] <= _FEW:
        result = multiply(_sums_of_products(distances, other, found), scale)
    else:
        run = _product_call(current.stream, distances._layout, other._layout, scale)
        result = run(distances, other)
    return result.reshape(()) if result._layout.size == 1 else result


def _rows(x: Any, rowvar: bool, first: bool) -> Any:
    """An array with a variable in each row."""
    layout = x._layout
    if layout.ndim < 2:
        x = x.reshape(1, -1)
    if rowvar or (layout.ndim == 1 if first else x._layout.shape[0] == 1):
        return x
    return x.T


def _weights(
    fweights: ArrayLike | None, aweights: ArrayLike | None, count: int, ddof: int
) -> tuple[Any, float]:
    """The weight of each observation, and what sums are divided by; waits for the device."""
    given = {}
    for name, values in (("fweights", fweights), ("aweights", aweights)):
        if values is None:
            continue
        found = as_array(values, "cov")
        if found._layout.ndim > 1:
            raise RuntimeError(
                f"cov: {name} has {found._layout.ndim} dimensions; give a weight for each sample"
            )
        if found._layout.shape != (count,):
            raise RuntimeError(
                f"cov: {name} has the shape {found._layout.shape} and there are {count} samples; "
                "give a weight for each"
            )
        given[name] = copies.copy(found, "C", _FLOAT64)
    frequencies, importance = given.get("fweights"), given.get("aweights")
    weights: Any = importance if frequencies is None else frequencies
    if frequencies is not None and importance is not None:
        weights = multiply(frequencies, importance)
    checks = [sum(weights)]
    for name, x in given.items():
        checks.append(any(less(x, 0)).astype(_FLOAT64))
        if name == "fweights":
            checks.append(any(not_equal(x, rint(x))).astype(_FLOAT64))
    if importance is not None and ddof:
        checks.append(sum(multiply(weights, importance)))
    total, *rest = asnumpy(stack(checks)).tolist()
    if frequencies is not None:
        negative, fractional = rest.pop(0), rest.pop(0)
        if fractional:
            raise TypeError("cov: fweights are counts; give integers")
        if negative:
            raise ValueError("cov: fweights has negative counts; give 0 or more")
    if importance is not None and rest.pop(0):
        raise ValueError("cov: aweights has negative weights; give 0 or more")
    if not total:
        raise ZeroDivisionError("cov: the weights sum to zero; give one that is greater")
    if not ddof:
        return weights, total
    return weights, total - ddof if importance is None else total - ddof * rest[0] / total


def _distances(variables: list[Any], weights: Any, dtype: np.dtype) -> Any:
    """The distances of all variables from their means, a variable in each row."""
    rows = [x._layout.shape[0] for x in variables]
    shape = (int(np.sum(rows)), variables[0]._layout.shape[1])
    result = _array.empty(_layout.contiguous(dtype, shape))
    start = 0
    for x, count in zip(variables, rows, strict=True):
        part = result[start : start + count]
        start += count
        if weights is None:
            center = mean(x, 1, dtype, keepdims=True)
        else:
            center = average(x, 1, weights, keepdims=True)
        subtract(x, center, out=part, dtype=dtype, casting="unsafe")
    return result


def _sums_of_products(distances: Any, other: Any, dtype: np.dtype) -> Any:
    """The same product of few long rows: a sum for each pair."""
    rows, count = distances._layout.shape
    views = []
    for x, axis in ((distances, 1), (other, 0)):
        step, item = x._layout.strides
        strides = (step, 0, item) if axis else (0, step, item)
        views.append(_array.view(x, _layout.layout_of(dtype, (rows, rows, count), strides)))
    return sum_of_products(views[0], views[1], (2,), dtype)


@planned
def _product_call(
    stream: Stream, distances: Layout, other: Layout, scale: float
) -> Callable[[Any, Any], Any]:
    """The product of distances, one of them transposed and conjugated."""
    transposed = _layout.transpose(other)
    run = gemm_call(distances, transposed, stream, scale, conjugate=True)
    if run is not None:
        return lambda one, other: run(one, _array.view(other, transposed))
    # One row of complex numbers: nothing says that it is transposed.
    plain = gemm_call(distances, _layout.contiguous(other.dtype, other.shape[::-1]), stream, scale)
    if plain is None:
        raise TypeError(f"array type {distances.dtype} is unsupported in linalg")
    return lambda one, other: plain(one, copies.copy(conj(other).T, "C"))


def corrcoef(
    x: ArrayLike,
    y: ArrayLike | None = None,
    rowvar: bool = True,
    *,
    dtype: DTypeLike | None = None,
) -> ndarray:
    """Correlation coefficients of variables: covariances over the deviations of both.

    Parameters
    ----------
    x : array_like
        A variable, or one in each row.
    y : array_like, optional
        Further variables.
    rowvar : bool, optional
        Whether rows are variables; else columns are.
    dtype : dtype, optional
        What is computed in: by default float64 or complex128.

    Returns
    -------
    ndarray
        The matrix of coefficients, from -1 to 1; of one variable 1, without dimensions.

    See Also
    --------
    cov : For launches and memory; one launch more.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.corrcoef(cp.asarray([[0.0, 1.0, 2.0], [4.0, 2.0, 0.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    c = cov(x, y, rowvar, dtype=dtype)
    if not c._layout.ndim:
        return divide(c, c)
    if not c._layout.size:
        return c
    dtype, n = c._layout.dtype, c._layout.shape[0]
    part = np.empty(0, dtype).real.dtype
    run = _normalized_call(current.stream, n, part, dtype.itemsize)
    result = _array.empty(_layout.contiguous(dtype, (n, n)))
    for start in range(0, dtype.itemsize, part.itemsize):
        # The parts of complex numbers lie beside one another, and are clipped one by one.
        run(c, result, start)
    return result


@planned
def _normalized_call(stream: Stream, n: int, dtype: np.dtype, item: int) -> Callable[..., Any]:
    """A part of covariances over the deviations of both variables, between -1 and 1.

    The part is `dtype`, and elements lie `item` bytes apart.
    """
    code = _dtypes.code(dtype)
    step = (n + 1) * item  # along the diagonal
    every = _layout.layout_of(dtype, (n, n), (n * item, item))
    by_row = _layout.layout_of(dtype, (n, n), (step, 0))
    by_column = _layout.layout_of(dtype, (n, n), (0, step))

    def apply(name: str, *operands: Expression) -> Expression:
        return Apply(operation(name), operands, code)

    value: Expression = Input(0, code)
    for i in (1, 2):
        value = apply("divide", value, apply("sqrt", Input(i, code)))
    value = apply("clip", value, Constant(-1, code), Constant(1, code))
    inputs: list[Any] = [every, by_row, by_column]
    run = elementwise.launch.make_call("corrcoef", [value], inputs, [every], [True], stream)

    def call(c: Any, result: Any, start: int) -> None:
        views = [_array.view(c, by_row), _array.view(c, by_column)]
        run(_array.view(c, every, start), *views, _array.view(result, every, start))

    return call
