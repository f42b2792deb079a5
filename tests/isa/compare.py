"""List the rows in which two recordings differ.

    python tests/isa/compare.py tests/isa/h200.npz emulator.npz

Values are shown where both files have them (``record.py --everything``).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.isa.comparison import bits
from tests.isa.execution import rows_of
from tests.isa.inputs import operands
from tests.isa.recording import GROUP, Recording
from tests.isa.rows import LANES


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    parser.add_argument("--lanes", type=int, default=3, help="lanes to show for a row")
    options = parser.parse_args()
    first, second = Recording.load(options.first), Recording.load(options.second)
    if first.about["seed"] != second.about["seed"]:
        parser.error("the recordings are of different operands (--seed)")
    print(f"first: {first.about}\nsecond: {second.about}")
    total = 0
    for family in first.digests:
        different = 0
        for row in rows_of(family):
            values = operands(row, first.about["seed"])
            wrong = _unlike(first, second, family, row, values)
            if wrong is None:
                known = [f"{n} has it" for n, r in (("first", first), ("second", second))
                         if row.name in r.digests.get(family, {})]  # fmt: skip
                print(f"{family}: {row.name}: only {' '.join(known) or 'in neither'}")
                different += 1
            elif wrong.any():
                different += 1
                _show(first, second, family, row, values, wrong, options.lanes)
        print(f"{family}: {different} of {len(rows_of(family))} rows differ")
        total += different
    return 1 if total else 0


def _unlike(first, second, family, row, values) -> np.ndarray | None:
    found = second.full.get(family, {}).get(row.name)
    if found is not None and row.name in first.digests.get(family, {}):
        return first.unlike(family, row, values, found)
    one, other = (r.digests.get(family, {}).get(row.name) for r in (first, second))
    return None if one is None or other is None else (one != other).repeat(GROUP)


def _show(first, second, family, row, values, wrong, lanes: int) -> None:
    print(f"{family}: {row.name}: {wrong.sum()} of {LANES} lanes")
    both = [r.full.get(family, {}).get(row.name) for r in (first, second)]
    for lane in np.flatnonzero(wrong)[:lanes]:
        given = " ".join(_hexadecimal(v, lane) for v in values)
        texts = [" ".join(_hexadecimal(v, lane) for v in f) if f else "?" for f in both]
        print(f"    lane {lane}: {given} -> {texts[0]} and {texts[1]}")


def _hexadecimal(array: np.ndarray, lane: int) -> str:
    if len(array) == LANES:
        return f"{int(bits(array)[lane]):0{2 * array.itemsize}x}"
    return array.reshape(LANES, -1)[lane].tobytes().hex()


if __name__ == "__main__":
    sys.exit(main())
