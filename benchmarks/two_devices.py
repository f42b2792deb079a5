"""Copies between two GPUs, and operations on arrays of another GPU, beside CuPy's and PyTorch's.

    python benchmarks/two_devices.py                      the tables
    python benchmarks/two_devices.py --json results.json  and the figures as JSON
    python benchmarks/two_devices.py --quick              small and short: does it run at all?

It needs two devices. Copies are timed with events on a stream of the device that they go to, in
both directions and in both at once, by peer access and through the host's memory (the driver's own
way where devices have no access to one another). Bytes are counted once. The bare driver's call
has the same addresses each time.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import itertools
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_ROOT), str(_ROOT / "src")]

import numpy as np  # noqa: E402 - the path comes first

from benchmarks import libraries, timing  # noqa: E402

SIZES = (64 << 10, 1 << 20, 16 << 20, 256 << 20)
#: Elements of float32 for operations, and for the host's cost of a call.
LARGE, SMALL = 64 << 20, 256

Works = dict[str, timing.Work]


@contextlib.contextmanager
def on(device: int, found: dict[str, libraries.Library]) -> Iterator[None]:
    """A device is current for every library."""
    with contextlib.ExitStack() as stack:
        if "torch" in found:
            stack.enter_context(found["torch"].module.cuda.device(device))
        if "cupy" in found:
            stack.enter_context(found["cupy"].module.cuda.Device(device))
        stack.enter_context(found["gpuarray"].module.cuda.Device(device))
        yield


def ones(library: libraries.Library, size: int, device: int) -> Any:
    """An array of float32 on a device."""
    module = library.module
    if library.name == "torch":
        return module.ones(size, dtype=module.float32, device=f"cuda:{device}")
    with module.cuda.Device(device):
        return module.ones(size, "f4")


def copies(
    found: dict[str, libraries.Library], nbytes: int, source: int, target: int, names: set[str]
) -> Works:
    """A copy from a device to another, by library; the target's device is current."""
    from gpuarray._ffi import driver

    works: Works = {}
    for name in names & set(found):
        x, y = (ones(found[name], nbytes // 4, device) for device in (source, target))
        if name == "torch":
            works[name] = lambda x=x, y=y: y.copy_(x, non_blocking=True)
        else:
            works[name] = lambda x=x, y=y, xp=found[name].module: xp.copyto(y, x)
    devices = found["gpuarray"].module.cuda.Device
    x, y = (ones(found["gpuarray"], nbytes // 4, device) for device in (source, target))
    arguments = (
        y.data.ptr, devices(target).context, x.data.ptr, devices(source).context, nbytes, 0,
    )  # fmt: skip
    kept = x, y
    works["bare call"] = lambda kept=kept: driver.memcpy_peer_async(*arguments)
    return works


def operations(library: libraries.Library, size: int) -> Works:
    """Work on device 0 with arrays of both."""
    here, there = ones(library, size, 0), ones(library, size, 1)
    works: Works = {"a + b, both here": lambda: here + here}
    if library.name == "torch":  # it refuses arrays of another device
        return {**works, "asarray, then a + b": lambda: here + there.to(here.device)}
    xp = library.module
    return {
        **works,
        "a + b, one there": lambda: here + there,
        "a + b, both there": lambda: there + there,
        "asarray, then a + b": lambda: here + xp.asarray(there),
        "sum, here": lambda: here.sum(),
        "sum, there": lambda: there.sum(),
        "exp(a, out=there)": lambda: xp.exp(here, out=there),
    }


def wall(synchronize: Callable[[], Any], work: timing.Work, effort: timing.Effort) -> list[float]:
    """Seconds a call by the host's clock, over calls that are waited for together."""
    work()
    synchronize()
    start = time.perf_counter()
    work()
    synchronize()
    count = max(1, min(200, int(effort.seconds_a_batch / (time.perf_counter() - start))))
    times = []
    for _ in range(effort.repeats):
        start = time.perf_counter()
        for _ in itertools.repeat(None, count):
            work()
        synchronize()
        times.append((time.perf_counter() - start) / count)
    return times


class Tables:
    """Prints rows as they are measured, and keeps them."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def head(self, title: str, names: list[str]) -> None:
        print(f"\n{title}\n{'':34}" + "".join(f"{name:>14}" for name in names))

    def row(
        self, kind: str, name: str, times: dict[str, list[float]], names: list[str], nbytes: int = 0
    ) -> None:
        """A line with rates in GB/s where bytes are counted, else with microseconds."""
        cells = []
        for column in names:
            if column not in times:
                cells.append(f"{'-':>14}")
                continue
            middle = median(times[column])
            cells.append(f"{nbytes / middle / 1e9 if nbytes else 1e6 * middle:14.2f}")
        print(f"{name:34}" + "".join(cells), flush=True)
        figures = {
            column: dict(zip(("median", "least", "greatest"), timing.spread(x), strict=True))
            for column, x in times.items()
        }
        self.rows.append({"kind": kind, "name": name, "bytes": nbytes, "seconds": figures})


def measure_copies(
    found: dict[str, libraries.Library], sizes: tuple[int, ...], effort: timing.Effort,
    tables: Tables, kind: str, names: set[str],
) -> None:  # fmt: skip
    """Rates of copies in both directions."""
    columns = ["bare call", *[name for name in found if name in names]]
    tables.head(f"{kind}: GB/s", columns)
    from gpuarray._ffi import driver

    for nbytes in sizes:
        text = f"{nbytes >> 20} MiB" if nbytes >= 1 << 20 else f"{nbytes >> 10} KiB"
        for source, target in ((0, 1), (1, 0)):
            with on(target, found):
                works = copies(found, nbytes, source, target, names)
                streams = {
                    name: (work, found[name].stream() if name in found else 0)
                    for name, work in works.items()
                }
                times = timing.device_times(streams, driver.context_synchronize, effort)
            tables.row(kind, f"{text}, {source} to {target}", times, columns, nbytes)
        both = measure_exchange(found, nbytes, effort, names)
        tables.row(kind, f"{text}, both at once (host's clock)", both, columns, 2 * nbytes)
        for library in found.values():
            library.free()


def measure_exchange(
    found: dict[str, libraries.Library], nbytes: int, effort: timing.Effort, names: set[str]
) -> dict[str, list[float]]:
    """Seconds of two copies at once, one each way."""
    from gpuarray._ffi import driver

    with on(1, found):
        there = copies(found, nbytes, 0, 1, names)
    with on(0, found):
        back = copies(found, nbytes, 1, 0, names)

    def synchronize() -> None:
        for device in (0, 1):
            with on(device, found):
                driver.context_synchronize()

    def exchange(name: str) -> None:
        with on(1, found):
            there[name]()
        with on(0, found):
            back[name]()

    return {name: wall(synchronize, functools.partial(exchange, name), effort) for name in there}


def measure_operations(
    found: dict[str, libraries.Library], size: int, effort: timing.Effort, tables: Tables
) -> None:
    """Device time of operations, and the host's cost of small ones."""
    from gpuarray._ffi import driver

    for kind, elements in (("device time, µs", size), ("cost of a call, µs", SMALL)):
        columns = list(found)
        tables.head(f"{kind}, {elements} float32 on device 0", columns)
        with on(0, found):
            works = {name: operations(library, elements) for name, library in found.items()}
            names = list(dict.fromkeys(itertools.chain.from_iterable(works.values())))
            for name in names:
                chosen = {x: works[x][name] for x in found if name in works[x]}
                if elements == SMALL:
                    times = timing.call_costs(chosen, driver.context_synchronize, effort)
                else:
                    streams = {x: (work, found[x].stream()) for x, work in chosen.items()}
                    times = timing.device_times(streams, driver.context_synchronize, effort)
                tables.row(kind, name, times, columns)
        del works
        for library in found.values():
            library.free()


@contextlib.contextmanager
def without_access(runtime: Any) -> Iterator[None]:
    """Neither device has access to the other's memory."""
    disabled = []
    for device, peer in ((0, 1), (1, 0)):
        runtime.setDevice(device)
        with contextlib.suppress(runtime.CUDARuntimeError):
            runtime.deviceDisablePeerAccess(peer)
            disabled.append((device, peer))
    runtime.setDevice(0)
    try:
        yield
    finally:
        for device, peer in disabled:
            runtime.setDevice(device)
            with contextlib.suppress(runtime.CUDARuntimeError):
                runtime.deviceEnablePeerAccess(peer)
        runtime.setDevice(0)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small and short: does it run at all?")
    parser.add_argument("--json", metavar="PATH", help="write the figures there")
    options = parser.parse_args()

    found, missing = libraries.available()
    xp = found["gpuarray"].module
    runtime = xp.cuda.runtime
    if runtime.getDeviceCount() < 2:
        print("two devices are needed (the emulator has them by GPUARRAY_EMULATED_DEVICES=2)")
        return 2
    from gpuarray._ffi import driver

    machine = {
        "device": driver.describe(),
        "names": [xp.cuda.Device(i).name for i in (0, 1)],
        "peer access": [runtime.deviceCanAccessPeer(*pair) for pair in ((0, 1), (1, 0))],
        "performance rank": driver.device_p2p_attribute(1, 0, 1),
        "numpy": np.__version__,
        **{name: library.version for name, library in found.items()},
    }
    print("  ".join(f"{key} {value}" for key, value in machine.items()))
    for name, reason in missing.items():
        print(f"{name} is left out: {reason}")

    effort = timing.Effort.quick() if options.quick else timing.Effort()
    sizes = SIZES[:1] if options.quick else SIZES
    tables = Tables()
    measure_copies(found, sizes, effort, tables, "copies by peer access", set(found))
    # The libraries would give the devices access again.
    with without_access(runtime):
        measure_copies(found, sizes, effort, tables, "copies without access", set())
    if all(machine["peer access"]):
        measure_operations(found, 10_000 if options.quick else LARGE, effort, tables)
    if options.json:
        result = {"machine": machine, "rows": tables.rows}
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
