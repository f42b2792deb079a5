"""Searching (of the page on sorting, searching and counting)."""

from __future__ import annotations

from typing import Any

from gpuarray._reduction import ArgReduction

__all__ = ["argmax", "argmin"]

_argmax, _argmin = ArgReduction("argmax", True), ArgReduction("argmin", False)


def argmax(a: Any, axis: int | None = None, out: Any = None, *, keepdims: bool = False) -> Any:
    """Positions of the greatest elements along an axis.

    Parameters
    ----------
    a : ndarray
        Elements to search. The first NaN is the greatest; complex numbers are compared by their
        real and then by their imaginary parts.
    axis : int, optional
        The axis to search; by default the position in the flattened array is returned.
    out : ndarray of int64, optional
        Where the result is stored.
    keepdims : bool, optional
        Keep the searched axis as an axis of length 1.

    Returns
    -------
    ndarray of int64
        Positions; of equal elements, the first.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.argmax(cp.asarray([[1, 5, 5], [7, 2, 3]]), axis=1)
    array([1, 0])
    """
    return _argmax(a, axis, out, keepdims)


def argmin(a: Any, axis: int | None = None, out: Any = None, *, keepdims: bool = False) -> Any:
    """Positions of the least elements along an axis.

    Parameters
    ----------
    a : ndarray
        Elements to search. The first NaN is the least; complex numbers are compared by their
        real and then by their imaginary parts.
    axis : int, optional
        The axis to search; by default the position in the flattened array is returned.
    out : ndarray of int64, optional
        Where the result is stored.
    keepdims : bool, optional
        Keep the searched axis as an axis of length 1.

    Returns
    -------
    ndarray of int64
        Positions; of equal elements, the first.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.argmin(cp.asarray([[1, 5, 5], [7, 2, 3]]), axis=1)
    array([0, 1])
    """
    return _argmin(a, axis, out, keepdims)
