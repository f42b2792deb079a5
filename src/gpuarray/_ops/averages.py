"""Averages and variances (of the page on statistics)."""

from __future__ import annotations

from typing import Any

from gpuarray._moments import Deviation
from gpuarray._reduction import NO_VALUE, Reduction

__all__ = ["nanmean", "nanstd", "nanvar", "std", "var"]

_var, _std = Deviation("var"), Deviation("std", root=True)
_nanvar, _nanstd = Deviation("nanvar", nan=True), Deviation("nanstd", root=True, nan=True)
_nanmean = Reduction("add", mean=True, nan=True)


def var(
    a: Any,
    axis: int | tuple[int, ...] | None = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = NO_VALUE,
    correction: Any = NO_VALUE,
) -> Any:
    """Variance over axes: the mean squared distance from the mean.

    Parameters
    ----------
    a : ndarray
        The elements; of complex numbers the squared moduli are averaged.
    axis : int or tuple of int, optional
        The axes to go through; all by default.
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
        The variances; without dimensions if all axes are gone through.

    Warns
    -----
    RuntimeWarning
        If ``ddof`` is not below the number of elements. With ``where`` that number is known to
        the device only, and the result is NaN or infinite without a warning.

    Notes
    -----
    One launch that reads each element once. Temporary memory: where blocks share a result, some
    16 bytes for each of them (32 in float64), a few ten thousand in all.

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
    a: Any,
    axis: int | tuple[int, ...] | None = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = NO_VALUE,
    correction: Any = NO_VALUE,
) -> Any:
    """Standard deviation over axes: the square root of the variance.

    Parameters
    ----------
    a : ndarray
        The elements.
    axis : int or tuple of int, optional
        The axes to go through; all by default.
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
        The standard deviations; without dimensions if all axes are gone through.

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
    a: Any,
    axis: int | tuple[int, ...] | None = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    *,
    where: Any = True,
) -> Any:
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
        Where the result is stored, with any cast.
    keepdims : bool, optional
        Keep the averaged axes as axes of length 1.
    where : ndarray of bool, optional
        Which elements are averaged.

    Returns
    -------
    ndarray
        The means; NaN where there is nothing but NaN. Unlike NumPy's, results are not looked at
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
    a: Any,
    axis: int | tuple[int, ...] | None = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = NO_VALUE,
    correction: Any = NO_VALUE,
) -> Any:
    """Variance over axes, passing over NaN.

    Parameters
    ----------
    a : ndarray
        The elements.
    axis : int or tuple of int, optional
        The axes to go through; all by default.
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
        The mean of what is not NaN, if it is known.
    correction : float, optional
        The array API's name of ``ddof``.

    Returns
    -------
    ndarray
        The variances; NaN where no more than ``ddof`` elements are left. Unlike NumPy's, results
        are not looked at on the host to warn of it.

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
    a: Any,
    axis: int | tuple[int, ...] | None = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = NO_VALUE,
    correction: Any = NO_VALUE,
) -> Any:
    """Standard deviation over axes, passing over NaN.

    Parameters
    ----------
    a : ndarray
        The elements.
    axis : int or tuple of int, optional
        The axes to go through; all by default.
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
