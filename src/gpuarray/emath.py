"""Mathematical functions whose results are complex where real operands have no real result.

They are NumPy's ``emath``. To know the dtype of its result, a function looks at the values of a
real operand on the device: a reduction, for which it waits. Operands of dtypes without such values
(complex and unsigned ones), numbers and lists cost nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._array import ArrayBase
from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray._ops import casts, math, stored_values
from gpuarray._ops.host_copies import asnumpy
from gpuarray.kernels.generator.expressions import Apply
from gpuarray.kernels.generator.operations import operation
from gpuarray.kernels.reduction.rules import REDUCTIONS, Reduction

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray
    from gpuarray.kernels.reduction.launch import ReductionOp

__all__ = ["arccos", "arcsin", "arctanh", "log", "log10", "log2", "logn", "power", "sqrt"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)


class _GreatestMagnitude(Reduction):
    """The greatest absolute value."""

    __slots__ = ()

    def _computation(self, *args: Any) -> ReductionOp:
        found = super()._computation(*args)
        magnitude = Apply(operation("absolute"), (found.mapped,), found.mapped.dtype)
        return found._replace(name="greatest_magnitude", mapped=magnitude, packed=None)


#: NaN is neither below zero nor beyond one.
_least, _greatest_magnitude = REDUCTIONS["fmin"], _GreatestMagnitude("fmax")

#: The dtypes whose numbers become complex64, by their characters.
_SINGLE = frozenset("fbhBHF")


def _is_negative(x: ArrayLike) -> bool:
    """Whether a real number is below zero."""
    if not isinstance(x, ArrayBase):
        host = np.asarray(x)
        return host.dtype.kind in "if" and bool((host < 0).any())
    layout = x._layout
    if layout.dtype.kind in "buc" or not layout.size:
        return False
    return bool(asnumpy(_least(x)) < 0)


def _is_beyond_one(x: ArrayLike) -> bool:
    """Whether a real number is below -1 or above 1."""
    if not isinstance(x, ArrayBase):
        host = np.asarray(x)
        return host.dtype.kind in "iuf" and bool((abs(host) > 1).any())
    layout = x._layout
    if layout.dtype.kind in "bc" or not layout.size:
        return False
    return bool(asnumpy(_greatest_magnitude(x)) > 1)


def _as_array(x: Any, to_complex: bool) -> Any:
    """The operand on the device, as complex numbers if it has to be."""
    array: Any = x if isinstance(x, ArrayBase) else stored_values.as_values(x, "emath")
    if not to_complex:
        return array
    return casts.astype(array, "F" if array._layout.dtype.char in _SINGLE else "D", copy=False)


def sqrt(x: ArrayLike) -> ndarray:
    """The square root, complex if an element is negative.

    Parameters
    ----------
    x : ndarray
        Numbers.

    Returns
    -------
    ndarray
        Complex if an element of `x` is real and below zero.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.emath.sqrt(cp.array([-1.0, 4.0]))
    array([0.+1.j, 2.+0.j])
    """
    return math.sqrt(_as_array(x, _is_negative(x)))


def log(x: ArrayLike) -> ndarray:
    """The natural logarithm, complex if an element is negative.

    Parameters
    ----------
    x : ndarray
        Numbers.

    Returns
    -------
    ndarray
        Complex if an element of `x` is real and below zero.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.emath.log(cp.array([-1.0]))
    array([0.+3.14159265j])
    """
    return math.log(_as_array(x, _is_negative(x)))


def log10(x: ArrayLike) -> ndarray:
    """The logarithm to base 10, complex if an element is negative.

    Parameters
    ----------
    x : ndarray
        Numbers.

    Returns
    -------
    ndarray
        Complex if an element of `x` is real and below zero.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.emath.log10(cp.array([100.0]))
    array([2.])
    """
    return math.log10(_as_array(x, _is_negative(x)))


def log2(x: ArrayLike) -> ndarray:
    """The logarithm to base 2, complex if an element is negative.

    Parameters
    ----------
    x : ndarray
        Numbers.

    Returns
    -------
    ndarray
        Complex if an element of `x` is real and below zero.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.emath.log2(cp.array([8.0]))
    array([3.])
    """
    return math.log2(_as_array(x, _is_negative(x)))


def logn(n: ArrayLike, x: ArrayLike) -> ndarray:
    """The logarithm to any base, complex if an element or a base is negative.

    Parameters
    ----------
    n : ndarray
        Bases.
    x : ndarray
        Numbers; they broadcast against the bases.

    Returns
    -------
    ndarray
        Complex if an element of `n` or `x` is real and below zero.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.emath.logn(3, cp.array([9.0]))
    array([2.])
    """
    number, base = _as_array(x, _is_negative(x)), _as_array(n, _is_negative(n))
    return math.divide(math.log(number), math.log(base))


def power(x: ArrayLike, p: ArrayLike) -> ndarray:
    """Powers, complex if a base is negative.

    Parameters
    ----------
    x : ndarray
        Bases.
    p : ndarray
        Exponents; they broadcast against the bases.

    Returns
    -------
    ndarray
        Complex if an element of `x` is real and below zero; a float if integer exponents are.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.emath.power(cp.array([2, 4]), -1)
    array([0.5 , 0.25])
    """
    base, exponent = _as_array(x, _is_negative(x)), _as_array(p, False)
    if exponent._layout.dtype.kind == "i" and _is_negative(p):
        exponent = casts.astype(exponent, "d")
    return math.power(base, exponent)


def arccos(x: ArrayLike) -> ndarray:
    """The inverse cosine, complex if an element is below -1 or above 1.

    Parameters
    ----------
    x : ndarray
        Numbers.

    Returns
    -------
    ndarray
        Complex if an element of `x` is real and has no real inverse cosine.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.emath.arccos(cp.array([1.0]))
    array([0.])
    """
    return math.arccos(_as_array(x, _is_beyond_one(x)))


def arcsin(x: ArrayLike) -> ndarray:
    """The inverse sine, complex if an element is below -1 or above 1.

    Parameters
    ----------
    x : ndarray
        Numbers.

    Returns
    -------
    ndarray
        Complex if an element of `x` is real and has no real inverse sine.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.emath.arcsin(cp.array([0.0]))
    array([0.])
    """
    return math.arcsin(_as_array(x, _is_beyond_one(x)))


def arctanh(x: ArrayLike) -> ndarray:
    """The inverse hyperbolic tangent, complex if an element is below -1 or above 1.

    Parameters
    ----------
    x : ndarray
        Numbers.

    Returns
    -------
    ndarray
        Complex if an element of `x` is real and has no real inverse hyperbolic tangent.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.emath.arctanh(cp.array([0.0]))
    array([0.])
    """
    return math.arctanh(_as_array(x, _is_beyond_one(x)))


without_annotations(globals())
