"""A slice of the fuzzer's cases for each family: nothing differs but what is meant to."""

from __future__ import annotations

import warnings

import pytest

from tests.fuzz.families import FAMILIES, cases_of
from tests.fuzz.worker import Runner, describe, prepare

DRAWN = [name for name, (_recipe, weight) in FAMILIES.items() if weight]


@pytest.fixture(scope="module")
def runner():
    return Runner()


def findings(runner, family, seed, recipes, count):
    """What differs in some cases of a family, but for intended differences."""
    found = []
    with warnings.catch_warnings():
        prepare()
        for recipe in recipes:
            cases = cases_of(seed, recipe, range(count), "small", (family,))
            found += [describe(*difference) for difference in runner.differences(cases)]
    return [
        "\n".join([f"{x['id']} {x['function']}: {x['kind']}: {x['detail']}", x["script"]])
        for x in found
        if not x["known"]
    ]


@pytest.mark.parametrize("family", DRAWN)
def test_a_few_cases(runner, family):
    found = findings(runner, family, 12, range(4), 3)
    assert not found, "\n\n".join(found)


#: In these, NumPy sees first another of several faults of one call, or takes a number as truth.
OPEN = [("indexing", 21), ("scalars", 20), ("scalars", 21), ("garbage", 20), ("garbage", 21)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("family", "seed"),
    [(family, seed) for family in DRAWN for seed in (20, 21) if (family, seed) not in OPEN],
)
def test_more_cases(runner, family, seed):
    found = findings(runner, family, seed, range(12), 4)
    assert not found, f"{len(found)} findings\n" + "\n\n".join(found)
