"""What bounds products of sparse matrices, and which constants of their kernels are best.

    python benchmarks/sparse_tuning.py             in about 40 seconds on a GPU
    python benchmarks/sparse_tuning.py --quick     small sizes, to see that it runs

* *gathers*: how long reads of a vector at the matrix' indices take alone, by the reads that a
  thread has under way and by how they are cached. No product with that matrix can be faster.
* *vector*: a product with a vector, by the elements of a lane, the blocks of a multiprocessor, and
  how many of them there are for each that runs.
* *dense*: a product with a dense matrix, by the places of a group of lanes, the threads of a
  multiprocessor and the columns of a lane.

Results of all variants are compared. What is best goes into `gpuarray.kernels.sparse_product`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any
from unittest import mock

_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_ROOT), str(_ROOT / "src")]

import numpy as np  # noqa: E402 - the path comes first

import gpuarray as cp  # noqa: E402
from benchmarks import sparse as rows  # noqa: E402
from benchmarks import timing  # noqa: E402
from gpuarray._ffi import driver  # noqa: E402
from gpuarray._layout import Layout  # noqa: E402
from gpuarray._runtime.current_stream import current  # noqa: E402
from gpuarray.kernels.sparse_product import launch, spec  # noqa: E402
from gpuarray.scipy import sparse  # noqa: E402

_GATHER = r"""
extern "C" __global__ void __launch_bounds__(256)
gather(float* out, const int* indices, const float* x, long long size) {
    float sum = 0;
    const long long threads = (long long)gridDim.x * 256;
    const long long own = (long long)blockIdx.x * 256 + threadIdx.x;
    for (long long k = own; k * 4 < size; k += threads * VECTORS) {
        int4 read[VECTORS];
        float found[VECTORS][4];
#pragma unroll
        for (int v = 0; v < VECTORS; ++v) {
            const long long at = (k + v * threads) * 4;
            read[v] = at < size ? *(const int4*)(indices + at) : make_int4(0, 0, 0, 0);
        }
#pragma unroll
        for (int v = 0; v < VECTORS; ++v) {
            const int at[4] = {read[v].x, read[v].y, read[v].z, read[v].w};
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                asm volatile("LOAD %0, [%1];" : "=f"(found[v][i]) : "l"(x + at[i]));
            }
        }
#pragma unroll
        for (int v = 0; v < VECTORS; ++v) {
            sum += found[v][0] + found[v][1] + found[v][2] + found[v][3];
        }
    }
    out[own] = sum;
}
"""
_LOADS = {
    "default": "ld.global.nc.f32",
    "not in L1": "ld.global.nc.L1::no_allocate.f32",
    "kept in L1": "ld.global.nc.L1::evict_last.f32",
}


def _seconds(work: Callable[[], Any], effort: timing.Effort) -> float:
    stream = cp.cuda.get_current_stream().ptr
    return median(timing.device_times({"": (work, stream)}, driver.context_synchronize, effort)[""])


@contextmanager
def _set(*changes: tuple[Any, str, Any]) -> Iterator[None]:
    """Other values of modules' names, with plans and kernels made anew."""
    patches = [mock.patch.object(*change) for change in changes]
    for one in patches:
        one.start()
    _forget_kernels()
    try:
        yield
    finally:
        for one in patches:
            one.stop()
        _forget_kernels()


def _forget_kernels() -> None:
    driver.context_synchronize()
    current.stream.drop_plans()
    current.stream.device.functions.clear()


def _matrix(kind: str, count: int, size: int, dtype: str, quick: bool) -> tuple[Any, int]:
    parts = rows._parts(rows.Rows(kind, count, count, size, dtype), quick)
    arrays = [cp.asarray(parts[name]) for name in ("data", "indices", "indptr")]
    shape = tuple(map(int, parts["shape"]))
    return sparse.csr_matrix(tuple(arrays), shape=shape), shape[1]


def _report(label: str, seconds: float, result: Any, expected: list[Any]) -> None:
    expected.append(result)
    same = np.allclose(expected[0].get(), result.get(), rtol=1e-4)
    print(f"{label:64} {1e6 * seconds:9.1f} µs{'' if same else '   WRONG'}", flush=True)


def gathers(effort: timing.Effort, quick: bool) -> None:
    a, columns = _matrix("uniform", 10**6, 10**7, "f4", quick)
    x = cp.ones(columns, "f4")
    blocks = 8 * current.stream.device.multiprocessors
    out = cp.empty(blocks * 256, "f4")
    for name, load in _LOADS.items():
        for vectors in (1, 2, 4):
            source = _GATHER.replace("LOAD", load)
            kernel = cp.RawKernel(source.replace("VECTORS", str(vectors)), "gather")
            arguments = (out, a.indices, x, np.int64(a.indices.size // 4 * 4))
            work = partial(kernel, (blocks,), (256,), arguments)
            seconds = _seconds(work, effort)
            print(
                f"gathers {name:12} {4 * vectors:3} a thread {1e6 * seconds:43.1f} µs", flush=True
            )


_VECTORS = (("uniform", "f4"), ("one long", "f4"), ("power law", "f4"), ("uniform", "f8"))
#: Elements of a lane as a multiple of what they are, blocks of a multiprocessor, waves of blocks.
_VARIANTS = ((0.5, 7, 1), (0.5, 8, 1), (1, 4, 1), (1, 5, 2), (1, 6, 1), (1.5, 4, 1))


def vector(effort: timing.Effort, quick: bool) -> None:
    for kind, dtype in _VECTORS:
        a, columns = _matrix(kind, 10**6, 10**7, dtype, quick)
        x = cp.asarray(np.random.default_rng(2).integers(1, 5, columns).astype(dtype))
        expected: list[Any] = []

        def measure(label: str, a: Any = a, x: Any = x, expected: list[Any] = expected) -> None:
            _report(label, _seconds(lambda: a @ x, effort), a @ x, expected)

        measure(f"vector {kind} {dtype}: as it is")
        items, blocks = spec.items, launch._most_blocks
        for factor, resident, waves in _VARIANTS:
            with _set(
                (spec, "items", lambda x, f=factor, of=items: int(of(x) * f)),
                (spec, "resident", lambda _, n=resident: n),
                (launch, "_most_blocks", lambda *x, n=waves, of=blocks: n * of(*x)),
            ):
                measure(f"vector {kind} {dtype}: {factor} items, {resident} blocks, {waves} waves")


def _apart(each: int) -> Callable[[Layout], tuple[int, int, bool]]:
    return lambda dense: (min(32, max(1, dense.shape[1] // each)), each, False)


_SHARES = ((8, 4096), (8, 2048), (16, 4096), (32, 4096), (64, 2048))


def dense(effort: timing.Effort, quick: bool) -> None:
    lanes = {"as it is": launch._columns_of, "1 apart": _apart(1), "4 apart": _apart(4)}
    for kind in ("uniform", "power law"):
        a, count = _matrix(kind, 10**5, 10**6, "f4", quick)
        for columns in (4, 32, 128):
            x = cp.asarray(np.random.default_rng(2).random((count, columns)).astype("f4"))
            expected: list[Any] = []

            def measure(label: str, a: Any = a, x: Any = x, expected: list[Any] = expected) -> None:
                _report(label, _seconds(lambda: a @ x, effort), a @ x, expected)

            for name, make in lanes.items():
                for least, threads in _SHARES:
                    with _set(
                        (launch, "_columns_of", make),
                        (launch, "_LEAST_LENGTH", least),
                        (launch, "_THREADS", threads),
                    ):
                        measure(f"dense {kind} x {columns}: {name}, {least}, {threads} threads")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument("--only", default="gathers,vector,dense", help="parts, with commas between")
    options = parser.parse_args()
    effort = timing.Effort.quick() if options.quick else timing.Effort(3, 5, 0.004)
    for part in options.only.split(","):
        {"gathers": gathers, "vector": vector, "dense": dense}[part](effort, options.quick)
    return 0


if __name__ == "__main__":
    sys.exit(main())
