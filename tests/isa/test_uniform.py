"""An operand that is the same for all threads gives the result that it gives in its own thread."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.isa.comparison import bits
from tests.isa.execution import rows_of, run, run_uniform
from tests.isa.rows import Row, instruction
from tests.slow import slow_except

#: Rows whose operands are data alone: no addresses, no other threads.
FAMILIES = ("integer", "logic", "convert", "floating", "half", "approximate")
_OF_THE_THREAD = re.compile(r"%(?:i|lane|t|s|sb)\b")
_DIRECTED = re.compile(
    r"(?:add|sub|mul|fma|mad|div|rcp|sqrt|cvt)\.(?:\w+\.)*(?:rz|rm|rp|rzi|rmi)\b"
)
LANE = 3


def _uniform(row: Row) -> list[Row]:
    """A row with all operands uniform, each one alone, and all but each."""
    count = len(row.inputs)
    patterns = {(True,) * count}
    if count > 1:
        patterns |= {tuple(j == k for j in range(count)) for k in range(count)}
        patterns |= {tuple(j != k for j in range(count)) for k in range(count)}
    return [replace(row, uniform=pattern) for pattern in sorted(patterns)]


def _check(rows: list[Row], family: str) -> None:
    outcome = run(family, rows=rows)
    variants = [
        variant
        for row in rows
        if row.inputs and not row.scratch and row.name not in outcome.errors
        and not _OF_THE_THREAD.search(instruction(row))
        for variant in _uniform(row)
    ]  # fmt: skip
    assert variants
    errors, results = run_uniform(variants, outcome, LANE)
    assert not errors
    for row, found in zip(variants, results, strict=True):
        for got, expected in zip(found, outcome.results[row.name], strict=True):
            name = f"{row.name}, uniform {row.uniform}"
            assert bits(got)[LANE] == bits(expected)[LANE], name
            if all(row.uniform):
                assert (bits(got) == bits(got)[0]).all(), name


def test_directed_rounding():
    for family in ("floating", "convert"):
        _check([row for row in rows_of(family) if _DIRECTED.match(row.name)], family)


@pytest.mark.parametrize("family", slow_except([], FAMILIES))
def test_every_instruction(family):
    _check(rows_of(family), family)
