"""Factorials, double factorials and those of any step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

import gpuarray as cp
from gpuarray._fusion import fuse
from gpuarray._ops.stored_values import as_values
from gpuarray.scipy.special._gamma_functions import gamma, rgamma

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = ["factorial", "factorial2", "factorialk"]


def factorial(n: Any, exact: bool = False, extend: str = "zero") -> Any:
    """The factorial: the product of the integers up to a number.

    Parameters
    ----------
    n : array_like
        Numbers.
    exact : bool, optional
        Return integers: of arrays int64, of a number Python's.
    extend : {'zero', 'complex'}, optional
        What negative numbers have: 0, or the gamma function's value, which complex numbers need.

    Returns
    -------
    ndarray or int
        float64; with ``extend="complex"`` in the dtype of the gamma function.

    Raises
    ------
    ValueError
        If numbers are complex without ``extend="complex"``, or no integers with `exact`.
    OverflowError
        If an exact factorial of an array does not fit int64, which those of up to 20 do.

    Differences from SciPy
    ----------------------
    With ``exact=True`` arrays have int64 always, instead of objects where that is too small.
    Results of numbers are arrays without dimensions.

    Notes
    -----
    One launch. With ``exact=True`` the greatest number is read from the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.factorial(cp.array([3, 4, 5]))
    array([  6.,  24., 120.])
    """
    return _factorial("factorial", n, 1, exact, extend)


def factorial2(n: Any, exact: bool = False, extend: str = "zero") -> Any:
    """The double factorial: the product of every second integer up to a number.

    Parameters
    ----------
    n : array_like of int
        Numbers.
    exact : bool, optional
        Return integers: of arrays int64, of a number Python's.
    extend : {'zero', 'complex'}, optional
        What negative numbers have: 0, or that of a function that is analytic, which floats and
        complex numbers need, and which has another factor at even integers.

    Returns
    -------
    ndarray or int
        float64; with ``extend="complex"`` in the dtype of the gamma function.

    Raises
    ------
    ValueError
        If numbers are no integers without ``extend="complex"``.
    OverflowError
        If an exact number of an array does not fit int64, which those of up to 33 do.

    Differences from SciPy
    ----------------------
    With ``exact=True`` arrays have int64 always, instead of objects where that is too small.
    Results of numbers are arrays without dimensions.

    Notes
    -----
    One launch. With ``exact=True`` the greatest number is read from the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.factorial2(cp.array([5, 6, 7]), exact=True)
    array([ 15,  48, 105])
    """
    return _factorial("factorial2", n, 2, exact, extend)


def factorialk(n: Any, k: Any, exact: bool = False, extend: str = "zero") -> Any:
    """The multifactorial: the product of every k-th integer up to a number.

    Parameters
    ----------
    n : array_like of int
        Numbers.
    k : int
        The step; with ``extend="complex"`` any number but 0.
    exact : bool, optional
        Return integers: of arrays int64, of a number Python's.
    extend : {'zero', 'complex'}, optional
        What negative numbers have: 0, or that of a function that is analytic, which floats and
        complex numbers need, and which has other factors at most integers.

    Returns
    -------
    ndarray or int
        float64; with ``extend="complex"`` in the dtype of the gamma function.

    Raises
    ------
    ValueError
        If numbers are no integers without ``extend="complex"``; if `k` is 0, or less without it.
    OverflowError
        If an exact number of an array does not fit int64.

    Differences from SciPy
    ----------------------
    With ``exact=True`` arrays have int64 always, instead of objects where that is too small.
    Results of numbers are arrays without dimensions.

    Notes
    -----
    One launch. With ``exact=True`` the greatest number is read from the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.factorialk(cp.array([5, 7, 9]), 3, exact=True)
    array([ 10,  28, 162])
    """
    return _factorial("factorialk", n, k, exact, extend)


_NEEDS_COMPLEX = (
    "In order to use non-integer arguments, you must opt into this by passing `extend='complex'`. "
    "Note that this changes the result for all negative arguments (which by default return 0)."
)


def _factorial(name: str, n: Any, k: Any, exact: bool, extend: str) -> Any:
    if extend not in ("zero", "complex"):
        raise ValueError(
            f"argument `extend` must be either 'zero' or 'complex', received: {extend}"
        )
    if exact and extend == "complex":
        raise ValueError("Incompatible options: `exact=True` and `extend='complex'`")
    if name == "factorialk":
        _check_step(k, extend)
    if exact and isinstance(n, int | np.integer):
        return math.prod(range(int(n), 0, -k)) if n >= 0 else 0
    if n is None:
        return cp.asarray(np.nan)
    values = as_values(n, name)
    kind = values.dtype.kind
    if kind not in "iufc":
        raise ValueError(
            f"Unsupported data type for `n` in {name}: {values.dtype}\nPermitted data types are "
            "integers and floating point numbers, as well as complex numbers if "
            "`extend='complex' is passed."
        )
    if extend == "zero" and kind in ("c" if name == "factorial" else "fc"):
        raise ValueError(_NEEDS_COMPLEX)
    if exact and kind == "f":
        raise ValueError(
            f"`exact=True` only supports integers, cannot use data type {values.dtype}"
        )
    if values.size == 0:
        return values
    if exact:
        return _exact(name, values, int(k))
    if extend == "complex":
        return _analytic(values, k)
    if k == 1:
        return _products(values.astype(np.float64, copy=False))
    return _stepped_products(values.astype(np.float64, copy=False), float(k))


def _check_step(k: Any, extend: str) -> None:
    if not isinstance(k, int | float | complex | np.number) or isinstance(k, bool):
        raise ValueError(
            f"Unsupported data type for `k` in factorialk: {type(k)}\nPermitted data types are "
            "integers, as well as floating point numbers and complex numbers if "
            "`extend='complex' is passed."
        )
    if not isinstance(k, int | np.integer):
        if extend == "zero":
            raise ValueError(_NEEDS_COMPLEX)
    elif extend == "zero" and k < 1:
        raise ValueError(f"For `extend='zero'`, k must be a positive integer, received: {k}")
    if k == 0:
        raise ValueError("Parameter k cannot be zero!")


def _exact(name: str, values: ndarray, k: int) -> ndarray:
    """Integers from a table."""
    most = max(int(cp.max(values)), 0)
    table = [1]
    for n in range(1, most + 1):
        table.append(n * (table[n - k] if n >= k else 1))
        if table[n] > 2**63 - 1:
            raise OverflowError(
                f"{name}: the exact number of {most} does not fit int64; pass numbers less than "
                f"{n}, Python's integers, or exact=False"
            )
    found = cp.asarray(np.asarray(table, np.int64))[cp.maximum(values, 0)]
    return cp.where(values < 0, 0, found)


@fuse(kernel_name="gpuarray_factorial")
def _products(n: Any) -> Any:
    return cp.where(n < 0, 0, gamma(n + 1))


@fuse(kernel_name="gpuarray_factorialk")
def _stepped_products(n: Any, k: float) -> Any:
    # With the remainder r of n: k^((n - r) / k) gamma(n / k + 1) / gamma(r / k + 1), times r if it
    # is not 0.
    rest = n % k
    found = k ** ((n - rest) / k) * gamma(n / k + 1) / gamma(rest / k + 1)
    return cp.where(n < 0, 0, found * cp.maximum(rest, 1))


def _analytic(n: ndarray, k: Any) -> ndarray:
    """The functions of all numbers."""
    if n.dtype.kind in "iu":
        n = n.astype(np.float64)
    if k == 1:
        return _gamma_of_next(n)
    complex_power = isinstance(k, complex | np.complexfloating) or k < 0
    magnitude = _gamma_of_next(n / k)
    base = complex(k) if complex_power else k
    factor = float(rgamma(1 / k + 1)) if not isinstance(k, complex) else complex(rgamma(1 / k + 1))
    scale = factor / base ** (1 / k)
    result: ndarray = cp.power(base, n / k) * magnitude * scale
    return result


def _gamma_of_next(n: ndarray) -> ndarray:
    found: ndarray = gamma(n + 1)
    if n.dtype.kind == "c":
        return found
    # The gamma function is infinite at 0, which is here a pole with two signs.
    return cp.where(n == -1, np.nan, found)
