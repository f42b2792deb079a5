"""Random programs do what they do with SciPy, and leave the operands as they are."""

import pytest

from tests.sparse.differential import difference, meant, text_of
from tests.sparse.programs import Drawing


def differences(seeds):
    """What differs of the programs of some seeds."""
    found = []
    for seed in seeds:
        program = Drawing(seed).program()
        unlike = difference(program)
        if unlike and not meant(program, unlike):
            found.append(f"{seed}: {text_of(program)}: {unlike}")
    return found


def test_a_few_programs():
    assert not differences(range(40))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 2600, 200))
def test_more_programs(first):
    assert not differences(range(first, first + 200))
