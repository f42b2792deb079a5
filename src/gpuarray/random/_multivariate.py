"""Draws of vectors: Dirichlet, multinomial, hypergeometric and normal ones."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _array, _dtypes, _layout
from gpuarray._array import ArrayBase
from gpuarray._ops.closeness import allclose
from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import full
from gpuarray._ops.dimensions import broadcast_to
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.math import absolute, add, multiply, sqrt
from gpuarray._ops.stored_values import as_values
from gpuarray._runtime.current_stream import current
from gpuarray.kernels import distribution
from gpuarray.kernels.elementwise import copies
from gpuarray.random._parameters import fitted_shape, host_values
from gpuarray.random._variates import looks_at_arrays

if TYPE_CHECKING:
    from gpuarray._types import ndarray

_INT64, _FLOAT64 = np.dtype(np.int64), np.dtype(np.float64)


def _known(x: Any) -> Any:
    """What NumPy is to check: a number or a list; an array's elements where these are checked."""
    if isinstance(x, ArrayBase):
        return asnumpy(x) if looks_at_arrays() else None
    return x if host_values(x) is not None or not isinstance(x, list | tuple | range) else None


def dirichlet(source: Any, alpha: Any, size: Any, checks: Any) -> ndarray:
    """Rows of gamma variates over their sums."""
    known = _known(alpha)
    if known is not None:
        checks.dirichlet(known, size=0)
    values = as_values(alpha, "dirichlet")
    if values._layout.ndim != 1:
        raise ValueError(f"dirichlet: alpha has shape {values._layout.shape}; it has one dimension")
    shape = (*fitted_shape(size), values._layout.shape[0])
    target = _layout.contiguous(_FLOAT64, shape)
    if not target.size:
        return _array.empty(target)
    row = asarray(values, _FLOAT64)
    if not row._layout.c_contiguous:
        row = copies.copy(row)
    places = source._places(target.size)
    run = distribution.launch.shares_call(
        current.stream, "log_gamma", row._layout, target, places is None
    )
    return run(*([source._words(target.size)] if places is None else places), row)


def multinomial(source: Any, n: Any, pvals: Any, size: Any, checks: Any) -> ndarray:
    """Rows of counts, each of so many items of its number."""
    known, weights = _known(n), _known(pvals)
    if known is not None or weights is not None:
        number = 0 if known is None else known
        p = [1.0] if weights is None else weights
        shape = np.broadcast_shapes(np.shape(number), np.shape(p)[:-1])
        checks.multinomial(number, p, size=(0, *shape))
    probabilities = as_values(pvals, "multinomial")
    if not probabilities._layout.ndim or not probabilities._layout.shape[-1]:
        raise ValueError(
            "pvals must have at least 1 dimension and the last dimension of pvals must be "
            "greater than 0."
        )
    *outer, categories = probabilities._layout.shape
    given: Any = n
    one = not isinstance(n, ArrayBase | list | tuple | range)
    items = full((), int(n), _INT64) if one else as_values(given, "multinomial")
    shape = fitted_shape(size, np.broadcast_shapes(items._layout.shape, tuple(outer)))
    return _counts(source, "multinomial", items, probabilities, shape, categories)


def multivariate_hypergeometric(
    source: Any, colors: Any, nsample: Any, size: Any, method: str, checks: Any
) -> ndarray:
    """Rows of counts of samples without replacement."""
    known = _known(colors)
    number = [1] if known is None else known
    count = _known(nsample)
    if count is None:
        count = 0
    checks.multivariate_hypergeometric(number, 0 if known is None else count, 0, method)
    if isinstance(count, int | np.integer) and count < 0:
        raise ValueError("nsample must be nonnegative.")
    listed = host_values(colors, _INT64)
    weights = (
        as_values(colors, "multivariate_hypergeometric") if listed is None else asarray(listed)
    )
    if weights._layout.ndim != 1 or weights._layout.dtype.kind not in "iu":
        raise ValueError(
            "colors must be a one-dimensional sequence of nonnegative integers not exceeding "
            f"{_arguments.INT64_MAX}."
        )
    stacked = isinstance(nsample, ArrayBase)
    items = nsample if stacked else full((), int(nsample), _INT64)
    shape = fitted_shape(size)
    categories = weights._layout.shape[0]
    return _counts(source, "multivariate_hypergeometric", items, weights, shape, categories)


def _counts(
    source: Any, name: str, items: Any, weights: Any, shape: tuple[int, ...], categories: int
) -> ndarray:
    """A row of counts for each of a shape."""
    target = _layout.contiguous(_INT64, (*shape, categories))
    if not target.size:
        return _array.empty(target)
    dtype = _dtypes.dtype_of(distribution.spec.COUNTS[name][1])
    items = _rows(items, shape, _INT64)
    weights = _rows(weights, (*shape, categories), dtype, categories)
    words = source._words(target.size // categories)
    run = distribution.launch.counts_call(
        current.stream, name, items._layout, weights._layout, shape
    )
    return run(words, items, weights)


def _rows(x: Any, shape: tuple[int, ...], dtype: np.dtype, length: int = 1) -> Any:
    """An array broadcast to a shape and gapless, unless it has one row for all."""
    if x._layout.size > length:
        x = broadcast_to(x, shape)
    return copies.copy(x, "C", dtype)


def multivariate_normal(
    source: Any,
    mean: Any,
    cov: Any,
    size: Any,
    check_valid: str,
    tol: float,
    method: str,
    any_definite: bool = False,
) -> ndarray:
    """Rows of normal variates with a covariance.

    With ``any_definite`` one that has no Cholesky factor is factorised by its singular values.
    """
    if method not in ("eigh", "svd", "cholesky"):
        raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
    if check_valid not in ("warn", "raise", "ignore"):
        raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
    name = "multivariate_normal"
    mean, cov = as_values(mean, name), as_values(cov, name)
    if "c" in (mean._layout.dtype.kind, cov._layout.dtype.kind):
        raise TypeError("mean and cov must not be complex")
    if mean._layout.ndim != 1:
        raise ValueError("mean must be 1 dimensional")
    if cov._layout.ndim != 2 or cov._layout.shape[0] != cov._layout.shape[1]:
        raise ValueError("cov must be 2 dimensional and square")
    length = mean._layout.shape[0]
    if length != cov._layout.shape[0]:
        raise ValueError("mean and cov must have same length")
    shape = (*fitted_shape(size), length)
    normal = source.standard_normal(shape)
    covariance = asarray(cov, _FLOAT64)
    try:
        factor = _factor(covariance, check_valid, tol, method)
    except np.linalg.LinAlgError as error:
        if not any_definite or method != "cholesky":
            raise
        try:
            asked = "raise" if check_valid == "ignore" else check_valid
            factor = _factor(covariance, asked, tol, "svd")
        except ValueError:
            if check_valid == "ignore":
                raise error from None
            raise
    return add(normal @ factor.T, mean)


def _factor(cov: Any, check_valid: str, tol: float, method: str) -> Any:
    """A matrix whose product with its transpose is the covariance."""
    # Imported here: linear algebra is not needed for other distributions.
    from gpuarray import linalg

    if method == "cholesky":
        return linalg.cholesky(cov)
    if method == "eigh":
        values, vectors = linalg.eigh(cov)
        is_valid = check_valid == "ignore" or not bool((values < -tol).any())
        factor = multiply(vectors, sqrt(absolute(values)))
    else:
        vectors, values, right = linalg.svd(cov)
        again = multiply(right.T, values) @ right
        is_valid = check_valid == "ignore" or bool(allclose(again, cov, rtol=tol, atol=tol))
        factor = multiply(vectors, sqrt(values))
    if not is_valid:
        if check_valid == "raise":
            raise ValueError("covariance is not symmetric positive-semidefinite.")
        warnings.warn(
            "covariance is not symmetric positive-semidefinite.", RuntimeWarning, stacklevel=4
        )
    return factor
