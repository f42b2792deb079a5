"""Special functions beside CuPy's: device time, the rate of memory, what first calls compile.

    python benchmarks/special.py                     both tables, in less than two minutes
    python benchmarks/special.py --json results.json and the figures as JSON
    python benchmarks/special.py --only device       one of first, device
    python benchmarks/special.py --quick             small and short: does it run at all?

* first: milliseconds of the first call of a function, with an empty cache directory, after that of
  an addition, which opens the compiler. The aim is 2 s at most, 200 ms for the usual functions.
* device: device time of 1e8 elements, and the rate of memory if operands and result move once. A
  rate near that of a copy says that the function costs nothing beside memory.

CuPy's time is that of ``cupyx.scipy.special``; a function that it has not leaves a gap.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_ROOT), str(_ROOT / "src")]

import numpy as np  # noqa: E402 - the path comes first

from benchmarks import libraries, timing  # noqa: E402


class Row(NamedTuple):
    """A function, the ranges of its operands, the dtype, and the arguments by name.

    A note tells rows of one function apart.
    """

    function: str
    ranges: tuple[tuple[float, float], ...]
    dtype: str = "f4"
    options: dict[str, Any] = {}  # noqa: RUF012  # nobody changes it
    usual: bool = False  # the first call is to take less than 200 ms
    shape: tuple[int, ...] = (10**8,)
    note: str = ""


_UNIT, _WIDE = (0.01, 0.99), (-20.0, 20.0)

_GREAT = (10**7,)  # of functions that compute for long

#: Both dtypes of these are measured.
_BOTH = (
    Row("gammaln", ((0.1, 50.0),), usual=True),
    Row("gammaln", ((-30.0, 0.0),), note="left of 0"),
    Row("erf", ((-4.0, 4.0),), usual=True),
    Row("expit", (_WIDE,), usual=True),
    Row("logit", (_UNIT,), usual=True),
    Row("log_expit", (_WIDE,), usual=True),
    Row("xlogy", ((0.0, 5.0), (0.1, 5.0)), usual=True),
    Row("entr", ((0.0, 5.0),), usual=True),
    Row("gamma", ((0.1, 30.0),)),
    Row("gamma", ((-20.0, 30.0),), note="from -20 on"),
    Row("rgamma", ((0.1, 30.0),)),
    Row("digamma", ((0.1, 30.0),)),
    Row("erfc", ((-4.0, 8.0),)),
    Row("erfinv", ((-0.99, 0.99),)),
    Row("ndtri", (_UNIT,)),
    Row("ndtr", ((-6.0, 6.0),)),
    Row("log_ndtr", ((-30.0, 6.0),)),
    Row("erfcx", ((-3.0, 30.0),)),
    Row("j0", ((0.0, 50.0),)),
    Row("j1", ((0.0, 50.0),)),
    Row("y0", ((0.1, 50.0),)),
    Row("y1", ((0.1, 50.0),)),
    Row("i0", ((0.0, 50.0),)),
    Row("i0e", ((0.0, 50.0),)),
    Row("i1", ((0.0, 50.0),)),
    Row("i1e", ((0.0, 50.0),)),
    Row("k0", ((0.1, 20.0),)),
    Row("k0e", ((0.1, 20.0),)),
    Row("k1", ((0.1, 20.0),)),
    Row("k1e", ((0.1, 20.0),)),
    Row("ellipk", (_UNIT,)),
    Row("ellipe", (_UNIT,)),
    Row("sinc", (_WIDE,), usual=True),
    Row("sindg", ((-720.0, 720.0),)),
    Row("cosdg", ((-720.0, 720.0),)),
    Row("tandg", ((-720.0, 720.0),)),
    Row("exprel", (_WIDE,)),
    Row("cosm1", (_WIDE,)),
    Row("expi", ((0.1, 30.0),), shape=_GREAT),
    Row("exp1", ((0.1, 30.0),), shape=_GREAT),
    Row("spence", ((0.1, 30.0),), shape=_GREAT),
    Row("beta", ((0.5, 20.0), (0.5, 20.0)), shape=_GREAT),
    Row("betaln", ((0.5, 20.0), (0.5, 20.0)), shape=_GREAT),
    Row("poch", ((0.5, 20.0), (0.5, 20.0)), shape=_GREAT),
    Row("binom", ((1.0, 60.0), (0.0, 30.0)), shape=_GREAT),
    Row("zeta", ((1.1, 20.0), (0.5, 20.0)), shape=_GREAT),
    Row("betainc", ((0.5, 20.0), (0.5, 20.0), _UNIT), shape=_GREAT),
    Row("gammainc", ((0.5, 20.0), (0.1, 30.0)), shape=_GREAT),
    Row("gammaincc", ((0.5, 20.0), (0.1, 30.0)), shape=_GREAT),
    Row("chdtr", ((0.5, 20.0), (0.1, 30.0)), shape=_GREAT),
    Row("boxcox", ((0.1, 20.0), (-2.0, 2.0)), shape=_GREAT),
    Row("rel_entr", ((0.1, 20.0), (0.1, 20.0))),
    Row("kl_div", ((0.1, 20.0), (0.1, 20.0))),
    Row("pseudo_huber", ((0.1, 2.0), (-20.0, 20.0))),
)  # fmt: skip

ROWS = (
    *_BOTH,
    *[row._replace(dtype="f8") for row in _BOTH],
    Row("lambertw", ((0.0, 20.0),), "f8", shape=_GREAT),
    Row("wrightomega", (_WIDE,)),
    Row("logsumexp", (_WIDE,), usual=True),
    Row("logsumexp", (_WIDE,), options={"axis": 1}, shape=(10**5, 1000)),
    Row("logsumexp", (_WIDE,), options={"axis": 0}, shape=(10**5, 1000)),
    Row("softmax", (_WIDE,), options={"axis": 1}, shape=(10**5, 1000)),
    Row("log_softmax", (_WIDE,), options={"axis": 1}, shape=(10**5, 1000)),
)  # fmt: skip


_ADDITION = Row("add", (_WIDE, _WIDE))


def _label(row: Row) -> str:
    options = "".join([f", {name}={value}" for name, value in row.options.items()])
    shape = " x ".join([f"{n:.0e}".replace("e+0", "e") for n in row.shape])
    note = f", {row.note}" if row.note else ""
    return f"{row.function}{options}, {row.dtype} {shape}{note}"


def _function(library: libraries.Library, name: str) -> Any:
    if library.name == "gpuarray":
        import gpuarray.scipy.special as module
    elif library.name == "cupy":
        import cupyx.scipy.special as module
    else:
        raise NotImplementedError(f"no functions of {library.name} are compared")
    return getattr(library.module if name == _ADDITION.function else module, name)


def _operands(row: Row, library: libraries.Library) -> list[Any]:
    rng = np.random.default_rng(1)
    count = int(np.prod(row.shape))
    made = []
    for low, high in row.ranges:
        some = rng.uniform(low, high, min(count, 1 << 20)).astype(row.dtype)
        made.append(library.module.resize(library.to_device(some), row.shape))
    return made


def _works(found: dict[str, libraries.Library], row: Row) -> dict[str, Any]:
    from gpuarray._ffi import driver

    works = {}
    for name, library in found.items():
        try:
            call, operands = _function(library, row.function), _operands(row, library)

            def work(call: Any = call, operands: Any = operands) -> Any:
                return call(*operands, **row.options)

            work()
            driver.context_synchronize()
            works[name] = (work, library.stream())
        except Exception as error:  # the table shows a gap
            print(f"    {name}: {type(error).__name__}: {error}".splitlines()[0], file=sys.stderr)
    return works


def _device(found: dict[str, libraries.Library], options: Any) -> dict[str, Any]:
    from gpuarray._ffi import driver

    print("\nDevice time, µs, and GB/s of gpuarray where operands and result move once")
    print(f"{'':44}" + "".join(f"{name:>11}" for name in found) + f"{'GB/s':>8}")
    figures: dict[str, Any] = {}
    for row in ROWS:
        if options.quick:
            row = row._replace(shape=tuple([min(n, 12) for n in row.shape]))
        works = _works(found, row)
        times = timing.device_times(works, driver.context_synchronize, options.effort)
        works.clear()
        for library in found.values():
            library.free()
        label = _label(row)
        figures[label] = {name: 1e6 * median(samples) for name, samples in times.items()}
        count = np.prod(row.shape, dtype=float)
        results = 0 if row.function == "logsumexp" else 2 if row.function == "lambertw" else 1
        nbytes = count * np.dtype(row.dtype).itemsize * (len(row.ranges) + results)
        cells = [
            f"{figures[label][x]:11.1f}" if x in figures[label] else f"{'-':>11}" for x in found
        ]
        ours = figures[label].get("gpuarray")
        print(f"{label:44}" + "".join(cells) + (f"{nbytes / ours / 1e3:8.0f}" if ours else ""))
    return figures


def _first(found: dict[str, libraries.Library], options: Any) -> dict[str, Any]:
    """The first call of each function on small arrays."""
    from gpuarray._ffi import driver

    print("\nFirst call of a function, ms")
    print(f"{'':44}" + "".join(f"{name:>11}" for name in found))
    figures: dict[str, Any] = {}
    for row in (_ADDITION, *ROWS):
        row = row._replace(shape=tuple([min(n, 1000) for n in row.shape]))
        label = f"{row.function} {row.dtype}"
        if label in figures:
            continue
        figures[label] = {}
        for name, library in found.items():
            try:
                call, operands = _function(library, row.function), _operands(row, library)
                driver.context_synchronize()
                before = time.perf_counter()
                call(*operands, **row.options)
                driver.context_synchronize()
                figures[label][name] = 1e3 * (time.perf_counter() - before)
            except Exception as error:  # the table shows a gap
                message = f"    {name}: {type(error).__name__}: {error}"
                print(message.splitlines()[0], file=sys.stderr)
        cells = [
            f"{figures[label][x]:11.1f}" if x in figures[label] else f"{'-':>11}" for x in found
        ]
        limit = 200 if row.usual else 2000
        late = figures[label].get("gpuarray", 0) > limit
        print(f"{label:44}" + "".join(cells) + ("   late" if late else ""))
    return figures


_TABLES = {"first": _first, "device": _device}


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

    found, missing = libraries.available(("gpuarray", "cupy"))
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
    import os

    # Kernels of earlier runs would hide what the first calls compile. The variables are read when
    # the libraries are imported.
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GPUARRAY_CACHE_DIR"] = os.environ["CUPY_CACHE_DIR"] = folder
        raise SystemExit(main())
