"""Sums, products, differences (of the page on mathematical functions)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray.kernels.reduction.rules import NO_VALUE, REDUCTIONS, Reduction

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike, Operand, ndarray

__all__ = ["nanprod", "nansum", "prod", "sum"]

_add, _multiply = REDUCTIONS["add"], REDUCTIONS["multiply"]
_nanadd, _nanmultiply = Reduction("add", nan=True), Reduction("multiply", nan=True)


def sum(
    a: Operand,
    axis: int | tuple[int, ...] | None = None,
    dtype: DTypeLike | None = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: Operand = NO_VALUE,
    where: Operand = True,
) -> ndarray:
    """Sum of elements over axes.

    Parameters
    ----------
    a : ndarray
        Elements to sum.
    axis : int or tuple of int, optional
        The axes that are summed; all by default.
    dtype : dtype, optional
        The dtype to sum in. By default that of ``a``, but at least as wide as int64 or uint64
        for integers and bools.
    out : ndarray, optional
        Where the result is stored, with any cast.
    keepdims : bool, optional
        Keep the summed axes as axes of length 1.
    initial : scalar, optional
        What the sum starts from.
    where : ndarray of bool, optional
        Which elements are summed.

    Returns
    -------
    ndarray
        The sums; without dimensions if all axes are summed.

    Notes
    -----
    Floats are summed in many partial sums that are then combined pairwise, float16 in float32;
    the order depends on the layout only, so that the same call always gives the same bits.
    One kernel launch; where several blocks share a result, temporary memory of one partial sum for
    each block.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.sum(cp.asarray([[1, 2], [3, 4]]), axis=0)
    array([4, 6])
    """
    return _add(a, axis, dtype, out, keepdims, initial, where)


def prod(
    a: Operand,
    axis: int | tuple[int, ...] | None = None,
    dtype: DTypeLike | None = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: Operand = NO_VALUE,
    where: Operand = True,
) -> ndarray:
    """Product of elements over axes.

    Parameters
    ----------
    a : ndarray
        Elements to multiply.
    axis : int or tuple of int, optional
        The axes that are multiplied; all by default.
    dtype : dtype, optional
        The dtype to multiply in. By default that of ``a``, but at least as wide as int64 or
        uint64 for integers and bools.
    out : ndarray, optional
        Where the result is stored, with any cast.
    keepdims : bool, optional
        Keep the multiplied axes as axes of length 1.
    initial : scalar, optional
        What the product starts from.
    where : ndarray of bool, optional
        Which elements are multiplied.

    Returns
    -------
    ndarray
        The products; without dimensions if all axes are multiplied.

    Notes
    -----
    One launch. Temporary memory: where blocks share a result, one product for each of them,
    a few MB at most.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.prod(cp.asarray([[1, 2], [3, 4]]), axis=1)
    array([ 2, 12])
    """
    return _multiply(a, axis, dtype, out, keepdims, initial, where)


def nansum(
    a: Operand,
    axis: int | tuple[int, ...] | None = None,
    dtype: DTypeLike | None = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: Operand = NO_VALUE,
    where: Operand = True,
) -> ndarray:
    """Sum of elements over axes, with NaN as zero.

    Parameters
    ----------
    a : ndarray
        Elements to sum.
    axis : int or tuple of int, optional
        The axes that are summed; all by default.
    dtype : dtype, optional
        The dtype to sum in, as for `sum`.
    out : ndarray, optional
        Where the result is stored, with any cast.
    keepdims : bool, optional
        Keep the summed axes as axes of length 1.
    initial : scalar, optional
        What the sum starts from.
    where : ndarray of bool, optional
        Which elements are summed.

    Returns
    -------
    ndarray
        The sums; without dimensions if all axes are summed.

    Notes
    -----
    One launch. Temporary memory: where blocks share a result, one sum for each of them,
    a few MB at most.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.nansum(cp.asarray([[1.0, cp.nan], [3.0, 4.0]]), axis=0)
    array([4., 4.])
    """
    return _nanadd(a, axis, dtype, out, keepdims, initial, where)


def nanprod(
    a: Operand,
    axis: int | tuple[int, ...] | None = None,
    dtype: DTypeLike | None = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: Operand = NO_VALUE,
    where: Operand = True,
) -> ndarray:
    """Product of elements over axes, with NaN as one.

    Parameters
    ----------
    a : ndarray
        Elements to multiply.
    axis : int or tuple of int, optional
        The axes that are multiplied; all by default.
    dtype : dtype, optional
        The dtype to multiply in, as for `prod`.
    out : ndarray, optional
        Where the result is stored, with any cast.
    keepdims : bool, optional
        Keep the multiplied axes as axes of length 1.
    initial : scalar, optional
        What the product starts from.
    where : ndarray of bool, optional
        Which elements are multiplied.

    Returns
    -------
    ndarray
        The products; without dimensions if all axes are multiplied.

    Notes
    -----
    One launch. Temporary memory: where blocks share a result, one product for each of them,
    a few MB at most.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.nanprod(cp.asarray([[2.0, cp.nan], [3.0, 4.0]]), axis=0)
    array([6., 4.])
    """
    return _nanmultiply(a, axis, dtype, out, keepdims, initial, where)
