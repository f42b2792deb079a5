"""``python -m gpuarray demo``: the main uses of the library, checked and timed beside NumPy."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

import gpuarray as cp
from gpuarray._commands import terminal
from gpuarray._ffi import driver

_ADD = r"""
extern "C" __global__
void add(const float* x, const float* y, float* z, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
"""


@dataclass(frozen=True)
class Job:
    """One computation, on the device and with NumPy, on the same inputs."""

    name: str
    size: int
    inputs: Callable[[int], tuple[np.ndarray, ...]]
    on_device: Callable[..., Any]
    with_numpy: Callable[..., np.ndarray]
    tolerance: float  # relative; 0 asks for the same bits
    bytes_an_element: int  # of everything alive at once, to see what fits


def softplus(x: Any) -> Any:
    """``log(1 + exp(x))`` without overflow, for an array of either library."""
    xp = cp.get_array_module(x)
    return xp.maximum(0, x) + xp.log1p(xp.exp(-abs(x)))


def _raw_add(x: Any, y: Any) -> Any:
    kernel = cp.RawKernel(_ADD, "add")
    z = cp.empty_like(x)
    block = 256
    grid = (x.size + block - 1) // block
    kernel((grid,), (block,), (x, y, z, np.int32(x.size)))
    return z


def _random(count: int) -> Callable[[int], tuple[np.ndarray, ...]]:
    def inputs(size: int) -> tuple[np.ndarray, ...]:
        rng = np.random.default_rng(7)
        return tuple(rng.random(size, dtype=np.float32) * 20 - 10 for _ in range(count))

    return inputs


def _rows(size: int) -> tuple[np.ndarray, ...]:
    return (np.random.default_rng(7).random((1000, size // 1000), dtype=np.float32),)


def _expression(xp: Any, size: int) -> Any:
    return xp.arange(size).reshape(1000, -1).T * 2


def _jobs(largest: int) -> Iterator[Job]:
    size = 10_000
    while size <= largest:
        yield Job(
            "arange(size).reshape(1000, -1).T * 2",
            size,
            lambda size: (),
            lambda size=size: _expression(cp, size),
            lambda size=size: _expression(np, size),
            0,
            24,
        )
        size *= 10
    size = max(1000, largest // 10)
    yield Job("softplus(x), numerically stable", size, _random(1), softplus, softplus, 2e-6, 16)
    yield Job(
        "x.sum(axis=1), 1000 rows",
        size // 1000 * 1000,
        _rows,
        lambda x: x.sum(axis=1),
        lambda x: x.sum(axis=1),
        1e-5,
        8,
    )
    yield Job("RawKernel: z[i] = x[i] + y[i]", size, _random(2), _raw_add, np.add, 0, 24)


def _free_host_memory() -> int:
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not every system tells
        return 1 << 62


def _missing_memory(job: Job) -> str | None:
    needed = job.size * job.bytes_an_element
    free_on_device, _ = driver.mem_get_info()
    for place, free in (("device", free_on_device), ("host", _free_host_memory())):
        if needed > free:
            return f"skipped: {terminal.size(needed)} of {place} memory, {terminal.size(free)} free"
    return None


def _seconds(function: Callable[..., Any], arguments: tuple) -> tuple[float, float, Any]:
    """The time of a first call, the median of further ones, and the result."""
    times = []
    start = time.perf_counter()
    while True:
        before = time.perf_counter()
        result = function(*arguments)
        driver.context_synchronize()
        times.append(time.perf_counter() - before)
        if len(times) == 7 or (len(times) > 1 and time.perf_counter() - start > 1):
            return times[0], median(times[1:]), result
        del result  # before the next call, so that the memory of one result is enough


def _difference(job: Job, result: np.ndarray, expected: np.ndarray) -> str | None:
    """What is wrong with `result`, or None."""
    if result.dtype != expected.dtype or result.shape != expected.shape:
        return (
            f"got {result.dtype} of shape {result.shape}, "
            f"NumPy gives {expected.dtype} of shape {expected.shape}"
        )
    if job.tolerance:
        same = np.isclose(result, expected, rtol=job.tolerance, atol=0)
    else:
        same = result == expected
    if same.all():
        return None
    place = tuple(map(int, np.argwhere(~same)[0]))
    return (
        f"{same.size - np.count_nonzero(same)} of {same.size} elements differ; the first at "
        f"{place}: {result[place]}, NumPy gives {expected[place]}"
    )


def _run_job(job: Job) -> tuple[list[str], str | None]:
    """The row of the table, and what is wrong, if anything is."""
    title = [job.name, f"{job.size:.0e}".replace("e+0", "e")]
    skipped = _missing_memory(job)
    if skipped:
        return [*title, "", "", "", "", skipped], None
    on_host = job.inputs(job.size)
    on_device = tuple(cp.asarray(x) for x in on_host)
    first, warm, result = _seconds(job.on_device, on_device)
    received = cp.asnumpy(result)
    del result, on_device
    _, host, expected = _seconds(job.with_numpy, on_host)
    fault = _difference(job, received, expected)
    times = [terminal.seconds(first), terminal.seconds(warm), terminal.seconds(host)]
    return [*title, *times, f"{host / warm:.2g}x", "no" if fault else "yes"], fault


def run(largest: float | None = None) -> int:
    """Run the demonstration; the exit status is 1 if a result differs from NumPy's."""
    cp.zeros(1)  # opens the device, so that its memory can be asked for
    name = driver.device_name(driver.device_get(0))
    print(f"Device: {name} ({driver.describe()})", flush=True)
    if largest is None:
        # To report, not to choose a code path: an emulated device takes minutes for 1e8.
        largest = 1e6 if driver.backend == "emulator" else 1e8
    jobs = list(_jobs(int(largest)))
    rows = [["job", "size", "first", "gpuarray", "NumPy", "speed-up", "as NumPy"]]
    faults = []
    for job in terminal.progress(jobs, [f"{job.name}, size {job.size:,}" for job in jobs]):
        row, fault = _run_job(job)
        rows.append(row)
        if fault:
            faults.append(f"MISMATCH in {job.name}, size {job.size:,}: {fault}")
    print(terminal.table(rows))
    print(
        "\n'first' includes compiling the kernels that the cache did not have; 'gpuarray' is the "
        "median\nof later calls, each waited for; 'NumPy' is the same work on this machine's CPU."
    )
    for fault in faults:
        print(fault)
    print("FAILED" if faults else "Every result is as NumPy's.")
    return 1 if faults else 0
