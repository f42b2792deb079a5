"""Averages and variances (of the page on statistics)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

import numpy as np

from gpuarray import _array, _layout
from gpuarray._arguments import check_axes
from gpuarray._ops.manipulation import as_array, reshape
from gpuarray._ops.math import divide
from gpuarray._ops.statistics import mean as arithmetic_mean
from gpuarray._ops.sums import sum
from gpuarray._ops.weighting import weights_of
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.reduction.moments import Deviation
from gpuarray.kernels.reduction.products import sum_of_products
from gpuarray.kernels.reduction.rules import NO_VALUE, Reduction

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, Operand, ndarray

__all__ = ["average", "nanmean", "nanstd", "nanvar", "std", "var"]

_var, _std = Deviation("var"), Deviation("std", root=True)
_nanvar, _nanstd = Deviation("nanvar", nan=True), Deviation("nanstd", root=True, nan=True)
_nanmean = Reduction("add", mean=True, nan=True)


@overload
def average(
    a: ArrayLike,
    axis: int | tuple[int, ...] | None = None,
    weights: ArrayLike | None = None,
    returned: Literal[False] = False,
    *,
    keepdims: bool = False,
) -> ndarray: ...


@overload
def average(
    a: ArrayLike,
    axis: int | tuple[int, ...] | None = None,
    weights: ArrayLike | None = None,
    *,
    returned: Literal[True],
    keepdims: bool = False,
) -> tuple[ndarray, ndarray]: ...


def average(
    a: ArrayLike,
    axis: int | tuple[int, ...] | None = None,
    weights: ArrayLike | None = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> ndarray | tuple[ndarray, ndarray]:
    """Weighted average over axes.

    Parameters
    ----------
    a : ndarray
        Elements to average.
    axis : int or tuple of int, optional
        The axes that are averaged; all by default.
    weights : ndarray, optional
        Of the shape of ``a``, or of the lengths of the axes; equal weights by default.
    returned : bool, optional
        Return the sums of the weights, too.
    keepdims : bool, optional
        Keep the averaged axes as axes of length 1.

    Returns
    -------
    average : ndarray
        The averages.
    sum_of_weights : ndarray
        With ``returned``: of the same shape, the sums of the weights.

    Notes
    -----
    One launch without weights; three with weights, and temporary memory for the sums of the
    weights.

    Differences from NumPy
    ----------------------
    Where weights sum to zero the result is NaN or infinite: to raise ZeroDivisionError, sums
    would have to be checked on the host. Halves are summed in float32.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.average(cp.asarray([1.0, 2.0, 4.0]), weights=cp.asarray([1, 1, 2]))
    array(2.75)
    """
    a = as_array(a, "average")
    layout = a._layout
    axes = check_axes(axis, layout.ndim, duplicates="duplicate value in 'axis'")
    if weights is None:
        average = arithmetic_mean(a, axes, keepdims=keepdims)
        dtype = average._layout.dtype
        if not returned:
            return average
        total = _array.empty(_layout.contiguous(dtype, average._layout.shape))
        count = layout.size // average._layout.size if average._layout.size else 0
        total.fill(count)
        return average, total
    weights = weights_of(weights, a, axis, "average")
    dtype = np.result_type(layout.dtype, weights._layout.dtype)
    if layout.dtype.kind in "biu":
        dtype = np.result_type(dtype, np.float64)
    total = sum(weights, axes, dtype, keepdims=keepdims)
    if weights._layout.dtype.kind == "c":
        weights = weights.conj()
    average = sum_of_products(a, weights, axes, dtype)
    average = reshape(average, total._layout.shape)
    divide(average, total, out=average)
    return (average, copies.copy(total)) if returned else average


def var(
    a: Operand,
    axis: int | tuple[int, ...] | None = None,
    dtype: DTypeLike | None = None,
    out: ndarray | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Operand = True,
    mean: Operand = NO_VALUE,
    correction: float = NO_VALUE,
) -> ndarray:
    """Variance over axes: the mean squared distance from the mean.

    Parameters
    ----------
    a : ndarray
        The elements; of complex numbers the squared moduli are averaged.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    dtype : dtype, optional
        The dtype of the result: by default float64 for integers and bools, otherwise that of
        ``a`` (of its parts, for complex numbers). What is computed is at least as wide as ``a``
        and as float32.
    out : ndarray, optional
        Where the result is stored, with any cast.
    ddof : float, optional
        The sum of squares is divided by the number of elements less this.
    keepdims : bool, optional
        Keep the axes as axes of length 1.
    where : ndarray of bool, optional
        Which elements take part.
    mean : ndarray, optional
        The mean, if it is known: an array that broadcasts to the shape of ``a``.
    correction : float, optional
        The array API's name of ``ddof``.

    Returns
    -------
    ndarray
        The variances; without dimensions if all axes are reduced.

    Warns
    -----
    RuntimeWarning
        If ``ddof`` is not below the number of elements. With ``where`` that number is known to
        the device only, and the result is NaN or infinite without a warning.

    Notes
    -----
    One launch that reads each element once. Temporary memory: where blocks share a result, some
    16 bytes for each of them (32 in float64), a few MB at most.

    Each thread goes over small batches twice, in registers, and merges them by the formula of
    Chan, Golub and LeVeque [1]_, so that the error stays at a few roundings of the result even
    where the mean is large beside the deviations. The same call always gives the same bits.

    Differences from NumPy
    ----------------------
    Halves are summed in float32. A ``dtype`` that is narrower than ``a``, or an integer, is that
    of the result only: elements are not rounded to it first.

    References
    ----------
    .. [1] T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating formulae and a pairwise algorithm for
       computing sample variances", Stanford STAN-CS-79-773, 1979.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.var(cp.asarray([[1.0, 2.0], [3.0, 6.0]]), axis=1)
    array([0.25, 2.25])
    """
    return _var(a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def std(
    a: Operand,
    axis: int | tuple[int, ...] | None = None,
    dtype: DTypeLike | None = None,
    out: ndarray | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Operand = True,
    mean: Operand = NO_VALUE,
    correction: float = NO_VALUE,
) -> ndarray:
    """Standard deviation over axes: the square root of the variance.

    Parameters
    ----------
    a : ndarray
        The elements.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    dtype : dtype, optional
        The dtype of the result; see `var`.
    out : ndarray, optional
        Where the result is stored, with any cast.
    ddof : float, optional
        The sum of squares is divided by the number of elements less this.
    keepdims : bool, optional
        Keep the axes as axes of length 1.
    where : ndarray of bool, optional
        Which elements take part.
    mean : ndarray, optional
        The mean, if it is known.
    correction : float, optional
        The array API's name of ``ddof``.

    Returns
    -------
    ndarray
        The standard deviations; without dimensions if all axes are reduced.

    See Also
    --------
    var : For warnings, accuracy, launches and memory.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.std(cp.asarray([[1.0, 2.0], [3.0, 6.0]]), axis=1)
    array([0.5, 1.5])
    """
    return _std(a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def nanmean(
    a: Operand,
    axis: int | tuple[int, ...] | None = None,
    dtype: DTypeLike | None = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    *,
    where: Operand = True,
) -> ndarray:
    """Arithmetic mean over axes, passing over NaN.

    Parameters
    ----------
    a : ndarray
        Elements to average.
    axis : int or tuple of int, optional
        The axes that are averaged; all by default.
    dtype : dtype, optional
        The dtype to sum in, as for `mean`.
    out : ndarray, optional
        Where the result is stored, with any cast; of floats or complex numbers if ``a`` is.
    keepdims : bool, optional
        Keep the averaged axes as axes of length 1.
    where : ndarray of bool, optional
        Which elements are averaged.

    Returns
    -------
    ndarray
        The means; NaN where there is nothing but NaN. Unlike NumPy's, results are not checked
        on the host to warn of it.

    Notes
    -----
    One launch that sums and counts. Temporary memory: where blocks share a result, a sum and a
    count for each of them.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.nanmean(cp.asarray([[1.0, cp.nan], [3.0, 4.0]]), axis=0)
    array([2., 4.])
    """
    return _nanmean(a, axis, dtype, out, keepdims, NO_VALUE, where)


def nanvar(
    a: Operand,
    axis: int | tuple[int, ...] | None = None,
    dtype: DTypeLike | None = None,
    out: ndarray | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Operand = True,
    mean: Operand = NO_VALUE,
    correction: float = NO_VALUE,
) -> ndarray:
    """Variance over axes, passing over NaN.

    Parameters
    ----------
    a : ndarray
        The elements.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    dtype : dtype, optional
        The dtype of the result; see `var`.
    out : ndarray, optional
        Where the result is stored, with any cast; of floats or complex numbers if ``a`` is.
    ddof : float, optional
        The sum of squares is divided by the number of elements less this.
    keepdims : bool, optional
        Keep the axes as axes of length 1.
    where : ndarray of bool, optional
        Which elements take part.
    mean : ndarray, optional
        The mean of what is not NaN, if it is known.
    correction : float, optional
        The array API's name of ``ddof``.

    Returns
    -------
    ndarray
        The variances; NaN where no more than ``ddof`` elements are left. Unlike NumPy's, results
        are not checked on the host to warn of it.

    See Also
    --------
    var : For accuracy, launches and memory.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.nanvar(cp.asarray([[1.0, cp.nan], [3.0, 4.0]]), axis=0)
    array([1., 0.])
    """
    return _nanvar(a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def nanstd(
    a: Operand,
    axis: int | tuple[int, ...] | None = None,
    dtype: DTypeLike | None = None,
    out: ndarray | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Operand = True,
    mean: Operand = NO_VALUE,
    correction: float = NO_VALUE,
) -> ndarray:
    """Standard deviation over axes, passing over NaN.

    Parameters
    ----------
    a : ndarray
        The elements.
    axis : int or tuple of int, optional
        The axes to reduce; all by default.
    dtype : dtype, optional
        The dtype of the result; see `var`.
    out : ndarray, optional
        Where the result is stored, with any cast; of floats or complex numbers if ``a`` is.
    ddof : float, optional
        The sum of squares is divided by the number of elements less this.
    keepdims : bool, optional
        Keep the axes as axes of length 1.
    where : ndarray of bool, optional
        Which elements take part.
    mean : ndarray, optional
        The mean of what is not NaN, if it is known.
    correction : float, optional
        The array API's name of ``ddof``.

    Returns
    -------
    ndarray
        The standard deviations; NaN where no more than ``ddof`` elements are left.

    See Also
    --------
    nanvar : For warnings.
    var : For accuracy, launches and memory.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.nanstd(cp.asarray([[1.0, cp.nan], [3.0, 4.0]]), axis=0)
    array([1., 0.])
    """
    return _nanstd(a, axis, dtype, out, ddof, keepdims, where, mean, correction)
