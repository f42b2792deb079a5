"""Copies between the host and the device, beside CuPy's and PyTorch's.

    python benchmarks/transfers.py               rates and overlap, in about 25 s
    python benchmarks/transfers.py --short       the same of fewer sizes, in about 10 s
    python benchmarks/transfers.py --knobs       what the constants of staged copies should be
    python benchmarks/transfers.py --json FILE   and the figures as JSON
    python benchmarks/transfers.py --only rates  one of: rates, overlap, knobs, threshold

* rates: to and from the device, page-locked and pageable memory, 1 KB to 1 GB.
* overlap: a copy to the device, a kernel and a copy from it on three streams, alone and together.
* knobs: pageable copies for each size of the pieces and number of threads, and the best of them
  for the constants of gpuarray._runtime.staged_copies.
* threshold: pageable copies staged and left to the driver, by size, and the size from which on
  staging is quicker.

A figure takes at least two calls, and no more than its share of time: the slowest copies, of
memory that was never touched, are measured less often.

Times are the host's, from the first call until the device has done all; each is a median.
Memory was touched before, but for the row of new memory. A peer that is not installed is left out.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "src"))

import numpy as np

from benchmarks import libraries
from benchmarks.timing import Work

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
#: What a pageable copy is to reach of the rate of a page-locked one, from this size on.
WANTED, WANTED_FROM = 0.8, 64 * MIB

_KERNEL = """
extern "C" __global__ void work(float* out, int rounds) {
    float x = threadIdx.x;
    for (int i = 0; i < rounds; ++i) x = x * 0.999f + 1.0f;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
"""
_BLOCKS, _THREADS = 132, 256


@dataclass(frozen=True)
class Scale:
    """How much is measured."""

    sizes: tuple[int, ...] = (KIB, 16 * KIB, 256 * KIB, 4 * MIB, 16 * MIB, 64 * MIB, 256 * MIB, GIB)
    knob_bytes: int = 256 * MIB
    pieces: tuple[int, ...] = (MIB, 2 * MIB, 4 * MIB, 8 * MIB, 16 * MIB)
    threads: tuple[int, ...] = (1, 2, 3, 4, 6, 8, 12)
    thresholds: tuple[int, ...] = tuple(MIB << n for n in range(8))
    overlap_bytes: int = 256 * MIB
    rounds: int = 1 << 20
    repeats: int = 5
    #: Of a repetition, and of all repetitions of a figure.
    seconds: float = 0.02
    most_seconds: float = 0.3

    @classmethod
    def short(cls) -> Scale:
        """Fewer sizes."""
        return cls(
            sizes=(KIB, MIB, 16 * MIB, 256 * MIB), overlap_bytes=64 * MIB, repeats=3,
            most_seconds=0.1,
        )  # fmt: skip

    @classmethod
    def quick(cls) -> Scale:
        """Whether it runs at all, also on the emulator."""
        return cls(
            (KIB, MIB), MIB, (128 * KIB, 256 * KIB), (1, 2), (64 * KIB, MIB), MIB, 4, 2, 0.001
        )


def seconds_of(work: Work, synchronize: Work, scale: Scale) -> float:
    """Seconds a call, with all that it queues."""
    work()
    synchronize()
    before = time.perf_counter()
    work()
    synchronize()
    once = max(time.perf_counter() - before, 1e-7)
    count = max(1, min(200, int(scale.seconds / once)))
    times = []
    began = time.perf_counter()
    while len(times) < scale.repeats:
        before = time.perf_counter()
        for _ in range(count):
            work()
        synchronize()
        times.append((time.perf_counter() - before) / count)
        if time.perf_counter() - began > scale.most_seconds:
            break
    return median(times)


# ---- what is copied, by library ------------------------------------------------------------------


class Copies:
    """The copies of gpuarray and CuPy, which have the same names."""

    def __init__(self, xp: Any) -> None:
        self.xp = xp
        self.stream = xp.cuda.Stream(non_blocking=True)
        self.synchronize = self.stream.synchronize

    def device(self, nbytes: int) -> Any:
        with self.stream:
            return self.xp.zeros(nbytes, "u1")

    def pinned(self, nbytes: int) -> Any:
        memory = self.xp.cuda.alloc_pinned_memory(nbytes)
        array = np.frombuffer(memory, "u1", nbytes)
        array[...] = 1
        return array

    def pageable(self, nbytes: int) -> Any:
        return np.ones(nbytes, "u1")

    def works(self, nbytes: int) -> dict[str, Work]:
        x, stream = self.device(nbytes), self.stream
        pinned, pageable = self.pinned(nbytes), self.pageable(nbytes)

        def new() -> None:
            with stream:
                x.get()

        return {
            "to the device, pinned": lambda: x.set(pinned, stream=stream),
            "to the device, pageable": lambda: x.set(pageable, stream=stream),
            "from the device, pinned": lambda: x.get(stream=stream, out=pinned, blocking=False),
            "from the device, pageable": lambda: x.get(stream=stream, out=pageable),
            "from the device, new memory": new,
        }

    def overlap(self, nbytes: int, rounds: int) -> tuple[dict[str, Work], Work]:
        """A copy each way and a kernel, on a stream each; and what waits for them."""
        streams = [self.xp.cuda.Stream(non_blocking=True) for _ in range(3)]
        kernel = self.xp.RawKernel(_KERNEL, "work")
        a, b = self.device(nbytes), self.device(nbytes)
        out = self.device(4 * _BLOCKS * _THREADS)
        source, target = self.pinned(nbytes), self.pinned(nbytes)
        self.synchronize()

        def compute() -> None:
            with streams[1]:
                kernel((_BLOCKS,), (_THREADS,), (out, np.int32(rounds)))

        def wait() -> None:
            for stream in streams:
                stream.synchronize()

        works = {
            "to the device": lambda: a.set(source, stream=streams[0]),
            "kernel": compute,
            "from the device": lambda: b.get(stream=streams[2], out=target, blocking=False),
        }
        return works, wait


class TorchCopies(Copies):
    """The same of PyTorch."""

    def __init__(self, torch: Any) -> None:
        self.xp = torch
        self.stream = torch.cuda.Stream()
        self.synchronize = self.stream.synchronize

    def device(self, nbytes: int) -> Any:
        return self.xp.zeros(nbytes, dtype=self.xp.uint8, device="cuda")

    def pinned(self, nbytes: int) -> Any:
        return self.xp.ones(nbytes, dtype=self.xp.uint8).pin_memory()

    def pageable(self, nbytes: int) -> Any:
        return self.xp.ones(nbytes, dtype=self.xp.uint8)

    def _on(self, stream: Any, work: Work) -> Work:
        def call() -> None:
            with self.xp.cuda.stream(stream):
                work()

        return call

    def works(self, nbytes: int) -> dict[str, Work]:
        x, pinned, pageable = self.device(nbytes), self.pinned(nbytes), self.pageable(nbytes)
        works: dict[str, Work] = {
            "to the device, pinned": lambda: x.copy_(pinned, non_blocking=True),
            "to the device, pageable": lambda: x.copy_(pageable),
            "from the device, pinned": lambda: pinned.copy_(x, non_blocking=True),
            "from the device, pageable": lambda: pageable.copy_(x),
            "from the device, new memory": lambda: x.cpu(),
        }
        return {name: self._on(self.stream, work) for name, work in works.items()}

    def overlap(self, nbytes: int, rounds: int) -> tuple[dict[str, Work], Work]:
        torch = self.xp
        streams = [torch.cuda.Stream() for _ in range(3)]
        a, b = self.device(nbytes), self.device(nbytes)
        source, target = self.pinned(nbytes), self.pinned(nbytes)
        torch.cuda.synchronize()
        works: dict[str, Work] = {
            "to the device": lambda: a.copy_(source, non_blocking=True),
            "kernel": lambda: torch.cuda._sleep(4 * rounds),
            "from the device": lambda: target.copy_(b, non_blocking=True),
        }
        works = {
            name: self._on(stream, work)
            for stream, (name, work) in zip(streams, works.items(), strict=True)
        }

        def wait() -> None:
            for stream in streams:
                stream.synchronize()

        return works, wait


# ---- the tables ----------------------------------------------------------------------------------


def rates(copies: dict[str, Copies], scale: Scale) -> list[dict[str, Any]]:
    """Seconds and GB/s by direction, memory, size and library."""
    names = list(copies)
    print(f"{'rates: GB/s, µs':44}" + "".join(f"{name:>22}" for name in names))
    found = []
    for nbytes in scale.sizes:
        measured: dict[str, dict[str, float]] = {}
        for name, library in copies.items():
            for row, work in library.works(nbytes).items():
                seconds = seconds_of(work, library.synchronize, scale)
                measured.setdefault(row, {})[name] = seconds
        for row, of_row in measured.items():
            cells = [f"{nbytes / of_row[x] / 1e9:10.2f} {1e6 * of_row[x]:11.1f}" for x in names]
            report = {"row": row, "bytes": nbytes, "seconds": of_row}
            line = f"{row:30} {text_of(nbytes):>12} " + "".join(cells)
            if row.endswith("pageable") and nbytes >= WANTED_FROM:
                pinned = measured[row.replace("pageable", "pinned")]["gpuarray"]
                report["of_pinned"] = pinned / of_row["gpuarray"]
                verdict = "as wanted" if report["of_pinned"] >= WANTED else "TOO LITTLE"
                line += f"  {100 * report['of_pinned']:.0f}% of pinned, {verdict}"
            print(line, flush=True)
            found.append(report)
    return found


def overlap(copies: dict[str, Copies], scale: Scale) -> dict[str, dict[str, float]]:
    """Seconds of each kind of work alone, of all together, and of all one after the other."""
    print(f"\noverlap: ms, {text_of(scale.overlap_bytes)} each way")
    found: dict[str, dict[str, float]] = {}
    for name, library in copies.items():
        rounds = scale.rounds
        for _ in range(3):  # so that the kernel takes as long as a copy
            works, wait = library.overlap(scale.overlap_bytes, rounds)
            alone = {row: seconds_of(work, wait, scale) for row, work in works.items()}
            if scale.rounds < 1000:
                break
            rounds = max(1, min(1 << 30, int(rounds * alone["to the device"] / alone["kernel"])))
        calls = list(works.values())

        def all_of_them(calls: list[Work] = calls) -> None:
            for call in calls:
                call()

        together = seconds_of(all_of_them, wait, scale)
        found[name] = {**alone, "together": together, "overlap": sum(alone.values()) / together}
        print(
            f"{name:12}"
            + "".join(f"{row}: {1e3 * seconds:.3f}   " for row, seconds in alone.items())
            + f"together: {1e3 * together:.3f}   {found[name]['overlap']:.2f} at once",
            flush=True,
        )
    return found


@contextmanager
def knobs_set(**values: int) -> Any:
    """The constants of staged copies with other values."""
    from gpuarray._runtime import staged_copies

    before = {name: getattr(staged_copies, name) for name in values}
    try:
        for name, value in values.items():
            setattr(staged_copies, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(staged_copies, name, value)
        staged_copies.free_buffers()


def knobs(copies: dict[str, Copies], scale: Scale) -> dict[str, Any]:
    """GB/s of pageable copies by direction, bytes of a piece and threads; the best of each."""
    library, nbytes = copies["gpuarray"], scale.knob_bytes
    works = library.works(nbytes)
    found: dict[str, Any] = {"bytes": nbytes, "rates": {}, "best": {}}
    for row in ("to the device, pageable", "from the device, pageable"):
        print(f"\nknobs: GB/s, {row}, {text_of(nbytes)}; columns are threads")
        print(" " * 12 + "".join(f"{threads:>8}" for threads in scale.threads))
        best: tuple[float, int, int] = (0.0, 0, 0)
        for piece in scale.pieces:
            cells = []
            for threads in scale.threads:
                with knobs_set(PIECE_BYTES=piece, THREADS=threads, STAGED_BYTES=1):
                    rate = nbytes / seconds_of(works[row], library.synchronize, scale) / 1e9
                cells.append(rate)
                best = max(best, (rate, piece, threads))
                found["rates"][f"{row}, {piece}, {threads}"] = rate
            print(f"{text_of(piece):>12}" + "".join(f"{rate:8.2f}" for rate in cells), flush=True)
        rate, piece, threads = best
        found["best"][row] = {"PIECE_BYTES": piece, "THREADS": threads, "GB/s": rate}
        print(f"best: PIECE_BYTES = {text_of(piece)}, THREADS = {threads}: {rate:.2f} GB/s")
    return found


def threshold(copies: dict[str, Copies], scale: Scale) -> dict[str, Any]:
    """Seconds of pageable copies that are staged, and of those that are left to the driver."""
    library = copies["gpuarray"]
    found: dict[str, Any] = {"seconds": {}, "best": {}}
    for row in ("to the device, pageable", "from the device, pageable"):
        print(f"\nthreshold: GB/s, {row}:      staged   by the driver")
        quicker = None
        for nbytes in scale.thresholds:
            work = library.works(nbytes)[row]
            with knobs_set(STAGED_BYTES=1):
                staged = seconds_of(work, library.synchronize, scale)
            with knobs_set(STAGED_BYTES=1 << 62):
                driver = seconds_of(work, library.synchronize, scale)
            found["seconds"][f"{row}, {nbytes}"] = {"staged": staged, "driver": driver}
            columns = [f"{nbytes / seconds / 1e9:12.2f}" for seconds in (staged, driver)]
            print(f"{text_of(nbytes):>40} {' '.join(columns)}", flush=True)
            if staged >= driver:
                quicker = None
            elif quicker is None:
                quicker = nbytes
        found["best"][row] = quicker
        print(f"best: STAGED_BYTES = {'none of these' if quicker is None else text_of(quicker)}")
    return found


def text_of(nbytes: int) -> str:
    """A number of bytes as people write it."""
    for unit, size in (("GiB", GIB), ("MiB", MIB), ("KiB", KIB)):
        if nbytes >= size:
            return f"{nbytes / size:g} {unit}"
    return f"{nbytes} B"


TABLES: dict[str, Callable[[dict[str, Copies], Scale], Any]] = {
    "rates": rates,
    "overlap": overlap,
    "knobs": knobs,
    "threshold": threshold,
}
#: What is measured by default, and what the constants of staged copies are chosen by.
RATES, KNOBS = ("rates", "overlap"), ("knobs", "threshold")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small and short: does it run at all?")
    parser.add_argument("--short", action="store_true", help="fewer sizes and repetitions")
    parser.add_argument(
        "--knobs", action="store_true", help="knobs and threshold instead of rates and overlap"
    )
    parser.add_argument("--only", action="append", choices=list(TABLES), help="one of the tables")
    parser.add_argument("--json", metavar="FILE", help="write the figures here as well")
    options = parser.parse_args()
    scale = Scale.quick() if options.quick else Scale.short() if options.short else Scale()
    tables = options.only or (KNOBS if options.knobs else RATES)
    found, missing = libraries.available()
    for name, reason in missing.items():
        print(f"{name} is left out: {reason}")
    copies = {
        name: (TorchCopies if name == "torch" else Copies)(library.module)
        for name, library in found.items()
    }
    figures = {name: TABLES[name](copies, scale) for name in tables}
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
