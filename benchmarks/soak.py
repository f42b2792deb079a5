"""A soak of the memory pool: random arrays of several threads and streams, with their contents.

    python benchmarks/soak.py                                1e6 allocations, 8 threads, 4 streams
    python benchmarks/soak.py --count 20000 --threads 4      shorter

Each thread makes arrays of random sizes on random streams, fills them with a number of their own,
reads some of them on another stream, copies others, and drops them at random; before one is
dropped a kernel compares all of its elements. A block that is handed out twice, or before work of
another stream that used it is done, shows in a number that is not the array's own. It works on the
GPU and on the emulator.

The kernel counts wrong elements on the device, and notes one of them; that is fetched now and then.
To wait for each array would take most of the time: a thread that has waited for the device gets
the interpreter's lock only when that changes hands, after 5 ms.
"""

from __future__ import annotations

import argparse
import random
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

#: Arrays that a thread has at once.
LIVING = 24
#: After so many arrays a thread fetches what the kernel has found; and one of so many arrays is
#: fetched and compared on the host as well.
LOOKS_EVERY = 2000
FETCHED_ONE_IN = 1000
#: Seconds between two lines that say how far it is.
REPORT_SECONDS = 5.0

_COMPARE = """
extern "C" __global__ void compare(const long long *x, long long size, long long expected,
                                   unsigned long long *found) {
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x)
        if (x[i] != expected && atomicAdd(found, 1ull) == 0) {
            found[1] = size;
            found[2] = expected;
            found[3] = x[i];
        }
}
"""
_BLOCKS, _THREADS = 4, 128


class Soak:
    """What the threads share: streams, how much is done, what went wrong."""

    def __init__(self, count: int, threads: int, streams: int, most: int, seed: int):
        import gpuarray as cp

        self.cp = cp
        self.count = count
        self.threads = threads
        self.most = most
        self.seed = seed
        self.streams = [cp.cuda.Stream(non_blocking=True) for _ in range(streams)]
        self.faults: list[str] = []
        self.allocations = [0] * threads
        self.compare = cp.RawKernel(_COMPARE, "compare")
        self.compare.compile()

    def run(self, report: Callable[[int], object]) -> None:
        """Work until every thread has made its share; `report` gets the allocations until then."""
        threads = [threading.Thread(target=self._work, args=(n,)) for n in range(self.threads)]
        for thread in threads:
            thread.start()
        next_report = time.perf_counter() + REPORT_SECONDS
        for thread in threads:
            while thread.is_alive():
                thread.join(max(0.0, next_report - time.perf_counter()))
                if time.perf_counter() >= next_report:
                    next_report += REPORT_SECONDS
                    report(sum(self.allocations))

    def _work(self, number: int) -> None:
        try:
            self._allocate(number, random.Random(self.seed + number))
        except Exception as error:  # a thread's own, which the main thread reports
            self.faults.append(f"thread {number}: {type(error).__name__}: {error}")

    def _allocate(self, number: int, chance: random.Random) -> None:
        cp = self.cp
        living: list[tuple] = []
        serial = number << 40
        found = cp.zeros(4, "u8")
        cp.cuda.Stream.null.synchronize()  # other streams do not wait for it
        compared = 0
        while self.allocations[number] * self.threads < self.count and not self.faults:
            serial += 1
            stream = chance.choice(self.streams)
            size = int(min(self.most, chance.lognormvariate(5, 2))) + 1
            with stream:
                x = cp.full(size, serial, "i8")
            made = 1
            if chance.random() < 0.3:  # another stream reads it, and it may die before that does
                other = chance.choice(self.streams)
                other.wait_event(stream.record())
                with other:
                    y = x + 1
                made += 1
                if chance.random() < 0.5:
                    x, stream, serial_of = y, other, serial + 1
                else:
                    living.append((y, other, serial + 1))
                    serial_of = serial
                del y
            else:
                serial_of = serial
            living.append((x, stream, serial_of))
            del x
            self.allocations[number] += made
            while len(living) > LIVING:
                self._check(*living.pop(chance.randrange(len(living))), found, chance)
                compared += 1
                if compared % LOOKS_EVERY == 0:
                    self._look(found)
        for entry in living:
            self._check(*entry, found, chance)
        self._look(found)

    def _check(self, x, stream, expected: int, found, chance: random.Random) -> None:
        """Compare an array on the device, and perhaps on the host."""
        with stream:
            self.compare((_BLOCKS,), (_THREADS,), (x, x.size, expected, found))
            if chance.randrange(FETCHED_ONE_IN):
                return
            fetched = x.get()
        if (fetched != expected).any():
            self._wrong(x.size, expected, fetched[fetched != expected][0])

    def _look(self, found) -> None:
        """Fetch what the kernel has found for a thread."""
        for stream in self.streams:
            stream.synchronize()
        count, size, expected, value = found.get().tolist()
        if count:
            self._wrong(size, expected, value)

    def _wrong(self, size: int, expected: int, value: int) -> None:
        self.faults.append(f"an array of {size} elements should be {expected}, one is {value}")


def soak(
    count: int,
    threads: int = 8,
    streams: int = 4,
    most: int = 1 << 14,
    seed: int = 0,
    report: Callable[[int], object] = lambda made: None,
) -> tuple[int, list[str]]:
    """Allocations that were made, and what was wrong."""
    work = Soak(count, threads, streams, most, seed)
    work.run(report)
    work.cp.cuda.Device().synchronize()
    return sum(work.allocations), work.faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1_000_000, help="allocations")
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--streams", type=int, default=4)
    parser.add_argument("--most", type=int, default=1 << 14, help="elements of the largest array")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    start = time.perf_counter()

    def report(made: int) -> None:
        print(f"{made} allocations in {time.perf_counter() - start:.1f} s", flush=True)

    made, faults = soak(
        options.count, options.threads, options.streams, options.most, options.seed, report
    )
    import gpuarray as cp

    pool = cp.get_default_memory_pool()
    print(
        f"{made} allocations in {time.perf_counter() - start:.1f} s; the pool has "
        f"{pool.total_bytes():,} bytes, {pool.used_bytes():,} in use"
    )
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
