"""Signatures as `help` shows them: names and defaults, as NumPy's are."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def without_annotations(namespace: dict[str, Any]) -> None:
    """Drop the annotations of a module's public functions and of its classes' methods.

    Type checkers and editors read annotations in the source. At run time they are strings with
    names that only type checkers import: `help` would show each in quotes, and nothing could
    evaluate them.

    Parameters
    ----------
    namespace : dict
        The module's globals.
    """
    for value in namespace.values():
        if isinstance(value, FunctionType):
            if value.__module__.startswith("gpuarray"):
                _drop(value)
        elif isinstance(value, type):
            for cls in value.__mro__:
                if cls.__module__.startswith("gpuarray"):
                    _drop_of_methods(cls)


def _drop_of_methods(cls: type) -> None:
    for member in vars(cls).values():
        function = getattr(member, "__func__", member)  # of class methods and static methods
        if isinstance(function, FunctionType):
            _drop(function)


def _drop(function: Any) -> None:
    while function is not None:
        function.__annotations__ = {}
        function = getattr(function, "__wrapped__", None)  # under a decorator


def as_method(function: F, name: str) -> F:
    """A function as a method of ndarray that has another name.

    The code gets the name, too: Python's messages about arguments, and the package's own
    (`called_name`), say what the user has called.
    """
    plain: Any = function
    code = plain.__code__.replace(co_name=name, co_qualname=f"ndarray.{name}")
    made: Any = FunctionType(code, plain.__globals__, name, plain.__defaults__, plain.__closure__)
    made.__kwdefaults__ = plain.__kwdefaults__
    made.__annotations__ = plain.__annotations__
    made.__doc__ = plain.__doc__
    made.__module__ = plain.__module__
    made.__qualname__ = f"ndarray.{name}"
    return made
