"""The operators of series: arithmetic with series of the same kind, arrays and numbers."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    import numpy as np

    from gpuarray._types import ndarray
    from gpuarray.polynomial._functions import SeriesFunctions


class SeriesArithmetic:
    """Operators of series of one basis, by its functions."""

    functions: ClassVar[SeriesFunctions]
    maxpower: int
    coef: ndarray
    domain: np.ndarray
    window: np.ndarray
    symbol: Any
    has_samedomain: Callable[[Any], bool]
    has_samewindow: Callable[[Any], bool]
    _like: Callable[[Any], Self]

    def _coefficients_of(self, other: Any) -> Any:
        """Another operand's coefficients; refuse series of another kind."""
        if not isinstance(other, SeriesArithmetic):
            return other
        if not isinstance(other, self.__class__):
            raise TypeError(
                f"{type(self).__name__} and {type(other).__name__} do not mix; use convert()"
            )
        if not self.has_samedomain(other):
            raise TypeError(f"the domains {self.domain} and {other.domain} differ; use convert()")
        if not self.has_samewindow(other):
            raise TypeError(f"the windows {self.window} and {other.window} differ; use convert()")
        if self.symbol != other.symbol:
            raise ValueError(
                f"the symbols {self.symbol!r} and {other.symbol!r} differ; give both one"
            )
        return other.coef

    def _combined(self, function: Callable, other: Any, reverse: bool = False) -> Any:
        """A function of both operands' coefficients, or NotImplemented if it cannot be."""
        coefficients = self._coefficients_of(other)
        operands = (coefficients, self.coef) if reverse else (self.coef, coefficients)
        try:
            return function(*operands)
        except (TypeError, ValueError):
            return NotImplemented

    def _arithmetic(self, function: Callable, other: Any, reverse: bool = False) -> Any:
        found = self._combined(function, other, reverse)
        return found if found is NotImplemented else self._like(found)

    def __neg__(self) -> Self:
        return self._like(-self.coef)

    def __pos__(self) -> Self:
        return self

    def __add__(self, other: Any) -> Any:
        return self._arithmetic(self.functions.add, other)

    def __radd__(self, other: Any) -> Any:
        return self._arithmetic(self.functions.add, other, True)

    def __sub__(self, other: Any) -> Any:
        return self._arithmetic(self.functions.sub, other)

    def __rsub__(self, other: Any) -> Any:
        return self._arithmetic(self.functions.sub, other, True)

    def __mul__(self, other: Any) -> Any:
        return self._arithmetic(self.functions.mul, other)

    def __rmul__(self, other: Any) -> Any:
        return self._arithmetic(self.functions.mul, other, True)

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, bool) or not isinstance(other, numbers.Number):
            raise TypeError(f"unsupported types for true division: '{type(self)}', '{type(other)}'")
        return self.__floordiv__(other)

    def __rtruediv__(self, other: Any) -> Any:
        return NotImplemented

    def __divmod__(self, other: Any) -> Any:
        found = self._combined(self.functions.div, other)
        return found if found is NotImplemented else tuple([self._like(x) for x in found])

    def __rdivmod__(self, other: Any) -> Any:
        found = self._combined(self.functions.div, other, True)
        return found if found is NotImplemented else tuple([self._like(x) for x in found])

    def __floordiv__(self, other: Any) -> Any:
        found = self.__divmod__(other)
        return found if found is NotImplemented else found[0]

    def __rfloordiv__(self, other: Any) -> Any:
        found = self.__rdivmod__(other)
        return found if found is NotImplemented else found[0]

    def __mod__(self, other: Any) -> Any:
        found = self.__divmod__(other)
        return found if found is NotImplemented else found[1]

    def __rmod__(self, other: Any) -> Any:
        found = self.__rdivmod__(other)
        return found if found is NotImplemented else found[1]

    def __pow__(self, other: int) -> Self:
        return self._like(self.functions.pow(self.coef, other, self.maxpower))
