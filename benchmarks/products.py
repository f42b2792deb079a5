"""Matrix products beside CuPy's and PyTorch's, in one run.

    python benchmarks/products.py                     every table
    python benchmarks/products.py --json results.json and the figures as JSON
    python benchmarks/products.py --only rates        one of rates, shapes, calls, first
    python benchmarks/products.py --quick             small and short: does it run at all?

* rates: TFLOP/s of square matrices over dtypes and sizes; TF32 is float32 with less precision.
* shapes: device time of stacks, matrix-vector and dot products.
* calls: the host's time for a call; of 1000 products of 64 x 64 the time until they are done.
* first: what the first product of a process takes, and the creation of cuBLAS's handle alone.

A library that has no such product leaves a gap; the reason goes to standard error.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_ROOT), str(_ROOT / "src")]

import numpy as np  # noqa: E402 - the path comes first

from benchmarks import libraries, timing  # noqa: E402

#: Dtypes of the rates, and the TFLOP/s of CuPy 14.2 on one H200 where they are known.
DTYPES = ("f2", "bf2", "f4", "tf32", "f8", "c8", "c16", "i1", "i4", "i8")
_KNOWN = {("f2", 8192): 810, ("f4", 4096): 51, ("f8", 4096): 62, ("c8", 4096): 13.5}
SIZES = (512, 1024, 2048, 4096, 8192)

#: Dtypes whose products of the largest size take no more than some 20 ms.
_LARGEST = ("f2", "bf2", "f4", "tf32", "f8", "i1")

#: name -> dtype, shapes of the operands, function.
SHAPES: dict[str, tuple[str, tuple[int, ...], tuple[int, ...], str]] = {
    "1000 of 64 x 64": ("f4", (1000, 64, 64), (1000, 64, 64), "matmul"),
    "1000 of 64 x 64, one b": ("f4", (1000, 64, 64), (64, 64), "matmul"),
    "100000 of 4 x 4": ("f4", (100_000, 4, 4), (100_000, 4, 4), "matmul"),
    "10000 of 16 x 16, float64": ("f8", (10_000, 16, 16), (10_000, 16, 16), "matmul"),
    "64 of 512 x 512, float16": ("f2", (64, 512, 512), (64, 512, 512), "matmul"),
    "8 x 8 stacks that broadcast": ("f4", (8, 1, 256, 256), (1, 8, 256, 256), "matmul"),
    "tall: (1e6, 32) by (32, 32)": ("f4", (1_000_000, 32), (32, 32), "matmul"),
    "inner: (32, 1e6) by (1e6, 32)": ("f4", (32, 1_000_000), (1_000_000, 32), "matmul"),
    "matrix by vector": ("f4", (16384, 16384), (16384,), "matmul"),
    "matrix by vector, float16": ("f2", (16384, 16384), (16384,), "matmul"),
    "vector by matrix": ("f4", (16384,), (16384, 16384), "matmul"),
    "vector by matrix, float64": ("f8", (16384,), (16384, 16384), "matmul"),
    "dot of 1e8": ("f4", (100_000_000,), (100_000_000,), "dot"),
    "dot of 1e8, float16": ("f2", (100_000_000,), (100_000_000,), "dot"),
    "dot of 1e8, float64": ("f8", (100_000_000,), (100_000_000,), "dot"),
    "vecdot of (1e6, 64)": ("f4", (1_000_000, 64), (1_000_000, 64), "vecdot"),
    "int8, 4096": ("i1", (4096, 4096), (4096, 4096), "matmul"),
    "int64, 1024": ("i8", (1024, 1024), (1024, 1024), "matmul"),
}


def operand(library: libraries.Library, dtype: str, shape: tuple[int, ...], seed: int) -> Any:
    """Random numbers on the device: about 1, and small integers."""
    real = {"tf32": "f4", "bf2": "f4"}.get(dtype, dtype)
    rng = np.random.default_rng(seed)
    flat = min(int(np.prod(shape)), 1 << 22)
    if np.dtype(real).kind in "iu":
        host = rng.integers(-9, 10, flat).astype(real)
    else:
        host = rng.standard_normal(flat).astype(real)
    host = np.resize(host, shape)  # large operands repeat, so that they are made quickly
    array = library.to_device(host)
    if dtype == "bf2":
        if library.name == "torch":
            return array.to(library.module.bfloat16)
        from ml_dtypes import bfloat16

        return array.astype(bfloat16)
    return array


def _set_precision(library: libraries.Library, name: str) -> None:
    if library.name == "gpuarray":
        library.module.cuda.set_matmul_precision(name)
    elif library.name == "torch":
        library.module.set_float32_matmul_precision(name)
    elif name != "highest":
        raise NotImplementedError("it takes TF32 from the environment alone")


def device_times(
    found: dict[str, libraries.Library],
    make: Callable[[libraries.Library], timing.Work],
    effort: timing.Effort,
) -> dict[str, float]:
    """Seconds of a call on the device for each library that can."""
    from gpuarray._ffi import driver

    works = {}
    for name, library in found.items():
        try:
            work = make(library)
            work()
            driver.context_synchronize()
            works[name] = (work, library.stream())
        except Exception as error:  # the table shows a gap
            print(f"    {name}: {type(error).__name__}: {error}".splitlines()[0], file=sys.stderr)
    times = timing.device_times(works, driver.context_synchronize, effort)
    works.clear()
    for library in found.values():
        library.free()
    return {name: median(samples) for name, samples in times.items()}


def _rates(found: dict[str, libraries.Library], options: Any) -> dict[str, Any]:
    print("\nTFLOP/s of square matrices")
    print(f"{'':20}" + "".join(f"{name:>12}" for name in found) + f"{'reference':>12}")
    figures: dict[str, Any] = {}
    for dtype in DTYPES:
        for size in options.sizes:
            if size > (8192 if dtype in _LARGEST else 4096):
                continue

            def make(library: libraries.Library, dtype=dtype, size=size) -> timing.Work:
                _set_precision(library, "high" if dtype == "tf32" else "highest")
                a, b = [operand(library, dtype, (size, size), seed) for seed in (1, 2)]
                return lambda: a @ b

            times = device_times(found, make, options.effort)
            work = (8 if dtype[0] == "c" else 2) * size**3
            rates = {name: work / seconds / 1e12 for name, seconds in times.items()}
            figures[f"{dtype} {size}"] = rates
            cells = [f"{rates[name]:12.2f}" if name in rates else f"{'-':>12}" for name in found]
            print(f"{dtype:6} {size:<13}" + "".join(cells) + f"{_KNOWN.get((dtype, size), ''):>12}")
    for library in found.values():
        if library.name != "cupy":
            _set_precision(library, "highest")
    return figures


def _call_of(library: libraries.Library, function: str) -> Callable[[Any, Any], Any]:
    if library.name == "torch" and function == "vecdot":
        return library.module.linalg.vecdot
    return getattr(library.module, function)


def _shapes(found: dict[str, libraries.Library], options: Any) -> dict[str, Any]:
    print("\nDevice time, µs, and GB/s of gpuarray where each operand is read once")
    print(f"{'':32}" + "".join(f"{name:>12}" for name in found) + f"{'GB/s':>12}")
    figures: dict[str, Any] = {}
    for label, (dtype, first, second, function) in SHAPES.items():
        if options.quick:
            first, second = [tuple([min(n, 48) for n in shape]) for shape in (first, second)]

        def make(
            library: libraries.Library, dtype=dtype, first=first, second=second, function=function
        ) -> timing.Work:
            a, b = operand(library, dtype, first, 1), operand(library, dtype, second, 2)
            call = _call_of(library, function)
            return lambda: call(a, b)

        times = device_times(found, make, options.effort)
        figures[label] = {name: 1e6 * seconds for name, seconds in times.items()}
        cells = [f"{1e6 * times[x]:12.1f}" if x in times else f"{'-':>12}" for x in found]
        nbytes = (np.prod(first) + np.prod(second)) * np.dtype(dtype).itemsize
        rate = f"{nbytes / times['gpuarray'] / 1e9:12.0f}" if "gpuarray" in times else ""
        print(f"{label:32}" + "".join(cells) + rate)
    return figures


def _calls(found: dict[str, libraries.Library], options: Any) -> dict[str, Any]:
    from gpuarray._ffi import driver

    print("\nHost's time for a call, µs (4 x 4: at most 5; CuPy 14.2: 9.4)")
    print(f"{'':32}" + "".join(f"{name:>12}" for name in found))
    figures: dict[str, Any] = {}

    def row(label: str, make: Callable[[libraries.Library], timing.Work]) -> None:
        works = {}
        for name, library in found.items():
            try:
                works[name] = make(library)
                works[name]()
            except Exception as error:  # the table shows a gap
                works.pop(name, None)
                print(f"    {name}: {type(error).__name__}: {error}", file=sys.stderr)
        times = timing.call_costs(works, driver.context_synchronize, options.effort)
        figures[label] = {name: 1e6 * median(samples) for name, samples in times.items()}
        cells = [
            f"{figures[label][x]:12.2f}" if x in figures[label] else f"{'-':>12}" for x in found
        ]
        print(f"{label:32}" + "".join(cells))

    def square(side: int, *stack: int, dtype: str = "f4") -> Callable[[libraries.Library], Any]:
        return lambda library: operand(library, dtype, (*stack, side, side), 1)

    def operator_of(make: Callable[[libraries.Library], Any]) -> Callable:
        def work(library: libraries.Library) -> timing.Work:
            m = make(library)
            return lambda: m @ m

        return work

    def function_of(name: str, shape: tuple[int, ...]) -> Callable:
        def work(library: libraries.Library) -> timing.Work:
            m = operand(library, "f4", shape, 1)
            call = _call_of(library, name)
            return lambda: call(m, m)

        return work

    def with_out(library: libraries.Library) -> timing.Work:
        m = square(4)(library)
        call, out = library.module.matmul, library.module.empty_like(m)
        return lambda: call(m, m, out=out)

    def until_done(library: libraries.Library) -> timing.Work:
        m = square(64, *(() if options.quick else (1000,)))(library)

        def work() -> None:
            _ = m @ m
            driver.context_synchronize()

        return work

    row("m @ m, 4 x 4", operator_of(square(4)))
    row("m @ m, 4 x 4, int64", operator_of(square(4, dtype="i8")))
    row("m @ m, 256 x 256", operator_of(square(256 if not options.quick else 24)))
    row("matmul(m, m, out=out), 4 x 4", with_out)
    row("matmul(m, m), 4 x 4", function_of("matmul", (4, 4)))
    row("dot(v, v) of 16", function_of("dot", (16,)))
    row("vecdot(m, m), 4 x 4", function_of("vecdot", (4, 4)))
    row("1000 of 64 x 64, until done", until_done)
    return figures


_FIRST = """
import time
import numpy as np
import gpuarray as xp
small, large = xp.ones((4, 4), "f4"), xp.ones(({side}, {side}), "f4")
xp.cuda.get_current_stream().synchronize()
def seconds(work):
    before = time.perf_counter()
    work()
    xp.cuda.get_current_stream().synchronize()
    return time.perf_counter() - before
if {bare}:
    from gpuarray._ffi import cublas
    print(seconds(lambda: cublas.library.cublasCreate_v2()))
else:
    print(seconds(lambda: small @ small), seconds(lambda: large @ large))
"""


def _first(found: dict[str, libraries.Library], options: Any) -> dict[str, Any]:
    def run(bare: bool) -> list[float]:
        source = _FIRST.format(bare=bare, side=24 if options.quick else 512)
        process = [sys.executable, "-c", source]
        samples = []
        for _ in range(2 if options.quick else 3):
            done = subprocess.run(
                process, capture_output=True, text=True, check=True, cwd=_ROOT / "src"
            )
            samples.append([1e3 * float(x) for x in done.stdout.split()])
        return [median(column) for column in zip(*samples, strict=True)]

    (created,) = run(True)
    small, large = run(False)
    print("\nFirst product of a process, ms (kernels from the cache)")
    print(f"  4 x 4, by our own kernel              {small:8.1f}")
    print(f"  512 x 512, which opens cuBLAS         {large:8.1f}")
    print(f"  cublasCreate alone, with the library  {created:8.1f}")
    verdict = "as wanted" if large - created <= 20 else "too much"
    print(f"  beside the creation {large - created:.1f} ms, {verdict} (20 at most)")
    return {"small": small, "large": large, "create": created}


_TABLES = {
    "rates": _rates, "shapes": _shapes, "calls": _calls, "first": _first
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=_TABLES, default=list(_TABLES))
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--quick", action="store_true", help="small and short: does it run at all?")
    parser.add_argument("--json", metavar="PATH", help="write the figures there")
    options = parser.parse_args()
    options.effort = timing.Effort.quick() if options.quick else timing.Effort(5, 11, 0.008)
    if options.quick:
        options.sizes = (24, 40)

    from gpuarray._ffi import driver

    names = ["gpuarray"] if options.only == ["first"] else ["gpuarray", "cupy", "torch"]
    found, missing = libraries.available(names)
    for name, reason in missing.items():
        print(f"{name} is left out: {reason}")
    print(driver.describe())
    versions = {name: library.version for name, library in found.items()}
    report: dict[str, Any] = {"device": driver.describe(), "versions": versions}
    for name in options.only:
        report[name] = _TABLES[name](found, options)
        if options.json:  # at once: the run may be cut off
            Path(options.json).write_text(json.dumps(report, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
