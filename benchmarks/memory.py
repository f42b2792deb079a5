"""Memory pools: what they keep reserved, and what an allocation costs, beside CuPy's and PyTorch's.

    python benchmarks/memory.py                 every trace: a table
    python benchmarks/memory.py --quick         short traces
    python benchmarks/memory.py --json FILE     and the figures as JSON

Each trace is replayed twice: once with a look at the pool's statistics after each allocation, for
the most that was reserved beside the most that was in use, and once for the host's time. A peer
that is not installed is left out. The last rows are small arrays, made and dropped.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from benchmarks import libraries
from benchmarks.rows.memory_traces import TRACES

#: What a pool may have reserved at most, beside what was in use at most.
ALLOWED = 1.25


@dataclass(frozen=True)
class Allocator:
    """A library's pool: an allocation is freed when its object dies."""

    name: str
    allocate: Callable[[int], Any]
    reserved: Callable[[], int]
    #: Bytes that an allocation of a size takes.
    takes: Callable[[int], int]
    #: Begins anew, with an empty pool.
    reset: Callable[[], object]
    empty: Callable[[int], Any]


def _rounded(size: int) -> int:
    return -(-size // 512) * 512


def pooled(xp: Any, name: str, pool: Any = None) -> Allocator:
    """A pool of gpuarray's or CuPy's, a new one by default."""
    pool = xp.cuda.MemoryPool() if pool is None else pool
    return Allocator(
        name,
        pool.malloc,
        pool.total_bytes,
        _rounded,
        pool.free_all_blocks,
        lambda size: xp.empty(size, "u1"),
    )


def driver_pool(xp: Any) -> Allocator:
    """The driver's own pool, through gpuarray."""
    pool = xp.cuda.MemoryAsyncPool("create")
    return Allocator(
        "driver's pool",
        pool.malloc,
        pool.total_bytes,
        _rounded,
        pool.free_all_blocks,
        lambda size: pool.malloc(size),
    )


def _torch(torch: Any) -> Allocator:
    def empty(size: int) -> Any:
        return torch.empty(size, dtype=torch.uint8, device="cuda")

    return Allocator(
        "torch",
        empty,
        torch.cuda.memory_reserved,
        _rounded,
        torch.cuda.empty_cache,
        empty,
    )


def allocators() -> list[Allocator]:
    """Those of the libraries that are installed."""
    found, _ = libraries.available()
    made = [pooled(found["gpuarray"].module, "gpuarray"), driver_pool(found["gpuarray"].module)]
    if "cupy" in found:
        made.append(pooled(found["cupy"].module, "cupy"))
    if "torch" in found:
        made.append(_torch(found["torch"].module))
    return made


def peaks(allocator: Allocator, trace: Iterable[int]) -> tuple[int, int]:
    """The most bytes that were reserved, and in use, while a trace was replayed."""
    held: list[tuple[Any, int]] = []
    used = most_used = most_reserved = 0
    before = allocator.reserved()
    for step in trace:
        if step < 0:
            used -= held.pop(-1 - step)[1]
        else:
            takes = allocator.takes(step)
            held.append((allocator.allocate(step), takes))
            used += takes
            most_used = max(most_used, used)
            most_reserved = max(most_reserved, allocator.reserved() - before)
    return most_reserved, most_used


def seconds(allocator: Allocator, trace: Iterable[int]) -> float:
    """The host's time for an allocation and its end, on average over a trace."""
    steps = list(trace)
    held: list[Any] = []
    allocate = allocator.allocate
    start = time.perf_counter()
    for step in steps:
        if step < 0:
            del held[-1 - step]
        else:
            held.append(allocate(step))
    return (time.perf_counter() - start) / sum(step >= 0 for step in steps)


def small_arrays(allocator: Allocator, size: int, count: int, repeats: int) -> float:
    """Seconds for a small array, made and dropped."""
    empty = allocator.empty
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(count):
            empty(size)
        times.append((time.perf_counter() - start) / count)
    return median(times)


def measure(length: int, count: int, repeats: int) -> dict[str, Any]:
    """All figures, by row and by library."""
    found = allocators()
    rows: dict[str, Any] = {}
    for name, trace in TRACES.items():
        row: dict[str, Any] = {}
        for allocator in found:
            allocator.reset()
            reserved, used = peaks(allocator, trace(length))
            allocator.reset()
            us = 1e6 * median([seconds(allocator, trace(length)) for _ in range(repeats)])
            row[allocator.name] = {
                "reserved": reserved,
                "used": used,
                "ratio": reserved / used,
                "us": us,
            }
            allocator.reset()
        rows[name] = row
    small = {
        f"empty({size})": {
            allocator.name: 1e6 * small_arrays(allocator, size, count, repeats)
            for allocator in found
        }
        for size in (100, 4096, 1 << 20)
    }
    return {"traces": rows, "small_us": small}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="short traces")
    parser.add_argument("--json", metavar="FILE", help="write the figures here as well")
    options = parser.parse_args()
    figures = measure(2, 200, 1) if options.quick else measure(20, 20_000, 5)
    names = list(next(iter(figures["traces"].values())))
    print("reserved beside used, and µs an allocation")
    print(f"{'':24}" + "".join(f"{name:>20}" for name in names))
    for name, row in figures["traces"].items():
        cells = [f"{row[x]['ratio']:10.3f}{row[x]['us']:10.2f}" for x in names]
        most = row["gpuarray"]["ratio"]
        verdict = "" if most <= ALLOWED or options.quick else f"   more than {ALLOWED}"
        print(f"{name:24}" + "".join(cells) + verdict)
    print("µs for a small array, made and dropped")
    for name, times in figures["small_us"].items():
        print(f"{name:24}" + "".join(f"{times[x]:20.3f}" for x in names))
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
