"""The cost of a call of a C library in a plan, beside the bare foreign call.

    python benchmarks/library_calls.py           the table
    python benchmarks/library_calls.py --quick   fewer repetitions

Each row is the host's time for a matrix product of small arrays through cuBLASLt, in batches that
nothing waits for; `a + b`, a launch, is there to compare with. The bare call gives the foreign
function the same prebuilt arguments each time, so it allocates no result. A plan may take 1.5 µs
more.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from benchmarks.timing import Effort, Work, call_costs, spread

#: What a plan may take beside the bare call, in seconds.
ALLOWED = 1.5e-6

_SHAPES = {"2-D": ((16, 16), (16, 16)), "3-D": ((4, 16, 16), (4, 16, 16))}


def _enclosed(function: Any, name: str) -> Any:
    """What a function's closure has by a name."""
    return function.__closure__[function.__code__.co_freevars.index(name)].cell_contents


def works(xp: Any, shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> dict[str, Work]:
    """What is measured, by name."""
    from gpuarray._libraries.blas import gemm, gemm_call

    a, b = xp.ones(shapes[0], "f4"), xp.ones(shapes[1], "f4")
    run = gemm_call(a._layout, b._layout, xp.cuda.get_current_stream())
    result = run(a, b)
    # The plan's function looks at addresses, and runs what is bound for aligned ones.
    aligned = _enclosed(run, "run")
    bound = _enclosed(aligned, "failed0").__self__
    space = xp.empty(max(bound.values["workspaceSizeInBytes"], 1), "u1")
    arrays = {"A": b, "B": a, "C": result, "D": result, "workspace": space}
    passed = [arrays[name] for name in bound.pointers]
    words, arguments = bound.make_buffer(*passed)
    for word, array in enumerate(passed):
        words[word] = array.data.ptr
    words[len(passed)] = bound.handles.handle
    function = bound.function
    with_conversion = bound.library.raw(bound.name)
    numbers = [getattr(argument, "value", argument) for argument in arguments]
    return {
        "bare call, prebuilt arguments": lambda: function(*arguments),
        "bare call, numbers to convert": lambda: with_conversion(*numbers),
        "the plan's function": lambda: run(a, b),
        "gemm(a, b), with the look-up": lambda: gemm(a, b),
        "a + b": lambda: a + b,
    }


def measure(effort: Effort) -> dict[str, dict[str, tuple[float, float, float]]]:
    """Median, least and greatest seconds a call, by shapes and by name."""
    import gpuarray as xp

    synchronize = xp.cuda.get_current_stream().synchronize
    return {
        dimensions: {
            name: spread(times)
            for name, times in call_costs(works(xp, shapes), synchronize, effort).items()
        }
        for dimensions, shapes in _SHAPES.items()
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument("--json", metavar="FILE", help="write the figures here as well")
    options = parser.parse_args()
    figures = measure(Effort.quick() if options.quick else Effort())
    for dimensions, rows in figures.items():
        print(f"float32, {dimensions}, µs: median (least to greatest)")
        for name, times in rows.items():
            middle, least, greatest = [1e6 * seconds for seconds in times]
            print(f"  {name:32} {middle:8.2f}  ({least:.2f} to {greatest:.2f})")
        bare = rows["bare call, prebuilt arguments"][0]
        more = rows["gemm(a, b), with the look-up"][0] - bare
        verdict = "as wanted" if more <= ALLOWED else "too much"
        print(f"  beside the bare call {1e6 * more:.2f} µs, {verdict}")
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
