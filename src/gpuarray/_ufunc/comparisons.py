"""Comparisons with what a loop's dtype cannot hold: great integers, fractions, other objects.

They have an answer all the same: an ``int8`` is less than 300, and a number does not equal None.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _dtypes, _interchange
from gpuarray._namespace.called_name import called_name
from gpuarray._ufunc import operator_table
from gpuarray.errors import HostArrayError

if TYPE_CHECKING:
    from fractions import Fraction

#: Python's function of each comparison, by the ufunc's name.
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    x.ufunc: getattr(operator, x.method) for x in operator_table.COMPARISONS
}

#: The comparison that has the same answer when its operands change places.
_MIRRORED = {
    "equal": "equal", "not_equal": "not_equal", "less": "greater", "less_equal": "greater_equal",
    "greater": "less", "greater_equal": "less_equal",
}  # fmt: skip

#: What the functions here return: a ufunc's name and its two operands.
_Comparison = tuple[str, Any, Any]


def is_comparison(name: str) -> bool:
    """Whether a ufunc is one of those behind Python's comparisons."""
    return name in _COMPARE


def with_great_integer(name: str, a: Any, b: Any) -> _Comparison | None:
    """A comparison whose Python integer the loop cannot hold, as one that can be computed.

    None is for operands of other dtypes than integers, which NumPy does not compare either.
    """
    compare = _COMPARE[name]
    if type(a) is int and type(b) is int:
        # Any elements will do to get the answer from.
        return _always(_interchange.scalar_array(0, np.dtype(np.int8)), compare(a, b))
    array, number, swapped = (b, a, True) if type(a) is int else (a, b, False)
    if type(number) is not int or not hasattr(array, "dtype") or array.dtype.kind not in "iu":
        return None
    if not isinstance(array, _array.ArrayBase):
        array = _interchange.scalar_array(array, array.dtype)
    # The number is beyond every element on its side of 0.
    return _always(array, compare(number, 0) if swapped else compare(0, number))


def defers(x: Any) -> bool:
    """Whether a comparison's right operand is no operand of the ufunc."""
    return isinstance(x, np.character) or _interchange.defers(x)


def with_object(name: str, a: Any, b: Any) -> _Comparison | None:
    """A comparison of an array with an object that is no operand, as one that can be computed.

    None is for objects that NumPy does not take for scalars, that know themselves how they compare
    with numbers, or that have no order.
    """
    if isinstance(b, _array.ArrayBase):
        if isinstance(a, _array.ArrayBase):
            return None
        a, b, name = b, a, _MIRRORED[name]
    if not isinstance(a, _array.ArrayBase):
        return None
    if isinstance(b, Number) and hasattr(b, "as_integer_ratio"):
        return _with_exact_number(name, a, b)
    if name in ("equal", "not_equal") and _equals_no_number(name, b):
        return _always(a, name == "not_equal")
    return None


def _equals_no_number(name: str, x: Any) -> bool:
    """Whether NumPy takes an object for a scalar that is equal to itself alone."""
    if isinstance(x, np.generic):
        return x.dtype.kind in "SU"
    kind: Any = type(x)
    if hasattr(kind, "__array_ufunc__") or kind.__eq__(x, 1) is not NotImplemented:
        return False
    host = np.asarray(x)
    if host.ndim:
        raise HostArrayError(
            f"{called_name(name)}: "
            f"one operand is a {type(x).__name__} in host memory; convert it with "
            "gpuarray.asarray(...)"
        )
    return host.dtype.kind in "OSU"


def _always(array: Any, answer: bool) -> _Comparison:
    """A comparison with the same answer for every element."""
    dtype = array._layout.dtype
    if _dtypes.kind(dtype) in "fc":
        return ("not_equal" if answer else "equal"), array, math.nan
    if dtype.kind in "mM":
        nat = _interchange.scalar_array("NaT", dtype)
        return ("not_equal" if answer else "equal"), array, nat
    least = False if dtype.kind == "b" else int(np.iinfo(dtype).min)
    return ("greater_equal" if answer else "less"), array, least


def _with_exact_number(name: str, array: Any, number: Any) -> _Comparison:
    """A comparison with a fraction or decimal number, which is exact as Python's."""
    from fractions import Fraction  # which would make the import of the package longer

    dtype = array._layout.dtype
    if dtype.kind == "c" and name not in ("equal", "not_equal"):
        raise TypeError(
            f"{called_name(name)}: "
            f"complex numbers have no order with {type(number).__name__}; compare the real "
            "parts"
        )
    try:
        exact = Fraction(*number.as_integer_ratio())
    except (ValueError, OverflowError):  # a decimal NaN or infinity
        return name, array, float(number)
    nearest = math.floor(exact) if dtype.kind in "biu" else _nearest(exact, dtype)
    if dtype.kind == "b":
        nearest = min(max(nearest, -1), 2)
    if nearest == exact:
        return name, array, nearest
    if name in ("equal", "not_equal"):
        return _always(array, name == "not_equal")
    # The dtype has no number between the two.
    if nearest < exact:
        return ("less_equal" if name.startswith("less") else "greater"), array, nearest
    return ("less" if name.startswith("less") else "greater_equal"), array, nearest


def _nearest(number: Fraction, dtype: np.dtype) -> float:
    """One of the two numbers of a floating dtype that a number lies between, or the number."""
    try:
        value = float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
    with np.errstate(over="ignore"):
        return float(dtype.type(value).real)
