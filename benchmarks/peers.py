"""gpuarray beside CuPy and PyTorch on the same work, in one run.

    python benchmarks/peers.py                      every row: a table
    python benchmarks/peers.py --json results.json  and the figures as JSON
    python benchmarks/peers.py --only 'a + b' --only sum
    python benchmarks/peers.py --list

A peer that is not installed is left out. Data is random. The rate of a device copy is measured
first and the rows that move memory are compared with it. Device time is taken with events around
batches of calls, the cost of a call with the host's clock over calls that nothing waits for.
Every figure is a median; the libraries take turns.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_ROOT), str(_ROOT / "src")]

import numpy as np  # noqa: E402 - the path comes first

from benchmarks import libraries, rows, startup, timing  # noqa: E402
from benchmarks.rows.calls import CALLS  # noqa: E402
from benchmarks.rows.elementwise import elementwise_rows  # noqa: E402
from benchmarks.rows.reductions import reduction_rows  # noqa: E402
from benchmarks.rows.sorting import sorting_rows  # noqa: E402

_COPY_BYTES = 400_000_000


def _copy_rates(found: dict[str, libraries.Library], size: int, effort: timing.Effort) -> dict:
    """Bytes read and written each second by a device-to-device copy of `size` bytes."""
    from gpuarray._ffi import driver

    data = np.random.default_rng(2).integers(0, 255, size, dtype=np.uint8)
    works: dict[str, tuple[timing.Work, int]] = {}
    source, target = driver.mem_alloc(size), driver.mem_alloc(size)
    driver.memcpy_htod_async(source, data.ctypes.data, size, 0)
    works["cuMemcpyDtoD"] = (lambda: driver.memcpy_dtod_async(target, source, size, 0), 0)
    if "cupy" in found:
        cupy = found["cupy"].module
        a = cupy.asarray(data)
        b = cupy.empty_like(a)
        works["cupy copyto"] = (lambda: cupy.copyto(b, a), found["cupy"].stream())
    if "torch" in found:
        c = found["torch"].to_device(data)
        d = found["torch"].module.empty_like(c)
        works["torch copy_"] = (lambda: d.copy_(c), found["torch"].stream())
    times = timing.device_times(works, driver.context_synchronize, effort)
    driver.mem_free(source)
    driver.mem_free(target)
    return {name: 2 * size / median(samples) for name, samples in times.items()}


def _measure(
    row: rows.Row, found: dict[str, libraries.Library], size: int, effort: timing.Effort
) -> dict[str, Any]:
    """Seconds a call for each library, and the message where a library fails."""
    from gpuarray._ffi import driver

    host = row.inputs(size)
    works: dict[str, timing.Work] = {}
    faults: dict[str, str] = {}
    for name, library in found.items():
        build = row.builder(library)
        if build is None:
            continue
        try:
            # arrays of its own for each row: some rows write to them
            work = build(library, *(library.to_device(array) for array in host))
            work()
            driver.context_synchronize()
            works[name] = work
        except Exception as error:  # report the row as it is and go on with the others
            faults[name] = f"{type(error).__name__}: {error}".splitlines()[0]
    if row.kind == "call":
        calls = min(row.calls, 20) if effort.repeats < 5 else row.calls
        times = timing.call_costs(works, driver.context_synchronize, effort, calls)
    else:
        streams = {name: (work, found[name].stream()) for name, work in works.items()}
        times = timing.device_times(streams, driver.context_synchronize, effort)
    return {"times": times, "faults": faults}


def _target_us(row: rows.Row, medians: dict[str, float], moved: float, copy: float) -> float | None:
    """The most microseconds that gpuarray may take: the strictest of the row's targets."""
    targets = []
    if row.most_us is not None:
        targets.append(row.most_us)
    if row.most_of_cupy is not None and "cupy" in medians:
        targets.append(row.most_of_cupy * medians["cupy"])
    if row.least_of_copy is not None:
        targets.append(1e6 * moved / (row.least_of_copy * copy))
    return min(targets, default=None)


def _report(row: rows.Row, size: int, measured: dict[str, Any], copy: float) -> dict[str, Any]:
    medians = {name: 1e6 * median(times) for name, times in measured["times"].items()}
    moved = row.moved * size
    ours = medians.get("gpuarray")
    target = _target_us(row, medians, moved, copy)
    return {
        "name": row.name,
        "kind": row.kind,
        "size": size,
        "us": medians,
        "us_least_greatest": {
            name: [1e6 * min(times), 1e6 * max(times)] for name, times in measured["times"].items()
        },
        "faults": measured["faults"],
        "bytes": moved,
        "of_copy": moved / (ours * 1e-6) / copy if moved and ours else None,
        "target_us": target,
        "met": None if target is None or ours is None else ours <= target,
        "cupy_reference_us": row.cupy_us,
    }


def _line(report: dict[str, Any], names: list[str]) -> str:
    def figure(value: float | None) -> str:
        return "-" if value is None else f"{value:.2f}" if value < 100 else f"{value:.0f}"

    cells = [f"{report['name']:38}"]
    cells += [f"{figure(report['us'].get(name)):>9}" for name in names]
    of_copy = report["of_copy"]
    cells.append(f"{'' if of_copy is None else f'{100 * of_copy:.0f}%':>8}")
    cells.append(f"{figure(report['target_us']):>9}")
    cells.append({None: "", True: "met", False: "MISSED"}[report["met"]])
    line = " ".join(cells).rstrip()
    for name, fault in report["faults"].items():
        line += f"\n    {name}: {fault}"
    return line


def _machine(found: dict[str, libraries.Library]) -> dict[str, Any]:
    from gpuarray._ffi import driver

    return {
        "device": driver.describe(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        **{name: library.version for name, library in found.items()},
    }


def _startup(found: dict[str, libraries.Library], repeats: int) -> list[dict]:
    modules = [name for name in ("gpuarray", "cupy") if name in found]
    print(f"\n{'a new process: milliseconds':38} " + " ".join(f"{m:>9}" for m in modules))
    measured = startup.measure(modules, repeats)
    for row in measured:
        times = " ".join(f"{1e3 * row['seconds'][module]:9.1f}" for module in modules)
        print(f"{row['name']:38} {times}", flush=True)
    return measured


def _rows(size: int) -> list[rows.Row]:
    return [*CALLS, *elementwise_rows(size), *reduction_rows(size), *sorting_rows(size)]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", metavar="PATTERN", help="rows whose name has it")
    parser.add_argument("--kind", choices=("call", "device", "startup"), action="append")
    parser.add_argument("--list", action="store_true", help="show the rows and stop")
    parser.add_argument("--quick", action="store_true", help="small and short: does it run at all?")
    parser.add_argument("--json", metavar="PATH", help="write the figures there")
    options = parser.parse_args()

    kinds = options.kind or ("call", "device", "startup")
    patterns = options.only or [""]
    # a pattern is text to find, or a regular expression between slashes
    matchers = [
        re.compile(p[1:-1] if len(p) > 2 and p[0] == p[-1] == "/" else re.escape(p))
        for p in patterns
    ]
    large = 100_000 if options.quick else rows.LARGE
    chosen = [
        row
        for row in _rows(large)
        if row.kind in kinds and any(m.search(row.name) for m in matchers)
    ]
    if options.list:
        for row in chosen:
            print(f"{row.kind:7} {row.name}")
        return 0

    effort = timing.Effort.quick() if options.quick else timing.Effort()
    found, missing = libraries.available()
    machine = _machine(found)
    print("  ".join(f"{key} {value}" for key, value in machine.items()))
    for name, reason in missing.items():
        print(f"{name} is left out: {reason}")
    names = list(found)
    rates = _copy_rates(found, 40_000 if options.quick else _COPY_BYTES, effort)
    print("copy rate:", ", ".join(f"{name} {rate / 1e12:.3f} TB/s" for name, rate in rates.items()))
    copy = rates["cuMemcpyDtoD"]

    reports = []
    titles = {
        "call": f"cost of a call, µs of the host ({rows.SMALL} float32)",
        "device": f"device time, µs ({large:.0e} float32 unless said)".replace("e+0", "e"),
    }
    for kind, title in titles.items():
        of_kind = [row for row in chosen if row.kind == kind]
        if not of_kind:
            continue
        heads = " ".join(f"{name:>9}" for name in names)
        print(f"\n{title}\n{'':38} {heads} {'of copy':>8} {'at most':>9}")
        for row in of_kind:
            size = row.size or (rows.SMALL if kind == "call" else large)
            measured = _measure(row, found, size, effort)
            for library in found.values():
                library.free()  # so that three libraries' large arrays fit beside one another
            if options.quick:  # the targets are for the full size
                row = replace(row, most_us=None, most_of_cupy=None, least_of_copy=None)
            reports.append(_report(row, size, measured, copy))
            print(_line(reports[-1], names), flush=True)
    started = []
    if "startup" in kinds and not options.only:
        os.environ["PYTHONPATH"] = os.pathsep.join(
            filter(None, [os.environ.get("PYTHONPATH"), str(_ROOT / "src")])
        )
        started = _startup(found, 1 if options.quick else 5)
    missed = [report["name"] for report in reports if report["met"] is False]
    if missed:
        print(f"\n{len(missed)} targets missed: {', '.join(missed)}")
    if options.json:
        result = {"machine": machine, "copy_bytes_per_s": rates, "rows": reports}
        Path(options.json).write_text(json.dumps({**result, "startup": started}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
