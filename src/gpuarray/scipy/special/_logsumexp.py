"""Logarithms of sums of exponentials, and exponentials beside their sum."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

import gpuarray as cp
from gpuarray import _arguments, _array, _broadcasting, _dtypes, _layout
from gpuarray._fusion import fuse
from gpuarray._ops.stored_values import as_values
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import softmax as softmax_kernels
from gpuarray.kernels.reduction.arguments import axes_of
from gpuarray.kernels.reduction.logsums import logsum_call

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["log_softmax", "logsumexp", "softmax"]

_Axis = int | tuple[int, ...] | None


@overload
def logsumexp(
    a: ArrayLike, axis: _Axis = None, b: ArrayLike | None = None, keepdims: bool = False,
    return_sign: Literal[False] = False,
) -> ndarray: ...  # fmt: skip


@overload
def logsumexp(
    a: ArrayLike, axis: _Axis = None, b: ArrayLike | None = None, keepdims: bool = False,
    *, return_sign: Literal[True],
) -> tuple[ndarray, ndarray]: ...  # fmt: skip


def logsumexp(
    a: ArrayLike,
    axis: _Axis = None,
    b: ArrayLike | None = None,
    keepdims: bool = False,
    return_sign: bool = False,
) -> ndarray | tuple[ndarray, ndarray]:
    """The logarithm of the sum of exponentials, without overflow.

    Parameters
    ----------
    a : array_like
        The exponents: numbers.
    axis : int, tuple of int or None, optional
        The axes to sum over; all by default.
    b : array_like, optional
        Factors of the exponentials, which may be negative. What has the factor 0 takes no part,
        NaN and infinities included.
    keepdims : bool, optional
        Keep the axes with length 1.
    return_sign : bool, optional
        Return the logarithm of the sum's absolute value, and its sign.

    Returns
    -------
    ndarray, or a pair of them
        ``log(sum(b * exp(a)))``, of integers and bools in float64; NaN where a real sum is
        negative. With `return_sign` the real logarithm of the absolute value, then the sign: 1, 0
        or -1, of complex numbers a number of absolute value 1.

    Raises
    ------
    AxisError
        If there is no such axis.
    ValueError
        If `a` and `b` do not broadcast.

    Differences from SciPy
    ----------------------
    Results are arrays, without dimensions where SciPy has scalars. Numbers of float16 are summed in
    float32 and rounded once. Where the factors of the greatest exponents cancel the result comes
    from the other terms; SciPy sums the exponentials as they are, which may overflow.

    Notes
    -----
    Of real numbers one launch, which reads each element once, and one more for the sign; the
    greatest exponent is no part of the sum, so that ``log1p`` of the sum has all digits [1]_. Of
    complex numbers a few launches.

    .. [1] P. Blanchard, D. J. Higham, N. J. Higham, "Accurately computing the log-sum-exp and
       softmax functions", IMA Journal of Numerical Analysis 41 (2021).

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.logsumexp(cp.array([1000.0, 1000.0]))
    array(1000.69314718)
    """
    exponents = as_values(a, "logsumexp")
    weights = None if b is None else as_values(b, "logsumexp")
    dtype = exponents.dtype if weights is None else np.result_type(exponents.dtype, weights.dtype)
    if dtype.kind not in "biufc":
        raise TypeError(f"logsumexp: the elements are numbers, not {dtype}")
    dtype = _dtypes.canonical(dtype if dtype.kind in "fc" else np.dtype(np.float64))
    if exponents.ndim == 0:
        exponents = exponents.reshape(1)
    if dtype.kind == "c":
        return _of_complex(exponents, weights, dtype, axis, keepdims, return_sign)
    operands = [exponents] if weights is None else [exponents, weights]
    layouts = [x._layout for x in operands]
    stream, code = current.stream, _dtypes.code(dtype)
    if not return_sign:
        return _plan(stream, *layouts, code, "logsum", axis, keepdims)(*operands)
    magnitude = _plan(stream, *layouts, code, "logsum_magnitude", axis, keepdims)
    sign = _plan(stream, *layouts, code, "logsum_sign", axis, keepdims)
    return magnitude(*operands), sign(*operands)


@planned
def _plan(stream: Stream, *given: Any) -> Callable[..., Any]:
    """The call for the layouts of the operands, a dtype's code, a state, axes, `keepdims`."""
    *layouts, code, state, axis, keepdims = given
    keepdims = _arguments.check_flag(keepdims, "keepdims")
    shape = _broadcasting.broadcast_shapes([x.shape for x in layouts])
    wide = [_broadcasting.broadcast_to(x, shape) for x in layouts]
    axes = axes_of(axis, len(shape))
    run = logsum_call(stream, wide, code, state, axes, keepdims)
    if wide == layouts:
        return run

    def broadcast(*operands: Any) -> Any:
        return run(*[_array.view(x, to) for x, to in zip(operands, wide)])

    return broadcast


def _of_complex(
    a: ndarray, b: ndarray | None, dtype: np.dtype, axis: _Axis, keepdims: bool, return_sign: bool
) -> ndarray | tuple[ndarray, ndarray]:
    """`logsumexp` of complex numbers: their real parts are shifted."""
    exponents = a.astype(dtype, copy=False)
    if b is None:
        greatest = cp.max(exponents.real, axis, keepdims=True, initial=-np.inf)
        greatest = _finite(greatest)
        total = _total(exponents, greatest, axis)
    else:
        weights = b.astype(dtype, copy=False)
        parts = cp.where(weights == 0, -np.inf, exponents.real)
        greatest = _finite(cp.max(parts, axis, keepdims=True, initial=-np.inf))
        total = _weighted_total(exponents, weights, greatest, axis)
    if not keepdims:
        axes = axes_of(axis, total.ndim)
        greatest, total = cp.squeeze(greatest, axes), cp.squeeze(total, axes)
    if return_sign:
        return _magnitude(total, greatest), cp.sign(total)
    return _logarithm(total, greatest)


@fuse(kernel_name="gpuarray_logsumexp_finite")
def _finite(x: Any) -> Any:
    return cp.where(cp.isfinite(x), x, 0)


@fuse(kernel_name="gpuarray_logsumexp_total")
def _total(x: Any, greatest: Any, axis: Any) -> Any:
    return cp.sum(cp.exp(x - greatest), axis, keepdims=True)


@fuse(kernel_name="gpuarray_logsumexp_weighted_total")
def _weighted_total(x: Any, weights: Any, greatest: Any, axis: Any) -> Any:
    terms = cp.where(weights == 0, 0, weights * cp.exp(x - greatest))
    return cp.sum(terms, axis, keepdims=True)


@fuse(kernel_name="gpuarray_logsumexp_magnitude")
def _magnitude(total: Any, greatest: Any) -> Any:
    return cp.log(cp.abs(total)) + greatest


@fuse(kernel_name="gpuarray_logsumexp_logarithm")
def _logarithm(total: Any, greatest: Any) -> Any:
    return cp.log(total) + greatest


def softmax(x: ArrayLike, axis: _Axis = None) -> ndarray:
    """The exponentials of numbers, divided by their sum.

    Parameters
    ----------
    x : array_like
        Numbers.
    axis : int, tuple of int or None, optional
        The axes that are summed over; all by default.

    Returns
    -------
    ndarray
        Of the shape of `x`, in its dtype; of integers in the dtype of their exponential.

    Raises
    ------
    AxisError
        If there is no such axis.
    ValueError
        If there are no elements along the axes.

    Notes
    -----
    One launch where the rows are contiguous and have at most 32768 elements (16384 of float64),
    which reads memory once. Otherwise three: the greatest number, the sum of the exponentials
    beside its own, the quotients.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.softmax(cp.array([0.0, 0.0, 1000.0, 1000.0]))
    array([0. , 0. , 0.5, 0.5])
    """
    values = as_values(x, "softmax")
    run = _rows(current.stream, values._layout, axis, False)
    if run is not None:
        return run(values)
    greatest = cp.max(values, axis, keepdims=True)
    return _shares(values, greatest, _total(values, greatest, axis))


@planned
def _rows(
    stream: Stream, layout: _layout.Layout, axis: _Axis, logarithms: bool
) -> Callable[..., Any] | None:
    """The one launch that makes shares of rows, where they allow that."""
    length = softmax_kernels.launch.row_length(layout, axes_of(axis, layout.ndim))
    if not length:
        return None
    return softmax_kernels.launch.shares_call(stream, layout, length, logarithms)


@fuse(kernel_name="gpuarray_softmax")
def _shares(x: Any, greatest: Any, total: Any) -> Any:
    return cp.exp(x - greatest) / total


def log_softmax(x: ArrayLike, axis: _Axis = None) -> ndarray:
    """The logarithm of `softmax`, which has digits where that is 0 or 1.

    Parameters
    ----------
    x : array_like
        Numbers.
    axis : int, tuple of int or None, optional
        The axes that are summed over; all by default.

    Returns
    -------
    ndarray
        Of the shape of `x`, in its dtype; of integers in the dtype of their exponential.

    Raises
    ------
    AxisError
        If there is no such axis.
    ValueError
        If there are no elements along the axes.

    Notes
    -----
    One launch or three, as `softmax`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.log_softmax(cp.array([1000.0, 1.0]))
    array([   0., -999.])
    """
    values = as_values(x, "log_softmax")
    run = _rows(current.stream, values._layout, axis, True)
    if run is not None:
        return run(values)
    greatest = cp.max(values, axis, keepdims=True)
    return _log_shares(values, greatest, _finite_total(values, greatest, axis))


@fuse(kernel_name="gpuarray_log_softmax_total")
def _finite_total(x: Any, greatest: Any, axis: Any) -> Any:
    return cp.sum(cp.exp(x - cp.where(cp.isfinite(greatest), greatest, 0)), axis, keepdims=True)


@fuse(kernel_name="gpuarray_log_softmax")
def _log_shares(x: Any, greatest: Any, total: Any) -> Any:
    return x - cp.where(cp.isfinite(greatest), greatest, 0) - cp.log(total)
