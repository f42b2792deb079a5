"""Which cases of a parametrised test run only with ``nox -s slow``."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest


def slow_except(quick: Iterable, every: Iterable) -> list:
    """All the values of a parameter; those that are not among the quick ones are marked slow."""
    quick = list(quick)
    return [
        value if value in quick else pytest.param(value, marks=pytest.mark.slow) for value in every
    ]


def slow_off_axes(*parameters: Iterable) -> list:
    """The product of several parameters' values, for one ``parametrize`` with all their names.

    Quick is each value of a parameter beside the first values of the others. A third of the other
    combinations, in which each value meets every third one of another parameter, are marked slow;
    the rest is left out, since what depends on two parameters does not depend on each pair.
    """
    cases = []
    for numbered in itertools.product(*[list(enumerate(values)) for values in parameters]):
        places, values = zip(*numbered, strict=True)
        off = sum(place > 0 for place in places) > 1
        if not off or sum(places) % 3 == 2:
            cases.append(pytest.param(*values, marks=pytest.mark.slow if off else ()))
    return cases
