"""Random programs do what they do with SciPy, and leave the operands as they are."""

import pytest

from tests.sparse.differential import difference, meant, text_of
from tests.sparse.graph_programs import GraphDrawing
from tests.sparse.programs import Drawing
from tests.sparse.solver_programs import SolverDrawing


def differences(seeds, drawing=Drawing):
    """What differs of the programs of some seeds."""
    found = []
    for seed in seeds:
        program = drawing(seed).program()
        unlike = difference(program)
        if unlike and not meant(program, unlike):
            found.append(f"{seed}: {text_of(program)}: {unlike}")
    return found


def test_a_few_programs():
    assert not differences(range(40))


def test_a_few_programs_of_solvers():
    assert not differences(range(40), SolverDrawing)


def test_a_few_programs_of_graphs():
    assert not differences(range(20), GraphDrawing)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 2600, 200))
def test_more_programs(first):
    assert not differences(range(first, first + 200))


# No more of graphs: for some of them SciPy writes beyond its arrays, which ends the process later.
@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1600, 200))
def test_more_programs_of_solvers(first):
    assert not differences(range(first, first + 200), SolverDrawing)
