"""Decompositions of matrices beside CuPy's and PyTorch's: large ones, stacks, and single calls.

    python benchmarks/decompositions.py                       the table
    python benchmarks/decompositions.py --json FILE           and the figures as JSON
    python benchmarks/decompositions.py --only eigh --dtypes f4 c16
    python benchmarks/decompositions.py --drivers             ours: batched functions beside loops,
                                                              the drivers of svd; half a minute

The calls are in benchmarks/rows/decompositions.py. Times are the host's, from the call until the
device is idle, since the functions wait for it themselves; medians, the libraries take turns. The
residual is the greatest element of what should vanish, in units of the precision times the greatest
element of the operand. The targets are for float64 on an H200.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_ROOT), str(_ROOT / "src")]

import numpy as np  # noqa: E402 - the path comes first

from benchmarks import libraries  # noqa: E402
from benchmarks.rows import drivers  # noqa: E402
from benchmarks.rows.decompositions import CHECKS, SECTIONS, Section, operands  # noqa: E402

#: Of a stack so many matrices are compared.
_CHECKED = 20
#: Sizes of stacks for which a batched function is compared with a loop.
_STACKS = ((1000, 33), (1000, 64), (100, 64), (100, 128), (16, 256), (4, 512), (16, 512), (4, 1024))
#: Sizes of matrices, and their conditions, for which the drivers of svd are compared.
_SVDS = {64: (1e1, 1e8, 1e15), 256: (1e1, 1e8, 1e15), 1024: (1e1, 1e15), 2048: (1e1,)}
#: So many seconds a driver has at most, beside its first call.
_DRIVER_SECONDS = 0.1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Decompositions beside CuPy's and PyTorch's.")
    parser.add_argument("--json", metavar="FILE", help="write the figures here")
    parser.add_argument("--only", action="append", default=[], help="calls with this text")
    parser.add_argument("--dtypes", nargs="+", default=["f8"])
    parser.add_argument("--seconds", type=float, default=2, help="for a call of a library")
    parser.add_argument("--drivers", action="store_true", help="what could be chosen instead")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    return parser.parse_args()


def _time(work: Callable[[], Any], synchronize: Callable[[], Any]) -> float:
    synchronize()
    before = time.perf_counter()
    work()
    synchronize()
    return time.perf_counter() - before


def _measure(
    works: dict[str, Callable[[], Any]], synchronize: Callable[[], Any], seconds: float
) -> dict[str, float]:
    """The median seconds of each; the first call of each is not counted."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for work in works.values():
        work()
    for _ in range(25):
        for name, work in works.items():
            if sum(times[name]) < seconds:
                times[name].append(_time(work, synchronize))
    return {name: median(each) for name, each in times.items()}


def _on_host(library: libraries.Library, result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple([_on_host(library, x) for x in result])
    return library.to_host(result)


def _first(x: Any, stacked: bool) -> Any:
    if isinstance(x, tuple):
        return tuple([_first(one, stacked) for one in x])
    return x[:_CHECKED] if stacked else x


def _residual(
    text: str, section: Section, host: dict[str, np.ndarray], result: Any
) -> float | None:
    check = CHECKS.get(text.partition("(")[0].rpartition(".")[2])
    if check is None:
        return None
    stacked = section.count > 0
    part = {name: _first(x, stacked) for name, x in host.items()}
    left = np.abs(check(part, _first(result, stacked))).max()
    dtype = host["a"].dtype
    return float(left / np.finfo(dtype).eps / np.abs(part["a"]).max())


def _row(
    text: str,
    section: Section,
    found: dict[str, libraries.Library],
    host: dict[str, np.ndarray],
    seconds: float,
    synchronize: Callable[[], Any],
) -> dict[str, Any]:
    """The figures of a call: milliseconds, residuals and errors by library."""
    works, residuals, errors = {}, {}, {}
    for name, library in found.items():
        names = {key: library.to_device(x) for key, x in host.items()}
        names["linalg"] = library.module.linalg
        code = compile(text, text, "eval")

        def work(code: Any = code, names: dict[str, Any] = names) -> Any:
            return eval(code, names)

        try:
            residuals[name] = _residual(text, section, host, _on_host(library, work()))
            works[name] = work
        except Exception as error:
            errors[name] = f"{type(error).__name__}: {str(error).splitlines()[0][:100]}"
    times = _measure(works, synchronize, seconds)
    return {
        "call": text, "ms": {name: 1e3 * s for name, s in times.items()},
        "residual": residuals, "errors": errors, "target_ms": section.calls[text],
    }  # fmt: skip


def _batched_and_looped(quick: bool, seconds: float, synchronize: Any) -> list[dict[str, Any]]:
    """Times of eigh by the library's batched function, and by a loop of the one for a matrix."""
    import gpuarray as cp
    from gpuarray._libraries import eigen

    rows = []
    has = eigen._has
    for count, n in ((3, 34), (4, 40)) if quick else _STACKS:
        a = cp.asarray(operands(count, n, "f8")["s"])
        batched, looped = cp.cuda.Stream(), cp.cuda.Stream()  # plans belong to a stream

        def work(stream: Any, answer: Callable[[str], bool], a: Any = a) -> None:
            eigen._has = answer
            try:
                with stream:
                    cp.linalg.eigh(a)
            finally:
                eigen._has = has

        works = {
            "batched": lambda s=batched, w=work: w(s, has),
            "looped": lambda s=looped, w=work: w(s, lambda function: False),
        }
        times = _measure(works, synchronize, seconds)
        rows.append({"count": count, "rows": n, "ms": {k: 1e3 * x for k, x in times.items()}})
        print(f"eigh of {count} x {n} x {n}: " + ", ".join(
            [f"{name} {ms:.2f} ms" for name, ms in rows[-1]["ms"].items()]
        ))  # fmt: skip
    return rows


def _table(title: str, rows: list[dict[str, Any]], names: list[str]) -> None:
    print(f"\n{title} (ms)\n")
    print(f"| call | {' | '.join(names)} | target | residual |")
    print("|---" * (len(names) + 3) + "|")
    for row in rows:
        cells = [
            f"{row['ms'][name]:.3f}" if name in row["ms"] else row["errors"].get(name, "")
            for name in names
        ]
        residual = row["residual"].get("gpuarray")
        last = "" if residual is None else f"{residual:.0f}"
        target = "" if row["target_ms"] is None else f"{row['target_ms']:g}"
        print(f"| {row['call']} | {' | '.join(cells)} | {target} | {last} |")


def main() -> None:
    asked = _arguments()
    found, missing = libraries.available()
    for name, reason in missing.items():
        print(f"without {name}: {reason}")
    synchronize = found["gpuarray"].module.cuda.Device().synchronize
    seconds = 0 if asked.quick else asked.seconds
    results: dict[str, Any] = {
        "versions": {name: library.version for name, library in found.items()}, "sections": [],
    }  # fmt: skip
    if asked.drivers:
        most = min(max(seconds, 1e-9), _DRIVER_SECONDS)
        results["batched"] = _batched_and_looped(asked.quick, most, synchronize)
        results["svd"] = [
            drivers.singular_values(n, dtype, condition, _measure, most, synchronize)
            for n, conditions in ({34: (1e1,)} if asked.quick else _SVDS).items()
            for dtype in asked.dtypes
            for condition in conditions
        ]
    for section in () if asked.drivers else SECTIONS:
        used = section.smaller() if asked.quick else section
        for dtype in asked.dtypes:
            calls = [x for x in used.calls if not asked.only or any(o in x for o in asked.only)]
            if not calls:
                continue
            host = operands(used.count, used.rows, dtype)
            shape = f"{used.count or 1} x {used.rows} x {used.rows}"
            title = f"{section.title}: {shape}, {dtype}"
            rows = [
                _row(text, used, found, host, max(seconds, 1e-9), synchronize) for text in calls
            ]
            results["sections"].append({"title": title, "rows": rows})
            _table(title, rows, list(found))
            for library in found.values():
                library.free()
    if asked.json:
        Path(asked.json).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
