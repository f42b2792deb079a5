"""Every public function beside CuPy's: device time of large arrays, cost of a call on small ones.

    python benchmarks/functions.py                       the table
    python benchmarks/functions.py --json functions.json and the figures as JSON
    python benchmarks/functions.py --only roll --only '/^unique/'
    python benchmarks/functions.py --device-only --seconds 200

The calls are in benchmarks/rows/functions.py. First both libraries compile what the calls need, in
several processes, so that the kernel caches on disk are warm. Device time is taken with events
around batches of calls, the cost of a call with the host's clock over calls that nothing waits for;
figures are medians and the libraries take turns. A ratio is CuPy's time over ours.
"""

from __future__ import annotations

import argparse
import ast
import functools
import json
import math
import os
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_ROOT), str(_ROOT / "src")]

import numpy as np  # noqa: E402 - the path comes first

from benchmarks import libraries, timing  # noqa: E402
from benchmarks.rows.functions import NO_ROWS, OPERANDS, SECTIONS  # noqa: E402

LARGE, SMALL = 10_000_000, 16
_CALLS_A_BATCH = 50
#: Seconds beyond which a call is measured once.
_SLOW = 0.1
_LIBRARIES = ("gpuarray", "cupy")


class Row(NamedTuple):
    """One call."""

    text: str
    section: str
    device: bool  # whether its device time says something


@functools.cache
def _host(name: str, size: int) -> Any:
    return OPERANDS[name](size)


class Operands:
    """The operands of one library for one number of elements, made when a call first needs them."""

    def __init__(self, library: libraries.Library, size: int) -> None:
        self._library, self._size = library, size
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in OPERANDS:
            return getattr(self._library.module, name)
        if name in self._made:
            return self._made[name]
        value = _host(name, self._size)
        if isinstance(value, np.ndarray):
            value = self._library.to_device(value)
        if not name.endswith("_out"):
            self._made[name] = value
        return value


def _rows(patterns: list[str]) -> list[Row]:
    # A pattern is text to find, or a regular expression between slashes.
    matchers = [
        re.compile(p[1:-1] if len(p) > 2 and p[0] == p[-1] == "/" else re.escape(p))
        for p in patterns or [""]
    ]
    return [
        Row(text, section, device)
        for section, (device, texts) in SECTIONS.items()
        for text in texts
        if any(matcher.search(text) for matcher in matchers)
    ]


def names_of(text: str) -> list[str]:
    """The names that a call takes from outside, in order."""
    nodes = list(ast.walk(ast.parse(text)))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    bound = {name.id for name in names if isinstance(name.ctx, ast.Store)}
    bound -= set(OPERANDS)  # a call may change an operand in place
    return list(dict.fromkeys(n.id for n in names if n.id not in bound | {"slice", "float"}))


def work_of(text: str, operands: Operands) -> Callable[[], Any]:
    """A function without arguments that makes the call."""
    names = names_of(text)
    try:
        ast.parse(text, mode="eval")
        body = f"return {text}"
    except SyntaxError:  # an assignment
        body = text
    source = f"def make({', '.join(names)}):\n    def work():\n        {body}\n    return work\n"
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    return namespace["make"](*[operands[name] for name in names])


def _launches(work: Callable[[], Any]) -> int:
    """The kernels that a call launches."""
    from gpuarray._runtime import launch_history

    launch_history.forget()
    work()
    return sum(not isinstance(entry, launch_history._Ended) for entry in launch_history._recent)


def _calls(works: dict[str, timing.Work]) -> int:
    """Calls of a batch: fewer of what takes milliseconds."""
    start = time.perf_counter()
    for work in works.values():
        work()
    return max(3, min(_CALLS_A_BATCH, int(0.01 / (time.perf_counter() - start))))


def _fault(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0][:100]


class Bench:
    """Measures rows with the libraries that are there."""

    def __init__(self, found: dict[str, libraries.Library], large: int, quick: bool) -> None:
        self._found = found
        self._quick = quick
        self._large = {name: Operands(library, large) for name, library in found.items()}
        self._small = {name: Operands(library, SMALL) for name, library in found.items()}

    def measure(self, row: Row, device: bool, call: bool) -> dict[str, Any]:
        """Microseconds and faults of a row."""
        from gpuarray._ffi import driver

        report: dict[str, Any] = {"name": row.text, "section": row.section, "faults": {}}
        if call:
            works = self._works(row, self._small, report["faults"])
            effort = timing.Effort(batches=3 if self._quick else 9)
            calls = 3 if self._quick else _calls(works)
            times = timing.call_costs(works, driver.context_synchronize, effort, calls)
            report["call_us"] = {name: 1e6 * median(of) for name, of in times.items()}
            if "gpuarray" in works:
                report["launches"] = _launches(works["gpuarray"])
        if device and row.device:
            works = self._works(row, self._large, report["faults"])
            report["device_us"] = self._device_times(works)
            if "gpuarray" in works:
                report["launches"] = _launches(works["gpuarray"])
        return report

    def _works(
        self, row: Row, operands: dict[str, Operands], faults: dict[str, str]
    ) -> dict[str, timing.Work]:
        from gpuarray._ffi import driver

        works = {}
        for name, of_library in operands.items():
            try:
                work = work_of(row.text, of_library)
                work()
                driver.context_synchronize()
                works[name] = work
            except Exception as error:  # report the row as it is and go on with the others
                faults[name] = _fault(error)
        return works

    def _device_times(self, works: dict[str, timing.Work]) -> dict[str, float]:
        from gpuarray._ffi import driver

        clock = timing.DeviceClock()
        result, quick = {}, {}
        for name, work in works.items():
            stream = self._found[name].stream()
            once = clock.seconds(work, 1, stream)
            if once > _SLOW:
                result[name] = 1e6 * once
            else:
                quick[name] = (work, stream)
        effort = timing.Effort(3, 3, 1e-4) if self._quick else timing.Effort(5, 5, 0.004)
        times = timing.device_times(quick, driver.context_synchronize, effort)
        return result | {name: 1e6 * median(of) for name, of in times.items()}

    def free(self) -> None:
        """Give back what the last row left in the pools."""
        for library in self._found.values():
            library.free()


def _warm(rows: list[Row], name: str, large: int, part: int, parts: int) -> None:
    """Make each call of a part of the rows once, so that its kernels are in the cache on disk."""
    from gpuarray._ffi import driver

    library = libraries.available((name,))[0].get(name)
    if library is None:
        return
    operands = [Operands(library, SMALL), Operands(library, large)]
    for row in rows[part::parts]:
        for of_size in operands[: 1 + row.device]:
            try:
                work_of(row.text, of_size)()
                driver.context_synchronize()
            except Exception as error:
                if isinstance(error, MemoryError):
                    library.free()


def _warm_up(arguments: list[str], seconds: float) -> None:
    """Fill the kernel caches in several processes."""
    parts = max(1, min(6, ((os.cpu_count() or 2) - 1) // 2))
    command = [sys.executable, __file__, *arguments]
    running = [
        subprocess.Popen([*command, "--warm", f"{name}:{part}:{parts}"])
        for part in range(parts)
        for name in _LIBRARIES
    ]
    end = time.monotonic() + seconds
    for process in running:
        try:
            process.wait(max(0.1, end - time.monotonic()))
        except subprocess.TimeoutExpired:  # what is left compiles when it is measured
            process.kill()
            process.wait()


def _ratio(report: dict[str, Any], kind: str) -> float | None:
    times = report.get(kind, {})
    if set(_LIBRARIES) <= set(times):
        return times["cupy"] / times["gpuarray"]
    return None


def _line(report: dict[str, Any]) -> str:
    def figure(value: float | None) -> str:
        return "-" if value is None else f"{value:.2f}" if value < 100 else f"{value:.0f}"

    cells = [f"{report['name'][:58]:58}"]
    for kind in ("device_us", "call_us"):
        times = report.get(kind, {})
        cells += [f"{figure(times.get(name)):>9}" for name in _LIBRARIES]
        cells.append(f"{figure(_ratio(report, kind)):>7}")
    cells.append(f"{report.get('launches', '-'):>4}")
    line = " ".join(cells)
    for name, fault in report["faults"].items():
        line += f"\n    {name}: {fault}"
    return line


def summary(reports: list[dict[str, Any]]) -> dict[str, Any]:
    """Geometric means of the ratios, and the rows slower than CuPy's."""
    result: dict[str, Any] = {}
    for kind in ("device_us", "call_us"):
        ratios = {r["name"]: ratio for r in reports if (ratio := _ratio(r, kind)) is not None}
        logs = [math.log(ratio) for ratio in ratios.values()]
        slower = sorted((name for name in ratios if ratios[name] < 1), key=ratios.__getitem__)
        result[kind] = {
            "rows": len(ratios),
            "geometric_mean": math.exp(sum(logs) / len(logs)) if logs else None,
            "slower": {name: ratios[name] for name in slower},
        }
    return result


def _without_row(found: dict[str, libraries.Library], rows: list[Row]) -> list[str]:
    """Public functions of all the libraries that no row calls, under any of their names."""
    modules = [library.module for library in found.values()]
    named = {name for row in rows for name in names_of(row.text)}
    named |= {node.attr for row in rows for node in _attributes(row.text)}
    called = {id(getattr(modules[0], name, None)) for name in named}
    return sorted(
        name
        for name in dir(modules[0])
        if not name.startswith("_") and name not in NO_ROWS
        if all(_is_function(getattr(module, name, None)) for module in modules)
        if name not in named and id(getattr(modules[0], name)) not in called
    )


def _is_function(value: Any) -> bool:
    return callable(value) and not isinstance(value, type)


def _attributes(text: str) -> Iterator[ast.Attribute]:
    return (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute))


def _print_summary(result: dict[str, Any]) -> None:
    for kind, title in (("device_us", "device time"), ("call_us", "cost of a call")):
        of_kind = result[kind]
        if not of_kind["rows"]:
            continue
        slower = of_kind["slower"]
        print(
            f"\n{title}: {of_kind['rows']} rows, geometric mean {of_kind['geometric_mean']:.2f} "
            f"times CuPy's speed, {len(slower)} slower than CuPy"
        )
        for name, ratio in slower.items():
            print(f"    {ratio:5.2f}  {name}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", metavar="PATTERN", help="rows whose text has it")
    parser.add_argument("--call-only", action="store_true")
    parser.add_argument("--device-only", action="store_true")
    parser.add_argument("--seconds", type=float, default=240, help="stop then (%(default)s)")
    parser.add_argument("--size", type=int, default=LARGE, help="elements (%(default)s)")
    parser.add_argument("--no-warm-up", action="store_true", help="compile while measuring")
    parser.add_argument("--quick", action="store_true", help="small and short: does it run at all?")
    parser.add_argument("--json", metavar="PATH", help="write the figures there")
    parser.add_argument("--warm", help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    start = time.monotonic()
    rows = _rows(options.only or [])
    size = 1000 if options.quick else options.size
    if options.warm:
        name, part, parts = options.warm.split(":")
        _warm(rows, name, size, int(part), int(parts))
        return 0
    if not (options.no_warm_up or options.quick):
        _warm_up(sys.argv[1:], options.seconds / 2)
        print(f"kernels compiled after {time.monotonic() - start:.0f} s")

    from gpuarray._ffi import driver

    found, missing = libraries.available(_LIBRARIES)
    versions = ", ".join(f"{name} {library.version}" for name, library in found.items())
    print(f"{driver.describe()}; {versions}")
    for name, reason in missing.items():
        print(f"{name} is left out: {reason}")
    print(f"\n{'':58} {f'µs of the device, {size:.0e}':^27} {f'µs of a call, {SMALL}':^27}")
    print(f"{'':58} " + f"{'gpuarray':>9} {'cupy':>9} {'ratio':>7} " * 2 + "launches")
    bench = Bench(found, size, options.quick)
    reports: list[dict[str, Any]] = []
    section = None
    for row in rows:
        if time.monotonic() - start > options.seconds:
            print(f"\nout of time: {len(rows) - len(reports)} rows are not measured")
            break
        if section != row.section:
            section = row.section
            print(section)
        reports.append(bench.measure(row, not options.call_only, not options.device_only))
        bench.free()
        print(_line(reports[-1]), flush=True)
    result = summary(reports)
    _print_summary(result)
    if not options.only:
        print("\nwithout a row:", ", ".join(_without_row(found, rows)) or "none")
    print(f"{time.monotonic() - start:.0f} s")
    if options.json:
        machine = {"device": driver.describe(), "numpy": np.__version__}
        machine |= {name: library.version for name, library in found.items()}
        result |= {"machine": machine, "size": size, "small": SMALL, "rows": reports}
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
