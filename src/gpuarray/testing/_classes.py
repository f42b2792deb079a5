"""Classes to derive tests from, and a check that a function is called."""

from __future__ import annotations

import contextlib
import inspect
import unittest
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import numpy as np

import gpuarray

__all__ = ["AssertFunctionIsCalled", "NumpyAliasBasicTestBase", "NumpyAliasValuesTestBase"]


class _NumpyAlias(unittest.TestCase):
    """Tests of a function that has the name of one of NumPy's; a derived class names it."""

    #: The name of the function.
    func: str

    @property
    def cupy_func(self) -> Callable[..., Any]:
        """The function of this package."""
        return getattr(gpuarray, self.func)

    @property
    def numpy_func(self) -> Callable[..., Any]:
        """NumPy's function."""
        return getattr(np, self.func)


class NumpyAliasBasicTestBase(_NumpyAlias):
    """Tests of what a function with the name of one of NumPy's says of itself.

    A derived class has its name as ``func``.
    """

    def test_argspec(self) -> None:
        """The signatures are equal."""
        assert inspect.signature(self.cupy_func) == inspect.signature(self.numpy_func)

    def test_docstring(self) -> None:
        """The documentation is its own."""
        assert self.cupy_func.__doc__
        assert self.cupy_func.__doc__ is not self.numpy_func.__doc__


class NumpyAliasValuesTestBase(_NumpyAlias):
    """Tests of what a function with the name of one of NumPy's returns.

    A derived class has its name as ``func``, and the arguments as ``args``.
    """

    args: tuple[Any, ...]

    def test_values(self) -> None:
        """The results are equal."""
        assert self.cupy_func(*self.args) == self.numpy_func(*self.args)


@contextlib.contextmanager
def AssertFunctionIsCalled(*args: Any, times_called: int = 1, **kwargs: Any) -> Iterator[None]:
    """Check how often the body of a ``with`` statement calls a function, which does nothing there.

    Parameters
    ----------
    *args, **kwargs
        As for ``unittest.mock.patch``: which function.
    times_called : int, optional
        How often.

    Yields
    ------
    unittest.mock.Mock
        What stands in the function's place.

    Raises
    ------
    AssertionError
        If it is called more or less often.

    Examples
    --------
    >>> from gpuarray import testing
    >>> import os
    >>> with testing.AssertFunctionIsCalled("os.getcwd"):
    ...     _ = os.getcwd()
    """
    with mock.patch(*args, **kwargs) as replaced:
        yield
    if replaced.call_count != times_called:
        raise AssertionError(
            f"{args[0] if args else replaced} was called {replaced.call_count} times, not "
            f"{times_called}"
        )
