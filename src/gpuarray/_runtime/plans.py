"""The plan cache: what is decided once for operands' layouts and static arguments.

A plan is whatever a call needs and its arguments' layouts, dtypes and static values decide,
mostly a function of :mod:`gpuarray._calls`. Every stream has a table of them
(:attr:`Stream.plans`), and this module makes all of its keys: a function, then its arguments.

Python's equality is too wide for a key: 1, 1.0 and True are equal, 0.0 equals -0.0, and NaN
equals nothing. So an argument whose type allows that stands in a key together with its type,
also inside of tuples. Layouts, ints, strings, None, dtypes and types stand for themselves. A fast
path may therefore look for ``(function, layout, 1)`` without a call to here, if it has seen that
the 1 is an int.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from types import BuiltinFunctionType, EllipsisType, FunctionType, NoneType
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from gpuarray._layout import Layout
from gpuarray._runtime.stream import Stream

#: Types whose values are equal only to values of the same type and meaning.
_PLAIN = frozenset(
    [int, str, bytes, NoneType, EllipsisType, type, FunctionType, BuiltinFunctionType, Layout]
    + [type(np.dtype(char)) for char in "?bBhHiIlLqQefdFD"]
)

#: Stands first in what `static` makes, so that no argument is taken for it.
_TYPED = object()
_TRUE, _FALSE = (_TYPED, bool, True), (_TYPED, bool, False)

_Arguments = ParamSpec("_Arguments")
_Plan = TypeVar("_Plan")


def static(value: Any) -> Any:
    """A static argument as part of a key, equal only to the same value of the same type."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is bool:
        return _TRUE if value else _FALSE
    if kind is tuple:
        for x in value:
            if type(x) not in _PLAIN:
                return tuple([static(x) for x in value])
        return value
    if isinstance(value, tuple | list):
        return (_TYPED, kind, tuple([static(x) for x in value]))
    if kind is slice:
        return (_TYPED, slice, static((value.start, value.stop, value.step)))
    if isinstance(value, float | complex | np.generic):
        return (_TYPED, kind, repr(value))  # tells 0.0 from -0.0, and NaN is equal to NaN
    if hasattr(kind, "__index__"):  # such as an axis in an array without dimensions
        return (_TYPED, kind, operator.index(value))
    # mypy takes a method and that of `object` for different types.
    if isinstance(value, np.dtype) or kind.__eq__ is object.__eq__:  # type: ignore[comparison-overlap]
        return value
    return (_TYPED, kind, value)


def key_of(function: Any, *arguments: Any) -> tuple:
    """The key of the plan that a function has for layouts and static arguments."""
    return (function, *[x if type(x) in _PLAIN else static(x) for x in arguments])


def find(
    stream: Stream, key: tuple, make: Callable[_Arguments, _Plan],
    *args: _Arguments.args, **kwargs: _Arguments.kwargs,
) -> _Plan:  # fmt: skip
    """The plan that a stream has under a key of `key_of`; ``make`` plans what it lacks.

    None that ``make`` returns is not kept.
    """
    try:
        plan = stream.plans.get(key)
        if plan is None:
            plan = stream.older_plan(key)
    except TypeError:  # an argument without a hash: nothing is kept
        return make(*args, **kwargs)
    if plan is None:
        kind = stream.plan_kind
        plan = make(*args, **kwargs)
        if plan is not None and stream.plan_kind == kind:  # else a hook came or went meanwhile
            stream.keep_plan(key, plan)
    return plan


def planned(
    make: Callable[Concatenate[Stream, _Arguments], _Plan],
) -> Callable[Concatenate[Stream, _Arguments], _Plan]:
    """Decorate a function so that a stream keeps what it returns.

    The function takes the stream, then layouts and static arguments, by position. Its plans have
    the keys ``key_of(function, *arguments)``.
    """

    @functools.wraps(make)
    def find_plan(stream: Stream, *arguments: Any) -> _Plan:
        key = (find_plan, *[x if type(x) in _PLAIN else static(x) for x in arguments])
        plan = stream.plans.get(key)
        if plan is None:
            plan = find(stream, key, make, stream, *arguments)  # type: ignore[call-arg]
        return plan

    return find_plan  # type: ignore[return-value]  # arguments are given by position alone
