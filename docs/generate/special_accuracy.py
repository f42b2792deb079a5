"""The table of errors in docs/special.md, made from the arguments that the tests compare.

    python docs/generate/special_accuracy.py            prints the table
    python docs/generate/special_accuracy.py --write    puts it into the page
    python docs/generate/special_accuracy.py --write --only jv,yv    makes these rows anew

Errors are in units in the last place, the greatest over the arguments: beside SciPy, beside the
nearer of SciPy's value and mpmath's at 40 digits where the test knows mpmath's function, and the
latter of the float32 loop. Where a test says that a function is a difference that cancels, units
are those of its terms.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

import mpmath  # noqa: E402 - the path comes first
import numpy as np  # noqa: E402
import scipy.special  # noqa: E402

from gpuarray.scipy import special  # noqa: E402
from tests.scipy.special import cases  # noqa: E402

PAGE = ROOT / "docs" / "special.md"
START, END = "<!-- errors: made by docs/generate/special_accuracy.py -->", "<!-- end of errors -->"


def errors(case: cases.Case) -> tuple[float, float, float]:
    """The greatest error beside SciPy, beside the nearer of SciPy and mpmath, and in float32."""
    operands = case.operands
    ours = cases.results(special, case.name, operands)
    theirs = cases.results(scipy.special, case.name, operands)
    found = [_errors(case, operands, n, x, y) for n, (x, y) in enumerate(zip(ours, theirs))]
    narrow = [x.astype(np.float32) for x in operands]
    ours = cases.results(special, case.name, narrow)
    theirs = cases.results(scipy.special, case.name, [x.astype(float) for x in narrow])
    with np.errstate(all="ignore"):
        theirs = [x.astype(np.float32) for x in theirs]
    single = [_errors(case, narrow, n, x, y) for n, (x, y) in enumerate(zip(ours, theirs))]
    return max(x for x, _ in found), max(x for _, x in found), max(x for _, x in single)


def _errors(
    case: cases.Case, operands: Any, number: int, actual: np.ndarray, wanted: np.ndarray
) -> tuple[float, float]:
    """The greatest error beside SciPy, and beside the nearer of SciPy and mpmath."""
    distance = _distance(case, operands, actual, wanted, number)
    nearer, far = distance.copy(), np.flatnonzero(distance > 1)
    if case.exact is not None and len(far):
        exact = wanted.copy()
        for i in far:
            arguments = [x[i] for x in operands]
            exact[i] = cases.exact_value(mpmath, case, arguments, number, wanted[i])
        nearer = np.minimum(distance, _distance(case, operands, actual, exact, number))
    return float(distance.max(initial=0)), float(nearer.max(initial=0))


def _distance(case: cases.Case, operands: Any, actual: Any, wanted: Any, number: int) -> np.ndarray:
    found = np.asarray(cases.distances(case, operands, actual, wanted, number), float)
    tiny = 2 * np.finfo(actual.dtype).tiny
    found[(actual == wanted) | ((np.abs(actual) < tiny) & (np.abs(wanted) < tiny))] = 0
    return np.where(np.isfinite(wanted), found, 0)


def table(only: list[str]) -> str:
    """The table in Markdown; rows of other functions than ``only`` are those of the page."""
    rows: dict[str, str] = {}
    if only:
        there = PAGE.read_text().split(START)[1].split(END)[0]
        rows = {x.split("`")[1]: x for x in there.splitlines() if x.startswith("| `")}
    for path in sorted((ROOT / "tests" / "scipy" / "special").glob("test_*.py")):
        module: Any = importlib.import_module(f"tests.scipy.special.{path.stem}")
        for case in getattr(module, "CASES", ()):
            # Other modules have cases of other kinds.
            if not isinstance(case, cases.Case) or (only and case.name not in only):
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                beside_scipy, nearer, single = errors(case)
            low = min([x.min() for x in case.operands])
            high = max([x.max() for x in case.operands])
            figures = " | ".join([f"{x:.3g}" for x in (beside_scipy, nearer, single)])
            rows[case.name] = f"| `{case.name}` | {low:.3g} to {high:.3g} | {figures} |"
    lines = [
        "| function | arguments | beside SciPy | beside the nearer | float32 |",
        "| --- | --- | --- | --- | --- |",
        *[rows[name] for name in sorted(rows)],
    ]
    return "\n".join(lines)


def main() -> int:
    """Print the table, or write it."""
    options = sys.argv[1:]
    only = options[options.index("--only") + 1].split(",") if "--only" in options else []
    made = table(only)
    if "--write" not in options:
        sys.stdout.write(made + "\n")
        return 0
    text = PAGE.read_text()
    before, rest = text.split(START)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{START}\n\n{made}\n\n{END}{after}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
