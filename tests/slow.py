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

    Quick is each value of a parameter beside the first values of the others; the other combinations
    are marked slow.
    """
    cases = []
    for places in itertools.product(*[list(enumerate(values)) for values in parameters]):
        off = sum(place > 0 for place, _ in places) > 1
        values = [value for _, value in places]
        cases.append(pytest.param(*values, marks=pytest.mark.slow if off else ()))
    return cases
