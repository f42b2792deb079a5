"""A soak of the memory pool: random arrays of several threads and streams, with their contents.

    python benchmarks/soak.py                                1e6 allocations, 8 threads, 4 streams
    python benchmarks/soak.py --count 20000 --threads 4      shorter

Each thread makes arrays of random sizes on random streams, fills them with a number of their own,
reads some of them on another stream, copies others, and drops them at random; before one is
dropped its contents are compared. A block that is handed out twice, or before work of another
stream that used it is done, shows in a number that is not the array's own. It works on the GPU and
on the emulator.
"""

from __future__ import annotations

import argparse
import random
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

#: Arrays that a thread has at once.
LIVING = 24
#: Of so many arrays one is fetched and compared; the others are compared on the device.
FETCHED_ONE_IN = 8


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

    def run(self) -> None:
        """Work until every thread has made its share."""
        threads = [threading.Thread(target=self._work, args=(n,)) for n in range(self.threads)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _work(self, number: int) -> None:
        try:
            self._allocate(number, random.Random(self.seed + number))
        except Exception as error:  # a thread's own, which the main thread reports
            self.faults.append(f"thread {number}: {type(error).__name__}: {error}")

    def _allocate(self, number: int, chance: random.Random) -> None:
        cp = self.cp
        living: list[tuple] = []
        serial = number << 40
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
                self._check(*living.pop(chance.randrange(len(living))), chance)
        for entry in living:
            self._check(*entry, chance)

    def _check(self, x, stream, expected: int, chance: random.Random) -> None:
        with stream:
            if chance.randrange(FETCHED_ONE_IN) == 0:
                found = x.get()
                wrong = (found != expected).any()
            elif chance.random() < 0.1:
                wrong = bool((x != expected).any())
            else:
                return
        if wrong:
            self.faults.append(f"an array of {x.size} elements should be {expected}: {x}")


def soak(
    count: int, threads: int = 8, streams: int = 4, most: int = 1 << 14, seed: int = 0
) -> tuple[int, list[str]]:
    """Allocations that were made, and what was wrong."""
    work = Soak(count, threads, streams, most, seed)
    work.run()
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
    made, faults = soak(options.count, options.threads, options.streams, options.most, options.seed)
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
