"""Truth value testing (of the page on logic functions)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray.kernels.reduction.rules import NO_VALUE, REDUCTIONS

if TYPE_CHECKING:
    from gpuarray._types import Operand, ndarray

__all__ = ["all", "any"]

_and, _or = REDUCTIONS["logical_and"], REDUCTIONS["logical_or"]


def all(
    a: Operand,
    axis: int | tuple[int, ...] | None = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    *,
    where: Operand = True,
) -> ndarray:
    """Whether all elements along axes are true.

    Parameters
    ----------
    a : ndarray
        Elements to test; those that are not zero are true, NaN among them.
    axis : int or tuple of int, optional
        The axes that are tested; all by default.
    out : ndarray, optional
        Where the result is stored.
    keepdims : bool, optional
        Keep the tested axes as axes of length 1.
    where : ndarray of bool, optional
        Which elements are tested.

    Returns
    -------
    ndarray
        Of dtype bool; without dimensions if all axes are tested.

    Notes
    -----
    One launch. Temporary memory: where blocks share a result, one byte for each of them,
    a few MB at most.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.all(cp.asarray([[1, 2], [0, 4]]), axis=1)
    array([ True, False])
    """
    return _and(a, axis, None, out, keepdims, NO_VALUE, where)


def any(
    a: Operand,
    axis: int | tuple[int, ...] | None = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    *,
    where: Operand = True,
) -> ndarray:
    """Whether any element along axes is true.

    Parameters
    ----------
    a : ndarray
        Elements to test; those that are not zero are true, NaN among them.
    axis : int or tuple of int, optional
        The axes that are tested; all by default.
    out : ndarray, optional
        Where the result is stored.
    keepdims : bool, optional
        Keep the tested axes as axes of length 1.
    where : ndarray of bool, optional
        Which elements are tested.

    Returns
    -------
    ndarray
        Of dtype bool; without dimensions if all axes are tested.

    Notes
    -----
    One launch. Temporary memory: where blocks share a result, one byte for each of them,
    a few MB at most.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.any(cp.asarray([[1, 2], [0, 0]]), axis=1)
    array([ True, False])
    """
    return _or(a, axis, None, out, keepdims, NO_VALUE, where)
