"""What recording costs, and what it leaves behind; `benchmark` beside CuPy's.

    python benchmarks/profiling.py           the table
    python benchmarks/profiling.py --quick   fewer repetitions

The host's time for small operations without a trace, while one records, and after it; for marks
that no tool takes; and the times that `benchmark` gives for one function in gpuarray and in CuPy.
A trace should add two records of events to a launch, and nothing once it has ended.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "src"))

from benchmarks.timing import Effort, Work, call_costs, spread

Spread = tuple[float, float, float]


def works(xp: Any) -> dict[str, Work]:
    """Small operations whose calls are measured, by name."""
    a = xp.ones(1000, "f4")
    out = xp.empty_like(a)
    kernel = xp.RawKernel('extern "C" __global__ void nothing(float* x) {}', "nothing")
    return {
        "a + b": lambda: a + a,
        "add(a, b, out=)": lambda: xp.add(a, a, out=out),
        "a.sum()": lambda: a.sum(),
        "RawKernel": lambda: kernel((1,), (32,), (a,)),
        "copy on the device": lambda: a.copy(),
    }


def marks(xp: Any) -> dict[str, Work]:
    """Marks and ranges without a tool."""
    from gpuarray.profiler import time_range

    def block() -> None:
        with time_range("block"):
            pass

    return {"nvtx.Mark": lambda: xp.cuda.nvtx.Mark("mark"), "with time_range": block}


def measure(effort: Effort) -> dict[str, dict[str, Spread]]:
    """Seconds a call: median, least and greatest, by when and by name."""
    import gpuarray as xp
    from gpuarray.profiler import trace

    synchronize = xp.cuda.get_current_stream().synchronize

    def costs(measured: dict[str, Work]) -> dict[str, Spread]:
        times = call_costs(measured, synchronize, effort)
        return {name: spread(values) for name, values in times.items()}

    figures = {"before a trace": costs(works(xp))}
    with trace():
        figures["in a trace"] = costs(works(xp))
    figures["after a trace"] = costs(works(xp))
    figures["without a tool"] = costs(marks(xp))
    return figures


def beside_cupy(repeats: int) -> dict[str, dict[str, float]]:
    """Median seconds of `benchmark` for one function, by library."""
    import gpuarray
    from gpuarray.profiler import benchmark

    found = {"gpuarray": (gpuarray, benchmark)}
    try:
        import cupy
        from cupyx.profiler import benchmark as theirs

        found["cupy"] = cupy, theirs
    except ImportError:
        pass
    figures = {}
    for name, (xp, measured) in found.items():
        x = xp.ones((256, 1024), "f4")
        result = measured(lambda xp=xp, x=x: xp.sqrt(xp.sum(x * x, axis=-1)), n_repeat=repeats)
        times = {"cpu": result.cpu_times, "gpu": result.gpu_times[0]}
        figures[name] = {
            kind: float(sorted(values)[repeats // 2]) for kind, values in times.items()
        }
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument("--json", metavar="FILE", help="write the figures here as well")
    options = parser.parse_args()
    figures: dict[str, Any] = measure(Effort.quick() if options.quick else Effort())
    for when, rows in figures.items():
        print(f"{when}, µs: median (least to greatest)")
        for name, times in rows.items():
            middle, least, greatest = [1e6 * seconds for seconds in times]
            print(f"  {name:20} {middle:8.2f}  ({least:.2f} to {greatest:.2f})")
    figures["benchmark"] = beside_cupy(5 if options.quick else 200)
    for library, times in figures["benchmark"].items():
        line = ", ".join([f"{kind} {1e6 * seconds:.1f} µs" for kind, seconds in times.items()])
        print(f"benchmark of {library}: {line}")
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
