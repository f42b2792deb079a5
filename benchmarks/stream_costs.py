"""The bare costs of streams, events and small copies, beside CuPy's and PyTorch's.

    python benchmarks/stream_costs.py                   the table
    python benchmarks/stream_costs.py --json FILE       and the figures as JSON
    python benchmarks/stream_costs.py --without-driver  gpuarray's Python alone

Each row is the host's time for a call, a median over batches, with the least and the greatest; the
libraries take turns. A peer that is not installed is left out. With --without-driver each
function of the driver is replaced by one of C that does nothing: so the cost of what is written in
Python can be compared on any machine, also on one without a GPU.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "src"))

import numpy as np

from benchmarks import libraries
from benchmarks.timing import Effort, Work, call_costs, spread

#: Few enough that no queue of the driver fills up between two synchronisations.
_CALLS = 100
_BYTES = 1024


def cupy_works(xp: Any) -> dict[str, Work]:
    """The rows in CuPy's names, which are gpuarray's, too."""
    stream, other = xp.cuda.Stream(non_blocking=True), xp.cuda.Stream(non_blocking=True)
    event, recorded = xp.cuda.Event(disable_timing=True), xp.cuda.Event(disable_timing=True)
    recorded.record(other)
    other.synchronize()
    x = xp.zeros(_BYTES // 4, "f4")
    host, pinned = np.zeros(_BYTES // 4, "f4"), _pinned(xp)

    def block() -> None:
        with stream:
            pass

    return {
        "Event()": lambda: xp.cuda.Event(),
        "Event(disable_timing=True)": lambda: xp.cuda.Event(disable_timing=True),
        "event.record()": lambda: event.record(),
        "event.record(stream)": lambda: event.record(stream),
        "stream.record(event)": lambda: stream.record(event),
        "stream.wait_event(event)": lambda: stream.wait_event(recorded),
        "event.done": lambda: recorded.done,
        "event.synchronize()": lambda: recorded.synchronize(),
        "stream.done, idle": lambda: other.done,
        "stream.synchronize(), idle": lambda: other.synchronize(),
        "null.synchronize(), idle": xp.cuda.Stream.null.synchronize,
        "with stream: pass": block,
        "stream.use()": _use(xp, stream),
        "get_current_stream()": lambda: xp.cuda.get_current_stream(),
        "1 KB, asarray(pageable)": lambda: xp.asarray(host),
        "1 KB, set(pageable)": lambda: x.set(host),
        "1 KB, set(pinned, stream)": lambda: x.set(pinned, stream=stream),
        "1 KB, get()": lambda: x.get(),
        "1 KB, get(out=pinned)": lambda: x.get(out=pinned),
        "1 KB, get(out=pinned, blocking=False)": lambda: x.get(out=pinned, blocking=False),
    }


def _pinned(xp: Any) -> np.ndarray[Any, Any]:
    return np.frombuffer(xp.cuda.alloc_pinned_memory(_BYTES), "f4", _BYTES // 4)


def _use(xp: Any, stream: Any) -> Work:
    before = xp.cuda.get_current_stream()

    def work() -> None:
        stream.use()
        before.use()

    return work


def torch_works(torch: Any) -> dict[str, Work]:
    """The rows that PyTorch has."""
    stream, other = torch.cuda.Stream(), torch.cuda.Stream()
    event, recorded = torch.cuda.Event(), torch.cuda.Event()
    recorded.record(other)
    other.synchronize()
    x = torch.zeros(_BYTES // 4, device="cuda")
    host, pinned = torch.zeros(_BYTES // 4), torch.zeros(_BYTES // 4).pin_memory()

    def block() -> None:
        with torch.cuda.stream(stream):
            pass

    return {
        "event.record()": lambda: event.record(),
        "event.record(stream)": lambda: event.record(stream),
        "stream.wait_event(event)": lambda: stream.wait_event(recorded),
        "event.done": lambda: recorded.query(),
        "event.synchronize()": lambda: recorded.synchronize(),
        "stream.done, idle": lambda: other.query(),
        "stream.synchronize(), idle": lambda: other.synchronize(),
        "with stream: pass": block,
        "get_current_stream()": lambda: torch.cuda.current_stream(),
        "1 KB, asarray(pageable)": lambda: host.cuda(),
        "1 KB, set(pageable)": lambda: x.copy_(host),
        "1 KB, set(pinned, stream)": lambda: x.copy_(pinned, non_blocking=True),
        "1 KB, get()": lambda: x.cpu(),
        "1 KB, get(out=pinned)": lambda: pinned.copy_(x),
        "1 KB, get(out=pinned, blocking=False)": lambda: pinned.copy_(x, non_blocking=True),
    }


class _Nothing:
    """A library whose functions return 0 and do nothing."""

    #: It destroys an attribute object, of which there is nothing to destroy; arguments are ignored.
    _NAME = "pthread_condattr_destroy"

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None)

    def __getitem__(self, name: str) -> Any:
        return self._library[self._NAME]


def take_the_driver_away() -> Callable[[], None]:
    """Let the driver's functions do nothing; returns what undoes it."""
    from gpuarray._ffi import driver, driver_library
    from gpuarray._ffi.driver_prototypes import PROTOTYPES

    library, source = driver_library.library, driver_library.library.source

    def bind(to: Any) -> None:
        library._source = to
        library._raw.clear()
        library._bare.clear()
        for name in PROTOTYPES:
            library.__dict__.pop(name, None)
        while driver._bound:
            driver.__dict__.pop(driver._bound.pop(), None)

    bind(_Nothing())
    return lambda: bind(source)


def measure(effort: Effort, without_driver: bool) -> dict[str, dict[str, tuple[float, ...]]]:
    """Median, least and greatest seconds a call, by row and library."""
    names = ("gpuarray",) if without_driver else ("gpuarray", "cupy", "torch")
    found, missing = libraries.available(names)
    for name, reason in missing.items():
        print(f"{name} is left out: {reason}")
    works = {
        name: (torch_works if name == "torch" else cupy_works)(library.module)
        for name, library in found.items()
    }
    for rows in works.values():
        for work in rows.values():
            work()  # so that the pools have memory, which nobody can be asked for without a driver
    give_back = take_the_driver_away() if without_driver else (lambda: None)
    figures: dict[str, dict[str, tuple[float, ...]]] = {}
    synchronize = found["gpuarray"].module.cuda.Device().synchronize
    try:
        for row in works["gpuarray"]:
            of_row = {name: rows[row] for name, rows in works.items() if row in rows}
            costs = call_costs(of_row, synchronize, effort, _CALLS)
            figures[row] = {name: spread(times) for name, times in costs.items()}
    finally:
        give_back()
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument("--without-driver", action="store_true", help="what Python costs alone")
    parser.add_argument("--json", metavar="FILE", help="write the figures here as well")
    options = parser.parse_args()
    effort = Effort.quick() if options.quick else Effort()
    figures = measure(effort, options.without_driver)
    print_table(figures)
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=1))
    return 0


def print_table(figures: dict[str, dict[str, tuple[float, ...]]]) -> None:
    """Print seconds a call by row and library, as microseconds."""
    names = list(dict.fromkeys(name for row in figures.values() for name in row))
    print(f"{'µs a call: median (least to greatest)':40}" + "".join(f"{x:>24}" for x in names))
    for row, of_row in figures.items():
        cells = []
        for name in names:
            if name not in of_row:
                cells.append("-")
                continue
            middle, least, greatest = [1e6 * seconds for seconds in of_row[name]]
            cells.append(f"{middle:.2f} ({least:.2f} to {greatest:.2f})")
        print(f"{row:40}" + "".join(f"{cell:>24}" for cell in cells))


if __name__ == "__main__":
    raise SystemExit(main())
