"""The fuzzer finds what is planted, survives what breaks, and finds nothing else."""

from __future__ import annotations

import operator
import types
from pathlib import Path

import numpy as np
import pytest

import gpuarray as cp
from tests.fuzz.campaign import Campaign, Settings
from tests.fuzz.case import Case, Interpreter, Operand, Outcome, Raised, as_python
from tests.fuzz.comparison import Difference, Fetched, compare, compare_results
from tests.fuzz.families import FAMILIES, cases_of
from tests.fuzz.families.breakdowns import PROGRAMS
from tests.fuzz.known import KNOWN, known_difference
from tests.fuzz.shrinking import shrink
from tests.fuzz.worker import Runner, describe

pytestmark = pytest.mark.filterwarnings("ignore")  # NumPy's, about arguments that are absurd


def case_of(*program, operands=(), **kwargs):
    return Case("0/0/0", "a family", "a function", tuple(operands), program, **kwargs)


# ---- comparison --------------------------------------------------------------------------------

ONES = np.ones((2, 3), "f4")


@pytest.mark.parametrize(
    ("actual", "expected", "kind"),
    [
        (Fetched(ONES, (12, 4)), ONES, None),
        (Fetched(np.float32(np.nan), ()), np.float32(np.nan), None),
        (Fetched(ONES, (4, 8)), ONES, "memory order"),
        (Fetched(ONES * 2, (12, 4)), ONES, "values"),
        (Fetched(ONES.astype("f8"), (24, 8)), ONES, "dtype"),
        (Fetched(ONES[:1], (12, 4)), ONES, "shape"),
        (Fetched(np.array(1), ()), 1, "type"),
        (1, np.int64(1), "type"),
        (1, 2, "values"),
        ([1, 2], (1,), "shape"),
        (Raised(ValueError("x"), 0), ONES, "raises ValueError"),
        (Raised(IndexError("x"), 0), Raised(ValueError("x"), 0), "IndexError, NumPy ValueError"),
        (Raised(np.exceptions.AxisError("x"), 0), Raised(IndexError("x"), 0), None),
        (Raised(KeyError("x"), 0), Raised(ValueError("x"), 0), "internal KeyError"),
        (Raised(AttributeError("x"), 0), Raised(AttributeError("x"), 0), None),
        (ONES, Raised(ValueError("x"), 0), "accepts, NumPy ValueError"),
    ],
)
def test_kinds_of_differences(actual, expected, kind):
    found = compare_results(case_of("x"), expected, actual)
    assert (found and found.kind) == kind


def test_memory_outside_of_a_view_is_compared():
    case = case_of("a[...] = 1", watched=("a",))
    before, after = np.zeros(3), np.array([0.0, 0, 1])
    found = compare(
        case, Outcome(None, [{"a": before}]), Outcome(None, [{"a": Fetched(after, (8,))}])
    )
    assert found.kind == "memory"
    assert "first at 2" in found.detail


def test_a_view_instead_of_a_copy_is_a_difference():
    x = np.ones(3)
    for ours, theirs, kind in (
        (True, True, None),
        (True, False, "sharing"),
        (False, True, "sharing"),
    ):
        found = compare(
            case_of("x"), Outcome(x, [{}], (theirs,)), Outcome(Fetched(x, (8,)), [{}], (ours,))
        )
        assert (found and found.kind) == kind


def test_views_are_those_of_operands():
    operand = Operand("a", "f4", (4, 6), "small", 7, "a_[1:, ::2]")
    for library in (np, cp):
        run = Interpreter(library).run
        assert run(case_of("(a[1:], a + 1, a.T[0])", operands=[operand])).views == (
            True,
            False,
            True,
        )


def test_tolerances_are_of_the_function():
    x = np.exp(np.linspace(-3, 3, 9))
    near, far = Fetched(np.nextafter(x, 9), (8,)), Fetched(x * (1 + 1e-12), (8,))
    assert compare_results(case_of("x", tolerance="exp"), x, near) is None
    assert compare_results(case_of("x", tolerance="exp"), x, far).kind == "values"
    assert compare_results(case_of("x", tolerance="add"), x, near).kind == "values"


# ---- cases -------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_cases_are_the_same_whichever_others_are_made(family):
    for recipe in range(20):
        every = cases_of(1, recipe, range(6), "small", (family,))
        assert cases_of(1, recipe, range(4, 6), "small", (family,)) == every[4:]
        assert every[0].family == family


@pytest.mark.parametrize("family", ["ufuncs", "indexing", "stateful", "manipulation"])
def test_most_cases_are_valid(family):
    with np.errstate(all="ignore"):
        runs = [
            Interpreter(np).run(case)
            for recipe in range(60)
            for case in cases_of(2, recipe, range(3), "small", (family,))
        ]
    raised = [x for x in runs if isinstance(x.result, Raised) or "" in x.memory[-1]]
    assert len(raised) < 0.3 * len(runs)
    assert not [x for x in raised if isinstance(x.result, Raised) and isinstance(x.result.error, (NameError, SyntaxError))]  # fmt: skip


def test_a_script_does_what_the_case_does(capsys):
    operand = Operand("a", "f4", (2, 3), "small", 7, "a_[:, ::-1].T")
    case = case_of("b = xp.sort(a, axis=0)", "b + 1", operands=[operand], watched=("a",))
    exec(as_python(case, "numpy"), {})
    x = operand.memory()
    assert capsys.readouterr().out == f"{np.sort(x[:, ::-1].T, axis=0) + 1!r}\n{x}\n"


# ---- runs --------------------------------------------------------------------------------------


@pytest.fixture
def broken_library():
    """gpuarray with a fault: rows of three or more are summed without their last element."""

    def broken_sum(a, **kwargs):
        return cp.sum(a if a.shape[-1] < 3 else a[..., :-1], **kwargs)

    return types.SimpleNamespace(sum=broken_sum, ndarray=cp.ndarray, asarray=cp.asarray, add=cp.add)


def test_a_planted_fault_is_found_and_shortened(broken_library):
    runner = Runner()
    runner._device.library = broken_library
    operand = Operand("a", "f4", (11, 14), "small", 3, "a_[1:, ::2]")
    case = case_of("b = a", "xp.sum(xp.add(b, 0), axis=1, keepdims=True)", operands=[operand])
    ((found, difference),) = runner.differences([case])
    assert (found, difference.kind) == (case, "values")
    short, difference = shrink(case, runner)
    assert difference.kind == "values"
    assert short.operands[0].memory().shape == (1, 3)
    assert "keepdims" not in short.program[-1]
    assert describe(short, difference)["known"] == ""


@pytest.mark.slow  # waits for what hangs
def test_a_campaign_survives_what_breaks_down(backend):
    settings = Settings(
        cases=len(PROGRAMS),
        repeat=len(PROGRAMS),
        families=("breakdowns",),
        hang_seconds=30,
        shrink=0,
        deaths_of_a_recipe=9,
    )
    report = Campaign(settings).run()
    assert report.cases == len(PROGRAMS)
    found = {cause["function"]: cause for cause in report.as_dict()["found"]}
    assert set(found) == {"wrong", "abort", "endless", "fault"}
    assert found["wrong"]["kind"] == "values"
    assert found["abort"]["kind"] == "crash 6"
    assert "Abort" in found["abort"]["detail"]
    assert found["endless"]["kind"] == "hang"
    if backend == "cuda":
        assert found["fault"]["kind"] == "device fault"
    assert report.restarts == 2 + (found["fault"]["kind"] == "device fault")
    assert "abort: crash 6" in report.text()
    given_up = Campaign(settings._replace(deaths_of_a_recipe=1)).run()
    assert given_up.restarts == 1
    assert given_up.cases + given_up.given_up == len(PROGRAMS)
    assert given_up.given_up > 3


# ---- intended differences ----------------------------------------------------------------------


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)
def test_intended_differences_are_documented(known):
    if known.documented.endswith(".md"):
        text = (Path(__file__).parents[2] / "docs" / known.documented).read_text()
    else:
        text = operator.attrgetter(known.documented)(cp).__doc__
    assert known.words in " ".join(text.split())


@pytest.mark.parametrize("program", ["a.astype('i1')", "xp.max(a, axis=0, out=b)"])
def test_only_casts_beyond_the_range_are_left_to_the_machine(program):
    numbers = np.array([[1.0, 300.0, np.nan, -2.5]])
    operands = [
        Operand("a", "f8", (1, 4), "small", 0, "a_", given=numbers),
        Operand("b", "i1", (4,), "small", 0, "b_"),
    ]
    case = case_of(program, operands=operands)._replace(function=program[2:].split("(")[0])
    for wrong, name in (
        ([1, 2], "floats beyond the range of integers"),
        ([0, 1], None),
        ([3], None),
    ):
        difference = Difference("values", "", np.array(wrong), np.dtype("i1"))
        known = known_difference(case, difference)
        assert (known and known.name) == name
