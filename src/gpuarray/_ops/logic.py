"""Logic functions: comparisons, logical operations and tests of single elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gpuarray._array import ArrayBase
from gpuarray._ops.stored_values import as_values
from gpuarray._ufunc import create, create_function

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = [
    "equal", "greater", "greater_equal", "iscomplex", "isfinite", "isinf", "isnan", "isnat",
    "isneginf", "isposinf", "isreal", "less", "less_equal", "logical_and", "logical_not",
    "logical_or", "logical_xor", "not_equal",
]  # fmt: skip

equal = create("equal")
not_equal = create("not_equal")
less = create("less")
less_equal = create("less_equal")
greater = create("greater")
greater_equal = create("greater_equal")

logical_and = create("logical_and")
logical_or = create("logical_or")
logical_xor = create("logical_xor")
logical_not = create("logical_not")

isnat = create("isnat")
isnan = create("isnan")
isinf = create("isinf")
isfinite = create("isfinite")

_iscomplex, _isreal = create_function("iscomplex"), create_function("isreal")
_isneginf, _isposinf = create_function("isneginf"), create_function("isposinf")


def _test(test: Callable[..., ndarray], x: ArrayLike, name: str) -> ndarray:
    """A test of imaginary parts: of real elements, the result is in C order."""
    array = x if isinstance(x, ArrayBase) else as_values(x, name)
    layout = array._layout
    if layout.c_contiguous or layout.dtype.kind == "c":
        return test(array)
    return test(array, order="C")


def iscomplex(x: ArrayLike) -> ndarray:
    """Whether the imaginary parts of elements are not zero.

    Parameters
    ----------
    x : ndarray
        Elements to test.

    Returns
    -------
    ndarray of bool
        Of the shape of `x`; False for elements of a real dtype.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.iscomplex(cp.array([1 + 1j, 1 + 0j]))
    array([ True, False])
    """
    return _test(_iscomplex, x, "iscomplex")


def isreal(x: ArrayLike) -> ndarray:
    """Whether the imaginary parts of elements are zero.

    Parameters
    ----------
    x : ndarray
        Elements to test.

    Returns
    -------
    ndarray of bool
        Of the shape of `x`; True for elements of a real dtype.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.isreal(cp.array([1 + 1j, 1 + 0j]))
    array([False,  True])
    """
    return _test(_isreal, x, "isreal")


def isneginf(x: ArrayLike, out: ndarray | None = None) -> ndarray:
    """Whether elements are negative infinity.

    Parameters
    ----------
    x : ndarray
        Real elements to test.
    out : ndarray, optional
        Where the result is stored.

    Returns
    -------
    ndarray of bool
        Of the shape of `x`.

    Raises
    ------
    TypeError
        If `x` is complex.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.isneginf(cp.array([-cp.inf, 0.0, cp.inf]))
    array([ True, False, False])
    """
    return _isneginf(x, out=out)


def isposinf(x: ArrayLike, out: ndarray | None = None) -> ndarray:
    """Whether elements are positive infinity.

    Parameters
    ----------
    x : ndarray
        Real elements to test.
    out : ndarray, optional
        Where the result is stored.

    Returns
    -------
    ndarray of bool
        Of the shape of `x`.

    Raises
    ------
    TypeError
        If `x` is complex.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.isposinf(cp.array([-cp.inf, 0.0, cp.inf]))
    array([False, False,  True])
    """
    return _isposinf(x, out=out)
