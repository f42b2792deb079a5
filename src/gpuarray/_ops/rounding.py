"""Mathematical functions: rounding to decimals."""

from __future__ import annotations

import builtins
import operator
from typing import TYPE_CHECKING, Any

from gpuarray._array import ArrayBase
from gpuarray._ops import complex_numbers, creation, math
from gpuarray._ops.conversion import as_values
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["around", "fix", "round"]


def round(a: ArrayLike, decimals: int = 0, out: ndarray | None = None) -> ndarray:
    """An array rounded to a number of decimals, halves to even.

    Parameters
    ----------
    a : ndarray
        The array.
    decimals : int, optional
        How many; negative ones round before the point.
    out : ndarray, optional
        Where results are stored.

    Returns
    -------
    ndarray
        Of the same dtype.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.round(cp.array([0.5, 1.25, 2.675]), 1)
    array([0.5, 1.2, 2.7])
    """
    a = a if isinstance(a, ArrayBase) else as_values(a, "round")
    decimals = operator.index(decimals)
    if a.dtype.kind == "c":
        # Real and imaginary parts on their own: complex division would mix their errors.
        result = creation.empty_like(a) if out is None else out
        complex_numbers.real(result)[...] = round(complex_numbers.real(a), decimals)
        complex_numbers.imag(result)[...] = round(complex_numbers.imag(a), decimals)
        return result
    integers = a.dtype.kind in "iu"
    if integers and decimals >= 0:
        return math.positive(a, out=out)
    if decimals == 0:
        return math.rint(a, out=out)
    if a.dtype.kind == "b":
        raise TypeError("round: bools cannot be rounded to decimals; use astype first")
    power = 10.0 ** abs(decimals)
    before, after = math.multiply, math.divide
    if decimals < 0:
        before, after = after, before
    result = before(a, power, order="A")
    math.rint(result, out=result)
    if out is None and not integers:
        return after(result, power, out=result)
    result = after(result, power, out=result)
    if out is None:
        return copies.copy(result, "K", a.dtype)
    copies.assign(out, result)
    return out


around = round


def fix(x: ArrayLike, out: ndarray | None = None) -> ndarray:
    """The nearest integers towards zero: another name of `trunc`.

    Parameters
    ----------
    x : ndarray
        The array.
    out : ndarray, optional
        Where results are stored.

    Returns
    -------
    ndarray
        Of the same dtype.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fix(cp.array([2.7, -2.7]))
    array([ 2., -2.])
    """
    x = x if isinstance(x, ArrayBase) else as_values(x, "fix")
    return math.trunc(x, out=out)


def rounded_scalar(array: ndarray, ndigits: int | None = None) -> Any:
    """Python's ``round(array, ndigits)`` of an array without dimensions.

    Without ``ndigits`` the result is an int, which waits for the device.
    """
    if array.ndim:
        raise TypeError(
            f"round: an array of shape {array.shape} is no number; use gpuarray.round(x, decimals)"
        )
    if ndigits is None:
        number: Any = array.get()[()]
        return builtins.round(number)
    return round(array, ndigits)
