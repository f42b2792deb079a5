"""Every row of the case tables: against exact mathematics, and against an H200's results."""

from __future__ import annotations

from collections.abc import Callable
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


def _mnemonic(row: Row) -> str:
    return row.name.replace(" ", ".").partition(".")[0]


#: A case has all the rows of a mnemonic: one each would be five thousand.
GROUPS = [
    pytest.param(family, mnemonic, id=f"{family}-{mnemonic}")
    for family in FAMILIES
    for mnemonic in dict.fromkeys(map(_mnemonic, rows_of(family)))
]


def _check(family: str, mnemonic: str, known: dict[str, str], fault_of: Callable) -> None:
    """Look at each row; what is known to differ must do so still.

    ``fault_of(family, row, operands, results)`` returns what is wrong with the results, or nothing.
    """
    outcome = outcome_of(family)
    faults = {}
    for row in rows_of(family):
        if _mnemonic(row) != mnemonic:
            continue
        fault = outcome.errors.get(row.name)
        if fault is None:
            fault = fault_of(family, row, outcome.operands[row.name], outcome.results[row.name])
        if row.name in known:
            fault = None if fault else f"no longer different: {known[row.name]}"
        if fault:
            faults[row.name] = fault
    assert not faults, "\n".join(f"{name}: {fault}" for name, fault in faults.items())


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


def _unlike_mathematics(family: str, row: Row, operands, results) -> str | None:
    if row.expected is None:
        return None
    wrong = unlike_exact(row, operands, results)
    if not wrong.any():
        return None
    expected = row.expected(*operands)
    expected = expected if isinstance(expected, list) else [expected]
    return _describe(row, wrong, operands, results, expected)


def _unlike_hardware(family: str, row: Row, operands, results) -> str | None:
    wrong = hardware().unlike(family, row, operands, results)
    if wrong is None:
        return f"{HARDWARE.name} does not have this row: record it on a GPU"
    if wrong.any():
        return f"in groups of {GROUP}: {_describe(row, wrong, operands, results)}"
    return None


@pytest.mark.parametrize("family, mnemonic", GROUPS)
def test_results(family: str, mnemonic: str, backend):
    """Results are what independent mathematics expects, and an H200's.

    They are an H200's bit for bit, those of approximations within both errors.
    """
    emulated = backend == "emulator"
    _check(family, mnemonic, UNSUPPORTED if emulated else {}, _unlike_mathematics)
    _check(family, mnemonic, UNSUPPORTED | DIFFERENT if emulated else {}, _unlike_hardware)


def test_names_are_unique():
    """Operands and recordings go by the names of rows."""
    for family in FAMILIES:
        names = [row.name for row in rows_of(family)]
        assert len(set(names)) == len(names), family
