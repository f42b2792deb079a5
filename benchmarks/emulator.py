"""The emulator's speed beside NumPy's on the same machine.

    python benchmarks/emulator.py           the table
    python benchmarks/emulator.py --quick   fewer repetitions

Times are processor time of this process, the best of several runs, so that a busy machine
disturbs them little. Launches are of loaded kernels with prepared arguments: what the emulator
takes, without the package's Python around it. Targets are those of the design; the last column is
how often the kernel takes NumPy's time for the same result. The second table is of the package's
own calls. Its kernels handle whole tiles and the rest of an array in different code, so a call on
256 elements executes ten times as many basic blocks as the plain kernel of the first table.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
os.environ["GPUARRAY_BACKEND"] = "emulator"

import numpy as np

_SOURCE = r"""
#define T threadIdx.x
#define B blockIdx.x
extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
    int i = B * blockDim.x + T;
    if (i < n) c[i] = a[i] + b[i];
}
extern "C" __global__ void exponential(const float* a, float* c, int n) {
    int i = B * blockDim.x + T;
    if (i < n) c[i] = expf(a[i]);
}
__device__ float warp_sum(float v) {
    for (int k = 16; k; k >>= 1) v += __shfl_down_sync(~0u, v, k);
    return v;
}
extern "C" __global__ void sum(const float* a, float* o, int n) {
    __shared__ float s[32];
    float v = 0;
    for (int i = B * blockDim.x + T; i < n; i += gridDim.x * blockDim.x) v += a[i];
    v = warp_sum(v);
    if ((T & 31) == 0) s[T >> 5] = v;
    __syncthreads();
    if (T < 32) {
        v = warp_sum(T < blockDim.x / 32 ? s[T] : 0);
        if (T == 0) atomicAdd(o, v);
    }
}
extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n) {
    __shared__ float x[16][16], y[16][16];
    int tx = T, ty = threadIdx.y, row = blockIdx.y * 16 + ty, column = B * 16 + tx;
    float s = 0;
    for (int k = 0; k < n; k += 16) {
        x[ty][tx] = a[row * n + k + tx];
        y[ty][tx] = b[(k + ty) * n + column];
        __syncthreads();
        for (int j = 0; j < 16; j++) s += x[ty][j] * y[j][tx];
        __syncthreads();
    }
    c[row * n + column] = s;
}
extern "C" __global__ void tree(const float* a, float* o) {
    __shared__ float s[256];
    s[T] = a[B * 256 + T];
    __syncthreads();
    for (int k = 128; k; k >>= 1) {
        if (T < k) s[T] += s[T + k];
        __syncthreads();
    }
    if (T == 0) o[B] = s[0];
}
extern "C" __global__ void functions(double* a, float* f) {
    int i = T;
    double x = a[i];
    f[i] = sinf(f[i]) + cosf(f[i]) + powf(f[i], f[i + 1]) + tgammaf(f[i]);
    a[i] = sin(x) + pow(x, a[i + 1]) + lgamma(x) + erf(x) + j0(x);
}
"""
_SIZE = 1_000_000
_ARCHITECTURE = ("--gpu-architecture=compute_90", "-default-device")


def _best(work: Callable[[], object], repeats: int, calls: int = 1) -> float:
    """Seconds of processor time of one call."""
    work()
    times = []
    for _ in range(repeats):
        before = time.process_time()
        for _ in range(calls):
            work()
        times.append((time.process_time() - before) / calls)
    return min(times)


class Bench:
    """The kernels, and memory for them."""

    def __init__(self) -> None:
        from gpuarray._ffi import driver, nvrtc

        self.driver = driver
        driver.init()
        driver.context_set_current(driver.primary_context_retain(0))
        self.ptx, _, _ = nvrtc.compile(_SOURCE, "bench", {}, _ARCHITECTURE)
        self.module = driver.module_load_data(self.ptx + b"\0")

    def array(self, values: np.ndarray) -> int:
        address = self.driver.mem_alloc(values.nbytes)
        self.driver.memcpy_htod_async(address, values.ctypes.data, values.nbytes, 0)
        return address

    def launch(self, name: str, grid: tuple, block: tuple, *arguments: int) -> Callable[[], None]:
        """A launch with everything prepared. Pointers are above any plausible size."""
        driver = self.driver
        sizes = tuple(8 if value > 2**32 else 4 for value in arguments)
        buffer = driver.ArgumentBuffer(sizes)
        for k, (value, size) in enumerate(zip(arguments, sizes, strict=True)):
            buffer.view(k, "Q" if size == 8 else "i")[0] = value
        function = driver.function_argument(driver.module_get_function(self.module, name))
        config = driver.launch_config(grid, block, 0, 0)

        def run() -> None:
            status = driver.launch(config, function, buffer.params, None)
            if status:
                raise driver.launch_error(status, name, grid, block)

        return run


def _row(name: str, seconds: float, target: str, numpy: float = 0.0) -> None:
    ratio = f"{seconds / numpy:9.1f}" if numpy else ""
    beside = f"{numpy * 1e6:12.1f}" if numpy else " " * 12
    print(f"{name:44} {seconds * 1e6:12.1f} {beside} {target:>12} {ratio}")


def _preparation(bench: Bench, repeats: int) -> None:
    from gpuarray._ffi import prepared
    from gpuarray._ffi.emulator.memory import Arena
    from gpuarray._ffi.emulator.simt import PTXProgram

    text = bench.ptx.decode()
    arena = Arena(1 << 28)
    kept: dict[bytes, bytes] = {}

    def prepare() -> int:
        program = PTXProgram(text, arena)
        count = 0
        for name in program.module.functions:
            if program.module.has_body(name):
                routine = program.compiled(name)
                assert routine.code
                count += len(routine.function.body)
        program.unload()
        return count

    prepared.keep_in(lambda key: None, lambda key, data, name: None)
    count = prepare()
    cold = _best(prepare, repeats) / count
    prepared.keep_in(kept.get, lambda key, data, name: kept.update({key: data}))
    warm = _best(prepare, repeats) / count
    _row(f"prepare a kernel, an instruction of {count}", cold, "30")
    _row("the same from the cache", warm, "")


def _calls(repeats: int) -> None:
    """The package's own calls, coherent and incoherent."""
    import gpuarray as cp

    rng = np.random.default_rng(0)
    small, large = rng.random(256, np.float32), rng.random(_SIZE, np.float32)
    a, x = cp.asarray(small), cp.asarray(large)
    out = cp.empty_like(a)
    random, ordered = large > 0.5, np.arange(_SIZE) < _SIZE // 2
    random_mask, ordered_mask = cp.asarray(random), cp.asarray(ordered)
    positions = rng.permutation(_SIZE)
    indices = cp.asarray(positions)
    print(f"\n{'the package':44} {'emulator µs':>12} {'NumPy µs':>12} {'':>12} {'x NumPy':>9}")
    for name, call, host, calls in (
        ("add(a, b, out=), 256", lambda: cp.add(a, a, out=out), lambda: small + small, 50),
        ("a.sum(), 256", lambda: a.sum(), lambda: small.sum(), 50),
        ("x + x", lambda: x + x, lambda: large + large, 1),
        ("x.sum()", lambda: x.sum(), lambda: large.sum(), 1),
        ("x.cumsum()", lambda: x.cumsum(), lambda: large.cumsum(), 1),
        ("x[mask], mask random", lambda: x[random_mask], lambda: large[random], 1),
        ("x[mask], mask in order", lambda: x[ordered_mask], lambda: large[ordered], 1),
        ("x[permutation]", lambda: x[indices], lambda: large[positions], 1),
        ("sort(x)", lambda: cp.sort(x), lambda: np.sort(large), 1),
        ("unique(permutation)", lambda: cp.unique(indices), lambda: np.unique(positions), 1),
        ("histogram(x, 64)", lambda: cp.histogram(x, 64), lambda: np.histogram(large, 64), 1),
    ):
        _row(name, _best(call, max(2, repeats // 3), calls), "", _best(host, repeats, calls))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    repeats = 3 if parser.parse_args().quick else 15
    bench = Bench()
    rng = np.random.default_rng(0)
    x, y = rng.random((2, _SIZE), np.float32)
    out = np.empty_like(x)
    a, b, c = bench.array(x), bench.array(y), bench.array(out)
    blocks = (-(-_SIZE // 256), 1, 1)
    thread = (256, 1, 1)
    print(f"{'':44} {'emulator µs':>12} {'NumPy µs':>12} {'target':>12} {'x NumPy':>9}")
    add = bench.launch("add", (1, 1, 1), thread, a, b, c, 256)
    _row("launch: add, one block of 256", _best(add, repeats, 50), "40")
    block_sum = bench.launch("sum", (1, 1, 1), thread, a, c, 256)
    _row("launch: sum of one block by shuffles", _best(block_sum, repeats, 20), "300")
    for name, size, host, target in (
        ("add", (a, b, c), lambda: np.add(x, y, out), "4 x NumPy"),
        ("exponential", (a, c), lambda: np.exp(x, out), "40 x NumPy"),
    ):
        run = bench.launch(name, blocks, thread, *size, _SIZE)
        _row(f"{name}, 1e6 float32", _best(run, repeats), target, _best(host, repeats))
    run = bench.launch("sum", (1056, 1, 1), thread, a, c, _SIZE)
    _row("sum, 1e6 float32", _best(run, repeats), "30 x NumPy", _best(x.sum, repeats))
    run = bench.launch("matmul", (16, 16, 1), (16, 16, 1), a, b, c, 256)
    left, right = x[:65536].reshape(256, 256), y[:65536].reshape(256, 256)
    host = _best(lambda: left @ right, repeats)
    _row("matmul 256x256x256 in tiles", _best(run, max(3, repeats // 3)), "100000", host)
    _preparation(bench, max(2, repeats // 4))
    _calls(repeats)
    print("\nunder the checkers (races, uninit, barriers)")
    tree = bench.launch("tree", (1024, 1, 1), thread, a, c)
    for name, work in (("tree reduction of 262144 in shared memory", tree), ("matmul", run)):
        plain = _best(work, 3)
        bench.driver.start_checks(("races", "uninit", "barriers"))
        checked = _best(work, 2)
        bench.driver.stop_checks()
        print(f"{name:44} {checked * 1e6:12.1f} {plain * 1e6:12.1f} {'plain':>12} "
              f"{checked / plain:9.1f}")  # fmt: skip


if __name__ == "__main__":
    main()
