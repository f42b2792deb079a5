"""The methods of an array class for Python's operators.

They look a plan up themselves, which saves the small operations the call of the ufunc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from gpuarray import _array, _interchange
from gpuarray._interchange import WEAK
from gpuarray._runtime.current_stream import current
from gpuarray._ufunc import comparisons, operator_table
from gpuarray._ufunc.function import ufunc

if TYPE_CHECKING:
    from gpuarray._types import Operand, ndarray

_Result = TypeVar("_Result")


_BY_UFUNC = {
    x.ufunc: x
    for x in (
        *operator_table.BINARY,
        operator_table.MATMUL,
        *operator_table.COMPARISONS,
        *operator_table.UNARY,
    )
}


def binary_operator(
    function: ufunc[_Result],
    reflected: bool = False,
    with_number: Callable[[ndarray, Any], Any] | None = None,
) -> Callable[[ndarray, Operand], _Result]:
    """The method of an array class for an operator such as ``+``.

    ``with_number`` is called with Python's numbers that have no plan under it.
    """
    weak = unplanned = with_number or function
    row = _BY_UFUNC[function.__name__]
    defers, deferred = _interchange.defers, _not_implemented
    if comparisons.is_comparison(function.__name__):
        defers, deferred = comparisons.defers, function._compare_with_object

    def answered(self: Any, other: Any) -> Any:
        if _interchange.is_foreign(type(other), "__array_ufunc__"):
            return getattr(np, function.__name__)(self, other)  # which asks the other's class
        return deferred(self, other)

    def method(self: Any, other: Any) -> Any:
        if type(other) is type(self):
            run = current.stream.plans.get((function, self._layout, other._layout))
            if run is not None:
                return run(self, other)
        elif type(other) in WEAK:
            run = current.stream.plans.get((weak, self._layout, type(other)))
            if run is not None:
                try:
                    return run(self, other)
                except OverflowError:  # which may have an answer
                    return function._run(run, (self, other), (), (None,))
            return unplanned(self, other)
        elif not isinstance(other, _array.ArrayBase) and defers(other):
            return answered(self, other)
        return function(self, other)

    def reflected_method(self: Any, other: Any) -> Any:
        if type(other) in WEAK:
            run = current.stream.plans.get((function, type(other), self._layout))
            if run is not None:
                try:
                    return run(other, self)
                except OverflowError:
                    return function._run(run, (other, self), (), (None,))
        elif _interchange.defers(other):
            return NotImplemented
        return function(other, self)

    method.__name__, reflected_method.__name__ = row.method, row.reflected_method
    return reflected_method if reflected else method


def power_operator(
    function: ufunc[_Result], square: ufunc[_Result]
) -> Callable[[ndarray, Operand], _Result]:
    """The method for ``**``, which squares for the Python integer 2: of bools that is int8."""

    def with_number(base: Any, exponent: Any) -> Any:
        layout = base._layout
        if layout.dtype.kind != "b":
            result = function(base, exponent)
            stream = current.stream
            run = stream.plans.get((function, layout, type(exponent)))
            if run is not None:
                stream.keep_plan((with_number, layout, type(exponent)), run)
            return result
        return square(base) if type(exponent) is int and exponent == 2 else function(base, exponent)

    return binary_operator(function, with_number=with_number)


def _not_implemented(a: Any, b: Any) -> Any:
    return NotImplemented


def inplace_operator(function: ufunc[_Result]) -> Callable[[ndarray, Operand], _Result]:
    """The method of an array class for an operator such as ``+=``."""

    def method(self: Any, other: Any) -> Any:
        if type(other) is type(self) and other._held is not self._held:
            run = current.stream.plans.get((function, self._layout, other._layout, self._layout))
            if run is not None:
                return run(self, other, self)
        elif type(other) not in WEAK and not isinstance(other, _array.ArrayBase):
            if _interchange.defers(other):
                return NotImplemented
        return function(self, other, out=self)

    method.__name__ = _BY_UFUNC[function.__name__].inplace_method
    return method


def unary_operator(function: ufunc[_Result]) -> Callable[[ndarray], _Result]:
    """The method of an array class for an operator such as unary ``-``."""

    def method(self: Any) -> Any:
        run = current.stream.plans.get((function, self._layout))
        return function(self) if run is None else run(self)

    method.__name__ = _BY_UFUNC[function.__name__].method
    return method
