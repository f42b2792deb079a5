"""Alternatives behind solve, inv, cholesky and qr: algorithms, and functions for stacks.

    python benchmarks/lu_drivers.py                 every table, in about 30 seconds
    python benchmarks/lu_drivers.py --only panels   those with this word in their titles
    python benchmarks/lu_drivers.py --json FILE     and the figures as JSON
    python benchmarks/lu_drivers.py --quick         small sizes, to see that it runs

The questions, in float64: what the steps of a solution and of Q take, and other functions in their
place (benchmarks/rows/factor_drivers.py); by which functions an inverse is found; from which size
and number of stacked matrices on cuBLAS's batched functions are slower than a loop of cuSOLVER's
(`is_batched` in gpuarray/_libraries/lu.py decides that), and what the functions for stacks of small
matrices take where our own kernels are used. Times are the host's until the device is idle;
medians.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_ROOT), str(_ROOT / "src")]

import numpy as np  # noqa: E402 - the path comes first

import gpuarray as cp  # noqa: E402
from benchmarks.rows import factor_drivers  # noqa: E402
from gpuarray import _layout  # noqa: E402
from gpuarray._libraries import cholesky, lu, triangular  # noqa: E402
from gpuarray._libraries.steps import Steps  # noqa: E402
from gpuarray._runtime.current_stream import current  # noqa: E402
from gpuarray.kernels.elementwise.launch import Coordinates  # noqa: E402
from gpuarray.kernels.generator.expressions import Apply, Constant, Input  # noqa: E402
from gpuarray.kernels.generator.operations import operation  # noqa: E402

_F8, _I4, _I8 = np.dtype("f8"), np.dtype("i4"), np.dtype("i8")
_SIZES = (256, 512, 1024, 2048, 4096)
_STACKS = (
    (1000, 33), (1000, 64), (100, 64), (10, 64), (4, 64), (100, 128), (10, 128), (100, 256),
    (10, 256), (4, 256), (16, 512), (4, 512), (4, 1024),
)  # fmt: skip
#: So long the calls of a case are repeated at most.
_SECONDS = 0.06
_SMALL = ((10_000, 8), (10_000, 16), (10_000, 32), (1, 4), (1, 32))


def _time(works: dict[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """The median milliseconds of each; they take turns."""
    synchronize = cp.cuda.Device().synchronize
    times: dict[str, list[float]] = {name: [] for name in works}
    for work in works.values():
        work()
    synchronize()
    for _ in range(repeats):
        for name, work in works.items():
            if sum(times[name]) > 1e3 * _SECONDS:
                continue
            before = time.perf_counter()
            work()
            synchronize()
            times[name].append(1e3 * (time.perf_counter() - before))
    return {name: median(each) for name, each in times.items()}


def _matrices(count: int, n: int, definite: bool = False) -> Any:
    x = np.random.default_rng(1).standard_normal((count, n, n))
    return cp.asarray(x @ x.swapaxes(1, 2) / n + np.eye(n) if definite else x)


# --- inverses


def _by_columns(a: Any) -> Callable[[Any], Any]:
    """By the solutions for the columns of the identity, which are then arranged by rows."""
    n = a.shape[-1]
    layout = a._layout
    steps = Steps(current.stream, layout)
    result = steps.output(layout)
    matrices, pivots, _ = _factorized(steps, n)
    found = steps.scratch(layout)
    lu.store_identity(steps, found)
    stacked = _layout.contiguous(_F8, (1, n, n))
    factors = lu.Factors(matrices.seen_as(stacked), pivots, None)
    lu.solve(steps, factors, found.seen_as(stacked))
    steps.copy(found.seen_as(_layout.matrix_transpose(layout)), result)
    return steps.make()


def _factorized(steps: Steps, n: int) -> tuple[Any, Any, Any]:
    matrices = steps.scratch(_layout.contiguous(_F8, (n, n)))
    steps.copy(steps.inputs[0].seen_as(_layout.matrix_transpose(steps.inputs[0].layout)), matrices)
    pivots = steps.output(_layout.contiguous(_I8, (1, n)))
    info = steps.scratch(_layout.contiguous(_I4, (1,)))
    lu.factorize(steps, matrices.seen_as(_layout.contiguous(_F8, (1, n, n))), pivots, info)
    return matrices, pivots, info


def _by_triangles(a: Any) -> Callable[[Any], Any]:
    """By the inverse of U, which is multiplied by that of L; at last columns are exchanged."""
    n = a.shape[-1]
    steps = Steps(current.stream, a._layout)
    inverse = steps.output(a._layout)  # its columns, in the order of L's rows
    matrices, _, info = _factorized(steps, n)
    values = {"uplo": "CUBLAS_FILL_MODE_UPPER", "n": n, "dataTypeA": _F8, "lda": n}
    steps.solver(
        "cusolverDnXtrtri",
        {**values, "diag": "CUBLAS_DIAG_NON_UNIT"},
        {"A": matrices, "devInfo": info},
    )
    # Above the diagonal by columns is below it by rows.
    kept = Apply(operation("less_equal"), (Input(0, "i8"), Constant(0, "i8")), "b1")
    triangle = Apply(operation("where"), (kept, Input(1, "f8"), Constant(0, "f8")), "f8")
    steps.kernel("triangle", triangle, [Coordinates(-1, 1), matrices], inverse)
    steps.blas(
        "cublasDtrsm_v2_64",
        {
            "side": "CUBLAS_SIDE_RIGHT", "uplo": "CUBLAS_FILL_MODE_LOWER", "trans": "CUBLAS_OP_N",
            "diag": "CUBLAS_DIAG_UNIT", "m": n, "n": n, "alpha": np.float64(1), "lda": n, "ldb": n,
        },
        {"A": matrices, "B": inverse},
    )  # fmt: skip
    run = steps.make()
    order_of = lu.row_order_call(current.stream, _layout.contiguous(_I4, (1, n)), n)

    def call(a: Any) -> Any:
        columns, pivots = run(a)
        order = order_of((pivots - 1).astype("i4"))[0]
        result = cp.empty_like(columns)
        result[order] = columns
        return cp.ascontiguousarray(result.T)

    return call


def inverses(quick: bool) -> list[dict[str, Any]]:
    """Milliseconds of each way to an inverse, and the greatest element of ``a @ inv(a) - 1``."""
    rows = []
    for n in (36, 40) if quick else _SIZES:
        a = _matrices(1, n)[0]
        by_columns, by_triangles = _by_columns(a), _by_triangles(a)
        by_blocks = factor_drivers.inverse_by_blocks(a)
        works = {
            "linalg.inv": lambda a=a: cp.linalg.inv(a),
            "columns, then rows": lambda a=a, run=by_columns: run(a)[0],
            "triangles": lambda a=a, run=by_triangles: run(a),
            "inverse of U, trsm": lambda a=a, run=by_blocks: run(a),
        }
        residuals = {
            name: float(np.abs(a.get() @ work().get() - np.eye(n)).max())
            for name, work in works.items()
        }
        rows.append({"n": n, "ms": _time(works, 1 if quick else 15), "residual": residuals})
    return rows


# --- functions for stacks


def _on(batched: bool | None, stream: Any, work: Callable[[], Any]) -> Callable[[], Any]:
    """The work on a stream of its own, whose plans have the batched functions, or loops."""
    original = lu.is_batched

    def call() -> Any:
        if batched is not None:
            for module in (lu, cholesky, triangular):
                module.is_batched = lambda n, count, stream: batched
        try:
            with stream:
                return work()
        finally:
            for module in (lu, cholesky, triangular):
                module.is_batched = original

    return call


def stacks(quick: bool) -> list[dict[str, Any]]:
    """Milliseconds of batched functions and of loops."""
    rows = []
    streams = {name: cp.cuda.Stream() for name in ("batched", "looped")}
    for count, n in ((3, 34), (5, 36)) if quick else _STACKS:
        a, p = _matrices(count, n), _matrices(count, n, definite=True)
        b = cp.ones((count, n, 1))
        calls = {
            "solve": lambda a=a, b=b: cp.linalg.solve(a, b),
            "inv": lambda a=a: cp.linalg.inv(a),
            "cholesky": lambda p=p: cp.linalg.cholesky(p),
            "solve_triangular": lambda p=p, b=b: cp.scipy.linalg.solve_triangular(p, b),
        }
        for call, work in calls.items():
            works = {name: _on(name == "batched", on, work) for name, on in streams.items()}
            rows.append({
                "call": call, "count": count, "n": n, "ms": _time(works, 1 if quick else 7),
            })  # fmt: skip
    return rows


def small_matrices(quick: bool) -> list[dict[str, Any]]:
    """Milliseconds of our kernels, and of the library's functions for stacks."""
    rows = []
    stream = current.stream
    for count, n in ((3, 4),) if quick else _SMALL:
        a, p = _matrices(count, n), _matrices(count, n, definite=True)
        b = cp.ones((count, n, 1))
        with cp.errstate(linalg="ignore"):  # the times without a wait
            library = {
                "solve": lu.solve_call(stream, a._layout, b._layout, _F8, False),
                "inv": lu.inverse_call(stream, a._layout, _F8, False),
                "cholesky": cholesky.cholesky_call(stream, p._layout, _F8, False, False),
            }
            pairs = {
                "solve": (lambda a=a, b=b: cp.linalg.solve(a, b), (a, b)),
                "inv": (lambda a=a: cp.linalg.inv(a), (a,)),
                "cholesky": (lambda p=p: cp.linalg.cholesky(p), (p,)),
            }
            for call, (ours, arrays) in pairs.items():
                works = {"kernel": ours, "library": lambda run=library[call], x=arrays: run(*x)}
                rows.append({
                    "call": call, "count": count, "n": n, "ms": _time(works, 1 if quick else 25),
                })  # fmt: skip
    return rows


def factors(quick: bool) -> list[dict[str, Any]]:
    """Milliseconds of the steps of solutions, Cholesky and QR factorisations."""
    rows = []
    for n in (36, 70) if quick else _SIZES:
        for call, works in factor_drivers.works(_matrices(1, n)[0]).items():
            rows.append({"call": call, "n": n, "ms": _time(works, 1 if quick else 5)})
    return rows


def panels(quick: bool) -> list[dict[str, Any]]:
    """Milliseconds of LU factorisations of the first columns of matrices."""
    sizes = (40,) if quick else (1024, 2048, 4096)
    return [
        {"call": "getrf", "n": n, "ms": _time(factor_drivers.panels(n, quick), 1 if quick else 5)}
        for n in sizes
    ]


def _table(title: str, rows: list[dict[str, Any]]) -> None:
    """Print a table for each set of alternatives."""
    alternatives = list(dict.fromkeys([tuple(row["ms"]) for row in rows]))
    for names in alternatives:
        print(f"\n{title} (ms)\n\n| case | {' | '.join(names)} |\n|---{'|---' * len(names)}|")
        for row in rows:
            if tuple(row["ms"]) != names:
                continue
            case = f"{row.get('call', 'inv')} {row.get('count', 1)} x {row['n']} x {row['n']}"
            cells = [f"{row['ms'][name]:.3f}" for name in names]
            print(f"| {case} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Alternatives behind solve, inv, cholesky, qr.")
    parser.add_argument("--json", metavar="FILE", help="write the figures here")
    parser.add_argument("--only", nargs="+", help="words in the titles of tables")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    asked = parser.parse_args()
    results = {}
    for title, measure in (
        ("factors", factors), ("inverses", inverses), ("panels", panels), ("stacks", stacks),
        ("small matrices", small_matrices),
    ):  # fmt: skip
        if asked.only and not any(word in title for word in asked.only):
            continue
        results[title] = measure(asked.quick)
        _table(title, results[title])
    if asked.json:
        Path(asked.json).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
