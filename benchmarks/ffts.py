"""Fourier transforms beside CuPy's, PyTorch's and NumPy's, in one run of less than a minute.

    python benchmarks/ffts.py                     every table
    python benchmarks/ffts.py --json results.json and the figures as JSON
    python benchmarks/ffts.py --only device       one of device, calls, first
    python benchmarks/ffts.py --quick             small and short: does it run at all?

* device: device time of transforms, with a target where there is one, and the rate of memory that
  one read and one write of the array would have.
* calls: the host's time for a call, and NumPy's for the same transform.
* first: what the first transform of a process takes, with the opening of the library, and what a
  plan of another length takes then, in processes of their own.

A library that has no such transform leaves a gap; the reason goes to standard error.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_ROOT), str(_ROOT / "src")]

import numpy as np  # noqa: E402 - the path comes first

from benchmarks import libraries, timing  # noqa: E402


class Row(NamedTuple):
    """A transform: the function's name, the operand, and the function's arguments."""

    function: str
    shape: tuple[int, ...]
    dtype: str
    arguments: dict[str, Any] = {}  # noqa: RUF012  # nobody changes it
    #: Microseconds that are wanted on an H200.
    target: float | None = None


ROWS: dict[str, Row] = {
    "fft, 2^24 complex64": Row("fft", (1 << 24,), "c8", target=274),
    "ifft, 2^24 complex64": Row("ifft", (1 << 24,), "c8", target=288),
    "ifft, norm='forward'": Row("ifft", (1 << 24,), "c8", {"norm": "forward"}, 274),
    "fft, 2^23 complex128": Row("fft", (1 << 23,), "c16"),
    "rfft, 2^24 float32": Row("rfft", (1 << 24,), "f4"),
    "irfft, 2^23 + 1 complex64": Row("irfft", ((1 << 23) + 1,), "c8"),
    "fft, 10^7 (2 and 5)": Row("fft", (10_000_000,), "c8"),
    "fft, 9999991 (a prime)": Row("fft", (9_999_991,), "c8"),
    "fft, 3^14": Row("fft", (3**14,), "c8"),
    "fft, 4096 of 4096": Row("fft", (4096, 4096), "c8"),
    "fft, 4096 of 4096, axis 0": Row("fft", (4096, 4096), "c8", {"axis": 0}),
    "fft, 10^6 of 16": Row("fft", (1_000_000, 16), "c8"),
    "fft, 1000 of 5999": Row("fft", (1000, 5999), "c8"),
    "fft, (64, 512, 512), axis 1": Row("fft", (64, 512, 512), "c8", {"axis": 1}),
    "fft, (1000, 64, 250), axis 1": Row("fft", (1000, 64, 250), "c8", {"axis": 1}),
    "fft, (1000, 60, 250), axis 1": Row("fft", (1000, 60, 250), "c8", {"axis": 1}),
    "fft, 2048 of 8192, axis 0": Row("fft", (2048, 8192), "c8", {"axis": 0}),
    "ifft, 4096 of 4096": Row("ifft", (4096, 4096), "c8"),
    "ifft, 2^22 complex64": Row("ifft", (1 << 22,), "c8"),
    "ifft, 2^23 complex128": Row("ifft", (1 << 23,), "c16"),
    "fft, n=2^24 of 10^7": Row("fft", (10_000_000,), "c8", {"n": 1 << 24}),
    "fft, float32": Row("fft", (1 << 24,), "f4"),
    "ifft, float32": Row("ifft", (1 << 24,), "f4"),
    "fftn, 256^3 float32": Row("fftn", (256, 256, 256), "f4"),
    "rfft, 4096 of 4095": Row("rfft", (4096, 4095), "f4"),
    "fftn (512, 512, 16), axes (0, 1)": Row(
        "fftn", (512, 512, 16), "c8", {"axes": (0, 1)}, 1200
    ),
    "fftn (512, 512, 16), c16, (0, 1)": Row(
        "fftn", (512, 512, 16), "c16", {"axes": (0, 1)}, 1200
    ),
    "fft2, 64 of 512 x 512": Row("fft2", (64, 512, 512), "c8"),
    "fftn, 256^3": Row("fftn", (256, 256, 256), "c8"),
    "rfftn, 256^3": Row("rfftn", (256, 256, 256), "f4"),
    "irfftn, 256^3": Row("irfftn", (256, 256, 129), "c8"),
    "fftn, 32^4 x 16": Row("fftn", (16, 32, 32, 32, 32), "c8"),
    "dct, 4096 of 4096": Row("scipy.dct", (4096, 4096), "f4"),
    "dct type 4, 4096 of 4096": Row("scipy.dct", (4096, 4096), "f4", {"type": 4}),
    "idct, 4096 of 4096, axis 0": Row("scipy.idct", (4096, 4096), "f4", {"axis": 0}),
    "dctn, 4096 x 4096": Row("scipy.dctn", (4096, 4096), "f4"),
    "fftshift, 4096 x 4096": Row("fftshift", (4096, 4096), "c8"),
}  # fmt: skip

CALLS: dict[str, Row] = {
    "fft, 16 points": Row("fft", (16,), "c8", target=8),
    "ifft, 16 points": Row("ifft", (16,), "c8"),
    "rfft, 16 points": Row("rfft", (16,), "f4"),
    "irfft, 9 points": Row("irfft", (9,), "c8"),
    "fft, 17 points": Row("fft", (17,), "c8"),
    "fft, 5999 points": Row("fft", (5999,), "c8"),
    "fftn, 4 x 4": Row("fftn", (4, 4), "c8"),
    "fft, 16 points, n=32": Row("fft", (16,), "c8", {"n": 32}),
    "dct, 16 points": Row("scipy.dct", (16,), "f4"),
    "fftfreq(16)": Row("fftfreq", (), "f8", {"n": 16}),
}


def _numbers(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    rng = np.random.default_rng(1)
    count = int(np.prod(shape))
    x = rng.standard_normal(min(count, 1 << 20))
    if dtype[0] == "c":
        x = x + 1j * rng.standard_normal(len(x))
    return np.resize(x.astype(dtype), shape)  # large operands repeat: they are made quickly


def _function(library: libraries.Library, name: str) -> Callable[..., Any]:
    if not name.startswith("scipy."):
        return getattr(library.module.fft, name)
    name = name.removeprefix("scipy.")
    if library.name == "gpuarray":
        import gpuarray.scipy.fft

        return getattr(gpuarray.scipy.fft, name)
    if library.name == "cupy":
        import cupyx.scipy.fft

        return getattr(cupyx.scipy.fft, name)
    raise NotImplementedError(f"there is no {name}")


def _arguments(library: libraries.Library, given: dict[str, Any]) -> dict[str, Any]:
    """PyTorch calls an axis `dim`."""
    if library.name != "torch":
        return given
    names = {"axis": "dim", "axes": "dim"}
    return {names.get(name, name): value for name, value in given.items()}


def _work(library: libraries.Library, row: Row) -> timing.Work:
    call, arguments = _function(library, row.function), _arguments(library, row.arguments)
    if row.function == "fftfreq":
        return lambda: call(**arguments)
    x = library.to_device(_numbers(row.dtype, row.shape))
    return lambda: call(x, **arguments)


def _works(found: dict[str, libraries.Library], row: Row) -> dict[str, timing.Work]:
    from gpuarray._ffi import driver

    works = {}
    for name, library in found.items():
        try:
            work = _work(library, row)
            work()
            driver.context_synchronize()
            works[name] = work
        except Exception as error:  # the table shows a gap
            print(f"    {name}: {type(error).__name__}: {error}".splitlines()[0], file=sys.stderr)
    return works


def _device(found: dict[str, libraries.Library], options: Any) -> dict[str, Any]:
    from gpuarray._ffi import driver

    print("\nDevice time, µs, and GB/s of gpuarray where the operand is read and written once")
    head = "".join(f"{name:>11}" for name in found)
    print(f"{'':34}{head}{'target':>9}{'GB/s':>8}")
    figures: dict[str, Any] = {}
    for label, row in ROWS.items():
        if options.quick:
            row = row._replace(
                shape=tuple([min(n, 12) for n in row.shape]),
                arguments={x: 40 if x == "n" else y for x, y in row.arguments.items()},
            )
        works = {name: (work, found[name].stream()) for name, work in _works(found, row).items()}
        times = timing.device_times(works, driver.context_synchronize, options.effort)
        works.clear()
        for library in found.values():
            library.free()
        figures[label] = {name: 1e6 * median(samples) for name, samples in times.items()}
        cells = [
            f"{figures[label][x]:11.1f}" if x in figures[label] else f"{'-':>11}" for x in found
        ]
        nbytes = 2 * np.prod(row.shape, dtype=float) * np.dtype(row.dtype).itemsize
        ours = figures[label].get("gpuarray")
        rate = f"{nbytes / ours / 1e3:8.0f}" if ours else ""
        target = f"{row.target:9.0f}" if row.target else f"{'':9}"
        print(f"{label:34}" + "".join(cells) + target + rate)
    return figures


def _calls(found: dict[str, libraries.Library], options: Any) -> dict[str, Any]:
    from gpuarray._ffi import driver

    print("\nHost's time for a call, µs")
    head = "".join(f"{name:>11}" for name in [*found, "numpy"])
    print(f"{'':34}{head}{'target':>9}")
    figures: dict[str, Any] = {}
    for label, row in CALLS.items():
        works = _works(found, row)
        if not row.function.startswith("scipy."):
            call = getattr(np.fft, row.function)
            x = () if row.function == "fftfreq" else (_numbers(row.dtype, row.shape),)
            works["numpy"] = lambda call=call, x=x, row=row: call(*x, **row.arguments)
        times = timing.call_costs(works, driver.context_synchronize, options.effort)
        figures[label] = {name: 1e6 * median(samples) for name, samples in times.items()}
        cells = [
            f"{figures[label][x]:11.2f}" if x in figures[label] else f"{'-':>11}"
            for x in [*found, "numpy"]
        ]
        target = f"{row.target:9.0f}" if row.target else ""
        print(f"{label:34}" + "".join(cells) + target)
    return figures


#: What a process of its own prints: the milliseconds of its first transforms.
_FIRST = """
import sys, time
sys.path[:0] = {path!r}
from benchmarks import ffts, libraries
library = libraries.available([{name!r}])[0][{name!r}]
for n in (1 << 12, 5000):
    x = library.to_device(ffts._numbers("c8", (n,)))
    library.to_host(x)
    before = time.perf_counter()
    library.to_host(library.module.fft.fft(x))
    print(1e3 * (time.perf_counter() - before))
"""


def _first(found: dict[str, libraries.Library], options: Any) -> dict[str, Any]:
    """Each library in processes of its own, the last ones in reverse order.

    In one process the first library that opens cuFFT, and loads its kernels, does it for all; and
    the first process may have to read the library's file from a disk.
    """
    print("\nFirst transform of a process, and one of another length, ms; each process a pair")
    figures: dict[str, Any] = {name: [] for name in found}
    path = [str(_ROOT), str(_ROOT / "src")]
    for name in [*found, *reversed(found)]:
        source = _FIRST.format(name=name, path=path)
        done = subprocess.run(
            [sys.executable, "-c", source], capture_output=True, text=True, check=False
        )
        if done.returncode:
            print(f"    {name}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
            continue
        figures[name].append([float(x) for x in done.stdout.split()])
    for name, pairs in figures.items():
        print(f"{name:12}" + "   ".join([f"{x:10.1f}{y:8.1f}" for x, y in pairs]))
    return figures


_TABLES = {"first": _first, "calls": _calls, "device": _device}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=_TABLES, default=list(_TABLES))
    parser.add_argument("--quick", action="store_true", help="small and short: does it run at all?")
    parser.add_argument("--json", metavar="PATH", help="write the figures there")
    options = parser.parse_args()
    options.effort = timing.Effort.quick() if options.quick else timing.Effort(5, 11, 0.01)

    from gpuarray._ffi import driver

    found, missing = libraries.available()
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
