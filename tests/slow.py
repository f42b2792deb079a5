"""Which cases of a parametrised test run only with ``nox -s slow``."""

from __future__ import annotations

from collections.abc import Iterable

import pytest


def slow_except(quick: Iterable, every: Iterable) -> list:
    """All the values of a parameter; those that are not among the quick ones are marked slow."""
    quick = list(quick)
    return [
        value if value in quick else pytest.param(value, marks=pytest.mark.slow) for value in every
    ]
