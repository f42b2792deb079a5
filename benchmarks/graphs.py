"""A loop of 20 small operations: issued one by one, and launched as a graph, beside the peers.

    python benchmarks/graphs.py                the table
    python benchmarks/graphs.py --quick        fewer repetitions
    python benchmarks/graphs.py --json FILE    and the figures as JSON

Two times are taken of each way. *Call* is the host's time in batches that nothing waits for; a
batch has so few calls that their launches fit into the launch queue. *Whole* is the time of a batch
to the end of its work on the device, divided by the calls. A graph's launch is to take a fifth of
what issuing takes, in both.

CuPy captures by `Stream.begin_capture`, PyTorch by `torch.cuda.graph`. `graphed` is gpuarray's
decorator: with the same operands, with others at each call, and with a matrix product in the
function, for which operands at other addresses mean that the function runs again.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

import numpy as np

from benchmarks import libraries
from benchmarks.timing import Effort, Work, call_costs, spread

#: Operations in the loop, and how many times as fast a graph's launch is to be.
OPERATIONS, WANTED = 20, 5
#: The launch queue holds 1024 launches.
CALLS = 1000 // OPERATIONS
_SIZE = 1000


def loop(module: Any, x: Any, y: Any) -> Any:
    """The operations."""
    z = x
    for _ in range(OPERATIONS // 4):
        z = module.maximum((z * x + y) - x, y)
    return z


class Ways:
    """The ways to run the loop with one library, and how to wait for it."""

    def __init__(self, library: libraries.Library):
        random = np.random.default_rng(1)
        x, y = (library.to_device(random.random(_SIZE, np.float32)) for _ in range(2))
        getattr(self, library.name)(library.module, x, y)

    def gpuarray(self, xp: Any, x: Any, y: Any) -> None:
        stream = xp.cuda.Stream(non_blocking=True)
        stream.use()
        loop(xp, x, y)
        began = time.perf_counter()
        with stream.capture() as graph:
            self.result = loop(xp, x, y)
        self.capture_seconds = time.perf_counter() - began
        graphed = xp.cuda.graphed(lambda a, b: loop(xp, a, b))
        others = [(x + 0, y + 0) for _ in range(2)]

        def exchanged() -> None:
            others.reverse()
            graphed(*others[0])

        self.synchronize: Callable[[], Any] = stream.synchronize
        self.works: dict[str, Work] = {
            "issued": lambda: loop(xp, x, y),
            "graph": graph.launch,
            "graphed, the same operands": lambda: graphed(x, y),
            "graphed, others each time": exchanged,
            "one operation": lambda: x + y,
        }
        from gpuarray._libraries.blas import gemm

        a = xp.ones((32, 32), "f4")
        multiplied = xp.cuda.graphed(lambda m: gemm(m + 1, m))
        pair = [a, a + 1]

        def product() -> None:
            pair.reverse()
            multiplied(pair[0])

        self.works["graphed with cuBLAS, the same operand"] = lambda: multiplied(a)
        self.works["graphed with cuBLAS, another each time"] = product

    def cupy(self, xp: Any, x: Any, y: Any) -> None:
        stream = xp.cuda.Stream(non_blocking=True)
        stream.use()
        loop(xp, x, y)
        began = time.perf_counter()
        stream.begin_capture()
        self.result = loop(xp, x, y)
        graph = stream.end_capture()
        self.capture_seconds = time.perf_counter() - began
        self.synchronize = stream.synchronize
        self.works = {
            "issued": lambda: loop(xp, x, y),
            "graph": graph.launch,
            "one operation": lambda: x + y,
        }

    def torch(self, torch: Any, x: Any, y: Any) -> None:
        loop(torch, x, y)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        began = time.perf_counter()
        with torch.cuda.graph(graph):
            self.result = loop(torch, x, y)
        self.capture_seconds = time.perf_counter() - began
        self.synchronize = torch.cuda.synchronize
        self.works = {
            "issued": lambda: loop(torch, x, y),
            "graph": graph.replay,
            "one operation": lambda: x + y,
        }


def whole_times(ways: Ways, effort: Effort, calls: int) -> dict[str, list[float]]:
    """Seconds of a call with its work on the device: for each way, one figure a batch."""
    times: dict[str, list[float]] = {name: [] for name in ways.works}
    for _ in range(effort.batches):
        for name, work in ways.works.items():
            ways.synchronize()
            began = time.perf_counter()
            for _ in range(calls):
                work()
            ways.synchronize()
            times[name].append((time.perf_counter() - began) / calls)
    return times


def measure(effort: Effort, count: int = CALLS) -> dict[str, Any]:
    """The figures of each library, in seconds."""
    found, missing = libraries.available()
    figures: dict[str, Any] = {"operations": OPERATIONS, "missing": missing, "libraries": {}}
    for name, library in found.items():
        ways = Ways(library)
        calls = call_costs(ways.works, ways.synchronize, effort, count)
        whole = whole_times(ways, effort, count)
        figures["libraries"][name] = {
            "version": library.version,
            "capture": ways.capture_seconds,
            "call": {way: spread(times) for way, times in calls.items()},
            "whole": {way: spread(times) for way, times in whole.items()},
        }
        if name == "gpuarray":
            library.module.cuda.Stream.null.use()
    return figures


def table(figures: dict[str, Any]) -> list[str]:
    """The lines to print."""
    lines = [f"{OPERATIONS} operations on {_SIZE} float32, µs: median (least to greatest)"]
    for name, found in figures["libraries"].items():
        lines.append(f"{name} {found['version']}, captured in {1e3 * found['capture']:.2f} ms")
        for way in found["call"]:
            texts = []
            for kind in ("call", "whole"):
                middle, least, most = [1e6 * seconds for seconds in found[kind][way]]
                texts.append(f"{kind} {middle:8.2f} ({least:.2f} to {most:.2f})")
            lines.append(f"  {way:40} {'   '.join(texts)}")
        ratios = [found[kind]["issued"][0] / found[kind]["graph"][0] for kind in ("call", "whole")]
        verdict = "as wanted" if min(ratios) >= WANTED else "too little"
        lines.append(
            f"  a graph is {ratios[0]:.1f} times as fast to call and {ratios[1]:.1f} times as fast "
            f"as a whole, {verdict}"
        )
    lines += [f"{name} is left out: {why}" for name, why in figures["missing"].items()]
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument("--json", metavar="FILE", help="write the figures here as well")
    options = parser.parse_args()
    figures = measure(Effort.quick(), 3) if options.quick else measure(Effort())
    print("\n".join(table(figures)))
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
