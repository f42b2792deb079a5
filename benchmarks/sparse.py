"""Sparse products and conversions beside CuPy's and PyTorch's.

    python benchmarks/sparse.py                  the table, in about a minute
    python benchmarks/sparse.py --json FILE      and the figures as JSON
    python benchmarks/sparse.py --only "a @ x"

Times are the device's, medians, the libraries take turns; a call that waits for the device counts
that, too. Each row says what has to move at least: its bytes over its time are compared with a copy
on the device. The results of all libraries are compared with one another. The targets are for an
H200.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import inspect
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_ROOT), str(_ROOT / "src")]

import numpy as np  # noqa: E402 - the path comes first

from benchmarks import libraries, timing  # noqa: E402

_MILLION = 10**6


class Rows(NamedTuple):
    """How long the rows of a matrix are: a name of `LENGTHS`, rows, columns and all elements."""

    kind: str
    rows: int
    columns: int
    size: int
    dtype: str = "f4"


class Row(NamedTuple):
    """An expression of a csr matrix ``a``, the same in coordinates ``c``, a dense operand ``x``,
    sort keys ``k`` and the library ``m``.
    """

    call: str
    matrix: Rows
    columns: int = 0  # of the dense operand; 0 for a vector
    target_us: float | None = None
    torch: str | None = None  # the same by default; "" for none
    cupy: str | None = None  # likewise
    moved: str = "product"  # a name of `_MOVED`


def _uniform(rng: np.random.Generator, rows: int, size: int) -> np.ndarray:
    return np.full(rows, size // rows)


def _scattered(rng: np.random.Generator, rows: int, size: int) -> np.ndarray:
    return rng.multinomial(size, np.full(rows, 1 / rows))


def _power_law(rng: np.random.Generator, rows: int, size: int) -> np.ndarray:
    weights = rng.permutation(1 / np.arange(1, rows + 1))
    return rng.multinomial(size, weights / weights.sum())


def _one_long(rng: np.random.Generator, rows: int, size: int) -> np.ndarray:
    lengths = np.full(rows, size // (2 * rows))
    lengths[rows // 2] += size - lengths.sum()
    return lengths


LENGTHS: dict[str, Callable[[np.random.Generator, int, int], np.ndarray]] = {
    "uniform": _uniform, "scattered": _scattered, "power law": _power_law, "one long": _one_long,
}  # fmt: skip

_TEN = 10 * _MILLION
_SHORT = "torch.sparse.mm(a, x)"

ROWS = (
    # A matrix times a vector.
    *[
        Row("a @ x", Rows(kind, _MILLION, _MILLION, _TEN), target_us=60, torch="torch.mv(a, x)")
        for kind in LENGTHS
    ],
    Row("a @ x", Rows("uniform", 10**5, _MILLION, _TEN), target_us=60, torch="torch.mv(a, x)"),
    Row("a @ x", Rows("uniform", _MILLION, _MILLION, _TEN, "f8"), torch="torch.mv(a, x)"),
    Row("a @ x", Rows("power law", _MILLION, _MILLION, _TEN, "f8"), torch="torch.mv(a, x)"),
    Row("a @ x", Rows("uniform", _MILLION, _MILLION, _TEN, "c16"), torch="torch.mv(a, x)"),
    Row("a @ x", Rows("uniform", _MILLION, _MILLION, _TEN, "i4"), cupy="", torch=""),
    Row("a @ x", Rows("uniform", 10**4, 10**4, 10**5), torch="torch.mv(a, x)"),
    Row("a.T @ x", Rows("uniform", _MILLION, _MILLION, _TEN), torch=""),
    Row("c @ x", Rows("uniform", _MILLION, _MILLION, _TEN), torch=""),
    # Times dense matrices.
    *[
        Row("a @ x", Rows(kind, 10**5, 10**5, _MILLION), columns, torch=_SHORT)
        for kind in ("uniform", "power law")
        for columns in (4, 32, 128)
    ],
    # Times sparse matrices.
    Row("a @ a", Rows("scattered", 10**5, 10**5, 4 * 10**5), target_us=800, moved="expansion"),
    Row("a @ a", Rows("scattered", 10**5, 10**5, 2 * _MILLION), moved="expansion"),
    Row("a @ a", Rows("power law", 2 * 10**4, 2 * 10**4, 10**5), moved="expansion"),
    # Conversions.
    Row("c.tocsr()", Rows("scattered", _MILLION, _MILLION, _TEN), torch="", moved="entries"),
    Row("m.sort(k)", Rows("scattered", _MILLION, _MILLION, _TEN), torch="", moved="keys"),
)

_SMALL = Rows("uniform", 1000, 1000, 5000)

#: Calls whose cost on the host is measured.
CALLS = (
    Row("a @ x", _SMALL, torch="torch.mv(a, x)"),
    Row("a @ x", _SMALL, 4, torch=_SHORT),
    Row("a @ a", _SMALL),
)

#: The least bytes that a call moves, of the matrix' parts, the operand and the result's elements.
_MOVED: dict[str, Callable[[Any, Any, int], int]] = {
    "product": lambda a, x, columns: (
        _bytes(a) + x.nbytes + (a["indptr"].size - 1) * columns * x.itemsize
    ),
    "entries": lambda a, x, columns: _bytes(a) + a["data"].size * (8 + a["data"].itemsize),
    "keys": lambda a, x, columns: 2 * 8 * a["data"].size,
    # Both operands once, and once each product's value and place.
    "expansion": lambda a, x, columns: 2 * _bytes(a) + _products(a) * (4 + a["data"].itemsize),
}


def _bytes(a: dict[str, np.ndarray]) -> int:
    return sum([a[name].nbytes for name in ("indptr", "indices", "data")])


def _products(a: dict[str, np.ndarray]) -> int:
    return int(np.diff(a["indptr"])[a["indices"]].sum())


def _parts(rows: Rows, quick: bool) -> dict[str, np.ndarray]:
    """The arrays of a csr matrix; in each row the columns are sorted."""
    _, count, columns, size, dtype = rows
    if quick:
        count, columns, size = [max(4, x // 10**4) for x in (count, columns, size)]
    rng = np.random.default_rng(1)
    lengths = LENGTHS[rows.kind](rng, count, size)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    row = np.repeat(np.arange(count), lengths)
    keys = np.sort(row * columns + rng.integers(0, columns, row.size))
    data = rng.integers(1, 5, row.size).astype(dtype)
    order = rng.permutation(row.size)
    return {
        "indptr": indptr.astype("i4"), "indices": (keys % columns).astype("i4"), "data": data,
        "row": row[order].astype("i4"), "col": (keys % columns)[order].astype("i4"),
        "entries": data[order], "keys": keys[order], "shape": np.array([count, columns]),
    }  # fmt: skip


def _names(
    name: str, library: libraries.Library, parts: dict[str, np.ndarray], x: np.ndarray, text: str
) -> dict[str, Any]:
    """What a call of a library names; only what its text has is made."""
    device = {key: library.to_device(value) for key, value in parts.items() if key != "shape"}
    shape = tuple(map(int, parts["shape"]))
    names = {"m": library.module, "x": library.to_device(x), "k": device["keys"]}
    if name == "torch":
        torch = names["torch"] = library.module
        names["a"] = torch.sparse_csr_tensor(
            device["indptr"], device["indices"], device["data"], shape
        )
        return names
    module = "cupyx.scipy.sparse" if name == "cupy" else "gpuarray.scipy.sparse"
    sparse = importlib.import_module(module)
    compressed = device["data"], device["indices"], device["indptr"]
    names["a"] = sparse.csr_matrix(compressed, shape=shape)
    if "c" in text:
        coordinates = device["entries"], (device["row"], device["col"])
        names["c"] = sparse.coo_matrix(coordinates, shape=shape)
    return names


def _sum(result: Any) -> float:
    """A number that all libraries must agree on: the sum of a result's elements."""
    if hasattr(result, "indptr"):
        result = result.data
    elif str(getattr(result, "layout", "")).startswith("torch.sparse"):
        result = result.values()
    return abs(complex(result.sum()))


def _works(
    row: Row, found: dict[str, libraries.Library], parts: dict[str, np.ndarray], x: np.ndarray
) -> tuple[dict[str, Any], dict[str, float], dict[str, str]]:
    """A call of each library that has it, with its stream; what results sum to, and errors."""
    works, sums, errors = {}, {}, {}
    for name, library in found.items():
        text = {"gpuarray": row.call, "cupy": row.cupy, "torch": row.torch}[name]
        text = row.call if text is None else text
        if not text:
            continue
        try:
            names = _names(name, library, parts, x, text)
            code = compile(text, text, "eval")

            def work(code: Any = code, names: dict[str, Any] = names) -> Any:
                return eval(code, names)

            sums[name] = _sum(work())
        except Exception as error:  # a peer may lack it
            errors[name] = f"{type(error).__name__}: {str(error)[:80]}"
            continue
        works[name] = work, library.stream()
    return works, sums, errors


def _operand(row: Row, parts: dict[str, np.ndarray]) -> np.ndarray:
    columns = int(parts["shape"][1])
    shape = (columns, row.columns) if row.columns else (columns,)
    return np.random.default_rng(2).integers(1, 5, shape).astype(row.matrix.dtype)


def _measure(
    row: Row, found: dict[str, libraries.Library], effort: timing.Effort, quick: bool
) -> dict[str, Any]:
    from gpuarray._ffi import driver

    parts = _parts(row.matrix, quick)
    x = _operand(row, parts)
    works, sums, errors = _works(row, found, parts, x)
    times = timing.device_times(works, driver.context_synchronize, effort)
    seconds = {name: median(samples) for name, samples in times.items()}
    moved = _MOVED[row.moved](parts, x, max(row.columns, 1))
    for library in found.values():
        library.free()
    return {
        "call": row.call, **row.matrix._asdict(), "dense_columns": row.columns, "bytes": moved,
        "us": {name: 1e6 * s for name, s in seconds.items()}, "sums": sums, "errors": errors,
        "target_us": row.target_us, "gb_per_s": moved / seconds["gpuarray"] / 1e9,
    }  # fmt: skip


def _host_costs(
    row: Row, found: dict[str, libraries.Library], effort: timing.Effort, quick: bool
) -> dict[str, Any]:
    """Microseconds that a call keeps the host busy."""
    from gpuarray._ffi import driver

    parts = _parts(row.matrix, quick)
    works, _, errors = _works(row, found, parts, _operand(row, parts))
    calls = {name: work for name, (work, _) in works.items()}
    times = timing.call_costs(calls, driver.context_synchronize, effort, 2 if quick else 50)
    us = {name: 1e6 * median(samples) for name, samples in times.items()}
    listed = "  ".join([f"{name} {one:9.1f}" for name, one in us.items()])
    print(f"{row.call:10} {row.columns or '':4} {listed}")
    return {"call": row.call, "dense_columns": row.columns, "us": us, "errors": errors}


#: Points along each side of the Laplacian that `cg` is measured with, and by how many iterations.
_SIDE, _ITERATIONS = 1000, (50, 250)


def _laplacian(side: int) -> dict[str, np.ndarray]:
    """The parts of the csr matrix of a square's five-point Laplacian, in float64."""
    point = np.arange(side * side)
    row, column = np.divmod(point, side)
    where = [
        (row > 0, -side), (column > 0, -1), (row >= 0, 0), (column < side - 1, 1),
        (row < side - 1, side),
    ]  # fmt: skip
    there = np.stack([x for x, _ in where], axis=1)
    steps = np.array([x for _, x in where])
    indices = (point[:, None] + steps)[there]
    data = np.broadcast_to(np.where(steps == 0, 4.0, -1.0), there.shape)[there]
    indptr = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    return {"data": data, "indices": indices.astype("i4"), "indptr": indptr.astype("i4")}


def _seconds(work: Callable[[], Any]) -> float:
    """The median of some calls, with the device's work."""
    from gpuarray._ffi import driver

    times = []
    for _ in range(5):
        driver.context_synchronize()
        before = time.perf_counter()
        work()
        driver.context_synchronize()
        times.append(time.perf_counter() - before)
    return median(times[1:])


def _cg(found: dict[str, libraries.Library], quick: bool) -> dict[str, float]:
    """Microseconds of an iteration of `cg`, and those that a copy would take for its bytes.

    The bytes: the matrix; the direction and the product; those two, the residual and the solution
    read, and the latter two written; the residual and the direction read, the latter written.
    """
    side, counts = (20, (2, 4)) if quick else (_SIDE, _ITERATIONS)
    parts, times = _laplacian(side), {}
    right = np.random.default_rng(0).random(side * side)
    for name in ("gpuarray", "cupy"):
        if name not in found:
            continue
        library = found[name]
        module = "cupyx.scipy.sparse" if name == "cupy" else "gpuarray.scipy.sparse"
        sparse = importlib.import_module(module)
        cg = importlib.import_module(f"{module}.linalg").cg
        a = sparse.csr_matrix(tuple([library.to_device(x) for x in parts.values()]))
        b = library.to_device(right)
        tolerance = {"tol": 1e-30} if "tol" in inspect.signature(cg).parameters else {"rtol": 1e-30}

        solve = functools.partial(cg, a, b, atol=0.0, **tolerance)
        few, many = [_seconds(functools.partial(solve, maxiter=count)) for count in counts]
        times[name] = 1e6 * (many - few) / (counts[1] - counts[0])
        library.free()
    times["bytes"] = _bytes(parts) + 11 * right.nbytes
    return times


def _copy_rate(library: libraries.Library, effort: timing.Effort, quick: bool) -> float:
    """Bytes a second of a copy on the device, read and written."""
    from gpuarray._ffi import driver

    xp = library.module
    a = xp.ones(10**4 if quick else 10**8, "f4")
    b = xp.empty_like(a)
    times = timing.device_times(
        {"copy": (lambda: xp.copyto(b, a), library.stream())}, driver.context_synchronize, effort
    )
    return 2 * a.nbytes / median(times["copy"])


def _report(figures: dict[str, Any]) -> None:
    shape = f"{figures['rows']:g} x {figures['columns']:g}"
    name = f"{figures['call']:10} {figures['kind']:9} {shape:15} {figures['size']:8g}"
    name += f" {figures['dtype']:4} {figures['dense_columns'] or '':4}"
    listed = "  ".join([f"{key} {us:9.1f}" for key, us in figures["us"].items()])
    target = "" if figures["target_us"] is None else f"target {figures['target_us']:g}"
    print(f"{name} {listed}  {100 * figures['of_copy']:4.0f} % of the copy  {target}")
    sums = list(figures["sums"].values())
    if sums and not np.allclose(sums, sums[0], rtol=1e-3):
        print(f"    the results differ: {figures['sums']}")
    for key, error in figures["errors"].items():
        print(f"    {key}: {error}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument("--only", default="", help="calls with this text")
    parser.add_argument("--json", metavar="FILE", help="write the figures here as well")
    options = parser.parse_args()
    effort = timing.Effort.quick() if options.quick else timing.Effort(5, 21, 0.01)
    found, missing = libraries.available()
    for name, reason in missing.items():
        print(f"without {name}: {reason}")
    rate = _copy_rate(found["gpuarray"], effort, options.quick)
    print(f"a copy: {rate / 1e9:.0f} GB/s; device, µs:")
    rows = []
    for row in ROWS:
        if options.only in row.call:
            figures = _measure(row, found, effort, options.quick)
            figures["of_copy"] = figures["gb_per_s"] * 1e9 / rate
            _report(figures)
            rows.append(figures)
    print("a call on the host, µs:")
    calls = [_host_costs(x, found, effort, options.quick) for x in CALLS if options.only in x.call]
    solver = _cg(found, options.quick) if options.only in "cg" else {}
    if solver:
        bound = 1e6 * solver.pop("bytes") / rate
        listed = "  ".join([f"{name} {us:9.1f}" for name, us in solver.items()])
        print(f"an iteration of cg, µs: {listed}  a copy of its bytes {bound:.1f}")
    if options.json:
        figures = {"copy": rate, "rows": rows, "calls": calls, "cg": solver}
        Path(options.json).write_text(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
