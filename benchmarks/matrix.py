"""Every family of kernels over dtypes, views and sizes, beside CuPy in one run.

    python benchmarks/matrix.py                     the table of rates, then that of small sizes
    python benchmarks/matrix.py --json results.json and the figures as JSON
    python benchmarks/matrix.py --only cumsum

The first table gives bytes read and written over time as a percentage of a device copy's rate, for
operands of 400 MB, CuPy's in brackets. The second gives the microseconds of a call, back to back,
for 1e3 to 1e6 float32 elements, where the number of launches decides, and that number.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_ROOT), str(_ROOT / "src")]

import numpy as np  # noqa: E402 - the path comes first

from benchmarks import libraries, timing  # noqa: E402
from benchmarks.rows import random_of  # noqa: E402

DTYPES = ("f4", "f8", "f2", "c8", "i4", "i8", "i1", "u1", "?")
_BYTES = 400_000_000
#: Sizes of the second table: none is a power of two or a multiple of a vector.
SMALL_SIZES = (1_001, 10_001, 100_003, 1_000_003)

Make = Callable[[Any, Any], Callable[[], Any]]


def _square(a: Any) -> Any:
    side = int(a.size**0.5)
    return a[: side * side].reshape(side, side)


def _odd_square(a: Any) -> Any:
    side = (int(a.size**0.5) - 1) | 1
    return a[: side * side].reshape(side, side)


def _even_square(a: Any) -> Any:
    side = int(a.size**0.5) // 16 * 16
    return a[: side * side].reshape(side, side)


def _image(a: Any) -> Any:
    return a[: a.size // (3 * 192) * (3 * 192)].reshape(-1, 192, 3)


#: name -> (view of the flat operand, what to do with it, bytes for each byte of the operand)
Case = tuple[Callable[[Any], Any], Make, float]

_UNARY: Make = lambda xp, v: lambda: v + v  # noqa: E731 - reads one operand, writes as much
_COPY: Make = lambda xp, v: lambda: v.copy()  # noqa: E731
_SUM: Make = lambda xp, v: lambda: v.sum()  # noqa: E731

CASES: dict[str, Case] = {
    "v + v": (lambda a: a, _UNARY, 2),
    "v + v, one element into its vector": (lambda a: a[1:], _UNARY, 2),
    "v + v, reversed": (lambda a: a[::-1], _UNARY, 2),
    "v + v, every third": (lambda a: a[::3], _UNARY, 2 / 3 + 2 / 3),
    "m + m[0]": (lambda a: _square(a), lambda xp, m: lambda r=m[0]: m + r, 2),
    "m + m[:, :1]": (lambda a: _square(a), lambda xp, m: lambda c=m[:, :1]: m + c, 2),
    "inner block m[1:-1, 1:-1]": (lambda a: _square(a)[1:-1, 1:-1], _UNARY, 2),
    "image[:, ::-1]": (lambda a: _image(a)[:, ::-1], _COPY, 2),
    "image[..., ::-1]": (lambda a: _image(a)[..., ::-1], _COPY, 2),
    "rows of 7": (lambda a: a[: a.size // 8 * 8].reshape(-1, 8)[:, :7], _UNARY, 2 * 7 / 8),
    "copy of m.T": (lambda a: _even_square(a).T, lambda xp, v: lambda: v.copy("C"), 2),
    "copy of m.T, odd side": (lambda a: _odd_square(a).T, lambda xp, v: lambda: v.copy("C"), 2),
    "m + m.T": (lambda a: _square(a), lambda xp, m: lambda: m + m.T, 3),
    "sum": (lambda a: a, _SUM, 1),
    "sum of m.T": (lambda a: _square(a).T, _SUM, 1),
    "sum, axis 0": (lambda a: _square(a), lambda xp, m: lambda: m.sum(0), 1),
    "sum, axis 1": (lambda a: _square(a), lambda xp, m: lambda: m.sum(1), 1),
    "max": (lambda a: a, lambda xp, v: lambda: v.max(), 1),
    "argmax": (lambda a: a, lambda xp, v: lambda: v.argmax(), 1),
    "count_nonzero": (lambda a: a, lambda xp, v: lambda f=xp.count_nonzero: f(v), 1),
    "maximum.accumulate": (lambda a: a, lambda xp, v: lambda f=xp.maximum: f.accumulate(v), 2),
    "where(mask, v, 1)": (lambda a: a, lambda xp, v: _where(xp, v), 2),
    "v[mask]": (lambda a: a, lambda xp, v: _select(xp, v), 1.5),
    "concatenate": (lambda a: a, lambda xp, v: lambda f=xp.concatenate: f((v, v)), 4),
}

SMALL: dict[str, Make] = {
    "v + v": _UNARY,
    "sum": _SUM,
    "argmax": lambda xp, v: lambda: v.argmax(),
    "var": lambda xp, v: lambda: v.var(),
    "cumsum": lambda xp, v: lambda f=xp.cumsum: f(v),
    "sort": lambda xp, v: lambda f=xp.sort: f(v),
    "argsort": lambda xp, v: lambda f=xp.argsort: f(v),
    "partition": lambda xp, v: lambda f=xp.partition: f(v, v.size // 2),
    "median": lambda xp, v: lambda f=xp.median: f(v),
    "unique": lambda xp, v: lambda f=xp.unique: f(v),
    "v[mask]": lambda xp, v: _select(xp, v),
    "nonzero": lambda xp, v: lambda f=xp.nonzero: f(v),
    "take": lambda xp, v: _take(xp, v),
    "histogram": lambda xp, v: lambda f=xp.histogram: f(v, 100),
    "searchsorted": lambda xp, v: _search(xp, v),
    "concatenate": lambda xp, v: lambda f=xp.concatenate: f((v, v)),
}


def _mask(xp: Any, size: int) -> Any:
    return xp.asarray(random_of("?", size, seed=6))


def _where(xp: Any, v: Any) -> Callable[[], Any]:
    where, mask, one = xp.where, _mask(xp, v.size), v.dtype.type(1)
    return lambda: where(mask, v, one)


def _select(xp: Any, v: Any) -> Callable[[], Any]:
    mask = _mask(xp, v.size)
    return lambda: v[mask]


def _take(xp: Any, v: Any) -> Callable[[], Any]:
    index = xp.asarray(np.random.default_rng(7).integers(0, v.size, v.size))
    return lambda: v[index]


def _search(xp: Any, v: Any) -> Callable[[], Any]:
    searchsorted, edges = xp.searchsorted, xp.sort(v[:1000])
    return lambda: searchsorted(edges, v)


def _times(
    found: dict[str, libraries.Library],
    operands: dict[str, Any],
    make: Make,
    effort: timing.Effort,
) -> dict[str, float]:
    """Microseconds of a call for each library; what a library can't do is left out."""
    from gpuarray._ffi import driver

    works = {}
    for name, library in found.items():
        try:
            work = make(library.module, operands[name])
            work()
            driver.context_synchronize()
            works[name] = (work, library.stream())
        except Exception as error:  # the table shows a gap; the reason goes to the log
            print(f"    {name}: {type(error).__name__}: {error}".splitlines()[0], file=sys.stderr)
    times = timing.device_times(works, driver.context_synchronize, effort)
    for library in found.values():
        library.free()
    return {name: 1e6 * median(samples) for name, samples in times.items()}


def _launches(work: Callable[[], Any]) -> int:
    """The kernels that a call launches."""
    from gpuarray._runtime import launch_history

    launch_history.forget()
    work()
    # Those before a wait count too, which gpuarray.debug.launches() would leave out.
    return sum(not isinstance(entry, launch_history._Ended) for entry in launch_history._recent)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", metavar="TEXT", default="", help="cases whose name has it")
    parser.add_argument("--dtypes", nargs="+", default=DTYPES, metavar="DTYPE")
    parser.add_argument("--bytes", type=int, default=_BYTES, help="of each operand (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="small and short: does it run at all?")
    parser.add_argument("--json", metavar="PATH", help="write the figures there")
    options = parser.parse_args()
    size_bytes = 40_000 if options.quick else options.bytes
    effort = timing.Effort.quick() if options.quick else timing.Effort(5, 11, 0.006)

    from gpuarray._ffi import driver

    found, _ = libraries.available()
    found = {name: library for name, library in found.items() if name != "torch"}
    source, target = driver.mem_alloc(size_bytes), driver.mem_alloc(size_bytes)
    fill = random_of("u1", size_bytes)
    driver.memcpy_htod_async(source, fill.ctypes.data, size_bytes, 0)
    copy = timing.device_times(
        {"copy": (lambda: driver.memcpy_dtod_async(target, source, size_bytes, 0), 0)},
        driver.context_synchronize,
        effort,
    )["copy"]
    rate = 2 * size_bytes / median(copy)
    driver.mem_free(source)
    driver.mem_free(target)
    print(f"{driver.describe()}; a copy runs at {rate / 1e12:.3f} TB/s")

    rates: dict[str, dict[str, dict[str, float]]] = {name: {} for name in CASES}
    for dtype in options.dtypes:
        host = random_of(dtype, size_bytes // np.dtype(dtype).itemsize)
        operands = {name: library.to_device(host) for name, library in found.items()}
        for name, (view, make, moved) in CASES.items():
            if options.only not in name:
                continue
            views = {library: view(operand) for library, operand in operands.items()}
            times = _times(found, views, make, effort)
            rates[name][dtype] = {
                library: moved * size_bytes / (us * 1e-6) / rate for library, us in times.items()
            }
    print("\nper cent of the copy (CuPy's)")
    print(f"{'':36}" + "".join(f"{dtype:>11}" for dtype in options.dtypes))
    for name, row in rates.items():
        if row:
            print(f"{name:36}" + "".join(_cell(row.get(d, {})) for d in options.dtypes))

    small: dict[str, dict[int, dict[str, float]]] = {name: {} for name in SMALL}
    launches: dict[str, list[int]] = {name: [] for name in SMALL}
    for size in SMALL_SIZES[:2] if options.quick else SMALL_SIZES:
        host = random_of("f4", size)
        operands = {name: library.to_device(host) for name, library in found.items()}
        for name, make in SMALL.items():
            if options.only in name:
                small[name][size] = _times(found, operands, make, effort)
                work = make(found["gpuarray"].module, operands["gpuarray"])
                launches[name].append(_launches(work))
    print("\nµs of a call, back to back (CuPy's)")
    print(f"{'':36}" + "".join(f"{size:>16}" for size in SMALL_SIZES) + "  launches")
    for name, of_size in small.items():
        if of_size:
            cells = [_pair(of_size.get(size, {})) for size in SMALL_SIZES]
            print(f"{name:36}" + "".join(cells) + f"  {launches[name]}")
    if options.json:
        result = {"device": driver.describe(), "copy_bytes_per_s": rate}
        result |= {"of_copy": rates, "small_us": small, "small_launches": launches}
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n")
    return 0


def _cell(rates: dict[str, float]) -> str:
    ours = f"{100 * rates['gpuarray']:.0f}" if "gpuarray" in rates else "-"
    peer = f" ({100 * rates['cupy']:.0f})" if "cupy" in rates else ""
    return f"{ours + peer:>11}"


def _pair(times: dict[str, float]) -> str:
    ours = f"{times['gpuarray']:.1f}" if "gpuarray" in times else "-"
    peer = f" ({times['cupy']:.1f})" if "cupy" in times else ""
    return f"{ours + peer:>16}"


if __name__ == "__main__":
    sys.exit(main())
