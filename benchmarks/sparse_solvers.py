"""Direct solvers of sparse equations, triangles and incomplete factors, beside SciPy's and CuPy's.

    python benchmarks/sparse_solvers.py             in about 40 seconds on a GPU
    python benchmarks/sparse_solvers.py --quick     small sizes, to see that it runs
    python benchmarks/sparse_solvers.py --only triangle

* *check*: triangles and incomplete factors against SciPy's products, and whether they repeat.
* *triangle*: a triangular system by the lanes that share a row, whose best number is what
  `gpuarray.kernels.sparse_factor.launch` has to choose.
* *incomplete*: `spilu` in the places of the matrix and with fill, and its solutions.
* *dense*, *cudss*, *qr*: the factors, and a solution, by each way there is, by the rows of the
  matrix: where they cross is what `_direct_factors` has to choose by. What is not there is said.

Times are in milliseconds, the best of three, with the synchronisation at the end: the host's part,
which orders a matrix, counts.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_ROOT), str(_ROOT / "src")]

import numpy as np  # noqa: E402 - the path comes first
import scipy.sparse  # noqa: E402
import scipy.sparse.linalg  # noqa: E402

import gpuarray as cp  # noqa: E402
from gpuarray._ffi import cudss, driver  # noqa: E402
from gpuarray._libraries.sparse_direct import SparseFactors  # noqa: E402
from gpuarray.kernels.sparse_factor import launch, spec  # noqa: E402
from gpuarray.scipy import sparse  # noqa: E402
from gpuarray.scipy.sparse import linalg  # noqa: E402
from gpuarray.scipy.sparse.linalg import _dense_factors, _direct_factors  # noqa: E402

_KINDS = ("check", "triangle", "incomplete", "dense", "cudss", "qr")


def milliseconds(work: Callable[[], Any], wait: Callable[[], Any], repeats: int = 3) -> float:
    """The best time of some calls, after one that is not counted."""
    times = []
    for _ in range(repeats + 1):
        begin = time.perf_counter()
        work()
        wait()
        times.append(time.perf_counter() - begin)
    return 1e3 * min(times[1:])


_ours = partial(milliseconds, wait=driver.context_synchronize)
_theirs = partial(milliseconds, wait=lambda: None, repeats=1)


def _say(kind: str, name: str, **figures: float) -> None:
    text = "  ".join([f"{key} {value:.4g}" for key, value in figures.items()])
    print(f"{kind:<10}  {name:<22}  {text}", flush=True)


def laplacian(side: int) -> Any:
    """Minus the Laplacian of a square of so many points, in csr."""
    line = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(side, side))
    return scipy.sparse.kronsum(line, line, format="csr")


def scattered(rows: int, each: int) -> Any:
    """A matrix with about so many elements a row at random places, and a diagonal, in csr."""
    rng = np.random.default_rng(0)
    found = scipy.sparse.random_array((rows, rows), density=each / rows, rng=rng, format="csr")
    return (found + 4 * scipy.sparse.eye_array(rows)).tocsr()


def matrices(quick: bool) -> dict[str, Any]:
    """What is solved, by name."""
    if quick:
        return {"square of 10": laplacian(10), "scattered 200": scattered(200, 5)}
    return {
        "square of 300": laplacian(300),
        "square of 1000": laplacian(1000),
        "scattered 5000": scattered(5000, 5),
        "scattered 100000": scattered(100_000, 20),
    }


def check(quick: bool) -> None:
    """Compare with SciPy's products, and with the same call again."""
    rng = np.random.default_rng(1)
    for name, a in (("square", laplacian(6 if quick else 30)), ("scattered", scattered(300, 5))):
        for dtype in ("f4", "f8", "c16"):
            matrix = a.astype(dtype)
            mine, b = sparse.csr_array(matrix), rng.random((a.shape[0], 3)).astype(dtype)
            worst = 0.0
            for lower in (True, False):
                part = scipy.sparse.tril(matrix) if lower else scipy.sparse.triu(matrix)
                x = linalg.spsolve_triangular(mine, cp.asarray(b), lower=lower)
                worst = max(worst, abs(part @ cp.asnumpy(x) - b).max())
            factors = linalg.spilu(mine.tocsc(), drop_tol=0, fill_factor=1)
            product = cp.asnumpy((factors.L @ factors.U).toarray())
            dense = matrix.toarray()
            worst = max(worst, abs((product - dense)[dense != 0]).max())
            found = {cp.asnumpy(factors.solve(cp.asarray(b))).tobytes() for _ in range(3)}
            _say("check", f"{name} {dtype}", error=worst, different_results=len(found))


def triangle(name: str, a: Any) -> None:
    """A lower triangle, by lanes."""
    lower = scipy.sparse.tril(a).tocsr()
    mine, b = sparse.csr_array(lower), cp.asarray(np.random.default_rng(2).random(a.shape[0]))
    call = partial(launch.solve_triangle, mine.indptr, mine.indices, mine.data, b)
    times = {"chosen": _ours(call)}
    for lanes in spec.LANES:
        with mock.patch.object(launch, "power_of_two_from", lambda _, lanes=lanes: lanes):
            times[f"{lanes}"] = _ours(call)
    times["spsolve_triangular"] = _ours(partial(linalg.spsolve_triangular, mine, b))
    if peer := _cupy():
        theirs = peer[1].csr_matrix(scipy.sparse.csr_matrix(lower))
        right = peer[0].asarray(b)
        times["cupy"] = milliseconds(
            partial(peer[2].spsolve_triangular, theirs, right), peer[0].cuda.Device().synchronize
        )
    _say("triangle", name, **times)


def incomplete(name: str, a: Any) -> None:
    """Factors in the places of a matrix, and in more."""
    mine, b = sparse.csc_array(a), cp.asarray(np.random.default_rng(2).random(a.shape[0]))
    for fill in (1, 10):
        factors = linalg.spilu(mine, fill_factor=fill)
        times = {
            "factors": _ours(partial(linalg.spilu, mine, fill_factor=fill)),
            "solution": _ours(partial(factors.solve, b)),
            "nnz": factors.nnz,
        }
        peer = _cupy()
        if peer and fill == 1:
            wait = peer[0].cuda.Device().synchronize
            theirs = peer[1].csc_matrix(scipy.sparse.csc_matrix(a))
            made = peer[2].spilu(theirs, fill_factor=fill)
            times["cupy"] = milliseconds(partial(peer[2].spilu, theirs, fill_factor=fill), wait)
            times["cupy_solution"] = milliseconds(partial(made.solve, peer[0].asarray(b)), wait)
        _say("incomplete", f"{name}, fill {fill}", **times)


def factors(kind: str, name: str, a: Any) -> None:
    """Factors of one kind and a solution by them; nothing where they have no room."""
    mine, b = sparse.csc_array(a), cp.asarray(np.random.default_rng(2).random(a.shape[0]))
    dtype = np.dtype(np.float64)
    made: Callable[[], Any]
    if kind == "dense":
        if not _dense_factors.room_for(a.shape[0], dtype) or a.shape[0] > 40_000:
            return
        made = partial(_dense_factors.DenseFactors, mine, "splu")
    else:
        if a.shape[0] > 200_000 or (kind == "cudss" and not cudss.available()):
            return
        solver = SparseFactors if kind == "cudss" else _direct_factors.OrderedQR
        made = partial(_direct_factors.DirectFactors, mine, "splu", dtype, solver)
    found = made()
    rest = abs(a @ cp.asnumpy(found.solve(b)) - cp.asnumpy(b)).max()
    times = {"factors": _ours(made, repeats=1), "solution": _ours(partial(found.solve, b))}
    right = cp.ones((a.shape[0], 16))
    times["16_solutions"] = _ours(partial(found.solve, right))
    times["transposed"] = _ours(partial(found.solve, b, "T"))
    _say(kind, name, rows=a.shape[0], error=rest, **times)


def _cupy() -> tuple[Any, Any, Any] | None:
    """CuPy, its sparse matrices and their solvers, where they are installed."""
    if importlib.util.find_spec("cupy") is None:
        return None
    import cupy
    import cupyx.scipy.sparse
    import cupyx.scipy.sparse.linalg

    return cupy, cupyx.scipy.sparse, cupyx.scipy.sparse.linalg


def _peers(name: str, a: Any) -> None:
    """SciPy's and CuPy's times for the same equations."""
    b = np.random.default_rng(2).random(a.shape[0])
    csc = a.tocsc()
    if a.shape[0] <= 100_000:
        _say("scipy", name, splu=_theirs(partial(scipy.sparse.linalg.splu, csc)))
    if (peer := _cupy()) and a.shape[0] <= 100_000:
        theirs = peer[1].csr_matrix(scipy.sparse.csr_matrix(a))
        wait = peer[0].cuda.Device().synchronize
        call = partial(peer[2].spsolve, theirs, peer[0].asarray(b))
        _say("cupy", name, spsolve=milliseconds(call, wait, repeats=1))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument("--only", choices=(*_KINDS, "peers"), help="measure this only")
    options = parser.parse_args()

    def wanted(kind: str) -> bool:
        return options.only in (None, kind)

    if wanted("check"):
        check(options.quick)
    given = matrices(options.quick)
    for name, a in given.items():
        if wanted("triangle"):
            triangle(name, a)
        if wanted("incomplete"):
            incomplete(name, a)
    sides = (8, 12) if options.quick else (30, 60, 100, 150, 300)
    given = {f"square of {side}": laplacian(side) for side in sides}
    given |= {} if options.quick else {"scattered 5000": scattered(5000, 5)}
    for name, a in given.items():
        for kind in ("dense", "cudss", "qr"):
            if wanted(kind):
                factors(kind, name, a)
        if wanted("peers"):
            _peers(name, a)


if __name__ == "__main__":
    main()
