"""Contractions and norms beside CuPy's and PyTorch's, in one run.

    python benchmarks/contractions.py                     every table
    python benchmarks/contractions.py --json results.json and the figures as JSON
    python benchmarks/contractions.py --only norms        one of einsum, norms, calls
    python benchmarks/contractions.py --quick             small and short: does it run at all?

* einsum: device time over subscripts: products, stacks, axes that do not lie behind one another,
  sums, chains.
* norms: device time of vector norms over orders and axes, and the rate at which operands are read.
* calls: the host's time for a call on operands of 16 elements.

A library that has no such function leaves a gap; the reason goes to standard error.
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
from benchmarks.products import device_times, operand  # noqa: E402

#: Subscripts and the length along each of their letters, of float32.
EINSUM: dict[str, dict[str, int]] = {
    "ij,jk->ik": dict.fromkeys("ijk", 4096),
    "ij,kj->ki": dict.fromkeys("ijk", 4096),
    "aij,ajk->aik": {"a": 1000, "i": 64, "j": 64, "k": 64},
    "aij,ajk->ika": {"a": 256, "i": 128, "j": 128, "k": 128},
    "aibj,jbk->iak": {"a": 64, "i": 64, "b": 64, "j": 64, "k": 512},
    "ijk,jkl->il": {"i": 2048, "j": 64, "k": 32, "l": 2048},
    "ikj,kl->ijl": {"i": 512, "k": 512, "j": 32, "l": 512},
    "ij,j->i": dict.fromkeys("ij", 16384),
    "ij,ij->": dict.fromkeys("ij", 8192),
    "ij,ij->i": dict.fromkeys("ij", 8192),
    "ij,jk,ki->": dict.fromkeys("ijk", 2048),
    "ii->": {"i": 8192},
    "ij->j": dict.fromkeys("ij", 8192),
    "i,j->ij": dict.fromkeys("ij", 8192),
    "ij,jk,kl,lm->im": {"i": 1024, "j": 2048, "k": 1024, "l": 2048, "m": 64},
}

#: What is done to a matrix, by the library's linalg.
NORMS: dict[str, Callable[[Any, Any], Any]] = {
    "vector_norm": lambda linalg, m: linalg.vector_norm(m),
    "vector_norm, ord=1": lambda linalg, m: linalg.vector_norm(m, ord=1),
    "vector_norm, ord=inf": lambda linalg, m: linalg.vector_norm(m, ord=np.inf),
    "vector_norm, ord=3": lambda linalg, m: linalg.vector_norm(m, ord=3),
    "norm": lambda linalg, m: linalg.norm(m),
    "norm of rows": lambda linalg, m: linalg.norm(m, None, 1),
    "norm of columns": lambda linalg, m: linalg.norm(m, None, 0),
    "norm, ord=1": lambda linalg, m: linalg.norm(m, 1),
    "norm, ord=inf": lambda linalg, m: linalg.norm(m, np.inf),
}
_SIDE = 10_000


def _operands(
    library: libraries.Library, subscripts: str, lengths: dict[str, int], most: int
) -> list[Any]:
    terms = subscripts.partition("->")[0].split(",")
    shapes = [tuple([min(lengths[x], most) for x in one]) for one in terms]
    return [operand(library, "f4", shape, i) for i, shape in enumerate(shapes)]


def _table(
    title: str, found: dict[str, libraries.Library], figures: dict[str, dict[str, float]]
) -> None:
    print(f"\n{title}")
    print(f"{'':32}" + "".join(f"{name:>12}" for name in found))
    for label, row in figures.items():
        cells = [f"{row[x]:12.2f}" if x in row else f"{'-':>12}" for x in found]
        print(f"{label:32}" + "".join(cells))


def _einsum(found: dict[str, libraries.Library], options: Any) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for subscripts, lengths in EINSUM.items():

        def make(library: libraries.Library, subscripts=subscripts, lengths=lengths) -> timing.Work:
            arrays = _operands(library, subscripts, lengths, options.most)
            einsum = library.module.einsum
            return lambda: einsum(subscripts, *arrays)

        times = device_times(found, make, options.effort)
        figures[subscripts] = {name: 1e6 * seconds for name, seconds in times.items()}
    _table("einsum of float32: device time, µs", found, figures)
    return figures


def _norms(found: dict[str, libraries.Library], options: Any) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    side = min(_SIDE, options.most)
    for label, function in NORMS.items():

        def make(library: libraries.Library, function=function) -> timing.Work:
            m, linalg = operand(library, "f4", (side, side), 1), library.module.linalg
            return lambda: function(linalg, m)

        times = device_times(found, make, options.effort)
        figures[label] = {name: 4e-9 * side**2 / seconds for name, seconds in times.items()}
    _table("Norms of float32: GB/s at which the operand is read", found, figures)
    return figures


def _calls(found: dict[str, libraries.Library], options: Any) -> dict[str, Any]:
    from gpuarray._ffi import driver

    lengths = dict.fromkeys("ijkl", 4)
    rows: dict[str, Callable[[libraries.Library], timing.Work]] = {}
    for subscripts in ("ij,jk->ik", "ij,ij->", "ii->i", "ij,jk,kl->il"):

        def einsum(library: libraries.Library, subscripts=subscripts) -> timing.Work:
            arrays, call = _operands(library, subscripts, lengths, 4), library.module.einsum
            return lambda: call(subscripts, *arrays)

        rows[f"einsum {subscripts}"] = einsum

    def tensordot(library: libraries.Library) -> timing.Work:
        m, call = operand(library, "f4", (4, 4), 1), library.module.tensordot
        return lambda: call(m, m, 1)

    def norm(library: libraries.Library) -> timing.Work:
        m, linalg = operand(library, "f4", (4, 4), 1), library.module.linalg
        return lambda: linalg.norm(m)

    rows |= {"tensordot": tensordot, "norm": norm}
    figures: dict[str, Any] = {}
    for label, make in rows.items():
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
    _table("Host's time for a call, µs", found, figures)
    return figures


_TABLES = {"einsum": _einsum, "norms": _norms, "calls": _calls}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=_TABLES, default=list(_TABLES))
    parser.add_argument("--quick", action="store_true", help="small and short: does it run at all?")
    parser.add_argument("--json", metavar="PATH", help="write the figures there")
    options = parser.parse_args()
    options.effort = timing.Effort.quick() if options.quick else timing.Effort(7, 21, 0.02)
    options.most = 20 if options.quick else 1 << 30

    from gpuarray._ffi import driver

    found, missing = libraries.available()
    for name, reason in missing.items():
        print(f"{name} is left out: {reason}")
    print(driver.describe())
    figures = {name: _TABLES[name](found, options) for name in options.only}
    if options.json:
        versions = {name: library.version for name, library in found.items()}
        report = {"device": driver.describe(), "versions": versions, **figures}
        Path(options.json).write_text(json.dumps(report, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
