"""Extrema and means (of the page on statistics)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray.kernels.reduction.rules import NO_VALUE, REDUCTIONS, Reduction

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike, Operand, ndarray

__all__ = ["amax", "amin", "max", "mean", "min", "nanmax", "nanmin"]

_maximum, _minimum = REDUCTIONS["maximum"], REDUCTIONS["minimum"]
_fmax, _fmin = REDUCTIONS["fmax"], REDUCTIONS["fmin"]
_mean = Reduction("add", mean=True)


def max(
    a: Operand,
    axis: int | tuple[int, ...] | None = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: Operand = NO_VALUE,
    where: Operand = True,
) -> ndarray:
    """Greatest element over axes.

    Parameters
    ----------
    a : ndarray
        Elements to compare; NaN wins.
    axis : int or tuple of int, optional
        The axes that are compared; all by default.
    out : ndarray, optional
        Where the result is stored, with any cast.
    keepdims : bool, optional
        Keep the compared axes as axes of length 1.
    initial : scalar, optional
        The least value of the result; needed for empty axes and with ``where``.
    where : ndarray of bool, optional
        Which elements are compared.

    Returns
    -------
    ndarray
        The greatest elements; without dimensions if all axes are compared.

    Notes
    -----
    One launch. Temporary memory: where blocks share a result, one element for each of them,
    a few MB at most.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.max(cp.asarray([[1, 4], [3, 2]]), axis=0)
    array([3, 4])
    """
    return _maximum(a, axis, None, out, keepdims, initial, where)


def min(
    a: Operand,
    axis: int | tuple[int, ...] | None = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: Operand = NO_VALUE,
    where: Operand = True,
) -> ndarray:
    """Least element over axes.

    Parameters
    ----------
    a : ndarray
        Elements to compare; NaN wins.
    axis : int or tuple of int, optional
        The axes that are compared; all by default.
    out : ndarray, optional
        Where the result is stored, with any cast.
    keepdims : bool, optional
        Keep the compared axes as axes of length 1.
    initial : scalar, optional
        The greatest value of the result; needed for empty axes and with ``where``.
    where : ndarray of bool, optional
        Which elements are compared.

    Returns
    -------
    ndarray
        The least elements; without dimensions if all axes are compared.

    Notes
    -----
    One launch. Temporary memory: where blocks share a result, one element for each of them,
    a few MB at most.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.min(cp.asarray([[1, 4], [3, 2]]), axis=0)
    array([1, 2])
    """
    return _minimum(a, axis, None, out, keepdims, initial, where)


amax = max
amin = min


def mean(
    a: Operand,
    axis: int | tuple[int, ...] | None = None,
    dtype: DTypeLike | None = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    *,
    where: Operand = True,
) -> ndarray:
    """Arithmetic mean over axes.

    Parameters
    ----------
    a : ndarray
        Elements to average.
    axis : int or tuple of int, optional
        The axes that are averaged; all by default.
    dtype : dtype, optional
        The dtype to sum in: by default float64 for integers and bools, float32 for float16 and
        otherwise that of ``a``.
    out : ndarray, optional
        Where the result is stored, with any cast.
    keepdims : bool, optional
        Keep the averaged axes as axes of length 1.
    where : ndarray of bool, optional
        Which elements are averaged. Where that is none, the result is NaN; unlike NumPy's, the
        mask's content is not checked on the host to warn of it.

    Returns
    -------
    ndarray
        The means; without dimensions if all axes are averaged.

    Notes
    -----
    One launch. Temporary memory: where blocks share a result, one sum for each of them
    (with ``where`` also a count), a few MB at most.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.mean(cp.asarray([[1, 2], [3, 4]]), axis=0)
    array([2., 3.])
    """
    return _mean(a, axis, dtype, out, keepdims, NO_VALUE, where)


def nanmax(
    a: Operand,
    axis: int | tuple[int, ...] | None = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: Operand = NO_VALUE,
    where: Operand = True,
) -> ndarray:
    """Greatest element over axes, passing over NaN.

    Parameters
    ----------
    a : ndarray
        Elements to compare.
    axis : int or tuple of int, optional
        The axes that are compared; all by default.
    out : ndarray, optional
        Where the result is stored, with any cast.
    keepdims : bool, optional
        Keep the compared axes as axes of length 1.
    initial : scalar, optional
        The least value of the result; needed for empty axes and with ``where``.
    where : ndarray of bool, optional
        Which elements are compared.

    Returns
    -------
    ndarray
        The greatest elements; NaN where there is nothing but NaN. Unlike NumPy's, results are not
        looked at on the host to warn of it.

    Notes
    -----
    One launch. Temporary memory: where blocks share a result, one element for each of them,
    a few MB at most.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.nanmax(cp.asarray([[1.0, cp.nan], [3.0, 2.0]]), axis=0)
    array([3., 2.])
    """
    return _fmax(a, axis, None, out, keepdims, initial, where)


def nanmin(
    a: Operand,
    axis: int | tuple[int, ...] | None = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: Operand = NO_VALUE,
    where: Operand = True,
) -> ndarray:
    """Least element over axes, passing over NaN.

    Parameters
    ----------
    a : ndarray
        Elements to compare.
    axis : int or tuple of int, optional
        The axes that are compared; all by default.
    out : ndarray, optional
        Where the result is stored, with any cast.
    keepdims : bool, optional
        Keep the compared axes as axes of length 1.
    initial : scalar, optional
        The greatest value of the result; needed for empty axes and with ``where``.
    where : ndarray of bool, optional
        Which elements are compared.

    Returns
    -------
    ndarray
        The least elements; NaN where there is nothing but NaN. Unlike NumPy's, results are not
        looked at on the host to warn of it.

    Notes
    -----
    One launch. Temporary memory: where blocks share a result, one element for each of them,
    a few MB at most.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.nanmin(cp.asarray([[1.0, cp.nan], [3.0, 2.0]]), axis=0)
    array([1., 2.])
    """
    return _fmin(a, axis, None, out, keepdims, initial, where)
