"""Classes of tests that run once for each set of attributes."""

from __future__ import annotations

import itertools
import sys
import unittest
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["parameterize", "product", "product_dict"]


def product(parameter: dict[str, Any]) -> list[dict[str, Any]]:
    """All combinations of values.

    Parameters
    ----------
    parameter : dict
        The values of each name.

    Returns
    -------
    list of dict
        A value of each name, in all combinations.

    Examples
    --------
    >>> from gpuarray import testing
    >>> testing.product({"n": [1, 2], "order": ["C"]})
    [{'n': 1, 'order': 'C'}, {'n': 2, 'order': 'C'}]
    """
    names = sorted(parameter)
    combinations = itertools.product(*[parameter[name] for name in names])
    return [dict(zip(names, values, strict=True)) for values in combinations]


def product_dict(*parameters: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All combinations of sets of values.

    Parameters
    ----------
    *parameters : list of dict
        Sets of values by name.

    Returns
    -------
    list of dict
        One set of each list together, in all combinations.

    Examples
    --------
    >>> from gpuarray import testing
    >>> testing.product_dict([{"a": 1}, {"a": 2}], [{"b": 3}])
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    """
    combined: list[dict[str, Any]] = []
    for sets in itertools.product(*parameters):
        merged: dict[str, Any] = {}
        for one in sets:
            merged |= one
        combined.append(merged)
    return combined


def parameterize(*params: dict[str, Any]) -> Callable[[type], Any]:
    """A decorator: a class of tests runs once for each set of attributes.

    Parameters
    ----------
    *params : dict
        Values by the names of the attributes.

    Returns
    -------
    callable
        The decorator, of classes that pytest collects and of `unittest.TestCase`. Of the latter, it
        puts a class for each set into the module, and leaves None of the class itself.

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.parameterize({"n": 3}, {"n": 4})
    ... class TestLength:
    ...     def test_length(self):
    ...         assert len(testing.shaped_arange((self.n,))) == self.n
    """

    def decorator(cls: type) -> Any:
        if issubclass(cls, unittest.TestCase):
            _generate(cls, params)
            return None
        return _mark(cls, params)

    return decorator


def _name(number: int, values: dict[str, Any]) -> str:
    shown = ", ".join([f"{name}={_text(value)}" for name, value in sorted(values.items())])
    return f"_param_{number}_{{{shown}}}"


def _text(value: Any) -> str:
    name = getattr(value, "__name__", None)
    text = name if isinstance(name, str) else repr(value)
    return text if len(text) <= 100 else f"{text[:48]}...{text[-49:]}"


def _generate(cls: type, params: tuple[dict[str, Any], ...]) -> None:
    module = sys.modules[cls.__module__]
    for number, values in enumerate(params):
        name = cls.__name__ + _name(number, values)
        # Functions stay functions: as attributes of a class they would become methods.
        members = {key: staticmethod(x) if callable(x) else x for key, x in values.items()}
        made = type(name, (cls,), {**members, "__module__": cls.__module__})
        setattr(module, name, made)


def _mark(cls: type, params: tuple[dict[str, Any], ...]) -> type:
    import pytest

    if hasattr(cls, "_gpuarray_parameterized"):
        raise RuntimeError(
            f"parameterize: {cls.__name__} is parameterized already; combine the sets with "
            "product_dict"
        )

    @pytest.fixture(autouse=True)
    def set_attributes(self: Any, _gpuarray_parameters: dict[str, Any]) -> Iterator[None]:
        self.__dict__.update(_gpuarray_parameters)
        yield
        for name in _gpuarray_parameters:
            self.__dict__.pop(name, None)

    members = {"_gpuarray_parameterized": set_attributes, "__module__": cls.__module__}
    made = type(cls.__name__, (cls,), {**members, "__doc__": cls.__doc__})
    sets = [pytest.param(values, id=_name(i, values)) for i, values in enumerate(params)]
    return pytest.mark.parametrize("_gpuarray_parameters", sets)(made)
