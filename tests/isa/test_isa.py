"""Every row of the case tables: against exact mathematics, and against an H200's results."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from tests.isa.comparison import bits, unlike_exact
from tests.isa.execution import FAMILIES, Outcome, rows_of, run
from tests.isa.recording import GROUP, HARDWARE, Recording
from tests.isa.rows import LANES, Row, instruction

_SUB = "of two NaN the first survives, not the second: a look at every result would cost speed"
#: Rows that the emulator does not run, and rows whose bits differ from the hardware's.
UNSUPPORTED = {
    "call with registers": "functions whose parameters are registers: no compiler emits them",
}
DIFFERENT = {"sub.rn.f64": _SUB, "sub.f64": _SUB}


@cache
def outcome_of(family: str) -> Outcome:
    return run(family)


@cache
def hardware() -> Recording:
    return Recording.load(HARDWARE)


def _cases(wanted) -> list:
    return [
        pytest.param(family, row, id=f"{family}-{row.name}".replace(" ", "_"))
        for family in FAMILIES
        for row in rows_of(family)
        if wanted(row)
    ]


@pytest.fixture(autouse=True)
def known_difference(request, backend):
    if backend == "emulator" and "row" in request.fixturenames:
        known = UNSUPPORTED | (DIFFERENT if request.function is test_as_hardware else {})
        name = request.getfixturevalue("row").name
        if name in known:
            request.applymarker(pytest.mark.xfail(reason=known[name]))


def _results(family: str, row: Row) -> tuple[list[np.ndarray], list[np.ndarray]]:
    outcome = outcome_of(family)
    assert row.name not in outcome.errors, outcome.errors[row.name]
    return outcome.operands[row.name], outcome.results[row.name]


def _describe(row: Row, wrong: np.ndarray, operands, results, expected=None) -> str:
    lines = [f"{wrong.sum()} lanes of: {instruction(row)}"]
    for lane in np.flatnonzero(wrong)[:5]:
        groups = [operands, results] + ([expected] if expected is not None else [])
        texts = [
            " ".join(f"{bits(v)[lane]:#x}" for v in group if len(v) == LANES) for group in groups
        ]
        lines.append(f"lane {lane}: {' -> '.join(texts[:2])}")
        if expected is not None:
            lines[-1] += f", not {texts[2]}"
    return "\n".join(lines)


@pytest.mark.parametrize("family, row", _cases(lambda row: row.expected is not None))
def test_exact(family: str, row: Row):
    """Results are what independent mathematics expects."""
    operands, results = _results(family, row)
    wrong = unlike_exact(row, operands, results)
    if wrong.any():
        expected = row.expected(*operands)
        expected = expected if isinstance(expected, list) else [expected]
        pytest.fail(_describe(row, wrong, operands, results, expected))


@pytest.mark.parametrize("family, row", _cases(lambda row: True))
def test_as_hardware(family: str, row: Row):
    """Results are an H200's, bit for bit; those of approximations within both errors."""
    operands, results = _results(family, row)
    wrong = hardware().unlike(family, row, operands, results)
    assert wrong is not None, f"{HARDWARE.name} does not have this row: record it on a GPU"
    if wrong.any():
        pytest.fail(f"in groups of {GROUP}: {_describe(row, wrong, operands, results)}")


def test_names_are_unique():
    """Operands and recordings go by the names of rows."""
    for family in FAMILIES:
        names = [row.name for row in rows_of(family)]
        assert len(set(names)) == len(names), family
