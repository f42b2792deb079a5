"""Signatures as `help` shows them: names and defaults, as NumPy's are."""

from __future__ import annotations

from types import FunctionType
from typing import Any


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
