"""Comparisons of sparse arrays, and the greater or the lesser of two."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from gpuarray._ops import logic, math
from gpuarray._ops.creation import ones
from gpuarray.scipy.sparse import _merging
from gpuarray.scipy.sparse._warnings import warn

__all__ = ["compare", "extreme"]

#: Of each comparison: Python's operator, its symbol, what is true where it is false.
_COMPARISONS: dict[str, tuple[Any, str, str]] = {
    "equal": (operator.eq, "==", "not_equal"),
    "not_equal": (operator.ne, "!=", "equal"),
    "less": (operator.lt, "<", "greater_equal"),
    "greater": (operator.gt, ">", "less_equal"),
    "less_equal": (operator.le, "<=", "greater"),
    "greater_equal": (operator.ge, ">=", "less"),
}


def _with_scalar(a: Any, function: Any, other: Any) -> Any:
    """A function of the stored elements and a number, of which 0 gives 0; zeros are dropped."""
    a = _merging.canonical(_merging.compressed(a))
    result = a._with_data(function(a.data, other), copy=True)
    result.eliminate_zeros()
    return result


def extreme(a: Any, other: Any, name: str) -> Any:
    """The maximum or the minimum of a sparse array and something else."""
    from gpuarray.scipy.sparse import _elementwise as kinds  # which imports this module

    operand = kinds.as_operand(other, name)
    if operand is None:
        raise NotImplementedError(f"{name} with an unrecognized array type is not supported")
    function = getattr(math, name)
    if kinds.is_scalar(operand):
        number = kinds.on_host(operand)
        if not getattr(np, name)(0, number):
            return _with_scalar(a, function, operand)
        sign = "positive" if name == "maximum" else "negative"
        warn(f"Taking {name} with a {sign} number results in a dense matrix.")
        return type(a)(function(a.toarray(), operand))
    if kinds.is_sparse(operand):
        if operand.shape != a.shape:
            raise ValueError(f"inconsistent shapes {a.shape=} {operand.shape=}")
        return _merging.binary(name, a, operand)
    return function(a.toarray(), operand)


def compare(a: Any, other: Any, name: str) -> Any:
    """A comparison of a sparse array and something else, element by element."""
    from gpuarray.scipy.sparse import _elementwise as kinds

    operand = kinds.as_operand(other, name)
    if operand is None:
        return NotImplemented
    holds, symbol, negated = _COMPARISONS[name]
    if kinds.is_scalar(operand):
        return _compare_scalar(a, kinds.on_host(operand), name)
    if not kinds.is_sparse(operand):
        return getattr(logic, name)(a.toarray(), operand)
    if operand.shape != a.shape:
        if name in ("equal", "not_equal"):
            return name == "not_equal"
        raise ValueError(f"inconsistent shapes: {a.shape} and {operand.shape}")
    if not holds(0, 0):
        return _merging.binary(name, a, operand)
    warn(
        f"Comparing two sparse matrices using {symbol} is inefficient. Try using "
        f"{_COMPARISONS[negated][1]} instead."
    )
    return _inverse(_merging.binary(negated, a, operand))


def _compare_scalar(a: Any, number: Any, name: str) -> Any:
    holds, symbol, negated = _COMPARISONS[name]
    nan = bool(number != number)
    if not holds(0, number):
        if nan:
            return type(a)(a.shape, dtype=np.bool_)
        return _with_scalar(a, getattr(logic, name), number)
    warn(
        f"Comparing a sparse matrix with {number} using {symbol} is inefficient. Try using "
        f"{_COMPARISONS[negated][1]} instead."
    )
    if nan:
        return type(a)(ones(a.shape, dtype=np.bool_))
    return _inverse(_with_scalar(a, getattr(logic, negated), number))


def _inverse(a: Any) -> Any:
    """True where a sparse array of truths is not."""
    return type(a)(logic.logical_not(a.toarray()))
