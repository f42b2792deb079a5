"""Tests whose random numbers are the same in each run."""

from __future__ import annotations

import functools
import random
import types
import unittest
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import gpuarray

__all__ = ["fix_random", "generate_seed"]

#: How many tests have fixed the numbers: one may call another.
_depth = 0


@contextmanager
def _fixed() -> Iterator[None]:
    global _depth
    states = None
    if not _depth:
        states = random.getstate(), np.random.get_state()
        random.seed(99)
        np.random.seed(100)
        ours = getattr(gpuarray, "random", None)
        if ours is not None:
            ours.seed(101)
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if states is not None:
            random.setstate(states[0])
            np.random.set_state(states[1])


def generate_seed() -> int:
    """A random number for a seed, within a test under `fix_random`.

    Returns
    -------
    int
        The same numbers in each run.

    Raises
    ------
    AssertionError
        Outside of such a test.

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.fix_random()
    ... def test_it():
    ...     return testing.generate_seed()
    >>> test_it() == test_it()
    True
    """
    if not _depth:
        raise AssertionError("generate_seed: the test, or its class, has no decorator fix_random")
    return int(np.random.randint(0x7FFFFFFF))


def fix_random() -> Callable[[Any], Any]:
    """A decorator: a test, or each of a `unittest.TestCase`, gets the same random numbers.

    Those are the numbers of Python's and NumPy's modules, and of this package's. What the first two
    had before is restored.

    Returns
    -------
    callable
        The decorator.

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.fix_random()
    ... def test_it():
    ...     return float(np.random.random())
    >>> test_it() == test_it()
    True
    """

    def decorator(test: Any) -> Any:
        if isinstance(test, types.FunctionType):
            return _fixed_function(test)
        if isinstance(test, type) and issubclass(test, unittest.TestCase):
            return _fixed_case(test)
        raise ValueError(f"fix_random: {test!r} is neither a test nor a class of tests")

    return decorator


def _fixed_function(test: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(test)
    def fixed(*args: Any, **kwargs: Any) -> Any:
        with _fixed():
            return test(*args, **kwargs)

    return fixed


def _fixed_case(case: Any) -> Any:
    set_up = case.setUp

    @functools.wraps(set_up)
    def fixed(self: Any) -> None:
        context = _fixed()
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        set_up(self)

    case.setUp = fixed
    return case
