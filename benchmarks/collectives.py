"""Collectives of all devices by NCCL, beside CuPy's and PyTorch's.

    python benchmarks/collectives.py                      the tables
    python benchmarks/collectives.py --json results.json  and the figures as JSON
    python benchmarks/collectives.py --quick              small and short: does it run at all?

It needs two devices or more, and NCCL. One thread makes the calls of all ranks, in a group. Rates
are NCCL's "bus bandwidth", in which a link that is used to the full has the same figure whatever
the collective and the number of devices; they are of the host's clock over calls that are waited
for together. The cost of a call is the host's, for a group of one small call for each rank.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_ROOT), str(_ROOT / "src")]

import numpy as np  # noqa: E402 - the path comes first

from benchmarks import libraries, timing  # noqa: E402
from benchmarks.two_devices import Tables, Works, ones, wall  # noqa: E402

SIZES = (64 << 10, 1 << 20, 16 << 20, 256 << 20)
SMALL = 1 << 10


def in_one_thread(library: libraries.Library, count: int, nbytes: int) -> Works:
    """A call of each collective for all ranks."""
    size = nbytes // 4
    if library.name == "torch":
        from torch.cuda import nccl as torch_nccl

        whole = [ones(library, size, device) for device in range(count)]
        parts = [ones(library, size // count, device) for device in range(count)]
        return {
            "all-reduce": lambda: torch_nccl.all_reduce(whole),
            "all-gather": lambda: torch_nccl.all_gather(parts, whole),
            "reduce-scatter": lambda: torch_nccl.reduce_scatter(whole, parts),
            "broadcast": lambda: torch_nccl.broadcast(whole),
        }
    xp = library.module
    nccl = xp.cuda.nccl
    ranks = []
    for device, comm in enumerate(nccl.NcclCommunicator.initAll(count)):
        with xp.cuda.Device(device):
            stream = xp.cuda.Stream(non_blocking=True)
        whole, part = ones(library, size, device), ones(library, size // count, device)
        xp.cuda.Device(device).synchronize()
        # The arrays and the stream stay alive with the tuple.
        ranks.append((comm, whole.data.ptr, part.data.ptr, stream.ptr, whole, part, stream))
    number, add = nccl.NCCL_FLOAT, nccl.NCCL_SUM

    def group(call: Any) -> timing.Work:
        def work() -> None:
            nccl.groupStart()
            for comm, whole, part, stream, *_ in ranks:
                call(comm, whole, part, stream)
            nccl.groupEnd()

        return work

    few = size // count
    return {
        "all-reduce": group(lambda c, x, y, s: c.allReduce(x, x, size, number, add, s)),
        "all-gather": group(lambda c, x, y, s: c.allGather(y, x, few, number, s)),
        "reduce-scatter": group(lambda c, x, y, s: c.reduceScatter(x, y, few, number, add, s)),
        "broadcast": group(lambda c, x, y, s: c.broadcast(x, x, size, number, 0, s)),
    }


def bus_bytes(collective: str, nbytes: int, count: int) -> int:
    """What NCCL's tests multiply a rate by, as bytes."""
    factor = {"all-reduce": 2 * (count - 1) / count, "broadcast": 1.0}
    return int(nbytes * factor.get(collective, (count - 1) / count))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small and short: does it run at all?")
    parser.add_argument("--json", metavar="PATH", help="write the figures there")
    options = parser.parse_args()

    found, missing = libraries.available()
    xp = found["gpuarray"].module
    count = xp.cuda.runtime.getDeviceCount()
    if count < 2 or not xp.cuda.nccl.available:
        print(
            "two devices and NCCL are needed (the emulator has both by GPUARRAY_EMULATED_DEVICES=2)"
        )
        return 2
    # CuPy's wheels come without its module for NCCL.
    if "cupy" in found and not getattr(
        getattr(found["cupy"].module.cuda, "nccl", None), "available", False
    ):
        del found["cupy"]
        missing["cupy"] = "it has no NCCL"
    from gpuarray._ffi import driver

    machine = {
        "device": driver.describe(),
        "nccl": xp.cuda.nccl.get_version(),
        "numpy": np.__version__,
        **{name: library.version for name, library in found.items()},
    }
    print("  ".join(f"{key} {value}" for key, value in machine.items()))
    for name, reason in missing.items():
        print(f"{name} is left out: {reason}")

    def synchronize() -> None:
        for device in range(count):
            xp.cuda.Device(device).synchronize()

    effort = timing.Effort.quick() if options.quick else timing.Effort()
    tables, columns = Tables(), list(found)
    for nbytes in SIZES[:1] if options.quick else SIZES:
        text = f"{nbytes >> 20} MiB" if nbytes >= 1 << 20 else f"{nbytes >> 10} KiB"
        tables.head(f"bus bandwidth of {text} a device, GB/s", columns)
        works = {name: in_one_thread(library, count, nbytes) for name, library in found.items()}
        for collective in works["gpuarray"]:
            times = {name: wall(synchronize, works[name][collective], effort) for name in found}
            counted = bus_bytes(collective, nbytes, count)
            tables.row("bus bandwidth", f"{collective}, {text}", times, columns, counted)
        del works
        for library in found.values():
            library.free()
    tables.head("cost of a group of small calls, µs", columns)
    works = {name: in_one_thread(library, count, SMALL) for name, library in found.items()}
    for collective in works["gpuarray"]:
        chosen = {name: works[name][collective] for name in found}
        times = timing.call_costs(chosen, synchronize, effort)
        tables.row("cost of a call", collective, times, columns)
    if options.json:
        result = {"machine": machine, "rows": tables.rows}
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
